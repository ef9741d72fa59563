#include "solid_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/base/text.hpp"
#include "rubato/io/solid_file.hpp"
#include "rubato/problem/consistent.hpp"
#include "task.hpp"

namespace rubato::app {

MechanicalState state_at_rest(const MechanicalSystem& system, double t) {
  const MechanicalSizes& n = system.sizes();
  MechanicalState state;
  state.t = t;
  state.q = Vector::Zero(n.q);
  state.v = state.a = Vector::Zero(n.v);
  state.z = Vector::Zero(n.z);
  state.lambda = Vector::Zero(n.lambda);
  return state;
}

Result<catalogue::Instance> solid_instance(const io::RunConfig& config, std::string_view formulation,
                                           std::vector<std::string>& notes) {
  const io::SolidFile& file = *config.solid;
  auto system = fem::build(file.model);
  if (!system) return file.at_part(system.error().message);
  if (formulation.empty()) formulation = (*system)->compliant() ? "eps-lambda" : "index-3";
  const auto chosen = formulation_by_name(formulation);
  if (!chosen) return config.at("solid.formulation", chosen.error().message);
  MechanicalState guess = state_at_rest(**system, config.t_start.value_or(0));
  if (file.start_in_equilibrium) {
    auto found = static_equilibrium(**system, guess);
    if (!found) return file.at_part("start = \"equilibrium\": " + found.error().message);
    guess = *std::move(found);
  }
  ConstraintDiagnosis diagnosis;
  const auto start = consistent_state(**system, guess, {.minimum_norm = false}, &diagnosis);
  if (!start) return file.at_part(start.error().message);
  const auto dae = formulate(*system, *chosen, diagnosis.dependent);
  if (!dae) return config.at("solid.formulation", dae.error().message);
  catalogue::Instance instance{.problem = {.dae = *dae,
                                           .t_start = start->t,
                                           .t_end = start->t + 1,
                                           .x = {},
                                           .base = (*dae)->base_of(*start),
                                           .mode = start->mode},
                               .system = *system,
                               .formulation = std::string(formulation)};
  (*dae)->pack(*start, instance.problem.x, instance.problem.w);
  notes = file.notes;
  if (std::string dependent = describe(**system, diagnosis); !dependent.empty()) notes.push_back(std::move(dependent));
  return instance;
}

void choose_tolerances(io::RunConfig& config, const fem::SolidSystem& system, const Layout& layout,
                       std::vector<std::string>& notes) {
  Tolerances& tolerances = config.options.tolerances;
  if (config.places.contains("solver.atol") || config.options.step.fixed_step > 0 || !(tolerances.rtol > 0)) return;
  const fem::SolidModel& model = system.model();
  const auto d = static_cast<std::size_t>(model.mesh.dimension);
  double size = 0, softest = std::numeric_limits<double>::infinity(), density = 0;
  for (std::size_t axis = 0; axis < d; ++axis) {
    double low = model.mesh.points[axis], high = low;
    for (std::size_t i = axis; i < model.mesh.points.size(); i += d) {
      low = std::min(low, model.mesh.points[i]);
      high = std::max(high, model.mesh.points[i]);
    }
    size = std::max(size, high - low);
  }
  for (const auto& region : model.regions)
    for (const auto& material : model.materials)
      if (material.name == region.material && fem::shear_modulus(material) < softest) {
        softest = fem::shear_modulus(material);
        density = material.density;
      }
  const double rtol = tolerances.rtol;
  // Displacements below a thousandth of the body count as small; speeds: what a shear wave makes of such a displacement.
  const double small = 1e-3 * size;
  const double speed = density > 0 ? small / size * std::sqrt(softest / density) : small;
  std::vector<std::string> words;
  const auto choose = [&](const char* block, double typical, const char* unit) {
    auto& of = tolerances.atol_of;
    if (layout.find(block) == nullptr) return;  // no unknown of this formulation
    if (std::ranges::any_of(of, [&](const auto& entry) { return entry.first == block; })) return;
    const double rounded = two_digits(rtol * typical);
    of.emplace_back(block, rounded);
    words.push_back(fmt::format("{} {} {}", block, shortest(rounded), unit));
  };
  choose("q", small, "m");
  choose("v", speed, "m/s");
  choose("lambda", softest, "Pa");
  choose("z", 1e-2, "of strain");  // of the memory of materials
  if (!words.empty())
    notes.push_back(
        fmt::format("absolute tolerances by the size of the body and its softest material: {}; "
                    "solver.atol_of chooses others",
                    joined(words)));
}

}  // namespace rubato::app
