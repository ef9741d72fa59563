// The driver with the methods of the list: what must hold whichever of them runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <span>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "support/allocation_counter.hpp"

namespace rubato {
namespace {

struct Checkpoints final : Observer {
  std::vector<std::vector<std::byte>> all;
  void on_checkpoint(double, std::span<const std::byte> bytes) override {
    all.emplace_back(bytes.begin(), bytes.end());
  }
};

bool same_bytes(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

/// From every checkpoint: state, reason and all later checkpoints are equal.
void expect_resumed_alike(const InitialValueProblem& problem, const Method& method, const IntegrateOptions& options,
                          const std::string& what) {
  Checkpoints whole;
  Observer* observers[] = {&whole};
  const auto s = integrate(problem, method, options, {.observers = observers});
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(s->status, RunStatus::finished) << what << ": " << s->reason;
  EXPECT_GE(whole.all.size(), 2u) << what;
  for (std::size_t i = 0; i < whole.all.size(); ++i) {
    Checkpoints later;
    Observer* others[] = {&later};
    const auto r = integrate(problem, method, options, {.observers = others, .resume = whole.all[i]});
    ASSERT_TRUE(r.ok()) << r.error().message;
    EXPECT_TRUE(same_bytes(r->x, s->x)) << what << " from checkpoint " << i;
    EXPECT_EQ(r->reason, s->reason) << what;
    EXPECT_TRUE(std::ranges::equal(later.all, std::span(whole.all).subspan(i + 1))) << what << " from checkpoint " << i;
  }
}

TEST(Driver, ResumedRunsOfEveryMethodWriteTheSameBytes) {
  // From every tenth step of a nonlinear stiff problem.
  const auto instance = catalogue::make_problem("van-der-pol", {{"eps", 1e-3}});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  InitialValueProblem problem = instance->problem;
  problem.t_end = 1;
  for (const Method& method : methods()) {
    IntegrateOptions options{.tolerances = {.rtol = 1e-4, .atol = 1e-4}, .checkpoint_every = 10};
    if (method.info.embedded_order == 0) options.step.fixed_step = 1e-2;
    expect_resumed_alike(problem, method, options, method.info.name);
  }
}

TEST(Driver, ResumedRunsInKrylovSpacesWriteTheSameBytes) {
  // Old factors, those of constraints, and the choice between factors and spaces carry history from step to step.
  const auto instance = catalogue::make_problem("reaction-diffusion", {{"n", 8}, {"t_end", 0.3}});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const Method* const method = method_by_name("rodas4p").value();
  for (const auto preconditioner : {KrylovPreconditioner::constraint, KrylovPreconditioner::factor})
    for (const bool automatic : {false, true}) {
      if (automatic && preconditioner == KrylovPreconditioner::factor) continue;  // it weighs factors itself
      IntegrateOptions options{.tolerances = {.rtol = 1e-5, .atol = 1e-5}, .checkpoint_every = 7};
      options.linear.krylov.use = true;
      options.linear.krylov.automatic = automatic;
      options.linear.krylov.coupling = KrylovCoupling::error;
      options.linear.krylov.matrix.preconditioner = preconditioner;
      options.linear.krylov.rates.factor_flops = 1e8;
      expect_resumed_alike(instance->problem, *method, options, automatic ? "automatic" : "spaces");
    }
}

/// Bytes of another kind than those written, in the places of counts, indices and switches alike: the resumed run is refused or ends
/// somehow. What it must not do is what the sanitizers look for.
TEST(Driver, DamagedStatesOfEveryMethodNeverCrash) {
  const auto instance = catalogue::make_problem("van-der-pol", {{"eps", 1e-3}});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  InitialValueProblem problem = instance->problem;
  problem.t_end = 1;
  std::mt19937_64 random(18);
  for (const Method& method : methods()) {
    IntegrateOptions options{.tolerances = {.rtol = 1e-4, .atol = 1e-4}, .checkpoint_every = 10};
    if (method.info.embedded_order == 0) options.step.fixed_step = 1e-2;
    Checkpoints whole;
    Observer* observers[] = {&whole};
    ASSERT_TRUE(integrate(problem, method, options, {.observers = observers}).ok());
    ASSERT_GE(whole.all.size(), 2u);
    options.step.max_steps = 100;
    int refused = 0;
    constexpr int rounds = 60;
    for (int round = 0; round < rounds; ++round) {
      auto bytes = whole.all[1];
      // Where counts and switches live, a few small values are worse than noise.
      const std::uint64_t values[] = {random(), 0, 1, 7, 0x7fffffff, 0xffffffff, 0x8000000000000000};
      const std::uint64_t value = values[random() % std::size(values)];
      const std::size_t width = std::size_t{1} << random() % 4, at = 50 + random() % (bytes.size() - 50 - width);
      std::memcpy(bytes.data() + at, &value, width);
      refused += integrate(problem, method, options, {.resume = bytes}).ok() ? 0 : 1;
    }
    EXPECT_GT(refused, 0) << method.info.name;
    EXPECT_LT(refused, rounds) << method.info.name << ": states are numbers of any size";
  }
}

TEST(Driver, NeverAllocatesBetweenTheFirstStepAndTheLast) {
  // Counted by an observer, rejected steps included.
  if (!test::allocations_are_counted()) GTEST_SKIP() << "allocations are not counted in this build";
  struct Counter final : Observer {
    std::optional<test::AllocationScope> scope;
    long count = 0;
    void on_step(const StepView& step) override {
      if (!scope) scope.emplace();
      if (step.t_end < 1) count = scope->count();
    }
  };
  const auto instance = catalogue::make_problem("van-der-pol", {{"eps", 1e-3}});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  InitialValueProblem problem = instance->problem;
  problem.t_end = 1;
  for (const char* method : {"ros3p", "rodas4p"}) {
    Counter counter;
    Observer* observers[] = {&counter};
    const auto s = integrate(problem, method, {}, {.observers = observers});
    ASSERT_TRUE(s.ok()) << s.error().message;
    EXPECT_GT(s->statistics.accepted, 20);
    EXPECT_GT(s->statistics.rejected, 0) << "a rejection belongs to what is tested";
    EXPECT_EQ(counter.count, 0) << method;
  }
}

/// Where the flow behind an orifice turns round, a Newton step per stage leaves algebraic unknowns so far off their equations that errors do
/// not fall with the step. Solved for, they let runs go on, as resumed ones do.
TEST(Driver, SolvesForAlgebraicUnknownsWhereStepsCollapse) {
  const auto instance = catalogue::make_problem("hydraulic-gearbox");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  for (const auto& [name, rtol, atol] : {std::tuple("extrapolated-euler", 1e-7, 1e-9),
                                         std::tuple("rodas4p", 1e-5, 1e-5), std::tuple("radau", 1e-3, 1e-3)}) {
    const IntegrateOptions options{
        .tolerances = {.rtol = rtol, .atol = atol}, .step = {.initial_step = 1e-4}, .checkpoint_every = 10};
    const auto s = integrate(instance->problem, name, options);
    ASSERT_TRUE(s.ok()) << s.error().message;
    EXPECT_EQ(s->status, RunStatus::finished) << name << ": " << s->reason;
    EXPECT_GT(catalogue::digits(*instance, view(s->x)).value(), -std::log10(rtol) - 1) << name;
    ASSERT_EQ(s->notes.size(), 1U) << name;
    EXPECT_NE(s->notes.front().find("algebraic unknowns were solved for"), std::string::npos) << s->notes.front();
    expect_resumed_alike(instance->problem, **method_by_name(name), options, name);
  }
}

TEST(Driver, NamesTheUnknownThatLimitsTheStep) {
  const auto instance = catalogue::make_problem("van-der-pol", {{"eps", 1e-6}});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const auto s = integrate(instance->problem, "rodas4", {.step = {.min_step = 1e-3}});
  ASSERT_TRUE(s.ok()) << s.error().message;
  EXPECT_EQ(s->status, RunStatus::step_too_small);
  EXPECT_NE(s->reason.find("dominated by y2"), std::string::npos) << s->reason;
}

}  // namespace
}  // namespace rubato
