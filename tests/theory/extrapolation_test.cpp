// The extrapolated linearly implicit Euler method as an integrator: what it counts, which orders it keeps where B depends on the state,
// how it chooses its columns, what it refuses.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/extrapolation_tableau.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/template_dae.hpp"

namespace rubato {
namespace {

/// x₁ = sin t, x₂ = cos t, y = 1, with B(x) on the left.
struct Rolling {
  static constexpr bool constant_mass = false;
  static constexpr bool autonomous = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const S &x1 = at.x[0], &x2 = at.x[1], &y = at.x[2];
    const S r2 = x1 * x1 + x2 * x2;
    out[0] = x2 * y * r2 * (2.0 + x2);
    out[1] = -x1 * y * y * (1.0 + x1 * x1);
    out[2] = y * y * y + y * r2 - 2.0;
  }
  template <class S>
  void mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const {
    out[0] = (2.0 + at.x[1]) * w[0];
    out[1] = (1.0 + at.x[0] * at.x[0]) * w[1];
    out[2] = S(0.0);
  }
};

/// 0 = y − sin t beside an oscillator: time in an algebraic equation.
struct Driven {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sin;
    out[0] = at.x[1];
    out[1] = -4.0 * at.x[0] + at.x[2];
    out[2] = at.x[2] - sin(at.t);
  }
};

template <class Model>
InitialValueProblem extrapolated_problem(const Model& model, const Vector& x) {
  InitialValueProblem problem;
  problem.dae = make_dae(model, {{.name = "x", .size = 2}, {.name = "y", .size = 1, .kind = Kind::algebraic}});
  problem.x = x;
  problem.t_end = 1;
  return problem;
}
InitialValueProblem rolling() { return extrapolated_problem(Rolling{}, Vector{{0, 1, 1}}); }

RunSummary run_extrapolated(const InitialValueProblem& problem, std::string_view method,
                            const IntegrateOptions& options) {
  const auto made = integrate(problem, method, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  EXPECT_EQ(made->status, RunStatus::finished) << made->reason;
  return *made;
}

/// One Jacobian, k factorisations, Σ n_j solutions; f at the start serves all rows unless it depends on time.
TEST(Extrapolation, CountsWhatItDoes) {
  InitialValueProblem autonomous = catalogue::make_problem("van-der-pol", {{"eps", 1.0}})->problem;
  autonomous.t_end = 1;
  IntegrateOptions options;
  options.step.fixed_step = 0.1;
  for (const auto& [problem, f_calls] :
       {std::pair(autonomous, 11), std::pair(extrapolated_problem(Driven{}, Vector::Zero(3)), 14)}) {
    const Statistics s = run_extrapolated(problem, "extrapolated-euler-4", options).statistics;  // 2, 3, 4, 5
    EXPECT_EQ(s.jacobians, 10);
    EXPECT_EQ(s.factorisations, 40);
    EXPECT_EQ(s.solves, 140);
    EXPECT_EQ(s.f_calls, 10 * f_calls);
  }
  EXPECT_EQ(method_by_name("extrapolated-euler-4").value()->info.f_calls, 11);
}

/// Where B depends on differential unknowns, and derivatives of algebraic ones do not appear, two to four columns keep their order. (Else
/// they lose one: the local errors of extrapolation_orders_test.cpp.)
TEST(Extrapolation, OrdersOfQuasiLinearSystems) {
  for (const int columns : {2, 3, 4}) {
    const auto error = [&](int steps) {
      IntegrateOptions options;
      options.step.fixed_step = 1.0 / steps;
      const auto s = run_extrapolated(rolling(), "extrapolated-euler-" + std::to_string(columns), options);
      return (s.x - Vector{{std::sin(1), std::cos(1), 1}}).norm();
    };
    const int steps = columns == 4 ? 40 : 160;  // errors above rounding
    EXPECT_NEAR(std::log2(error(steps) / error(2 * steps)), columns, 0.15) << columns;
  }
}

/// 0 = y − sin t holds at the end of every step, not one step late.
TEST(Extrapolation, AlgebraicEquationsThatDependOnTimeHold) {
  IntegrateOptions options;
  options.step.fixed_step = 0.1;
  const auto s = run_extrapolated(extrapolated_problem(Driven{}, Vector::Zero(3)), "extrapolated-euler-3", options);
  EXPECT_NEAR(s.x[2], std::sin(1), 1e-14);
}

/// Tighter tolerances take higher columns: solutions per step, 9 for three columns and 35 for all seven. Errors follow the tolerance.
TEST(Extrapolation, ChoosesItsColumns) {
  for (const char* const name : {"van-der-pol", "robertson", "hydraulic-gearbox", "drive-train", "quasi-linear"}) {
    const auto instance = catalogue::make_problem(name);
    ASSERT_TRUE(instance.ok());
    double first = 0, last = 0, digits_before = 0;
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      IntegrateOptions options;
      options.tolerances = {.rtol = tolerance, .atol = instance->measure.atol_per_rtol * tolerance};
      options.step.initial_step = instance->suggested_initial_step;
      const RunSummary s = run_extrapolated(instance->problem, "extrapolated-euler", options);
      last = static_cast<double>(s.statistics.solves) / static_cast<double>(s.statistics.steps);
      if (first == 0) first = last;
      const double digits = catalogue::digits(*instance, view(s.x)).value();
      EXPECT_GT(digits, digits_before + 0.8) << name << " " << tolerance;
      EXPECT_GT(digits, -std::log10(tolerance) - 1.6) << name << " " << tolerance;
      EXPECT_LT(s.statistics.rejected, s.statistics.steps / 4) << name << " " << tolerance;
      digits_before = digits;
    }
    EXPECT_GT(last, 1.4 * first) << name;
    EXPECT_LT(last, 35) << name;
  }
}

/// Steps from h₀ that grow g-fold at most reach t after ln(1 + (g − 1) t/h₀)/ln g of them: 33 for g = 1.5 and t/h₀ = 10⁶, where 7 could do with
/// ten. A smaller part of the best step takes more steps, and not many times as many: columns fall, too.
TEST(Extrapolation, TakesTheLimitsOfTheRun) {
  const auto steps = [](double growth, double safety) {
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-4, .atol = 1e-4};
    options.step.initial_step = 1e-6;
    options.step.growth_limit = growth;
    options.step.safety = safety;
    return run_extrapolated(rolling(), "extrapolated-euler", options).statistics.steps;
  };
  const long own = steps(0, 0.9), slow = steps(1.5, 0.9), careful = steps(0, 0.8);
  EXPECT_GE(own, 7);
  EXPECT_LE(own, 20);
  EXPECT_GE(slow, 33);
  EXPECT_LE(slow, 33 + own);
  EXPECT_GT(careful, own);
  EXPECT_LE(careful, 3 * own);
  RecordProperty("steps", std::to_string(own) + " " + std::to_string(slow) + " " + std::to_string(careful));
}

/// A(α)-stability from the list against a scan of the half plane: |R| ≤ 1 inside the sector, and above 1 just outside.
TEST(Extrapolation, StabilityOfItsColumns) {
  const auto r = [](std::span<const int> numbers, std::complex<double> z) {
    std::vector<std::complex<double>> row;
    for (std::size_t j = 1; j <= numbers.size(); ++j) {
      std::complex<double> step = 1;
      for (int i = 0; i < numbers[j - 1]; ++i) step /= 1.0 - z / static_cast<double>(numbers[j - 1]);
      row.push_back(step);
      extend_tableau<std::complex<double>>(numbers, j, row);
    }
    return std::abs(row.back());
  };
  for (const int columns : {2, 3, 4}) {
    std::vector<int> numbers;
    for (int j = 0; j < columns; ++j) numbers.push_back(2 + j);
    double largest = 0, angle = 90;
    for (int i = 0; i <= 3000; ++i)
      for (int degree = 900; degree >= 890; --degree) {
        const double size = std::pow(10.0, -3 + i / 500.0), phi = degree * std::numbers::pi / 1800;
        const double here = r(numbers, -std::polar(size, phi));
        if (degree == 900) largest = std::max(largest, here);
        if (here > 1 + 1e-9) angle = std::min(angle, degree / 10.0);
      }
    const MethodInfo& info = method_by_name("extrapolated-euler-" + std::to_string(columns)).value()->info;
    EXPECT_EQ(info.a_stable, largest <= 1 + 1e-9) << columns << ": " << largest;
    const auto said = info.help.find("A(");
    EXPECT_EQ(said == std::string::npos, info.a_stable);
    if (said != std::string::npos) {
      EXPECT_NEAR(std::stod(info.help.substr(said + 2)), angle, 0.15);
    }
    EXPECT_LT(r(numbers, -1e9), 1e-6);
  }
}

TEST(Extrapolation, RefusesWhatItCannotDo) {
  const auto refusal = [](const InitialValueProblem& problem, std::string_view method, double fixed_step = 0) {
    IntegrateOptions options;
    options.step.fixed_step = fixed_step;
    const auto made = integrate(problem, method, options);
    return made.ok() ? std::string() : made.error().message;
  };
  const auto index_3 = catalogue::make_problem("pendulum", {}, "index-3")->problem;
  EXPECT_NE(refusal(index_3, "extrapolated-euler").find("index 3"), std::string::npos);
  const auto approximate = catalogue::make_problem("tabulated-force")->problem;
  EXPECT_NE(refusal(approximate, "extrapolated-euler").find("approximate"), std::string::npos);
  EXPECT_NE(refusal(rolling(), "extrapolated-euler-1").find("no error estimate"), std::string::npos);
  EXPECT_EQ(refusal(rolling(), "extrapolated-euler-1:1", 0.1), "");
  EXPECT_EQ(refusal(rolling(), "extrapolated-euler-7:3"), "");
  IntegrateOptions controlled;
  controlled.step.controller = Controller::pi;
  EXPECT_NE(
      integrate(rolling(), "extrapolated-euler", controlled).error().message.find("solver.controller has no effect"),
      std::string::npos);
  EXPECT_TRUE(integrate(rolling(), "extrapolated-euler-3", controlled).ok());
  for (const char* const name : {"extrapolated-euler-0", "extrapolated-euler-8", "extrapolated-euler-2:0",
                                 "extrapolated-euler-2:x", "extrapolated-euler-", "extrapolated-eulers"})
    EXPECT_NE(refusal(rolling(), name).find("[-COLUMNS][:FIRST]"), std::string::npos) << name;
}

}  // namespace
}  // namespace rubato
