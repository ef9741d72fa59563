// The registry: every problem can be built in every formulation it claims, and wrong input is named.
#include "catalogue/catalogue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "model_checks.hpp"

namespace rubato::catalogue {
namespace {

TEST(Catalogue, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const auto& entry : problems()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(*problem_by_name(entry.name), &entry);
    EXPECT_FALSE(entry.title.empty()) << entry.name;
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    std::set<std::string> parameters;
    for (const auto& p : entry.parameters) {
      EXPECT_TRUE(parameters.insert(p.name).second) << entry.name << " " << p.name;
      EXPECT_TRUE(p.default_value >= p.min && p.default_value <= p.max) << entry.name << " " << p.name;
      EXPECT_FALSE(p.help.empty()) << entry.name << " " << p.name;
    }
    EXPECT_TRUE(parameters.contains("t_end")) << entry.name;
  }
}

TEST(Catalogue, WrongInputIsNamed) {
  const auto message = [](auto&& result) { return result.ok() ? std::string{} : result.error().message; };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(message(make_problem("van-der-pool")), "did you mean 'van-der-pol'"));
  EXPECT_TRUE(has(message(make_problem("van-der-pol", {{"epsi", 1e-3}})), "did you mean 'eps'"));
  const auto range = message(make_problem("van-der-pol", {{"eps", -1}}));
  EXPECT_TRUE(has(range, "van-der-pol") && has(range, "eps = -1") && has(range, "1000")) << range;
  EXPECT_TRUE(has(message(make_problem("van-der-pol", {{"eps", std::nan("")}})), "eps = nan"));
  EXPECT_TRUE(has(message(make_problem("van-der-pol", {}, "index-3")), "index-3"));
  EXPECT_TRUE(has(message(make_problem("pendulum", {}, "index-4")), "did you mean 'index-3'"));
}

TEST(Catalogue, EveryProblemIsBuiltWithItsDefaults) {
  for (const auto& entry : problems()) {
    SCOPED_TRACE(entry.name);
    const auto instance = make_problem(entry.name);
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    EXPECT_EQ(instance->problem.x.size(), instance->problem.dae->size());
    EXPECT_TRUE(instance->problem.x.allFinite());
    EXPECT_EQ(instance->problem.t_end, entry.t_end);
    EXPECT_FALSE(instance->measure.definition.empty());
    EXPECT_EQ(instance->formulation, entry.default_formulation);
    EXPECT_TRUE(instance->system == nullptr || !entry.formulations.empty());
  }
}

// A formulation in the list either works for the default parameters or is refused by name (penalty of a rigid
// constraint); at the start its algebraic equations hold.
TEST(Catalogue, EveryFormulationStartsConsistently) {
  for (const auto& entry : problems())
    for (const auto& formulation : entry.formulations) {
      SCOPED_TRACE(entry.name + " " + formulation);
      const auto instance = make_problem(entry.name, {}, formulation);
      if (!instance) {
        EXPECT_NE(instance.error().message.find(formulation), std::string::npos) << instance.error().message;
        EXPECT_NE(formulation, entry.default_formulation);
        continue;
      }
      EXPECT_LT(algebraic_residual(*instance), 1e-9);
    }
}

// Whatever the model says of its invariants: their derivative along the motion vanishes, at the start and at randomly
// displaced consistent states.
TEST(Catalogue, InvariantsAreInvariant) {
  for (const auto& entry : problems()) {
    SCOPED_TRACE(entry.name);
    const auto instance = make_problem(entry.name);
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    if (instance->system) {
      if (instance->system->invariant_names().empty()) continue;
      std::mt19937 random(7);
      for (int i = 0; i < 3; ++i) EXPECT_LT(invariant_rate(*instance, random), 1e-6);
    } else if (!instance->problem.dae->invariant_names().empty() && !instance->problem.dae->layout().has_algebraic()) {
      EXPECT_LT(plain_invariant_rate(*instance), 1e-9);
    }
  }
}

// Digits of a reference against itself are those of the arithmetic; an error of 1e-5 in the measure's scale gives 5.
TEST(Digits, MeasureTheWorstComponent) {
  auto instance = make_problem("van-der-pol");
  ASSERT_TRUE(instance.ok());
  Vector x = map(In(instance->reference->values));
  EXPECT_GT(*digits(*instance, view(std::as_const(x))), 15);
  x[1] *= 1 + 1e-5;
  EXPECT_NEAR(*digits(*instance, view(std::as_const(x))), 5, 1e-6);
  x[0] = std::nan("");
  EXPECT_EQ(*digits(*instance, view(std::as_const(x))), -std::numeric_limits<double>::infinity());
  const auto without = make_problem("van-der-pol", {{"t_end", 1.234}});
  EXPECT_FALSE(digits(*without, view(without->problem.x)).has_value());
}

// Velocities hidden in a Hamilton form are found by their names.
TEST(Digits, LookBehindTheFormulation) {
  const auto direct = make_problem("pendulum", {{"t_end", 2}}, "index-2");  // one period: the start again
  const auto hamilton = make_problem("pendulum", {{"t_end", 2}}, "hamilton");
  ASSERT_TRUE(direct.ok()) << direct.error().message;
  ASSERT_TRUE(hamilton.ok()) << hamilton.error().message;
  EXPECT_GT(*digits(*direct, view(direct->problem.x)), 13);
  EXPECT_GT(*digits(*hamilton, view(hamilton->problem.x)), 13);
}

}  // namespace
}  // namespace rubato::catalogue
