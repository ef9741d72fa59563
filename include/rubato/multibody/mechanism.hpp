#pragma once
/// A mechanism as data: bodies, joints and force elements by name. Builder calls and model files fill it; `build` (system.hpp)
/// checks it and makes it a MechanicalSystem.
///
///   rubato::multibody::Mechanism m;
///   m.bodies = {{.name = "rod", .mass = 1, .inertia = {0.1, 0.01, 0.1}, .pose = {.position = {0, -0.5, 0}}}};
///   m.joints = {{.name = "hinge", .type = JointType::revolute, .a = {.body = "ground"}, .b = {.body = "rod", .pose = {.position = {0, 0.5, 0}}}}};
///   auto system = build(m);
///
/// SI units, right-handed axes; space is the frame of the body "ground", which always exists.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rubato {
class Function;  // of one variable: an expression or a table (base/function.hpp)
}

namespace rubato::multibody {

using Vector3 = std::array<double, 3>;

/// Unit quaternion (w, x, y, z).
using Quaternion = std::array<double, 4>;
inline constexpr Quaternion no_rotation{1, 0, 0, 0};

struct Pose {
  Vector3 position{};
  Quaternion rotation = no_rotation;
};

/// What a body may do: move in space, move in the plane z = const turning about z, or only translate.
enum class BodyKind : std::uint8_t { spatial, planar, point };

struct ModalBody;  // modal.hpp

struct Body {
  std::string name;
  BodyKind kind = BodyKind::spatial;
  double mass = 0;             ///< kg
  Vector3 inertia{};           ///< moments about the centre of mass, body axes, kg m²; planar: the third
  Vector3 products{};          ///< J_xy, J_xz, J_yz (entries of the matrix J)
  Pose pose = {};              ///< of the centre of mass at the start, in space
  Vector3 velocity{};          ///< of the centre of mass at the start, in space, m/s
  Vector3 angular_velocity{};  ///< at the start, in space, rad/s
  /// Nodes and modes of a flexible body, which give its mass and inertia; pose and velocity are those of the frame its nodes
  /// are given in, wherever the centre of mass is.
  std::shared_ptr<const ModalBody> flexible = {};
  std::vector<double> deformation = {}, deformation_rate = {};  ///< of its modes at the start; empty: zero
};

/// A frame fixed to a body. In space: the pose is where the frame is at the start, else relative to the body's own frame. On a
/// flexible body it is fixed to a node: the one named, from which the pose then counts, or the nearest.
struct Marker {
  std::string body = "ground";
  Pose pose = {};
  bool in_space = false;
  std::string node = {};
};

/// Frames a and b; the joint's axis is z, of planar joints the normal. What is left free, of b relative to a:
enum class JointType : std::uint8_t {
  fixed,
  revolute,        ///< rotation about z
  prismatic,       ///< translation along z
  cylindrical,     ///< both
  spherical,       ///< all rotations
  universal,       ///< rotations about z of a and about x of b, which stay perpendicular
  planar,          ///< translations across z, rotation about z
  distance,        ///< the origins stay `length` apart
  point_on_line,   ///< the origin of b stays on z of a
  point_on_plane,  ///< the origin of b stays on the plane across z of a
  parallel         ///< z of a and b stay parallel
};

/// What a motion prescribes, of b relative to a.
enum class Drive : std::uint8_t {
  none,
  angle,     ///< rotation about z (revolute, cylindrical), rad
  position,  ///< along z (prismatic, cylindrical), m; of `distance`: the length
};

struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  Marker a = {}, b = {};
  std::optional<double> length = {};  ///< of `distance`; nothing: as at the start
  Drive drive = Drive::none;
  std::shared_ptr<const Function> motion = {};  ///< of time
};

/// Relations between velocities (rows A v + b = 0 of the system). Rates are those of b relative to a in the joints named.
enum class CouplingType : std::uint8_t {
  gear,   ///< rate of joint 1 = ratio · rate of joint 2 (angles of revolute, lengths of prismatic joints)
  screw,  ///< in one cylindrical joint: sliding = ratio (pitch, m per rad) · turning
  /// A ball of `radius` about the origin of b, or a disc about z of b, rolls on the plane across z of a: it neither slides
  /// nor leaves (one position constraint more). Planar bodies: a disc on a line.
  rolling
};
struct Coupling {
  std::string name;
  CouplingType type = CouplingType::gear;
  std::string joint_1 = {}, joint_2 = {};
  double ratio = 1;
  Marker a = {}, b = {};
  double radius = 0;
  bool disc = false;
};

// Force elements. Each acts between two frames with opposite forces; "ground" takes whatever it gets.

/// F = k (l − l₀) + d l' + curve(l − l₀) along the line of both origins.
struct SpringDamper {
  std::string name;
  Marker a = {}, b = {};
  double stiffness = 0, damping = 0;
  std::optional<double> length = {};           ///< l₀; nothing: as at the start
  std::shared_ptr<const Function> curve = {};  ///< force over l − l₀
};
/// T = k (φ − φ₀) + d φ' about z of a; |φ − φ₀| < π.
struct TorsionSpring {
  std::string name;
  Marker a = {}, b = {};
  double stiffness = 0, damping = 0, angle = 0;
};
/// Six components in the axes of a: displacement of b and rotation vector of b relative to a, small against a turn.
struct Bushing {
  std::string name;
  Marker a = {}, b = {};
  Vector3 stiffness{}, damping{}, torsional_stiffness{}, torsional_damping{};
};
/// Functions of time in the axes of space (or of the body); empty: zero.
struct AppliedForce {
  std::string name;
  Marker at = {};
  std::array<std::shared_ptr<const Function>, 3> force = {}, torque = {};
  bool in_body_axes = false;
};

/// Shapes that touch: a sphere or disc of `radius` about the origin, a half space below z = 0, a cylinder about z.
/// Pairs: sphere with any, cylinder with plane (its rim as a disc's, or lying), cylinders with parallel axes.
enum class Shape : std::uint8_t { sphere, plane, cylinder };
struct Surface {
  Marker marker = {};
  Shape shape = Shape::sphere;
  double radius = 0;
};
/// LuGre: ζ' = v_t − σ₀ |v_t| ζ/g, g = μ_k + (μ_s − μ_k) exp(−|v_t/v_s|^γ), μ = σ₀ ζ + σ₁ ζ' + σ₂ v_t, force μ N.
struct LuGre {
  double sigma_0 = 1e5, sigma_1 = 0, sigma_2 = 0, v_s = 1e-3, mu_k = 0, mu_s = 0, gamma = 2;
};
/// N = k a^p (1 + c a') for penetration a > 0 (p = 1 penalty, 3/2 Hertz), or N = k a^p + c a' (never pulling).
struct Contact {
  std::string name;
  Surface a = {}, b = {};
  double stiffness = 0, exponent = 1, damping = 0;
  bool damping_by_penetration = true;
  std::optional<LuGre> friction = {};
};
/// One-sided springs where the length along z of a (or the angle about it) leaves [min, max].
struct EndStop {
  std::string name;
  Marker a = {}, b = {};
  bool angular = false;
  double min = 0, max = 0, stiffness = 0, damping = 0;
};
/// Geometrically exact beam of two nodes (spatial bodies, frames along the reference line with x along the beam), straight
/// and free of stress at the start. Stiffness of the section: EA, GA_y, GA_z; GJ, EI_y, EI_z. GA = 0: rigid in shear.
struct Beam {
  std::string name;
  Marker a = {}, b = {};
  Vector3 axial_shear{}, torsion_bending{};
  double damping = 0;  ///< stress = C (ε + damping ε'), s
};

using ForceElement = std::variant<SpringDamper, TorsionSpring, Bushing, AppliedForce, Contact, EndStop, Beam>;

/// What is drawn, without mass or contact: a box of edges `size`, a cylinder about z and a sphere about the origin of `at`, a
/// line from there to the origin of `to`, which may belong to another body.
enum class LookType : std::uint8_t { box, cylinder, sphere, line };
struct Look {
  LookType type = LookType::box;
  Marker at = {}, to = {};
  Vector3 size{};
  double radius = 0, length = 0;
};

struct Mechanism {
  std::vector<Body> bodies = {};
  std::vector<Joint> joints = {};
  std::vector<Coupling> couplings = {};
  std::vector<ForceElement> forces = {};
  Vector3 gravity{0, 0, 0};
  std::vector<Look> looks = {};  ///< for pictures (scene.hpp)
};

}  // namespace rubato::multibody
