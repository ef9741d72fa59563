#pragma once
/// What tests of solids share.
#include <Eigen/Dense>
#include <functional>

#include "rubato/fem/generate.hpp"
#include "rubato/fem/solid.hpp"

namespace rubato::fem::test {

[[nodiscard]] inline Function of_time(std::string_view expression) { return *function_of_time(expression); }

[[nodiscard]] inline MechanicalState at_rest(const MechanicalSystem& system) {
  const auto& s = system.sizes();
  MechanicalState state;
  state.q = state.v = state.a = Vector::Zero(s.q);
  state.lambda = Vector::Zero(s.lambda);
  state.z = Vector::Zero(s.z);
  return state;
}

using Mat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
[[nodiscard]] inline Tensor tensor(const Mat3& m) {
  Tensor t;
  Eigen::Map<Mat3>(t.data()) = m;
  return t;
}

using PlaceMap = std::function<Eigen::Vector3d(const Eigen::Vector3d&)>;

[[nodiscard]] inline Eigen::Vector3d place(std::span<const double> x) {
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
  for (std::size_t k = 0; k < x.size(); ++k) at[static_cast<Eigen::Index>(k)] = x[k];
  return at;
}

/// The displacement `exact` on a group.
[[nodiscard]] inline Prescribed prescribed(const Mesh& mesh, const std::string& group, const PlaceMap& exact) {
  Prescribed all{.group = group};
  for (int i = 0; i < mesh.dimension; ++i)
    all.displacement[static_cast<std::size_t>(i)] = FieldFunction([=](std::span<const double> x) {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", exact(place(x))[i]);
      return of_time(text);
    });
  return all;
}

/// q of the displacement `exact`.
[[nodiscard]] inline Vector interpolated(const SolidSystem& system, const PlaceMap& exact) {
  const Mesh& mesh = system.model().mesh;
  Vector q = Vector::Zero(system.sizes().q);
  for (int node = 0; node < mesh.n_nodes(); ++node)
    for (int i = 0; i < mesh.dimension; ++i)
      if (const int k = system.coordinate(node, i); k >= 0) q[k] = exact(place(mesh.point(node)))[i];
  return q;
}

}  // namespace rubato::fem::test
