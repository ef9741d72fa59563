// The contact problem of the scaling study: with m_ave = 0 Newton's iteration fails at the impact, with m_ave = 1 never.
// Numbers: an independent program on the same planar model.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "experiments/index3_scaling/contact_run.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato::experiments::scaling {
namespace {

TEST(CamImpact, MassInTheScalingDecidesWhetherNewtonSurvivesTheImpact) {
  const auto good = run_contact({});
  ASSERT_TRUE(good.ok()) << good.error().message;
  EXPECT_EQ(good->trouble, "");
  EXPECT_NEAR(good->first_contact, 0.494010, 1e-5);
  EXPECT_NEAR(good->first_release, 0.494109, 1e-5);
  EXPECT_NEAR(good->second_contact, 0.49565, 5e-5);
  EXPECT_NEAR(good->peak_force, 5.25e4, 0.03 * 5.25e4);
  EXPECT_NEAR(good->y_T, 0.398, 0.004);
  EXPECT_LE(good->newton_failures, 20);
  EXPECT_GT(good->largest_s, 1e9);
  // The driver: φ(1) = π/2, from −φ(0.494).
  const double start = -std::numbers::pi / 3 * (1 - std::cos(2 * std::numbers::pi / 3 * 0.494));
  EXPECT_NEAR(good->joint_angle, start + std::numbers::pi / 2, 1e-14);
  EXPECT_LE(good->largest_residual, 1e-14);

  const auto bad = run_contact({.m_ave = 0});
  ASSERT_TRUE(bad.ok()) << bad.error().message;
  EXPECT_NE(bad->trouble, "");
  EXPECT_GT(bad->t, 0.494 - 1e-5);
  EXPECT_LT(bad->t, 0.494 + 3e-5);
  // Before the impact both scalings serve.
  EXPECT_NEAR(bad->history[40].t, good->history[40].t, 1e-9);

  // Linear joints end in an exact fixed point: no failure, whatever s is.
  const auto linear = run_contact({.m_ave = 0, .offset = 0, .t_end = 0.496});
  ASSERT_TRUE(linear.ok()) << linear.error().message;
  EXPECT_EQ(linear->trouble, "");
}

TEST(CamImpact, FirstPulseWithSmallSteps) {
  const auto run = run_contact({.eps_loc = 1e-8, .t_end = 0.4945});
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->trouble, "");
  EXPECT_NEAR(run->peak_force, 5.5e4, 0.03 * 5.5e4);
  EXPECT_NEAR(run->first_release - run->first_contact, 1.0e-4, 0.05e-4);  // a step is 4e-6
}

// Methods of the library: in their own norm m_ave does not matter, in scaled unknowns it decides.
TEST(CamImpact, NewtonInScaledUnknownsNeedsTheMass) {
  const auto instance = catalogue::make_problem("cam-impact", {}, "index-3");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  IntegrateOptions options;
  options.tolerances = {.rtol = 0, .atol = 1e-7, .atol_of = {{"v", 1e10}, {"lambda", 1e10}}};
  options.step.initial_step = 1e-3;
  options.step.max_step = 1e-2;
  options.step.min_step = 1e-12;
  options.linear.k_ave = 1e3;
  for (const char* method : {"radau5", "generalized-alpha:0"})
    for (const int k : {0, 1, 2, 3}) {
      const bool scaled = k >= 2;
      const double m_ave = k % 2;
      options.tolerances.atol = method[0] == 'r' ? 1e-7 : 1e-8;  // small enough for small steps
      options.newton.norm = scaled ? NewtonNorm::scaled : NewtonNorm::error;
      options.newton.tolerance = scaled ? 1e-12 : 0;
      options.linear.m_ave = m_ave;
      const auto run = integrate(instance->problem, method, options);
      ASSERT_TRUE(run.ok()) << run.error().message;
      EXPECT_EQ(completed(run->status), !scaled || m_ave > 0) << method << ": " << run->reason;
      if (!completed(run->status)) {
        EXPECT_NEAR(run->t, 0.494, 1e-3);
      }
    }
}

// The cam held horizontal, the beam's end sent downwards: nothing puts energy in, the integrator takes some out. Within a
// contact the energy may rise for a few steps, by what vanishes like h².
TEST(CamImpact, EnergyDoesNotGrow) {
  auto instance = catalogue::make_problem("cam-impact", {{"driven", 0}, {"damping", 0}}, "index-3");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const Layout& layout = instance->problem.dae->layout();
  for (int i = 0; i < layout.size(); ++i)
    if (layout.component_name(i) == "v_y_beam8") instance->problem.x[i] = -0.5;
  double rises[2];
  for (const int k : {0, 1}) {
    const auto energies = contact_energies(*instance, k == 0 ? 4e-6 : 2e-6, 3000 << k);
    ASSERT_TRUE(energies.ok()) << energies.error().message;
    EXPECT_NEAR(energies->front().energy, 0.5 * (40 + 1.6 * 0.15) * 0.25, 1e-12);
    double lowest = energies->front().energy, touched = 0;
    rises[k] = 0;
    for (const EnergyStep& step : *energies) {
      lowest = std::min(lowest, step.energy);
      rises[k] = std::max(rises[k], step.energy / lowest - 1);
      touched = std::max(touched, step.normal_force);
    }
    EXPECT_GT(touched, 1000);
    EXPECT_LT(energies->back().energy, (1 - 5e-6) * energies->front().energy);
    EXPECT_GT(energies->back().energy, (1 - 5e-4) * energies->front().energy);
  }
  EXPECT_LT(rises[1], 1e-5);
  EXPECT_GT(rises[0] / rises[1], 3);
}

}  // namespace
}  // namespace rubato::experiments::scaling
