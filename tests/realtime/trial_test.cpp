#include "rubato/realtime/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "realtime/stepper_models.hpp"
#include "rubato/realtime/sparsing.hpp"

namespace rubato::realtime {
namespace {

/// x' = −2x + y + u, 0 = y − 3x − z, 0 = z − 0.5y − 1, that is y = 6x + 2 and x' = 4x + 2 + u; u = 0.
struct Linear {
  std::shared_ptr<const Dae> dae = test_models::linear();
  InitialValueProblem problem;
  ModelStructure structure;
  Linear() {
    problem.dae = dae;
    problem.t_end = 0.5;
    problem.x = Vector{{0, 2, 2}};
    structure = *model_structure(*dae, start_of(problem));
  }
  [[nodiscard]] Keep without(int row, int col) const {
    Keep keep(static_cast<std::size_t>(structure.jacobian.nnz()), 1);
    keep[static_cast<std::size_t>(structure.jacobian.index_of(row, col))] = 0;
    return keep;
  }
};

/// Left out, ∂f₀/∂y takes y of the step before: Δx is first order in τ, so is its deviation, and with it the whole run's.
TEST(Trial, DeviationsAreOfFirstOrderInTheStep) {
  const Linear model;
  double last = 0;
  for (const double step : {0.01, 0.005, 0.0025}) {
    const auto trial = Trial::create(model.problem, model.structure, {.step = step});
    ASSERT_TRUE(trial.ok()) << trial.error().message;
    EXPECT_EQ((*trial)->whole().values.size(), 1U);  // x alone is not algebraic
    EXPECT_EQ((*trial)->whole().values.front().size(), static_cast<std::size_t>(std::lround(0.5 / step)));
    EXPECT_EQ((*trial)->deviation((*trial)->whole()), 0);
    const double deviation = (*trial)->deviation(model.without(0, 1));
    EXPECT_GT(deviation, 0.5 * step);
    if (last > 0) {
      EXPECT_NEAR(last / deviation, 2, 0.15);
    }
    last = deviation;
  }
}

TEST(Trial, FailedRunsDeviateWithoutEnd) {
  const Linear model;
  const auto trial = Trial::create(model.problem, model.structure, {.step = 0.01});
  ASSERT_TRUE(trial.ok());
  Keep none(static_cast<std::size_t>(model.structure.jacobian.nnz()), 0);  // J₂₂ = 0
  EXPECT_EQ((*trial)->deviation(none), std::numeric_limits<double>::infinity());
  const auto passes = deviation_at_most(*trial, 0.1);
  EXPECT_FALSE(passes(none));
  EXPECT_TRUE(passes(Keep(none.size(), 1)));
  EXPECT_FALSE(Trial::create(model.problem, model.structure, {.step = 0.01}, {3}).ok());
}

/// What a search leaves out passes the user's test as well: here all that could go changes the run.
TEST(Trial, SearchesAskIt) {
  const Linear model;
  const std::vector<std::vector<double>> samples =
      *sampled_jacobians(*model.dae, model.structure, {start_of(model.problem)});
  const auto trial = Trial::create(model.problem, model.structure, {.step = 1e-3});
  ASSERT_TRUE(trial.ok());
  const auto search = [&](const std::function<bool(const Keep&)>& also) {
    return find_sparsing(model.structure.jacobian, samples, model.structure.mass, model.structure.mass_values, 1e-3,
                         {.rho = 1, .growth = 0.1, .also = also});
  };
  const auto free = search({});
  ASSERT_TRUE(free.ok()) << free.error().message;
  const double deviation = (*trial)->deviation(free->keep);
  EXPECT_GT(deviation, 1e-9);
  const auto generous = search(deviation_at_most(*trial, deviation)), strict = search(deviation_at_most(*trial, 1e-9));
  ASSERT_TRUE(generous.ok()) << generous.error().message;
  EXPECT_EQ(generous->keep, free->keep);
  ASSERT_FALSE(strict.ok());
  EXPECT_NE(strict.error().message.find("7 of 7 entries"), std::string::npos) << strict.error().message;
}

}  // namespace
}  // namespace rubato::realtime
