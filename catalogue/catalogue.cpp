#include "catalogue/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catalogue/problems.hpp"
#include "rubato/base/text.hpp"

namespace rubato::catalogue {

namespace {

/// The one list. Names, help, command line and tests derive from it.
const std::vector<Entry>& list() {
  // clang-format off
  static const std::vector<Entry> entries{
      // first order
      prothero_robinson(), van_der_pol(), robertson(), robertson_dae(), quasi_linear(), orifice(), reaction_diffusion(), viscoelastic_plate(),
      // mechanical: classics of the literature
      oscillator(), prothero_robinson_2(), pendulum(), stiff_spring_pendulum(), stiff_spring_pendulum_source(), linear_dae(),
      andrews(), slider_crank(), slider_crank_15(), elastic_double_pendulum(), washing_machine(), truck_platform(),
      // mechanical: rotations, friction, rolling, variable mass, dependent rows, tables, many unknowns
      heavy_top(), lugre_oscillator(), rolling_disc(), double_pendulum(), overconstrained_loop(), tabulated_force(),
      mass_spring_lattice(), chain(), beam(), cam_impact(),
      // mechatronic
      robot_r3(), robot_r3_36(), drive_train(), hydraulic_orifices(), hydraulic_gearbox(), magnitude_counterexample(), rc_ladder(),
      // finite elements
      bushing(),
  };
  // clang-format on
  return entries;
}

std::vector<std::string> parameter_names(const Entry& entry) {
  std::vector<std::string> names;
  for (const auto& parameter : entry.parameters) names.push_back(parameter.name);
  return names;
}

/// Every parameter of the entry, given or by default; the error names problem, parameter, value and range.
Result<Parameters> completed(const Entry& entry, const Parameters& given) {
  Parameters complete;
  for (const auto& p : entry.parameters) complete[p.name] = p.default_value;
  for (const auto& [name, value] : given) {
    const auto declared = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                       [&wanted = name](const auto& p) { return p.name == wanted; });
    if (declared == entry.parameters.end())
      return Error{entry.name + ": " + unknown_name("parameter", name, parameter_names(entry))};
    if (!(value >= declared->min && value <= declared->max))  // written so that NaN is refused as well
      return Error{fmt::format("{}: {} = {} is outside [{}, {}]{}{}", entry.name, name, shortest(value),
                               shortest(declared->min), shortest(declared->max), declared->help.empty() ? "" : ": ",
                               declared->help)};
    if (declared->integer && value != std::floor(value))
      return Error{fmt::format("{}: {} = {} is not a whole number{}{}", entry.name, name, shortest(value),
                               declared->help.empty() ? "" : ": ", declared->help)};
    complete[name] = value;
  }
  return complete;
}

/// Where a component of a reference stands in the unknowns, or else in the mechanical state hidden in them.
class Components {
 public:
  Components(const Instance& instance, In x) : names_(instance.problem.dae->layout().component_names()), x_(x) {
    const auto* formulated = dynamic_cast<const FormulatedDae*>(instance.problem.dae.get());
    if (!formulated) return;
    const MechanicalSystem& system = formulated->system();
    ScratchMemory memory(formulated->scratch_bytes());
    At at{.t = instance.problem.t_end,
          .x = x,
          .u = {},
          .base = view(instance.problem.base),
          .mode = instance.problem.mode,
          .scratch = memory.scratch()};
    Vector u(system.sizes().u), rate(system.sizes().u);
    if (instance.problem.input) instance.problem.input->at(at.t, view(u), view(rate));
    at.u = view(std::as_const(u));
    MechanicalState state;
    const Vector w = Vector::Zero(formulated->size());
    if (formulated->unpack(at, view(w), state) != EvalStatus::ok) return;
    const std::pair<std::string_view, const Vector*> blocks[] = {
        {"q", &state.q}, {"v", &state.v}, {"z", &state.z}, {"lambda", &state.lambda}, {"nu", &state.nu}};
    for (const auto& [block, values] : blocks) {
      const auto own = system.names(block);
      for (Eigen::Index i = 0; i < values->size(); ++i) {
        names_.push_back(own.empty() ? fmt::format("{}[{}]", block, i) : own[static_cast<std::size_t>(i)]);
        hidden_.push_back((*values)[i]);
      }
    }
  }
  [[nodiscard]] std::optional<double> operator[](std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return i < x_.size() ? x_[i] : hidden_[i - x_.size()];
    return std::nullopt;
  }

 private:
  std::vector<std::string> names_;  // of the unknowns, then of the hidden values
  In x_;
  std::vector<double> hidden_;
};

}  // namespace

std::span<const Entry> problems() { return list(); }

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const auto& entry : list()) names.push_back(entry.name);
  return names;
}

Result<const Entry*> problem_by_name(std::string_view name) {
  for (const auto& entry : list())
    if (entry.name == name) return &entry;
  return Error{unknown_name("problem", name, problem_names())};
}

Result<Instance> make_problem(std::string_view name, const Parameters& parameters, std::string_view formulation) {
  const auto entry = problem_by_name(name);
  if (!entry) return entry.error();
  const Entry& problem = **entry;
  const auto complete = completed(problem, parameters);
  if (!complete) return complete.error();
  if (!formulation.empty()) {
    if (problem.formulations.empty())
      return Error{
          fmt::format("{}: formulation '{}' asked for, but this problem has one form only", problem.name, formulation)};
    // "ggl+a", "index-1:alpha=100": each level with other kinetics, or with parameters.
    const auto plain = formulation.substr(0, formulation.find_first_of("+:"));
    if (std::find(problem.formulations.begin(), problem.formulations.end(), plain) == problem.formulations.end())
      return Error{problem.name + ": " + unknown_name("formulation", formulation, problem.formulations)};
  }
  auto instance = problem.make(*complete, formulation);
  if (!instance) return Error{problem.name + ": " + instance.error().message};
  return instance;
}

std::optional<double> digits(const Instance& instance, In x) {
  if (!instance.reference) return std::nullopt;
  RUBATO_ASSERT(x.size() == static_cast<std::size_t>(instance.problem.dae->size()), "state of another size");
  const Reference& reference = *instance.reference;
  const Components components(instance, x);
  double worst = 0;
  for (std::size_t i = 0; i < reference.components.size(); ++i) {
    const auto value = components[reference.components[i]];
    if (!value) return std::nullopt;
    const double exact = reference.values[i];
    const double error = std::abs(*value - exact) / (instance.measure.atol + instance.measure.rtol * std::abs(exact));
    if (!std::isfinite(error)) return -std::numeric_limits<double>::infinity();
    worst = std::max(worst, error);
  }
  return -std::log10(std::max(worst, std::numeric_limits<double>::epsilon()));
}

std::vector<std::string> point_names(std::string_view block) {
  if (block == "q") return {"x", "y"};
  if (block == "v") return {"u", "w"};
  if (block == "a") return {"u_rate", "w_rate"};
  if (block == "p") return {"p_x", "p_y"};
  if (block == "lambda" || block == "mu") return {std::string(block)};
  return {};
}

Result<Instance> mechanical_instance(std::shared_ptr<const MechanicalSystem> system, const MechanicalState& guess,
                                     std::string_view formulation, Task task) {
  const auto chosen = formulation_by_name(formulation);
  if (!chosen) return chosen.error();
  ConstraintDiagnosis diagnosis;
  Vector u = Vector::Zero(system->sizes().u), u_rate = u;
  if (task.input) task.input->at(guess.t, view(u), view(u_rate));
  // Reactions of dependent rows are zero, as the formulation holds them.
  const auto start = consistent_state(*system, guess, {.minimum_norm = false, .u = u}, &diagnosis);
  if (!start) return start.error();
  auto dae = formulate(system, *chosen, diagnosis.dependent);
  if (!dae) return dae.error();
  Instance instance{.problem = {.dae = *dae,
                                .input = std::move(task.input),
                                .t_start = guess.t,
                                .t_end = task.t_end,
                                .x = {},
                                .base = (*dae)->base_of(*start),
                                .mode = start->mode},
                    .system = std::move(system),
                    .formulation = std::string(formulation),
                    .reference = std::move(task.reference),
                    .measure = std::move(task.measure),
                    .suggested_initial_step = task.initial_step};
  (*dae)->pack(*start, instance.problem.x, instance.problem.w, view(std::as_const(u)));
  return instance;
}

Instance dae_instance(std::shared_ptr<const Dae> dae, Vector x, Task task) {
  return {.problem = {.dae = std::move(dae), .input = std::move(task.input), .t_end = task.t_end, .x = std::move(x)},
          .reference = std::move(task.reference),
          .measure = std::move(task.measure),
          .suggested_initial_step = task.initial_step};
}

}  // namespace rubato::catalogue
