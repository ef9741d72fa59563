#pragma once
/// What a mechanism looks like: solids and lines that move with its bodies, for animations and pictures. Bodies show the
/// looks they were given and their round contact surfaces, else a small octahedron; lines run from the centre of mass to
/// every joint and force. Joints show their axis, springs a zigzag, beams a smooth curve, planes a patch; flexible bodies a line
/// through their nodes.
///
///   auto scene = make_scene(mechanism);                             // of a mechanism that build() accepts
///   std::vector<Vector3> points(scene->n_points());
///   scene->place(poses, points);                                    // poses: one per frame of the system
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/multibody/mechanism.hpp"
#include "rubato/multibody/system.hpp"

namespace rubato::multibody {

enum class PartKind : std::uint8_t { ground, body, joint, force };

/// Part 0 is the ground, then the bodies in their order, then joints, couplings and forces that show something.
struct ScenePart {
  std::string name;
  PartKind kind = PartKind::body;
};

/// A convex solid with its faces, or a line through its points.
struct ScenePiece {
  std::size_t part = 0;
  std::size_t first = 0, count = 0;                   ///< of its points
  std::vector<std::vector<std::int32_t>> faces = {};  ///< corners, counted within the piece; empty: a line
};

class Scene {
 public:
  [[nodiscard]] const std::vector<ScenePart>& parts() const noexcept { return parts_; }
  [[nodiscard]] const std::vector<ScenePiece>& pieces() const noexcept { return pieces_; }
  [[nodiscard]] std::size_t n_bodies() const noexcept { return n_bodies_; }
  /// Bodies and the nodes of flexible ones, as MultibodySystem counts them.
  [[nodiscard]] std::size_t n_frames() const noexcept { return n_frames_; }
  [[nodiscard]] std::size_t n_points() const noexcept { return n_points_; }
  /// The diagonal of the box around the mechanism at the start, m.
  [[nodiscard]] double size() const noexcept { return size_; }

  /// All points in space, for bodies and nodes at these poses.
  void place(std::span<const Pose> frames, std::span<Vector3> points) const;
  /// Their velocities; of points between two bodies those of the curve they lie on.
  void velocities(std::span<const Pose> frames, std::span<const BodyVelocity> rates, std::span<Vector3> out) const;

 private:
  friend class SceneMaker;
  /// A point fixed to a body or a node (slot 0: the ground), with a direction where one is needed.
  struct Anchor {
    std::size_t slot = 0;
    Vector3 at{}, along{};
  };
  enum class Curve : std::uint8_t { fixed, zigzag, hermite };
  /// How the points of a piece follow from its anchors: fixed to one each, or along a curve between two.
  struct Rule {
    Curve curve = Curve::fixed;
    std::vector<Anchor> anchors = {};
    double scale = 0;  ///< width of a zigzag, length of a beam
  };
  template <class At, class Along>
  void follow(const At& at, const Along& along, bool rates, std::span<Vector3> out) const;

  std::vector<ScenePart> parts_;
  std::vector<ScenePiece> pieces_;
  std::vector<Rule> rules_;  ///< one per piece
  std::size_t n_bodies_ = 0, n_frames_ = 0, n_points_ = 0;
  double size_ = 1;
};

/// The error names a look with a body that does not exist or without size.
[[nodiscard]] Result<Scene> make_scene(const Mechanism& mechanism);

}  // namespace rubato::multibody
