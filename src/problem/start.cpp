#include "start.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "rubato/base/text.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato::detail {

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

  constexpr int many = 200;
  if (m == 0 || (m > many && clearly_independent(rows, column_scale))) return rank;
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
  MechanicalPoint<double> p = rubato::point_at(state, memory_.scratch(), view(std::as_const(u_)));
  p.q = view(q);
  return p;
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
