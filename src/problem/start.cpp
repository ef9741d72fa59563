#include "start.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "rubato/base/text.hpp"
#include "rubato/linalg/colouring.hpp"

namespace rubato::detail {

SparsePattern pattern_of(const Sparse& a) {
  return SparsePattern::from_columns(static_cast<int>(a.rows()), static_cast<int>(a.cols()),
                                     {a.outerIndexPtr(), a.outerIndexPtr() + a.cols() + 1},
                                     {a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros()});
}

SparsePattern traced(int n_out, In at,
                     const std::function<void(std::span<const Tracer>, std::span<Tracer>)>& function) {
  const Tracing tracing;
  std::vector<Tracer> in(at.size()), out(static_cast<std::size_t>(n_out));
  for (std::size_t j = 0; j < at.size(); ++j) in[j] = tracing.variable(at[j], static_cast<int>(j));
  function(in, out);
  std::vector<Entry> entries;
  for (int i = 0; i < n_out; ++i)
    for (const int j : tracing.dependencies(out[static_cast<std::size_t>(i)])) entries.push_back({i, j});
  return SparsePattern::from_entries(n_out, static_cast<int>(at.size()), std::move(entries));
}

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

SquareSystem::SquareSystem(int n, const Triplets& entries)
    : scaled_(n, n), row_scale_(Vector::Ones(n)), column_scale_(Vector::Ones(n)) {
  if (n == 0) {
    rcond_ = 1;
    return;
  }
  Triplets all = entries;
  for (int i = 0; i < n; ++i) all.emplace_back(i, i, 0.0);  // so that weakest_direction() may shift
  scaled_.setFromTriplets(all.begin(), all.end());
  for (int sweep = 0; sweep < 5; ++sweep) {
    Vector row = Vector::Zero(n), column = Vector::Zero(n);
    for (int j = 0; j < n; ++j)
      for (Sparse::InnerIterator it(scaled_, j); it; ++it) {
        row[it.row()] = std::max(row[it.row()], std::abs(it.value()));
        column[j] = std::max(column[j], std::abs(it.value()));
      }
    const auto factor = [](double largest) {
      return largest > 0 && std::isfinite(largest) ? std::exp2(std::round(-0.5 * std::log2(largest))) : 1.0;
    };
    row = row.unaryExpr(factor);
    column = column.unaryExpr(factor);
    scaled_ = row.asDiagonal() * scaled_ * column.asDiagonal();
    row_scale_.array() *= row.array();
    column_scale_.array() *= column.array();
  }
  const SparsePattern pattern = pattern_of(scaled_);
  const std::span<const double> values(scaled_.valuePtr(), static_cast<std::size_t>(scaled_.nonZeros()));
  solver_ = make_linear_solver<double>(pattern);
  if (solver_->factor(values) != FactorStatus::ok) return;
  Vector x(n), y(n);
  rcond_ = rubato::reciprocal_condition(*solver_, one_norm(pattern, values), view(x), view(y));
}

Vector SquareSystem::solve(const Vector& b) const {
  Vector x = b.cwiseProduct(row_scale_);
  if (solver_) solver_->solve(view(x));
  return x.cwiseProduct(column_scale_);
}

Vector SquareSystem::weakest_direction() const {
  const int n = static_cast<int>(scaled_.rows());
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  Sparse shifted = scaled_;
  for (int i = 0; i < n; ++i) shifted.coeffRef(i, i) += 1e-9 * uniform(random);
  const auto solver = make_linear_solver<double>(pattern_of(shifted));
  Vector x(n);
  for (auto& xi : x) xi = uniform(random);
  if (solver->factor({shifted.valuePtr(), static_cast<std::size_t>(shifted.nonZeros())}) == FactorStatus::ok)
    for (int sweep = 0; sweep < 4; ++sweep) {
      solver->solve(view(x));
      x /= x.cwiseAbs().maxCoeff();
    }
  return x;
}

namespace {

/// Many rows: a sparse factorisation of [I Aᵀ; A 0], A with rows of norm one. Its eigenvalues are 1 and
/// ½ ± √(¼ + σ²) over the singular values σ of A, the smallest −σ² for small σ. Where its condition is far from round-off
/// so is every σ, and the QR, which costs O(m³), would keep all rows: none of its pivots is below the smallest σ.
bool clearly_independent(const Sparse& rows, const Vector& column_scale) {
  const int n = static_cast<int>(rows.cols()), m = static_cast<int>(rows.rows());
  Vector square = Vector::Zero(m);
  for (int j = 0; j < n; ++j)
    for (Sparse::InnerIterator it(rows, j); it; ++it) square[it.row()] += std::pow(it.value() * column_scale[j], 2);
  if (!(square.minCoeff() > 1e-28 * square.maxCoeff())) return false;
  Triplets entries;
  for (int j = 0; j < n; ++j) {
    entries.emplace_back(j, j, 1.0);
    for (Sparse::InnerIterator it(rows, j); it; ++it) {
      const double a = it.value() * column_scale[j] / std::sqrt(square[it.row()]);
      entries.emplace_back(n + static_cast<int>(it.row()), j, a);
      entries.emplace_back(j, n + static_cast<int>(it.row()), a);
    }
  }
  return SquareSystem(n + m, entries).reciprocal_condition() > 1e-12;
}

/// Columns with entries: constraints see few of the coordinates of a large model.
std::vector<int> touched_columns(const Sparse& rows) {
  std::vector<int> touched;
  for (int j = 0; j < rows.cols(); ++j)
    if (rows.col(j).nonZeros() > 0) touched.push_back(j);
  return touched;
}

}  // namespace

ScaledRows scaled_rows(const Sparse& rows, const Vector& column_scale) {
  const std::vector<int> touched = touched_columns(rows);
  const int m = static_cast<int>(rows.rows());
  Matrix a = Matrix::Zero(static_cast<Eigen::Index>(touched.size()), m);
  for (std::size_t k = 0; k < touched.size(); ++k)
    for (Sparse::InnerIterator it(rows, touched[k]); it; ++it)
      a(static_cast<Eigen::Index>(k), it.row()) = it.value() * column_scale[touched[k]];
  Vector row_scale = Vector::Ones(m);
  const double largest = a.size() > 0 ? a.cwiseAbs().maxCoeff() : 0.0;
  for (int i = 0; i < m; ++i) {
    const double norm = a.rows() > 0 ? a.col(i).norm() : 0.0;
    if (norm > 1e-14 * largest) row_scale[i] = 1 / norm;
  }
  return {a * row_scale.asDiagonal(), row_scale};
}

RowRank rank_of_rows(const Sparse& rows, const Vector& column_scale, double tolerance) {
  const int m = static_cast<int>(rows.rows());
  RowRank rank;
  rank.kept.resize(static_cast<std::size_t>(m));
  std::iota(rank.kept.begin(), rank.kept.end(), 0);

  if (m == 0 || (m > small && clearly_independent(rows, column_scale))) return rank;
  if (static_cast<double>(touched_columns(rows).size()) * m > 3e7) return rank;
  const auto [a, row_scale] = scaled_rows(rows, column_scale);
  if (a.rows() == 0) {
    rank.dependent.swap(rank.kept);
    return rank;
  }

  Eigen::ColPivHouseholderQR<Matrix> qr(a);
  const int most = static_cast<int>(std::min<Eigen::Index>(a.rows(), m));
  int r = 0;
  while (r < most && std::abs(qr.matrixQR()(r, r)) > tolerance) ++r;
  if (r == m) return rank;

  // Which rows to keep: the first ones that are clearly independent, by Gram-Schmidt done twice.
  Matrix basis(a.rows(), r);
  rank.kept.clear();
  int found = 0;
  for (int i = 0; i < m; ++i) {
    Vector rest = a.col(i);
    for (int twice = 0; twice < 2; ++twice) rest -= basis.leftCols(found) * (basis.leftCols(found).transpose() * rest);
    if (found < r && rest.norm() > 1e-6) {
      basis.col(found++) = rest.normalized();
      rank.kept.push_back(i);
    } else {
      rank.dependent.push_back(i);
    }
  }
  if (found < r) {  // nearly dependent rows: the pivots decide
    const auto& order = qr.colsPermutation().indices();
    rank.kept.assign(order.data(), order.data() + r);
    rank.dependent.assign(order.data() + r, order.data() + m);
    std::sort(rank.kept.begin(), rank.kept.end());
    std::sort(rank.dependent.begin(), rank.dependent.end());
  }
  rank.combination.resize(m - r, r);
  if (r > 0) {
    const Matrix kept = a(Eigen::all, rank.kept);
    const Eigen::ColPivHouseholderQR<Matrix> kept_qr(kept);
    for (int d = 0; d < m - r; ++d) {
      const int i = rank.dependent[static_cast<std::size_t>(d)];
      Vector c = kept_qr.solve(a.col(i)) / row_scale[i];
      for (int k = 0; k < r; ++k) c[k] *= row_scale[rank.kept[static_cast<std::size_t>(k)]];
      rank.combination.row(d) = c.transpose();
    }
  }
  return rank;
}

Start::Start(const MechanicalSystem& the_system, const MechanicalState& guess, const ConsistentOptions& the_options,
             std::string the_caller)
    : system(the_system),
      options(the_options),
      caller(std::move(the_caller)),
      state(guess),
      memory_(the_system.scratch_bytes()),
      u_(the_options.u.size() > 0 ? the_options.u : Vector::Zero(the_system.sizes().u)) {
  const MechanicalSizes& n = system.sizes();
  const auto fill = [](Vector& x, int size) {
    if (x.size() == 0) x = Vector::Zero(size);
  };
  fill(state.v, n.v);
  fill(state.z, n.z);
  fill(state.lambda, n.lambda);
  fill(state.nu, n.nu);
  fill(state.a, n.v);
  for (int i = 0; i < n.z; ++i)
    if (!system.z_is_differential(i)) algebraic_z.push_back(i);
}

Result<void> Start::check() {
  const MechanicalSizes& n = system.sizes();
  const struct {
    const char* name;
    const Vector& x;
    int size;
  } parts[] = {{"q", state.q, n.q},
               {"v", state.v, n.v},
               {"z", state.z, n.z},
               {"lambda", state.lambda, n.lambda},
               {"nu", state.nu, n.nu},
               {"a", state.a, n.v},
               {"base", state.base, system.base_size()},
               {"u", u_, n.u}};
  for (const auto& part : parts) {
    if (part.x.size() != part.size)
      return error(
          fmt::format("the guess has {} values for {}, the system needs {}", part.x.size(), part.name, part.size));
    for (int i = 0; i < part.size; ++i)
      if (!std::isfinite(part.x[i]))
        return error(
            fmt::format("entry {} of {} in the guess is {}, which is not a finite number", i, part.name, part.x[i]));
  }
  if (!std::isfinite(state.t)) return error(fmt::format("the time {} is not a finite number", state.t));
  if (system.base_size() > 0) system.rebase(view(state.q), view(state.base));

  hard.clear();
  soft.clear();
  std::vector<char> yields(static_cast<std::size_t>(n_rows()), 0);
  if (system.compliant()) {
    const Sparse c = compliance();
    for (int j = 0; j < c.cols(); ++j)
      for (Sparse::InnerIterator it(c, j); it; ++it) yields[static_cast<std::size_t>(it.row())] = 1;
  }
  for (int row = 0; row < n_rows(); ++row) (yields[static_cast<std::size_t>(row)] != 0 ? soft : hard).push_back(row);
  return evaluated("the constraints");
}

MechanicalPoint<double> Start::point_at(const Vector& q) noexcept {
  return {.t = state.t,
          .q = view(q),
          .v = view(std::as_const(state.v)),
          .z = view(std::as_const(state.z)),
          .lambda = view(std::as_const(state.lambda)),
          .nu = view(std::as_const(state.nu)),
          .u = view(std::as_const(u_)),
          .base = view(std::as_const(state.base)),
          .mode = state.mode,
          .scratch = memory_.scratch()};
}

template <class Call>
Vector Start::called(int size, Call&& call) {
  Vector out = Vector::Zero(size);
  status = std::max(status, call(point(), view(out)));
  return out;
}

Vector Start::kinematics(const Vector& v) {
  return called(system.sizes().q, [&](const auto& p, Out out) { return system.kinematics(p, view(v), out); });
}
Vector Start::inertia(const Vector& a) {
  return called(system.sizes().v, [&](const auto& p, Out out) { return system.inertia(p, view(a), out); });
}
Vector Start::force() {
  return called(system.sizes().v, [&](const auto& p, Out out) { return system.force(p, out); });
}
Vector Start::auxiliary() {
  return called(system.sizes().z, [&](const auto& p, Out out) { return system.auxiliary(p, out); });
}
Vector Start::constraint() {
  return called(n_g(), [&](const auto& p, Out out) { return system.constraint(p, out); });
}
Vector Start::rates() {
  return called(n_rows(), [&](const auto& p, Out out) {
    const auto g = static_cast<std::size_t>(n_g());
    return std::max(system.constraint_rate(p, out.first(g)), system.rolling(p, out.subspan(g)));
  });
}
Vector Start::accelerations(const Vector& a) {
  return called(n_rows(), [&](const auto& p, Out out) {
    const auto g = static_cast<std::size_t>(n_g());
    return std::max(system.constraint_acceleration(p, view(a), out.first(g)),
                    system.rolling_acceleration(p, view(a), out.subspan(g)));
  });
}
Vector Start::reaction(const Vector& multipliers) {
  return called(system.sizes().v, [&](const auto& p, Out out) {
    const auto g = static_cast<std::size_t>(n_g());
    return system.reaction(p, view(multipliers).first(g), view(multipliers).subspan(g), out);
  });
}

Result<void> Start::evaluated(std::string_view what) {
  const EvalStatus seen = status;
  status = EvalStatus::ok;
  if (seen == EvalStatus::ok) return {};
  if (const std::string culprit = not_finite_part(system, point()); !culprit.empty()) return not_finite(culprit);
  return error(fmt::format("the model cannot evaluate {} at t = {} ({})", what, shortest(state.t), to_string(seen)));
}

Error Start::not_finite(const std::string& culprit) const {
  return error(fmt::format("at t = {} {}", shortest(state.t), culprit));
}

Sparse Start::mass() {
  const int n = system.sizes().v;
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

/// g_λ of a model that differentiates itself: there g need not be affine in λ.
Sparse Start::model_compliance() {
  const ResidualTangentPatterns patterns = system.tangent_patterns();
  const auto values = [](const SparsePattern& pattern) { return Vector(Vector::Zero(pattern.nnz())); };
  Vector k = values(patterns.K), d = values(patterns.D), r = values(patterns.r_lambda), g = values(patterns.g_q),
         c = values(patterns.g_lambda);
  status = std::max(
      status, system.tangents(point(), view(std::as_const(state.a)),
                              {.K = view(k), .D = view(d), .r_lambda = view(r), .g_q = view(g), .g_lambda = view(c)}));
  Triplets entries;
  for (int col = 0, p = 0; col < patterns.g_lambda.cols(); ++col)
    for (const int row : patterns.g_lambda.column(col)) {
      if (c[p] != 0) entries.emplace_back(row, col, c[p]);
      ++p;
    }
  Sparse matrix(n_g(), n_g());
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Sparse Start::compliance() {
  if (system.tangent_kind() == ModelJacobian::exact) return model_compliance();
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

std::string Start::row_name(int row) const {
  const bool rolling = row >= n_g();
  const auto names = system.names(rolling ? "nu" : "lambda");
  const auto i = static_cast<std::size_t>(rolling ? row - n_g() : row);
  if (i < names.size()) return fmt::format("row {} ({})", row, names[i]);
  return fmt::format("row {} ({}[{}])", row, rolling ? "nu" : "lambda", i);
}

std::string Start::coordinate_name(int j) const {
  const char* block = system.plain_coordinates() ? "q" : "v";
  const auto names = system.names(block);
  const auto i = static_cast<std::size_t>(j);
  return i < names.size() ? names[i] : fmt::format("{}[{}]", block, j);
}

std::string Start::coordinates_in(const Vector& direction) const {
  std::vector<int> order;
  const int n = std::min(count(direction), system.sizes().v);
  for (int j = 0; j < n; ++j)
    if (std::abs(direction[j]) > 0.1) order.push_back(j);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::abs(direction[a]) > std::abs(direction[b]); });
  std::vector<std::string> names;
  for (const int j : order) {
    if (names.size() == 6) {
      names.emplace_back("…");
      break;
    }
    names.push_back(coordinate_name(j));
  }
  return joined(names);
}

}  // namespace rubato::detail
