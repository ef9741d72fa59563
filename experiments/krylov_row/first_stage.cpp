#include "experiments/krylov_row/first_stage.hpp"

#include "rubato/base/assert.hpp"
#include "rubato/base/scratch.hpp"

namespace rubato::experiments {

FirstStage::FirstStage(const InitialValueProblem& problem) : algebraic_(problem.dae->layout().algebraic()) {
  const Dae& dae = *problem.dae;
  ScratchMemory memory(dae.scratch_bytes());
  const At at{.t = 0, .x = view(problem.x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()};
  linear_ = *Linearisation::create(dae, at, JacobianSource::automatic);
  const Vector zero = Vector::Zero(dae.size());
  f_.setZero(dae.size());
  const bool evaluated = linear_->update(at, view(zero)) == EvalStatus::ok && dae.f(at, view(f_)) == EvalStatus::ok;
  RUBATO_ASSERT(evaluated, "problems of the catalogue can be evaluated at their start");
  static_cast<void>(evaluated);
}

FirstStage::Outcome FirstStage::solve(double h, const KrylovMatrixOptions& options, double tolerance) const {
  return solve(h, options, tolerance, f_);
}

FirstStage::Outcome FirstStage::solve(double h, const KrylovMatrixOptions& options, double tolerance,
                                      const Vector& right) const {
  KrylovMatrix matrix(linear_->mass_pattern(), linear_->jacobian_pattern(), algebraic_, options);
  matrix.linearise(linear_->mass(), linear_->jacobian());
  if (matrix.factor(4 / h) != FactorStatus::ok) return {};
  Outcome outcome{.x = Vector::Zero(right.size())};
  outcome.iteration = matrix.solve(view(right), view(outcome.x), tolerance);
  Vector bx(right.size()), jx(right.size());
  linear_->mass_times(view(std::as_const(outcome.x)), view(bx));
  linear_->jacobian_times(view(std::as_const(outcome.x)), view(jx));
  outcome.residual = (right - (4 / h) * bx + jx).norm() / right.norm();
  return outcome;
}

}  // namespace rubato::experiments
