#include "index_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "rubato/base/text.hpp"

namespace rubato::app {

namespace {

struct Candidate {
  std::string formulation;
  catalogue::Instance instance;
  std::vector<std::string> notes;
};

/// In the order of preference.
std::vector<std::string> formulations_for(const MethodInfo& info) {
  if (info.needs_constant_mass) return {"semi-explicit", "index-1", "state-space"};
  return {"index-2", "index-1", "state-space"};
}

/// The method takes the index of the instance, its mass matrix and its unknowns.
bool runs(const Method& method, const catalogue::Instance& instance, IntegrateOptions options) {
  const Dae& dae = *instance.problem.dae;
  const MethodInfo& info = method.info;
  if (dae.layout().index() > info.max_index || (info.needs_constant_mass && !dae.constant_mass())) return false;
  JacobianSource& source = options.linear.jacobian;
  if (info.needs_exact_jacobian && approximate(dae, source))  // as make_task() chooses it
    source = dae.dual() != nullptr ? JacobianSource::dual : JacobianSource::differences;
  if (info.embedded_order == 0 && !(options.step.fixed_step > 0)) options.step.fixed_step = 1;  // said elsewhere
  options.tolerances.atol_of.clear();  // names belong to a formulation
  options.step.h_power_of.clear();
  options.runge_kutta.theta_of.clear();
  return method.make(info, instance.problem, options).ok();
}

std::string methods_that_suit(int index) {
  std::vector<std::string> names;
  for (const std::string_view name : {"radau", "bdf", "generalized-alpha"})
    if (const auto method = method_by_name(name); method && (*method)->info.max_index >= index)
      names.emplace_back(name);
  return joined(names);
}

}  // namespace

std::string index_warning(const MethodInfo& info, const Dae& dae) {
  const int index = dae.layout().index();
  if (info.max_index >= index) return {};
  return fmt::format("method {} is meant for index ≤ {}, this problem has index {}: expect order reduction or failure",
                     info.name, info.max_index, index);
}

Result<catalogue::Instance> suited_to_index(const io::RunConfig& config, const Method& method,
                                            catalogue::Instance instance, const MakeInstance& make,
                                            std::vector<std::string>& notes) {
  const MethodInfo& info = method.info;
  const std::string warning = index_warning(info, *instance.problem.dae);
  if (warning.empty()) return instance;
  const bool chosen = !config.formulation.empty();
  const std::string_view key = config.places.contains("problem.formulation") ? "problem.formulation"
                               : config.model != nullptr                     ? "model.formulation"
                               : config.solid != nullptr                     ? "solid.formulation"
                                                                             : "problem.formulation";
  std::vector<std::string> suiting;
  if (instance.system != nullptr)
    for (const auto& name : formulations_for(info)) {
      std::vector<std::string> about_model;
      auto other = make(name, about_model);
      if (!other || !runs(method, *other, config.options)) continue;
      if (chosen) {
        suiting.push_back(name);
        continue;
      }
      notes = std::move(about_model);  // of the formulation that runs, in place of the other's
      notes.push_back(fmt::format(
          "method {} is meant for index ≤ {}, and formulation '{}' has index {}: formulation '{}' is used; "
          "{} chooses another",
          info.name, info.max_index, instance.formulation, instance.problem.dae->layout().index(), name, key));
      return other;
    }
  const std::string methods = methods_that_suit(instance.problem.dae->layout().index());
  return config.at(chosen ? key : "solver.method",
                   fmt::format("{}; take {}method {}; solver.any_index = true runs it all the same", warning,
                               suiting.empty() ? "" : fmt::format("formulation {}, or ", joined(suiting)), methods));
}

}  // namespace rubato::app
