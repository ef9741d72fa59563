// A branch of the model that is closed at the start (penalty contact of two masses) opens during the run: the sparsity
// pattern grows when it does, and the run is the one of a dense pattern.
#include <gtest/gtest.h>

#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/template_dae.hpp"

namespace rubato {
namespace {

/// Two masses on springs that meet; `always` writes the contact so that the tracer sees it from the start.
template <bool always>
struct Collision {
  static constexpr bool autonomous = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const S gap = at.x[1] - at.x[0];
    S push = always ? 0.0 * at.t + S(0.0) * gap : S(0.0);
    if (value_of(gap) < 0)
      push = -1e4 * gap;
    else if (always)
      push = (gap - gap) * at.x[0];
    out[0] = at.x[2];
    out[1] = at.x[3];
    out[2] = -at.x[0] - push;
    out[3] = -(at.x[1] - 1.0) + push;
  }
};

template <bool always>
RunSummary collide(std::string_view method, JacobianSource source) {
  InitialValueProblem problem;
  problem.dae = make_dae(Collision<always>{}, {{.name = "q", .size = 2}, {.name = "v", .size = 2}});
  problem.t_end = 2;
  problem.x = Vector(4);
  problem.x << 0, 1, 1.5, -1.5;
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-7, .atol = 1e-7};
  options.linear.jacobian = source;
  const auto run = integrate(problem, method, options);
  EXPECT_TRUE(run.ok() && run->status == RunStatus::finished);
  return *run;
}

TEST(OpeningContact, ThePatternGrowsWithTheModel) {
  const RunSummary grown = collide<false>("rodas4", JacobianSource::dual),
                   known = collide<true>("rodas4", JacobianSource::dual);
  EXPECT_EQ(grown.statistics.pattern_extensions, 1);
  EXPECT_EQ(known.statistics.pattern_extensions, 0);
  EXPECT_EQ(grown.statistics.accepted, known.statistics.accepted);
  EXPECT_LT((grown.x - known.x).norm(), 1e-10);
}

TEST(OpeningContact, ThePatternGrowsByDifferencesToo) {
  for (const char* method : {"radau5", "bdf"}) {
    const RunSummary grown = collide<false>(method, JacobianSource::differences),
                     known = collide<true>(method, JacobianSource::differences);
    EXPECT_GE(grown.statistics.pattern_extensions, 1) << method;
    EXPECT_EQ(known.statistics.pattern_extensions, 0) << method;
    // What is left is the step in which the contact opened.
    EXPECT_NEAR(static_cast<double>(grown.statistics.steps), static_cast<double>(known.statistics.steps),
                0.02 * static_cast<double>(known.statistics.steps))
        << method;
  }
}

}  // namespace
}  // namespace rubato
