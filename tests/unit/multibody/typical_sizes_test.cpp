// Sizes of unknowns from the data of a mechanism, by hand.
#include "rubato/multibody/typical_sizes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "rubato/base/function.hpp"

namespace rubato::multibody {
namespace {

Mechanism crank_and_ball() {
  Mechanism m;
  m.gravity = {0, -10, 0};
  m.bodies = {
      {.name = "crank", .kind = BodyKind::planar, .mass = 2, .inertia = {0, 0, 1}, .pose = {.position = {0.2, 0, 0}}},
      {.name = "ball", .kind = BodyKind::point, .mass = 0.5, .pose = {.position = {0.2, 0.1, 0}}}};
  m.joints = {
      {.name = "shaft", .type = JointType::revolute, .b = {.body = "crank", .pose = {.position = {-0.2, 0, 0}}}}};
  return m;
}

TEST(TypicalSizes, LengthIsTheWidestExtentOfBodiesAndFrames) {
  Mechanism m = crank_and_ball();
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 1).length, 0.2) << "from the shaft to both centres";
  m.forces = {SpringDamper{.name = "s", .a = {.pose = {.position = {0, 0, -0.7}}}, .b = {.body = "ball"}}};
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 1).length, 0.7);
  m.forces = {Contact{.name = "c", .a = {.shape = Shape::plane}, .b = {.marker = {.body = "ball"}, .radius = 0.5}}};
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 1).length, 1) << "the diameter of the ball";
  EXPECT_EQ(typical_sizes({}, 0, 1).length, 1) << "nothing: 1 m";
}

TEST(TypicalSizes, SpeedIsTheLargestOfFallStartAndMotion) {
  Mechanism m = crank_and_ball();
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 1).speed, std::sqrt(10 * 0.2));
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 0.01).speed, 20) << "0.2 m in the whole run";
  m.bodies[1].velocity = {0, 3, 0};
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 1).speed, 3);
  m.bodies[0].angular_velocity = {0, 0, 20};
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 1).speed, 4);
  m.joints[0].drive = Drive::angle;
  m.joints[0].motion = std::make_shared<const Function>(*function_of_time("50*t^2"));
  EXPECT_NEAR(typical_sizes(m, 0, 1).speed, 20, 1e-12) << "100 rad/s at the end";
  EXPECT_NEAR(typical_sizes(m, 0, 1).force, 2.5 * 20 * 20 / 0.2, 1e-9) << "centrifugal, above the weight";
}

TEST(TypicalSizes, BristlesAndSlipAreThoseOfTheFinestContact) {
  Mechanism m = crank_and_ball();
  const auto contact = [](const char* name, LuGre friction) {
    return Contact{.name = name,
                   .a = {.shape = Shape::plane},
                   .b = {.marker = {.body = "ball"}, .radius = 0.1},
                   .friction = friction};
  };
  EXPECT_EQ(typical_sizes(m, 0, 1).bristle, 0) << "no friction";
  m.forces = {contact("a", {.sigma_0 = 1e4, .v_s = 1e-3, .mu_k = 0.1, .mu_s = 0.2}),
              contact("b", {.sigma_0 = 1e5, .v_s = 1e-2, .mu_k = 0.1, .mu_s = 0.3})};
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 1).bristle, 3e-6);
  EXPECT_DOUBLE_EQ(typical_sizes(m, 0, 1).slip, 1e-3);
}

// Each block and each kind of coordinate has its size; what a layout does not have is not named.
TEST(TypicalSizes, SmallSizesFollowTheLayout) {
  const TypicalSizes sizes{
      .length = 2, .speed = 5, .mass = 4, .lightest = 1, .force = 40, .bristle = 1e-6, .slip = 1e-3};
  const Layout layout{{.name = "q", .size = 2, .components = {"crank.x", "crank.rz"}},
                      {.name = "v", .size = 2, .components = {"crank.vx", "crank.wz"}},
                      {.name = "z", .size = 1, .components = {"slide.state1"}},
                      {.name = "lambda", .size = 1, .components = {"shaft.x"}}};
  const auto list = small_sizes(sizes, layout);
  const std::map<std::string, double> small(list.begin(), list.end());
  const std::map<std::string, double> expected{{"q", 2e-3},      {"v", 1e-3},    {"z", 1e-6},
                                               {"lambda", 4e-2}, {"*.rz", 1e-2}, {"*.wz", 0.25}};
  ASSERT_EQ(small.size(), expected.size());
  for (const auto& [name, size] : expected) EXPECT_DOUBLE_EQ(small.at(name), size) << name;
}

}  // namespace
}  // namespace rubato::multibody
