/// Accelerations and multipliers of a consistent state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acceleration_matrix.hpp"
#include "rubato/base/text.hpp"
#include "rubato/linalg/colouring.hpp"

namespace rubato::detail {

bool Start::forces_depend_on_multipliers() {
  if (active.empty()) return false;
  const Vector f = force(), e = auxiliary(), lambda = state.lambda, nu = state.nu;
  for (int i = 0; i < count(state.lambda); ++i) state.lambda[i] += 1 + 0.37 * i + std::abs(lambda[i]);
  for (int i = 0; i < count(state.nu); ++i) state.nu[i] += 1 + 0.41 * i + std::abs(nu[i]);
  const bool depend = force() != f || (!algebraic_z.empty() && auxiliary() != e);
  state.lambda = lambda;
  state.nu = nu;
  status = EvalStatus::ok;  // a question only: the model may refuse such multipliers
  return depend;
}

/// Where forces and algebraic equations depend on the multipliers of active rows and on algebraic z: dense, or traced
/// where there are many.
SparsePattern Start::multiplier_pattern() {
  const int n = system.sizes().v, k = static_cast<int>(active.size()), n_z = static_cast<int>(algebraic_z.size());
  const auto* equations = system.tracer();
  if (equations == nullptr || k + n_z <= 200) return SparsePattern::dense(n + n_z, k + n_z);
  const auto value = [this](int row) { return row < n_g() ? state.lambda[row] : state.nu[row - n_g()]; };
  Vector at(k + n_z);
  std::transform(active.begin(), active.end(), at.begin(), value);
  at.tail(n_z) = state.z(algebraic_z);
  return traced(n + n_z, view(std::as_const(at)), [&](std::span<const Tracer> x, std::span<Tracer> y) {
    std::vector<Tracer> memory;
    auto p = lifted(memory);
    std::vector<Tracer> lambda(p.lambda.begin(), p.lambda.end()), nu(p.nu.begin(), p.nu.end()),
        z(p.z.begin(), p.z.end()), e(z.size());
    auto next = x.begin();
    for (const int row : active)
      (row < n_g() ? lambda[static_cast<std::size_t>(row)] : nu[static_cast<std::size_t>(row - n_g())]) = *next++;
    for (const int i : algebraic_z) z[static_cast<std::size_t>(i)] = *next++;
    p.lambda = lambda;
    p.nu = nu;
    p.z = z;
    status = std::max(status, equations->force(p, y.first(static_cast<std::size_t>(n))));
    status = std::max(status, equations->auxiliary(p, e));
    auto out = y.begin() + n;
    for (const int i : algebraic_z) *out++ = e[static_cast<std::size_t>(i)];
  });
}

/// Unknowns (a; λ, ν of the active rows; algebraic z):
///   [M  Jᵀ − f_λ  −f_z]      rows of J: hard ones; g_λ in place of J for soft ones                    (3)
///   [J  0 | g_λ     0 ]
///   [0   e_λ      e_z ]
Triplets Start::acceleration_matrix(bool coupled) {
  const Sparse m = mass(), j = constraint_matrix();
  const int n = static_cast<int>(m.cols());
  Triplets entries = saddle(m, j, active);
  if (!soft.empty()) {
    std::vector<int> place(static_cast<std::size_t>(n_rows()), -1);
    for (std::size_t k = 0; k < active.size(); ++k)
      place[static_cast<std::size_t>(active[k])] = n + static_cast<int>(k);
    std::vector<char> yields(static_cast<std::size_t>(n) + active.size(), 0);
    for (const int row : soft) yields[static_cast<std::size_t>(place[static_cast<std::size_t>(row)])] = 1;
    std::erase_if(entries, [&](const auto& entry) {  // J from the equations of soft rows; Jᵀ stays
      return yields[static_cast<std::size_t>(entry.row())] != 0;
    });
    const Sparse c = compliance();
    for (int col = 0; col < c.cols(); ++col)
      for (Sparse::InnerIterator it(c, col); it; ++it)
        entries.emplace_back(place[static_cast<std::size_t>(it.row())], place[static_cast<std::size_t>(col)],
                             it.value());
  }
  if (!coupled) return entries;

  // Columns of λ, ν and z by central differences, many of them in groups that share no row.
  const int k = static_cast<int>(active.size()), n_z = static_cast<int>(algebraic_z.size());
  std::vector<double*> x;
  for (const int row : active) x.push_back(row < n_g() ? &state.lambda[row] : &state.nu[row - n_g()]);
  for (const int z : algebraic_z) x.push_back(&state.z[z]);
  const SparsePattern pattern = multiplier_pattern();
  const auto rows = [&] {
    Vector y(n + n_z);
    y << -force(), auxiliary()(algebraic_z);
    return y;
  };
  for (const auto& members : group_columns(pattern).members) {
    std::vector<double> kept, h;
    for (const int member : members) {
      kept.push_back(*x[static_cast<std::size_t>(member)]);
      h.push_back(std::cbrt(2e-16) * std::max(std::abs(kept.back()), 1.0));
    }
    const auto moved = [&](double sign) {
      for (std::size_t i = 0; i < members.size(); ++i) *x[static_cast<std::size_t>(members[i])] = kept[i] + sign * h[i];
      return rows();
    };
    const Vector plus = moved(1), minus = moved(-1);
    moved(0);
    for (std::size_t i = 0; i < members.size(); ++i)
      for (const int row : pattern.column(members[i]))
        if (plus[row] != minus[row])
          entries.emplace_back(row < n ? row : row + k, n + members[i], (plus[row] - minus[row]) / (2 * h[i]));
  }
  return entries;
}

bool Start::solve_soft_multipliers() {
  if (soft.empty()) return true;
  const Vector kept = state.lambda;
  const std::optional<Sparse> c = soft_compliance();
  bool solved = status == EvalStatus::ok && c.has_value();
  if (solved) {
    SquareSystem matrix;
    matrix.factor(*c);
    solved = matrix.regular();
    for (int twice = 0; twice < 2 && solved; ++twice) {  // linear: the second pass removes round-off
      const Vector step = matrix.solve(Vector(constraint()(soft)));
      solved = status == EvalStatus::ok && step.allFinite();
      if (solved) state.lambda(soft) -= step;
    }
  }
  if (!solved) state.lambda = kept;
  status = EvalStatus::ok;
  return solved;
}

std::optional<Sparse> Start::soft_compliance() {
  std::vector<int> place(static_cast<std::size_t>(n_rows()), -1);
  for (std::size_t k = 0; k < soft.size(); ++k) place[static_cast<std::size_t>(soft[k])] = static_cast<int>(k);
  const Sparse all = compliance();
  Triplets entries;
  for (int col = 0; col < all.cols(); ++col)
    for (Sparse::InnerIterator it(all, col); it; ++it) {
      const int row = place[static_cast<std::size_t>(it.row())], to = place[static_cast<std::size_t>(col)];
      if (row < 0 || to < 0) return std::nullopt;
      entries.emplace_back(row, to, it.value());
    }
  const auto k = static_cast<Eigen::Index>(soft.size());
  Sparse c(k, k);
  c.setFromTriplets(entries.begin(), entries.end());
  return c;
}

Result<void> Start::solve_accelerations() {
  const int n = system.sizes().v, k = static_cast<int>(active.size());
  const int unknowns = n + k + static_cast<int>(algebraic_z.size());
  for (const int row : rank.dependent) (row < n_g() ? state.lambda[row] : state.nu[row - n_g()]) = 0;
  const bool coupled = !algebraic_z.empty() || forces_depend_on_multipliers();

  Vector size;  // of the terms in each equation
  const auto residual = [&] {
    Vector multipliers(n_rows());
    multipliers << state.lambda, state.nu;
    const Vector ma = inertia(state.a), f = force(), reactions = reaction(multipliers), g = constraint(),
                 rows = accelerations(state.a), e = auxiliary();
    Vector r(unknowns);
    size = Vector::Ones(unknowns);
    r.head(n) = ma - f + reactions;
    size.head(n) = ma.cwiseAbs() + f.cwiseAbs() + reactions.cwiseAbs();
    for (int i = 0; i < k; ++i) {
      const int row = active[static_cast<std::size_t>(i)];
      r[n + i] = std::binary_search(soft.begin(), soft.end(), row) ? g[row] : rows[row];
    }
    for (std::size_t i = 0; i < algebraic_z.size(); ++i) r[n + k + static_cast<int>(i)] = e[algebraic_z[i]];
    return r;
  };

  std::optional<AccelerationMatrix> matrix;
  Vector r = residual();
  if (auto ok = evaluated("forces"); !ok) return ok;
  double last_step = 0;
  for (int iteration = 0;; ++iteration) {
    if (!matrix) matrix.emplace(coupled);
    if (iteration == 0 || coupled) matrix->factor(*this);
    if (auto ok = evaluated("forces"); !ok) return ok;
    if (!matrix->regular()) {
      const Vector weak = matrix->weakest_direction();
      if (const std::string names = coordinates_in(weak); !names.empty())
        return error("accelerations are not determined: mass and constraints leave " + names +
                     " free (a coordinate without mass needs static_equilibrium or a constraint)");
      std::vector<std::string> names;
      for (int i = 0; i < k; ++i)
        if (std::abs(weak[n + i]) > 0.1) names.push_back(row_name(active[static_cast<std::size_t>(i)]));
      for (std::size_t i = 0; i < algebraic_z.size(); ++i)
        if (std::abs(weak[n + k + static_cast<int>(i)]) > 0.1) names.push_back(fmt::format("z[{}]", algebraic_z[i]));
      return error("the multipliers or algebraic states of " + joined(names) + " are not determined");
    }
    const Vector step = -matrix->solve(r);
    if (!step.allFinite()) {
      const std::string culprit = not_finite_part(system, point());
      return culprit.empty() ? error("accelerations or multipliers are not finite") : not_finite(culprit);
    }
    state.a += step.head(n);
    double change = 0;
    for (int i = n; i < unknowns; ++i) {
      const int row = i < n + k ? active[static_cast<std::size_t>(i - n)] : -1;
      double& x = row < 0       ? state.z[algebraic_z[static_cast<std::size_t>(i - n - k)]]
                  : row < n_g() ? state.lambda[row]
                                : state.nu[row - n_g()];
      x += step[i];
      change = std::max(change, std::abs(step[i]) / std::max(std::abs(x), 1e-300));
    }
    if (n > 0)
      change = std::max(change, step.head(n).cwiseAbs().maxCoeff() / std::max(state.a.cwiseAbs().maxCoeff(), 1e-300));
    r = residual();
    if (auto ok = evaluated("forces"); !ok) return ok;
    const bool satisfied = (r.head(n).cwiseAbs().array() <= options.tolerance * size.head(n).array()).all();
    if (!coupled && iteration >= 1) break;  // linear: the second pass removes round-off
    if (coupled && (change <= options.tolerance || (satisfied && change >= last_step && iteration > 2))) break;
    if (iteration >= options.max_iterations) {
      Eigen::Index worst = 0;
      r.cwiseAbs().maxCoeff(&worst);
      const int w = static_cast<int>(worst);
      return error(fmt::format("accelerations and multipliers did not converge in {} iterations: residual {:.3g} in {}",
                               iteration, r[worst],
                               w < n       ? coordinate_name(w)
                               : w < n + k ? row_name(active[static_cast<std::size_t>(w - n)])
                                           : fmt::format("z[{}]", algebraic_z[static_cast<std::size_t>(w - n - k)])));
    }
    last_step = change;
  }

  if (!rank.dependent.empty()) {
    // Rows that are dependent in a singular position only differ in their acceleration terms.
    // Where all terms of a row vanish, round-off of the largest accelerations is left.
    const Vector typical = state.a.cwiseAbs().array() + 1e-6 * state.a.cwiseAbs().maxCoeff();
    const Vector rows = accelerations(state.a),
                 terms = constraint_matrix().cwiseAbs() * typical + accelerations(Vector::Zero(n)).cwiseAbs();
    for (const int row : rank.dependent)
      if (std::abs(rows[row]) > 1e-6 * terms[row])
        return error(
            fmt::format("{} depends on the others in this position only (a singular position): the "
                        "accelerations contradict each other with residual {:.3g}",
                        row_name(row), rows[row]));
    if (options.minimum_norm && !coupled) share_dependent_reactions();
  }
  return evaluated("forces");
}

}  // namespace rubato::detail
