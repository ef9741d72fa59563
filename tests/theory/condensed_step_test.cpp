// A step with the local unknowns condensed away (n_q + n_λ unknowns) is the step of the full matrix (2n_q + n_λ), to
// round-off; and the scaling of constraint rows and multipliers changes nothing but the conditioning.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/method.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

/// Three masses in a row on nonlinear springs with dampers, shaken, the first and last coupled by a moving constraint
/// that also contains velocities once it is differentiated.
struct ShakenChain {
  static constexpr bool constant_mass = true;
  MechanicalSizes sizes() const { return {.q = 3, .v = 3, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = 2.0 * a[0] + 0.1 * a[1];
    out[1] = 0.1 * a[0] + 1.5 * a[1];
    out[2] = 0.7 * a[2];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::sin;
    const S d1 = p.q[1] - p.q[0], d2 = p.q[2] - p.q[1];
    const S s1 = 40.0 * d1 + 10.0 * d1 * d1 * d1, s2 = 30.0 * d2 + 0.5 * (p.v[2] - p.v[1]);
    f[0] = s1 + sin(3.0 * p.t);
    f[1] = s2 - s1 - 0.2 * p.v[1] * p.v[1];
    f[2] = -s2;
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    using std::cos;
    g[0] = p.q[0] * p.q[0] + p.q[2] - 0.3 * cos(p.t);
  }
};

InitialValueProblem chain(Formulation form) {
  InitialValueProblem problem;
  const auto dae = formulate(make_mechanical(ShakenChain{}), form).value();
  MechanicalState start;
  start.q = Vector(3);
  start.q << 0.2, 0.1, 0.26;
  start.v = Vector::Zero(3);
  start.a = Vector::Zero(3);
  start.lambda = Vector::Zero(1);
  dae->pack(start, problem.x, problem.w);
  problem.dae = dae;
  return problem;
}

Vector after_steps(const InitialValueProblem& problem, const char* name, bool condense, LinearOptions linear) {
  IntegrateOptions options;
  options.step.fixed_step = 0.02;
  options.any_index = true;  // the linear algebra is the same at every index
  options.linear = linear;
  options.linear.condense = condense;
  const Method* method = method_by_name(name).value();
  auto stepper = method->make(method->info, problem, options).value().release();
  std::unique_ptr<Stepper> keep(stepper);
  EXPECT_EQ(stepper->restart(0, view(problem.x), {}, {}, 0), StepStatus::ok);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(stepper->attempt(0.02 * i, 0.02).status, StepStatus::ok);
    stepper->commit();
  }
  return map(stepper->x());
}

TEST(CondensedStep, EqualsTheFullStep) {
  for (const auto& form :
       {Formulation{.level = Level::index_3}, Formulation{.level = Level::index_2}, Formulation{.level = Level::ggl},
        Formulation{.level = Level::index_2, .kinetics = Kinetics::accelerations}, Formulation{.level = Level::index_1},
        Formulation{.level = Level::index_2, .kinetics = Kinetics::momentum}})
    for (const char* method : {"ros3p", "rodas4p", "rodas5p"}) {
      SCOPED_TRACE(name_of(form) + " " + method);
      const auto problem = chain(form);
      using enum ScalingMode;
      const Vector full = after_steps(problem, method, false, {.back_end = BackEnd::dense, .scaling = none});
      // Five steps of s solves each; λ is amplified by 1/h² at index 3.
      const double tolerance = 1e-10 * full.norm();
      EXPECT_LT((after_steps(problem, method, true, {.back_end = BackEnd::dense}) - full).norm(), tolerance);
      EXPECT_LT((after_steps(problem, method, true, {.back_end = BackEnd::klu}) - full).norm(), tolerance);
      EXPECT_LT((after_steps(problem, method, true, {.back_end = BackEnd::klu, .scaling = none}) - full).norm(),
                tolerance);
      EXPECT_LT((after_steps(problem, method, false, {.back_end = BackEnd::klu}) - full).norm(), tolerance);
      for (const LinearOptions& linear :
           {LinearOptions{.scaling = left}, LinearOptions{.scaling = lambda}, LinearOptions{.k_ave = 1e3, .m_ave = 0},
            LinearOptions{.k_ave = 0, .m_ave = 20}})
        EXPECT_LT((after_steps(problem, method, true, linear) - full).norm(), tolerance);
    }
}

}  // namespace
}  // namespace rubato
