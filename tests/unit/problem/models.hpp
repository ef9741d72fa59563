#pragma once
/// Small mechanical models for the tests of start values and derivatives.
#include <cmath>
#include <vector>

#include "rubato/problem/template_mechanical.hpp"

namespace rubato::models {

inline Vector vec(std::initializer_list<double> values) {
  Vector x(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

/// Point mass on a rod of length 1, y up: g = x² + y² − 1.
struct Pendulum {
  static constexpr bool constant_mass = true;
  double mass = 1, gravity = 9.81;
  MechanicalSizes sizes() const { return {.q = 2, .v = 2, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = mass * a[0];
    out[1] = mass * a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = S(0.0);
    f[1] = S(-mass * gravity);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    g[0] = p.q[0] * p.q[0] + p.q[1] * p.q[1] - 1.0;
  }
};

/// The same with a stiff spring: r − 1 − ε² λ = 0, so λ is the force along the spring.
struct SpringPendulum {
  static constexpr bool constant_mass = true, compliant = true;
  double eps = 1e-3, gravity = 1;
  MechanicalSizes sizes() const { return {.q = 2, .v = 2, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
    out[1] = a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = S(0.0);
    f[1] = S(-gravity);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    using std::sqrt;
    g[0] = sqrt(p.q[0] * p.q[0] + p.q[1] * p.q[1]) - 1.0 - eps * eps * p.lambda[0];
  }
};

/// Three parallel cranks of length 1 at x = 0, 1, 2 carry one rigid coupler that stays horizontal: the third crank
/// (row 2) follows from the two others, unless it has the wrong length.
/// q = (x, y, φ) of the coupler's left end; ends at (x + k cos φ, y + k sin φ).
struct ParallelCranks {
  static constexpr bool constant_mass = true;
  double third_length = 1;
  MechanicalSizes sizes() const { return {.q = 3, .v = 3, .lambda = 3}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = 2.0 * a[0];
    out[1] = 2.0 * a[1];
    out[2] = 0.5 * a[2];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = S(0.3);
    f[1] = S(-19.62);
    f[2] = S(0.1);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    using std::cos, std::sin;
    for (int k = 0; k < 3; ++k) {
      const S x = p.q[0] + double(k) * cos(p.q[2]) - double(k), y = p.q[1] + double(k) * sin(p.q[2]);
      const double length = k == 2 ? third_length : 1.0;
      g[static_cast<std::size_t>(k)] = x * x + y * y - length * length;
    }
  }
  std::vector<std::string> names(std::string_view block) const {
    if (block == "lambda") return {"left crank", "middle crank", "right crank"};
    return {};
  }
};

/// An upright disc of radius r rolls on the plane: q = (x, y, heading ψ, roll θ),
/// 0 = ẋ − r θ̇ cos ψ, 0 = ẏ − r θ̇ sin ψ. Pushed by the force F along x and steered by the torque T.
struct RollingDisc {
  static constexpr bool constant_mass = true;
  double m = 2, r = 0.5, roll_inertia = 0.25, turn_inertia = 0.125, push = 3, steer = 0.7;
  MechanicalSizes sizes() const { return {.q = 4, .v = 4, .nu = 2}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = m * a[0];
    out[1] = m * a[1];
    out[2] = turn_inertia * a[2];
    out[3] = roll_inertia * a[3];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = S(push);
    f[1] = S(0.0);
    f[2] = S(steer);
    f[3] = S(0.0);
  }
  template <class S>
  void rolling(const MechanicalPoint<S>& p, std::span<S> out) const {
    using std::cos, std::sin;
    out[0] = p.v[0] - r * cos(p.q[2]) * p.v[3];
    out[1] = p.v[1] - r * sin(p.q[2]) * p.v[3];
  }
};

/// Series of sin θ/θ, (1 − cos θ)/θ² and the coefficient of δ×(δ×ω) in T⁻¹, in θ²: smooth at 0 for any scalar, |θ| < 1.
template <class S>
struct Rotation {
  S a, b, c;
  std::array<S, 3> d;
  explicit Rotation(std::span<const S> delta) : d{delta[0], delta[1], delta[2]} {
    const S s = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    a = S(1.0);
    b = S(0.5);
    S term_a(1.0), term_b(0.5);
    for (int k = 1; k < 9; ++k) {
      term_a = term_a * s * (-1.0 / (2 * k * (2 * k + 1)));
      term_b = term_b * s * (-1.0 / ((2 * k + 1) * (2 * k + 2)));
      a += term_a;
      b += term_b;
    }
    c = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s / 1209600.0));
  }
  static std::array<S, 3> cross(const std::array<S, 3>& x, const std::array<S, 3>& y) {
    return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
  }
  std::array<S, 3> rotate(const std::array<S, 3>& x) const {  // exp([δ]) x
    const auto dx = cross(d, x), ddx = cross(d, dx);
    return {x[0] + a * dx[0] + b * ddx[0], x[1] + a * dx[1] + b * ddx[1], x[2] + a * dx[2] + b * ddx[2]};
  }
  std::array<S, 3> rate(const std::array<S, 3>& w) const {  // δ' = T(δ)⁻¹ Ω, Ω body-fixed
    const auto dw = cross(d, w), ddw = cross(d, dw);
    return {w[0] + 0.5 * dw[0] + c * ddw[0], w[1] + 0.5 * dw[1] + c * ddw[1], w[2] + 0.5 * dw[2] + c * ddw[2]};
  }
};

/// Heavy top: centre of mass x and rotation R = R̂ exp([δ]) (base: R̂ by columns), g = x − R X with X = (0, 1, 0).
struct HeavyTop {
  static constexpr bool constant_mass = true;
  double m = 15, gravity = 9.81;
  std::array<double, 3> inertia_moments = {0.234375, 0.46875, 0.234375};
  MechanicalSizes sizes() const { return {.q = 6, .v = 6, .lambda = 3}; }
  int base_size() const { return 9; }
  template <class S>
  void kinematics(const MechanicalPoint<S>& p, std::span<const S> v, std::span<S> rate) const {
    for (std::size_t i = 0; i < 3; ++i) rate[i] = v[i];
    const auto d = Rotation<S>(p.q.subspan(3)).rate({v[3], v[4], v[5]});
    for (std::size_t i = 0; i < 3; ++i) rate[3 + i] = d[i];
  }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < 3; ++i) {
      out[i] = m * a[i];
      out[3 + i] = inertia_moments[i] * a[3 + i];
    }
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    f[0] = S(0.0);
    f[1] = S(0.0);
    f[2] = S(-m * gravity);
    const std::array<S, 3> w{p.v[3], p.v[4], p.v[5]};
    const std::array<S, 3> h{inertia_moments[0] * w[0], inertia_moments[1] * w[1], inertia_moments[2] * w[2]};
    const auto torque = Rotation<S>::cross(h, w);
    for (std::size_t i = 0; i < 3; ++i) f[3 + i] = torque[i];
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    const auto x = Rotation<S>(p.q.subspan(3)).rotate({S(0.0), S(1.0), S(0.0)});
    for (std::size_t i = 0; i < 3; ++i)
      g[i] = p.q[i] - (p.base[i] * x[0] + p.base[3 + i] * x[1] + p.base[6 + i] * x[2]);
  }
  void rebase(Out q, Out base) const {
    const Rotation<double> r(In(q).subspan(3));
    std::array<double, 9> moved{};
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<double, 3> e{};
      e[k] = 1;
      const auto x = r.rotate(e);
      for (std::size_t i = 0; i < 3; ++i) moved[3 * k + i] = base[i] * x[0] + base[3 + i] * x[1] + base[6 + i] * x[2];
    }
    std::copy(moved.begin(), moved.end(), base.begin());
    for (std::size_t i = 3; i < 6; ++i) q[i] = 0;
  }
};

}  // namespace rubato::models
