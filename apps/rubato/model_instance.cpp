#include "model_instance.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rubato/base/text.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/multibody/system.hpp"
#include "rubato/multibody/typical_sizes.hpp"
#include "task.hpp"

namespace rubato::app {

Result<catalogue::Instance> model_instance(const io::RunConfig& config, std::string_view formulation,
                                           std::vector<std::string>& notes) {
  const auto chosen = formulation_by_name(formulation.empty() ? "index-3" : formulation);
  if (!chosen) return config.at("model.formulation", chosen.error().message);
  const io::ModelFile& model = *config.model;
  const auto system = multibody::build(model.mechanism);
  if (!system) return model.at_part(system.error().message);
  ConstraintDiagnosis diagnosis;
  // Reactions of dependent rows are zero, as the formulation holds them.
  const auto start = consistent_state(**system, (*system)->start(), {.minimum_norm = false}, &diagnosis);
  if (!start) return model.at_part(start.error().message);
  const auto dae = formulate(*system, *chosen, diagnosis.dependent);
  if (!dae) return config.at("model.formulation", dae.error().message);
  catalogue::Instance instance{
      .problem =
          {.dae = *dae, .t_start = start->t, .t_end = 1, .x = {}, .base = (*dae)->base_of(*start), .mode = start->mode},
      .system = *system,
      .formulation = formulation.empty() ? "index-3" : std::string(formulation)};
  (*dae)->pack(*start, instance.problem.x, instance.problem.w);
  notes = (*system)->notes();
  if (std::string dependent = describe(**system, diagnosis); !dependent.empty()) notes.push_back(std::move(dependent));
  return instance;
}

namespace {
/// Blocks may hold several units, bodies with rotations or joints: the one of translations, forces and bristles is named.
std::string_view unit_words(std::string_view name) noexcept {
  if (name.starts_with("*.r")) return " rad";
  if (name.starts_with("*.w")) return " rad/s";
  if (name == "q" || name == "z") return " m";
  if (name == "v" || name == "mu") return " m/s";
  if (name == "p") return " kg m/s";
  if (name == "lambda" || name == "nu") return " N";
  return name == "a" ? " m/s²" : "";
}
}  // namespace

void choose_tolerances(io::RunConfig& config, const InitialValueProblem& problem, std::vector<std::string>& notes) {
  Tolerances& tolerances = config.options.tolerances;
  if (config.options.step.fixed_step > 0) return;
  const bool rtol_given = config.places.contains("solver.rtol");
  if (!rtol_given) tolerances.rtol = default_model_rtol;
  if (config.places.contains("solver.atol") || !(tolerances.rtol > 0)) return;
  const auto sizes = multibody::typical_sizes(config.model->mechanism, problem.t_start, problem.t_end);
  const Layout& layout = problem.dae->layout();
  std::vector<std::string> words;
  const auto given = tolerances.atol_of;
  const auto is_given = [&](std::string_view name) {
    return std::ranges::any_of(given, [&](const auto& entry) { return entry.first == name; });
  };
  for (const auto& [name, size] : multibody::small_sizes(sizes, layout)) {
    const bool angle = name.starts_with("*.r"), rate = name.starts_with("*.w");
    if (is_given(name) || (angle && is_given("q")) || (rate && is_given("v"))) continue;
    const double atol = two_digits(tolerances.rtol * size);
    tolerances.atol_of.emplace_back(name, atol);
    if (name == "q") tolerances.atol = atol;
    const std::string_view what = angle ? "angles" : rate ? "rates" : std::string_view(name);
    const std::string sentence = fmt::format("{} {}{}", what, shortest(atol), unit_words(name));
    if (std::ranges::find(words, sentence) == words.end()) words.push_back(sentence);
  }
  if (!words.empty())
    notes.push_back(fmt::format(
        "rtol = {}{}; absolute tolerances by the size of the model, {:.2g} m and {:.2g} m/s: {}; solver.rtol, "
        "solver.atol and solver.atol_of choose others",
        shortest(tolerances.rtol), rtol_given ? "" : " (the default of mechanisms)", sizes.length, sizes.speed,
        joined(words)));
}

}  // namespace rubato::app
