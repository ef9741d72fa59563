// Many equilibria of one body: the pattern is analysed once, factors serve as long as corrections shrink fast, and the answers are those of a
// factorisation in every iteration. Accelerations of mixed forms come from two symmetric systems.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "rubato/fem/generate.hpp"
#include "rubato/problem/equilibrium_solver.hpp"
#include "rubato/problem/state_point.hpp"
#include "solid_support.hpp"

namespace rubato::fem {
namespace {

using test::at_rest;
using test::of_time;

/// A bushing in space, its inner sleeve moved along x by 4 mm in one second; its elements 3.5 mm long.
std::shared_ptr<const SolidSystem> moved_bushing(bool pressures, bool quasi_static = true) {
  SolidModel model;
  model.mesh = *bushing({.element_size = 0.0035});
  model.materials = {
      {.name = "rubber", .density = 1100, .law = mooney_rivlin(0.4e6, 0.1e6), .bulk = pressures ? 2e9 : 30e6}};
  model.regions = {{.group = "rubber",
                    .material = "rubber",
                    .pressure = pressures ? PressureSpace::discontinuous : PressureSpace::none}};
  for (const bool inner : {true, false}) {
    Prescribed sleeve{.group = inner ? "inner" : "outer"};
    for (std::size_t axis = 0; axis < 3; ++axis)
      sleeve.displacement[axis].emplace(of_time(inner && axis == 0 ? "0.004*t" : "0"));
    model.prescribed.push_back(std::move(sleeve));
  }
  model.quasi_static = quasi_static;
  auto system = build(std::move(model));
  return system ? *system : nullptr;
}

TEST(Statics, FactorsServeMoreThanOneEquilibrium) {
  for (const bool pressures : {false, true}) {
    const auto system = moved_bushing(pressures);
    ASSERT_NE(system, nullptr);
    ASSERT_GT(system->sizes().v, 2000);  // smaller systems are factorised in every iteration
    EquilibriumSolver solver(*system);
    MechanicalState last = at_rest(*system);
    constexpr int increments = 8;
    for (int i = 1; i <= increments; ++i) {
      last.t = 0.05 * i;
      const auto found = solver.solve(last);
      ASSERT_TRUE(found.ok()) << found.error().message;
      // Another solver, which begins at rest, goes another way to the same place.
      if (i == increments) {
        MechanicalState rest = at_rest(*system);
        rest.t = last.t;
        const auto alone = static_equilibrium(*system, rest);
        ASSERT_TRUE(alone.ok()) << alone.error().message;
        EXPECT_LT((found->q - alone->q).norm(), 1e-9 * alone->q.norm()) << pressures;
        EXPECT_LT((found->lambda - alone->lambda).norm(), 1e-8 * (1e-300 + alone->lambda.norm())) << pressures;
      }
      last = *found;
    }
    EXPECT_EQ(solver.counters().analyses, 1);
    EXPECT_LE(solver.counters().factorisations, 2 * increments);
    EXPECT_GT(solver.counters().corrections, solver.counters().factorisations);
  }
}

TEST(Statics, TheWatchSeesTheWorkAndEndsIt) {
  const auto system = moved_bushing(true);
  ASSERT_NE(system, nullptr);
  std::vector<double> found;
  bool factorised = false;
  const auto path = static_path(*system, at_rest(*system),
                                {.times = {0.05, 0.1, 0.15, 0.2},
                                 .found =
                                     [&](const MechanicalState& state) {
                                       found.push_back(state.t);
                                       return true;
                                     },
                                 .watch =
                                     [&](const EquilibriumProgress& at) {
                                       factorised = factorised || std::string_view(at.doing) == "factorisation";
                                       return at.t < 0.12;
                                     }});
  ASSERT_FALSE(path.ok());
  EXPECT_EQ(path.error().message, "static_path: stopped beyond t = 0.1");
  EXPECT_EQ(found, (std::vector{0.05, 0.1}));
  EXPECT_TRUE(factorised);
}

/// M a = f − Gᵀλ, 0 = g(q, λ), to rounding of the terms: λ from its own rows, a with M alone.
TEST(Statics, AccelerationsOfMixedFormsBalance) {
  const auto system = moved_bushing(true, false);
  ASSERT_NE(system, nullptr);
  MechanicalState guess = at_rest(*system);
  guess.t = 0.3;  // the sleeve has moved, nothing else: large pressures beside it
  const auto state = consistent_state(*system, guess);
  ASSERT_TRUE(state.ok()) << state.error().message;
  ScratchMemory memory(system->scratch_bytes());
  const MechanicalSizes n = system->sizes();
  Vector ma(n.v), f(n.v), reaction(n.v), g(n.lambda);
  const auto p = point_at(*state, memory.scratch());
  ASSERT_EQ(system->inertia(p, view(state->a), view(ma)), EvalStatus::ok);
  ASSERT_EQ(system->force(p, view(f)), EvalStatus::ok);
  ASSERT_EQ(system->reaction(p, view(state->lambda), {}, view(reaction)), EvalStatus::ok);
  ASSERT_EQ(system->constraint(p, view(g)), EvalStatus::ok);
  EXPECT_GT(state->lambda.cwiseAbs().maxCoeff(), 1e6);
  const double forces = reaction.cwiseAbs().maxCoeff();
  EXPECT_GT(forces, 1);
  EXPECT_LT((ma - f + reaction).cwiseAbs().maxCoeff(), 1e-13 * forces);
  EXPECT_LT(g.cwiseAbs().maxCoeff(), 1e-22);  // m³: volumes of elements are 6e-8 m³
}

}  // namespace
}  // namespace rubato::fem
