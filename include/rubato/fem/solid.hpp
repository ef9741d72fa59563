#pragma once
/// A deformable body as data, and the mechanical system made of it.
///
///   M q'' = −f_int(q) + f_ext(t) − B(q)ᵀ λ,    0 = g(q, λ) = ∫ ψ (J − 1 − h(λ)),   B = ∂g/∂q                            (1)
/// q: displacements of the nodes that are not prescribed; λ: pressures (tension is positive) of regions in mixed form, absent in pure
/// displacement form. h is the inverse of p = U'(J), h = 0 for κ = ∞: then the constraint is rigid. Becker (2012), chapter 2.
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rubato/base/function.hpp"
#include "rubato/fem/contact.hpp"
#include "rubato/fem/material.hpp"
#include "rubato/fem/mesh.hpp"
#include "rubato/problem/mechanical.hpp"

namespace rubato::fem {

enum class Analysis : unsigned char { plane_strain, plane_stress, axisymmetric, space };

/// Pressures as unknowns: none; continuous on the corners (Taylor-Hood: quadratic elements); discontinuous, {1, ξ, η, ζ} per quadratic
/// element or one per linear element (quad4, hex8, which are not stable in the sense of inf-sup).
enum class PressureSpace : unsigned char { none, continuous, discontinuous };

struct Region {
  std::string group = {};
  std::string material = {};
  PressureSpace pressure = PressureSpace::none;
};

/// A function of time, the same everywhere or another at each place X of the undeformed body.
class FieldFunction {
 public:
  FieldFunction() = default;
  FieldFunction(const Function& everywhere);
  explicit FieldFunction(std::function<Function(std::span<const double> x)> by_place)
      : by_place_(std::move(by_place)) {}
  [[nodiscard]] bool uniform() const noexcept { return !by_place_; }
  [[nodiscard]] Function at(std::span<const double> x) const { return by_place_ ? by_place_(x) : everywhere_; }

 private:
  Function everywhere_ = {};
  std::function<Function(std::span<const double> x)> by_place_ = {};
};

/// Displacements of a group as functions of time, axis by axis; without a function an axis stays free. Where groups overlap the later
/// condition holds.
struct Prescribed {
  std::string group = {};
  std::array<std::optional<FieldFunction>, 3> displacement = {};
};

/// A pattern in space times a function of time.
struct LoadPattern {
  std::function<std::array<double, 3>(std::span<const double> x)> pattern = {};
  Function factor = {};
};

/// A force per area of the undeformed surface (plane models: per length and thickness), fixed in direction: the same everywhere, and
/// what the pattern adds.
struct Traction {
  std::string group = {};
  std::array<Function, 3> stress = {};
  LoadPattern varying = {};
};

/// A force per undeformed volume in the elements of a group.
struct BodyForce {
  std::string group = {};
  LoadPattern force = {};
};

/// A force on each node of a group of points or, shared equally, on the nodes of any group.
struct NodalForce {
  std::string group = {};
  std::array<Function, 3> force = {};
};

/// Nodes that move as one: those of a group of elements (which are then not deformed), of a surface, a line or points,
///   x(X) = c + d + R (X − c),    c: reference, d: its displacement, R: rotation.                                         (2)
/// Axis by axis d follows a function or is free; a free rotation takes up moments. Of the rotations (components of a rotation vector)
/// all follow functions, or none, or two are held at 0 so that the part turns about the third axis. In the plane rotation, moment and
/// inertia have a third component only; a part of an axisymmetric model moves along the axis, without turning.
struct RigidRegion {
  std::string name = {};  ///< of the channels; empty: the group
  std::string group = {};
  std::optional<std::array<double, 3>> reference = {};  ///< empty: the centre of the nodes
  std::array<Function, 3> force = {};                   ///< at the reference, fixed in direction
  std::array<Function, 3> moment = {};
  std::array<std::optional<Function>, 3> displacement = {};
  std::array<std::optional<Function>, 3> rotation = {};
  double density = 0;                  ///< of elements that belong to no region; others have that of their material
  double mass = 0;                     ///< more, at the reference
  std::array<double, 3> inertia = {};  ///< more, about the axes through the reference
};

/// Nodes whose displacement, averaged, becomes the outputs displacement.NAME.x, .y, .z.
struct Probe {
  std::string name = {};
  std::vector<int> nodes = {};
};

struct SolidModel {
  Mesh mesh = {};
  Analysis analysis = Analysis::space;
  double thickness = 1;  ///< of plane models, m
  std::vector<Material> materials = {};
  std::vector<Region> regions = {};
  std::vector<Prescribed> prescribed = {};
  std::vector<Traction> tractions = {};
  std::vector<BodyForce> body_forces = {};
  std::vector<NodalForce> forces = {};
  std::vector<Probe> probes = {};
  std::vector<Contact> contacts = {};
  std::vector<Obstacle> obstacles = {};
  std::vector<RigidRegion> rigid = {};
  /// Modulus of rigid regions that may turn, Pa; 0: 10⁵ times the largest shear modulus, exactly rigid where incompressible regions
  /// make that index 3 anyway; infinite: exactly rigid.
  double rigid_stiffness = 0;
  std::array<Function, 3> gravity = {};  ///< an acceleration, m/s²
  bool lumped_mass = false;              ///< row sums (quadratic elements: scaled diagonals, which stay positive)
  double mass_damping = 0;               ///< Rayleigh: D = mass_damping M + stiffness_damping K(undeformed)
  double stiffness_damping = 0;
  bool quasi_static = false;  ///< what is prescribed moves without velocity and acceleration: for equilibria along time
  int threads = 0;            ///< of assembly; 0: those of the machine. Results do not depend on it.
};

/// Values at the nodes, for pictures: means over the elements around, also where materials meet.
struct SolidFields {
  std::vector<double> displacement = {};  ///< dimension per node
  std::vector<double> velocity = {};
  std::vector<double> pressure = {};  ///< λ where it is an unknown (elsewhere tr σ / 3), averaged at nodes
  std::vector<double> stress = {};    ///< Cauchy: xx, yy, zz, xy, yz, xz per node
  std::vector<double> von_mises = {};
  std::vector<double> energy_density = {};  ///< per undeformed volume
  std::vector<double> volume_ratio = {};    ///< J
};

class SolidSystem : public MechanicalSystem {
 public:
  [[nodiscard]] virtual const SolidModel& model() const noexcept = 0;
  /// Where the displacement of a node along an axis stands in q; −1: prescribed, rigid, or the node belongs to no region.
  [[nodiscard]] virtual int coordinate(int node, int axis) const noexcept = 0;
  /// Numbers in λ of the pressures of an element of the mesh, in the order of their functions; empty where it has none.
  [[nodiscard]] virtual std::vector<int> pressures(int element) const = 0;
  /// Displacements of all nodes, `dimension` per node.
  [[nodiscard]] virtual std::vector<double> displacements(double t, In q) const = 0;
  [[nodiscard]] virtual SolidFields fields(const MechanicalPoint<double>& p) const = 0;
  /// An element turned inside out at q, as index into the mesh; −1: none.
  [[nodiscard]] virtual int inverted_element(double t, In q) const = 0;

 protected:
  using MechanicalSystem::MechanicalSystem;
};

/// Checks mesh, materials, groups; the error names the culprit.
[[nodiscard]] Result<std::shared_ptr<const SolidSystem>> build(SolidModel model);

}  // namespace rubato::fem
