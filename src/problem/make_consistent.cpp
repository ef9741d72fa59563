/// Consistent values of a Dae: algebraic unknowns by Newton, derivatives from one linear system.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/base/text.hpp"
#include "rubato/problem/linearisation.hpp"
#include "start.hpp"

namespace rubato {
namespace {

using detail::SquareSystem;
using detail::Triplets;

struct Evaluated {
  Vector u, u_rate;
  ScratchMemory memory;
  At at;
};

std::string named(const Layout& layout, std::span<const int> rows, const Vector& direction) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < rows.size() && names.size() < 6; ++k)
    if (std::abs(direction[static_cast<Eigen::Index>(k)]) > 0.1) names.push_back(layout.component_name(rows[k]));
  return joined(names);
}

/// Mechanical systems know more: their positions and velocities are projected as well.
Result<void> of_mechanics(const FormulatedDae& dae, InitialValueProblem& problem, const Evaluated& e,
                          const ConsistentOptions& options) {
  MechanicalState state;
  if (const EvalStatus status = dae.unpack(e.at, view(std::as_const(problem.w)), state); status != EvalStatus::ok)
    return Error{
        fmt::format("the model cannot be evaluated at t = {} ({})", shortest(problem.t_start), to_string(status))};
  ConsistentOptions mine = options;
  mine.u = e.u;
  mine.minimum_norm = false;  // the formulation holds multipliers of dependent rows at zero
  const In left_out = dae.left_out(view(std::as_const(problem.base)));
  for (std::size_t row = 0; row < left_out.size(); ++row)
    if (left_out[row] != 0) mine.dependent.push_back(static_cast<int>(row));
  ConstraintDiagnosis diagnosis;
  auto made = consistent_state(dae.system(), state, mine, &diagnosis);
  if (!made) return made.error();
  // Rows beyond those found dependent when the Dae was made would be missing for good once this position is left.
  if (!left_out.empty() && diagnosis.dependent.size() > mine.dependent.size()) {
    const detail::Start start(dae.system(), state, {}, {});
    std::vector<std::string> names;
    for (const int row : diagnosis.dependent) names.push_back(start.row_name(row));
    return Error{fmt::format(
        "at t = {} more constraints depend on the others than at the start, {} instead of {} ({}): in a singular "
        "position like this the motion is not determined; move the event or the start a little",
        shortest(problem.t_start), diagnosis.dependent.size(), mine.dependent.size(), joined(names))};
  }
  problem.base.head(made->base.size()) = made->base;
  if (!left_out.empty()) {
    problem.base.tail(static_cast<Eigen::Index>(left_out.size())).setZero();
    for (const int row : diagnosis.dependent) problem.base[made->base.size() + row] = 1;
  }
  dae.pack(*made, problem.x, problem.w, view(std::as_const(mine.u)));
  return {};
}

/// 0 = f_a(t, x_d, x_a, u) for x_a by damped Newton: a step is halved until the next correction is shorter (natural
/// monotonicity: Deuflhard, Newton Methods for Nonlinear Problems, Springer 2011, §2.1).
Result<void> solve_algebraic(const Dae& dae, InitialValueProblem& problem, Evaluated& e, Linearisation& linear,
                             std::span<const int> rows, const ConsistentOptions& options) {
  const Layout& layout = dae.layout();
  const int k = static_cast<int>(rows.size());
  std::vector<int> place(static_cast<std::size_t>(dae.size()), -1);
  for (int i = 0; i < k; ++i) place[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])] = i;
  Vector f(dae.size());
  const auto evaluate = [&](const Vector& x, Vector& out) {
    e.at.x = view(x);
    const bool good = dae.f(e.at, view(out)) == EvalStatus::ok;
    e.at.x = view(std::as_const(problem.x));
    return good && out.allFinite();
  };
  if (!evaluate(problem.x, f)) {
    for (int i = 0; i < dae.size(); ++i)
      if (!std::isfinite(f[i]))
        return Error{fmt::format("equation {} gives {} at the start", layout.component_name(i), f[i])};
    return Error{fmt::format("the model cannot be evaluated at t = {}", shortest(problem.t_start))};
  }
  double last_change = 0;
  bool was_satisfied = false;  // one step more polishes
  SquareSystem matrix;
  for (int iteration = 0;; ++iteration) {
    if (linear.update(e.at, view(std::as_const(problem.w)), view(std::as_const(f))) != EvalStatus::ok)
      return Error{fmt::format("the Jacobian cannot be evaluated at t = {}", shortest(problem.t_start))};
    Triplets entries;
    Vector terms = Vector::Zero(k);
    const SparsePattern& pattern = linear.jacobian_pattern();
    // |residual| at x is what rounding leaves of terms of size one at least.
    const auto good_enough_at = [&](const Vector& x, const Vector& f_there) {
      Vector unit_terms = Vector::Zero(k);
      for (int j = 0, p = 0; j < dae.size(); ++j)
        for (const int i : pattern.column(j)) {
          const double value = linear.jacobian()[static_cast<std::size_t>(p++)];
          const int row = place[static_cast<std::size_t>(i)];
          if (row >= 0) unit_terms[row] += std::abs(value) * std::max(std::abs(x[j]), 1.0);
        }
      return (f_there(rows).cwiseAbs().array() <= options.tolerance * unit_terms.array()).all();
    };
    for (int j = 0, p = 0; j < dae.size(); ++j)
      for (const int i : pattern.column(j)) {
        const double value = linear.jacobian()[static_cast<std::size_t>(p++)];
        const int row = place[static_cast<std::size_t>(i)], col = place[static_cast<std::size_t>(j)];
        if (row < 0) continue;
        terms[row] += std::abs(value * problem.x[j]);
        if (col >= 0) entries.emplace_back(row, col, value);
      }
    const Vector residual = f(rows);
    const bool satisfied = (residual.cwiseAbs().array() <= options.tolerance * terms.array()).all();
    const bool good_enough = good_enough_at(problem.x, f);
    if (satisfied && (was_satisfied || residual.isZero(0))) return {};
    was_satisfied = satisfied;
    Eigen::Index worst = 0;
    residual.cwiseAbs().maxCoeff(&worst);
    const std::string worst_name = layout.component_name(rows[static_cast<std::size_t>(worst)]);

    matrix.factor(detail::assembled(k, entries));
    if (!matrix.regular()) {
      if (good_enough) return {};
      return Error{fmt::format(
          "the algebraic equations do not determine {}: their Jacobian is singular (an index above one needs "
          "consistent values to begin with); residual {:.3g} in equation {}",
          named(layout, rows, matrix.weakest_direction()), residual[worst], worst_name)};
    }
    const Vector step = -matrix.solve(residual);
    const Vector weight = Vector(problem.x(rows)).cwiseAbs().cwiseMax(step.cwiseAbs()).cwiseMax(1e-300);
    const double length = step.cwiseQuotient(weight).norm();
    bool moved = false, was_shorter = false;
    for (double fraction = 1; fraction > 1e-6 && !moved; fraction /= 2) {
      Vector trial = problem.x, f_trial(dae.size());
      trial(rows) += fraction * step;
      if (!evaluate(trial, f_trial)) continue;
      const double next = matrix.solve(Vector(f_trial(rows))).cwiseQuotient(weight).norm();
      was_shorter = next <= (1 - fraction / 4) * length;
      // Of unknowns that are zero rounding errors remain, which get no shorter: what satisfies the equations is taken.
      if (!was_shorter && !good_enough_at(trial, f_trial)) continue;
      problem.x = trial;
      f = f_trial;
      moved = true;
    }
    e.at.x = view(std::as_const(problem.x));
    if (moved && !was_shorter) return {};
    const double change = step.cwiseAbs().maxCoeff();
    if (!moved || (good_enough && change >= last_change && iteration > 1)) {
      if (good_enough) return {};
      return Error{fmt::format("algebraic equation {} cannot be satisfied from this start: residual {:.3g} remains",
                               worst_name, residual[worst])};
    }
    if (iteration >= options.max_iterations)
      return Error{fmt::format("algebraic equation {} still has residual {:.3g} after {} iterations", worst_name,
                               residual[worst], iteration)};
    last_change = change;
  }
}

/// w = x' from the differential rows and the differentiated algebraic ones:
///   B w = f,   ∂f_a/∂x w = −∂f_a/∂t − ∂f_a/∂u u'.                                                    (1)
/// Where (1) is singular (index above one) the derivatives of algebraic unknowns are set to zero.
Result<void> solve_derivatives(const Dae& dae, InitialValueProblem& problem, const Evaluated& e,
                               Linearisation& linear) {
  const int n = dae.size();
  const Layout& layout = dae.layout();
  Vector f(n), f_t(n);
  const bool good = dae.f(e.at, view(f)) == EvalStatus::ok &&
                    linear.update(e.at, view(std::as_const(problem.w)), view(std::as_const(f))) == EvalStatus::ok &&
                    linear.time_derivative(e.at, view(std::as_const(problem.w)), view(e.u_rate), view(std::as_const(f)),
                                           1e-4 * (problem.t_end - problem.t_start), view(f_t)) == EvalStatus::ok;
  if (!good || !f.allFinite())
    return Error{fmt::format("the model cannot be evaluated at t = {}", shortest(problem.t_start))};

  const auto system = [&](bool differentiated) {
    Triplets entries;
    const SparsePattern &b = linear.mass_pattern(), &j = linear.jacobian_pattern();
    for (int col = 0, p = 0, q = 0; col < n; ++col) {
      for (const int row : b.column(col)) {
        const double value = linear.mass()[static_cast<std::size_t>(p++)];
        if (layout.kind(row) == Kind::differential) entries.emplace_back(row, col, value);
      }
      for (const int row : j.column(col)) {
        const double value = linear.jacobian()[static_cast<std::size_t>(q++)];
        if (differentiated && layout.kind(row) == Kind::algebraic) entries.emplace_back(row, col, value);
      }
      if (!differentiated && layout.kind(col) == Kind::algebraic) entries.emplace_back(col, col, 1.0);
    }
    return SquareSystem(n, entries);
  };
  Vector rhs = f;
  for (int i = 0; i < n; ++i)
    if (layout.kind(i) == Kind::algebraic) rhs[i] = -f_t[i];
  if (layout.has_algebraic()) {
    if (const SquareSystem whole = system(true); whole.regular()) {
      problem.w = whole.solve(rhs);  // (1)
      return {};
    }
    for (int i = 0; i < n; ++i)
      if (layout.kind(i) == Kind::algebraic) rhs[i] = 0;
  }
  const SquareSystem mass = system(false);
  if (!mass.regular()) {
    std::vector<int> all(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
    return Error{fmt::format("the mass matrix B is singular in {}, which {} declared differential",
                             named(layout, all, mass.weakest_direction()), n == 1 ? "is" : "are")};
  }
  problem.w = mass.solve(rhs);
  return {};
}

}  // namespace

Result<void> make_consistent(InitialValueProblem& problem, const ConsistentOptions& options) {
  if (!problem.dae) return Error{"the problem has no equations"};
  const Dae& dae = *problem.dae;
  const Layout& layout = dae.layout();
  if (problem.x.size() != dae.size())
    return Error{fmt::format("the start has {} values, the equations need {}", problem.x.size(), dae.size())};
  if (problem.w.size() == 0) problem.w = Vector::Zero(dae.size());
  if (problem.w.size() != dae.size() || problem.base.size() != dae.base_size())
    return Error{fmt::format("the start has {} derivatives and {} base values, the equations need {} and {}",
                             problem.w.size(), problem.base.size(), dae.size(), dae.base_size())};
  for (int i = 0; i < dae.size(); ++i)
    if (!std::isfinite(problem.x[i]))
      return Error{fmt::format("start value {} = {} is not a finite number", layout.component_name(i), problem.x[i])};
  const int n_inputs = dae.n_inputs();
  if (n_inputs > 0 && (!problem.input || problem.input->size() != n_inputs))
    return Error{fmt::format("the equations have {} inputs, {} are connected", n_inputs,
                             problem.input ? problem.input->size() : 0)};

  Evaluated e{.u = Vector::Zero(n_inputs),
              .u_rate = Vector::Zero(n_inputs),
              .memory = ScratchMemory(dae.scratch_bytes()),
              .at = {}};
  if (n_inputs > 0) problem.input->at(problem.t_start, view(e.u), view(e.u_rate));
  e.at = {.t = problem.t_start,
          .x = view(std::as_const(problem.x)),
          .u = view(std::as_const(e.u)),
          .base = view(std::as_const(problem.base)),
          .mode = problem.mode,
          .scratch = e.memory.scratch()};

  if (const auto* mechanics = dynamic_cast<const FormulatedDae*>(&dae);
      mechanics != nullptr && mechanics->formulation().level != Level::quasi_static)
    return of_mechanics(*mechanics, problem, e, options);

  auto linear = Linearisation::create(dae, e.at, JacobianSource::automatic);
  if (!linear) return Error{linear.error().message};
  std::vector<int> algebraic;
  for (int i = 0; i < dae.size(); ++i)
    if (layout.kind(i) == Kind::algebraic) algebraic.push_back(i);
  if (!algebraic.empty())
    if (auto ok = solve_algebraic(dae, problem, e, **linear, algebraic, options); !ok) return ok;
  e.at.x = view(std::as_const(problem.x));
  return solve_derivatives(dae, problem, e, **linear);
}

}  // namespace rubato
