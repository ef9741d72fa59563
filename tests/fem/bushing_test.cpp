// The rubber bushing of Becker (2012) between steel rings: static curve and counters of the published run.
#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/catalogue.hpp"
#include "rubato/fem/solid.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato::fem {
namespace {

/// Reactions at 2, 4, … 10 mm in N per mm of thickness, from an independent program (specification, T5).
TEST(Bushing, HasTheForcesOfTheIndependentProgram) {
  for (const auto& [bulk, expected] : {std::pair{30e6, std::array{87.8, 179.1, 278.8, 395.8, 547.9}},
                                       std::pair{3e11, std::array{131.0, 264.7, 406.9, 564.5, 768.7}}}) {
    const auto instance = catalogue::make_problem("bushing", {{"bulk", bulk}, {"signal", 2}});
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    const auto& system = dynamic_cast<const SolidSystem&>(*instance->system);
    const auto& n = system.sizes();
    MechanicalState rest{
        .q = Vector::Zero(n.q), .v = Vector::Zero(n.q), .lambda = Vector::Zero(n.lambda), .a = Vector::Zero(n.q)};
    std::vector<double> forces;
    ScratchMemory memory(system.scratch_bytes());
    const auto names = system.output_names();
    const auto place = std::find(names.begin(), names.end(), "reaction.inner.y") - names.begin();
    const auto path = static_path(
        system, rest, {.times = {0.2, 0.4, 0.6, 0.8, 1.0}, .found = [&](const MechanicalState& s) {
                         std::vector<double> y(names.size());
                         EXPECT_EQ(system.outputs(point_at(s, memory.scratch()), view(s.a), y), EvalStatus::ok);
                         forces.push_back(y[static_cast<std::size_t>(place)]);
                         return true;
                       }});
    ASSERT_TRUE(path.ok()) << path.error().message;
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(forces[k], expected[k], 0.06) << bulk << ' ' << k;
  }
}

}  // namespace
}  // namespace rubato::fem
