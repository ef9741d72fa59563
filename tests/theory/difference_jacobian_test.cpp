// Jacobians by differences: increments stay above rounding errors, the pattern follows branches that open, methods whose order rests
// on J take the steps they take with an exact one, and a run that stalls or slows down because of differences says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

bool has_words(const RunSummary& run, std::string_view words) {
  return std::ranges::any_of(run.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
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

// The order of Rosenbrock methods rests on J and f_t. With one-sided differences of both, f_t over 10⁻⁷ h, these runs took 1.8, 3.9, 9.6, 35 and
// (the last two, over the whole time) more than 8 times the steps.
TEST(DifferenceJacobian, RosenbrockMethodsTakeTheStepsOfExactDerivatives) {
  struct Case {
    const char *name, *formulation, *method;
    double tolerance, part;  // of the time of the problem
  };
  for (const Case& c :
       {Case{"robertson", "", "rodas4p", 1e-10, 1}, Case{"beam", "", "rodas4p", 1e-8, 0.2},
        Case{"linear-dae", "ggl", "rodas4p", 1e-8, 1}, Case{"robot-r3-36", "", "rodas5p", 1e-8, 0.2},
        Case{"washing-machine", "", "rodas5p", 1e-8, 0.1}, Case{"slider-crank", "ggl+a", "rodas4p", 1e-8, 0.1}}) {
    SCOPED_TRACE(c.name);
    auto problem = catalogue::make_problem(c.name, {}, c.formulation)->problem;
    problem.t_end *= c.part;
    const RunSummary exact = run_with(problem, JacobianSource::dual, c.tolerance, c.method);
    const RunSummary rough = run_with(problem, JacobianSource::differences, c.tolerance, c.method);
    ASSERT_EQ(exact.status, RunStatus::finished) << exact.reason;
    EXPECT_EQ(rough.status, RunStatus::finished) << rough.reason;
    EXPECT_LT(static_cast<double>(rough.statistics.steps), 1.1 * static_cast<double>(exact.statistics.steps) + 5);
    EXPECT_FALSE(has_words(rough, "differences"));
  }
}

/// x'' = −50 x' − 10⁴ (x + η), noise η that looks random.
class SlightlyNoisyDae final : public PlainDae {
 public:
  explicit SlightlyNoisyDae(double noise) : PlainDae({{.name = "x", .size = 2}}), noise_(noise) {}
  EvalStatus f(const At& at, Out out) const noexcept override {
    const double phase = std::fmod(std::abs(at.x[0]) * 1e13, 1.0) - 0.5;
    out[0] = at.x[1];
    out[1] = -50 * at.x[1] - 1e4 * at.x[0] + 1e4 * noise_ * phase;
    return EvalStatus::ok;
  }

 private:
  double noise_;
};

// Noise of 10⁻¹⁰ in x; and a clutch whose friction has a layer of 0.1 at speeds of 200, for which increments by the size of the unknown are long.
TEST(DifferenceJacobian, ARunThatFinishesInMoreStepsNamesThem) {
  const auto run = [](double noise) {
    InitialValueProblem problem;
    problem.dae = std::make_shared<SlightlyNoisyDae>(noise);
    problem.t_end = 1;
    problem.x = Vector::Unit(2, 0);
    return run_with(problem, JacobianSource::automatic, 1e-8, "rodas4p");
  };
  const RunSummary clean = run(0), noisy = run(1e-10);
  ASSERT_EQ(noisy.status, RunStatus::finished) << noisy.reason;
  EXPECT_TRUE(clean.notes.empty());
  EXPECT_GT(clean.statistics.jacobian_checks, 3);
  EXPECT_EQ(clean.statistics.jacobian_errors_seen, 0);
  EXPECT_GT(noisy.statistics.steps, 2 * clean.statistics.steps);
  EXPECT_TRUE(has_words(noisy, "the Jacobian comes from differences"));

  const auto clutch = catalogue::make_problem("drive-train")->problem;
  const RunSummary exact = run_with(clutch, JacobianSource::dual, 1e-6, "rodas4p"),
                   rough = run_with(clutch, JacobianSource::differences, 1e-6, "rodas4p");
  ASSERT_EQ(rough.status, RunStatus::finished) << rough.reason;
  EXPECT_GT(rough.statistics.steps, 2 * exact.statistics.steps);
  EXPECT_EQ(exact.statistics.jacobian_checks, 0);
  EXPECT_FALSE(has_words(exact, "differences"));
  EXPECT_TRUE(has_words(rough, "the Jacobian comes from differences"));
  EXPECT_TRUE(has_words(rough, "solver.jacobian = \"dual\""));
}

/// x' = (√x, |y|, exp(10³ z)): a domain that ends at 0, a kink at 0, a layer of 10⁻³.
class BentDae final : public PlainDae {
 public:
  BentDae() : PlainDae({{.name = "x", .size = 3}}) {}
  EvalStatus f(const At& at, Out out) const noexcept override {
    if (at.x[0] < 0) return EvalStatus::out_of_domain;
    out[0] = std::sqrt(at.x[0]);
    out[1] = std::abs(at.x[1]);
    out[2] = std::exp(1e3 * at.x[2]);
    return EvalStatus::ok;
  }
  SparsePattern jacobian_pattern() const override {
    return SparsePattern::from_entries(3, 3, {{0, 0}, {1, 1}, {2, 2}});
  }
};

std::vector<double> jacobian_of_bent(Differences differences, std::vector<double> x) {
  const BentDae dae;
  const At at{.t = 0, .x = x, .u = {}, .base = {}, .mode = 0, .scratch = {}};
  const std::vector<double> w(3, 0.0);
  auto linear = Linearisation::create(dae, at, JacobianSource::differences, JacobianRows::all, differences);
  EXPECT_EQ((*linear)->update(at, w), EvalStatus::ok);
  const In values = (*linear)->jacobian();
  return {values.begin(), values.end()};
}

// Central differences gain two digits where f is smooth within the increments, and lose none elsewhere: near the end of the domain
// and beyond a kink one side is left, with the increments of one-sided differences.
TEST(DifferenceJacobian, CentralDifferencesAreNeverTheWorseOnes) {
  const auto smooth = jacobian_of_bent(Differences::central, {1, 1, 1e-3});
  EXPECT_NEAR(smooth[0], 0.5, 1e-9);
  EXPECT_NEAR(smooth[1], 1, 1e-9);
  EXPECT_NEAR(smooth[2], 1e3 * std::exp(1.0), 1e-8 * 1e3 * std::exp(1.0));
  for (const auto differences : {Differences::one_sided, Differences::central}) {
    const auto kink = jacobian_of_bent(differences, {1, -1e-9, 1e-3});  // central ones take increments of 6·10⁻⁹
    EXPECT_NEAR(kink[1], -1, 1e-3);
    const auto end = jacobian_of_bent(differences, {1e-9, 1, 1e-3});
    EXPECT_NEAR(end[0], 0.5 / std::sqrt(1e-9), 0.01 / std::sqrt(1e-9));
  }
}

}  // namespace
}  // namespace rubato
