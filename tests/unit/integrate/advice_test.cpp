// What a message that ends a run says: which unknown, and what to try next.
#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/multibody/system.hpp"
#include "rubato/problem/consistent.hpp"

namespace rubato {
namespace {

/// x' = f(x) with a model Jacobian of the wrong sign: no step size makes Newton converge.
class WrongJacobian final : public Dae {
 public:
  WrongJacobian() : Dae(Layout{{.name = "x", .size = 2, .components = {"calm", "wild"}}}) {}
  EvalStatus f(const At& at, Out out) const noexcept override {
    out[0] = 0;
    out[1] = -1e40 * (at.x[1] - 1);
    return EvalStatus::ok;
  }
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    map(out) = map(w);
    return EvalStatus::ok;
  }
  ModelJacobian model_jacobian() const noexcept override { return ModelJacobian::exact; }
  EvalStatus jacobian(const At&, In, Out values) const noexcept override {
    map(values).setZero();
    values[3] = 1e39;
    return EvalStatus::ok;
  }
};

TEST(Advice, NamesTheUnknownAndSuspectsTheJacobian) {
  for (const char* method : {"radau", "radau5", "bdf"}) {
    InitialValueProblem problem;
    problem.dae = std::make_shared<WrongJacobian>();
    problem.x = Eigen::Vector2d(1, 2);
    problem.t_end = 1;
    const auto end = integrate(problem, method, {});
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status, RunStatus::newton_diverged) << method << ": " << end->reason;
    EXPECT_NE(end->reason.find("corrections largest in wild"), std::string::npos) << method << ": " << end->reason;
    EXPECT_NE(end->reason.find("; try linear.jacobian = differences"), std::string::npos) << end->reason;
  }
}

TEST(Advice, FixedStepsAndStepLimitsNameTheirOptions) {
  const auto pendulum = catalogue::make_problem("pendulum", {}, "index-3");
  ASSERT_TRUE(pendulum);
  auto end = integrate(pendulum->problem, "radau5", {.step = {.max_steps = 3}});
  ASSERT_TRUE(end);
  EXPECT_NE(end->reason.find("; try a larger step.max_steps"), std::string::npos) << end->reason;
  end = integrate(pendulum->problem, "radau5", {.step = {.fixed_step = 5}, .newton = {.max_iterations = 1}});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, RunStatus::newton_diverged);
  EXPECT_NE(end->reason.find("; try a smaller step.fixed_step"), std::string::npos) << end->reason;
}

// A point on two rods that are nearly in line: their constraints nearly say the same, and Newton, allowed one iteration, fails.
TEST(Advice, NamesConstraintsNearASingularPosition) {
  using namespace multibody;
  for (const double height : {1e-4, 0.5}) {
    Mechanism m;
    m.gravity = {0, 0, -10};
    m.bodies = {{.name = "point", .kind = BodyKind::point, .mass = 1, .pose = {.position = {1, height, 0}}}};
    for (const double x : {0.0, 2.0})
      m.joints.push_back({.name = x == 0 ? "left" : "right",
                          .type = JointType::distance,
                          .a = {.pose = {.position = {x, 0, 0}}},
                          .b = {.body = "point"}});
    const auto system = build(m);
    ASSERT_TRUE(system) << system.error().message;
    const auto start = consistent_state(**system, (*system)->start());
    ASSERT_TRUE(start) << start.error().message;
    const auto dae = formulate(*system, {.level = Level::index_3});
    ASSERT_TRUE(dae);
    InitialValueProblem problem{.dae = *dae, .t_end = 1, .base = (*dae)->base_of(*start)};
    (*dae)->pack(*start, problem.x, problem.w);
    const auto end = integrate(problem, "radau5", {.step = {.fixed_step = 0.1}, .newton = {.max_iterations = 1}});
    ASSERT_TRUE(end);
    ASSERT_EQ(end->status, RunStatus::newton_diverged) << end->reason;
    const bool near = end->reason.find("near a singular position: 1 of 2 constraints") != std::string::npos;
    EXPECT_EQ(near, height < 0.1) << end->reason;
    EXPECT_EQ(end->reason.find("t.length") != std::string::npos, near) << end->reason;
  }
}

// Growth beyond all scales: the method is unstable there, another formulation only hides it.
TEST(Advice, UnboundedGrowthAsksForSmallerTolerancesOrDamping) {
  const auto instance = catalogue::make_problem("stiff-spring-pendulum");
  ASSERT_TRUE(instance);
  const auto end = integrate(instance->problem, "ro2b", {.tolerances = {.rtol = 1e-2, .atol = 1e-2}});
  ASSERT_TRUE(end);
  ASSERT_EQ(end->status, RunStatus::unbounded) << end->reason;
  EXPECT_NE(end->reason.find("try a smaller tolerance (tolerances.rtol, tolerances.atol), or method radau"),
            std::string::npos)
      << end->reason;
  EXPECT_EQ(end->reason.find("formulation"), std::string::npos) << end->reason;
}

// Runs that reach their end, or are ended on purpose, need none.
TEST(Advice, IsForFailuresOnly) {
  const auto pendulum = catalogue::make_problem("pendulum", {}, "index-2");
  ASSERT_TRUE(pendulum);
  const auto end = integrate(pendulum->problem, "radau5", {});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->reason.find("try"), std::string::npos) << end->reason;
}

}  // namespace
}  // namespace rubato
