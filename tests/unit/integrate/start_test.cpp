// Starts that do not satisfy the algebraic equations are repaired or named; those that do stay as they are.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/integrate.hpp"

namespace rubato {
namespace {

/// x' = −y, 0 = y³ + y − x − c: y = 1 for x = 2 − c, and far from there the cube makes one Newton step poor.
class Cubic final : public Dae {
 public:
  explicit Cubic(double root_of = 0)
      : Dae(Layout{{.name = "x", .size = 1}, {.name = "y", .size = 1, .kind = Kind::algebraic}}), square_(root_of) {}
  EvalStatus f(const At& at, Out out) const noexcept override {
    const double x = at.x[0], y = at.x[1];
    out[0] = -y;
    out[1] = square_ > 0 ? y * y + square_ : y * y * y + y - x;
    return EvalStatus::ok;
  }
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    out[0] = w[0];
    out[1] = 0;
    return EvalStatus::ok;
  }

 private:
  double square_;  ///< > 0: 0 = y² + square instead, which nothing satisfies
};

RunSummary run_from(double y, const char* method, double square = 0) {
  InitialValueProblem problem;
  problem.dae = std::make_shared<Cubic>(square);
  problem.x = Eigen::Vector2d(2, y);
  problem.t_end = 1;
  const auto summary = integrate(problem, method, {.tolerances = {.rtol = 1e-6, .atol = 1e-6}});
  EXPECT_TRUE(summary) << summary.error().message;
  return *summary;
}

TEST(Start, AlgebraicUnknownsFarOffAreSolvedFor) {
  for (const char* method : {"radau", "radau5", "bdf", "rodas5p"}) {
    const RunSummary good = run_from(1, method), off = run_from(1e6, method);
    EXPECT_EQ(off.status, RunStatus::finished) << method << ": " << off.reason;
    EXPECT_NEAR(off.x[0], good.x[0], 1e-5) << method;
    ASSERT_FALSE(off.notes.empty()) << method;
    EXPECT_NE(off.notes[0].find("y moved most, from 1000000"), std::string::npos) << off.notes[0];
    EXPECT_TRUE(good.notes.empty()) << method << ": " << good.notes[0];
  }
}

// Within the tolerances nothing is touched: the same numbers as if nobody had looked.
TEST(Start, WhatTheTolerancesExplainStays) {
  for (const double error : {0.0, 1e-7}) {
    InitialValueProblem problem;
    problem.dae = std::make_shared<Cubic>();
    problem.x = Eigen::Vector2d(2, 1 + error);
    problem.t_end = 1e-9;
    const auto summary = integrate(problem, "radau", {.step = {.fixed_step = 1}});
    ASSERT_TRUE(summary);
    EXPECT_TRUE(summary->notes.empty()) << error;
  }
}

/// x' = −y, 0 = log y − x: a start with y < 0 lies outside the domain, said by a status or by NaN.
class Logarithm final : public Dae {
 public:
  explicit Logarithm(bool says_so)
      : Dae(Layout{{.name = "x", .size = 1}, {.name = "y", .size = 1, .kind = Kind::algebraic}}), says_so_(says_so) {}
  EvalStatus f(const At& at, Out out) const noexcept override {
    if (says_so_ && !(at.x[1] > 0)) return EvalStatus::out_of_domain;
    out[0] = -at.x[1];
    out[1] = std::log(at.x[1]) - at.x[0];
    return EvalStatus::ok;
  }
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    out[0] = w[0];
    out[1] = 0;
    return EvalStatus::ok;
  }

 private:
  bool says_so_;
};

TEST(Start, ValuesOutsideTheDomainAreNamed) {
  for (const bool says_so : {false, true})
    for (const char* method : {"radau", "bdf", "rodas4p"}) {
      InitialValueProblem problem;
      problem.dae = std::make_shared<Logarithm>(says_so);
      problem.x = Eigen::Vector2d(2, -3);
      problem.t_end = 1;
      const auto end = integrate(problem, method, {});
      ASSERT_TRUE(end);
      EXPECT_FALSE(completed(end->status)) << method;
      const auto says = [&](const char* words) { return end->reason.find(words) != std::string::npos; };
      EXPECT_TRUE(says("after 0 accepted steps; ")) << end->reason;  // before what explains and advises
      EXPECT_TRUE(says("the start values lie outside the domain of the model")) << end->reason;
      EXPECT_TRUE(says("with y = 3 instead of -3 they do not; try other start values")) << end->reason;
      EXPECT_EQ(says("equation y is"), !says_so) << end->reason;
      EXPECT_FALSE(says("initial_step")) << end->reason;
    }
}

TEST(Start, AnEquationThatCannotBeSatisfiedIsNamed) {
  for (const char* method : {"radau", "bdf", "rodas5p"}) {
    const RunSummary none = run_from(1, method, 1);
    EXPECT_FALSE(completed(none.status)) << method;
    EXPECT_NE(none.reason.find("the start is not consistent"), std::string::npos) << method << ": " << none.reason;
    EXPECT_NE(none.reason.find("equation y "), std::string::npos) << method << ": " << none.reason;
  }
}

}  // namespace
}  // namespace rubato
