#pragma once
/// What tests of contact share: meshes of several bodies, outputs by name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/state_point.hpp"
#include "solid_support.hpp"

namespace rubato::fem::test {

/// Both meshes as one; groups of the second get a prefix.
[[nodiscard]] inline Mesh both(Mesh first, const Mesh& second, const std::string& prefix) {
  const int nodes = first.n_nodes(), elements = first.n_elements();
  first.points.insert(first.points.end(), second.points.begin(), second.points.end());
  for (int e = 0; e < second.n_elements(); ++e) {
    std::vector<int> own(second.element(e).begin(), second.element(e).end());
    for (int& node : own) node += nodes;
    first.add_element(second.shapes[static_cast<std::size_t>(e)], own);
  }
  for (const MeshGroup& group : second.groups) {
    MeshGroup& copy = first.group(prefix + group.name, group.dimension);
    for (const int e : group.elements) copy.elements.push_back(e + elements);
  }
  return first;
}

[[nodiscard]] inline double output(const SolidSystem& system, const MechanicalState& state, std::string_view name) {
  ScratchMemory memory(system.scratch_bytes());
  const auto names = system.output_names();
  std::vector<double> y(names.size());
  if (system.outputs(point_at(state, memory.scratch()), view(state.a), y) != EvalStatus::ok) return NAN;
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? NAN : y[static_cast<std::size_t>(found - names.begin())];
}

/// What contacts add to the forces.
[[nodiscard]] inline Vector contact_force(const SolidModel& model, const MechanicalState& state) {
  const auto total = [&](const SolidModel& m) {
    const auto system = build(m);
    EXPECT_TRUE(system.ok()) << system.error().message;
    ScratchMemory memory((*system)->scratch_bytes());
    Vector f(state.q.size());
    EXPECT_EQ((*system)->force(point_at(state, memory.scratch()), view(f)), EvalStatus::ok);
    return f;
  };
  SolidModel without = model;
  without.contacts.clear();
  without.obstacles.clear();
  return total(model) - total(without);
}

/// A displacement along one axis; the others stay free.
[[nodiscard]] inline Prescribed held(const std::string& group, std::size_t axis, std::string_view motion) {
  Prescribed condition{.group = group};
  condition.displacement[axis].emplace(of_time(motion));
  return condition;
}
[[nodiscard]] inline Prescribed fixed(const std::string& group, int dimension) {
  Prescribed condition{.group = group};
  for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i) condition.displacement[i].emplace(of_time("0"));
  return condition;
}

struct Case {
  Shape shape;
  Analysis analysis;
};
/// Two blocks, the upper one (groups "u_…") twice as finely divided and `overlap` deep in the lower one, whose top is the master.
[[nodiscard]] inline SolidModel blocks(const Case& c, double overlap, int below = 2, int above = 3) {
  const bool space = c.analysis == Analysis::space;
  const Block lower{.shape = c.shape, .divisions = {below, 1, below}, .low = {1, 0, 0}, .high = {2, 0.5, 1}};
  Block upper{.shape = c.shape, .divisions = {above, 1, above}, .low = {1, 0.5 - overlap, 0}, .high = {2, 1, 1}};
  SolidModel model;
  model.mesh = both(*block(lower), *block(upper), "u_");
  model.analysis = c.analysis;
  model.materials = {{.name = "rubber", .density = 1000, .law = neo_hooke(1e6), .bulk = 5e6}};
  model.regions = {{.group = "body", .material = "rubber"}, {.group = "u_body", .material = "rubber"}};
  model.prescribed = {fixed("bottom", space ? 3 : 2)};
  model.contacts = {{.name = "pair", .slave = "u_bottom", .master = "top"}};
  return model;
}

[[nodiscard]] inline MechanicalState shaken(const SolidSystem& system, double size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  MechanicalState state = at_rest(system);
  state.q = Vector::NullaryExpr(state.q.size(), [&] { return size * uniform(random); });
  state.v = Vector::NullaryExpr(state.q.size(), [&] { return uniform(random); });
  return state;
}

[[nodiscard]] inline InitialValueProblem problem_of(const std::shared_ptr<const SolidSystem>& system,
                                                    MechanicalState start, double end) {
  const auto state = consistent_state(*system, start);
  EXPECT_TRUE(state.ok()) << state.error().message;
  const auto dae = formulate(system, *formulation_by_name("index-3"));
  EXPECT_TRUE(dae.ok()) << dae.error().message;
  InitialValueProblem problem{.dae = *dae, .t_start = 0, .t_end = end, .x = {}, .base = (*dae)->base_of(*state)};
  (*dae)->pack(*state, problem.x, problem.w);
  return problem;
}
[[nodiscard]] inline MechanicalState end_of(const SolidSystem& system, const RunSummary& run) {
  MechanicalState state = at_rest(system);
  state.t = run.t;
  state.q = run.x.head(state.q.size());
  state.v = run.x.segment(state.q.size(), state.q.size());
  return state;
}

}  // namespace rubato::fem::test
