#pragma once
/// What tests of contact share: meshes of several bodies, outputs by name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

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

}  // namespace rubato::fem::test
