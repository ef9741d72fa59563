#pragma once
/// A mechanism as a MechanicalSystem: absolute coordinates, joints as constraints.
///
/// Coordinates of a body: spatial x, y, z and a rotation vector rx, ry, rz over a base quaternion that moves along, with
/// velocities vx, vy, vz in space and wx, wy, wz in body axes; planar x, y, rz; points x, y, z; flexible bodies have eta1, eta2, …
/// and veta1, … behind the first six. Names: "crank.x", "crank.wx".
/// Rows of joints: "hinge.x" (origins meet, in space; or along an axis of a), "hinge.xz" (x of a normal to z of b), …
///
///   auto system = rubato::multibody::build(mechanism);            // checks everything, or says what is wrong
///   auto start = rubato::consistent_state(**system, (*system)->start());
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/multibody/mechanism.hpp"
#include "rubato/problem/mechanical.hpp"

namespace rubato::multibody {

/// Of a body: its centre of mass and its turning, in space.
struct BodyVelocity {
  Vector3 linear{}, angular{};
};

class MultibodySystem : public MechanicalSystem {
 public:
  /// As the mechanism says: a guess that consistent_state projects.
  [[nodiscard]] virtual MechanicalState start() const = 0;
  [[nodiscard]] virtual std::vector<std::string> body_names() const = 0;
  [[nodiscard]] virtual std::vector<std::string> joint_names() const = 0;
  /// Bodies, then the nodes of flexible bodies one after another.
  [[nodiscard]] virtual std::size_t n_frames() const = 0;
  /// Position and orientation of a body (by its number, or that of a frame) at (q, base).
  [[nodiscard]] virtual Pose pose(std::size_t body, In q, In base) const = 0;
  [[nodiscard]] virtual BodyVelocity velocity(std::size_t body, In q, In v, In base) const = 0;
  /// What a user may want to know: frames of joints that do not quite meet at the start.
  [[nodiscard]] virtual const std::vector<std::string>& notes() const = 0;

 protected:
  using MechanicalSystem::MechanicalSystem;
};

/// Checks names, values and geometry; the error names the part.
[[nodiscard]] Result<std::shared_ptr<const MultibodySystem>> build(const Mechanism& mechanism);

/// The unit of an unknown or output of the mechanism's system, by its name; empty for numbers without one, such as quaternions,
/// and where it depends on more than the name, such as modal coordinates.
[[nodiscard]] std::string channel_unit(const Mechanism& mechanism, std::string_view channel);

/// Motions and forces with so many kinks or jumps between two times that they decide about the steps, each of which ends at one:
/// a sentence each, with the name, the number and the expression.
[[nodiscard]] std::vector<std::string> notes_on_kinks(const Mechanism& mechanism, double from, double to);

}  // namespace rubato::multibody
