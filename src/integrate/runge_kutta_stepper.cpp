#include "runge_kutta_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/pairs.hpp"
#include "combine.hpp"
#include "newton_norm.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

/// The filter shares the factor of the real mode; where there is none, or another γ₀ was asked for, it has its own.
int filter_slot_of(const StageScheme& scheme) noexcept {
  const bool shared = !scheme.real.empty() && scheme.gamma0 == 1 / scheme.real.front();
  return shared ? 0 : static_cast<int>(scheme.real.size());
}

constexpr auto stage_numbers = [] {
  std::array<int, max_runge_kutta_stages> all{};
  for (int i = 0; i < max_runge_kutta_stages; ++i) all[static_cast<std::size_t>(i)] = i;
  return all;
}();

/// Tolerances of a variable order are read as those of order 5: what higher orders gain is accuracy.
const RungeKuttaTable& for_tolerances(const std::vector<StageScheme>& schemes) noexcept {
  const auto found = std::ranges::find(schemes, 3, &StageScheme::s);
  return schemes.size() > 1 && found != schemes.end() ? found->table : schemes.front().table;
}

int most_stages(const std::vector<StageScheme>& schemes) noexcept {
  int s = 0;
  for (const auto& scheme : schemes) s = std::max(s, scheme.s);
  return s;
}

}  // namespace

Result<std::unique_ptr<Stepper>> RungeKuttaStepper::create(std::span<const RungeKuttaTable> tables, int first,
                                                           const InitialValueProblem& problem,
                                                           const IntegrateOptions& options) {
  std::vector<StageScheme> schemes;
  std::size_t pairs = 0;
  for (const auto& table : tables) {
    auto scheme = StageScheme::create(table);
    if (!scheme) return scheme.error();
    pairs = std::max(pairs, scheme->pairs.size());
    schemes.push_back(std::move(*scheme));
  }
  int reals = 1;
  for (auto& scheme : schemes) {
    if (options.runge_kutta.gamma0 > 0) scheme.gamma0 = options.runge_kutta.gamma0;
    scheme.filter_slot = filter_slot_of(scheme);
    reals = std::max({reals, static_cast<int>(scheme.real.size()), scheme.filter_slot + 1});
  }
  auto system = SteppedSystem::create(problem, options, {.real = reals, .complex = static_cast<int>(pairs)});
  if (!system) return Error{fmt::format("method {}: {}", tables.front().name(), system.error().message)};
  return std::unique_ptr<Stepper>(
      new RungeKuttaStepper(std::move(schemes), first, problem, options, std::move(*system)));
}

RungeKuttaStepper::RungeKuttaStepper(std::vector<StageScheme> schemes, int first, const InitialValueProblem& problem,
                                     const IntegrateOptions& options, std::unique_ptr<SteppedSystem> system)
    : StagedStepper(problem, options, for_tolerances(schemes), most_stages(schemes), std::move(system)),
      schemes_(std::move(schemes)),
      level_(first),
      decoupled_(problem.dae->size(), most_stages(schemes_)) {
  const int n = system_->size();
  k_.setZero(n, r_.cols());
  stages_.setZero(n, r_.cols());
  for (const auto& scheme : schemes_) sweeps_.push_back(SmallSweep::create(scheme, n));
  slope_.setZero(n);
  product_.setZero(n);
  for (int i = 0; i < n; ++i)
    if (problem.dae->layout().kind(i) == Kind::algebraic) algebraic_.push_back(i);
  if (schemes_.size() > 1) prepare_orders();
  for (const auto& scheme : schemes_) {
    if (scheme.table.c[0] > 0) {
      extra_rows_.emplace_back();
      continue;
    }
    const auto embedded = embedded_lobatto(scheme.table, options.runge_kutta.alpha0, scheme.gamma0);
    extra_rows_.push_back(embedded.row);
    guard_ = QuadratureGuard(scheme.table, embedded.leading, problem.dae->layout());
  }
}

StepStatus RungeKuttaStepper::linearised(double /*t*/) noexcept {
  if (structure_ == system_->structure()) return StepStatus::ok;
  structure_ = system_->structure();
  sweeps_serve_ = mass_is_identity() && std::ranges::all_of(sweeps_, [&](const auto& sweep) {
                    return sweep != nullptr && sweep->attach(*system_);
                  });
  return StepStatus::ok;
}

StepStatus RungeKuttaStepper::factor(double h) noexcept {
  const StageScheme& s = scheme();
  if (const StepStatus status = DecoupledStages::factor(s, *system_, h); status != StepStatus::ok) return status;
  const int slot = s.filter_slot;
  if (slot < static_cast<int>(s.real.size()) || !wants_estimate()) return StepStatus::ok;
  return system_->factor(1 / (s.gamma0 * h), slot);
}

/// Solves (1), linearised.
StepStatus RungeKuttaStepper::correct(double t, double h, double& size) noexcept {
  return sweeps_serve_ ? correct_by_sweep(t, h, size) : correct_by_passes(t, h, size);
}

/// What B multiplies is subtracted in one pass with the transformation where B = I.
StepStatus RungeKuttaStepper::correct_by_passes(double t, double h, double& size) noexcept {
  const StageScheme& s = scheme();
  const std::ptrdiff_t n = z_.rows();
  s.kernels.stages_and_slopes(s, n, x_.data(), z_.data(), stages_.data(), k_.data());
  if (const EvalStatus status = system_->f_columns(t, h, s.table.c, stages_, r_); status != EvalStatus::ok)
    return step_status(status);
  const bool identity = mass_is_identity();
  if (!identity)
    if (const EvalStatus status = subtract_mass_times_slopes(t, h); status != EvalStatus::ok)
      return step_status(status);
  const double squares =
      decoupled_.correct(s, *system_, r_.data(), identity ? k_.data() : nullptr, 1 / h, view(weights_), dz_, z_);
  size = newton_norm_.from_squares(squares, first_columns(dz_, s.s), view(weights_));
  return StepStatus::ok;
}

StepStatus RungeKuttaStepper::correct_by_sweep(double t, double h, double& size) noexcept {
  const StageScheme& s = scheme();
  const SmallSweep& sweep = *sweeps_[static_cast<std::size_t>(level_)];
  if (newton_.iterations() == 0) sweep.begin(x_.data(), z_.data(), stages_.data());
  if (const EvalStatus status = system_->f_columns(t, h, s.table.c, stages_, r_); status != EvalStatus::ok)
    return step_status(status);
  ScopedTimer timer(options_.timing ? &system_->counters.seconds.solve : nullptr);
  system_->counters.solves += s.modes;
  const double squares =
      sweep.advance(1 / h, x_.data(), r_.data(), weights_.data(), dz_.data(), z_.data(), stages_.data());
  size = newton_norm_.from_squares(squares, first_columns(dz_, s.s), view(weights_));
  return StepStatus::ok;
}

/// r_i −= B(X_i) k_i/h.
EvalStatus RungeKuttaStepper::subtract_mass_times_slopes(double t, double h) noexcept {
  const StageScheme& s = scheme();
  if (constant_mass_) {
    const Out r = first_columns(r_, s.s);
    system_->matrix().add_B_times(r, -1 / h, first_columns(k_, s.s), r);
    return EvalStatus::ok;
  }
  for (int i = 0; i < s.s; ++i) {
    const double ti = t + s.table.c[i] * h;
    if (const EvalStatus status = system_->mass_times(ti, column(stages_, i), column(k_, i), view(product_));
        status != EvalStatus::ok)
      return status;
    r_.col(i) -= product_ / h;
  }
  return EvalStatus::ok;
}

StepStatus RungeKuttaStepper::finish(double /*t*/, double /*h*/) noexcept {
  const StageScheme& s = scheme();
  auto end = z_.col(s.s);
  if (s.ends_in_last_stage) {
    const double* const last = z_.col(s.s - 1).data();
    detail::in_pairs(z_.rows(), [to = end.data(), last]<int width>(std::ptrdiff_t i) {
      detail::piece<width>(to + i) = detail::piece<width>(last + i);
    });
    return StepStatus::ok;
  }
  end.setZero();
  for (int i = 0; i < s.s; ++i)
    if (s.d[i] != 0) end += s.d[i] * z_.col(i);
  return StepStatus::ok;
}

void RungeKuttaStepper::slopes(int row, double h, double* out) const noexcept {
  const StageScheme& s = scheme();
  for (int i = 0; i < s.s; ++i) {
    out[i] = 0;
    for (int j = 0; j < s.s; ++j) out[i] += s.A_inverse(i, j) * z_(row, j) / h;
  }
}

/// ρ of (2) or (3) into rho_, the state moved by `shift` (empty: not).
EvalStatus RungeKuttaStepper::estimate_residual(double t, double h, In shift) noexcept {
  const StageScheme& s = scheme();
  const Vector& row = extra_rows_[static_cast<std::size_t>(level_)];
  const bool at_start = row.size() == 0 && shift.empty();  // f is f0_ there
  if (!at_start || !constant_mass_) stage_ = x_;
  if (!shift.empty()) stage_ += map(shift);
  double weights[max_runge_kutta_stages + 1];  // of what B multiplies, −p'(0) or −K₁
  std::span<const int> columns = s.nodes;
  if (row.size() == 0) {
    for (int k = 0; k < s.degree(); ++k) weights[k] = -s.powers(k, 0) / h;
  } else {
    columns = std::span(stage_numbers).first(static_cast<std::size_t>(s.s));
    for (int j = 0; j < s.s; ++j) {
      weights[j] = -s.A_inverse(0, j) / h;
      const double weight = row.dot(s.A_inverse.col(j));  // Z₀ = Σ_i row_i Σ_j (A⁻¹)_ij Z_j
      if (weight != 0) stage_ += weight * z_.col(j);
    }
  }
  if (!at_start)
    if (const EvalStatus status = system_->f(t, view(stage_), view(rho_)); status != EvalStatus::ok) return status;
  const In f = view(std::as_const(at_start ? f0_ : rho_));
  if (mass_is_identity()) {
    detail::add_combined_columns(f, columns, weights, z_.data(), view(rho_));
  } else {
    detail::combine_columns(1, columns, weights, z_.data(), slope_.data(), z_.rows());
    if (constant_mass_) {
      system_->matrix().add_B_times(f, 1, view(slope_), view(rho_));
    } else {
      const EvalStatus status =
          system_->mass_times(t, view(std::as_const(stage_)), view(std::as_const(slope_)), view(product_));
      if (status != EvalStatus::ok) return status;
      rho_ = map(f) + product_;
    }
  }
  if (!first_)  // a start may be inconsistent in earnest
    for (const int i : algebraic_) rho_[i] -= f0_[i];
  return EvalStatus::ok;
}

int RungeKuttaStepper::error_order() const noexcept {
  return extra_rows_[static_cast<std::size_t>(level_)].size() == 0 ? scheme().degree() + 1 : scheme().s + 1;
}

Attempt RungeKuttaStepper::attempt(double t, double h) noexcept {
  Attempt attempt = StagedStepper::attempt(t, h);
  next_level_ = level_;
  const bool counts = attempt.status == StepStatus::ok && attempt.error <= 1;
  if (counts && schemes_.size() > 1 && options_.step.fixed_step == 0) choose_order(attempt);
  return attempt;
}

void RungeKuttaStepper::committed() noexcept {
  level_old_ = level_;
  if (schemes_.size() == 1 || options_.step.fixed_step > 0) return;
  contraction_ = smoothed_contraction();
  ++steps_at_level_;
  if (next_level_ == level_) return;
  level_ = next_level_;
  steps_at_level_ = 1;
  factored_h_ = 0;
}

/// The members for the choice of the order, and for each the weights of p_ℓ'(0) on its own nodes, p_ℓ the polynomial of lower degree.
void RungeKuttaStepper::prepare_orders() {
  for (const auto& scheme : schemes_) {
    levels_.push_back({.stages = scheme.s, .systems = scheme.modes});
    const Vector c = runge_kutta_table(RungeKuttaFamily::radau_iia, lower_degree(scheme.s)).c;
    const DenseStages lower(c);
    Vector slopes = Vector::Zero(scheme.degree());
    for (int j = 0; j < lower.degree(); ++j) {
      double at_node[max_runge_kutta_stages + 1];
      scheme.dense_weights(c[j], at_node, nullptr);
      for (int k = 0; k < scheme.degree(); ++k) slopes[k] += lower.powers(j, 0) * at_node[k];
    }
    lower_slopes_.push_back(std::move(slopes));
  }
}

/// The error of the step just made if its polynomial had a lower degree, by (2); infinite where the model refuses.
double RungeKuttaStepper::lower_error() noexcept {
  const StageScheme& s = scheme();
  double weights[max_runge_kutta_stages + 1];
  for (int k = 0; k < s.degree(); ++k) weights[k] = -lower_slopes_[static_cast<std::size_t>(level_)][k] / h_;
  detail::combine_columns(1, s.nodes, weights, z_.data(), slope_.data(), z_.rows());
  if (mass_is_identity()) {
    rho_ = f0_ + slope_;
  } else if (constant_mass_) {
    system_->matrix().add_B_times(view(f0_), 1, view(slope_), view(rho_));
  } else {
    const EvalStatus status =
        system_->mass_times(t_, view(std::as_const(x_)), view(std::as_const(slope_)), view(product_));
    if (status != EvalStatus::ok) return std::numeric_limits<double>::infinity();
    rho_ = f0_ + product_;
  }
  for (const int i : algebraic_) rho_[i] -= f0_[i];
  system_->solve(view(std::as_const(rho_)), view(slope_), s.filter_slot);
  return norm_(view(slope_), view(x_), view(trial_), h_);
}

double RungeKuttaStepper::smoothed_contraction() const noexcept {
  return std::min(10.0, std::max(newton_.contraction(), contraction_ / 2));
}

/// Of the step after this one, by order_choice.hpp, from the third step at an order on. Order 3 is for iterations that hardly converge. A
/// step that failed or was rejected is no reason to lower the order: the step was too long.
void RungeKuttaStepper::choose_order(Attempt& attempt) noexcept {
  constexpr double hardly_converges = 0.8;
  constexpr long patience = 3;
  if (smoothed_contraction() >= hardly_converges) {
    next_level_ = std::max(level_ - 1, 0);
    return;
  }
  // Where the defect inside has taken the place of the estimate, it cannot be compared with that of the lower order at the start.
  if (steps_at_level_ + 1 < patience || misses_inside()) return;
  // Not while stiff coordinates are looked for: order 9 would follow their vibrations before they are found.
  const bool beyond_estimate = maps_tolerances() && !detector_.looking();
  const OrderChoice choice = next_level(levels_, level_,
                                        {.error = attempt.error,
                                         .lower_error = lower_error(),
                                         .lower_degree = lower_degree(scheme().s),
                                         .contraction = newton_.contraction(),
                                         .iterations = newton_.iterations(),
                                         .largest_factor = attempt.largest_factor,
                                         .tolerance = beyond_estimate ? main_tolerance(options_.tolerances) : 0});
  next_level_ = choice.level;
  attempt.next_factor = choice.factor;
}

void RungeKuttaStepper::save(ArchiveWriter& out) const {
  StagedStepper::save(out);
  out.put(contraction_);
  for (const int value : {level_, level_old_}) out.put(value);
  out.put(steps_at_level_);
}

bool RungeKuttaStepper::load(ArchiveReader& in) {
  if (!StagedStepper::load(in)) return false;
  in.get(contraction_);
  for (int* value : {&level_, &level_old_}) in.get(*value, 0, static_cast<int>(schemes_.size()) - 1);
  in.get(steps_at_level_, 0, 1L << 60);
  return in.ok();
}

}  // namespace rubato
