// Jacobians by differences: increments stay above rounding errors, the pattern follows branches that open, and a run that
// stalls because of them says so.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato {
namespace {

RunSummary run_with(const InitialValueProblem& problem, JacobianSource source, double tolerance,
                    std::string_view method = "radau") {
  IntegrateOptions options;
  options.tolerances = {.rtol = tolerance, .atol = tolerance};
  options.linear.jacobian = source;
  options.step.max_steps = 20000;
  return *integrate(problem, method, options);
}

// The multipliers μ of q' = v + Gᵀμ are zero but for rounding errors. Derivatives with respect to them are taken all the same,
// and a simplified Newton iteration hardly feels eight digits less of J: about the steps of exact derivatives.
TEST(DifferenceJacobian, MultipliersThatAreZeroAreProbedSafely) {
  for (const char* name : {"pendulum", "andrews", "chain", "heavy-top"})
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(tolerance));
      auto problem = catalogue::make_problem(name, {}, "ggl")->problem;
      problem.t_end *= 0.2;
      const RunSummary exact = run_with(problem, JacobianSource::dual, tolerance);
      const RunSummary rough = run_with(problem, JacobianSource::differences, tolerance);
      EXPECT_EQ(rough.status, RunStatus::finished) << rough.reason;
      EXPECT_LT(static_cast<double>(rough.statistics.steps), 1.2 * static_cast<double>(exact.statistics.steps) + 5);
    }
}

/// x' = f(t, x), from a function that is no template: no dual numbers, no tracer, J by differences.
class PlainDae : public Dae {
 public:
  using Dae::Dae;
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    map(out) = map(w);
    return EvalStatus::ok;
  }
};

/// A row of masses on springs; each meets the next one. The pattern the model gives knows nothing of contact.
class MassesThatMeet final : public PlainDae {
 public:
  static constexpr int n = 12;
  explicit MassesThatMeet(bool complete)
      : PlainDae({{.name = "q", .size = n}, {.name = "v", .size = n}}), complete_(complete) {}
  EvalStatus f(const At& at, Out out) const noexcept override {
    for (int i = 0; i < n; ++i) {
      out[i] = at.x[n + i];
      out[n + i] = -(at.x[i] - i);
    }
    for (int i = 0; i + 1 < n; ++i)
      if (const double gap = at.x[i + 1] - at.x[i] - 0.5; gap < 0) {
        out[n + i] += 1e5 * gap;
        out[n + i + 1] -= 1e5 * gap;
      }
    return EvalStatus::ok;
  }
  SparsePattern jacobian_pattern() const override {
    std::vector<Entry> entries;
    for (int i = 0; i < n; ++i) {
      entries.push_back({i, n + i});
      for (int j = 0; j < n; ++j)
        if (i == j || (complete_ && std::abs(i - j) == 1)) entries.push_back({n + i, j});
    }
    return SparsePattern::from_entries(2 * n, 2 * n, std::move(entries));
  }

 private:
  bool complete_;
};

RunSummary meet(bool complete) {
  InitialValueProblem problem;
  problem.dae = std::make_shared<MassesThatMeet>(complete);
  problem.t_end = 2;
  problem.x = Vector::Zero(2L * MassesThatMeet::n);
  for (int i = 0; i < MassesThatMeet::n; ++i) {
    problem.x[i] = i;
    problem.x[MassesThatMeet::n + i] = i % 2 == 0 ? 1 : -0.5;
  }
  return run_with(problem, JacobianSource::automatic, 1e-6);
}

TEST(DifferenceJacobian, EntriesThatAPatternLacksAreFoundAndReported) {
  const RunSummary known = meet(true), found = meet(false);
  ASSERT_EQ(found.status, RunStatus::finished) << found.reason;
  EXPECT_EQ(known.statistics.pattern_extensions, 0);
  EXPECT_GT(found.statistics.pattern_extensions, 0);
  EXPECT_LT(static_cast<double>(found.statistics.steps), 1.15 * static_cast<double>(known.statistics.steps));
  EXPECT_TRUE(known.notes.empty());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("jacobian_pattern()"), std::string::npos);
}

/// A stiff equation with noise of 10⁻⁵ in f, as of a model that iterates inside: differences over 10⁻⁸ are nonsense.
class NoisyDae final : public PlainDae {
 public:
  NoisyDae() : PlainDae({{.name = "x", .size = 1}}) {}
  EvalStatus f(const At& at, Out out) const noexcept override {
    const double noise = std::fmod(std::abs(at.x[0]) * 1e13, 1.0) - 0.5;
    out[0] = -1e3 * (at.x[0] - 1) + 1e3 * noise;
    return EvalStatus::ok;
  }
};

TEST(DifferenceJacobian, ARunThatStallsNamesThem) {
  InitialValueProblem problem;
  problem.dae = std::make_shared<NoisyDae>();
  problem.t_end = 10;
  problem.x = Vector::Constant(1, 2.0);
  for (const char* method : {"radau5", "bdf"}) {
    const RunSummary run = run_with(problem, JacobianSource::automatic, 1e-9, method);
    EXPECT_FALSE(completed(run.status));
    EXPECT_NE(run.reason.find("the Jacobian comes from differences"), std::string::npos) << run.reason;
  }
}

}  // namespace
}  // namespace rubato
