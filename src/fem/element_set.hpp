#pragma once
/// Elements of one shape and one region, prepared for the kernels: gradients and weights at the quadrature points, numbers of nodes
/// and pressures, and where their contributions go.
#include <span>
#include <vector>

#include "element_kernel.hpp"
#include "rubato/fem/solid.hpp"

namespace rubato::fem::detail {

[[nodiscard]] inline std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

struct ElementSet {
  Shape shape = Shape::hex8;
  int region = 0;
  LawData law = {};
  PackKernel kernel = nullptr;
  int n_elements = 0, n_packs = 0;
  int dimension = 3, slots = 3, nodes = 0, points = 0, pressures = 0;
  std::vector<double> psi = {};       ///< [point][pressure]
  std::vector<double> geometry = {};  ///< [pack][point]: see PackInput
  std::vector<int> element_of = {};   ///< [pack][lane]; −1: padding
  std::vector<int> node_of = {};      ///< [pack][node][lane]
  std::vector<int> pressure_of = {};  ///< [pack][pressure][lane]
  // Places of an element's entries in the values of K, B and Bᵀ, and g_λ; −1: prescribed. The rows of a node stand one after the
  // other in a column of K: its first place is enough, and which axes are free.
  std::vector<int> stiffness_place = {};      ///< [element][column dof][node]
  std::vector<unsigned char> free_axes = {};  ///< [element][node]: a bit per axis
  std::vector<int> reaction_place = {};       ///< r_λ = Bᵀ: [element][pressure][dof]
  std::vector<int> constraint_place = {};     ///< g_q = B: [element][pressure][dof]
  std::vector<int> compliance_place = {};     ///< [element][pressure][pressure]
  // Memory (Prony terms): z of an element is [point][term][component], one element after the other from first_z. Its columns of r_z
  // hold the element's free coordinates, ascending; its rows of e_q stand one after the other in each column.
  int first_z = 0, terms = 0, components = 0;
  std::vector<int> memory_force_place = {};     ///< [element]: the first in r_z
  std::vector<int> memory_order = {};           ///< [element][dof]: rank among the free ones; −1: prescribed
  std::vector<int> memory_gradient_place = {};  ///< [element][dof]: the first in that column of e_q; −1: prescribed

  [[nodiscard]] int dofs() const noexcept { return nodes * dimension; }
  [[nodiscard]] int pairs() const noexcept { return nodes * (nodes + 1) / 2; }
  /// The number in λ of pressure k of the element in this slot.
  [[nodiscard]] int pressure(int slot, int k) const noexcept {
    return pressure_of[at((slot / lanes * pressures + k) * lanes + slot % lanes)];
  }
  [[nodiscard]] int z_per_element() const noexcept { return points * terms * components; }
  /// Does this component of z do work? Not across the plane.
  [[nodiscard]] bool works(int component) const noexcept { return component != 2 || slots == 3; }
  [[nodiscard]] const double* geometry_of(int pack) const noexcept {
    return geometry.data() + at(pack) * at(points) * at((nodes * slots + 1) * lanes);
  }
  [[nodiscard]] SetShape shape_data() const noexcept {
    return {.nodes = nodes, .points = points, .pressures = pressures, .pressure_shapes = psi.data()};
  }
};

/// Quadrature of a volume element: position, shape values and physical gradients, weight × det.
struct VolumePoint {
  std::array<double, 3> x{};
  ShapeValues shape;  ///< dn: ∂N/∂X
  double weight = 0;
};
/// At one point of element e; false: det ≤ 0.
[[nodiscard]] bool volume_point(const Mesh& mesh, int e, const QuadraturePoint& q, VolumePoint& out) noexcept;

/// How many pressures an element of this shape has, and their functions.
[[nodiscard]] int pressures_of(Shape shape, PressureSpace space) noexcept;
void pressure_shapes(Shape shape, PressureSpace space, const std::array<double, 3>& xi, std::span<double> psi) noexcept;

/// 2πR, the thickness or 1: what turns the weights of a plane rule into volumes.
[[nodiscard]] double depth(const SolidModel& model, double radius) noexcept;

/// The elements in packs; numbers of pressures and places are filled by the numbering.
[[nodiscard]] Result<ElementSet> make_set(const SolidModel& model, Shape shape, int region, const LawData& law,
                                          std::span<const int> elements);

}  // namespace rubato::fem::detail
