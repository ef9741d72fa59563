#pragma once
/// Surfaces that may touch: each other, themselves, or rigid obstacles.
///
/// The pressure grows with the depth d ≥ 0 to which a point is behind the other surface; it begins with a slope of zero, so that
/// forces have continuous derivatives:
///   p = k d²/(2 d₀)  for d < d₀,   p = k (d − d₀/2)  from there on                                                       (1)
/// Friction is Coulomb's, regularised, so that it needs no memory:
///   τ = −μ p v_t/√(|v_t|² + v_s²),   v_t: tangential velocity of the point relative to the other surface                (2)
/// Surfaces that should stick creep with v_t = v_s s/√(1 − s²) under the fraction s of the largest friction, and at rest there is no
/// friction at all: in static equilibria only prescribed motions and moving obstacles slide. p and τ are forces per undeformed area of the slave surface.
#include <array>
#include <string>

#include "rubato/base/function.hpp"

namespace rubato::fem {

struct ContactLaw {
  double stiffness = 0;  ///< k, Pa/m; 0: ten times Young's modulus over the height of an element, of the softer side
  double onset = 0;      ///< d₀, m; 0: a hundredth of the height of the lowest element on the slave surface
  double friction = 0;   ///< μ
  double slip_speed = 1e-3;  ///< v_s, m/s
};

/// Points of the slave surface against faces of the master surface. The finer or softer side should be the slave.
struct Contact {
  std::string name = {};
  std::string slave = {}, master = {};  ///< groups; master the same or empty: the surface touches itself
  ContactLaw law = {};
  /// Faces at most this far apart, undeformed, get places in the matrices, m; 0: the distance of the surfaces and two faces more.
  /// Forces are right beyond it, too, but tangents lack them.
  double reach = 0;
};

enum class ObstacleShape : unsigned char { plane, cylinder, sphere };

/// A rigid body that the slave surface touches. In the plane a cylinder is a circle, and so is a sphere.
struct Obstacle {
  std::string name = {};
  std::string slave = {};
  ObstacleShape shape = ObstacleShape::plane;
  std::array<double, 3> point = {};  ///< of the plane; on the axis; the centre
  std::array<double, 3> axis = {0, 1,
                                0};  ///< the plane's normal, towards the body; the cylinder's axis (in the plane: none)
  double radius = 1;                 ///< of cylinder and sphere
  bool hollow = false;               ///< the body is inside
  std::array<Function, 3> displacement = {};  ///< of the obstacle, over time
  ContactLaw law = {};
};

}  // namespace rubato::fem
