#include <fmt/format.h>

#include <algorithm>

#include "experiments/experiment.hpp"
#include "experiments/hyperelastic/hyperelastic.hpp"
#include "experiments/index3_scaling/index3_scaling.hpp"
#include "experiments/krylov_row/krylov_row.hpp"
#include "experiments/realtime_sparsing/realtime_sparsing.hpp"
#include "experiments/stiff_irk/stiff_irk.hpp"
#include "experiments/tolerances/tolerances.hpp"
#include "rubato/base/text.hpp"

namespace rubato::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all = {stiff_irk(),  index3_scaling(),    hyperelastic(),
                                              krylov_row(), realtime_sparsing(), tolerance_table()};
  return all;
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const auto& experiment : experiments()) names.push_back(experiment.name);
  return names;
}

Result<const Experiment*> experiment_by_name(std::string_view name) {
  for (const auto& experiment : experiments())
    if (experiment.name == name) return &experiment;
  return Error{unknown_name("experiment", name, experiment_names())};
}

Result<std::vector<const Part*>> chosen_parts(const Experiment& experiment, std::span<const std::string> only) {
  std::vector<bool> wanted(experiment.parts.size(), only.empty());
  for (const auto& name : only) {
    const auto take = [&](const auto& matches) {
      bool found = false;
      for (std::size_t i = 0; i < experiment.parts.size(); ++i)
        if (matches(experiment.parts[i].name)) found = wanted[i] = true;
      return found;
    };
    const bool found = take([&](const std::string& part) { return part == name; }) ||
                       take([&](const std::string& part) { return part.ends_with("-" + name); });
    if (found) continue;
    std::vector<std::string> names;
    for (const auto& part : experiment.parts) names.push_back(part.name);
    return Error{unknown_name("part of " + experiment.name, name, names)};
  }
  std::vector<const Part*> parts;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) parts.push_back(&experiment.parts[i]);
  return parts;
}

}  // namespace rubato::experiments
