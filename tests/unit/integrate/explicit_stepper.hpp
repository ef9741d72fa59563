#pragma once
/// A stepper that leaves nothing to guess, to examine the driver with: Bogacki & Shampine's explicit pair of order 3(2)
/// (Appl. Math. Lett. 2 (1989) 321, doi:10.1016/0893-9659(89)90079-7) with cubic Hermite interpolation, for B = I.
/// Solutions that are quadratic in t, and their interpolant, are exact.
///
/// Like a method with an old Jacobian it carries something that ages: `size_`, |x| every seventh step, which enters the
/// error estimate. A resumed run equals an uninterrupted one only if both renew it at the checkpoint.
#include <cmath>
#include <utility>

#include "rubato/base/scratch.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/method.hpp"

namespace rubato::testing {

class ExplicitStepper : public Stepper {
 public:
  ExplicitStepper(const InitialValueProblem& problem, const IntegrateOptions& options)
      : problem_(problem),
        norm_(problem.dae->layout(), options.tolerances, options.step),
        scratch_(problem.dae->scratch_bytes()),
        u_(problem.dae->n_inputs()),
        rate_(problem.dae->n_inputs()) {}

  StepStatus restart(double t, In x, In /*w*/, In base, int mode) override {
    x_ = map(x);
    base_ = map(base);
    before_ = trial_ = error_ = stage_ = k1_ = k2_ = k3_ = k4_ = slope_before_ = slope_ = x_;
    mode_ = mode;
    age_ = 0;
    return step_status(f(t, x_, k1_));
  }

  Attempt attempt(double t, double h) noexcept override {
    h_ = h;
    if (renewed_ || age_ % 7 == 0) size_ = x_.norm();
    renewed_ = false;
    EvalStatus status = f(t, x_, k1_);
    stage_ = x_ + h / 2 * k1_;
    if (status == EvalStatus::ok) status = f(t + h / 2, stage_, k2_);
    stage_ = x_ + 3 * h / 4 * k2_;
    if (status == EvalStatus::ok) status = f(t + 3 * h / 4, stage_, k3_);
    trial_ = x_ + h * (2.0 / 9 * k1_ + 1.0 / 3 * k2_ + 4.0 / 9 * k3_);
    if (status == EvalStatus::ok) status = f(t + h, trial_, k4_);
    if (status != EvalStatus::ok) return {step_status(status), 0, 3};
    error_ = h * (-5.0 / 72 * k1_ + 1.0 / 12 * k2_ + 1.0 / 9 * k3_ - 1.0 / 8 * k4_);
    if (!trial_.allFinite() || !k4_.allFinite()) return {StepStatus::not_finite, 0, 3};
    const double error = norm_(view(std::as_const(error_)), view(std::as_const(x_)), view(std::as_const(trial_)), h);
    return {StepStatus::ok, error * (1 + 0.1 * std::sin(size_)), 3};
  }
  void commit() noexcept override {
    before_ = x_;
    x_ = trial_;
    slope_before_ = k1_;
    slope_ = k4_;
    ++age_;
  }
  void discard() noexcept override {}

  In x() const noexcept override { return view(x_); }
  In base() const noexcept override { return view(base_); }
  int mode() const noexcept override { return mode_; }
  void interpolate(double s, Out x, Out w) const noexcept override {
    const double r = 1 - s;
    map(x) = r * r * (1 + 2 * s) * before_ + s * s * (3 - 2 * s) * x_ + h_ * s * r * (r * slope_before_ - s * slope_);
    if (!w.empty())
      map(w) = 6 * s * r / h_ * (x_ - before_) + r * (1 - 3 * s) * slope_before_ + s * (3 * s - 2) * slope_;
  }
  void rebase() noexcept override { problem_.dae->rebase(view(x_), view(base_)); }
  void renew() noexcept override { renewed_ = true; }
  void save(ArchiveWriter& out) const override {
    out.put(view(x_));
    out.put(view(base_));
    out.put(age_);
  }
  bool load(ArchiveReader& in) override {
    in.get(view(x_));
    in.get(view(base_));
    in.get(age_);
    renewed_ = true;
    return in.ok();
  }
  Statistics statistics() const noexcept override { return statistics_; }
  int worst_component() const noexcept override { return norm_.worst(view(error_), view(x_), view(trial_), h_); }

 private:
  EvalStatus f(double t, const Vector& x, Vector& out) noexcept {
    ++statistics_.f_calls;
    if (problem_.input) problem_.input->at(t, view(u_), view(rate_));
    return problem_.dae->f({.t = t,
                            .x = view(x),
                            .u = view(std::as_const(u_)),
                            .base = view(std::as_const(base_)),
                            .mode = mode_,
                            .scratch = scratch_.scratch()},
                           view(out));
  }
  const InitialValueProblem& problem_;
  ErrorNorm norm_;
  ScratchMemory scratch_;
  Vector u_, rate_, x_, base_, before_, trial_, error_, stage_, k1_, k2_, k3_, k4_, slope_before_, slope_;
  int mode_ = 0;
  long age_ = 0;
  bool renewed_ = false;
  double h_ = 1, size_ = 0;
  Statistics statistics_;
};

inline Method explicit_method() {
  Method method;
  method.info.name = "explicit-test";
  method.info.order = method.info.dense_order = 3;
  method.info.embedded_order = 2;
  method.make = [](const MethodInfo&, const InitialValueProblem& problem,
                   const IntegrateOptions& options) -> Result<std::unique_ptr<Stepper>> {
    return std::unique_ptr<Stepper>(std::make_unique<ExplicitStepper>(problem, options));
  };
  return method;
}

}  // namespace rubato::testing
