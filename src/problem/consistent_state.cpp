/// Consistent states: positions, velocities, then accelerations and multipliers.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "rubato/base/text.hpp"
#include "start.hpp"

namespace rubato {
namespace detail {
namespace {

/// M for projections: coordinates without mass are moved as if they had mass one.
Sparse weights(const Sparse& m) {
  Sparse ones(m.rows(), m.cols());
  ones.setIdentity();
  for (int j = 0; j < m.cols(); ++j) ones.coeffRef(j, j) = m.coeff(j, j) == 0 ? 1 : 0;
  return m + ones;
}

/// D with unit diagonal D M D.
Vector coordinate_scale(const Sparse& m) {
  return Vector(m.diagonal()).unaryExpr([](double mass) { return mass > 0 ? 1 / std::sqrt(mass) : 1.0; });
}

/// 1 / |row| of J D, 1 for empty rows.
Vector row_scale(const Sparse& j, const Vector& d) {
  Vector square = Vector::Zero(j.rows());
  for (int c = 0; c < j.cols(); ++c)
    for (Sparse::InnerIterator it(j, c); it; ++it) square[it.row()] += std::pow(it.value() * d[c], 2);
  return square.unaryExpr([](double s) { return s > 0 ? 1 / std::sqrt(s) : 1.0; });
}

Vector below(int n, const Vector& x) {
  Vector y = Vector::Zero(n + x.size());
  y.tail(x.size()) = x;
  return y;
}

std::vector<std::string> described(const Start& start, std::span<const int> rows, const Vector& residual) {
  std::vector<std::string> words;
  for (const int row : rows) {
    if (words.size() == 8) {
      words.emplace_back("…");
      break;
    }
    words.push_back(fmt::format("{} residual {:.3g}", start.row_name(row), residual[row]));
  }
  return words;
}

int worst_of(std::span<const int> rows, const Vector& residual) {
  int worst = -1;
  for (const int row : rows)
    if (worst < 0 || std::abs(residual[row]) > std::abs(residual[worst])) worst = row;
  return worst;
}

}  // namespace

Triplets saddle(const Sparse& m, const Sparse& j, std::span<const int> rows, double mu, const Vector& r) {
  const int n = static_cast<int>(m.cols());
  std::vector<int> place(static_cast<std::size_t>(j.rows()), -1);
  for (std::size_t k = 0; k < rows.size(); ++k) place[static_cast<std::size_t>(rows[k])] = n + static_cast<int>(k);
  Triplets entries;
  for (int c = 0; c < n; ++c) {
    for (Sparse::InnerIterator it(m, c); it; ++it) entries.emplace_back(it.row(), c, it.value());
    for (Sparse::InnerIterator it(j, c); it; ++it)
      if (const int row = place[static_cast<std::size_t>(it.row())]; row >= 0) {
        entries.emplace_back(row, c, it.value());
        entries.emplace_back(c, row, it.value());
      }
  }
  if (mu > 0)
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const int row = n + static_cast<int>(k);
      entries.emplace_back(row, row, -mu / std::pow(r[rows[k]], 2));
    }
  return entries;
}

/// Levenberg-Marquardt on g(t,q,λ) = 0: each step solves
///   [M Gᵀ; G −μR⁻²] (Δ, w) = (0, −g),   q ← q ⊕ N Δ,   R: rows of G to norm one,                      (1)
/// μ = 0 is the mass-orthogonal Newton step. μ grows only where a step makes no progress: dependent rows, whose G is
/// singular on the manifold and nearly so beside it, and far guesses. Contradictory rows end where GᵀR²g = 0 but g ≠ 0.
Result<void> Start::project_positions() {
  std::vector<int> rows;
  for (const int row : hard)
    if (row < n_g()) rows.push_back(row);
  if (rows.empty()) return {};
  const auto picked = [&rows](const Vector& x) { return Vector(x(rows)); };

  const auto constraints = [this] {
    Vector g = Vector::Zero(n_rows());
    g.head(n_g()) = constraint();
    return g;
  };
  Sparse m;
  Vector d, g = constraints();
  if (auto ok = evaluated("the constraints"); !ok) return ok;
  if (!g.allFinite()) return not_finite(not_finite_part(system, point()));
  const int first_worst = worst_of(rows, g);
  diagnosis.worst_position_row = first_worst;
  diagnosis.position_residual = std::abs(g[first_worst]);
  if (!options.project_positions) return {};

  double mu = 0;
  bool polished = false;
  for (int iteration = 0;; ++iteration) {
    diagnosis.iterations = iteration;
    if (m.size() == 0 || !system.constant_mass()) {
      m = weights(mass());
      d = coordinate_scale(m);
    }
    const Sparse j = constraint_matrix();
    if (auto ok = evaluated("masses and constraint forces"); !ok) return ok;
    const Vector r = row_scale(j, d);

    // The size of the terms g is the difference of: exact zeros are not to be had below their round-off.
    const Vector size = system.plain_coordinates() ? Vector(state.q.cwiseAbs()) : Vector::Ones(j.cols());
    const Vector terms = j.cwiseAbs() * size, unit_terms = j.cwiseAbs() * size.cwiseMax(1.0);
    const auto within = [&](const Vector& bound) {
      return std::all_of(rows.begin(), rows.end(),
                         [&](int row) { return std::abs(g[row]) <= options.tolerance * bound[row]; });
    };
    if (within(terms)) {
      if (iteration == 0 || polished) return {};
      polished = true;
    }
    const bool good_enough = within(unit_terms);

    bool moved = false;
    const double merit = picked(r.cwiseProduct(g)).norm();
    while (iteration < options.max_iterations && !moved && mu < 1e8) {
      const SquareSystem system_1(count(d) + static_cast<int>(rows.size()), saddle(m, j, rows, mu, r));
      if (system_1.regular()) {
        const Vector step = system_1.solve(below(count(d), -picked(g))).head(d.size());  // (1)
        const Vector before = state.q;
        state.q += kinematics(step);
        const Vector trial = constraints();
        moved = status == EvalStatus::ok && picked(r.cwiseProduct(trial)).norm() < (1 - 1e-4) * merit;
        status = EvalStatus::ok;
        if (moved)
          g = trial;
        else
          state.q = before;
      }
      if (moved)
        mu = mu < 1e-12 ? 0 : mu / 10;
      else if (good_enough)
        return {};
      else
        mu = std::max(100 * mu, 1e-8);
    }
    if (moved) {
      if (system.base_size() > 0) system.rebase(view(state.q), view(state.base));
      continue;
    }
    if (good_enough) return {};

    std::vector<int> guilty;
    double largest = 0;
    for (const int row : rows) largest = std::max(largest, std::abs(r[row] * g[row]));
    for (const int row : rows)
      if (std::abs(r[row] * g[row]) > 1e-3 * largest) guilty.push_back(row);
    Vector pull = Vector::Zero(j.rows());
    for (const int row : rows) pull[row] = r[row] * r[row] * g[row];
    const double slope = d.cwiseProduct(Vector(j.transpose() * pull)).norm();
    const std::string residuals = joined(described(*this, guilty, g), "; ");
    if (slope < 1e-2 * merit && guilty.size() > 1)
      return error("constraints contradict each other: no position near the guess satisfies " + residuals);
    if (slope < 1e-2 * merit)
      return error(
          fmt::format("a constraint cannot be satisfied near the guess, its gradient vanishes there: {}", residuals));
    return error(fmt::format("positions could not be projected onto the constraints in {} iterations: {}",
                             options.max_iterations, residuals));
  }
}

std::pair<Sparse, Vector> Start::hard_rows() {
  const Sparse j = constraint_matrix();
  Sparse chosen(static_cast<Eigen::Index>(hard.size()), j.cols());
  {
    std::vector<int> place(static_cast<std::size_t>(j.rows()), -1);
    for (std::size_t k = 0; k < hard.size(); ++k) place[static_cast<std::size_t>(hard[k])] = static_cast<int>(k);
    Triplets entries;
    for (int c = 0; c < j.cols(); ++c)
      for (Sparse::InnerIterator it(j, c); it; ++it)
        if (const int k = place[static_cast<std::size_t>(it.row())]; k >= 0) entries.emplace_back(k, c, it.value());
    chosen.setFromTriplets(entries.begin(), entries.end());
  }
  return {std::move(chosen), coordinate_scale(mass())};
}

void Start::find_dependent_rows() {
  if (hard.empty()) {
    rank = {};
    diagnosis.rank = 0;
    diagnosis.dependent.clear();
    active = soft;
    return;
  }
  const auto [chosen, d] = hard_rows();
  rank = rank_of_rows(chosen, d, options.rank_tolerance);
  if (!rank.dependent.empty()) {
    // Those left out so far, if they are as many, else those the factorisation came to last; others where they serve badly.
    std::vector<int> current;
    for (std::size_t k = 0; k < hard.size(); ++k)
      if (std::ranges::find(options.dependent, hard[k]) != options.dependent.end())
        current.push_back(static_cast<int>(k));
    rank = choose_rows(chosen, d, current.size() == rank.dependent.size() ? current : rank.dependent).best;
  }
  for (int& row : rank.kept) row = hard[static_cast<std::size_t>(row)];
  for (int& row : rank.dependent) row = hard[static_cast<std::size_t>(row)];
  diagnosis.rank = static_cast<int>(rank.kept.size());
  diagnosis.dependent = rank.dependent;
  active = rank.kept;
  active.insert(active.end(), soft.begin(), soft.end());
  std::sort(active.begin(), active.end());
}

void Start::find_singular_rows() {
  constexpr double beside_by = 1e-3,
                   clearly = 1e-6;  // distance in coordinates; rank there, where σ is of the order of the distance
  const Vector rate = kinematics(state.v);
  const double fastest = rate.size() > 0 ? rate.cwiseAbs().maxCoeff() : 0;
  status = EvalStatus::ok;
  // Those known to depend are no news.
  if (rank.dependent.size() <= options.dependent.size() || !(fastest > 0) || !std::isfinite(fastest)) return;
  Start beside(system, state, options, caller);
  beside.state.q += (beside_by / fastest) * rate;
  beside.state.t += beside_by / fastest;
  beside.options.dependent = rank.dependent;
  beside.options.rank_tolerance = std::max(clearly, options.rank_tolerance);
  if (!beside.check() || !beside.project_positions()) return;
  beside.find_dependent_rows();
  if (beside.status != EvalStatus::ok || beside.rank.dependent.size() >= rank.dependent.size()) return;
  for (const int row : rank.dependent)
    if (std::ranges::find(beside.rank.dependent, row) == beside.rank.dependent.end()) diagnosis.singular.push_back(row);
  diagnosis.dependent = beside.rank.dependent;
}

/// [M Jᵀ; J 0] (Δ, w) = (0, wanted − (J v + …)),   v ← v + Δ, twice for round-off.                     (2)
Result<void> Start::project_velocities(const Vector& wanted) {
  if (hard.empty()) return {};
  const Vector target = wanted.size() > 0 ? wanted : Vector::Zero(n_rows());
  Vector defect = target - rates();
  if (auto ok = evaluated("the velocity constraints"); !ok) return ok;
  if (!defect.allFinite()) return not_finite(not_finite_part(system, point()));
  const int worst = worst_of(hard, defect);
  diagnosis.worst_velocity_row = worst;
  diagnosis.velocity_residual = std::abs(defect[worst]);
  if (!options.project_velocities) return {};

  const Sparse m = weights(mass()), j = constraint_matrix();
  const int n = static_cast<int>(m.cols());
  const SquareSystem system_2(n + static_cast<int>(rank.kept.size()), saddle(m, j, rank.kept));
  if (!system_2.regular())
    return error("velocities cannot be projected: the masses do not determine how to move " +
                 coordinates_in(system_2.weakest_direction()));
  const Vector given = state.v;
  for (int twice = 0; twice < 2; ++twice) {
    state.v += system_2.solve(below(n, Vector(defect(rank.kept)))).head(n);  // (2)
    defect = target - rates();
  }
  if (auto ok = evaluated("the velocity constraints"); !ok) return ok;

  const Vector v = state.v;
  state.v.setZero();
  // Round-off of the projection is that of the velocities it removed, too.
  const Vector terms = j.cwiseAbs() * (v.cwiseAbs() + given.cwiseAbs()) + rates().cwiseAbs() + target.cwiseAbs();
  state.v = v;
  for (std::size_t k = 0; k < rank.dependent.size(); ++k) {
    const int row = rank.dependent[k];
    if (std::abs(defect[row]) <= std::max(1e4 * options.tolerance, 1e-8) * terms[row]) continue;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < rank.kept.size(); ++i)
      if (std::abs(rank.combination(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i))) > 1e-8)
        others.push_back(row_name(rank.kept[i]));
    return error(fmt::format("velocity constraints contradict each other: {} {}, and residual {:.3g} remains when {}",
                             row_name(row), others.empty() ? "binds no velocity" : "follows from " + joined(others),
                             -defect[row], others.empty() ? "the others hold" : "these hold"));
  }
  return {};
}

/// All multipliers with the same reaction: kept = κ − Cᵀ δ, dependent = δ; smallest for (I + C Cᵀ) δ = C κ.
void Start::share_dependent_reactions() {
  const auto multiplier = [this](int row) -> double& {
    return row < n_g() ? state.lambda[row] : state.nu[row - n_g()];
  };
  const Matrix& c = rank.combination;
  if (rank.dependent.empty() || c.cols() == 0) return;
  Vector kept(c.cols());
  for (Eigen::Index i = 0; i < kept.size(); ++i) kept[i] = multiplier(rank.kept[static_cast<std::size_t>(i)]);
  const Vector dependent =
      Matrix(Matrix::Identity(c.rows(), c.rows()) + c * c.transpose()).ldlt().solve(Vector(c * kept));
  kept -= c.transpose() * dependent;
  for (Eigen::Index i = 0; i < kept.size(); ++i) multiplier(rank.kept[static_cast<std::size_t>(i)]) = kept[i];
  for (Eigen::Index i = 0; i < dependent.size(); ++i)
    multiplier(rank.dependent[static_cast<std::size_t>(i)]) = dependent[i];
}

}  // namespace detail

Result<MechanicalState> consistent_state(const MechanicalSystem& system, const MechanicalState& guess,
                                         const ConsistentOptions& options, ConstraintDiagnosis* diagnosis) {
  detail::Start start(system, guess, options, "consistent_state");
  const auto finished = [&]() -> Result<void> {
    if (auto ok = start.check(); !ok) return ok;
    if (auto ok = start.project_positions(); !ok) return ok;
    start.find_dependent_rows();
    if (auto ok = start.evaluated("masses and constraint forces"); !ok) return ok;
    if (auto ok = start.project_velocities(); !ok) return ok;
    return start.solve_accelerations();
  }();
  if (diagnosis != nullptr && finished) start.find_singular_rows();
  if (diagnosis != nullptr) *diagnosis = start.diagnosis;
  if (!finished) return finished.error();
  return start.state;
}

}  // namespace rubato
