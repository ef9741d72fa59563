/// Static equilibria, one or many, along a path or not.
#include <fmt/format.h>

#include <cmath>
#include <new>

#include "equilibrium.hpp"
#include "rubato/base/text.hpp"

namespace rubato {
namespace {

using detail::Equilibrium;
using detail::Start;

/// At rest, positions projected, dependent rows known, reactions of hard rows guessed.
Result<void> prepare_at_rest(Start& start) {
  start.state.v.setZero();
  start.state.a.setZero();
  start.state.nu.setZero();
  if (auto ok = start.check(); !ok) return ok;
  std::erase_if(start.hard, [&](int row) { return row >= start.n_g(); });  // rolling does not act at rest
  start.options.minimum_norm = false;
  if (auto ok = start.project_positions(); !ok) return ok;
  start.find_dependent_rows();
  if (auto ok = start.evaluated("masses and constraint forces"); !ok) return ok;
  // Multipliers of soft rows begin at the guess, those of a neighbour or zero: what g = 0 gives where loads or prescribed displacements have
  // jumped are pressures of the bulk modulus, with the stiffness of such pressures.
  const bool as_guessed =
      start.active == start.soft && start.algebraic_z.empty() && !start.forces_depend_on_multipliers();
  const MechanicalState projected = start.state;
  if (!as_guessed && !start.solve_accelerations()) start.state = projected;  // it was a first guess of λ only
  start.state.a.setZero();
  start.status = EvalStatus::ok;
  return {};
}

/// Set-up code allocates as it goes: what that throws ends the search and leaves the library as a sentence.
template <class Search>
Result<MechanicalState> within_memory(const char* caller, detail::EquilibriumWork& work, const Search& search) {
  try {
    return search();
  } catch (const std::bad_alloc&) {
    work = {.jacobian = {}, .matrix = {}, .counters = work.counters};
    return Error{fmt::format("{}: out of memory", caller)};
  }
}

}  // namespace

struct EquilibriumSolver::Work {
  detail::EquilibriumWork kept;
};

EquilibriumSolver::EquilibriumSolver(const MechanicalSystem& system, ConsistentOptions options, EquilibriumWatch watch)
    : system_(&system), options_(std::move(options)), watch_(std::move(watch)), work_(std::make_unique<Work>()) {}
EquilibriumSolver::~EquilibriumSolver() = default;
EquilibriumSolver::EquilibriumSolver(EquilibriumSolver&&) noexcept = default;
EquilibriumSolver& EquilibriumSolver::operator=(EquilibriumSolver&&) noexcept = default;

const EquilibriumCounters& EquilibriumSolver::counters() const noexcept { return work_->kept.counters; }

Result<MechanicalState> EquilibriumSolver::solve(const MechanicalState& guess, const Vector& u) {
  return within_memory("static_equilibrium", work_->kept, [&]() -> Result<MechanicalState> {
    ConsistentOptions options = options_;
    if (u.size() > 0) options.u = u;
    Start start(*system_, guess, options, "static_equilibrium");
    if (auto ok = prepare_at_rest(start); !ok) return ok.error();
    Equilibrium equilibrium(start, work_->kept, watch_);
    if (auto ok = equilibrium.solve(); !ok) return ok.error();
    if (options.minimum_norm) start.share_dependent_reactions();
    return start.state;
  });
}

Result<MechanicalState> EquilibriumSolver::path(const MechanicalState& guess, const PathOptions& options) {
  return within_memory("static_path", work_->kept, [&]() -> Result<MechanicalState> {
    Start start(*system_, guess, options_, "static_path");
    for (std::size_t i = 0; i < options.times.size(); ++i)
      if (const double before = i == 0 ? guess.t : options.times[i - 1];
          !(options.times[i] > before || (i == 0 && options.times[i] == before)) || !std::isfinite(options.times[i]))
        return start.error(
            fmt::format("times[{}] = {} is not after {}", i, shortest(options.times[i]), shortest(before)));
    if (auto ok = prepare_at_rest(start); !ok) return ok.error();
    Equilibrium equilibrium(start, work_->kept, watch_);
    if (auto ok = equilibrium.solve(); !ok) return ok.error();
    MechanicalState& here = start.state;
    MechanicalState last = here;  // before `here`, for the line through both
    const bool plain = system_->plain_coordinates();
    for (const double target : options.times) {
      double part = 1;  // of the way from the last equilibrium to the target
      while (here.t < target) {
        const MechanicalState kept = here;
        const double step = part * (target - kept.t);
        here.t = part == 1 ? target : kept.t + step;
        if (kept.t > last.t && plain) {
          const double ahead = (here.t - kept.t) / (kept.t - last.t);
          here.q += ahead * (kept.q - last.q);
          here.lambda += ahead * (kept.lambda - last.lambda);
          here.z += ahead * (kept.z - last.z);
        }
        bool found = equilibrium.newton();
        if (!found && !equilibrium.stopped()) {  // without the line
          start.status = EvalStatus::ok;
          const double t = here.t;
          here = kept;
          here.t = t;
          found = equilibrium.newton();
        }
        if (found) {
          last = kept;
          part = std::min(1.0, 2 * part);
          continue;
        }
        start.status = EvalStatus::ok;
        here = kept;
        if (equilibrium.stopped()) return start.error(fmt::format("stopped beyond t = {}", shortest(here.t)));
        part /= 2;
        if (part < 1.0 / 1024)
          return start.error(
              fmt::format("no equilibrium found beyond t = {} on the way to {}", shortest(here.t), shortest(target)));
      }
      if (options.found && !options.found(here)) break;
    }
    return here;
  });
}

Result<MechanicalState> static_equilibrium(const MechanicalSystem& system, const MechanicalState& guess,
                                           const ConsistentOptions& options, const EquilibriumWatch& watch) {
  return EquilibriumSolver(system, options, watch).solve(guess);
}

Result<MechanicalState> static_path(const MechanicalSystem& system, const MechanicalState& guess,
                                    const PathOptions& options) {
  return EquilibriumSolver(system, options.start, options.watch).path(guess, options);
}

}  // namespace rubato
