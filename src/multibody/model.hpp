#pragma once
/// A mechanism made ready for evaluation: names resolved to slots, markers to vectors, joints to rows.
#include <string>
#include <vector>

#include "coupling_rows.hpp"
#include "flexible.hpp"
#include "forces.hpp"
#include "joint_rows.hpp"
#include "rubato/multibody/mechanism.hpp"
#include "rubato/problem/mechanical.hpp"

namespace rubato::multibody::detail {

struct BodyModel {
  std::string name;
  BodyKind kind = BodyKind::spatial;
  double mass = 0;
  Rotation<double> inertia{};  ///< about the centre of mass in body axes; planar: [2][2]
  std::size_t first = 0;       ///< of its coordinates in q and in v, which it has equally many of
  std::size_t base = 0;        ///< of its quaternion in the base; spatial bodies only
  double height = 0;           ///< z of planar bodies
  Pose start = {};
  std::shared_ptr<const FlexibleModel> flexible = {};  ///< then mass and inertia stand there
  std::shared_ptr<const ModalBody> modal_data = {};

  [[nodiscard]] std::size_t coordinates() const {
    return kind == BodyKind::spatial ? 6 + (flexible ? flexible->n() : 0) : 3;
  }
  /// Its part of q, v or a.
  template <class T>
  [[nodiscard]] std::span<T> part(std::span<T> x) const {
    return x.subspan(first, coordinates());
  }
  /// Its modal coordinates or their rates.
  template <class T>
  [[nodiscard]] std::span<T> modal(std::span<T> x) const {
    return part(x).subspan(6);
  }
};

struct Model {
  std::vector<BodyModel> bodies = {};
  std::vector<Station> stations = {};  ///< their slots follow those of the bodies
  std::vector<JointModel> joints = {};
  std::vector<std::string> joint_names = {};
  std::vector<GearModel> gears = {};
  std::vector<RollingModel> rollings = {};
  std::vector<std::string> rolling_elements = {};  ///< their names
  ForceModels forces = {};
  std::vector<std::string> row_names = {};      ///< of g: "hinge.x"
  std::vector<std::string> rolling_names = {};  ///< of A v + b
  std::vector<std::string> state_names = {};    ///< of z
  Three<double> gravity{};
  MechanicalSizes sizes = {};
  MechanicalState start = {};
  int base_size = 0;
  bool autonomous = true, conservative = true, plain = true;
  bool has_mode = false;  ///< branches of one-sided forces are held in the discrete mode
  bool flexible = false;  ///< some body is: masses depend on positions

  [[nodiscard]] const NodeModel& node(const Station& at) const { return bodies[at.body - 1].flexible->nodes[at.node]; }
};

}  // namespace rubato::multibody::detail
