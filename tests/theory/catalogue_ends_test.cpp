// Where the problems of the catalogue end: not where a motion released from rest turns or has returned to its start. Errors vanish there by
// symmetry, and `rubato converge` would show orders that the methods do not have.
#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato {
namespace {

/// ‖v‖ now, and its largest value so far.
struct Speed final : Observer {
  int offset = 0, size = 0;
  double last = 0, largest = 0;
  void on_step(const StepView& step) override {
    last = 0;
    for (int i = offset; i < offset + size; ++i) last = std::max(last, std::abs(step.x[static_cast<std::size_t>(i)]));
    largest = std::max(largest, last);
  }
};

TEST(CatalogueEnds, AreNoTurningPointsOfConservativeMotions) {
  int looked_at = 0;
  for (const auto& entry : catalogue::problems()) {
    if (entry.large) continue;
    const auto instance = catalogue::make_problem(entry.name);
    ASSERT_TRUE(instance.ok()) << entry.name;
    if (!instance->system || instance->system->invariant_names().empty()) continue;
    const Block* v = instance->problem.dae->layout().find("v");
    if (v == nullptr) continue;
    Speed speed;
    speed.offset = v->offset;
    speed.size = v->size;
    Observer* const observers[] = {&speed};
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-4, .atol = 1e-4};
    options.step.initial_step = instance->suggested_initial_step;
    const auto run = integrate(instance->problem, "radau", options, {.observers = observers});
    ASSERT_TRUE(run.ok() && completed(run->status)) << entry.name;
    EXPECT_GT(speed.last, 0.1 * speed.largest) << entry.name;
    ++looked_at;
  }
  EXPECT_GE(looked_at, 5) << "pendulum, linkage, chain, top, … declare their energy";
}

}  // namespace
}  // namespace rubato
