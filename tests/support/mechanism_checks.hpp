#pragma once
/// What tests ask of mechanisms: run one, look at it by name, compare hand-written derivatives with dual numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "rubato/integrate/integrate.hpp"
#include "rubato/multibody/geometry.hpp"
#include "rubato/multibody/system.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/rotation.hpp"

namespace rubato::multibody {

using SystemPointer = std::shared_ptr<const MultibodySystem>;

/// A mechanism that must be right.
inline SystemPointer built(const Mechanism& mechanism) {
  auto system = build(mechanism);
  EXPECT_TRUE(system.ok()) << (system.ok() ? "" : system.error().message);
  return system.ok() ? *system : nullptr;
}

/// A state with the memory a point needs.
struct StatePoint {
  StatePoint(const MechanicalSystem& system, const MechanicalState& state) : s(state), memory(system.scratch_bytes()) {}
  [[nodiscard]] MechanicalPoint<double> operator()() {
    return {.t = s.t,
            .q = view(std::as_const(s.q)),
            .v = view(std::as_const(s.v)),
            .z = view(std::as_const(s.z)),
            .lambda = view(std::as_const(s.lambda)),
            .nu = view(std::as_const(s.nu)),
            .u = {},
            .base = view(std::as_const(s.base)),
            .mode = s.mode,
            .scratch = memory.scratch()};
  }
  MechanicalState s;
  ScratchMemory memory;
};

/// Unknowns and outputs by name at the end of a run.
struct Ending {
  std::map<std::string, double> values = {};
  MechanicalState state = {};
  ConstraintDiagnosis diagnosis = {};
  RunSummary summary = {};
  [[nodiscard]] double operator[](const std::string& name) const {
    const auto it = values.find(name);
    EXPECT_NE(it, values.end()) << name;
    return it == values.end() ? NAN : it->second;
  }
};

struct Run {
  double t_end = 1;
  double rtol = 1e-10;
  const char* formulation = "index-2";
  const char* method = "radau";
  RunStatus ends = RunStatus::finished;
  double fixed_step = 0;
};

inline void look(const MultibodySystem& system, Ending& ending) {
  StatePoint point(system, ending.state);
  for (const auto& [block, x] : {std::pair{"q", &ending.state.q},
                                 {"v", &ending.state.v},
                                 {"lambda", &ending.state.lambda},
                                 {"nu", &ending.state.nu},
                                 {"z", &ending.state.z}}) {
    const auto names = system.names(block);
    for (std::size_t i = 0; i < names.size(); ++i) ending.values[names[i]] = (*x)[static_cast<Eigen::Index>(i)];
  }
  const auto names = system.output_names();
  Vector y(static_cast<Eigen::Index>(names.size()));
  EXPECT_EQ(system.outputs(point(), view(std::as_const(ending.state.a)), view(y)), EvalStatus::ok);
  for (std::size_t i = 0; i < names.size(); ++i) ending.values[names[i]] = y[static_cast<Eigen::Index>(i)];
}

inline Ending run(const SystemPointer& system, const Run& options) {
  Ending ending;
  if (system == nullptr) return ending;
  const auto start = consistent_state(*system, system->start(), {.minimum_norm = false}, &ending.diagnosis);
  EXPECT_TRUE(start.ok()) << (start.ok() ? "" : start.error().message);
  if (!start) return ending;
  ending.state = *start;
  const auto dae = formulate(system, *formulation_by_name(options.formulation), ending.diagnosis.dependent);
  EXPECT_TRUE(dae.ok()) << (dae.ok() ? "" : dae.error().message);
  if (!dae) return ending;
  InitialValueProblem problem{.dae = *dae, .t_end = options.t_end, .base = (*dae)->base_of(*start)};
  (*dae)->pack(*start, problem.x, problem.w);
  if (options.t_end > 0) {
    auto summary = integrate(
        problem, options.method,
        {.tolerances = {.rtol = options.rtol, .atol = options.rtol}, .step = {.fixed_step = options.fixed_step}});
    EXPECT_TRUE(summary.ok()) << (summary.ok() ? "" : summary.error().message);
    if (!summary) return ending;
    EXPECT_EQ(summary->status, options.ends) << summary->reason;
    ending.summary = *summary;
    ScratchMemory memory((*dae)->scratch_bytes());
    EXPECT_EQ((*dae)->unpack({.t = summary->t,
                              .x = view(std::as_const(summary->x)),
                              .u = {},
                              .base = view(std::as_const(summary->base)),
                              .mode = summary->mode,
                              .scratch = memory.scratch()},
                             view(std::as_const(summary->w)), ending.state),
              EvalStatus::ok);
  }
  look(*system, ending);
  return ending;
}

/// The start with everything moved at random: nothing vanishes by chance.
inline MechanicalState shaken(const MultibodySystem& system, unsigned seed, double size = 0.3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  MechanicalState s = system.start();
  s.a = Vector::Zero(s.v.size());
  for (Vector* x : {&s.q, &s.v, &s.z, &s.lambda, &s.nu, &s.a})
    for (double& value : *x) value += uniform(random);
  s.t = 0.4 + uniform(random);
  return s;
}

/// The force of the first element: parts 0 and 1 are gravity and gyration.
inline Vector element_force(const MultibodySystem& system, const MechanicalState& s) {
  StatePoint at(system, s);
  Vector f(s.v.size());
  EXPECT_EQ(system.part_force(2, at(), view(f)), EvalStatus::ok);
  return f;
}

/// What acts between two spatial bodies cancels: the sums of the forces and of the moments about the origin vanish.
inline void expect_balance(const MultibodySystem& system, const MechanicalState& s, const Vector& f, double force_bound,
                           double moment_bound) {
  Three<double> push{}, turn{};
  for (std::size_t body = 0; body < 2; ++body) {
    const auto i = static_cast<Eigen::Index>(6 * body);
    const Pose pose = system.pose(body, view(s.q), view(s.base));
    const Three<double> one{f[i], f[i + 1], f[i + 2]};
    const Three<double> couple = rotated(pose.rotation, {f[i + 3], f[i + 4], f[i + 5]});
    const Three<double> moment = cross(pose.position, one);
    for (std::size_t k = 0; k < 3; ++k) {
      push[k] += one[k];
      turn[k] += moment[k] + couple[k];
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(push[k], 0, force_bound);
    EXPECT_NEAR(turn[k], 0, moment_bound);
  }
}

/// Rates and accelerations of constraints, written by hand, against dual numbers; reactions against virtual work. All of
/// these hold to rounding at any state, on the constraints or not.
inline void expect_exact_rates(const MultibodySystem& system, unsigned seed) {
  const MechanicalState s = shaken(system, seed);
  StatePoint at(system, s);
  const auto n_v = static_cast<std::size_t>(s.v.size()), n_g = static_cast<std::size_t>(s.lambda.size()),
             n_r = static_cast<std::size_t>(s.nu.size());
  Vector q_rate(s.q.size());
  ASSERT_EQ(system.kinematics(at(), view(s.v), view(q_rate)), EvalStatus::ok);
  // The point moving along v and a, in direction 0.
  const auto moving = [](const Vector& x, const Vector& d) {
    std::vector<Dual8> out(static_cast<std::size_t>(x.size()));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = Dual8(x[static_cast<Eigen::Index>(i)]);
      if (d.size() > 0) out[i].d[0] = d[static_cast<Eigen::Index>(i)];
    }
    return out;
  };
  const auto q = moving(s.q, q_rate), v = moving(s.v, s.a), z = moving(s.z, {}), lambda = moving(s.lambda, {}),
             nu = moving(s.nu, {});
  ScratchMemory memory(system.scratch_bytes());
  MechanicalPoint<Dual8> p{.t = Dual8(s.t),
                           .q = q,
                           .v = v,
                           .z = z,
                           .lambda = lambda,
                           .nu = nu,
                           .u = {},
                           .base = view(s.base),
                           .mode = s.mode,
                           .scratch = memory.scratch()};
  p.t.d[0] = 1;
  std::vector<Dual8> g(n_g), rate(n_g), roll(n_r);
  ASSERT_EQ(system.dual()->constraint(p, g), EvalStatus::ok);
  ASSERT_EQ(system.dual()->constraint_rate(p, rate), EvalStatus::ok);
  ASSERT_EQ(system.dual()->rolling(p, roll), EvalStatus::ok);
  Vector by_hand(s.lambda.size()), second(s.lambda.size()), rolled(s.nu.size());
  ASSERT_EQ(system.constraint_rate(at(), view(by_hand)), EvalStatus::ok);
  ASSERT_EQ(system.constraint_acceleration(at(), view(s.a), view(second)), EvalStatus::ok);
  ASSERT_EQ(system.rolling_acceleration(at(), view(s.a), view(rolled)), EvalStatus::ok);
  const auto g_names = system.names("lambda"), r_names = system.names("nu");
  for (std::size_t i = 0; i < n_g; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(by_hand[k], g[i].d[0], 1e-13 * (1 + std::abs(by_hand[k]))) << g_names[i];
    EXPECT_NEAR(second[k], rate[i].d[0], 1e-12 * (1 + std::abs(second[k]))) << g_names[i];
  }
  for (std::size_t i = 0; i < n_r; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(rolled[k], roll[i].d[0], 1e-12 * (1 + std::abs(rolled[k]))) << r_names[i];
  }
  // (Gᵀλ + Aᵀν)·v = λ·(G v) + ν·(A v), with what does not depend on v taken off.
  Vector reaction(static_cast<Eigen::Index>(n_v)), still(s.lambda.size()), rolling(s.nu.size()),
      rolling_still(s.nu.size());
  ASSERT_EQ(system.reaction(at(), view(s.lambda), view(s.nu), view(reaction)), EvalStatus::ok);
  ASSERT_EQ(system.rolling(at(), view(rolling)), EvalStatus::ok);
  at.s.v.setZero();
  ASSERT_EQ(system.constraint_rate(at(), view(still)), EvalStatus::ok);
  ASSERT_EQ(system.rolling(at(), view(rolling_still)), EvalStatus::ok);
  const double work = s.lambda.dot(by_hand - still) + s.nu.dot(rolling - rolling_still);
  EXPECT_NEAR(reaction.dot(s.v), work, 1e-13 * (1 + std::abs(work)));
}

}  // namespace rubato::multibody
