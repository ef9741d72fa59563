#include "stage_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rubato/integrate/runge_kutta_analysis.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

using F = RungeKuttaFamily;

/// Rows of a block or component, with those that must share its table.
std::vector<int> rows_named(const Layout& layout, const std::string& name) {
  std::vector<int> rows;
  for (int i = 0; i < layout.size(); ++i) {
    const Block* block = layout.find(name);
    const bool in_block = block != nullptr && i >= block->offset && i < block->offset + block->size;
    if (in_block || layout.component_name(i) == name) rows.push_back(i);
  }
  for (const auto& q : StiffnessDetector::coordinates_of(layout))
    if (std::ranges::count(rows, q.position) > 0)
      for (const int row : {q.velocity, q.momentum, q.acceleration})
        if (row >= 0) rows.push_back(row);
  return rows;
}

}  // namespace

Result<StagePlan> StagePlan::create(const RungeKuttaTable& table, StageStrategy strategy, const Dae& dae,
                                    const RungeKuttaOptions& options) {
  const int n = dae.size();
  StagePlan plan(table, strategy, n);
  auto& rules = plan.rules_.rules;
  auto& of = plan.rules_.of;
  const auto refuse = [&](std::string_view why) { return Error{fmt::format("method {}: {}", table.name(), why)}; };
  const double alpha0 = options.alpha0;
  const auto edge = [&](F family, double theta) {
    return stage_rule(runge_kutta_table(family, table.s, theta), alpha0);
  };
  const auto estimate_of = [&](const RungeKuttaTable& used) {
    return alpha0 >= 0 ? checked_alpha0(used, alpha0) : Result<double>(alpha0);
  };
  if (strategy != StageStrategy::fixed)
    for (const double theta : {0.0, 1.0}) {
      const F family = strategy == StageStrategy::iiic_iiia ? F::lobatto_iiiac : F::lobatto_iiidc;
      if (const auto fine = estimate_of(runge_kutta_table(family, table.s, theta)); !fine)
        return refuse(fine.error().message);
    }
  switch (strategy) {
    case StageStrategy::fixed: rules.push_back(stage_rule(table, alpha0)); break;
    case StageStrategy::iiic_iiia: rules = {edge(F::lobatto_iiiac, 0), edge(F::lobatto_iiiac, 1)}; break;
    case StageStrategy::iiic_iiid: rules = {edge(F::lobatto_iiidc, 0), edge(F::lobatto_iiidc, 1)}; break;
    case StageStrategy::iiidc_min:
      plan.iiic_ = edge(F::lobatto_iiidc, 0);
      plan.iiid_ = edge(F::lobatto_iiidc, 1);
      rules.assign(1 + StiffnessDetector::coordinates_of(dae.layout()).size(), plan.iiic_);
  }
  of.assign(static_cast<std::size_t>(n), 0);
  if (strategy != StageStrategy::fixed && !(options.theta_of.empty() && options.parts.empty()))
    return refuse("a strategy chooses the tables itself: theta_of and parts are not allowed");
  if (!options.theta_of.empty() && !options.parts.empty()) return refuse("theta_of and parts exclude each other");
  if (!options.theta_of.empty() && !table.info().blended)
    return refuse(
        "runge_kutta.theta_of needs a method with theta: lobatto-iiiab, -iiiac, -iiiabc, -iiidc or -iiiabd, e.g. "
        "lobatto-iiidc-3:1");
  for (const auto& [name, theta] : options.theta_of) {
    for (const int row : rows_named(dae.layout(), name))
      of[static_cast<std::size_t>(row)] = static_cast<int>(rules.size());
    const auto other = runge_kutta_table(table.family, table.s, theta);
    if (const auto fine = estimate_of(other); !fine) return refuse(fine.error().message);
    rules.push_back(stage_rule(other, alpha0));
  }
  if (options.parts.empty()) return plan;

  const auto names = dae.part_names();
  plan.parts_ = static_cast<int>(names.size());
  rules = {stage_rule_of_part(table, alpha0)};
  of.assign(static_cast<std::size_t>(n * plan.parts_), 0);
  for (const auto& [name, text] : options.parts) {
    const auto other = runge_kutta_by_name(text);
    if (!other) return other.error();
    if (other->s != table.s)
      return refuse(fmt::format("part {} has {} stages; all parts need {}", name, other->s, table.s));
    if (const auto fine = estimate_of(*other); !fine) return refuse(fine.error().message);
    const auto m = std::ranges::find(names, name) - names.begin();
    std::fill_n(of.begin() + m * n, n, static_cast<int>(rules.size()));
    rules.push_back(stage_rule_of_part(*other, alpha0));
  }
  if (rules.size() > 4) return refuse("runge_kutta.parts: more than four tables");
  return plan;
}

bool StagePlan::ends_apart() const noexcept {
  return strategy_ == StageStrategy::iiidc_min ||
         std::ranges::any_of(rules_.rules, [](const StageRule& rule) { return !rule.ends_in_last_stage; });
}

bool StagePlan::uses_slope(int j) const noexcept {
  return std::ranges::any_of(rules_.rules,
                             [j](const StageRule& rule) { return rule.end.uses_slope(j) || rule.extra.uses_slope(j); });
}

const StageRule& StagePlan::end_rule(int row) const noexcept {
  for (int m = 0; m < parts_; ++m)
    if (const StageRule& rule = rules_.at(n_, m, row); !rule.ends_in_last_stage) return rule;
  return rules_.at(n_, 0, row);
}

bool StagePlan::set(const StiffnessDetector::Coordinate& q, int rule) noexcept {
  bool changed = false;
  for (const int row : {q.position, q.velocity, q.momentum, q.acceleration}) {
    if (row < 0) continue;
    changed = changed || rules_.of[static_cast<std::size_t>(row)] != rule;
    rules_.of[static_cast<std::size_t>(row)] = rule;
  }
  return changed;
}

bool StagePlan::assign(const StiffnessDetector& detector) noexcept {
  if (strategy_ == StageStrategy::fixed) return false;
  bool changed = false;
  int k = 0;
  for (const auto& q : detector.coordinates()) {
    ++k;
    int rule = 0;
    if (strategy_ == StageStrategy::iiidc_min)
      rule = q.stiff ? k : 0;
    else if (detector.known())
      rule = q.stiff || !q.candidate ? 0 : 1;
    changed = set(q, rule) || changed;
  }
  return changed;
}

bool StagePlan::follow(const StiffnessDetector& detector, double h) noexcept {
  if (strategy_ != StageStrategy::iiidc_min) return false;
  bool changed = false;
  std::size_t k = 0;
  for (const auto& q : detector.coordinates()) {
    StageRule& rule = rules_.rules[++k];
    const double theta = q.stiff && q.frequency > 0 ? maximum_damping_theta(q.frequency * h) : 0;
    if (theta == rule.theta) continue;
    rule = blended_dc(iiic_, iiid_, theta);
    changed = true;
  }
  return changed;
}

}  // namespace rubato
