// Entries of the robot's Jacobian left out at 1 and 10 ms: as few as published, every sample accepted, the run near the whole one.
#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "rubato/realtime/matching.hpp"
#include "rubato/realtime/samples.hpp"
#include "rubato/realtime/sparsing.hpp"
#include "rubato/realtime/stability.hpp"
#include "rubato/realtime/trial.hpp"

namespace rubato::realtime {
namespace {

struct Robot {
  catalogue::Instance instance;
  ModelStructure structure;
  std::vector<std::vector<double>> jacobians;
  std::shared_ptr<const Trial> trial;
  int angle = -1;  ///< relative angle of gear 1
  double step;

  Robot(std::string_view form, double of_clock)
      : instance(*catalogue::make_problem("robot-r3", {}, form)), step(of_clock) {
    const InitialValueProblem& problem = instance.problem;
    structure = *model_structure(*problem.dae, start_of(problem));
    std::vector<double> times;
    for (int k = 0; k < 13; ++k) times.push_back(k / 12.0);
    IntegrateOptions options;
    options.tolerances = {.rtol = 1e-6, .atol = 1e-6};
    jacobians = *sampled_jacobians(*problem.dae, structure, *sample_run(problem, times, "radau", options));
    const auto names = problem.dae->layout().component_names();
    angle = static_cast<int>(std::find(names.begin(), names.end(), "axis1.s") - names.begin());
    trial = *Trial::create(problem, structure, {.step = step}, {angle});
  }
  [[nodiscard]] Result<Sparsing> sparsed(double rho, Keep start) const {
    return find_sparsing(structure.jacobian, jacobians, structure.mass, structure.mass_values, step,
                         {.rho = rho, .start = std::move(start), .also = deviation_at_most(trial, 0.06)});
  }
};

/// From scratch, with dense factors: no eigenvalue moves further than it may, none grows.
void expect_accepted(const Robot& robot, const Keep& keep, double rho) {
  const StepPencil pencil(robot.structure.jacobian, robot.structure.mass, robot.structure.mass_values, robot.step);
  for (const auto& values : robot.jacobians) {
    const auto before = step_spectrum(pencil.pair(values)), after = step_spectrum(pencil.pair(values, keep));
    ASSERT_TRUE(before && after);
    const auto numbers = [](const StepSpectrum& s) {
      return std::span<const std::complex<double>>(s.lambda.data(), static_cast<std::size_t>(s.lambda.size()));
    };
    const auto allowed = allowed_movements(numbers(*before), rho, 0.01 * rho);
    EXPECT_LE(match_spectra(numbers(*before), numbers(*after), allowed).ratio, 1 + 1e-6);
    EXPECT_LE(after->radius(), 1 + 1e-4 + 1e-9);
  }
}

struct Row {
  double rho;
  int published;
};

void expect_few(std::string_view form, double step, int whole, std::initializer_list<Row> rows) {
  const Robot robot(form, step);
  Keep last;
  int nnz = whole;
  for (const Row& row : rows) {
    const auto found = robot.sparsed(row.rho, last);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->nnz_whole, whole);
    EXPECT_LE(found->nnz, 1.1 * row.published) << row.rho;
    EXPECT_GT(found->nnz, 0.6 * row.published) << row.rho;  // fewer would be a test that accepts anything
    EXPECT_LT(found->nnz, nnz) << row.rho;
    EXPECT_LE(robot.trial->deviation(found->keep), 0.06) << row.rho;
    expect_accepted(robot, found->keep, row.rho);
    nnz = found->nnz;
    last = found->keep;
  }
}

TEST(RobotSparsing, LeavesTheOdeAsFewEntriesAsPublished) { expect_few("ode", 1e-3, 390, {{0.1, 200}, {1, 181}}); }
TEST(RobotSparsing, LeavesTheOdeFewEntriesAtTenMilliseconds) { expect_few("ode", 1e-2, 390, {{0.1, 222}, {1, 192}}); }
TEST(RobotSparsing, LeavesTheTornDaeAsFewEntriesAsPublished) {
  expect_few("dae-117", 1e-3, 396, {{0.1, 319}, {1, 277}});
}

}  // namespace
}  // namespace rubato::realtime
