#include "passage_stepper.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <vector>

#include "combine.hpp"
#include "problem/start.hpp"
#include "rubato/problem/consistent.hpp"

namespace rubato {

namespace {

constexpr int stages_of_passage = 7;
constexpr int passage_sweeps = 40, sweeps_with_jacobians = 2;  ///< start values are close
constexpr double passage_kappa = 1e-3;                         ///< of the tolerance, in the last correction

}  // namespace

PassageStepper::PassageStepper(const InitialValueProblem& problem, const FormulatedDae& dae, const ErrorNorm& norm)
    : problem_(problem),
      dae_(dae),
      norm_(norm),
      table_(runge_kutta_table(RungeKuttaFamily::radau_iia, stages_of_passage)),
      dense_(table_.c),
      inverse_(table_.A.inverse()),
      memory_(dae.scratch_bytes()),
      u_(Vector::Zero(dae.n_inputs())),
      u_rate_(u_) {
  const int s = table_.s;
  Matrix upper = Matrix::Identity(s, s), lower = Matrix::Zero(s, s);  // A = L U after Crout
  for (int j = 0; j < s; ++j) {
    for (int i = j; i < s; ++i) lower(i, j) = table_.A(i, j) - lower.row(i).head(j).dot(upper.col(j).head(j));
    for (int k = j + 1; k < s; ++k)
      upper(j, k) = (table_.A(j, k) - lower.row(j).head(j).dot(upper.col(k).head(j))) / lower(j, j);
  }
  lower_inverse_ = lower.inverse();
  // Σ_{i<s} b̂_i c_i^p = 1/(p+1), p = 0 … s−2.
  Matrix vandermonde(s - 1, s - 1);
  Vector moments(s - 1);
  for (int p = 0; p + 1 < s; ++p) {
    for (int i = 0; i + 1 < s; ++i) vandermonde(p, i) = std::pow(table_.c[i], p);
    moments[p] = 1.0 / (p + 1);
  }
  defect_ = table_.b;
  defect_.head(s - 1) -= vandermonde.fullPivLu().solve(moments);
  double widest = 0;
  for (int i = 0; i + 1 < s; ++i)
    if (const double gap = table_.c[i + 1] - table_.c[i]; gap > widest) {
      widest = gap;
      best_fraction_ = table_.c[i] + gap / 2;
    }
}

double PassageStepper::clearance(double fraction) const noexcept {
  return (table_.c.array() - fraction).abs().minCoeff();
}

StepStatus PassageStepper::restart(double t, In x, In w, In base, int mode) {
  start_ = map(x);
  w_ = map(w);
  base_ = map(base);
  mode_ = mode;
  if (linear_) return StepStatus::ok;
  auto made = Linearisation::create(dae_, at(t, view(start_)), JacobianSource::automatic);
  if (!made) return StepStatus::fatal;
  linear_ = std::move(*made);
  return StepStatus::ok;
}

At PassageStepper::at(double t, In x) {
  if (problem_.input) problem_.input->at(t, view(u_), view(u_rate_));
  return {.t = t,
          .x = x,
          .u = view(std::as_const(u_)),
          .base = view(std::as_const(base_)),
          .mode = mode_,
          .scratch = memory_.scratch()};
}

bool PassageStepper::predict(double t, double h) {
  MechanicalState state;
  if (dae_.unpack(at(t, view(start_)), view(w_), state) != EvalStatus::ok) return false;
  const MechanicalSystem& system = dae_.system();
  ConsistentOptions options{.minimum_norm = false};
  const In left_out = dae_.left_out(view(base_));
  for (std::size_t row = 0; row < left_out.size(); ++row)
    if (left_out[row] != 0) options.dependent.push_back(static_cast<int>(row));
  Vector x, w, base = base_;
  double before = 0;
  for (int i = 0; i < table_.s; ++i) {
    const double step = (table_.c[i] - before) * h;
    before = table_.c[i];
    const Vector mean = state.v + (step / 2) * state.a;
    detail::Start here(system, state, {}, "passage");
    state.q += step * here.kinematics(mean);
    state.v += step * state.a;
    state.t = t + before * h;
    (void)at(state.t, view(start_));
    options.u = u_;
    ConstraintDiagnosis diagnosis;
    auto made = consistent_state(system, state, options, &diagnosis);
    const int rows = system.sizes().lambda + system.sizes().nu, surplus = static_cast<int>(options.dependent.size());
    if (!made || diagnosis.rank != rows - surplus) return false;
    state = std::move(*made);
    dae_.pack(state, x, w, view(std::as_const(u_)));
    base.head(state.base.size()) = state.base;
    if (base_.size() > 0 && !dae_.transport(view(std::as_const(base)), view(std::as_const(base_)), view(x)))
      return false;
    stages_.col(i) = x;
  }
  return stages_.allFinite();
}

/// Multipliers have a pole between the nodes, accelerations beside them no weight of their own.
void PassageStepper::keep_differential(Vector& x) const {
  for (int i = 0; i < dae_.size(); ++i)
    if (dae_.layout().kind(i) == Kind::algebraic) x[i] = 0;
}

StepStatus PassageStepper::iterate(double t, double h) {
  const int n = dae_.size(), s = table_.s;
  Vector x(n), w(n), f(n), product(n), shown(n);
  Matrix corrections(n, s);
  std::vector<std::optional<detail::SquareSystem>> matrices(static_cast<std::size_t>(s));
  const auto stage_matrix = [&](double shift) {  // J − shift B
    detail::Triplets entries;
    const SparsePattern &b = linear_->mass_pattern(), &jacobian = linear_->jacobian_pattern();
    std::size_t p = 0, q = 0;
    for (int col = 0; col < n; ++col) {
      for (const int row : jacobian.column(col)) entries.emplace_back(row, col, linear_->jacobian()[q++]);
      for (const int row : b.column(col)) entries.emplace_back(row, col, -shift * linear_->mass()[p++]);
    }
    return entries;
  };
  double last = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < passage_sweeps; ++sweep) {
    double size = 0;
    Matrix rates(n, s);
    for (int i = 0; i < s; ++i) rates.col(i) = (stages_.colwise() - start_) * inverse_.row(i).transpose() / h;
    for (int i = 0; i < s; ++i) {
      x = stages_.col(i);
      w = rates.col(i);
      const At here = at(t + table_.c[i] * h, view(std::as_const(x)));
      ++counters_.f_calls;
      EvalStatus status = dae_.f(here, view(f));
      if (status == EvalStatus::ok && sweep < sweeps_with_jacobians) {
        ++counters_.jacobians;
        status = linear_->update(here, view(std::as_const(w)), view(std::as_const(f)));
        if (status == EvalStatus::ok && linear_->pattern_incomplete()) {
          linear_->extend(here, view(std::as_const(w)));
          status = linear_->update(here, view(std::as_const(w)), view(std::as_const(f)));
        }
      }
      // B_i (W_i + Σ_{j<i} (L⁻¹)_ij/h Δ_j) − f_i
      for (int j = 0; j < i; ++j) w += lower_inverse_(i, j) / h * corrections.col(j);
      if (status == EvalStatus::ok) status = dae_.mass_times(here, view(std::as_const(w)), view(product));
      if (status != EvalStatus::ok) return status == EvalStatus::fatal ? StepStatus::fatal : StepStatus::out_of_domain;
      auto& matrix = matrices[static_cast<std::size_t>(i)];
      if (sweep < sweeps_with_jacobians) {
        matrix.emplace(n, stage_matrix(lower_inverse_(i, i) / h));
        ++counters_.factorisations;
      }
      ++counters_.newton_iterations;
      ++counters_.solves;
      if (!matrix->regular()) return StepStatus::singular_matrix;
      corrections.col(i) = matrix->solve(product - f);  // (2)
      if (!corrections.col(i).allFinite()) return StepStatus::not_finite;
      shown = corrections.col(i);
      keep_differential(shown);
      size = std::max(
          size, norm_(view(std::as_const(shown)), view(start_), view(start_), std::numeric_limits<double>::infinity()));
    }
    stages_ += corrections;
    if (size <= passage_kappa || (size < 0.1 && size > 0.9 * last)) return StepStatus::ok;  // or rounding is left
    if (sweep > 3 && size > 2 * last) return StepStatus::newton_diverged;
    last = size;
  }
  return StepStatus::newton_diverged;
}

StepStatus PassageStepper::solve(double t, double h) {
  const int n = dae_.size(), s = table_.s;
  stages_.resize(n, s);
  if (!predict(t, h)) return StepStatus::newton_diverged;
  if (const StepStatus status = iterate(t, h); status != StepStatus::ok) return status;
  end_ = stages_.col(s - 1);
  increments_.resize(n, s + 1);
  increments_.leftCols(s) = stages_.colwise() - start_;
  increments_.col(s) = increments_.col(s - 1);
  error_ = increments_.leftCols(s) * (inverse_.transpose() * defect_);  // (3)
  keep_differential(error_);
  return StepStatus::ok;
}

Attempt PassageStepper::attempt(double t, double h) noexcept {
  Attempt result;
  h_ = h;
  result.error_order = table_.s;
  try {
    result.status = solve(t, h);
  } catch (const std::bad_alloc&) {
    result.status = StepStatus::out_of_memory;
  }
  if (result.status == StepStatus::ok)
    result.error =
        norm_(view(std::as_const(error_)), view(start_), view(end_), std::numeric_limits<double>::infinity());
  return result;
}

void PassageStepper::interpolate(double theta, Out x, Out w) const noexcept {
  double weights[max_runge_kutta_stages + 1], slopes[max_runge_kutta_stages + 1];
  dense_.dense_weights(theta, weights, w.empty() ? nullptr : slopes);
  detail::add_combined_columns(view(start_), dense_.nodes, weights, increments_.data(), x);
  if (w.empty()) return;
  for (int k = 0; k < dense_.degree(); ++k) slopes[k] /= h_;
  detail::combine_columns(1, dense_.nodes, slopes, increments_.data(), w.data(), increments_.rows());
}

int PassageStepper::worst_component() const noexcept {
  return error_.size() > 0 ? norm_.worst(view(error_), view(start_), view(end_), h_) : -1;
}

}  // namespace rubato
