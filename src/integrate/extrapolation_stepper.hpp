#pragma once
/// Extrapolation of the linearly implicit Euler method (extrapolation_tableau.hpp), with J exact at the start of the big step and
/// frozen over it:
///   (c B − J) Δ_i = f(t_{i+1}, x_i),   c = n_j/H,   t_i = t + iH/n_j                                                       (1)
/// With f at the end of each small step algebraic equations that depend on time hold there, and columns have the orders of an autonomous
/// system without ∂f/∂t (tests/theory/extrapolation_orders_test.cpp). One factorisation per row.
///
/// Quasi-linear systems, B(t, x) x' = f, as in LIMEX (Deuflhard, Hairer, Zugck, Numer. Math. 51 (1987) 501, doi:10.1007/BF01400352):
///   (c B(t_{i+1}, x_i) − A) Δ_i = f(t_{i+1}, x_i),   A = ∂/∂x [f − B x'₀] at the start, x'₀ the derivative there             (2)
/// One factorisation per small step. x'₀ is that of the polynomial of the step before; at a start Δ/τ of a tiny step                 (3)
///
/// Error: ‖X_kk − X_{k,k−1}‖. Column and size of variable methods: extrapolation_control.hpp.
#include <memory>
#include <optional>

#include "extrapolation_control.hpp"
#include "extrapolation_dense.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/integrate/method.hpp"
#include "stepped_system.hpp"

namespace rubato {

class ExtrapolationStepper final : public Stepper {
 public:
  struct Columns {
    std::vector<int> numbers;  ///< n_1 < n_2 < …
    bool variable = false;     ///< how many of them are used is chosen step by step
  };
  [[nodiscard]] static Result<std::unique_ptr<Stepper>> create(const MethodInfo& info, const Columns& columns,
                                                               const InitialValueProblem& problem,
                                                               const IntegrateOptions& options);

  StepStatus restart(double t, In x, In w, In base, int mode) override;
  Attempt attempt(double t, double h) noexcept override;
  void commit() noexcept override;
  void discard() noexcept override;
  In x() const noexcept override { return view(x_); }
  In base() const noexcept override { return system_->base(); }
  int mode() const noexcept override { return system_->mode(); }
  void interpolate(double theta, Out x, Out w) const noexcept override;
  void rebase() noexcept override;
  void renew() override;
  void save(ArchiveWriter& out) const override;
  bool load(ArchiveReader& in) override;
  Statistics statistics() const noexcept override { return system_->statistics(); }
  int worst_component() const noexcept override;

 private:
  ExtrapolationStepper(Columns columns, const InitialValueProblem& problem, const IntegrateOptions& options,
                       std::unique_ptr<SteppedSystem> system);
  [[nodiscard]] StepStatus linearise(double t, double h) noexcept;
  [[nodiscard]] StepStatus find_rate(double t, double h) noexcept;
  [[nodiscard]] StepStatus make_row(int j, double t, double h) noexcept;
  [[nodiscard]] double error_of_row(int j, double h) noexcept;

  std::vector<int> numbers_;
  std::unique_ptr<SteppedSystem> system_;
  ErrorNorm norm_;
  bool constant_mass_, shares_f_;                ///< f at the start serves all rows
  std::optional<ExtrapolationControl> control_;  ///< of variable methods

  // Committed state; the trial is the last column of the tableau. start_ is where the last committed step began.
  Vector x_, start_;
  Vector rate_;  ///< x'₀ of (2)
  bool rate_known_ = false;
  double t_ = 0, h_ = 0;
  int columns_ = 0;  ///< made by the last attempt
  bool linearised_ = false;
  Vector f0_, right_, delta_, error_, zero_;
  Matrix tableau_;
  mutable ExtrapolationDense dense_;  ///< makes derivatives when somebody asks for them
};

}  // namespace rubato
