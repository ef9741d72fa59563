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

// Radau IIA of the library: in its own norm m_ave does not matter, in scaled unknowns it decides.
TEST(CamImpact, NewtonInScaledUnknownsNeedsTheMass) {
  const auto instance = catalogue::make_problem("cam-impact", {}, "index-3");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  IntegrateOptions options;
  options.tolerances = {.rtol = 0, .atol = 1e-7, .atol_of = {{"v", 1e10}, {"lambda", 1e10}}};
  options.step.initial_step = 1e-3;
  options.step.max_step = 1e-2;
  options.step.min_step = 1e-12;
  options.linear.k_ave = 1e3;
  for (const bool scaled : {false, true})
    for (const double m_ave : {1.0, 0.0}) {
      options.newton.norm = scaled ? NewtonNorm::scaled : NewtonNorm::error;
      options.newton.tolerance = scaled ? 1e-12 : 0;
      options.linear.m_ave = m_ave;
      const auto run = integrate(instance->problem, "radau5", options);
      ASSERT_TRUE(run.ok()) << run.error().message;
      EXPECT_EQ(completed(run->status), !scaled || m_ave > 0) << run->reason;
      if (!completed(run->status)) {
        EXPECT_NEAR(run->t, 0.494, 1e-3);
      }
    }
}

// The cam held horizontal, the beam's end sent downwards: nothing puts energy in, the integrator takes some out.
TEST(CamImpact, EnergyDoesNotGrow) {
  auto instance = catalogue::make_problem("cam-impact", {{"driven", 0}, {"damping", 0}}, "index-3");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const Layout& layout = instance->problem.dae->layout();
  for (int i = 0; i < layout.size(); ++i)
    if (layout.component_name(i) == "v_y_beam8") instance->problem.x[i] = -0.5;
  const auto energies = contact_energies(*instance, 2e-6, 6000);
  ASSERT_TRUE(energies.ok()) << energies.error().message;
  EXPECT_NEAR(energies->front().energy, 0.5 * (40 + 1.6 * 0.15) * 0.25, 1e-12);
  double touched = 0;
  for (std::size_t i = 1; i < energies->size(); ++i) {
    // In contact a step may take from the spring more than it damps; after 500 of them there is less in any case.
    EXPECT_LE((*energies)[i].energy, (*energies)[i - 1].energy * (1 + 1e-5)) << (*energies)[i].t;
    if (i > 500) {
      EXPECT_LT((*energies)[i].energy, (*energies)[i - 500].energy * (1 + 1e-5)) << (*energies)[i].t;
    }
    touched = std::max(touched, (*energies)[i].normal_force);
  }
  EXPECT_GT(touched, 100);
  EXPECT_GT(energies->back().energy, 0.5 * energies->front().energy);
}

}  // namespace
}  // namespace rubato::experiments::scaling
