#include "rubato/integrate/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <unordered_set>

#include "rubato/base/text.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "tolerance_names.hpp"

namespace rubato {

namespace {

/// Collects the first refusal; every condition is written so that NaN fails it.
class OptionCheck {
 public:
  template <class Value>
  void allow(bool condition, std::string_view option, const Value& value, std::string_view allowed) {
    if (!condition && result_.ok())
      result_ = Error{fmt::format("{} = {} is not allowed: {}", option, text(value), allowed)};
  }
  /// The same where what is allowed takes some words to say: they are made for a refusal only.
  template <class Value, std::invocable Words>
  void allow(bool condition, std::string_view option, const Value& value, Words&& allowed) {
    if (!condition) allow(false, option, value, std::string_view(allowed()));
  }
  void refuse(std::string message) {
    if (result_.ok()) result_ = Error{std::move(message)};
  }
  [[nodiscard]] Result<void> result() const { return result_; }

 private:
  static std::string text(double value) { return shortest(value); }
  static std::string text(long value) { return std::to_string(value); }
  Result<void> result_;
};

bool finite_and_not_negative(double value) { return value >= 0 && std::isfinite(value); }

template <class Enum>
bool listed(Enum value, Enum last) {
  return static_cast<int>(value) >= 0 && static_cast<int>(value) <= static_cast<int>(last);
}

void check_tolerances(const Tolerances& tolerances, const Layout& layout, OptionCheck& check) {
  const double rtol = tolerances.rtol;
  check.allow(finite_and_not_negative(rtol), "tolerances.rtol", rtol, "a finite number, 0 or more");
  check.allow(rtol < 1, "tolerances.rtol", rtol, "less than 1 (1 would accept an error as large as the solution)");
  const auto check_atol = [&](const std::string& option, double atol) {
    check.allow(finite_and_not_negative(atol), option, atol, "a finite number, 0 or more");
    check.allow(atol > 0 || rtol > 0, option, atol, "more than 0 where tolerances.rtol is 0");
  };
  check_atol("tolerances.atol", tolerances.atol);

  if (tolerances.atol_of.empty()) return;
  std::vector<std::string> names;
  for (const Block& block : layout.blocks()) names.push_back(block.name);
  std::unordered_set<std::string> seen(names.begin(), names.end());
  for (const std::string& component : layout.component_names())
    if (seen.insert(component).second) names.push_back(component);
  for (auto entry = tolerances.atol_of.begin(); entry != tolerances.atol_of.end(); ++entry) {
    const auto& [name, atol] = *entry;
    if (std::ranges::none_of(names,
                             [&wanted = name](const auto& known) { return detail::means_component(wanted, known); }))
      check.refuse(
          fmt::format("tolerances.atol_of[{}]: {}", name,
                      unknown_name("block or component", name, names) + "; \"*.x\" stands for x of every part"));
    for (auto earlier = tolerances.atol_of.begin(); earlier != entry; ++earlier)
      if (earlier->first == name) check.refuse(fmt::format("tolerances.atol_of names '{}' twice", name));
    check_atol(fmt::format("tolerances.atol_of[{}]", name), atol);
  }
}

void check_step(const StepOptions& step, OptionCheck& check) {
  check.allow(finite_and_not_negative(step.fixed_step), "step.fixed_step", step.fixed_step,
              "a finite number of seconds, 0 for steps chosen by the error");
  check.allow(finite_and_not_negative(step.initial_step), "step.initial_step", step.initial_step,
              "a finite number of seconds, 0 for an automatic choice");
  check.allow(finite_and_not_negative(step.min_step), "step.min_step", step.min_step,
              "a finite number of seconds, 0 for 16 ulp of t");
  check.allow(step.max_step > 0, "step.max_step", step.max_step, "more than 0 seconds, infinity for no limit");
  const auto above_smallest = [&] { return fmt::format("not below step.min_step = {}", step.min_step); };
  const auto below_largest = [&] { return fmt::format("not above step.max_step = {}", step.max_step); };
  check.allow(step.max_step >= step.min_step, "step.max_step", step.max_step, above_smallest);
  check.allow(step.max_step >= step.initial_step, "step.initial_step", step.initial_step, below_largest);
  check.allow(step.max_step >= step.fixed_step, "step.fixed_step", step.fixed_step, below_largest);
  check.allow(step.fixed_step == 0 || step.fixed_step >= step.min_step, "step.fixed_step", step.fixed_step,
              above_smallest);
  check.allow(step.fixed_step == 0 || step.initial_step == 0, "step.initial_step", step.initial_step, [&] {
    return fmt::format("0 with step.fixed_step = {}: a fixed step leaves no choice", step.fixed_step);
  });
  check.allow(step.max_steps >= 1, "step.max_steps", step.max_steps, "1 or more");
  check.allow(step.reference_time > 0 && std::isfinite(step.reference_time), "step.reference_time", step.reference_time,
              "a finite number of seconds above 0");
  check.allow(step.safety > 0 && step.safety <= 1, "step.safety", step.safety, "a number in (0, 1]");
  check.allow(step.shrink_limit >= 0 && step.shrink_limit < 1, "step.shrink_limit", step.shrink_limit,
              "a number in (0, 1), 0 for the method's own");
  check.allow(step.growth_limit == 0 || (step.growth_limit > 1 && std::isfinite(step.growth_limit)),
              "step.growth_limit", step.growth_limit, "a finite number above 1, 0 for the method's own");
  check.allow(listed(step.norm, Norm::vector), "step.norm", static_cast<long>(step.norm),
              "rms, maximum, euclidean or vector");
  check.allow(listed(step.weight_at, WeightAt::start), "step.weight_at", static_cast<long>(step.weight_at),
              "both_ends or start");
  check.allow(listed(step.controller, Controller::digital_filter), "step.controller",
              static_cast<long>(step.controller), "elementary, pi, predictive, steady or digital_filter");
}

void check_h_powers(const StepOptions& step, const Layout& layout, OptionCheck& check) {
  if (step.h_power_of.empty()) return;
  std::vector<std::string> names = layout.component_names();
  for (const Block& block : layout.blocks()) names.push_back(block.name);
  for (const auto& [name, power] : step.h_power_of) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      check.refuse("step.h_power_of: " + unknown_name("block or component", name, names));
    check.allow(power >= 0 && power <= 7 && power == std::floor(power), fmt::format("step.h_power_of[{}]", name), power,
                "a whole number, 0 to 7");
  }
}

/// Names of components with what is asked of them.
void check_components(const IntegrateOptions& options, const Layout& layout, OptionCheck& check) {
  const StiffnessOptions& stiffness = options.stiffness;
  if (stiffness.candidates.empty() && stiffness.components.empty() && stiffness.frequency_of.empty() &&
      options.runge_kutta.theta_of.empty())
    return;
  std::vector<std::string> positions, names = layout.component_names();
  for (int i = 0; i < layout.size(); ++i)
    if (layout.unknown(i) == ScaledUnknown::position) positions.push_back(layout.component_name(i));
  const auto known = [&](const std::vector<std::string>& list, std::string_view option, std::string_view what,
                         const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end())
      check.refuse(fmt::format("{}: {}", option, unknown_name(what, name, list)));
  };
  for (const auto& name : stiffness.candidates) known(positions, "stiffness.candidates", "position", name);
  for (const auto& name : stiffness.components) known(positions, "stiffness.components", "position", name);
  for (const auto& [name, omega] : stiffness.frequency_of) {
    known(positions, "stiffness.frequency_of", "position", name);
    check.allow(omega > 0 && std::isfinite(omega), fmt::format("stiffness.frequency_of[{}]", name), omega,
                "a finite number of rad/s above 0");
  }
  for (const Block& block : layout.blocks()) names.push_back(block.name);
  for (const auto& [name, theta] : options.runge_kutta.theta_of) {
    known(names, "runge_kutta.theta_of", "block or component", name);
    check.allow(theta >= 0 && theta <= 1, fmt::format("runge_kutta.theta_of[{}]", name), theta, "a number in [0, 1]");
  }
}

void check_iteration(const IntegrateOptions& options, const Layout& layout, OptionCheck& check) {
  const NewtonOptions& newton = options.newton;
  check.allow(newton.max_iterations >= 0 && newton.max_iterations <= 1000, "newton.max_iterations",
              static_cast<long>(newton.max_iterations), "1 to 1000, 0 for the method's own");
  check.allow(finite_and_not_negative(newton.tolerance), "newton.tolerance", newton.tolerance,
              "a finite number above 0, 0 for an automatic choice");
  check.allow(listed(newton.norm, NewtonNorm::scaled), "newton.norm", static_cast<long>(newton.norm),
              "error, h_norm, plain or scaled");
  check.allow(newton.norm != NewtonNorm::scaled || newton.tolerance > 0, "newton.tolerance", newton.tolerance,
              "more than 0 with newton.norm = scaled: it is absolute there");
  const double reuse = newton.reuse_jacobian.value_or(0);
  check.allow(reuse >= 0 && reuse < 1, "newton.reuse_jacobian", reuse, "a number in [0, 1)");
  const RungeKuttaOptions& rk = options.runge_kutta;
  check.allow(listed(rk.estimate, ErrorEstimate::spark), "runge_kutta.estimate", static_cast<long>(rk.estimate),
              "filtered, plain or spark");
  check.allow(listed(rk.stage_solver, StageSolver::gmres), "runge_kutta.stage_solver",
              static_cast<long>(rk.stage_solver), "automatic, direct or gmres");
  check.allow(finite_and_not_negative(rk.gamma0), "runge_kutta.gamma0", rk.gamma0,
              "a finite number above 0, 0 for the method's own");
  check.allow(std::isfinite(rk.alpha0) && (rk.alpha0 >= 0 || rk.alpha0 == -1), "runge_kutta.alpha0", rk.alpha0,
              "a finite number, 0 or more, −1 for the default of the family");
  const StiffnessOptions& stiffness = options.stiffness;
  check.allow(listed(stiffness.measure, StiffnessMeasure::responses), "stiffness.measure",
              static_cast<long>(stiffness.measure), "frequencies, estimates or responses");
  check.allow(stiffness.attempts >= 1, "stiffness.attempts", stiffness.attempts, "1 or more");
  check.allow(stiffness.threshold < 0, "stiffness.threshold", stiffness.threshold, "a negative number");
  check.allow(stiffness.group_threshold < 0, "stiffness.group_threshold", stiffness.group_threshold,
              "a negative number");
  check.allow(stiffness.group_gap > 0, "stiffness.group_gap", stiffness.group_gap, "a number above 0");
  check_components(options, layout, check);
}

/// Parts of the model and their tables.
void check_parts(const RungeKuttaOptions& rk, const Dae& dae, OptionCheck& check) {
  if (rk.parts.empty()) return;
  const auto known = dae.part_names();
  if (known.size() < 2)
    return check.refuse(
        "runge_kutta.parts: this model has no additive parts; a mechanical system has those of its forces in the "
        "formulations with v (constant mass matrix), momentum or hamilton");
  for (auto entry = rk.parts.begin(); entry != rk.parts.end(); ++entry) {
    const auto& [name, text] = *entry;
    if (std::find(known.begin(), known.end(), name) == known.end())
      check.refuse("runge_kutta.parts: " + unknown_name("part", name, known));
    for (auto earlier = rk.parts.begin(); earlier != entry; ++earlier)
      if (earlier->first == name) check.refuse(fmt::format("runge_kutta.parts names part '{}' twice", name));
    const auto table = runge_kutta_by_name(text);
    if (!table)
      check.refuse(fmt::format("runge_kutta.parts[{}]: {}", name, table.error().message));
    else if (table->family < RungeKuttaFamily::lobatto_iiia)
      check.refuse(fmt::format("runge_kutta.parts[{}] = {} is not allowed: Lobatto methods only, they share b and c",
                               name, text));
  }
}

void check_linear(const LinearOptions& linear, const Dae& dae, OptionCheck& check) {
  check.allow(listed(linear.scaling, ScalingMode::lambda_and_v), "linear.scaling", static_cast<long>(linear.scaling),
              "none, left, lambda or lambda_and_v");
  const double k_ave = linear.k_ave.value_or(1), m_ave = linear.m_ave.value_or(1);
  check.allow(finite_and_not_negative(k_ave), "linear.k_ave", k_ave, "a finite stiffness, 0 or more");
  check.allow(finite_and_not_negative(m_ave), "linear.m_ave", m_ave, "a finite mass, 0 or more");
  check.allow(k_ave > 0 || m_ave > 0, "linear.k_ave", k_ave, "more than 0 where linear.m_ave is 0");
  if (linear.jacobian == JacobianSource::model && dae.model_jacobian() == ModelJacobian::none)
    check.refuse("linear.jacobian = model is not allowed: this model supplies no Jacobian; use automatic");
  if (linear.jacobian == JacobianSource::dual && dae.dual() == nullptr)
    check.refuse(
        "linear.jacobian = dual is not allowed: this model is not written as a template over the scalar; "
        "use automatic or differences");
}

}  // namespace

Result<void> checked(const IntegrateOptions& options, const Dae& dae) {
  OptionCheck check;
  check_tolerances(options.tolerances, dae.layout(), check);
  check_step(options.step, check);
  check_h_powers(options.step, dae.layout(), check);
  check_iteration(options, dae.layout(), check);
  check_parts(options.runge_kutta, dae, check);
  check_linear(options.linear, dae, check);
  for (const auto& block : dae.layout().blocks())
    check.allow(block.h_power >= 0 && block.h_power <= 7, "h_power of block " + block.name,
                static_cast<long>(block.h_power), "0 to 7");
  check.allow(finite_and_not_negative(options.event_tolerance), "event_tolerance", options.event_tolerance,
              "a finite number of seconds, 0 for an automatic choice");
  check.allow(options.checkpoint_every >= 0, "checkpoint_every", options.checkpoint_every,
              "a number of accepted steps, 0 for no checkpoints");
  return check.result();
}

}  // namespace rubato
