// Quasi-static formulation: a slowly loaded nonlinear spring beside a Maxwell element. Without inertia the position is
// algebraic, 0 = p(t) − k q − q³ − k₁ (q − z), z' = (q − z)/τ: index 1, integrated with the method's full order.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

struct Creep {
  static constexpr bool constant_mass = true;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1, .z = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::sin;
    const S& q = p.q[0];
    f[0] = sin(p.t) - 2.0 * q - q * q * q - 3.0 * (q - p.z[0]);
  }
  template <class S>
  void auxiliary(const MechanicalPoint<S>& p, std::span<S> e) const {
    e[0] = (p.q[0] - p.z[0]) / 0.4;
  }
};

InitialValueProblem creep() {
  const auto dae = formulate(make_mechanical(Creep{}), {.level = Level::quasi_static}).value();
  InitialValueProblem problem;
  problem.dae = dae;
  problem.t_end = 2;
  problem.x = Vector::Zero(2);
  return problem;
}

Vector end_state(const char* method, double h) {
  IntegrateOptions options;
  options.step.fixed_step = h;
  const auto run = integrate(creep(), method, options);
  EXPECT_TRUE(run.ok() && run->status == RunStatus::finished);
  return run->x;
}

TEST(QuasiStatic, IsIndexOneInPositionsAndAuxiliaryStates) {
  const auto problem = creep();
  EXPECT_EQ(problem.dae->size(), 2);
  EXPECT_EQ(problem.dae->layout().index(), 1);
}

TEST(QuasiStatic, KeepsTheOrderOfTheMethod) {
  const Vector reference = end_state("rodas5p", 2.0 / 1024);
  for (const auto& [method, order] : {std::pair{"ros3p", 3.0}, std::pair{"rodas4p", 4.0}}) {
    const double coarse = (end_state(method, 2.0 / 32) - reference).norm(),
                 fine = (end_state(method, 2.0 / 64) - reference).norm();
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.25) << method;
  }
}

TEST(QuasiStatic, TheEndIsAnEquilibriumUnderTheLoadThere) {
  const Vector x = end_state("rodas4p", 1e-3);
  const double q = x[0], z = x[1];
  EXPECT_NEAR(std::sin(2.0) - 2 * q - q * q * q - 3 * (q - z), 0, 1e-10);
}

}  // namespace
}  // namespace rubato
