// Every wrong option is refused, in a sentence that names the option, its value and what is allowed.
#include "rubato/integrate/options.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "rubato/problem/template_dae.hpp"
#include "support/numbers.hpp"

namespace rubato {
namespace {

struct Decay {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = -at.x[0];
  }
};

/// The refusal of the default options with one change; empty where it is accepted.
std::string refusal(const std::function<void(IntegrateOptions&)>& change) {
  static const auto dae = make_dae(Decay{}, {{.name = "speed", .size = 1}});
  IntegrateOptions options;
  change(options);
  const auto result = checked(options, *dae);
  return result.ok() ? "" : result.error().message;
}

TEST(Options, DefaultsAreFine) {
  EXPECT_EQ(refusal([](auto&) {}), "");
}

TEST(Options, NumbersOutsideTheirRangeAreRefusedByName) {
  struct Case {
    const char* name;
    double& (*option)(IntegrateOptions&);
    std::vector<double> refused, accepted;
  };
  const std::vector<Case> cases{
      {"tolerances.rtol", [](auto& o) -> double& { return o.tolerances.rtol; }, {-1e-3, nan, infinity, 1}, {0, 0.5}},
      {"tolerances.atol", [](auto& o) -> double& { return o.tolerances.atol; }, {-1e-3, nan, infinity}, {0, 5}},
      {"step.fixed_step", [](auto& o) -> double& { return o.step.fixed_step; }, {-1, nan, infinity}, {0.1}},
      {"step.initial_step", [](auto& o) -> double& { return o.step.initial_step; }, {-1, nan, infinity}, {0.1}},
      {"step.min_step", [](auto& o) -> double& { return o.step.min_step; }, {-1, nan, infinity}, {0.1}},
      {"step.max_step", [](auto& o) -> double& { return o.step.max_step; }, {-1, 0, nan}, {0.1, infinity}},
      {"step.reference_time", [](auto& o) -> double& { return o.step.reference_time; }, {-1, 0, nan, infinity}, {2}},
      {"step.safety", [](auto& o) -> double& { return o.step.safety; }, {-1, 0, nan, 1.1}, {0.8, 1}},
      {"step.shrink_limit", [](auto& o) -> double& { return o.step.shrink_limit; }, {-1, nan, 1}, {0, 0.5}},
      {"step.growth_limit", [](auto& o) -> double& { return o.step.growth_limit; }, {1, -1, nan, infinity}, {0, 2}},
      {"event_tolerance", [](auto& o) -> double& { return o.event_tolerance; }, {-1, nan, infinity}, {1e-6}},
  };
  for (const Case& c : cases) {
    for (const double value : c.refused) {
      const std::string message = refusal([&](IntegrateOptions& o) { c.option(o) = value; });
      EXPECT_NE(message.find(c.name), std::string::npos) << c.name << " = " << value << ": " << message;
    }
    for (const double value : c.accepted)
      EXPECT_EQ(refusal([&](IntegrateOptions& o) { c.option(o) = value; }), "") << c.name << " = " << value;
  }
}

TEST(Options, TheSentenceNamesValueAndRange) {
  EXPECT_EQ(refusal([](auto& o) { o.step.safety = 1.5; }), "step.safety = 1.5 is not allowed: a number in (0, 1]");
}

TEST(Options, CountsMustBePossible) {
  EXPECT_NE(refusal([](auto& o) { o.step.max_steps = 0; }), "");
  EXPECT_NE(refusal([](auto& o) { o.checkpoint_every = -1; }), "");
}

TEST(Options, ContradictionsAreRefused) {
  EXPECT_NE(refusal([](auto& o) { o.tolerances = {.rtol = 0, .atol = 0}; }), "");
  EXPECT_NE(refusal([](auto& o) { o.step.min_step = 1, o.step.max_step = 0.5; }), "");
  EXPECT_NE(refusal([](auto& o) { o.step.initial_step = 1, o.step.max_step = 0.5; }), "");
  EXPECT_NE(refusal([](auto& o) { o.step.fixed_step = 1, o.step.max_step = 0.5; }), "");
  EXPECT_NE(refusal([](auto& o) { o.step.fixed_step = 1, o.step.initial_step = 0.5; }), "");
  EXPECT_NE(refusal([](auto& o) { o.step.fixed_step = 1, o.step.min_step = 2; }), "");
}

TEST(Options, TolerancesOfBlocksMustNameThem) {
  EXPECT_EQ(refusal([](auto& o) { o.tolerances.atol_of = {{"speed", 1e-2}}; }), "");
  EXPECT_NE(refusal([](auto& o) { o.tolerances.atol_of = {{"*.rx", 1e-2}}; }), "");
  EXPECT_NE(refusal([](auto& o) {
              o.tolerances.atol_of = {{"sped", 1e-2}};
            }).find("did you mean 'speed'"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) {
              o.tolerances.atol_of = {{"speed", -1}};
            }).find("atol_of[speed] = -1"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) {
              o.tolerances.atol_of = {{"speed", 1}, {"speed", 2}};
            }).find("twice"),
            std::string::npos);
}

TEST(Options, TheJacobianMustComeFromSomewhere) {
  EXPECT_EQ(refusal([](auto& o) { o.linear.jacobian = JacobianSource::dual; }), "");
  EXPECT_NE(refusal([](auto& o) { o.linear.jacobian = JacobianSource::model; }).find("supplies no Jacobian"),
            std::string::npos);
}

TEST(Options, ScalingNeedsSomethingToScaleBy) {
  EXPECT_EQ(refusal([](auto& o) { o.linear.m_ave = 0; }), "");
  EXPECT_EQ(refusal([](auto& o) { o.linear.k_ave = 0; }), "");
  EXPECT_NE(refusal([](auto& o) { o.linear.m_ave = o.linear.k_ave = 0; }).find("linear.k_ave = 0"), std::string::npos);
  for (const double wrong : {-1.0, nan, infinity})
    EXPECT_NE(refusal([&](auto& o) { o.linear.m_ave = wrong; }).find("linear.m_ave"), std::string::npos);
  // Absolute: there is no tolerance of the step to derive one from.
  EXPECT_NE(refusal([](auto& o) { o.newton.norm = NewtonNorm::scaled; }).find("newton.tolerance"), std::string::npos);
}

}  // namespace
}  // namespace rubato
