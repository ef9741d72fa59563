#pragma once
/// What every implicit stepper needs of its problem: evaluations at a point, the linearisation, the scaled step matrix,
/// and the counters of all this.
#include <complex>
#include <limits>
#include <memory>
#include <optional>

#include "rubato/base/archive.hpp"
#include "rubato/base/scratch.hpp"
#include "rubato/base/stopwatch.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/integrate/statistics.hpp"
#include "rubato/linalg/colouring.hpp"
#include "rubato/linalg/krylov_matrix.hpp"
#include "rubato/linalg/step_matrix.hpp"
#include "rubato/problem/initial_value_problem.hpp"
#include "rubato/problem/linearisation.hpp"
#include "worn_factor.hpp"

namespace rubato {

[[nodiscard]] constexpr StepStatus step_status(FactorStatus status) noexcept {
  switch (status) {
    case FactorStatus::ok: return StepStatus::ok;
    case FactorStatus::not_finite: return StepStatus::not_finite;
    case FactorStatus::out_of_memory: return StepStatus::out_of_memory;
    case FactorStatus::singular: break;
  }
  return StepStatus::singular_matrix;
}

/// Products by a linearisation that forms no Jacobian.
class LinearisationProduct final : public JacobianProduct {
 public:
  explicit LinearisationProduct(Linearisation& linearisation) : linearisation_(linearisation) {}
  void times(In v, Out y) noexcept override {
    const EvalStatus now = linearisation_.product(v, y);
    if (now == EvalStatus::ok) return;
    status = now;
    map(y).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  EvalStatus status = EvalStatus::ok;  ///< of the last product that could not be had

 private:
  Linearisation& linearisation_;
};

/// An old factor of the step matrix.
class FactorPreconditioner final : public OuterPreconditioner {
 public:
  explicit FactorPreconditioner(StepMatrix& matrix) : matrix_(matrix) {}
  void apply(In r, Out x) noexcept override { matrix_.solve(r, x); }

 private:
  StepMatrix& matrix_;
};

class SteppedSystem {
 public:
  /// Factors kept at the same time.
  struct Shifts {
    int real = 1, complex = 0;
  };
  [[nodiscard]] static Result<std::unique_ptr<SteppedSystem>> create(const InitialValueProblem& problem,
                                                                     const IntegrateOptions& options, Shifts shifts,
                                                                     Differences differences = Differences::one_sided);

  [[nodiscard]] const Dae& dae() const noexcept { return dae_; }
  [[nodiscard]] int size() const noexcept { return dae_.size(); }
  [[nodiscard]] const IntegrateOptions& options() const noexcept { return options_; }
  [[nodiscard]] const Linearisation& linearisation() const noexcept { return *linearisation_; }
  [[nodiscard]] StepMatrix& matrix() noexcept { return *matrix_; }
  /// f depends on t, be it through inputs.
  [[nodiscard]] bool time_dependent() const noexcept { return time_dependent_; }
  [[nodiscard]] In base() const noexcept { return view(base_); }
  [[nodiscard]] int mode() const noexcept { return point_.mode; }

  /// Methods for second order systems: the rows of the n positions from `q` on are those of an update formula,
  ///   (weight c) q − v,   v: the unknowns from `v` on,
  /// whatever their rows in B and J are.
  struct PositionRows {
    int q = 0, v = 0, n = 0;
    double weight = 1;
  };
  void set_position_rows(const PositionRows& rows);

  /// The point of the next evaluation, with the inputs there: valid until the next call.
  [[nodiscard]] const At& at(double t, In x) noexcept {
    if (input_) input_->at(t, view(u_), view(u_rate_));
    point_.t = t;
    point_.x = x;
    return point_;
  }
  /// f(t, x), counted.
  [[nodiscard]] EvalStatus f(double t, In x, Out out) noexcept {
    ScopedTimer timer(options_.timing ? &counters.seconds.f : nullptr);
    ++counters.f_calls;
    return dae_.f(at(t, x), out);
  }
  /// f(t + c_i h, x_i) of the columns x_i into those of `out`.
  [[nodiscard]] EvalStatus f_columns(double t, double h, const Vector& c, const Matrix& x, Matrix& out) noexcept {
    ScopedTimer timer(options_.timing ? &counters.seconds.f : nullptr);
    const auto n = static_cast<std::size_t>(x.rows());
    const double* from = x.data();
    double* to = out.data();
    for (const double ci : c) {
      ++counters.f_calls;
      if (const EvalStatus status = dae_.f(at(t + ci * h, In(from, n)), Out(to, n)); status != EvalStatus::ok)
        return status;
      from += n;
      to += n;
    }
    return EvalStatus::ok;
  }
  /// B(t, x) w.
  [[nodiscard]] EvalStatus mass_times(double t, In x, In w, Out out) noexcept {
    return dae_.mass_times(at(t, x), w, out);
  }

  /// J = ∂(f − B w)/∂x and B at (t, x) into the step matrix; f0 = f(t, x). A branch of the model that opens here enlarges
  /// the pattern: the one thing besides a full factorisation that allocates during a run. Factors become invalid.
  [[nodiscard]] StepStatus linearise(double t, In x, In w, In f0) noexcept;
  /// B at (t, x), which is not constant, into the step matrix; J as it is.
  [[nodiscard]] StepStatus renew_mass(double t, In x) noexcept;
  /// ∂/∂t (f − B w) at fixed x, for a step of size h.
  [[nodiscard]] StepStatus time_derivative(double t, In x, In w, In f0, double h, Out out) noexcept;
  /// See Linearisation::error_along; at the point of the last linearisation.
  [[nodiscard]] EvalStatus jacobian_error(double t, In x, In w, In v, Out out) noexcept;
  /// A factor of cB − J, scaled where the model says what its unknowns are.
  [[nodiscard]] StepStatus factor(double c, int slot = 0) noexcept { return factor_shift(c, slot); }
  [[nodiscard]] StepStatus factor(std::complex<double> c, int slot = 0) noexcept { return factor_shift(c, slot); }
  /// The factor in slot 0, made for another shift, with the scaling for c: see StepMatrix::rescale. False: nothing is scaled.
  [[nodiscard]] bool rescale(double c) noexcept {
    if (!scales()) return false;
    scale(std::abs(c));
    matrix_->rescale();
    return true;
  }
  /// The scaling of a matrix of shift c into matrix(): for those who factorise matrices of their own.
  void scale_for(double abs_c) noexcept {
    last_shift_ = abs_c;
    if (scales()) scale(abs_c);
  }
  /// 1/D_R for shift c and the linearisation in use: a correction times this is one of the scaled unknowns. Ones without
  /// scaling.
  void scaled_weights(double abs_c, Out weights) noexcept;
  void solve(In r, Out x, int slot = 0) noexcept { solve_with(r, x, slot); }
  /// The same by whatever the options say, factor or Krylov spaces, for a step of size h.
  [[nodiscard]] StepStatus solve_stage(In r, Out x, double h) noexcept;
  /// Residuals of Krylov spaces are measured by the error they cause: weigh_residuals() before the stages.
  [[nodiscard]] bool weighs_residuals() const noexcept {
    return krylov_ && !direct_ && (residuals_are_errors() || keeps_old_factor());
  }
  /// `weights` of the unknowns in the error norm; residuals in that norm up to `tolerance`.
  void weigh_residuals(In weights, double tolerance) noexcept {
    krylov_->weigh(weights, !residuals_are_errors());
    weighted_tolerance_ = keeps_old_factor() || approximate() ? distrust * tolerance : tolerance;
  }
  void solve(ComplexIn r, ComplexOut x, int slot = 0) noexcept { solve_with(r, x, slot); }

  /// In place, column by column: with the factors of the first real slots, and with those of the first complex ones.
  void solve_slots(std::size_t n_real, double* real, std::size_t n_complex, std::complex<double>* complex) noexcept {
    ScopedTimer timer(options_.timing ? &counters.seconds.solve : nullptr);
    counters.solves += static_cast<long>(n_real + n_complex);
    const auto n = static_cast<std::size_t>(row_scale_.size());
    matrix_->solve_slots({real, n_real * n}, {complex, n_complex * n});
  }

  /// What solves with the factor of a slot where the step matrix is neither scaled nor condensed: null elsewhere. Of the
  /// structure with this number.
  [[nodiscard]] const LinearSolver<double>* plain_solver(int slot) const noexcept {
    return plain() ? &matrix_->solver(slot) : nullptr;
  }
  [[nodiscard]] const LinearSolver<std::complex<double>>* plain_complex_solver(int slot) const noexcept {
    return plain() ? &matrix_->complex_solver(slot) : nullptr;
  }
  [[nodiscard]] long structure() const noexcept { return structure_; }

  /// Another state: a new mode may have a larger pattern. False: no linearisation there.
  [[nodiscard]] bool restart(double t, In x, In base, int mode);
  /// Moves the base of the charts.
  void rebase(Out x) noexcept { dae_.rebase(x, view(base_)); }
  /// Patterns and pivots carry history: afterwards they depend on the state alone.
  void renew(double t, In x);
  void save(ArchiveWriter& out) const;
  void load(ArchiveReader& in);

  [[nodiscard]] Statistics statistics() const noexcept;
  Statistics counters;  ///< steppers count here what they do themselves

 private:
  SteppedSystem(const InitialValueProblem& problem, const IntegrateOptions& options, Shifts shifts,
                Differences differences);
  [[nodiscard]] Result<void> find_structure(const At& at);
  /// With all of J.
  [[nodiscard]] const Linearisation& formed() const noexcept { return assembly_ ? *assembly_ : *linearisation_; }
  void adopt_structure();
  void make_step_matrix();
  void make_krylov_matrix();
  [[nodiscard]] bool residuals_are_errors() const noexcept {
    return options_.linear.krylov.coupling == KrylovCoupling::error;
  }
  [[nodiscard]] bool keeps_old_factor() const noexcept {
    return options_.linear.krylov.matrix.preconditioner == KrylovPreconditioner::factor;
  }
  /// Preconditioners that are no factors: they solve nothing by themselves.
  [[nodiscard]] bool approximate() const noexcept {
    return options_.linear.krylov.matrix.factors != KrylovFactors::exact;
  }
  [[nodiscard]] bool may_factor() const noexcept { return options_.linear.krylov.automatic || keeps_old_factor(); }
  static constexpr double distrust =
      0.1;  ///< what an old factor or an approximate one makes of a residual is not quite the error
  [[nodiscard]] StepStatus factor_for_krylov(double c) noexcept;
  [[nodiscard]] StepStatus renew_factor() noexcept;
  [[nodiscard]] StepStatus assemble() noexcept;
  [[nodiscard]] std::vector<Follower> followers() const;
  [[nodiscard]] KrylovMatrix::Outcome iterate(In r, Out x, double tolerance) noexcept;
  [[nodiscard]] StepStatus take_over(In r, Out x, double tolerance, int dimension) noexcept;
  void account_for_step() noexcept;
  void retire_matrices() noexcept;
  [[nodiscard]] Result<void> constraints_checked() const;
  void find_position_rows();
  [[nodiscard]] StepStatus extend_pattern(const At& at, In w) noexcept;
  [[nodiscard]] bool scales() const noexcept { return options_.linear.scaling != ScalingMode::none && mechanical_; }
  [[nodiscard]] bool plain() const noexcept { return !scales() && !krylov_ && matrix_->condensed_size() == size(); }
  [[nodiscard]] StepScaling scaling(double abs_c) const noexcept;
  void scale(double abs_c) noexcept;
  template <class T>
  [[nodiscard]] StepStatus factor_shift(T c, int slot) noexcept {
    ScopedTimer timer(options_.timing ? &counters.seconds.factor : nullptr);
    last_shift_ = std::abs(c);
    if (scales()) scale(last_shift_);
    if constexpr (std::is_same_v<T, double>)
      if (krylov_) return factor_for_krylov(c);
    ++counters.factorisations;
    return step_status(matrix_->factor(c, slot));
  }
  template <class R, class X>
  void solve_with(R r, X x, int slot) noexcept {
    ScopedTimer timer(options_.timing ? &counters.seconds.solve : nullptr);
    ++counters.solves;
    matrix_->solve(r, x, slot);
  }

  const Dae& dae_;
  std::shared_ptr<const Dae> keep_dae_;
  std::shared_ptr<const InputSignal> input_;
  IntegrateOptions options_;
  Shifts shifts_;
  Differences differences_;
  long structure_ = 0;
  bool time_dependent_;
  ScratchMemory scratch_;
  std::unique_ptr<Linearisation> linearisation_;
  /// J for old factors, where products do without it: formed when such a factor is, at the point of the last linearisation.
  std::unique_ptr<Linearisation> assembly_;
  double last_shift_ = 0;  ///< about 1/h; 0: none yet
  Vector moves_;           ///< |x'| over that, for increments of differences
  double linearised_t_ = 0;
  Vector linearised_x_, linearised_w_, linearised_f_;
  std::optional<StepMatrix> matrix_;  ///< with Krylov spaces for its products only
  std::optional<LinearisationProduct> products_;
  std::optional<FactorPreconditioner> old_factor_;
  std::optional<KrylovMatrix> krylov_;
  // Which of them solves, and what it took in the attempt at hand.
  std::optional<SolverChoice> choice_;
  WornFactor worn_;
  bool direct_ = false;
  double c_ = 0, factored_c_ = 0;
  int solves_ = 0;
  long products_taken_ = 0, dimensions_ = 0;
  Vector stage_right_;  ///< for a second try
  double weighted_tolerance_ = 0;

  Vector base_, u_, u_rate_, row_scale_, col_scale_;
  At point_;  ///< holds the mode; the views of u_, base_ and scratch_ never change
  std::vector<ScaledUnknown> unknowns_;
  std::vector<ScaledEquation> equations_;
  std::vector<int> mass_places_, mass_in_j_places_, stiffness_places_;
  bool mechanical_ = false;  ///< there are masses or stiffnesses to scale by
  // Entries of J and B in the rows of positions, and of v among them; copies with these rows replaced.
  PositionRows positions_;
  std::vector<int> jacobian_in_positions_, mass_in_positions_, velocity_places_;
  Vector own_jacobian_, own_mass_;
  ColumnGroups mass_groups_;  ///< of a B that is not constant
  Vector unit_, product_;
  FactorStatistics retired_;  ///< of step matrices that were replaced
};

}  // namespace rubato
