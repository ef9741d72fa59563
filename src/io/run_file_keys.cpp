#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/toml_text.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/io/run_file.hpp"
#include "rubato/io/solid_file.hpp"

namespace rubato::io {

namespace {

/// Where an enumeration lives, as its underlying byte.
template <class Enum>
Field choice(Enum& value) noexcept {
  static_assert(sizeof(Enum) == 1);
  return reinterpret_cast<std::uint8_t*>(&value);  // unsigned char may alias anything
}

template <class Enum>
std::uint8_t byte(Enum value) noexcept {
  return static_cast<std::uint8_t>(value);
}

std::vector<Choice> back_end_choices() {
  std::vector<Choice> all = {{"automatic", byte(BackEnd::automatic), "by size and fill"}};
  for (const auto& entry : back_ends())
    if (entry.id != BackEnd::automatic)
      all.push_back({std::string(entry.name), byte(entry.id), std::string(entry.help)});
  return all;
}

// The one table of keys, in the order of the documentation.
std::vector<Key> all_keys() {
  using C = RunConfig;
  return {
      {.name = "title",
       .help = "printed above pictures, kept in results",
       .field = [](C& c) -> Field { return &c.title; }},

      {.name = "problem.name",
       .help = "which problem of the catalogue (`rubato list problems`)",
       .default_text = "must be given",
       .field = [](C& c) -> Field { return &c.problem; }},
      {.name = "problem.formulation",
       .help = "how constraints are written (`rubato list formulations`)",
       .default_text = "the problem's own",
       .field = [](C& c) -> Field { return &c.formulation; }},
      {.name = "problem.parameters",
       .help = "parameters of the problem by name (`rubato list problems --format json`)",
       .default_text = "the problem's own",
       .field = [](C& c) -> Field { return &c.parameters; }},

      {.name = "solver.method",
       .help = "integration method (`rubato list methods`)",
       .default_text = "radau",
       .field = [](C& c) -> Field { return &c.method; }},
      {.name = "solver.rtol",
       .help = "relative tolerance of the local error",
       .min = 0,
       .max = 1,
       .field = [](C& c) -> Field { return &c.options.tolerances.rtol; }},
      {.name = "solver.atol",
       .help = "absolute tolerance, in the unit of each component; some problems bring their own",
       .min = 0,
       .field = [](C& c) -> Field { return &c.options.tolerances.atol; }},
      {.name = "solver.atol_of",
       .help = "other absolute tolerances for single blocks, by name",
       .min = 0,
       .default_text = "none",
       .field = [](C& c) -> Field { return &c.options.tolerances.atol_of; }},
      {.name = "solver.fixed_step",
       .help = "every step has this size: no error control",
       .unit = "s",
       .min = 0,
       .min_excluded = true,
       .default_text = "off: the tolerances decide",
       .field = [](C& c) -> Field { return &c.options.step.fixed_step; }},
      {.name = "solver.initial_step",
       .help = "size of the first step tried",
       .unit = "s",
       .min = 0,
       .default_text = "chosen",
       .field = [](C& c) -> Field { return &c.options.step.initial_step; }},
      {.name = "solver.min_step",
       .help = "a run that needs smaller steps ends",
       .unit = "s",
       .min = 0,
       .default_text = "16 ulp of t",
       .field = [](C& c) -> Field { return &c.options.step.min_step; }},
      {.name = "solver.max_step",
       .help = "no step is larger",
       .unit = "s",
       .min = 0,
       .min_excluded = true,
       .may_be_infinite = true,
       .field = [](C& c) -> Field { return &c.options.step.max_step; }},
      {.name = "solver.max_steps",
       .help = "a run that needs more attempts ends",
       .min = 1,
       .field = [](C& c) -> Field { return &c.options.step.max_steps; }},
      {.name = "solver.norm",
       .help = "how the errors of the components become one number",
       .choices = {{"rms", byte(Norm::rms), "root of the mean square"},
                   {"maximum", byte(Norm::maximum), "largest component"},
                   {"euclidean", byte(Norm::euclidean), "root of the sum of squares"}},
       .field = [](C& c) { return choice(c.options.step.norm); }},
      {.name = "solver.weight_at",
       .help = "where in a step the relative tolerance is measured",
       .choices = {{"both-ends", byte(WeightAt::both_ends), "the larger of both"},
                   {"start", byte(WeightAt::start), "as RADAU5 does: stricter where a component leaves zero"}},
       .field = [](C& c) { return choice(c.options.step.weight_at); }},
      {.name = "solver.h_scaling",
       .help = "multiply errors of velocities and multipliers by powers of h",
       .field = [](C& c) -> Field { return &c.options.step.h_scaling; }},
      {.name = "solver.reference_time",
       .help = "the time h is compared with in h_scaling",
       .unit = "s",
       .min = 0,
       .min_excluded = true,
       .field = [](C& c) -> Field { return &c.options.step.reference_time; }},
      {.name = "solver.h_power_of",
       .help = "other powers of h than the formulation's, for blocks or single components, by name",
       .min = 0,
       .max = 7,
       .default_text = "none",
       .field = [](C& c) -> Field { return &c.options.step.h_power_of; }},
      {.name = "solver.controller",
       .help = "how step sizes follow from errors (`rubato list controllers`)",
       .choices = {{"elementary", byte(Controller::elementary), "from the last error alone"},
                   {"pi", byte(Controller::pi), "proportional-integral: smoother than elementary"},
                   {"predictive", byte(Controller::predictive),
                    "extrapolates the trend of error and step (Gustafsson)"},
                   {"steady", byte(Controller::steady), "predictive, but calm where errors swing"},
                   {"digital-filter", byte(Controller::digital_filter), "low-pass filter for the smoothest sequences"}},
       .field = [](C& c) { return choice(c.options.step.controller); }},
      {.name = "solver.safety",
       .help = "the fraction of the estimated best step that is tried",
       .min = 0,
       .max = 1,
       .min_excluded = true,
       .field = [](C& c) -> Field { return &c.options.step.safety; }},
      {.name = "solver.shrink_limit",
       .help = "a step is at least this fraction of the one before",
       .min = 0,
       .max = 1,
       .default_text = "the method's own",
       .field = [](C& c) -> Field { return &c.options.step.shrink_limit; }},
      {.name = "solver.growth_limit",
       .help = "a step is at most this multiple of the one before",
       .min = 0,
       .default_text = "the method's own",
       .field = [](C& c) -> Field { return &c.options.step.growth_limit; }},
      {.name = "solver.map_tolerances",
       .help = "Radau methods below index 3: rtol becomes 0.1 rtol^((s+1)/(2s)), since the estimate has a lower order",
       .field = [](C& c) -> Field { return &c.options.runge_kutta.map_tolerances; }},
      {.name = "solver.estimate",
       .help = "error estimate of Runge-Kutta methods",
       .choices = {{"filtered", byte(ErrorEstimate::filtered),
                    "the embedded difference, damped where the method damps"},
                   {"plain", byte(ErrorEstimate::plain), "the embedded difference itself"},
                   {"spark", byte(ErrorEstimate::spark), "of order 1, squared; Lobatto, three stages; to compare"}},
       .field = [](C& c) { return choice(c.options.runge_kutta.estimate); }},
      {.name = "solver.gamma0",
       .help = "γ₀ of the filter (I − hγ₀J)⁻¹ in the estimate",
       .min = 0,
       .default_text = "the method's own",
       .field = [](C& c) -> Field { return &c.options.runge_kutta.gamma0; }},
      {.name = "solver.alpha0",
       .help = "α₀, the free parameter of the Lobatto estimates",
       .min = 0,
       .default_text = "the family's own",
       .field = [](C& c) -> Field { return &c.options.runge_kutta.alpha0; }},
      {.name = "solver.theta_of",
       .help = "blended Lobatto methods: another theta for blocks or single components, by name",
       .min = 0,
       .max = 1,
       .default_text = "none",
       .field = [](C& c) -> Field { return &c.options.runge_kutta.theta_of; }},
      {.name = "solver.stage_solver",
       .help = "how stages are solved whose coefficients differ from component to component",
       .choices = {{"automatic", byte(StageSolver::automatic), "by size"},
                   {"direct", byte(StageSolver::direct), "one factorisation of all stages"},
                   {"gmres", byte(StageSolver::gmres), "GMRES, preconditioned with Lobatto IIIC"}},
       .field = [](C& c) { return choice(c.options.runge_kutta.stage_solver); }},
      {.name = "solver.back_end",
       .help = "linear solver (`rubato list back-ends`)",
       .choices = back_end_choices(),
       .field = [](C& c) { return choice(c.options.linear.back_end); }},
      {.name = "solver.condense",
       .help = "eliminate local unknowns (v, a, …) before factorising",
       .field = [](C& c) -> Field { return &c.options.linear.condense; }},
      {.name = "solver.jacobian",
       .help = "where derivatives come from",
       .choices = {{"automatic", byte(JacobianSource::automatic), "the best the model offers"},
                   {"model", byte(JacobianSource::model), "the model's own"},
                   {"dual", byte(JacobianSource::dual), "dual numbers: exact"},
                   {"differences", byte(JacobianSource::differences), "coloured finite differences"}},
       .field = [](C& c) { return choice(c.options.linear.jacobian); }},
      {.name = "solver.event_tolerance",
       .help = "how exactly events are located",
       .unit = "s",
       .min = 0,
       .default_text = "1e-12 of the interval",
       .field = [](C& c) -> Field { return &c.options.event_tolerance; }},

      {.name = "linear.scaling",
       .help = "what of the step matrix is scaled, so that its condition does not grow as h shrinks",
       .choices = {{"none", byte(ScalingMode::none), "nothing"},
                   {"left", byte(ScalingMode::left), "rows: condition h⁻² at index 3 instead of h⁻³"},
                   {"lambda", byte(ScalingMode::lambda), "rows and multipliers: h⁻¹"},
                   {"full", byte(ScalingMode::lambda_and_v), "rows, multipliers and velocities: independent of h"}},
       .field = [](C& c) { return choice(c.options.linear.scaling); }},
      {.name = "linear.k_ave",
       .help = "typical stiffness: multipliers are measured in k_ave + m_ave/h²",
       .min = 0,
       .default_text = "the model's average",
       .field = [](C& c) -> Field { return &c.options.linear.k_ave; }},
      {.name = "linear.m_ave",
       .help = "typical mass in k_ave + m_ave/h²; 0: multipliers are measured in k_ave at any h",
       .min = 0,
       .default_text = "the model's average",
       .field = [](C& c) -> Field { return &c.options.linear.m_ave; }},

      {.name = "newton.max_iterations",
       .help = "iterations after which a step is tried again with a smaller size",
       .min = 0,
       .max = 1000,
       .default_text = "the method's own: 7 for three stages",
       .field = [](C& c) -> Field { return &c.options.newton.max_iterations; }},
      {.name = "newton.tolerance",
       .help = "where the iteration stops, as a fraction of the tolerance of the step",
       .min = 0,
       .default_text = "chosen from rtol",
       .field = [](C& c) -> Field { return &c.options.newton.tolerance; }},
      {.name = "newton.norm",
       .help = "in which norm the iteration is measured",
       .choices = {{"error", byte(NewtonNorm::error), "that of the error"},
                   {"h-norm", byte(NewtonNorm::h_norm), "velocities times h, accelerations and multipliers times h²"},
                   {"plain", byte(NewtonNorm::plain), "no powers of h"},
                   {"scaled", byte(NewtonNorm::scaled),
                    "the unknowns of linear.scaling; newton.tolerance is absolute"}},
       .field = [](C& c) { return choice(c.options.newton.norm); }},
      {.name = "newton.extrapolate",
       .help = "start from the last step's polynomial; false: from the state",
       .field = [](C& c) -> Field { return &c.options.newton.extrapolate; }},
      {.name = "newton.full",
       .help = "generalized-alpha and its kin: a new Jacobian in every iteration, for comparison",
       .field = [](C& c) -> Field { return &c.options.newton.full; }},
      {.name = "newton.limit_growth",
       .help = "keep steps where the iteration is likely to converge; false: find out by failing",
       .field = [](C& c) -> Field { return &c.options.newton.limit_growth; }},
      {.name = "newton.reuse_jacobian",
       .help = "the Jacobian is kept while the iteration contracts at least this fast; 0: never",
       .min = 0,
       .max = 1,
       .default_text = "0.01 for Runge-Kutta methods with error control, else 0.001",
       .field = [](C& c) -> Field { return &c.options.newton.reuse_jacobian; }},

      {.name = "stiffness.detect",
       .help = "find the stiff coordinates; their velocities are then tested with one more power of h",
       .field = [](C& c) -> Field { return &c.options.stiffness.detect; }},
      {.name = "stiffness.measure",
       .help = "how they are found: from frequencies in the Jacobian, or from two error estimates in the first steps",
       .choices = {{"frequencies", byte(StiffnessMeasure::frequencies), "the set that justifies the largest step"},
                   {"estimates", byte(StiffnessMeasure::estimates), "filtered against plain, as published"}},
       .field = [](C& c) { return choice(c.options.stiffness.measure); }},
      {.name = "stiffness.threshold",
       .help = "stiff: −log₁₀(1 + (γ₀ωh)²), or ζ = log₁₀(filtered/plain estimate), below this",
       .max = 0,
       .field = [](C& c) -> Field { return &c.options.stiffness.threshold; }},
      {.name = "stiffness.candidates",
       .help = "positions that may be stiff, e.g. [\"q[5]\", \"q[6]\"]",
       .default_text = "all that no constraint determines",
       .field = [](C& c) -> Field { return &c.options.stiffness.candidates; }},
      {.name = "stiffness.components",
       .help = "positions known to be stiff: treated so from the start",
       .default_text = "none",
       .field = [](C& c) -> Field { return &c.options.stiffness.components; }},
      {.name = "stiffness.frequency_of",
       .help = "angular frequencies of stiff positions known beforehand, by name",
       .unit = "rad/s",
       .min = 0,
       .default_text = "none",
       .field = [](C& c) -> Field { return &c.options.stiffness.frequency_of; }},
      {.name = "stiffness.accelerations",
       .help = "scale the accelerations of stiff coordinates as well, where they are unknowns",
       .field = [](C& c) -> Field { return &c.options.stiffness.accelerations; }},
      {.name = "stiffness.attempts",
       .help = "estimates: how many attempts are looked at; in more than a third of them ζ must be below the threshold",
       .min = 1,
       .field = [](C& c) -> Field { return &c.options.stiffness.attempts; }},
      {.name = "stiffness.accepted_only",
       .help = "estimates: look at accepted steps instead of all attempts",
       .field = [](C& c) -> Field { return &c.options.stiffness.accepted_only; }},
      {.name = "stiffness.grouping",
       .help = "estimates: separate stiff from other coordinates by a gap in the averages of ζ instead of counting",
       .field = [](C& c) -> Field { return &c.options.stiffness.grouping; }},
      {.name = "stiffness.group_threshold",
       .help = "grouping: the middle of the gap lies below this",
       .max = 0,
       .field = [](C& c) -> Field { return &c.options.stiffness.group_threshold; }},
      {.name = "stiffness.group_gap",
       .help = "grouping: the gap is larger than this",
       .min = 0,
       .min_excluded = true,
       .field = [](C& c) -> Field { return &c.options.stiffness.group_gap; }},
      {.name = "stiffness.continuous",
       .help = "estimates: go on looking after the first attempts; a coordinate may become stiff, or cease to be",
       .field = [](C& c) -> Field { return &c.options.stiffness.continuous; }},

      {.name = "time.start",
       .help = "start time",
       .unit = "s",
       .default_text = "the problem's own",
       .field = [](C& c) -> Field { return &c.t_start; }},
      {.name = "time.end",
       .help = "end time",
       .unit = "s",
       .default_text = "the problem's own",
       .field = [](C& c) -> Field { return &c.t_end; }},

      {.name = "output.every",
       .help = "a row of results every so many seconds, by interpolation",
       .unit = "s",
       .min = 0,
       .min_excluded = true,
       .default_text = "off",
       .field = [](C& c) -> Field { return &c.output.every; }},
      {.name = "output.times",
       .help = "rows of results at these times, by interpolation",
       .unit = "s",
       .default_text = "off",
       .field = [](C& c) -> Field { return &c.output.times; }},
      {.name = "output.steps",
       .help = "rows of results at the steps the method chose",
       .choices = {{"all", 0, "every accepted step"}},
       .default_text = "\"all\", unless `every` or `times` is given",
       .field = [](C& c) -> Field { return &c.output.steps; }},
      {.name = "output.formats",
       .help = "files to write; model files also have \"vtu\" unless this is given",
       .choices = {{"csv", 0, "solution.csv"},
                   {"hdf5", 0, "solution.h5"},
                   {"svg", 0, "pictures"},
                   {"vtu", 0, "motion.pvd, an animation of a model file for ParaView"}},
       .field = [](C& c) -> Field { return &c.output.formats; }},
      {.name = "output.animation_every",
       .help = "seconds between the frames of motion.pvd",
       .unit = "s",
       .min = 0,
       .min_excluded = true,
       .default_text = "a hundredth of the run",
       .field = [](C& c) -> Field { return &c.output.animation_every; }},
      {.name = "output.channels",
       .help = "channels kept in solution.csv and solution.h5, named as in `plot`",
       .default_text = "all",
       .field = [](C& c) -> Field { return &c.output.channels; }},
      {.name = "output.plot",
       .help =
           "channels of the picture, e.g. [\"q[0]\", \"lambda[0]\"], whole blocks, [\"q\"], or patterns, [\"hinge.*\"]",
       .default_text = "all unknowns",
       .field = [](C& c) -> Field { return &c.output.plot; }},
      {.name = "output.time_axis",
       .help = "time in the pictures; logarithmic for runs over many decades",
       .choices = {{"linear", byte(Scale::linear), "equal steps"},
                   {"logarithmic", byte(Scale::logarithmic), "equal factors; t > 0 only"}},
       .field = [](C& c) { return choice(c.output.time_axis); }},
      {.name = "output.checkpoint_every",
       .help = "accepted steps between checkpoints, from which `--resume` continues; 0: none",
       .min = 0,
       .field = [](C& c) -> Field { return &c.output.checkpoint_every; }},
  };
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

std::string range_words(const Key& key, std::string_view noun) {
  const bool low = key.min > -1e300, high = key.max < 1e300;
  const std::string_view over = key.min_excluded ? ">" : "≥";
  std::string words(noun);
  if (low && high)
    words += fmt::format(" {} {} and ≤ {}", over, shortest(key.min), shortest(key.max));
  else if (low)
    words += fmt::format(" {} {}", over, shortest(key.min));
  else if (high)
    words += fmt::format(" ≤ {}", shortest(key.max));
  if (!key.unit.empty()) words += fmt::format(", in {}", key.unit);
  return words;
}

std::string choice_names(const Key& key) {
  std::vector<std::string> names;
  for (const auto& c : key.choices) names.push_back(c.name);
  return joined(names);
}

std::string toml_of(const Key& key, const Field& field) {
  return std::visit(
      Overloaded{[](const std::string* v) { return toml_text(*v); }, [](const double* v) { return toml_text(*v); },
                 [](const std::optional<double>* v) { return *v ? toml_text(**v) : std::string{}; },
                 [](const long* v) { return fmt::format("{}", *v); },
                 [](const int* v) { return fmt::format("{}", *v); },
                 [](const bool* v) { return std::string(*v ? "true" : "false"); },
                 [&](const std::uint8_t* v) {
                   for (const auto& c : key.choices)
                     if (c.value == *v) return toml_text(c.name);
                   return std::string("\"?\"");
                 },
                 [](const std::vector<double>* v) {
                   std::vector<std::string> parts;
                   for (const double x : *v) parts.push_back(toml_text(x));
                   return fmt::format("[{}]", joined(parts));
                 },
                 [](const std::vector<std::string>* v) {
                   std::vector<std::string> parts;
                   for (const auto& x : *v) parts.push_back(toml_text(x));
                   return fmt::format("[{}]", joined(parts));
                 },
                 [](const NamedValues* v) {
                   std::vector<std::string> parts;
                   for (const auto& [name, x] : *v) parts.push_back(toml_key(name) + " = " + toml_text(x));
                   return v->empty() ? std::string("{}") : fmt::format("{{ {} }}", joined(parts));
                 }},
      field);
}

/// A default that only words can tell, where it has no value that could stand in a file: left out of to_toml.
bool unset(const Key& key, const Field& field) {
  RunConfig fresh;
  return !key.default_text.empty() && toml_of(key, field) == toml_of(key, key.field(fresh));
}

}  // namespace

std::span<const Key> run_file_keys() {
  static const std::vector<Key> keys = all_keys();
  return keys;
}

const Key* find_key(std::string_view name) {
  const auto keys = run_file_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

const Key* key_ending_in(std::string_view last) {
  const auto keys = run_file_keys();
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name.ends_with(fmt::format(".{}", last)); });
  return found == keys.end() ? nullptr : &*found;
}

std::string allowed_values(const Key& key) {
  RunConfig any;
  return std::visit(
      Overloaded{
          [&](const std::string*) {
            return key.choices.empty() ? std::string("a text") : "one of " + choice_names(key);
          },
          [&](const std::uint8_t*) { return "one of " + choice_names(key); },
          [&](const double*) { return range_words(key, "a number") + (key.may_be_infinite ? "; inf: no limit" : ""); },
          [&](const std::optional<double>*) { return range_words(key, "a number"); },
          [&](const long*) { return range_words(key, "a whole number"); },
          [&](const int*) { return range_words(key, "a whole number"); },
          [](const bool*) { return std::string("true or false"); },
          [&](const std::vector<double>*) { return range_words(key, "a list of increasing numbers"); },
          [&](const std::vector<std::string>*) {
            return key.choices.empty() ? std::string("a list of texts") : "a list of " + choice_names(key);
          },
          [&](const NamedValues*) { return range_words(key, "names with numbers"); }},
      key.field(any));
}

std::string default_value(const Key& key) {
  if (!key.default_text.empty()) return key.default_text;
  RunConfig fresh;
  return toml_of(key, key.field(fresh));
}

bool is_default(const RunConfig& config, const Key& key) {
  RunConfig copy = config, fresh;  // fields are handed out by address
  return toml_of(key, key.field(copy)) == toml_of(key, key.field(fresh));
}

std::string to_toml(const RunConfig& config) {
  RunConfig copy = config;  // fields are handed out by address
  std::string text, section;
  for (const auto& key : run_file_keys()) {
    const Field field = key.field(copy);
    if (unset(key, field) || (config.has_model() && key.name.starts_with("problem."))) continue;
    const auto dot = key.name.find('.');
    const std::string table = dot == std::string::npos ? std::string{} : key.name.substr(0, dot);
    if (table != section) {
      text += fmt::format("\n[{}]\n", table);
      section = table;
    }
    text +=
        fmt::format("{} = {}\n", dot == std::string::npos ? key.name : key.name.substr(dot + 1), toml_of(key, field));
  }
  if (config.has_model()) {
    text += config.model != nullptr ? config.model->text : config.solid->text;  // ends within [model] or [solid]
    if (!config.formulation.empty()) text += fmt::format("formulation = {}\n", toml_text(config.formulation));
  }
  return text;
}

Error RunConfig::at(std::string_view key, std::string_view sentence) const {
  std::string_view known = key;
  for (;;) {
    if (const auto found = places.find(known); found != places.end()) {
      const bool is_option = found->second.starts_with("--");  // --set key, --method: the key is named already
      return Error{is_option ? fmt::format("{}: {}", found->second, sentence)
                             : fmt::format("{}: {}: {}", found->second, key, sentence)};
    }
    const auto dot = known.rfind('.');
    if (dot == std::string_view::npos) break;
    known = known.substr(0, dot);
  }
  if (const auto file = places.find(std::string_view{}); file != places.end())
    return Error{fmt::format("{}: {}: {}", file->second, key, sentence)};
  return Error{fmt::format("{}: {}", key, sentence)};
}

std::vector<double> output_times(const OutputConfig& output, double t_start, double t_end) {
  if (!output.times.empty()) return output.times;
  return output.every > 0 ? regular_times(output.every, t_start, t_end) : std::vector<double>{};
}

std::vector<double> regular_times(double every, double t_start, double t_end) {
  std::vector<double> times;
  const double span = t_end - t_start;
  const auto n = static_cast<long>(std::floor(span / every * (1 + 1e-12)));
  times.reserve(static_cast<std::size_t>(n) + 2);
  for (long i = 0; i <= n; ++i)  // never by repeated addition
    times.push_back(std::min(t_start + static_cast<double>(i) * every, t_end));
  if (times.back() < t_end - 1e-9 * every)
    times.push_back(t_end);
  else
    times.back() = t_end;
  return times;
}

}  // namespace rubato::io
