#pragma once
/// A contact surface: faces with outward normals, what stands behind them, and the points at which it feels others.
#include <Eigen/Geometry>

#include "contact_law.hpp"
#include "element_set.hpp"

namespace rubato::fem::detail {

struct ContactFace {
  Shape shape = Shape::line2;
  int first = 0, nodes = 0;  ///< in ContactSurface::nodes
  double height = 0;         ///< of the element behind, over this face
  int body = 0;              ///< the connected body that it bounds
};

/// The points of a face: the same on all faces of a shape.
struct FacePoint {
  ShapeValues shape = {};
  double weight = 0;
};

struct ContactSurface {
  std::vector<ContactFace> faces = {};
  std::vector<int> nodes = {};
  double softness = 0;  ///< largest height/E of the elements behind that are not rigid, m/Pa; 0: all are
  double lowest = 0;    ///< least height
  std::array<std::vector<FacePoint>, n_shapes> points = {};
  std::vector<int> weight_starts = {};  ///< of each face in `weights`
  std::vector<double> weights = {};     ///< undeformed areas of the points

  [[nodiscard]] std::span<const int> nodes_of(const ContactFace& face) const noexcept {
    return std::span(nodes).subspan(at(face.first), at(face.nodes));
  }
  [[nodiscard]] std::span<const FacePoint> points_of(const ContactFace& face) const noexcept {
    return points[static_cast<std::size_t>(face.shape)];
  }
};

/// The faces of a group of lines (in space: facets) on the boundary of the body; `who` begins the message.
[[nodiscard]] Result<ContactSurface> surface_of(const SolidModel& model, const std::string& group,
                                                const std::string& who);

/// Shape values at the middle of a face.
[[nodiscard]] ShapeValues middle_of(Shape shape) noexcept;

/// All of the boundary; only faces, their nodes and bodies are known.
[[nodiscard]] ContactSurface boundary_of(const Mesh& mesh);

/// The nodes of each face with each other: those of rigid elements, which nothing assembles, have no other place in the matrices.
void couple_faces(const ContactSurface& surface, std::vector<std::vector<int>>& beside);

/// Fills in what the law leaves to be chosen and refuses what cannot be.
[[nodiscard]] Result<ContactLaw> completed(ContactLaw law, double softness, double lowest, const std::string& who);

/// Positions (or velocities) of nodes, `d` numbers per node.
template <int d>
[[nodiscard]] Vec<d> node_vector(In values, int node) noexcept {
  return Eigen::Map<const Vec<d>>(values.data() + at(node * d));
}

/// Point and derivatives along ξ (and η) of a face whose nodes are at x.
template <int d>
struct FaceFrame {
  Vec<d> x = Vec<d>::Zero();
  Eigen::Matrix<double, d, d - 1> tangents = Eigen::Matrix<double, d, d - 1>::Zero();
};
template <int d>
[[nodiscard]] FaceFrame<d> frame_at(const ShapeValues& shape, std::span<const int> nodes, In values) noexcept {
  FaceFrame<d> out;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const Vec<d> p = node_vector<d>(values, nodes[a]);
    out.x += shape.n[a] * p;
    for (int k = 0; k < d - 1; ++k) out.tangents.col(k) += shape.dn[a][at(k)] * p;
  }
  return out;
}

/// Outward and as long as the area per reference area: x_ξ × x_η; in the plane x_ξ turned clockwise.
template <int d>
[[nodiscard]] Vec<d> area_vector(const Eigen::Matrix<double, d, d - 1>& tangents) noexcept {
  if constexpr (d == 2)
    return {tangents(1, 0), -tangents(0, 0)};
  else
    return tangents.col(0).cross(tangents.col(1));
}

/// ∂(area vector)/∂(node) for a node with shape derivatives dn.
template <int d>
[[nodiscard]] Mat<d> area_by_node(const Eigen::Matrix<double, d, d - 1>& tangents,
                                  const std::array<double, 3>& dn) noexcept {
  Mat<d> out;
  if constexpr (d == 2) {
    out << 0, dn[0], -dn[0], 0;
  } else {
    const Vec<3> t = dn[1] * tangents.col(0) - dn[0] * tangents.col(1);  // dA = dn₀ δ × t₁ + t₀ × dn₁ δ = t × δ
    out << 0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0;
  }
  return out;
}

}  // namespace rubato::fem::detail
