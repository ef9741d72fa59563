#include "experiments/index3_scaling/contact_run.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "rubato/problem/linearisation.hpp"

namespace rubato::experiments::scaling {

namespace {

constexpr double alpha_m = -1, beta = 1, gamma = 1.5;  // ρ∞ = 0, α_f = 0

class Integrator {
 public:
  static Result<std::unique_ptr<Integrator>> create(const catalogue::Instance& instance) {
    std::unique_ptr<Integrator> made(new Integrator(instance));
    auto linearisation =
        Linearisation::create(made->dae_, made->at(made->x_, instance.problem.t_start), JacobianSource::automatic);
    if (!linearisation) return linearisation.error();
    made->linearisation_ = std::move(*linearisation);
    return made;
  }

  /// Newton's iteration for a step of size h; false: not converged. The number of iterations is added to `iterations`.
  bool step(double t, double h, double s, double tolerance, long& iterations) {
    const double in_a = (1 - alpha_m) / (beta * h * h), in_v = gamma / (beta * h);
    trial_ = x_;
    a_trial_ = a_;  // the predictor: constant acceleration
    trial_.segment(q_, n_) = x_.segment(q_, n_) + h * x_.segment(v_, n_) + h * h * ((0.5 - beta) + beta) * a_;
    const Vector q_base = x_.segment(q_, n_) + h * x_.segment(v_, n_) + h * h * (0.5 - beta) * a_;
    for (int k = 0; k < 12; ++k) {
      ++iterations;
      if (k > 0) a_trial_ = (trial_.segment(q_, n_) - q_base) / (beta * h * h);                 // (1)
      trial_.segment(v_, n_) = x_.segment(v_, n_) + h * ((1 - gamma) * a_ + gamma * a_trial_);  // (1)
      w_.setZero();
      w_.segment(v_, n_) = (1 - alpha_m) * a_trial_ + alpha_m * a_;  // (1)
      if (!linearise(t + h)) return false;
      const Matrix& J = jacobian_;
      matrix_.setZero();
      for (int j = 0; j < n_; ++j)
        for (int i = 0; i < size_; ++i) matrix_(i, j) = -(J(row(i), q_ + j) + in_v * J(row(i), v_ + j));
      for (int j = n_; j < size_; ++j)
        for (int i = 0; i < size_; ++i) matrix_(i, j) = -J(row(i), row(j)) * (j < n_ + n_z_ ? 1 : s);
      for (int i = 0; i < n_; ++i) matrix_(i, i) += in_a * mass_[i];
      matrix_.topRows(n_) /= s;
      for (int i = 0; i < n_; ++i) residual_[i] = (f_[v_ + i] - mass_[i] * w_[v_ + i]) / s;  // (2)
      for (int i = n_; i < n_ + n_z_; ++i) {
        matrix_.row(i) *= h;
        matrix_(i, i) += 1;
        residual_[i] = h * f_[row(i)] - (trial_[row(i)] - x_[row(i)]);
      }
      for (int i = n_ + n_z_; i < size_; ++i) residual_[i] = f_[row(i)];
      correction_ = matrix_.partialPivLu().solve(residual_);
      if (!correction_.allFinite()) return false;
      trial_.segment(q_, n_) += correction_.head(n_);
      for (int i = n_; i < size_; ++i) trial_[row(i)] += correction_[i] * (i < n_ + n_z_ ? 1 : s);  // λ = s λ̂
      if (std::sqrt(correction_.squaredNorm() / size_) < tolerance) {
        a_trial_ = (trial_.segment(q_, n_) - q_base) / (beta * h * h);
        trial_.segment(v_, n_) = x_.segment(v_, n_) + h * ((1 - gamma) * a_ + gamma * a_trial_);
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] double error(double h) const {
    double squares = 0;
    for (const int i : translations_) squares += (a_trial_[i] - a_[i]) * (a_trial_[i] - a_[i]);
    return std::abs(beta - 1.0 / 6) * h * h * std::sqrt(squares / static_cast<double>(translations_.size()));
  }
  void accept(double t) {
    x_.swap(trial_);
    a_.swap(a_trial_);
    Vector y(3);
    if (dae_.outputs(at(x_, t), view(w_), view(y)) == EvalStatus::ok) normal_force_ = y[1];
    if (n_z_ > 0 && normal_force_ == 0) x_.segment(z_, n_z_).setZero();
    if (dae_.f(at(x_, t), view(f_)) == EvalStatus::ok)
      constraint_ = f_.segment(lambda_, n_lambda_).cwiseAbs().maxCoeff();
  }
  [[nodiscard]] double normal_force() const { return normal_force_; }
  [[nodiscard]] double constraint() const { return constraint_; }
  [[nodiscard]] double component(std::string_view name) const {
    for (int i = 0; i < dae_.size(); ++i)
      if (dae_.layout().component_name(i) == name) return x_[i];
    return NAN;
  }
  [[nodiscard]] double energy(double t) {
    const At here = at(x_, t);
    const MechanicalPoint<double> p{.t = t,
                                    .q = here.x.subspan(static_cast<std::size_t>(q_), static_cast<std::size_t>(n_)),
                                    .v = here.x.subspan(static_cast<std::size_t>(v_), static_cast<std::size_t>(n_)),
                                    .z = here.x.subspan(static_cast<std::size_t>(z_), static_cast<std::size_t>(n_z_)),
                                    .lambda = {},
                                    .nu = {},
                                    .u = {},
                                    .base = {},
                                    .mode = 0,
                                    .scratch = here.scratch};
    double potential = 0;
    if (system_.part_energy(0, p, potential) != EvalStatus::ok) return NAN;
    return potential + 0.5 * x_.segment(v_, n_).cwiseAbs2().dot(mass_);
  }

 private:
  explicit Integrator(const catalogue::Instance& instance)
      : dae_(*instance.problem.dae), system_(*instance.system), x_(instance.problem.x), memory_(dae_.scratch_bytes()) {
    const auto block = [&](const char* name, int& offset, int& size) {
      if (const Block* b = dae_.layout().find(name)) offset = b->offset, size = b->size;
    };
    int n_v = 0;
    block("q", q_, n_);
    block("v", v_, n_v);
    block("z", z_, n_z_);
    block("lambda", lambda_, n_lambda_);
    size_ = n_ + n_z_ + n_lambda_;
    a_ = instance.problem.w.segment(v_, n_);
    a_trial_ = a_;
    trial_ = x_;
    for (Vector* v : {&f_, &w_}) v->setZero(dae_.size());
    residual_.setZero(size_);
    matrix_.setZero(size_, size_);
    jacobian_.setZero(dae_.size(), dae_.size());
    for (int i = 0; i < n_; ++i)
      if (!dae_.layout().component_name(q_ + i).starts_with("theta")) translations_.push_back(i);
    mass_.setZero(n_);
    for (int i = 0; i < n_; ++i) {  // the mass matrix is diagonal
      w_.setZero();
      w_[v_ + i] = 1;
      if (dae_.mass_times(at(x_, 0), view(std::as_const(w_)), view(f_)) == EvalStatus::ok) mass_[i] = f_[v_ + i];
    }
  }

  /// Row or unknown i of (q, z, λ̂) in the Dae: dynamic rows are those of v.
  [[nodiscard]] int row(int i) const {
    return i < n_ ? v_ + i : i < n_ + n_z_ ? z_ + (i - n_) : lambda_ + (i - n_ - n_z_);
  }
  [[nodiscard]] At at(const Vector& x, double t) {
    return {.t = t, .x = view(x), .u = {}, .base = {}, .mode = 0, .scratch = memory_.scratch()};
  }
  bool linearise(double t) {
    const At here = at(trial_, t);
    if (dae_.f(here, view(f_)) != EvalStatus::ok) return false;
    EvalStatus status = linearisation_->update(here, view(w_), view(f_));
    if (status == EvalStatus::ok && linearisation_->pattern_incomplete()) {
      linearisation_->extend(here, view(w_));
      status = linearisation_->update(here, view(w_), view(f_));
    }
    const SparsePattern& pattern = linearisation_->jacobian_pattern();
    jacobian_.setZero();
    for (int j = 0; j < pattern.cols(); ++j)
      for (int k = pattern.column_starts()[static_cast<std::size_t>(j)];
           k < pattern.column_starts()[static_cast<std::size_t>(j) + 1]; ++k)
        jacobian_(pattern.row_indices()[static_cast<std::size_t>(k)], j) =
            linearisation_->jacobian()[static_cast<std::size_t>(k)];
    return status == EvalStatus::ok;
  }

  const Dae& dae_;
  const MechanicalSystem& system_;
  Vector x_, trial_, a_, a_trial_, f_, w_, residual_, correction_, mass_;
  Matrix matrix_, jacobian_;
  ScratchMemory memory_;
  std::unique_ptr<Linearisation> linearisation_;
  std::vector<int> translations_;
  int q_ = 0, v_ = 0, z_ = 0, lambda_ = 0, n_ = 0, n_z_ = 0, n_lambda_ = 0, size_ = 0;
  double normal_force_ = 0, constraint_ = 0;
};

/// First contact, its end, the next one.
void note_contact(ContactResult& result, double t, double force) {
  if (result.first_contact == 0) {
    if (force > 0) result.first_contact = t;
  } else if (result.first_release == 0) {
    if (force == 0) result.first_release = t;
  } else if (result.second_contact == 0 && force > 0) {
    result.second_contact = t;
  }
  if (result.first_contact > 0 && result.first_release == 0) result.peak_force = std::max(result.peak_force, force);
}

}  // namespace

Result<ContactResult> run_contact(const ContactRun& run) {
  auto instance = catalogue::make_problem(
      "cam-impact",
      {{"friction", run.friction ? 1 : 0}, {"offset", run.offset}, {"damping", run.damping}, {"t_end", run.t_end}},
      "index-3");
  if (!instance) return instance.error();
  auto made = Integrator::create(*instance);
  if (!made) return made.error();
  Integrator& integrator = **made;
  constexpr double h_max = 0.01, fixed_until = 0.4 - 1e-9, h_min = 1e-12;
  ContactResult result;
  double t = 0, h = h_max;
  while (t < run.t_end * (1 - 1e-15)) {
    if (run.stop != nullptr && run.stop->load(std::memory_order_relaxed)) {
      result.trouble = "interrupted";
      break;
    }
    const bool last = t + h >= run.t_end;
    if (last) h = run.t_end - t;
    const double s = run.k_ave + run.m_ave / (h * h);  // (28), frozen during the step
    if (!integrator.step(t, h, s, run.tolerance, result.iterations)) {
      ++result.newton_failures;
      h /= 4;
      if (h >= h_min) continue;
      result.trouble = fmt::format("Newton fails at t = {:.6f} s", t);
      break;
    }
    double factor = 1;
    if (t >= fixed_until) {
      const double e = integrator.error(h);
      factor = std::clamp(0.9 * std::cbrt(run.eps_loc / std::max(e, 1e-300)), 0.2, 2.0);
      if (e > run.eps_loc) {
        ++result.rejected;
        h *= factor;
        continue;
      }
    }
    t = last ? run.t_end : t + h;
    integrator.accept(t);
    ++result.steps;
    const double force = integrator.normal_force();
    note_contact(result, t, force);
    result.largest_residual = std::max(result.largest_residual, integrator.constraint());
    result.history.push_back({t, h, s, force, integrator.constraint()});
    if (result.first_contact > 0 && !last) {
      result.smallest_s = result.smallest_s > 0 ? std::min(result.smallest_s, s) : s;
      result.largest_s = std::max(result.largest_s, s);
    }
    h = std::min(h * factor, h_max);
  }
  result.t = t;
  result.y_T = integrator.component("y_beam8");
  result.y_P = integrator.component("y_body");
  result.joint_angle = integrator.component("theta_cam0");
  return result;
}

Result<std::vector<EnergyStep>> contact_energies(const catalogue::Instance& instance, double h, int steps) {
  auto made = Integrator::create(instance);
  if (!made) return made.error();
  std::vector<EnergyStep> energies = {{0, (*made)->energy(0), 0}};
  long iterations = 0;
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    if (!(*made)->step(t, h, 1e3 + 1 / (h * h), 1e-12, iterations))
      return Error{fmt::format("Newton fails at t = {} s", t)};
    (*made)->accept(t + h);
    energies.push_back({t + h, (*made)->energy(t + h), (*made)->normal_force()});
  }
  return energies;
}

}  // namespace rubato::experiments::scaling
