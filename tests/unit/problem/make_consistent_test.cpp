// After make_consistent the algebraic equations hold, B w = f, and w is tangent to the algebraic equations.
#include <gtest/gtest.h>

#include "rubato/problem/consistent.hpp"
#include "rubato/problem/template_dae.hpp"
#include "unit/problem/models.hpp"

namespace rubato {
namespace {

using models::vec;

/// x' = y − x, 0 = y³ + y − x − sin t − u₀ (one real root), with `scale` on the last equation.
struct Cubic {
  double scale = 1;
  int n_inputs() const { return 1; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sin;
    const S &x = at.x[0], &y = at.x[1];
    out[0] = y - x;
    out[1] = scale * (y * y * y + y - x - sin(at.t) - at.u[0]);
  }
};

Layout one_of_each() { return {{.name = "x", .size = 1}, {.name = "y", .size = 1, .kind = Kind::algebraic}}; }

TEST(MakeConsistent, SolvesAlgebraicEquationsAndTheirDerivative) {
  const auto ramp = TableSignal::create({0, 1, 2}, {0, 5, 5});
  ASSERT_TRUE(ramp.ok());
  for (const double scale : {1.0, 1e-9, 1e9})
    for (const double guess : {0.0, 100.0, -3.0}) {
      InitialValueProblem problem{.dae = make_dae(Cubic{scale}, one_of_each()), .input = *ramp, .t_start = 0.5};
      problem.x = vec({2, guess});
      const auto made = make_consistent(problem);
      ASSERT_TRUE(made.ok()) << made.error().message;
      const double y = problem.x[1];
      EXPECT_EQ(problem.x[0], 2);  // differential unknowns stay
      EXPECT_NEAR(y * y * y + y, 2 + std::sin(0.5) + 2.5, 1e-12);
      EXPECT_NEAR(problem.w[0], y - 2, 1e-14);
      EXPECT_NEAR((3 * y * y + 1) * problem.w[1], problem.w[0] + std::cos(0.5) + 5, 1e-12);  // u' = 5
    }
}

/// L(x) x' = f with a full, state-dependent L.
struct QuasiLinear {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = at.x[1];
    out[1] = S(1.0);
  }
  template <class S>
  void mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const {
    out[0] = 2.0 * w[0] + at.x[0] * w[1];
    out[1] = w[0] + 3.0 * w[1];
  }
};

TEST(MakeConsistent, SolvesAFullMassMatrix) {
  InitialValueProblem problem{.dae = make_dae(QuasiLinear{}, {{.name = "x", .size = 2}}), .x = vec({4, 5})};
  ASSERT_TRUE(make_consistent(problem));
  EXPECT_NEAR((problem.w - vec({11.0 / 2, -3.0 / 2})).norm(), 0, 1e-14);
  problem.x[0] = 6;  // now L is singular
  const auto made = make_consistent(problem);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "the mass matrix B is singular in x[0], x[1], which are declared differential");
}

/// 0 = y² + 1 + x: no real y for x > −1; or, with `index_2`, an equation that does not contain y.
struct Unsolvable {
  bool index_2 = false;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = -at.x[1];
    out[1] = index_2 ? at.x[0] - 1.0 : at.x[1] * at.x[1] + 1.0 + at.x[0];
  }
};

TEST(MakeConsistent, NamesTheEquationThatFails) {
  InitialValueProblem problem{.dae = make_dae(Unsolvable{}, one_of_each()), .x = vec({0, 0.7})};
  auto made = make_consistent(problem);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("equation y"), std::string::npos) << made.error().message;
  EXPECT_NE(made.error().message.find("residual 1"), std::string::npos) << made.error().message;

  problem = {.dae = make_dae(Unsolvable{true}, one_of_each()), .x = vec({1.5, 0})};
  made = make_consistent(problem);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message,
            "the algebraic equations do not determine y: their Jacobian is singular (an index above "
            "one needs consistent values to begin with); residual 0.5 in equation y");
  problem.x = vec({1, 3});  // of index 2, but consistent: kept, and x' is known
  ASSERT_TRUE(make_consistent(problem));
  EXPECT_EQ(problem.x, vec({1, 3}));
  EXPECT_EQ(problem.w[0], -3);
}

TEST(MakeConsistent, RefusesWrongSizesAndMissingInputs) {
  InitialValueProblem problem{.dae = make_dae(Cubic{}, one_of_each()), .x = vec({1})};
  EXPECT_EQ(make_consistent(problem).error().message, "the start has 1 values, the equations need 2");
  problem.x = vec({1, std::nan("")});
  EXPECT_EQ(make_consistent(problem).error().message, "start value y = nan is not a finite number");
  problem.x = vec({1, 1});
  EXPECT_EQ(make_consistent(problem).error().message, "the equations have 1 inputs, 0 are connected");
}

TEST(MakeConsistent, ProjectsFormulatedMechanics) {
  for (const Level level : {Level::index_3, Level::index_2, Level::ggl, Level::index_1, Level::state_space}) {
    const auto dae = formulate(make_mechanical(models::Pendulum{}), {.level = level});
    ASSERT_TRUE(dae.ok()) << dae.error().message;
    InitialValueProblem problem{.dae = *dae};
    problem.x = Vector::Zero((*dae)->size());
    problem.x.head(4) = vec({1.2, -1.6, 0.3, 0.1});
    const auto made = make_consistent(problem);
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_NEAR(problem.x[0], 0.6, 1e-14);
    EXPECT_NEAR(problem.x[1], -0.8, 1e-14);
    EXPECT_NEAR(0.6 * problem.x[2] - 0.8 * problem.x[3], 0, 1e-15);
  }
}

}  // namespace
}  // namespace rubato
