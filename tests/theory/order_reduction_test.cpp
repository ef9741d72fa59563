// Orders on the singularly perturbed test equation: q̈ = φ̈ − λ, ε²λ = q − φ, φ = cos 6t (second-order Prothero-Robinson).
// The exact smooth solution is q = φ, λ = 0. Published errors: specification §5.3, recomputed from the formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "rubato/integrate/method.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

struct ForcedOscillator {
  double eps2 = 1e-2;
  static constexpr bool constant_mass = true;
  bool is_compliant() const { return eps2 > 0; }
  MechanicalSizes sizes() const { return {.q = 1, .v = 1, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::cos;
    f[0] = -36.0 * cos(6.0 * p.t);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    using std::cos;
    g[0] = p.q[0] - cos(6.0 * p.t) - eps2 * p.lambda[0];
  }
};

struct ReductionErrors {
  double q, v, lambda;
};

/// Errors at t = 2.2 after N equal steps from the smooth start (1, 0, 0).
ReductionErrors run_reduced(const std::string& name, double eps2, int n) {
  const auto system = make_mechanical(ForcedOscillator{.eps2 = eps2});
  InitialValueProblem problem;
  problem.dae = formulate(system, {.level = Level::eps_lambda}).value();
  problem.t_end = 2.2;
  problem.x = Vector::Zero(3);
  problem.x[0] = 1;
  const double h = problem.t_end / n;
  IntegrateOptions options;
  options.any_index = true;  // order reduction is the subject
  options.step.fixed_step = h;
  const Method* method = method_by_name(name).value();
  auto stepper = method->make(method->info, problem, options);
  if (!stepper) ADD_FAILURE() << stepper.error().message;
  EXPECT_EQ((*stepper)->restart(0, view(problem.x), {}, {}, 0), StepStatus::ok);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ((*stepper)->attempt(i * h, h).status, StepStatus::ok);
    (*stepper)->commit();
  }
  const In x = (*stepper)->x();
  return {std::abs(x[0] - std::cos(13.2)), std::abs(x[1] + 6 * std::sin(13.2)), std::abs(x[2])};
}

struct ReductionRow {
  std::string method;
  double q_mild, v_mild;  // ε² = 1e-2, N = 352
  double q_88, v_88;      // ε² = 1e-6, N = 88
  double q_176, v_176;    // ε² = 1e-6, N = 176
};
const std::vector<ReductionRow> published{
    {"lie", 1.20e-2, 3.16e-1, 9.68e-3, 3.45e-1, 2.35e-3, 1.76e-1},
    {"ro2a", 8.10e-3, 4.57e-2, 4.45e-6, 5.36e-1, 5.62e-6, 2.62e-1},
    {"ro2b", 2.70e-4, 7.32e-4, 2.17e-4, 4.55e-1, 1.33e-4, 1.41e-1},
    {"ro2p", 2.38e-4, 8.87e-4, 9.74e-8, 6.81e-3, 1.43e-9, 1.64e-3},
    {"rowda3", 3.20e-6, 9.80e-5, 3.45e-5, 3.10e-1, 7.55e-5, 1.04e-1},
    {"ros3p", 7.57e-6, 1.63e-4, 3.96e-7, 7.57e-3, 1.69e-7, 1.90e-3},
    {"ros3pl", 1.92e-6, 4.54e-5, 8.34e-8, 2.10e-3, 3.64e-8, 5.70e-4},
    {"rowdaind2", 1.75e-6, 4.77e-5, 3.95e-5, 3.08e-2, 1.65e-5, 3.99e-2},
    {"rodas3", 2.69e-6, 7.76e-5, 9.45e-5, 2.38e-1, 6.93e-5, 8.15e-2},
    {"rodas4", 7.32e-9, 2.61e-8, 8.72e-6, 8.77e-3, 1.11e-5, 6.67e-3},
    {"rodas4p", 7.26e-9, 2.06e-8, 7.95e-8, 6.33e-5, 7.21e-9, 4.36e-5},
};

/// Both columns carry three digits of the specification; 5 % is its own margin (A5).
void expect_within(double value, double target, const char* what) {
  EXPECT_NEAR(value / target, 1.0, 0.05) << what << ": " << value << " against " << target;
}

TEST(OrderReduction, ReproducesTheErrorsOfTheSpecification) {
  for (const auto& row : published) {
    SCOPED_TRACE(row.method);
    const ReductionErrors mild = run_reduced(row.method, 1e-2, 352), coarse = run_reduced(row.method, 1e-6, 88),
                          fine = run_reduced(row.method, 1e-6, 176);
    expect_within(mild.q, row.q_mild, "q, ε² = 1e-2");
    expect_within(mild.v, row.v_mild, "v, ε² = 1e-2");
    expect_within(coarse.q, row.q_88, "q, N = 88");
    expect_within(coarse.v, row.v_88, "v, N = 88");
    expect_within(fine.q, row.q_176, "q, N = 176");
    expect_within(fine.v, row.v_176, "v, N = 176");
  }
}

double slope(double coarse, double fine) { return std::log2(coarse / fine); }

TEST(OrderReduction, ClassicalOrderWhereTheProblemIsNotStiff) {
  for (const auto& method : methods()) {
    SCOPED_TRACE(method.info.name);
    if (method.info.order > 5) continue;                      // rounding comes first
    if (method.info.name == "central-differences") continue;  // λ is an unknown
    const int large =
        method.info.kind == "multistep" && method.info.order > 3 ? 2 : 1;  // the constants of their errors
    const int n = large * (method.info.order == 5 ? 88 : method.info.order == 4 ? 704 : 5632);
    const ReductionErrors coarse = run_reduced(method.info.name, 1e-2, n),
                          fine = run_reduced(method.info.name, 1e-2, 2 * n);
    const double error = std::hypot(coarse.q, coarse.v), half = std::hypot(fine.q, fine.v);
    // Of extrapolation the term h⁵ is large: 4.34, 4.22, 4.12 from 176 steps on, then rounding.
    EXPECT_NEAR(slope(error, half), method.info.order, method.info.kind == "extrapolation" ? 0.15 : 0.1);
  }
}

TEST(OrderReduction, OrdersInTheLimit) {
  // ε = 0, index 3: v-order and λ-order of each method; 0 means the λ error does not shrink.
  const std::map<std::string, std::pair<double, double>> expected{
      {"ro2a", {1, 0}},    {"rowda3", {1, 0}}, {"rodas3", {1, 0}},  {"rodas4", {1, 0}},
      {"ros3p", {2, 1}},   {"ros3pl", {2, 1}}, {"rodas4p", {3, 2}}, {"rowdaind2", {2, 0}},
      {"rodas5p", {3, 2}}, {"ro2p", {2, -1}}};  // R(∞) = −1 leaves λ of RO2P undamped: no order
  for (const auto& [name, orders] : expected) {
    SCOPED_TRACE(name);
    const ReductionErrors coarse = run_reduced(name, 0, 1408), fine = run_reduced(name, 0, 2816);
    EXPECT_NEAR(slope(coarse.v, fine.v), orders.first, 0.1);
    if (orders.second >= 0) {
      EXPECT_NEAR(slope(coarse.lambda, fine.lambda), orders.second, 0.1);
    }
  }
}

TEST(OrderReduction, FirstStepOfTheLinearlyImplicitEulerMethod) {
  // λ₁ = −a²h²/(ε² + h²), a = 6: small for h ≪ ε, O(a²) for h ≫ ε.
  const double eps2 = 1e-6;
  const auto system = make_mechanical(ForcedOscillator{.eps2 = eps2});
  InitialValueProblem problem;
  problem.dae = formulate(system, {.level = Level::eps_lambda}).value();
  problem.x = Vector::Zero(3);
  problem.x[0] = 1;
  const Method* lie = method_by_name("lie").value();
  for (const double h : {1e-2, 1e-3, 1e-4, 1e-5}) {
    IntegrateOptions options;
    options.any_index = true;  // order reduction is the subject
    options.step.fixed_step = h;
    auto stepper = lie->make(lie->info, problem, options);
    ASSERT_TRUE(stepper.ok());
    ASSERT_EQ((*stepper)->restart(0, view(problem.x), {}, {}, 0), StepStatus::ok);
    ASSERT_EQ((*stepper)->attempt(0, h).status, StepStatus::ok);
    (*stepper)->commit();
    const double exact = -36 * h * h / (eps2 + h * h);
    EXPECT_NEAR((*stepper)->x()[2] / exact, 1.0, 1e-10);
  }
}

}  // namespace
}  // namespace rubato
