/// Static equilibria: positions at which all forces balance.
#include "equilibrium.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/base/text.hpp"

namespace rubato::detail {

Equilibrium::Equilibrium(Start& start, EquilibriumWork& work, const EquilibriumWatch& watch)
    : start_(start),
      work_(work),
      watch_(watch),
      n_(start.system.sizes()),
      unknowns_(n_.v + n_.lambda + n_.z),
      free_(static_cast<std::size_t>(unknowns_), 1),
      forces_(n_.v) {
  for (const int row : start.rank.dependent)
    free_[static_cast<std::size_t>(n_.v + row)] = 0;  // row and multiplier left out
}

void Equilibrium::factor(const Sparse& j, const Sparse* mass, double tau) {
  ++work_.counters.factorisations;
  work_.serves = false;
  const int n_local = start_.system.z_is_local() ? n_.z : 0;
  if (mass == nullptr && start_.rank.dependent.empty()) {
    work_.matrix.factor(j, n_local);
  } else {
    Triplets entries;
    for (int col = 0; col < unknowns_; ++col) {
      const bool left_out = free_[static_cast<std::size_t>(col)] == 0;
      for (Sparse::InnerIterator it(j, col); it; ++it)
        if (free_[static_cast<std::size_t>(it.row())] != 0 && !left_out)
          entries.emplace_back(it.row(), col, it.value());
      if (left_out) entries.emplace_back(col, col, 1.0);
      if (mass != nullptr && col >= n_.v + n_.lambda) entries.emplace_back(col, col, -1 / tau);
    }
    if (mass != nullptr)
      for (int col = 0; col < n_.v; ++col)
        for (Sparse::InnerIterator it(*mass, col); it; ++it) entries.emplace_back(it.row(), col, it.value() / tau);
    work_.matrix.factor(assembled(unknowns_, entries), n_local);
  }
  work_.counters.analyses = work_.matrix.analyses();
}

bool Equilibrium::balanced(const Vector& f, const Sparse& j, bool loose) const {
  Vector y(unknowns_);
  y << (start_.system.plain_coordinates() ? Vector(start_.state.q.cwiseAbs()) : Vector::Ones(n_.v)),
      start_.state.lambda.cwiseAbs(), start_.state.z.cwiseAbs();
  if (loose) y = y.cwiseMax(1.0);
  Vector terms = j.cwiseAbs() * y;
  terms.head(n_.v) += forces_.cwiseAbs();
  return (f.cwiseAbs().array() <= start_.options.tolerance * terms.array()).all();
}

/// What corrections are measured in: the largest of positions, multipliers and auxiliary states, or of the step in them. One
/// size for all of a kind, for rounding in coordinates that do not move is no correction.
Vector Equilibrium::sizes_of(const Vector& step) const {
  Vector sizes(unknowns_);
  const auto largest = [](const auto& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; };
  const auto fill = [&](int first, int n, const Vector& x) {
    sizes.segment(first, n).setConstant(std::max({largest(x), largest(step.segment(first, n)), 1e-300}));
  };
  fill(0, n_.v, start_.state.q);
  fill(n_.v, n_.lambda, start_.state.lambda);
  fill(n_.v + n_.lambda, n_.z, start_.state.z);
  return sizes;
}

bool Equilibrium::go_on(const char* doing, int iteration, double correction) {
  if (!stopped_ && watch_)
    stopped_ = !watch_({.doing = doing, .t = start_.state.t, .iteration = iteration, .correction = correction});
  return !stopped_;
}

/// An earlier factor serves while it shortens corrections to a fifth: twelve digits then take 17 solutions, which cost less than the two or three
/// factorisations they replace where unknowns are many. Where the balance is all but reached a half is enough; corrections that get no
/// shorter there are rounding errors.
bool Equilibrium::newton() {
  constexpr int many = 2000;
  constexpr double fast = 0.2, slow = 0.5;
  const bool keeps = unknowns_ >= many;
  if (!keeps) work_.serves = false;
  Vector f, trial, correction;
  if (n_.z > 0 && start_.system.z_is_local()) {
    if (!work_.serves) work_.jacobian = jacobian();
    e_z_ = work_.jacobian.diagonal().tail(n_.z);
    if (start_.status != EvalStatus::ok) return false;
    relax();
  }
  if (!evaluate(f)) return false;
  double last = 0, length = 0;
  bool was_balanced = false;  // one step more polishes
  int kept = 0;               // corrections by an earlier factor so far
  for (int iteration = 0; iteration <= start_.options.max_iterations; ++iteration) {
    const bool fresh = !work_.serves;
    if (fresh) {
      if (!go_on("linearisation", iteration, length)) return false;
      work_.jacobian = jacobian();
      if (start_.status != EvalStatus::ok) return false;
    }
    f = masked(f);
    if (balanced(f, work_.jacobian, false)) {
      if (was_balanced) return true;
      was_balanced = true;
    }
    const bool good_enough = balanced(f, work_.jacobian, true);
    if (!go_on(fresh ? "factorisation" : "correction", iteration, length)) return false;
    if (fresh) {
      factor(work_.jacobian, nullptr, 1);
      if (!work_.matrix.regular()) return good_enough;
      correction.resize(0);
    }
    const Vector step = -(correction.size() > 0 ? correction : work_.matrix.solve(f));
    const Vector weight = sizes_of(step);
    length = step.cwiseQuotient(weight).norm();
    const MechanicalState before = start_.state;
    bool moved = false;
    double ratio = 0;
    for (double fraction = 1; fraction > 1e-4 && !moved; fraction /= 2) {
      if (!go_on("correction", iteration, length)) return false;
      move(step, fraction);
      if (evaluate(trial)) {
        trial = masked(trial);
        correction = work_.matrix.solve(trial);
        ratio = length > 0 ? correction.cwiseQuotient(weight).norm() / length : 0;
        moved = ratio <= (fresh ? 1 - fraction / 4 : slow);
      }
      if (moved) {
        work_.serves = keeps && fraction == 1 && ratio <= (good_enough ? slow : fast);
      } else {
        start_.state = before;
        start_.status = EvalStatus::ok;
        if (!fresh) break;
      }
    }
    if (!moved && !fresh) {
      if (good_enough && kept > 1) return true;
      work_.serves = false;  // a fresh one from here
      continue;
    }
    if (!moved) return good_enough;
    accept();
    ++work_.counters.corrections;
    if (!fresh) ++kept;
    f = trial;
    const double change = step.cwiseAbs().maxCoeff();
    if (good_enough && change >= last && iteration > 1) return true;
    last = change;
  }
  return false;
}

/// 0 = F(y) − (1 − s) F(y₀) for s from 0 to 1, as far in each step as Newton's method follows. Where the start is free of
/// stress F(y₀) is the load: it grows from zero, and y along the branch that begins at the start.
bool Equilibrium::load_steps() {
  relax();
  if (!evaluate(first_)) return false;
  first_ = masked(first_);
  double done = 0, step = 0.25;
  while (done < 1 && step > 1e-3 && !stopped_) {
    const MechanicalState kept = start_.state;
    const double next = std::min(done + step, 1.0);
    left_ = 1 - next;
    if (newton()) {
      done = next;
      step *= 1.5;
    } else {
      start_.status = EvalStatus::ok;
      start_.state = kept;
      step /= 2;
    }
  }
  left_ = 0;
  return done == 1;
}

/// Where that fails as well: implicit Euler steps τ along M δ' = f − Gᵀλ, 0 = g, z' = e, each solved by one
/// Newton step; τ follows the balance, τ ∝ 1/|F| (switched evolution relaxation: Kelley & Keyes, SIAM J. Numer. Anal.
/// 35 (1998) 508, doi:10.1137/S0036142996304796). It runs downhill, so it finds stable equilibria.
bool Equilibrium::pseudo_time() {
  const Sparse mass = start_.mass();
  Vector f, next;
  if (!evaluate(f)) return false;
  f = masked(f);
  const auto size_of_forces = [this](const Vector& x) { return std::max(x.head(n_.v).norm(), 1e-300); };
  // A first step that moves nothing by more than a tenth of the model's extent.
  const double extent = std::max(start_.state.q.size() > 0 ? start_.state.q.cwiseAbs().maxCoeff() : 1.0, 1e-6);
  Vector masses = mass.diagonal().cwiseMax(1e-300);
  double tau = 0.1 * extent / std::max(f.head(n_.v).cwiseAbs().cwiseQuotient(masses).maxCoeff(), 1e-300);
  double smallest = size_of_forces(f);
  for (int iteration = 0; iteration < 20 * start_.options.max_iterations; ++iteration) {
    if (!go_on("pseudo-time", iteration)) return false;
    const Sparse j = jacobian();
    if (start_.status != EvalStatus::ok) return false;
    if (balanced(f, j, false)) return true;  // also where a free direction keeps J singular
    factor(j, &mass, tau);
    const MechanicalState kept = start_.state;
    bool moved = false;
    if (work_.matrix.regular()) {
      const Vector step = -work_.matrix.solve(f);
      moved = step.allFinite() && step.head(n_.v).cwiseAbs().maxCoeff() <= 0.5 * extent;
      if (moved) {
        move(step, 1);
        moved = evaluate(next);
      }
    }
    if (!moved) {
      start_.state = kept;
      tau /= 4;
      if (tau < 1e-30) return false;
      continue;
    }
    accept();
    next = masked(next);
    const double before = size_of_forces(f), after = size_of_forces(next);
    tau *= std::clamp(before / after, 0.5, 4.0);
    f = next;
    if (after < 0.1 * smallest) {  // near enough to try again?
      smallest = after;
      const MechanicalState here = start_.state;
      if (newton()) return true;
      start_.status = EvalStatus::ok;
      start_.state = here;
      if (!evaluate(f)) return false;
      f = masked(f);
    }
  }
  return false;
}

std::string Equilibrium::component_name(int i) const {
  if (i < n_.v) return "the forces on " + start_.coordinate_name(i);
  if (i < n_.v + n_.lambda) return "constraint " + start_.row_name(i - n_.v);
  const auto names = start_.system.names("z");
  const auto k = static_cast<std::size_t>(i - n_.v - n_.lambda);
  return "the auxiliary equation of " + (k < names.size() ? names[k] : fmt::format("z[{}]", k));
}

Result<void> Equilibrium::solve() {
  MechanicalState kept = start_.state;
  bool found = newton();
  if (!found && !stopped_ && !start_.soft.empty() && start_.active == start_.soft) {  // with other multipliers
    start_.status = EvalStatus::ok;
    start_.state = kept;
    if (start_.solve_soft_multipliers()) {
      kept = start_.state;
      found = newton();
    }
  }
  for (const auto way : {&Equilibrium::load_steps, &Equilibrium::pseudo_time}) {
    if (found || stopped_) break;
    start_.status = EvalStatus::ok;
    start_.state = kept;
    found = (this->*way)();
  }
  if (stopped_) return start_.error(fmt::format("stopped at t = {}", shortest(start_.state.t)));
  start_.status = EvalStatus::ok;
  Vector f;
  if (!evaluate(f)) return start_.error("the model cannot be evaluated on the way to equilibrium");
  if (found) {
    for (const int row : start_.rank.dependent)
      if (std::abs(f[n_.v + row]) > 1e-8 * std::max(1.0, start_.state.q.cwiseAbs().maxCoeff()))
        return start_.error(
            fmt::format("the constraints contradict each other in equilibrium: {} follows from the "
                        "others and has residual {:.3g}",
                        start_.row_name(row), f[n_.v + row]));
    return {};
  }
  f = masked(f);
  Eigen::Index worst = 0;
  f.cwiseAbs().maxCoeff(&worst);
  return start_.error(fmt::format("no equilibrium found from this guess: residual {:.3g} remains in {}", f[worst],
                                  component_name(static_cast<int>(worst))));
}

}  // namespace rubato::detail
