#pragma once
/// What tests ask of any model of the catalogue.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "catalogue/catalogue.hpp"

namespace rubato::catalogue {

/// A mechanical point over a state, with scratch of its own.
class PointAt {
 public:
  PointAt(const MechanicalSystem& system, const MechanicalState& state)
      : memory_(system.scratch_bytes() + 4096), u_(Vector::Zero(system.sizes().u)), state_(state) {
    state_.lambda.conservativeResize(system.sizes().lambda);
    state_.nu.conservativeResize(system.sizes().nu);
    state_.z.conservativeResize(system.sizes().z);
  }
  [[nodiscard]] MechanicalPoint<double> operator()() {
    return {.t = state_.t,
            .q = view(std::as_const(state_.q)),
            .v = view(std::as_const(state_.v)),
            .z = view(std::as_const(state_.z)),
            .lambda = view(std::as_const(state_.lambda)),
            .nu = view(std::as_const(state_.nu)),
            .u = view(std::as_const(u_)),
            .base = view(std::as_const(state_.base)),
            .mode = state_.mode,
            .scratch = memory_.scratch()};
  }

 private:
  ScratchMemory memory_;
  Vector u_;
  MechanicalState state_;
};

/// The mechanical state at the start of an instance.
inline MechanicalState start_state(const Instance& instance) {
  const auto& dae = dynamic_cast<const FormulatedDae&>(*instance.problem.dae);
  ScratchMemory memory(dae.scratch_bytes());
  Vector u = Vector::Zero(dae.n_inputs()), rate = u;
  if (instance.problem.input) instance.problem.input->at(instance.problem.t_start, view(u), view(rate));
  MechanicalState state;
  const EvalStatus status = dae.unpack({.t = instance.problem.t_start,
                                        .x = view(instance.problem.x),
                                        .u = view(std::as_const(u)),
                                        .base = view(instance.problem.base),
                                        .mode = instance.problem.mode,
                                        .scratch = memory.scratch()},
                                       view(instance.problem.w), state);
  EXPECT_EQ(status, EvalStatus::ok);
  return state;
}

/// max |f_i| over the algebraic rows at the start, relative to the largest unknown.
inline double algebraic_residual(const Instance& instance) {
  const auto& problem = instance.problem;
  const Dae& dae = *problem.dae;
  ScratchMemory memory(dae.scratch_bytes());
  Vector u = Vector::Zero(dae.n_inputs()), rate = u, f(dae.size());
  if (problem.input) problem.input->at(problem.t_start, view(u), view(rate));
  const EvalStatus status = dae.f({.t = problem.t_start,
                                   .x = view(problem.x),
                                   .u = view(std::as_const(u)),
                                   .base = view(problem.base),
                                   .mode = problem.mode,
                                   .scratch = memory.scratch()},
                                  view(f));
  EXPECT_EQ(status, EvalStatus::ok);
  double worst = 0;
  for (int i = 0; i < dae.size(); ++i)
    if (dae.layout().kind(i) == Kind::algebraic) worst = std::max(worst, std::abs(f[i]));
  return worst / std::max(1.0, problem.x.cwiseAbs().maxCoeff());
}

/// |d/dt invariant| along q' = N v, v' = a, z' = e, relative to its terms, at a randomly displaced consistent state.
inline double invariant_rate(const Instance& instance, std::mt19937& random) {
  const MechanicalSystem& system = *instance.system;
  std::uniform_real_distribution<double> shift(-1, 1);
  MechanicalState guess = start_state(instance);
  const double speed = std::max(1.0, guess.v.cwiseAbs().maxCoeff());
  for (auto& q : guess.q) q += 0.02 * shift(random);
  for (auto& v : guess.v) v += 0.1 * speed * shift(random);
  const auto state = consistent_state(system, guess);
  EXPECT_TRUE(state.ok()) << (state ? "" : state.error().message);
  if (!state) return 1e300;
  Vector q_rate(system.sizes().q), z_rate(system.sizes().z);
  PointAt here(system, *state);
  EXPECT_EQ(system.kinematics(here(), view(state->v), view(q_rate)), EvalStatus::ok);
  EXPECT_EQ(system.auxiliary(here(), view(z_rate)), EvalStatus::ok);
  const auto n = static_cast<Eigen::Index>(system.invariant_names().size());
  const double h = 1e-5 / std::max(1.0, state->a.cwiseAbs().maxCoeff() / std::max(1.0, state->v.cwiseAbs().maxCoeff()));
  const auto moved = [&](double dt) {
    MechanicalState s = *state;
    s.q += dt * q_rate;
    s.v += dt * state->a;
    s.z += dt * z_rate;
    if (system.compliant()) {  // the multiplier follows the positions
      const auto there = consistent_state(system, s);
      EXPECT_TRUE(there.ok()) << (there ? "" : there.error().message);
      if (there) s.lambda = there->lambda;
    }
    Vector values(n);
    PointAt there(system, s);
    EXPECT_EQ(system.invariants(there(), view(values)), EvalStatus::ok);
    return values;
  };
  const Vector rate = (moved(h) - moved(-h)) / (2 * h), now = moved(0);
  // Terms of an energy change at the rate M v·a: the scale against which their sum must vanish.
  Vector inertia(system.sizes().v);
  EXPECT_EQ(system.inertia(here(), view(state->a), view(inertia)), EvalStatus::ok);
  const double scale = std::max(inertia.cwiseAbs().dot(state->v.cwiseAbs()), now.cwiseAbs().maxCoeff());
  return rate.cwiseAbs().maxCoeff() / std::max(scale, 1e-12);
}

/// The same for a plain ODE, at its start moved a little along the motion.
inline double plain_invariant_rate(const Instance& instance) {
  const auto& problem = instance.problem;
  const Dae& dae = *problem.dae;
  ScratchMemory memory(dae.scratch_bytes());
  const auto at = [&](const Vector& x) {
    return At{
        .t = problem.t_start, .x = view(x), .u = {}, .base = {}, .mode = problem.mode, .scratch = memory.scratch()};
  };
  const auto invariants = [&](const Vector& x) {
    Vector values(static_cast<Eigen::Index>(dae.invariant_names().size()));
    EXPECT_EQ(dae.invariants(at(x), view(values)), EvalStatus::ok);
    return values;
  };
  Vector f(dae.size());
  const Vector x = problem.x.array() + 0.1;
  EXPECT_EQ(dae.f(at(x), view(f)), EvalStatus::ok);
  const double h = 1e-3 / std::max(1.0, f.cwiseAbs().maxCoeff());
  const Vector change = invariants(x + h * f) - invariants(x - h * f);
  return change.cwiseAbs().maxCoeff() / (2 * h) / std::max(1.0, f.cwiseAbs().maxCoeff());
}

}  // namespace rubato::catalogue
