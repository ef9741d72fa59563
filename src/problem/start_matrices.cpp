// The matrices of a start: M, J and g_λ, from the model's own tangents where it has them, else found by products.
#include <algorithm>
#include <random>

#include "rubato/linalg/colouring.hpp"
#include "start.hpp"

namespace rubato::detail {

namespace {

Sparse by_columns(const LinearMap& map) {
  Vector x = Vector::Zero(map.cols), y(map.rows);
  Triplets entries;
  for (int j = 0; j < map.cols; ++j) {
    x[j] = 1;
    map.apply(view(x), view(y));
    x[j] = 0;
    for (int i = 0; i < map.rows; ++i)
      if (y[i] != 0) entries.emplace_back(i, j, y[i]);
  }
  Sparse a(map.rows, map.cols);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

Sparse by_groups(const LinearMap& map, const SparsePattern& pattern) {
  const ColumnGroups groups = group_columns(pattern);
  Vector x = Vector::Zero(map.cols), y(map.rows);
  Triplets entries;
  for (const auto& members : groups.members) {
    for (const int j : members) x[j] = 1;
    map.apply(view(x), view(y));
    for (const int j : members) {
      x[j] = 0;
      for (const int i : pattern.column(j))
        if (y[i] != 0) entries.emplace_back(i, j, y[i]);
    }
  }
  Sparse a(map.rows, map.cols);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

/// L x = A x for two random x, to round-off of the terms.
bool confirmed(const LinearMap& map, const Sparse& a) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  Vector x(map.cols), y(map.rows);
  for (int trial = 0; trial < 2; ++trial) {
    for (auto& xi : x) xi = uniform(random);
    map.apply(view(x), view(y));
    const Vector terms = a.cwiseAbs() * x;
    const Vector difference = (y - a * x).cwiseAbs();
    const double noise = 1e-13 * terms.maxCoeff();
    for (int i = 0; i < map.rows; ++i)
      if (!(difference[i] <= 1e-10 * terms[i] + noise)) return false;
  }
  return true;
}

constexpr int small = 200;  // columns below which structure is not worth looking for

/// Without the zeros among the values.
Sparse matrix_of(const SparsePattern& pattern, In values) {
  Sparse a(pattern.rows(), pattern.cols());
  a.reserve(pattern.nnz());
  std::size_t p = 0;
  for (int col = 0; col < pattern.cols(); ++col) {
    a.startVec(col);
    for (const int row : pattern.column(col))
      if (const double value = values[p++]; value != 0) a.insertBack(row, col) = value;
  }
  a.finalize();
  return a;
}

}  // namespace

Sparse assembled(const LinearMap& map) {
  if (map.cols <= small) return by_columns(map);
  if (map.rows == map.cols) {
    const Sparse diagonal = by_groups(map, SparsePattern::identity(map.cols));
    if (confirmed(map, diagonal)) return diagonal;
  }
  if (map.pattern)
    if (const auto pattern = map.pattern()) {
      Sparse a = by_groups(map, *pattern);
      if (confirmed(map, a)) return a;
    }
  return by_columns(map);
}

/// Finite elements differentiate themselves: thousands of columns at the price of one. There g need not be affine in λ.
Start::ConstraintTangents Start::model_constraint_tangents() {
  const ResidualTangentPatterns patterns = system.tangent_patterns();
  const auto values = [](const SparsePattern& pattern) {
    return std::vector<double>(static_cast<std::size_t>(pattern.nnz()));
  };
  auto k = values(patterns.K), d = values(patterns.D), r = values(patterns.r_lambda), g = values(patterns.g_q),
       c = values(patterns.g_lambda);
  status = std::max(status, system.tangents(point(), view(std::as_const(state.a)),
                                            {.K = k, .D = d, .r_lambda = r, .g_q = g, .g_lambda = c}));
  return {.gradient = matrix_of(patterns.g_q, g), .compliance = matrix_of(patterns.g_lambda, c)};
}

Sparse Start::mass() {
  const int n = system.sizes().v;
  if (const std::vector<double> values = system.inertia_values(); system.constant_mass() && !values.empty())
    return matrix_of(*system.inertia_pattern(), values);
  const MechanicalPoint<double> p = point();
  return assembled({.rows = n,
                    .cols = n,
                    .apply = [&](In a, Out y) { status = std::max(status, system.inertia(p, a, y)); },
                    .pattern = [&]() -> std::optional<SparsePattern> {
                      if (const auto* equations = system.tracer()) {
                        std::vector<Tracer> memory;
                        const auto q = lifted(memory);
                        return traced(n, view(state.a), [&](std::span<const Tracer> a, std::span<Tracer> y) {
                          status = std::max(status, equations->inertia(q, a, y));
                        });
                      }
                      if (system.tangent_kind() == ModelJacobian::none) return std::nullopt;
                      SparsePattern stiffness = system.tangent_patterns().K;  // of finite elements: that of M
                      if (stiffness.rows() != n || stiffness.cols() != n) return std::nullopt;
                      return stiffness;
                    }});
}

Sparse Start::constraint_matrix() {
  const int n = system.sizes().v, m = n_rows();
  if (m == 0) return Sparse(0, n);
  if (system.tangent_kind() == ModelJacobian::exact && system.plain_coordinates() && m == n_g())
    return model_constraint_tangents().gradient;
  const auto* equations = system.tracer();
  if (n <= small || equations == nullptr) {  // Jᵀ by its columns
    const Sparse transposed = by_columns({.rows = n, .cols = m, .apply = [&](In x, Out y) {
                                            Vector multipliers = map(x);
                                            map(y) = reaction(multipliers);
                                          }});
    return transposed.transpose();
  }
  const Vector kept = state.v;  // J by grouped columns: the rates are affine in v
  state.v.setZero();
  const Vector at_rest = rates();
  Sparse j = assembled({.rows = m,
                        .cols = n,
                        .apply =
                            [&](In x, Out y) {
                              state.v = map(x);
                              map(y) = rates() - at_rest;
                            },
                        .pattern = [&]() -> std::optional<SparsePattern> {
                          std::vector<Tracer> memory;
                          auto p = lifted(memory);
                          return traced(m, view(kept), [&](std::span<const Tracer> v, std::span<Tracer> y) {
                            p.v = v;
                            const auto g = static_cast<std::size_t>(n_g());
                            status = std::max(status, equations->constraint_rate(p, y.first(g)));
                            status = std::max(status, equations->rolling(p, y.subspan(g)));
                          });
                        }});
  state.v = kept;
  return j;
}

Sparse Start::compliance() {
  if (system.tangent_kind() == ModelJacobian::exact) return model_constraint_tangents().compliance;
  constexpr double large = 0x1p60;  // g is affine in λ: a large λ drowns g(t,q,0) and leaves g_λ with all its digits
  const int m = n_g();
  const Vector kept = state.lambda;
  state.lambda.setZero();
  const Vector rigid = constraint();
  Sparse c = assembled({.rows = m,
                        .cols = m,
                        .apply =
                            [&](In x, Out y) {
                              state.lambda = large * map(x);
                              map(y) = (constraint() - rigid) / large;
                            },
                        .pattern = [&]() -> std::optional<SparsePattern> {
                          const auto* equations = system.tracer();
                          if (equations == nullptr) {
                            if (system.tangent_kind() == ModelJacobian::none) return std::nullopt;
                            return system.tangent_patterns().g_lambda;
                          }
                          std::vector<Tracer> memory;
                          auto p = lifted(memory);
                          return traced(m, view(kept), [&](std::span<const Tracer> x, std::span<Tracer> y) {
                            p.lambda = x;
                            status = std::max(status, equations->constraint(p, y));
                          });
                        }});
  state.lambda = kept;
  return c;
}

}  // namespace rubato::detail
