#include "task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "channels.hpp"
#include "command.hpp"
#include "index_choice.hpp"
#include "interrupts.hpp"
#include "model_instance.hpp"
#include "print.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/io/progress.hpp"
#include "rubato/multibody/system.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/derivative_unknowns.hpp"
#include "solid_instance.hpp"

namespace rubato::app {

namespace {

/// The mass matrix depends on the state and the method cannot have that: accelerations as unknowns make B constant.
std::string with_accelerations(const std::string& formulation) {
  const auto form = formulation_by_name(formulation);
  return form && form->kinetics == Kinetics::velocity ? formulation + "+a" : std::string{};
}

Result<catalogue::Parameters> checked_parameters(const io::RunConfig& config, const catalogue::Entry& entry) {
  catalogue::Parameters parameters;
  std::vector<std::string> names;
  for (const auto& p : entry.parameters) names.push_back(p.name);
  for (const auto& [name, value] : config.parameters) {
    const std::string key = "problem.parameters." + name;
    const auto known = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                    [&n = name](const catalogue::Parameter& p) { return p.name == n; });
    if (known == entry.parameters.end()) {
      const auto place = config.places.find(key);
      const io::Key* meant = io::key_ending_in(name);  // --set rtol=…: the table was forgotten
      if (meant != nullptr && place != config.places.end() && place->second == "--set " + name)
        return config.at(key, fmt::format("unknown key; did you mean '{}'?", meant->name));
      return config.at(key, names.empty() ? fmt::format("problem '{}' has no parameters", entry.name)
                                          : unknown_name("parameter of " + entry.name, name, names));
    }
    if (!(value >= known->min && value <= known->max))
      return config.at(key, fmt::format("{} is outside [{}, {}]{}{}", shortest(value), shortest(known->min),
                                        shortest(known->max), known->help.empty() ? "" : ": ", known->help));
    if (known->integer && value != std::floor(value))
      return config.at(key, fmt::format("{} is not a whole number{}{}", shortest(value),
                                        known->help.empty() ? "" : ": ", known->help));
    parameters[name] = value;
  }
  return parameters;
}

/// What the configuration names, in this formulation (empty: its own choice).
Result<catalogue::Instance> instance_of(const io::RunConfig& config, const catalogue::Parameters& parameters,
                                        const std::string& formulation, std::vector<std::string>& notes) {
  if (config.model != nullptr) return model_instance(config, formulation, notes);
  if (config.solid != nullptr) return solid_instance(config, formulation, notes);
  auto instance = catalogue::make_problem(config.problem, parameters, formulation);
  if (!instance) return config.at(formulation.empty() ? "problem" : "problem.formulation", instance.error().message);
  return instance;
}

Result<void> checked_names(const io::RunConfig& config, const Dae& dae) {
  std::vector<std::string> blocks;
  for (const auto& block : dae.layout().blocks()) blocks.push_back(block.name);
  std::vector<std::string> channels = dae.layout().component_names();
  for (const auto& [name, power] : config.options.step.h_power_of)
    if (dae.layout().find(name) == nullptr && std::find(channels.begin(), channels.end(), name) == channels.end()) {
      channels.insert(channels.begin(), blocks.begin(), blocks.end());
      return config.at("solver.h_power_of." + name, unknown_name("block or component", name, channels));
    }
  const auto all = channel_names(dae);
  const auto known = [&](const std::string& name) {
    for (std::size_t j = 0; j < all.size(); ++j)
      if (means_channel(name, dae.layout(), j, all[j])) return true;
    return false;
  };
  channels = all;
  for (const auto& name : blocks)
    if (std::find(channels.begin(), channels.end(), name) == channels.end()) channels.push_back(name);
  for (const auto& [key, names] :
       {std::pair{"output.channels", &config.output.channels}, {"output.plot", &config.output.plot}})
    for (const auto& name : *names)
      if (!known(name)) return config.at(key, unknown_name("channel", name, channels));
  return {};
}

/// What only problem and interval can judge.
Result<void> checked_output(const io::RunConfig& config, const InitialValueProblem& problem) {
  if (auto fine = io::checked_times(config, problem.t_start, problem.t_end); !fine) return fine;
  const auto& output = config.output;
  if (config.has_model()) return {};
  if (std::find(output.formats.begin(), output.formats.end(), "vtu") != output.formats.end())
    return config.at("output.formats", "\"vtu\" shows the bodies of a model file; this problem has none");
  if (output.animation_every > 0)
    return config.at("output.animation_every", "only model files have bodies to show; this problem has none");
  return {};
}

/// What the library says about an option, with the place of its key: "step.safety = 2 is not allowed: …".
Error placed(const io::RunConfig& config, const std::string& message) {
  const std::string words = in_run_file_words(message);
  std::string_view key;
  for (const auto& known : io::run_file_keys())
    if (words.starts_with(known.name) && known.name.size() > key.size()) key = known.name;
  if (key.empty()) return config.at("solver", words);
  std::string name(key);
  std::string_view rest = std::string_view(words).substr(key.size());
  const auto end = std::min(rest.find("] = "), rest.find("]: "));
  if (rest.starts_with('[') && end != std::string_view::npos) {  // of one entry
    name += fmt::format(".{}", rest.substr(1, end - 1));
    rest = rest.substr(end + 1);
  }
  for (const std::string_view joint : {" = ", ": "})
    if (rest.starts_with(joint)) return config.at(name, rest.substr(joint.size()));
  return config.at("solver", words);
}

/// Keys that somebody has set and that mean nothing to the method.
std::vector<std::string> unused_keys(const io::RunConfig& config, const MethodInfo& info) {
  const bool runge_kutta = info.kind == "Runge-Kutta", lobatto = info.name.starts_with("lobatto");
  std::vector<std::string> unused;
  for (const auto& key : io::run_file_keys()) {
    const std::string_view name = key.name;
    const bool of_lobatto = name == "solver.alpha0" || name == "solver.theta_of" || name == "solver.stage_solver";
    const bool iterates = info.kind != "Rosenbrock" && info.kind != "extrapolation";
    const bool of_newton =
        iterates ? name == "newton.extrapolate" || name == "newton.reuse_jacobian" : name.starts_with("newton.");
    const bool of_stages = of_lobatto || of_newton || name == "solver.estimate" || name == "solver.gamma0" ||
                           (name.starts_with("stiffness.") && name != "stiffness.detect");  // which has a note
    if (name == "newton.full" && info.kind != "Newmark" && !io::is_default(config, key)) {
      unused.push_back(key.name);
      continue;
    }
    const bool of_control = (info.name == "bdf" || (info.kind == "extrapolation" && info.f_calls == 0)) &&
                            (name == "solver.controller" || name == "solver.safety");
    // Radau with theta_of is refused by the library.
    if (!of_control && !(runge_kutta ? of_lobatto && !lobatto && name != "solver.theta_of" : of_stages)) continue;
    if (!io::is_default(config, key)) unused.push_back(key.name);
  }
  return unused;
}

/// Every component of the Dae is named by the catalogue's reference at the end time.
bool complete(const catalogue::Instance& instance) {
  const auto& reference = instance.reference;
  if (!reference || reference->t != instance.problem.t_end || instance.problem.dae->base_size() > 0) return false;
  const auto names = instance.problem.dae->layout().component_names();
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(reference->components.begin(), reference->components.end(), name) != reference->components.end();
  });
}

Vector from_catalogue(const catalogue::Instance& instance) {
  const auto names = instance.problem.dae->layout().component_names();
  const auto& reference = *instance.reference;
  Vector x(static_cast<Eigen::Index>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = std::find(reference.components.begin(), reference.components.end(), names[i]);
    x[static_cast<Eigen::Index>(i)] = reference.values[static_cast<std::size_t>(at - reference.components.begin())];
  }
  return x;
}

/// The state of one formulation, written in another of the same system.
std::optional<ReferenceState> translated(const InitialValueProblem& from, const RunSummary& end, const Dae& to) {
  const auto* source = dynamic_cast<const FormulatedDae*>(from.dae.get());
  const auto* target = dynamic_cast<const FormulatedDae*>(&to);
  if (source == nullptr || target == nullptr) return {};
  Vector u(source->n_inputs()), rate(source->n_inputs());
  if (from.input) from.input->at(end.t, view(u), view(rate));
  ScratchMemory memory(source->scratch_bytes());
  const At at{.t = end.t,
              .x = view(end.x),
              .u = view(std::as_const(u)),
              .base = view(end.base),
              .mode = end.mode,
              .scratch = memory.scratch()};
  MechanicalState state;
  if (source->unpack(at, view(end.w), state) != EvalStatus::ok) return {};
  ReferenceState reference{.x = {}, .base = end.base, .origin = {}};
  Vector w;
  target->pack(state, reference.x, w);
  if (reference.x.size() != to.size()) return {};
  return reference;
}

}  // namespace

void note(std::string_view sentence) { print_err("rubato: {}\n", sentence); }

int complain(const Error& error) {
  std::istringstream lines(error.message);
  for (std::string line; std::getline(lines, line);) note(line);
  return wrong_input;
}

bool approximate(const Dae& dae, JacobianSource jacobian) {
  return dae.model_jacobian() == ModelJacobian::approximate &&
         (jacobian == JacobianSource::automatic || jacobian == JacobianSource::model);
}

/// Positions in charts. The base alone does not tell: it also holds which dependent constraints are left out.
bool has_rotations(const Dae& dae) {
  const auto* formulated = dynamic_cast<const FormulatedDae*>(&dae);
  return formulated != nullptr ? !formulated->system().plain_coordinates() : dae.base_size() > 0;
}

bool suits(const MethodInfo& info, const Dae& dae, JacobianSource jacobian) {
  const bool newmark = info.kind == "Newmark";  // with rotations not in every formulation, explicit ones for ODEs only
  if (newmark && (has_rotations(dae) || (info.f_calls == 1 && dae.layout().has_algebraic()))) return false;
  return info.embedded_order > 0 && info.max_index >= dae.layout().index() &&
         (!info.needs_constant_mass || dae.constant_mass()) &&
         (!info.needs_exact_jacobian || !approximate(dae, jacobian));
}

bool is_strategy(const MethodInfo& info) {
  return info.kind == "Runge-Kutta" && !info.name.starts_with("radau") && !runge_kutta_by_name(info.name);
}

bool looks_for_stiffness(const Task& task) {
  const IntegrateOptions& options = task.config.options;
  if (task.method->info.kind != "Runge-Kutta") return false;
  return is_strategy(task.method->info) || options.stiffness.detect;
}

double two_digits(double value) { return std::stod(fmt::format("{:.1e}", value)); }

Tolerances tolerances_at(const Task& task, double rtol) {
  Tolerances tolerances = task.config.options.tolerances;
  for (auto& [name, atol] : tolerances.atol_of)
    if (std::ranges::find(task.chosen, name) != task.chosen.end()) atol *= rtol / tolerances.rtol;
  tolerances.rtol = rtol;
  tolerances.atol = task.instance.measure.atol_per_rtol * rtol;
  return tolerances;
}

std::string in_run_file_words(std::string message) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  for (const std::string_view group : {"step.", "tolerances.", "linear.", "runge_kutta."})
    for (auto at = message.find(group); at != std::string::npos; at = message.find(group, at + 1)) {
      const auto end = at + group.size();
      if ((at > 0 && (is_letter(message[at - 1]) || message[at - 1] == '.')) || end >= message.size() ||
          !is_letter(message[end]))
        continue;
      message.replace(at, group.size(), "solver.");
    }
  return message;
}

Result<io::RunConfig> named_config(const std::string& file_or_problem, const std::vector<std::string>& overrides) {
  std::error_code ignored;
  const bool is_file = !catalogue::problem_by_name(file_or_problem) &&
                       (file_or_problem.ends_with(".toml") || file_or_problem.find('/') != std::string::npos ||
                        std::filesystem::exists(file_or_problem, ignored));
  return is_file ? io::read_run_file(file_or_problem, overrides) : io::make_run_config(file_or_problem, overrides);
}

Result<Task> make_task(io::RunConfig config) {
  catalogue::Parameters parameters;
  if (!config.has_model()) {
    const auto entry = catalogue::problem_by_name(config.problem);
    if (!entry) return config.at("problem.name", entry.error().message);
    auto checked = checked_parameters(config, **entry);
    if (!checked) return checked.error();
    parameters = std::move(*checked);
  }
  Task task;
  auto instance = instance_of(config, parameters, config.formulation, task.notes);
  if (!instance) return instance.error();

  const bool large = config.solid != nullptr && instance->problem.dae->layout().index() <= 1;
  const std::string_view usual = large ? default_solid_method : default_method;
  const auto method = method_by_name(config.method.empty() ? usual : config.method);
  if (!method) return config.at("solver.method", method.error().message);
  task.method = *method;
  if (const auto there = available(config.options.linear.back_end); !there)
    return config.at("solver.back_end", there.error().message);
  if (!config.options.any_index) {
    const auto make = [&](const std::string& formulation, std::vector<std::string>& notes) {
      return instance_of(config, parameters, formulation, notes);
    };
    auto suited = suited_to_index(config, *task.method, std::move(*instance), make, task.notes);
    if (!suited) return suited.error();
    instance = std::move(suited);
  }
  if (task.method->info.needs_constant_mass && !instance->problem.dae->constant_mass()) {
    const std::string other = with_accelerations(instance->formulation);
    auto changed = other.empty() ? std::move(instance) : instance_of(config, parameters, other, task.notes);
    if (!changed) return changed.error();
    instance = std::move(changed);
    if (!other.empty())
      task.notes.push_back(fmt::format(
          "the mass matrix depends on the state and {} needs a constant one: formulation '{}' (accelerations "
          "as unknowns) is used",
          task.method->info.name, other));
    if (instance->system == nullptr) {  // a plain Dae
      InitialValueProblem plain = instance->problem;
      if (plain.w.size() == 0)
        if (const auto fine = make_consistent(plain); !fine) return config.at("problem", fine.error().message);
      auto wrapped = with_derivative_unknowns(plain);
      if (!wrapped) return config.at("problem", wrapped.error().message);
      instance->problem = std::move(*wrapped);
      task.notes.push_back(fmt::format(
          "the mass matrix depends on the state and {} needs a constant one: the derivatives become unknowns",
          task.method->info.name));
    }
  }
  task.instance = std::move(*instance);
  InitialValueProblem& problem = task.instance.problem;
  JacobianSource& jacobian = config.options.linear.jacobian;
  if (jacobian == JacobianSource::automatic && task.method->info.needs_exact_jacobian &&
      approximate(*problem.dae, jacobian)) {
    jacobian = problem.dae->dual() != nullptr ? JacobianSource::dual : JacobianSource::differences;
    task.notes.push_back(
        fmt::format("the model's own Jacobian is approximate and {} needs an exact one: derivatives by {}",
                    task.method->info.name, jacobian == JacobianSource::dual ? "dual numbers" : "finite differences"));
  }

  Tolerances& tolerances = config.options.tolerances;
  const auto given = tolerances.atol_of;
  if (const double ratio = task.instance.measure.atol_per_rtol;
      ratio != 1 && tolerances.rtol > 0 && !config.places.contains("solver.atol")) {
    tolerances.atol = ratio * tolerances.rtol;
    task.notes.push_back(
        fmt::format("atol = {:.3g} suits the size of the unknowns; solver.atol chooses another", tolerances.atol));
  }
  const auto* solid = dynamic_cast<const fem::SolidSystem*>(task.instance.system.get());
  if (config.solid != nullptr && solid != nullptr) {
    choose_tolerances(config, *solid, problem.dae->layout(), task.notes);
    task.recorded = looked_at(*problem.dae, config.output);
  }
  if (config.options.stiffness.detect && task.method->info.kind != "Runge-Kutta")
    task.notes.push_back(
        fmt::format("{} does not look for stiff coordinates (stiffness.detect): radau does", task.method->info.name));
  if (const auto keys = unused_keys(config, task.method->info); !keys.empty())
    task.notes.push_back(fmt::format("{} does not use {}", task.method->info.name, joined(keys)));

  if (config.t_start && *config.t_start != problem.t_start) {
    if (!problem.dae->autonomous() || problem.input)
      return config.at("time.start",
                       fmt::format("{}: the equations depend on time and the start values hold at t = {} only",
                                   shortest(*config.t_start), shortest(problem.t_start)));
    problem.t_end += *config.t_start - problem.t_start;
    problem.t_start = *config.t_start;
  }
  if (config.t_end && *config.t_end != problem.t_end) {
    if (!(*config.t_end > problem.t_start))
      return config.at("time.end", fmt::format("{} is not after the start, t = {}", shortest(*config.t_end),
                                               shortest(problem.t_start)));
    if (parameters.contains("t_end"))
      return config.at("time.end", fmt::format("{} contradicts the parameter t_end = {}; give one of them",
                                               shortest(*config.t_end), shortest(parameters.at("t_end"))));
    problem.t_end = *config.t_end;
  }
  if (config.model) choose_tolerances(config, problem, task.notes);
  for (const auto& [name, atol] : tolerances.atol_of)
    if (std::ranges::none_of(given, [&n = name](const auto& entry) { return entry.first == n; }))
      task.chosen.push_back(name);
  if (config.model)
    for (auto& note : multibody::notes_on_kinks(config.model->mechanism, problem.t_start, problem.t_end))
      task.notes.push_back(std::move(note));
  if (task.instance.reference && task.instance.reference->t != problem.t_end) task.instance.reference.reset();
  if (const auto fine = checked_names(config, *problem.dae); !fine) return fine.error();
  if (const auto fine = checked_output(config, problem); !fine) return fine.error();
  if (const auto fine = checked(config.options, *problem.dae); !fine) return placed(config, fine.error().message);

  if (std::string warning = index_warning(task.method->info, *problem.dae); !warning.empty())
    task.notes.push_back(std::move(warning));  // solver.any_index
  if (config.output.checkpoint_every < 0)
    config.options.checkpoint_every = config.output.checkpoint_every = io::checkpoint_every_of(problem.dae->size());
  config.formulation = task.instance.formulation;
  config.method = task.method->info.name;
  config.t_start = problem.t_start;
  config.t_end = problem.t_end;
  task.config = std::move(config);
  return task;
}

Result<ReferenceState> reference_state(const Task& task, double tolerance) {
  const InitialValueProblem& problem = task.instance.problem;
  if (complete(task.instance))
    return ReferenceState{from_catalogue(task.instance), problem.base,
                          fmt::format("the catalogue ({})", task.instance.reference->origin)};

  // Constraints of higher index: the same motion from the acceleration level, where tight tolerances can be met.
  catalogue::Instance instance = task.instance;
  if (problem.dae->layout().index() > 1 && instance.system) {
    catalogue::Parameters parameters;
    for (const auto& [name, value] : task.config.parameters) parameters[name] = value;
    std::vector<std::string> notes;
    auto other = instance_of(task.config, parameters, "index-1", notes);
    if (other) {
      instance = std::move(*other);
      instance.problem.t_start = problem.t_start;
      instance.problem.t_end = problem.t_end;
    }
  }
  const auto method = method_by_name("radau13");
  if (!method) return method.error();
  IntegrateOptions options = task.config.options;
  options.step = {};
  options.step.initial_step = task.instance.suggested_initial_step;
  options.step.max_steps = 20'000'000;
  options.tolerances.atol_of.clear();
  options.newton = {};
  options.runge_kutta = {};
  options.runge_kutta.map_tolerances = false;  // mapped, 1e-12 would mean 1e-8
  options.stiffness = {};
  std::string reason;
  for (double tol = tolerance; tol <= std::max(tolerance, 1e-7); tol *= 10) {  // what round-off does not allow
    options.tolerances.rtol = tol;
    options.tolerances.atol = instance.measure.atol_per_rtol * tol;
    io::Progress progress(problem.t_start, problem.t_end);
    Observer* const observers[] = {&progress};
    const auto end =
        integrate(instance.problem, **method, options, {.observers = observers, .stop = &stop_flag(), .resume = {}});
    if (!end) return Error{"no reference: " + in_run_file_words(end.error().message)};
    if (end->status == RunStatus::interrupted) return Error{"no reference: interrupted"};
    reason = end->reason;
    if (!completed(end->status)) continue;
    const std::string origin = fmt::format("a run of {} with tolerance {}{}", (*method)->info.name, shortest(tol),
                                           instance.formulation == task.instance.formulation
                                               ? std::string{}
                                               : fmt::format(" in formulation '{}'", instance.formulation));
    if (instance.problem.dae == problem.dae) return ReferenceState{end->x, end->base, origin};
    auto reference = translated(instance.problem, *end, *problem.dae);
    if (!reference) return Error{"no reference: the state could not be written in another formulation"};
    reference->origin = origin;
    return *reference;
  }
  return Error{"no reference: " + reason};
}

}  // namespace rubato::app
