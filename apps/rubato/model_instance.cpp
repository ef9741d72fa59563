#include "model_instance.hpp"

#include "rubato/io/model_file.hpp"
#include "rubato/multibody/system.hpp"

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

}  // namespace rubato::app
