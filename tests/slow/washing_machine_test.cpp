// The washing machine: frequencies and excursions of the replacement, and what finding its stiff coordinates saves.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numbers>
#include <set>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato {
namespace {

catalogue::Instance machine(double t_end) {
  auto instance = catalogue::make_problem("washing-machine", {{"t_end", t_end}});
  EXPECT_TRUE(instance.ok()) << (instance ? "" : instance.error().message);
  return *instance;
}

RunSummary run(const InitialValueProblem& problem, std::string_view method, const IntegrateOptions& options) {
  const auto summary = integrate(problem, method, options);
  EXPECT_TRUE(summary.ok()) << (summary ? "" : summary.error().message);
  EXPECT_TRUE(completed(summary->status)) << summary->reason;
  return *summary;
}

IntegrateOptions tolerance(double tol) {
  IntegrateOptions options;
  options.tolerances = {.rtol = tol, .atol = tol};
  return options;
}

// The tub sags by its springs' share; the spectrum at rest splits into 7 soft and 12 stiff modes.
TEST(WashingMachine, StartsAtRestAndHasSoftAndStiffModes) {
  const auto instance = machine(5);
  EXPECT_NEAR(0.45 - instance.problem.x[4], 1.99e-3, 5e-6);
  const Dae& dae = *instance.problem.dae;
  ScratchMemory memory(dae.scratch_bytes());
  At at;
  at.x = view(instance.problem.x);
  at.scratch = memory.scratch();
  auto linear = Linearisation::create(dae, at, JacobianSource::automatic);
  ASSERT_TRUE(linear.ok());
  const Vector w = Vector::Zero(dae.size());
  ASSERT_EQ((*linear)->update(at, view(w)), EvalStatus::ok);
  // M is diagonal: −M⁻¹K column by column, its eigenvalues are −ω² without the dampers (which are strong at rest).
  constexpr int n = 19;
  Matrix stiffness(n, n);
  Vector mass(2 * n), product(2 * n), e = Vector::Ones(2 * n);
  (*linear)->mass_times(view(std::as_const(e)), view(mass));
  for (int k = 0; k < n; ++k) {
    e = Vector::Unit(2 * n, k);
    (*linear)->jacobian_times(view(std::as_const(e)), view(product));
    stiffness.col(k) = product.tail(n).cwiseQuotient(mass.tail(n));
  }
  std::vector<double> frequencies;
  for (const auto& z : stiffness.eigenvalues()) frequencies.push_back(std::sqrt(std::abs(z)) / (2 * std::numbers::pi));
  std::ranges::sort(frequencies);
  EXPECT_NEAR(frequencies[0], 1.26, 0.01) << "specification: 1.26 … 65 Hz (7 modes), 564 … 4146 Hz (12 modes)";
  EXPECT_NEAR(frequencies[6], 65, 0.5);
  EXPECT_NEAR(frequencies[7], 564, 1);
  EXPECT_NEAR(frequencies[18], 4146, 1);
}

TEST(WashingMachine, TubMovesAsFarAsPublished) {
  struct Watch final : Observer {
    double x = 0, y = 0, y0 = 0;
    void on_step(const StepView& step) override {
      Vector inside(static_cast<Eigen::Index>(step.x.size()));
      for (int i = 1; i <= 10; ++i) {  // steps of high order are longer than a swing of the tub
        step.interpolate(step.t_begin + 0.1 * i * (step.t_end - step.t_begin), view(inside), {});
        x = std::max(x, std::abs(inside[3]));
        y = std::max(y, std::abs(inside[4] - y0));
      }
    }
  } watch;
  const auto instance = machine(5);
  watch.y0 = instance.problem.x[4];
  Observer* const observers[] = {&watch};
  const auto summary = integrate(instance.problem, "radau", tolerance(1e-5), {.observers = observers});
  ASSERT_TRUE(summary.ok() && completed(summary->status));
  EXPECT_NEAR(watch.x, 5.8e-3, 1e-4) << "specification: 5.8 mm x 2.9 mm";
  EXPECT_NEAR(watch.y, 2.9e-3, 1e-4);
}

// A28: scaling the velocities of what is found stiff saves a fifth of the steps at least and costs at most a digit;
// both sides of the machine are judged alike.
TEST(WashingMachine, StiffCoordinatesAreFoundAndSaveSteps) {
  const auto instance = machine(2.5);
  const Vector exact = run(instance.problem, "radau", tolerance(1e-10)).x;
  const auto error = [&](const RunSummary& s) { return (s.x - exact).head(19).cwiseAbs().maxCoeff(); };
  for (const char* method : {"lobatto-iiic-3", "radau5"}) {
    SCOPED_TRACE(method);
    auto options = tolerance(1e-6);
    options.step.initial_step = 0.1;
    const auto plain = run(instance.problem, method, options);
    options.stiffness.detect = true;
    for (const auto measure : {StiffnessMeasure::frequencies, StiffnessMeasure::responses}) {
      options.stiffness.measure = measure;
      const auto scaled = run(instance.problem, method, options);
      EXPECT_LE(static_cast<double>(scaled.statistics.steps), 0.85 * static_cast<double>(plain.statistics.steps));
      EXPECT_LE(error(scaled), 10 * std::max(error(plain), 2.5e-6));
      std::set<std::string> left, right;
      for (const int i : scaled.stiff) {
        const std::string name = instance.problem.dae->layout().component_name(i);
        if (name.starts_with("left.")) left.insert(name.substr(5));
        if (name.starts_with("right.")) right.insert(name.substr(6));
      }
      if (measure == StiffnessMeasure::responses) {
        EXPECT_EQ(left, right);
      }
      EXPECT_GE(left.size(), 4U) << "published: 10 to 11 components, mostly in the dampers";
    }
  }
}

/// The same equations behind a plain function: no dual numbers, no tracer, no formulation.
class Callback final : public Dae {
 public:
  explicit Callback(std::shared_ptr<const Dae> inner) : Dae(inner->layout()), inner_(std::move(inner)) {}
  EvalStatus f(const At& at, Out out) const noexcept override { return inner_->f(at, out); }
  EvalStatus mass_times(const At& at, In w, Out out) const noexcept override { return inner_->mass_times(at, w, out); }
  std::size_t scratch_bytes() const noexcept override { return inner_->scratch_bytes(); }

 private:
  std::shared_ptr<const Dae> inner_;
};

// A34: nothing but a callback gives the same run up to what differences cost.
TEST(WashingMachine, RunsAlikeAsACallback) {
  const auto instance = machine(1.5);
  InitialValueProblem callback = instance.problem;
  callback.dae = std::make_shared<Callback>(instance.problem.dae);
  const auto direct = run(instance.problem, "radau5", tolerance(1e-6));
  const auto called = run(callback, "radau5", tolerance(1e-6));
  EXPECT_GT(called.statistics.f_calls_jacobian, 0);
  EXPECT_NEAR(static_cast<double>(called.statistics.steps) / static_cast<double>(direct.statistics.steps), 1, 0.05);
  EXPECT_LT((called.x - direct.x).head(19).cwiseAbs().maxCoeff(), 2e-6);
}

}  // namespace
}  // namespace rubato
