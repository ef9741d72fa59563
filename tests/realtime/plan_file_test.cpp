#include "rubato/io/plan_file.hpp"

#include <gtest/gtest.h>

#include "rubato/realtime/realtime_stepper.hpp"
#include "stepper_models.hpp"

namespace rubato::io {
namespace {

using realtime::Plan;
using realtime::Sample;

const Sample start{0, Vector::Constant(12, 0.1), Vector()};

Plan chain_plan() {
  auto plan = realtime::test_models::full_plan(*realtime::test_models::chain(), start, {.step = 1e-3});
  EXPECT_TRUE(plan.ok());
  plan->model = "chain \"six\"";
  plan->settings = {"a=1", "b=\"x\""};
  plan->rho = 0.1;
  plan->step_numbers = {1, 2, 4};
  plan->spectral_radius = 0.999;
  plan->drop_below = 0.25;
  plan->sizes = std::vector<double>(12, 0.1);
  return *plan;
}

TEST(PlanFile, ReadsWhatItWrote) {
  const Plan plan = chain_plan();
  const std::string text = plan_text(plan);
  const auto again = parse_plan(text, "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(plan_text(*again), text);
  EXPECT_EQ(again->keep, plan.keep);
  EXPECT_EQ(again->constant, plan.constant);
  EXPECT_EQ(again->ordering, plan.ordering);
  EXPECT_EQ(again->step_numbers, plan.step_numbers);
  EXPECT_EQ(again->operations, plan.operations);
  EXPECT_EQ(again->drop_below, plan.drop_below);
  EXPECT_EQ(again->sizes, plan.sizes);
  EXPECT_EQ(again->settings, plan.settings);
  EXPECT_EQ(again->structure.hash(), plan.structure.hash());
  EXPECT_FALSE(again->worst_ratio.has_value());
  EXPECT_TRUE(realtime::RealtimeStepper::create(*realtime::test_models::chain(), *again, start).ok());
}

/// A dense matrix of 4000 unknowns takes 4e10 additions, more than an int holds.
TEST(PlanFile, LargePlansAreReadBack) {
  Plan plan = chain_plan();
  plan.operations.additions = 42'666'666'667;
  const auto again = parse_plan(plan_text(plan), "plan.toml");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->operations, plan.operations);
}

/// Everything that is cut, changed or added is refused, by name.
TEST(PlanFile, IsTolerantOfNothing) {
  const std::string text = plan_text(chain_plan());
  const auto refusal = [&](const std::string& old, const std::string& fresh) {
    std::string changed = text;
    const auto at = changed.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    changed.replace(at, old.size(), fresh);
    const auto made = parse_plan(changed, "plan.toml");
    return made.ok() ? "" : made.error().message;
  };
  EXPECT_NE(refusal("step = 0.001", "step = 0.0").find("plan.step"), std::string::npos);
  EXPECT_NE(refusal("step = 0.001\n", "").find("plan.step is missing"), std::string::npos);
  EXPECT_NE(refusal("step_numbers = [1,2,4]", "step_numbers = [1.5]").find("plan.step_numbers"), std::string::npos);
  EXPECT_NE(refusal("step_numbers = [1,2,4]\n", "").find("plan.step_numbers is missing"), std::string::npos);
  EXPECT_NE(refusal("drop_below = 0.25", "drop_below = -1").find("plan.drop_below"), std::string::npos);
  EXPECT_NE(refusal("drop_below = 0.25\n", "").find("analyse the model again"), std::string::npos);
  EXPECT_NE(refusal("sizes = [0.1,", "sizes = [nan,").find("plan.sizes"), std::string::npos);
  EXPECT_NE(refusal("[solver]", "[slover]").find("[solver] is missing"), std::string::npos);
  EXPECT_NE(refusal("damping = false", "damping = 0").find("plan.damping"), std::string::npos);
  EXPECT_NE(refusal("damping = false", "damping = false\nmore = 1").find("plan.more"), std::string::npos);
  EXPECT_NE(refusal("unknowns = 12", "unknowns = 13").find("compressed columns"), std::string::npos);
  EXPECT_NE(refusal("inputs = 0", "inputs = 1").find("hash"), std::string::npos);
  EXPECT_NE(refusal("back_end = \"", "back_end = \"x").find("none of"), std::string::npos);
  EXPECT_NE(refusal("entries = \"", "entries = \"k").find("letters"), std::string::npos);
  EXPECT_NE(refusal("algebraic = []", "algebraic = [12]").find("algebraic"), std::string::npos);
  EXPECT_NE(refusal("mass_values = [1.0,", "mass_values = [").find("mass_values"), std::string::npos);
  EXPECT_NE(refusal("smallest_damping = ", "smallest_damping = 2").find("≤ 1"), std::string::npos);
  EXPECT_NE(refusal("[plan]", "more = 1\n[plan]").find("table of a plan 'more'"), std::string::npos);
  EXPECT_NE(refusal("[solver]", "[more]\n[solver]").find("table of a plan 'more'"), std::string::npos);
  EXPECT_NE(refusal("[plan]", "[[more]]\n[plan]").find("table of a plan 'more'"), std::string::npos);
  EXPECT_NE(refusal("unknowns = 12", "unknowns = 1000000000").find("compressed columns"), std::string::npos);
  for (std::size_t cut = 0; cut + 1 < text.size(); cut += 97)
    EXPECT_FALSE(parse_plan(text.substr(0, cut), "p").ok()) << cut;
  // What is allowed by itself, but was not analysed.
  for (const auto& [old, fresh] : {std::pair{"step = 0.001", "step = 0.002"},
                                   {"damping = false", "damping = true"},
                                   {"time = \"start\"", "time = \"end\""},
                                   {"rtol = ", "rtol = 1"},
                                   {"rho = 0.1", "rho = 0.2"},
                                   {"model = \"chain", "model = \"chains"},
                                   {"spectral_radius = 0.999\n", ""}})
    EXPECT_NE(refusal(old, fresh).find("plan.checksum"), std::string::npos) << old;
  // Layout and comments are free.
  EXPECT_EQ(refusal("step = 0.001", "step = 1e-3  # the clock"), "");
}

}  // namespace
}  // namespace rubato::io
