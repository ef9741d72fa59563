#include "rubato/integrate/integrate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "krylov_check.hpp"
#include "run.hpp"

namespace rubato {

std::string_view to_string(RunStatus status) noexcept {
  switch (status) {
    case RunStatus::finished: return "finished";
    case RunStatus::event: return "ended by an event";
    case RunStatus::interrupted: return "interrupted";
    case RunStatus::step_too_small: return "step too small";
    case RunStatus::too_many_steps: return "too many steps";
    case RunStatus::singular_matrix: return "singular matrix";
    case RunStatus::krylov_failed: return "Krylov iteration failed";
    case RunStatus::not_finite: return "non-finite values";
    case RunStatus::newton_diverged: return "Newton iteration diverged";
    case RunStatus::model_refused: return "model refused";
    case RunStatus::out_of_memory: return "out of memory";
    case RunStatus::inconsistent: return "no consistent state";
    case RunStatus::unbounded: return "unstable solution";
  }
  return "?";
}

namespace {

Result<void> checked(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options) {
  if (!problem.dae) return Error{"the problem has no equations: InitialValueProblem::dae is null"};
  const Dae& dae = *problem.dae;
  if (auto result = checked(options, dae); !result) return result;
  if (!std::isfinite(problem.t_start) || !std::isfinite(problem.t_end) || !(problem.t_end > problem.t_start))
    return Error{
        fmt::format("t_end = {} must be later than t_start = {}, both finite", problem.t_end, problem.t_start)};
  if (problem.x.size() != dae.size())
    return Error{fmt::format("x has {} entries; the model has {} unknowns", problem.x.size(), dae.size())};
  if (problem.w.size() != 0 && problem.w.size() != dae.size())
    return Error{fmt::format("w has {} entries; it must be empty or have {}", problem.w.size(), dae.size())};
  if (problem.base.size() != dae.base_size())
    return Error{fmt::format("base has {} entries; the model's charts need {}", problem.base.size(), dae.base_size())};
  const int n_inputs = problem.input ? problem.input->size() : 0;
  if (n_inputs != dae.n_inputs())
    return Error{fmt::format("the input signal has {} channels; the model has {} inputs", n_inputs, dae.n_inputs())};
  for (int i = 0; i < dae.size(); ++i)
    if (!std::isfinite(problem.x[i]))
      return Error{
          fmt::format("the start value of {} is {}; it must be finite", dae.layout().component_name(i), problem.x[i])};
  if (options.step.fixed_step == 0 && method.info.embedded_order == 0)
    return Error{fmt::format("method '{}' has no error estimate: it needs step.fixed_step > 0", method.info.name)};
  if (options.linear.krylov.use) return krylov_checked(problem, method, options);
  return {};
}

}  // namespace

Result<std::unique_ptr<Stepper>> checked_stepper(const InitialValueProblem& problem, const Method& method,
                                                 const IntegrateOptions& options) {
  if (auto result = checked(problem, method, options); !result) return result.error();
  return method.make(method.info, problem, options);
}

Result<RunSummary> integrate(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options,
                             std::unique_ptr<Stepper> stepper, const RunControl& control) {
  return detail::Run(problem, method, options, control, std::move(stepper)).execute();
}

Result<RunSummary> integrate(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options,
                             const RunControl& control) {
  auto stepper = checked_stepper(problem, method, options);
  if (!stepper) return stepper.error();
  return integrate(problem, method, options, std::move(*stepper), control);
}

Result<RunSummary> integrate(const InitialValueProblem& problem, std::string_view method,
                             const IntegrateOptions& options, const RunControl& control) {
  const auto found = method_by_name(method);
  if (!found) return found.error();
  return integrate(problem, **found, options, control);
}

}  // namespace rubato
