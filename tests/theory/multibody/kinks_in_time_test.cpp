// Forces and drives that jump at times their expression tells: no step passes over them.
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/base/function.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

std::shared_ptr<const Function> kinked(const char* text) {
  const std::vector<std::string> t{"t"};
  auto expression = Expression::parse(text, t);
  EXPECT_TRUE(expression.ok()) << text;
  return std::make_shared<const Function>(*expression);
}

Mechanism pushed(const char* force) {
  return {.bodies = {{.name = "mass", .kind = BodyKind::point, .mass = 2}},
          .forces = {AppliedForce{.name = "push", .at = {.body = "mass"}, .force = {kinked(force), nullptr, nullptr}}}};
}

/// ∫F dt = m v: a pulse of 0.1 ms and 2 N s in 10 s of nothing, which steps of a second would not see; however it is written.
TEST(KinksInTime, ShortPulsesGiveTheirImpulse) {
  for (const char* pulse : {"if(t >= 3 && t < 3.0001, 2e4, 0)", "2e4*(t > 3)*(t <= 3.0001)",
                            "step(t, 3, 0, 3.00005, 4e4)*(t < 3.00007500)", "max(0, 4e4 - 8e8*abs(t - 3.00005))"})
    for (const char* method : {"radau", "bdf", "rodas4", "generalized-alpha"}) {
      const Ending end = run(built(pushed(pulse)), {.t_end = 10, .rtol = 1e-8, .method = method});
      // The third: half of it under the rise (its mean is a half), half of it while it lasts.
      EXPECT_NEAR(end["mass.vx"], 1, 2e-6) << pulse << " " << method;
    }
}

/// A square wave of period 2 s: v is a triangle, v(t) = t on the first second, x(20) = 10.
TEST(KinksInTime, SquareWave) {
  const Ending end = run(built(pushed("2*sign(sin(pi*t))")), {.t_end = 20, .rtol = 1e-8});
  EXPECT_NEAR(end["mass.vx"], 0, 1e-10);
  EXPECT_NEAR(end["mass.x"], 10, 1e-9);
}

/// A slider driven by a motion with a kink takes its new speed at once, and drags along what hangs on it: the bob of a pendulum
/// of length 1 keeps its place, so it swings with v as if the pivot had been struck: ω = −1/l for a point mass.
TEST(KinksInTime, DrivesWithAKinkMoveTheirPart) {
  Mechanism m{.bodies = {{.name = "slider", .kind = BodyKind::planar, .mass = 1, .inertia = {0, 0, 1}},
                         {.name = "bob", .kind = BodyKind::point, .mass = 1}},
              .gravity = {0, -9.81, 0}};
  m.bodies[1].pose.position = {0, -1, 0};
  m.joints = {{.name = "guide",
               .type = JointType::prismatic,
               .a = marker("ground", {}, {1, 0, 0}),
               .b = marker("slider", {}, {1, 0, 0}),
               .drive = Drive::position,
               .motion = kinked("max(0, t - 0.5)")},
              {.name = "rod", .type = JointType::distance, .a = {.body = "slider"}, .b = {.body = "bob"}}};
  const auto system = built(m);
  const Ending after = run(system, {.t_end = 0.5 + 1e-6, .rtol = 1e-8});
  EXPECT_NEAR(after["slider.vx"], 1, 1e-9);
  EXPECT_NEAR(after["bob.vx"], 0, 1e-5);
  const Ending later = run(system, {.t_end = 2, .rtol = 1e-8});
  EXPECT_NEAR(later["slider.x"], 1.5, 1e-9);
  EXPECT_NEAR(later["slider.vx"], 1, 1e-7);
  // Seen from the slider, which moves evenly, the pendulum swings with the energy of a bob struck with −1 m/s.
  const double dx = later["bob.x"] - later["slider.x"], dy = later["bob.y"], u = later["bob.vx"] - 1,
               w = later["bob.vy"];
  EXPECT_NEAR(std::hypot(dx, dy), 1, 1e-8);
  EXPECT_NEAR((u * u + w * w) / 2 + 9.81 * dy, 0.5 - 9.81, 1e-6);
}

/// Where kinks decide about the steps, a note says how many there are and which expression has them: 10 kHz has 10⁴ full waves a
/// second, |sin| two kinks in each.
TEST(KinksInTime, ManyOfThemAreWorthANote) {
  Mechanism m{.bodies = {{.name = "b", .mass = 1, .inertia = {1, 1, 1}}},
              .joints = {{.name = "rail",
                          .type = JointType::prismatic,
                          .b = {.body = "b"},
                          .drive = Drive::position,
                          .motion = kinked("abs(sin(2*pi*t))")}},
              .forces = {AppliedForce{
                  .name = "buzz", .at = {.body = "b"}, .force = {nullptr, kinked("abs(sin(2*pi*1e4*t))"), nullptr}}}};
  const auto notes = notes_on_kinks(m, 0, 0.1);
  ASSERT_EQ(notes.size(), 1U);
  for (const char* words : {"force 'buzz', along y", "'abs(sin(2*pi*1e4*t))'", "from t = 0 to 0.1 s"})
    EXPECT_NE(notes[0].find(words), std::string::npos) << notes[0];
  const std::size_t has = notes[0].find(" has ");
  ASSERT_NE(has, std::string::npos);
  EXPECT_NEAR(std::stod(notes[0].substr(has + 5)), 2000, 2) << notes[0];
  EXPECT_EQ(notes_on_kinks(m, 0, 300).size(), 2U);  // 600 kinks of the drive
  EXPECT_NE(notes_on_kinks(m, 0, 300)[1].find("more than 100000"), std::string::npos);
}

}  // namespace
}  // namespace rubato::multibody
