// An arm of ten undamped beams that is spun up (Simo, Vu-Quoc, J. Appl. Mech. 53 (1986) 849): its vibrations, 10² to 10⁵ rad/s, are
// no part of the motion and must not hold the steps of `bdf`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rubato/integrate/integrate.hpp"
#include "rubato/io/model_file.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

std::string spinning_arm() {
  std::string text = R"toml(
[[body]]
name = "n0"
mass = 0.6
inertia = [1e-3, 1e-3, 0.0013]
[[joint]]
name = "motor"
type = "revolute"
bodies = ["ground", "n0"]
at = [0, 0, 0]
motion = "if(t < 15, 6/15*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)"
)toml";
  for (int i = 1; i <= 10; ++i) {
    const double part = i == 10 ? 0.5 : 1;
    text += fmt::format("[[body]]\nname = \"n{}\"\nmass = {}\ninertia = [{}, {}, {}]\nat = [{}, 0, 0]\n", i, 1.2 * part,
                        6e-4 * part, 6e-4 * part, 6e-4 * part, i);
    text += fmt::format(
        "[[force]]\nname = \"e{}\"\ntype = \"beam\"\na = \"n{}\"\nb = \"n{}\"\n"
        "axial_shear = [2.8e7, 1e7, 1e7]\ntorsion_bending = [1.4e4, 1.4e4, 1.4e4]\n",
        i, i - 1, i);
  }
  return text;
}

/// Orders above 2 excite vibrations again and again, and order 2 spends its steps on damping them: 26,400 steps at 1e-4, more than at 1e-5, before
/// the order remembered that it did not pay; `radau` takes 2000.
TEST(SpinningArm, OrdersAboveTwoAreNotTriedAgainAndAgain) {
  const auto file = io::parse_model_file(spinning_arm(), "spinning_arm.toml", {}, {});
  ASSERT_TRUE(file) << file.error().message;
  const auto system = built(file->mechanism);
  ASSERT_NE(system, nullptr);
  const auto start = consistent_state(*system, system->start());
  ASSERT_TRUE(start) << start.error().message;
  const auto dae = formulate(system, *formulation_by_name("index-3"));
  ASSERT_TRUE(dae) << dae.error().message;
  InitialValueProblem problem{.dae = *dae, .t_end = 20, .base = (*dae)->base_of(*start)};
  (*dae)->pack(*start, problem.x, problem.w);
  std::int64_t before = 0;
  for (const double rtol : {1e-3, 1e-4}) {
    const auto end = integrate(
        problem, "bdf",
        {.tolerances = {.rtol = rtol, .atol = 1e-2 * rtol, .atol_of = {{"v", 0.6 * rtol}, {"lambda", 4.3 * rtol}}}});
    ASSERT_TRUE(end) << end.error().message;
    ASSERT_TRUE(completed(end->status)) << end->reason;
    EXPECT_LT(end->statistics.accepted, 9000) << rtol;
    EXPECT_GT(end->statistics.accepted, before) << rtol;
    before = end->statistics.accepted;
  }
}

}  // namespace
}  // namespace rubato::multibody
