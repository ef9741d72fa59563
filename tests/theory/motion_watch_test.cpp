// A run that loses what its motion keeps - energy the model conserves, constraints, the scale of the problem - does not end as finished.
#include <gtest/gtest.h>

#include <algorithm>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

bool has_note(const RunSummary& run, std::string_view words) {
  return std::ranges::any_of(run.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

RunSummary run_of(const char* problem, const char* formulation, const char* method, const IntegrateOptions& options,
                  const catalogue::Parameters& parameters = {}) {
  const auto instance = catalogue::make_problem(problem, parameters, formulation);
  EXPECT_TRUE(instance.ok());
  const auto end = integrate(instance->problem, method, options);
  EXPECT_TRUE(end.ok());
  return end.ok() ? *end : RunSummary{};
}

// Relative tolerances grow with a solution that blows up, so that estimates stay below one: ro2b ended at x = -1.5e93, ros3p at 461, rodas4p
// at a speed of 152. Whatever ends as finished has gained less than half of the kinetic energy.
TEST(MotionWatch, GainedEnergyEndsARun) {
  const IntegrateOptions loose{.tolerances = {.rtol = 1e-2, .atol = 1e-2}};
  for (const char* method : {"ro2b", "rowda3", "ros3p", "rodas4p"}) {
    const RunSummary run = run_of("stiff-spring-pendulum", "eps-lambda", method, loose);
    EXPECT_EQ(run.status, RunStatus::unbounded) << method << ": " << run.reason;
    EXPECT_NE(run.reason.find("energy"), std::string::npos) << run.reason;
  }
  EXPECT_EQ(run_of("stiff-spring-pendulum", "eps-lambda", "radau", loose).status, RunStatus::finished);
}

/// q'' = -q from q = 0 with the velocity 1.
struct Swing {
  static constexpr bool constant_mass = true;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> out) const {
    out[0] = -p.q[0];
  }
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const { out[0] = (p.v[0] * p.v[0] + p.q[0] * p.q[0]) / 2; }
};

// Central differences are stable at h = 1.8 and damp nothing: the energy swings by x/(1 - x) = 4.3 times itself, x = h²/4. That is no end. At h = 2.1
// it grows without end.
TEST(MotionWatch, SwingingEnergyEndsNoRun) {
  const auto dae = formulate(make_mechanical(Swing{}), {.level = Level::state_space});
  ASSERT_TRUE(dae.ok());
  InitialValueProblem problem{.dae = *dae, .t_end = 1000, .x = Vector::Unit(2, 1)};
  const auto swings = integrate(problem, "central-differences", {.step = {.fixed_step = 1.8}});
  ASSERT_TRUE(swings.ok());
  EXPECT_EQ(swings->status, RunStatus::finished) << swings->reason;
  EXPECT_TRUE(has_note(*swings, "energy is conserved by the model"));
  const auto grows = integrate(problem, "central-differences", {.step = {.fixed_step = 2.1}});
  ASSERT_TRUE(grows.ok());
  EXPECT_EQ(grows->status, RunStatus::unbounded) << grows->reason;
}

// Central differences of q'' = -ω² q grow by 6.9 a step at hω = 3. This model declares no energy: its scales are left.
TEST(MotionWatch, GrowthBeyondEveryScaleEndsARun) {
  const RunSummary run =
      run_of("oscillator", "state-space", "central-differences", {.step = {.fixed_step = 0.03}}, {{"omega", 100}});
  EXPECT_EQ(run.status, RunStatus::unbounded) << run.reason;
  EXPECT_NE(run.reason.find("grown beyond every scale"), std::string::npos) << run.reason;
}

// BDF of order 1 damps an amplitude by (1 + (hω)²)^(-1/2) a step, hω = 0.05: 0.79 in 188 steps of the pendulum. That is no failure, but said.
TEST(MotionWatch, LostEnergyIsSaid) {
  const RunSummary damped = run_of("pendulum", "index-2", "bdf1", {.step = {.fixed_step = 0.05}});
  EXPECT_EQ(damped.status, RunStatus::finished) << damped.reason;
  EXPECT_TRUE(has_note(damped, "energy is conserved by the model"));
  const RunSummary kept = run_of("pendulum", "index-2", "radau5", {.tolerances = {.rtol = 1e-6, .atol = 1e-6}});
  EXPECT_TRUE(kept.notes.empty()) << kept.notes.front();
}

// At index 1 nothing holds positions to the constraints: with fixed steps of order 3 the pendulum leaves its circle, at index 3 it cannot.
TEST(MotionWatch, DriftFromConstraintsIsSaid) {
  const IntegrateOptions options{.tolerances = {.rtol = 1e-6, .atol = 1e-6}, .step = {.fixed_step = 0.05}};
  const RunSummary drifts = run_of("pendulum", "index-1", "radau3", options);
  EXPECT_EQ(drifts.status, RunStatus::finished) << drifts.reason;
  EXPECT_TRUE(has_note(drifts, "formulations ggl and index-3"));
  const RunSummary holds = run_of("pendulum", "index-3", "bdf2", options);
  EXPECT_EQ(holds.status, RunStatus::finished) << holds.reason;
  EXPECT_FALSE(has_note(holds, "ggl and index-3"));
}

// Index 1 at tolerances too loose for it: the pendulum of length 1 ends some lengths away from its circle, at 1e-2 and 1e-1, which are no smaller
// than a hundredth of it, thousands of them. Steps that blow up within the first few are seen as well.
TEST(MotionWatch, LostConstraintsEndARun) {
  for (const auto& [method, tolerance] : {std::pair{"rodas4p", 1e-3}, {"rodas4p", 1e-2}, {"ros3p", 1e-1}}) {
    const RunSummary run = run_of("pendulum", "index-1", method, {.tolerances = {.rtol = tolerance, .atol = tolerance}},
                                  {{"t_end", 2000}});
    EXPECT_EQ(run.status, RunStatus::unbounded) << method << " at " << tolerance << ": " << run.reason;
  }
}

/// q'' = -1 above a floor that keeps `kept` of the speed.
struct Ball {
  static constexpr bool constant_mass = true;
  double kept;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> out) const {
    out[0] = S(-1.0);
  }
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const { out[0] = p.v[0] * p.v[0] / 2 + p.q[0]; }
  std::vector<RootInfo> roots() const { return {{.name = "floor", .crossing = Crossing::falling}}; }
  void root_values(const MechanicalPoint<double>& p, Out g) const { g[0] = p.q[0]; }
  EventEffect on_event(const EventContext& event, Out, Out v, Out) const {
    v[0] *= -kept;
    return {.mode = event.mode, .state_changed = true};
  }
};

// What an event takes away or adds is no fault of the method: from there on the energy after it is what is kept. A hit after 1 s at a speed of 1 that
// triples the speed makes 4.5 of 0.5.
TEST(MotionWatch, EventsMayChangeWhatIsKept) {
  for (const double kept : {0.3, 3.0}) {
    const auto dae = formulate(make_mechanical(Ball{kept}), {.level = Level::state_space});
    ASSERT_TRUE(dae.ok());
    const InitialValueProblem problem{.dae = *dae, .t_end = 3, .x = Eigen::Vector2d(0.5, 0)};
    const auto run = integrate(problem, "radau5", {.tolerances = {.rtol = 1e-6, .atol = 1e-6}});
    ASSERT_TRUE(run.ok());
    EXPECT_EQ(run->status, RunStatus::finished) << run->reason;
    EXPECT_GT(run->statistics.events, 0) << kept;
    EXPECT_TRUE(run->notes.empty()) << run->notes.front();
  }
}

// What was seen before a checkpoint is said after it, too.
TEST(MotionWatch, ResumedRunsSayTheSame) {
  struct Keep : Observer {
    std::vector<std::byte> last;
    void on_checkpoint(double, std::span<const std::byte> bytes) override { last.assign(bytes.begin(), bytes.end()); }
  } keep;
  const auto instance = catalogue::make_problem("pendulum", {}, "index-2");
  ASSERT_TRUE(instance.ok());
  const IntegrateOptions options{.step = {.fixed_step = 0.05}, .checkpoint_every = 100};
  Observer* const observers[] = {&keep};
  const auto whole = integrate(instance->problem, "bdf1", options, {.observers = observers});
  ASSERT_TRUE(whole.ok() && !whole->notes.empty());
  const std::vector<std::byte> checkpoint = keep.last;
  const auto rest = integrate(instance->problem, "bdf1", options, {.observers = observers, .resume = checkpoint});
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(rest->notes, whole->notes);
}

}  // namespace
}  // namespace rubato
