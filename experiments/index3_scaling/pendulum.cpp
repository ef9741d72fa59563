#include "experiments/index3_scaling/pendulum.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/index3_scaling/dense_analysis.hpp"
#include "rubato/linalg/small_solve.hpp"

namespace rubato::experiments::scaling {

PendulumState pendulum_at(double t, double angle, double rate) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {.t = t, .u = {c, s}, .v = {-rate * s, rate * c}, .lambda = s - rate * rate};
}

std::vector<PendulumState> pendulum_motion(double angle, double rate, double h, int steps) {
  std::vector<PendulumState> states = {pendulum_at(0, angle, rate)};
  constexpr int substeps = 64;
  const double d = h / substeps;
  for (int i = 1; i <= steps; ++i) {
    for (int k = 0; k < substeps; ++k) {  // angle'' = −cos angle
      const double k1 = -std::cos(angle), k2 = -std::cos(angle + d / 2 * rate),
                   k3 = -std::cos(angle + d / 2 * (rate + d / 2 * k1)), k4 = -std::cos(angle + d * (rate + d / 2 * k2));
      angle += d * rate + d * d / 6 * (k1 + k2 + k3);
      rate += d / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    states.push_back(pendulum_at(i * h, angle, rate));
  }
  return states;
}

namespace {

using Two = std::array<double, 2>;

/// One unknown vector per time level, scaled as the variant says.
struct Level {
  Two u{}, v{};
  double lambda = 0;
};

class Stepper {
 public:
  explicit Stepper(const PendulumRun& run)
      : run_(run),
        c_(coefficients(run.variant.form, run.variant.mode, run.h)),
        three_(run.variant.form == Form::three_field) {
    const bool v = three_ && run.variant.mode == ScalingMode::lambda_and_v;
    const bool l = run.variant.mode == ScalingMode::lambda || run.variant.mode == ScalingMode::lambda_and_v;
    v_scale_ = v ? run.h : 1;               // v̂ = v_scale v
    lambda_scale_ = l ? run.h * run.h : 1;  // λ̂ = lambda_scale λ
  }

  [[nodiscard]] Level scaled(const PendulumState& s) const {
    return {s.u, {v_scale_ * s.v[0], v_scale_ * s.v[1]}, lambda_scale_ * s.lambda};
  }
  [[nodiscard]] PendulumState plain(const Level& x, double t) const {
    return {t, x.u, {x.v[0] / v_scale_, x.v[1] / v_scale_}, x.lambda / lambda_scale_};
  }

  /// One step with the formula of order k from the levels past[0] (the last), past[1] …
  Level step(int k, const std::vector<Level>& past, std::vector<Correction>& corrections) {
    alpha_ = bdf_coefficients(k);
    Level x = past[0];  // the predictor
    history(past);
    corrections.clear();
    double before = INFINITY;
    for (int j = 0; run_.forced_iterations > 0 ? j < run_.forced_iterations : j < 50; ++j) {
      const Correction d = three_ ? correct<5>(x) : correct<3>(x);
      if (run_.forced_iterations == 0 && d.all >= before) break;  // (33): z^j is the last decreasing one
      corrections.push_back(d);
      before = d.all;
    }
    if (!three_) x.v = velocity(x.u);  // (34)
    return x;
  }
  [[nodiscard]] Blocks blocks(const Level& x) const {
    Blocks b{.X = Matrix::Zero(2, 2), .Y = Matrix::Zero(2, 2), .G = Matrix(2, 1), .M = {}};
    b.X.diagonal().setConstant(-x.lambda / lambda_scale_);
    b.G << x.u[0], x.u[1];
    return b;
  }

 private:
  void history(const std::vector<Level>& past) {
    for (int i = 0; i < 2; ++i) {
      u_past_[i] = v_past_[i] = 0;
      for (std::size_t j = 1; j < alpha_.size(); ++j) {
        u_past_[i] += alpha_[j] * past[j - 1].u[i];
        v_past_[i] += alpha_[j] * past[j - 1].v[i];
      }
    }
  }
  [[nodiscard]] Two velocity(const Two& u) const {
    return {(alpha_[0] * u[0] + u_past_[0]) / run_.h, (alpha_[0] * u[1] + u_past_[1]) / run_.h};
  }

  /// One Newton iteration: x moves; the correction is measured as it is solved for.
  template <std::size_t n>
  Correction correct(Level& x) {
    const double a0 = alpha_[0], h = run_.h;
    constexpr std::size_t l = n - 1;
    std::array<double, n * n> a{};
    std::array<double, n> b{};
    const double lambda = x.lambda / lambda_scale_;
    for (std::size_t i = 0; i < 2; ++i) {
      const double weight = i == 1 ? -1 : 0;
      const double moved = a0 * x.u[i] + u_past_[i];
      const std::size_t row = n == 5 ? 2 + i : i;
      if constexpr (n == 5) {
        a[i * n + i] = a0;
        a[i * n + 2 + i] = -c_.kinematic;
        b[i] = -(moved - c_.kinematic * x.v[i]);
        a[row * n + i] = -c_.stiffness * lambda;
        a[row * n + 2 + i] = c_.inertia * a0;
        b[row] = -(c_.inertia * (a0 * x.v[i] + v_past_[i]) - c_.stiffness * weight - c_.force * x.u[i] * x.lambda);
      } else {
        a[row * n + i] = c_.inertia * (a0 * a0 - h * h * lambda);
        b[row] = -(c_.inertia * (a0 * moved + h * v_past_[i]) - c_.stiffness * weight - c_.force * x.u[i] * x.lambda);
      }
      a[row * n + l] = -c_.force * x.u[i];
      a[l * n + i] = c_.constraint * x.u[i];
    }
    b[l] = -c_.constraint * 0.5 * (x.u[0] * x.u[0] + x.u[1] * x.u[1] - 1);
    if (!solve_small(std::span<double>(a), std::span<double>(b))) return {.all = INFINITY};
    for (std::size_t i = 0; i < 2; ++i) {
      x.u[i] += b[i];
      if constexpr (n == 5) x.v[i] += b[2 + i];
    }
    x.lambda += b[l];
    Correction d{.u = std::hypot(b[0], b[1]), .v = n == 5 ? std::hypot(b[2], b[3]) : 0, .lambda = std::abs(b[l])};
    d.all = std::sqrt(d.u * d.u + d.v * d.v + d.lambda * d.lambda);
    return d;
  }

  const PendulumRun& run_;
  Coefficients c_;
  bool three_;
  double v_scale_ = 1, lambda_scale_ = 1;
  std::span<const double> alpha_;
  Two u_past_{}, v_past_{};
};

}  // namespace

PendulumResult run_pendulum(const PendulumRun& run) {
  PendulumResult result;
  Stepper stepper(run);
  const long n = std::lround(run.t_end / run.h);
  std::vector<Level> past = {stepper.scaled(pendulum_at(0, run.angle, run.rate))};
  const bool keep = n <= 100'000;
  if (keep) result.states.push_back(pendulum_at(0, run.angle, run.rate));
  std::vector<PendulumState> start;
  if (run.exact_start) start = pendulum_motion(run.angle, run.rate, run.h, run.k - 1);
  std::vector<Correction> corrections;
  for (long i = 1; i <= n; ++i) {
    const double t = static_cast<double>(i) * run.h;
    const bool given = static_cast<std::size_t>(i) < start.size();
    const Level x = given ? stepper.scaled(start[static_cast<std::size_t>(i)])
                          : stepper.step(std::min(run.k, static_cast<int>(past.size())), past, corrections);
    const PendulumState state = stepper.plain(x, t);
    past.insert(past.begin(), x);
    if (past.size() > static_cast<std::size_t>(run.k)) past.pop_back();
    if (keep) result.states.push_back(state);
    if (given) continue;
    ++result.steps;
    result.iterations += static_cast<long>(corrections.size());
    const Correction& last = corrections.back();
    result.largest.all = std::max(result.largest.all, last.all);
    result.largest.u = std::max(result.largest.u, last.u);
    result.largest.v = std::max(result.largest.v, last.v);
    result.largest.lambda = std::max(result.largest.lambda, last.lambda);
    result.constraint = std::max(result.constraint, std::abs(0.5 * (x.u[0] * x.u[0] + x.u[1] * x.u[1] - 1)));
    if (run.step) run.step(state, corrections);
  }
  result.end = stepper.plain(past.front(), static_cast<double>(n) * run.h);
  const double alpha0 = bdf_coefficients(run.k)[0];
  result.condition = condition_2(newton_matrix(run.variant, stepper.blocks(past.front()), alpha0, run.h));
  return result;
}

}  // namespace rubato::experiments::scaling
