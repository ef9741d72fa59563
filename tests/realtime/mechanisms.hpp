#pragma once
/// Mechanisms for tests of real-time steps: read from an example, stepped, compared with an accurate run.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "rubato/integrate/integrate.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/multibody/system.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/realtime/baumgarte.hpp"
#include "rubato/realtime/realtime_stepper.hpp"
#include "stepper_models.hpp"

namespace rubato::realtime::test_models {

/// A mechanism with consistent start values.
struct Moving {
  std::shared_ptr<const multibody::MultibodySystem> system;
  MechanicalState start;
  ConstraintDiagnosis diagnosis;

  [[nodiscard]] InitialValueProblem problem(std::string_view formulation, double t_end) const {
    const auto form = formulation_by_name(formulation);
    EXPECT_TRUE(form.ok());
    const auto dae = formulate(system, *form, diagnosis.dependent);
    EXPECT_TRUE(dae.ok());
    InitialValueProblem made{.dae = *dae, .t_end = t_end, .base = (*dae)->base_of(start)};
    (*dae)->pack(start, made.x, made.w);
    return made;
  }
};

inline Moving moving(const multibody::Mechanism& mechanism) {
  auto system = multibody::build(mechanism);
  EXPECT_TRUE(system.ok()) << (system.ok() ? "" : system.error().message);
  Moving made{.system = *system, .start = {}, .diagnosis = {}};
  auto start = consistent_state(**system, (*system)->start(), {.minimum_norm = false}, &made.diagnosis);
  EXPECT_TRUE(start.ok()) << (start.ok() ? "" : start.error().message);
  made.start = std::move(*start);
  return made;
}

inline Moving example(const std::string& name, const std::vector<std::string>& overrides = {}) {
  const auto file = io::read_model_file(std::string(RUBATO_EXAMPLES) + "/" + name, overrides);
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
  return moving(file->mechanism);
}

/// Places and attitudes of all bodies.
inline std::vector<double> poses(const multibody::MultibodySystem& system, In q, In base) {
  std::vector<double> all;
  for (std::size_t body = 0; body < system.body_names().size(); ++body) {
    const multibody::Pose pose = system.pose(body, q, base);
    all.insert(all.end(), pose.position.begin(), pose.position.end());
    all.insert(all.end(), pose.rotation.begin(), pose.rotation.end());
  }
  return all;
}

inline std::vector<double> accurate_poses(const Moving& m, double t_end) {
  const InitialValueProblem problem = m.problem("index-2", t_end);
  const auto run = integrate(problem, "radau", {.tolerances = {.rtol = 1e-10, .atol = 1e-10}});
  EXPECT_TRUE(run.ok() && run->status == RunStatus::finished);
  return poses(*m.system, In(run->x.data(), static_cast<std::size_t>(m.system->sizes().q)), view(run->base));
}

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

/// max |g| and max |G v + g_t| where the stepper is.
struct Drift {
  double position = 0, velocity = 0;
};
inline Drift drift(const Moving& m, const RealtimeStepper& stepper) {
  const MechanicalSizes& s = m.system->sizes();
  ScratchMemory memory(m.system->scratch_bytes());
  const In x = stepper.state();
  MechanicalPoint<double> p;
  p.t = stepper.time();
  p.q = x.first(static_cast<std::size_t>(s.q));
  p.v = x.subspan(static_cast<std::size_t>(s.q), static_cast<std::size_t>(s.v));
  p.base = stepper.base().first(static_cast<std::size_t>(m.system->base_size()));
  p.scratch = memory.scratch();
  Vector g(s.lambda), rate(s.lambda);
  EXPECT_EQ(m.system->constraint(p, view(g)), EvalStatus::ok);
  EXPECT_EQ(m.system->constraint_rate(p, view(rate)), EvalStatus::ok);
  return {g.lpNorm<Eigen::Infinity>(), rate.lpNorm<Eigen::Infinity>()};
}

enum class Held { not_at_all, baumgarte, projected, projected_twice };

/// A mechanism with a plan that keeps everything.
struct Stepped {
  Stepped(const Moving& moving, Held held, double step) : m(moving) {
    problem = m.problem(held == Held::baumgarte ? name_of(baumgarte_form(step)) : "index-1", 1);
    const int projections = held == Held::projected ? 1 : held == Held::projected_twice ? 2 : 0;
    auto made =
        full_plan(*problem.dae, start_of(problem), {.step = step, .time = StepTime::end, .projections = projections});
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    plan = std::move(*made);
    stepper = make(plan);
  }
  [[nodiscard]] std::unique_ptr<RealtimeStepper> make(const Plan& with) const {
    auto made = RealtimeStepper::create(*problem.dae, with, start_of(problem));
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return std::move(*made);
  }
  /// The largest drift on the way.
  Drift go_on(double t_end) {
    Drift worst;
    while (stepper->time() < t_end - plan.step / 2) {
      EXPECT_EQ(stepper->step({}).status, RealtimeStatus::ok) << stepper->time();
      const Drift now = drift(m, *stepper);
      worst = {std::max(worst.position, now.position), std::max(worst.velocity, now.velocity)};
    }
    return worst;
  }
  [[nodiscard]] std::vector<double> poses() const {
    return test_models::poses(*m.system, stepper->state().first(static_cast<std::size_t>(m.system->sizes().q)),
                              stepper->base());
  }

  Moving m;
  InitialValueProblem problem;
  Plan plan;
  std::unique_ptr<RealtimeStepper> stepper;
};

}  // namespace rubato::realtime::test_models
