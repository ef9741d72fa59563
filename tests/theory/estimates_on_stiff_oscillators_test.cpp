// Local errors and their estimates on q'' = −ω²(q − φ) + φ'', φ = cos 2t, from t = 0.3 on the exact solution (check A13): mild
// (ω = 1) every method shows its order, very stiff (ω = 1e6) only what its stage order leaves, and the filtered estimate
// follows it down.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/method.hpp"
#include "rubato/problem/template_dae.hpp"

namespace rubato {
namespace {

struct Oscillator {
  double omega;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::cos;
    const S phi = cos(2.0 * at.t);
    out[0] = at.x[1];
    out[1] = -omega * omega * (at.x[0] - phi) - 4.0 * phi;
  }
};

constexpr double t0 = 0.3;

struct Pair {
  double q, v;
};

std::unique_ptr<Stepper> stepper_at_start(double omega, std::string_view name, const IntegrateOptions& options) {
  InitialValueProblem problem;
  problem.dae = make_dae(Oscillator{omega}, {{.name = "q", .size = 1}, {.name = "v", .size = 1}});
  problem.t_start = t0;
  problem.x = (Vector(2) << std::cos(2 * t0), -2 * std::sin(2 * t0)).finished();
  const Method* method = method_by_name(name).value();
  auto stepper = method->make(method->info, problem, options);
  EXPECT_TRUE(stepper.ok());
  EXPECT_EQ((*stepper)->restart(t0, view(problem.x), {}, {}, 0), StepStatus::ok);
  return std::move(*stepper);
}

Pair local_error(double omega, std::string_view name, double h) {
  IntegrateOptions options;
  options.step.fixed_step = h;
  auto stepper = stepper_at_start(omega, name, options);
  EXPECT_EQ(stepper->attempt(t0, h).status, StepStatus::ok);
  stepper->commit();
  return {std::abs(stepper->x()[0] - std::cos(2 * (t0 + h))), std::abs(stepper->x()[1] + 2 * std::sin(2 * (t0 + h)))};
}

/// One component of the estimate: the norm sees nothing of the other. The unit keeps it below 1, where a first step would be
/// estimated a second time, and above 1e-10, where it is cut off.
double estimate(double omega, std::string_view name, ErrorEstimate kind, const char* block, double h) {
  const double unit_q = kind == ErrorEstimate::plain ? 1e-4 : 1e-9;
  const double unit = omega > 1 && *block == 'q' ? unit_q : 10;
  IntegrateOptions options;
  options.tolerances = {.rtol = 0, .atol = 1e20, .atol_of = {{block, unit}}};
  options.runge_kutta.map_tolerances = false;
  options.runge_kutta.estimate = kind;
  options.step.norm = Norm::maximum;
  options.newton.tolerance = 0.03;  // one iteration is exact; a second one adds rounding errors of the size of ω² u
  auto stepper = stepper_at_start(omega, name, options);
  const Attempt attempt = stepper->attempt(t0, h);
  EXPECT_EQ(attempt.status, StepStatus::ok);
  return attempt.error * unit;
}

Pair estimates(double omega, std::string_view name, ErrorEstimate kind, double h) {
  return {estimate(omega, name, kind, "q", h), estimate(omega, name, kind, "v", h)};
}

template <class Errors>
Pair slopes(double h, const Errors& errors) {
  const Pair coarse = errors(h), fine = errors(h / 2);
  return {std::log2(coarse.q / fine.q), std::log2(coarse.v / fine.v)};
}

struct Row {
  const char* method;
  Pair error_mild, error_stiff, mu_stiff, nu_stiff;
};

TEST(EstimatesOnStiffOscillators, SlopesOfErrorsAndEstimates) {
  constexpr Row rows[] = {{"radau5", {6, 6}, {2, 3}, {4, 3}, {2, 3}}, {"lobatto-iiic", {5, 5}, {1, 2}, {3, 3}, {1, 2}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.method);
    const auto expect = [](const Pair& slope, const Pair& expected, const char* what) {
      EXPECT_NEAR(slope.q, expected.q, 0.15) << what << " of q";
      EXPECT_NEAR(slope.v, expected.v, 0.15) << what << " of v";
    };
    const double h = 1.0 / 32;
    expect(slopes(h, [&](double x) { return local_error(1, row.method, x); }), row.error_mild, "mild error");
    // ω = 1e4 here: the error of q is O(h²/ω²), at 1e6 no more than rounding.
    expect(slopes(h, [&](double x) { return local_error(1e4, row.method, x); }), row.error_stiff, "stiff error");
    for (const auto kind : {ErrorEstimate::plain, ErrorEstimate::filtered}) {
      expect(slopes(h, [&](double x) { return estimates(1, row.method, kind, x); }), {4, 4}, "mild estimate");
      expect(slopes(h, [&](double x) { return estimates(1e6, row.method, kind, x); }),
             kind == ErrorEstimate::plain ? row.mu_stiff : row.nu_stiff, "stiff estimate");
    }
  }
}

TEST(EstimatesOnStiffOscillators, SizesAtOnePoint) {
  // h = 1/64, ω = 1e6: errors and estimates of v as the specification lists them.
  const double h = 1.0 / 64;
  EXPECT_NEAR(local_error(1e6, "lobatto-iiic", h).v, 9.45e-5, 1e-6);
  EXPECT_NEAR(estimates(1e6, "lobatto-iiic", ErrorEstimate::filtered, h).v, 1.22e-3, 1e-5) << "(IIIDC)^, α₀ = 1";
  EXPECT_NEAR(local_error(1e6, "radau5", h).v, 6.2e-7, 1e-8);
  EXPECT_NEAR(estimates(1e6, "radau5", ErrorEstimate::filtered, h).v, 2.1e-7, 1e-8);
}

}  // namespace
}  // namespace rubato
