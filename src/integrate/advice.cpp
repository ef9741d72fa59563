#include "advice.hpp"

#include <fmt/format.h>

#include <vector>

#include "rubato/base/text.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato::detail {

namespace {

constexpr double near_rounding = 1e-9, near_rounding_at_index_3 = 1e-7;  ///< rtol at which rounding errors are felt
constexpr std::size_t most_advice = 3;

/// Another way to write the constraints: a lower index, stabilised first.
std::string other_formulation(const Dae& dae) {
  const auto* mechanics = dynamic_cast<const FormulatedDae*>(&dae);
  if (mechanics == nullptr) return {};
  switch (mechanics->formulation().level) {
    case Level::index_3: return "formulation index-2 or ggl";
    case Level::index_2: return "formulation ggl or index-1";
    case Level::ggl: return "formulation index-2 or index-1";
    case Level::eps_lambda: return dae.layout().index() > 1 ? "formulation ggl" : "formulation penalty";
    case Level::penalty: return "formulation eps-lambda";
    default: return {};
  }
}

std::string other_method(const MethodInfo& method, const Dae& dae) {
  const bool explicit_method = method.f_calls == 1 && method.kind == "Newmark";
  if (explicit_method) return "method radau, which is implicit";
  if (method.kind == "Runge-Kutta") return method.name == "radau5" ? "method bdf" : "method radau5 or bdf";
  if (method.kind == "Rosenbrock" && dae.layout().index() > 1) return "method radau or a formulation of index 1";
  return method.name == "radau" ? "method bdf" : "method radau";
}

/// Where derivatives may be to blame.
std::string other_jacobian(const Dae& dae, const LinearOptions& linear) {
  const bool of_model = dae.model_jacobian() != ModelJacobian::none &&
                        (linear.jacobian == JacobianSource::automatic || linear.jacobian == JacobianSource::model);
  if (of_model) return "linear.jacobian = differences, in case the model's own Jacobian is wrong";
  if (linear.jacobian == JacobianSource::differences && dae.dual() != nullptr)
    return "linear.jacobian = dual, exact derivatives";
  return {};
}

std::string other_tolerance(const Trouble& trouble) {
  const double rtol = trouble.options->tolerances.rtol;
  const double limit = trouble.dae->layout().index() >= 3 ? near_rounding_at_index_3 : near_rounding;
  return rtol > 0 && rtol <= limit ? "a larger tolerance (tolerances.rtol): rounding errors are near"
                                   : "a smaller tolerance (tolerances.rtol)";
}

std::string larger_tolerance(const Trouble& trouble) {
  if (trouble.dominating.empty()) return "a larger tolerance (tolerances.rtol, tolerances.atol)";
  return fmt::format("a larger tolerance for {} (tolerances.atol_of)", trouble.dominating);
}

/// Unstable solutions: methods that damp and iterate.
std::string damping_method(const MethodInfo& method) { return method.name == "radau" ? "method bdf" : "method radau"; }

std::vector<std::string> advices(const Trouble& trouble) {
  const MethodInfo& method = *trouble.method;
  const IntegrateOptions& options = *trouble.options;
  const Dae& dae = *trouble.dae;
  const bool fixed = options.step.fixed_step > 0;
  const std::string first_step = trouble.at_start && !fixed ? "another step.initial_step" : "";
  switch (trouble.status) {
    case RunStatus::newton_diverged:
      if (fixed)
        return {"a smaller step.fixed_step", "steps chosen by tolerances", other_jacobian(dae, options.linear)};
      if (method.kind == "Newmark" && options.newton.tolerance == 0)
        return {"newton.tolerance = 0.1", first_step, other_formulation(dae), other_method(method, dae)};
      return {other_jacobian(dae, options.linear), first_step, other_formulation(dae), other_method(method, dae),
              other_tolerance(trouble)};
    case RunStatus::singular_matrix:
      return {other_formulation(dae), other_jacobian(dae, options.linear), first_step, other_method(method, dae)};
    case RunStatus::krylov_failed: return {"krylov.factors = exact", "krylov.use = false"};
    case RunStatus::not_finite:
    case RunStatus::model_refused:
      if (fixed) return {"a smaller step.fixed_step"};
      return {first_step.empty() ? "" : "a smaller step.initial_step", "a smaller step.max_step",
              "smaller tolerances (tolerances.rtol, tolerances.atol)"};
    case RunStatus::step_too_small:
      return {larger_tolerance(trouble), other_formulation(dae), other_jacobian(dae, options.linear),
              other_method(method, dae)};
    case RunStatus::unbounded:
      return {fixed ? "a smaller step.fixed_step" : "a smaller tolerance (tolerances.rtol, tolerances.atol)",
              damping_method(method)};
    case RunStatus::too_many_steps:
      return {"a larger step.max_steps", larger_tolerance(trouble), other_method(method, dae)};
    default: return {};
  }
}

}  // namespace

std::string next_to_try(const Trouble& trouble) {
  auto words = advices(trouble);
  std::erase(words, std::string{});
  if (words.empty()) return {};
  if (words.size() > most_advice) words.resize(most_advice);
  const std::string last = words.back();
  words.pop_back();
  return words.empty() ? "; try " + last : fmt::format("; try {}, or {}", joined(words), last);
}

}  // namespace rubato::detail
