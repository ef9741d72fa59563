#pragma once
/// Inertia of a flexible body in the floating frame of reference. Nodes k of mass m (inertia j, along the body's axes) are at
///   x = r + R s,  s = c + Σ φ_i η_i,   x' = v + R (ω × s + Σ φ_i η_i'),   turning with ω + Σ ψ_i η_i'                   (1)
/// (lumped inertias as if the deformation did not turn them). With V = Rᵀv, the kinetic energy summed over all nodes is
///   T = ½ m V·V + V·(ω × S + Σ s_i η_i') + ½ ω·J ω + ω·Σ B_i η_i' + ½ Σ M_ij η_i' η_j'                                  (2)
///   S = s₀ + Σ s_i η_i,  B_i = b_i + Σ_j d_ji η_j,  J = J₀ + Σ J_i η_i + Σ J_ij η_i η_j                                 (3)
///   s₀ = Σ m c, s_i = Σ m φ_i, b_i = Σ m c × φ_i + j ψ_i, d_ij = Σ m φ_i × φ_j, M_ij = Σ m φ_i·φ_j + ψ_i·j ψ_j           (4)
///   J₀ = Σ ⟨c, c⟩ + j, J_i = 2 Σ ⟨c, φ_i⟩, J_ij = Σ ⟨φ_i, φ_j⟩, ⟨a, b⟩ = m (a·b I − (a bᵀ + b aᵀ)/2)                     (5)
/// so that no evaluation looks at the nodes. Lagrange's equations, forces F (in space), moments L about r and Q on the right:
///   m v' + R (ω' × S + Σ s_i η_i'')               = F − R (ω × (ω × S) + 2 ω × Σ s_i η_i')                              (6)
///   S × Rᵀv' + J ω' + Σ B_i η_i''                 = L − ω × (J ω + Σ B_i η_i') − J' ω                                   (7)
///   s_i·Rᵀv' + B_i·ω' + Σ M_ij η_j''              = Q_i + ½ ω·(∂J/∂η_i) ω − 2 ω·Σ_j d_ji η_j' − k_i η_i − d_i η_i'       (8)
/// Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge 2013, chapter 5, doi:10.1017/CBO9781107337213.
#include <memory>
#include <span>
#include <vector>

#include "frame.hpp"

namespace rubato::multibody::detail {

/// What markers need of a node: its place and the shapes of all modes there.
struct NodeModel {
  Three<double> at{};
  std::vector<Three<double>> shape = {}, turn = {};  ///< φ_i, ψ_i
};

/// A node's displacement along the motion of the modes.
template <class S>
struct NodeMotion {
  Three<S> s{}, theta{};
};
/// c + Σ φ_i x_i and Σ ψ_i x_i, or without c for rates.
template <class S>
NodeMotion<S> node_motion(const NodeModel& node, std::span<const S> x, bool rate) {
  NodeMotion<S> out;
  if (!rate)
    for (std::size_t k = 0; k < 3; ++k) out.s[k] = S(node.at[k]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    add(out.s, Three<S>(times(x[i], node.shape[i])));
    add(out.theta, Three<S>(times(x[i], node.turn[i])));
  }
  return out;
}

struct FlexibleModel {
  double mass = 0;
  Three<double> first{};                            ///< s₀
  Rotation<double> inertia{};                       ///< J₀
  std::vector<Three<double>> s, b, d;               ///< per mode; d_ij at i n + j
  std::vector<Rotation<double>> linear, quadratic;  ///< J_i; J_ij + J_ji for i < j, J_ii, at i n + j, i ≤ j
  std::vector<double> m, stiffness, damping;        ///< M_ij at i n + j; k_i, d_i
  std::vector<NodeModel> nodes;

  [[nodiscard]] std::size_t n() const { return s.size(); }
  [[nodiscard]] bool damped() const {
    for (const double c : damping)
      if (c != 0) return true;
    return false;
  }

  template <class S>
  Three<S> weighted(std::span<const S> x) const {  // Σ s_i x_i
    Three<S> sum{};
    for (std::size_t i = 0; i < n(); ++i) add(sum, Three<S>(times(x[i], s[i])));
    return sum;
  }
  template <class S>
  Three<S> first_moment(std::span<const S> eta) const {  // S
    return plus(first, weighted(eta));
  }
  /// J, or with `rates` its derivative J'.
  template <class S>
  Rotation<S> inertia_at(std::span<const S> eta, std::span<const S> rates = {}) const {
    Rotation<S> sum{};
    const auto add_times = [&sum](const S& x, const Rotation<double>& part) {
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) sum[r][c] += x * part[r][c];
    };
    const bool moving = !rates.empty();
    if (!moving) add_times(S(1.0), inertia);
    for (std::size_t i = 0; i < n(); ++i) {
      add_times(moving ? rates[i] : eta[i], linear[i]);
      for (std::size_t j = i; j < n(); ++j)
        add_times(moving ? S(rates[i] * eta[j] + eta[i] * rates[j]) : S(eta[i] * eta[j]), quadratic[i * n() + j]);
    }
    return sum;
  }
  /// ω·(∂J/∂η_i) ω.
  template <class S>
  S spin_slope(std::size_t i, std::span<const S> eta, const Three<S>& omega) const {
    S sum = dot(omega, rotate(linear[i], omega));
    for (std::size_t j = 0; j < n(); ++j) {
      const Rotation<double>& part = quadratic[i < j ? i * n() + j : j * n() + i];
      sum += (i == j ? 2.0 : 1.0) * eta[j] * dot(omega, rotate(part, omega));
    }
    return sum;
  }
  template <class S>
  Three<S> column(std::size_t i, std::span<const S> eta) const {  // B_i
    Three<S> sum{S(b[i][0]), S(b[i][1]), S(b[i][2])};
    for (std::size_t j = 0; j < n(); ++j) add(sum, Three<S>(times(eta[j], d[j * n() + i])));
    return sum;
  }
  /// Σ_j d_ji x_j.
  template <class S>
  Three<S> swirl(std::size_t i, std::span<const S> x) const {
    Three<S> sum{};
    for (std::size_t j = 0; j < n(); ++j) add(sum, Three<S>(times(x[j], d[j * n() + i])));
    return sum;
  }
  template <class S>
  Three<S> columns(std::span<const S> eta, std::span<const S> x) const {  // Σ B_i x_i
    Three<S> sum{};
    for (std::size_t i = 0; i < n(); ++i) add(sum, Three<S>(times(x[i], column(i, eta))));
    return sum;
  }

  /// The left sides of (6) to (8) for a = (v', ω', η'').
  template <class S>
  void inertia_times(const Rotation<S>& r, std::span<const S> eta, std::span<const S> a, std::span<S> out) const {
    const Three<S> linear_part = three(a, 0), alpha = three(a, 3), inside = rotate_back(r, linear_part);
    const auto modal = a.subspan(6);
    const Three<S> moment = first_moment(eta);
    const Three<S> push = rotate(r, plus(cross(alpha, moment), weighted(modal)));
    const Three<S> turn = plus(plus(cross(moment, inside), rotate(inertia_at(eta), alpha)), columns(eta, modal));
    for (std::size_t k = 0; k < 3; ++k) {
      out[k] = mass * linear_part[k] + push[k];
      out[3 + k] = turn[k];
    }
    for (std::size_t i = 0; i < n(); ++i) {
      S sum = dot(s[i], inside) + dot(column(i, eta), alpha);
      for (std::size_t j = 0; j < n(); ++j) sum += m[i * n() + j] * modal[j];
      out[6 + i] = sum;
    }
  }
  /// M' v: the derivative of the left sides along the motion, with v held.
  template <class S>
  void inertia_rate(const Rotation<S>& r, std::span<const S> eta, std::span<const S> v, std::span<S> out) const {
    const Three<S> inside = rotate_back(r, three(v, 0)), omega = three(v, 3);
    const auto rates = v.subspan(6);
    const Three<S> moment = first_moment(eta), moving = weighted(rates), back = cross(inside, omega);  // V' with v held
    const Three<S> push = rotate(r, plus(cross(omega, plus(cross(omega, moment), moving)), cross(omega, moving)));
    const Three<S> turn = plus(plus(cross(moving, inside), cross(moment, back)),
                               rotate(inertia_at(eta, rates), omega));  // Σ B_i' η_i' = 0
    for (std::size_t k = 0; k < 3; ++k) {
      out[k] = push[k];
      out[3 + k] = turn[k];
    }
    for (std::size_t i = 0; i < n(); ++i) out[6 + i] = dot(s[i], back) + dot(swirl(i, rates), omega);
  }
  /// What depends on velocities on the right of (6) to (8).
  template <class S>
  void add_gyration(const Rotation<S>& r, std::span<const S> eta, std::span<const S> v, std::span<S> out) const {
    const Three<S> omega = three(v, 3);
    const auto rates = v.subspan(6);
    const Three<S> push = rotate(
        r, plus(cross(omega, cross(omega, first_moment(eta))), times(2.0, Three<S>(cross(omega, weighted(rates))))));
    const Three<S> spin = plus(rotate(inertia_at(eta), omega), columns(eta, rates));
    const Three<S> turn = plus(cross(omega, spin), rotate(inertia_at(eta, rates), omega));
    for (std::size_t k = 0; k < 3; ++k) {
      out[k] -= push[k];
      out[3 + k] -= turn[k];
    }
    for (std::size_t i = 0; i < n(); ++i)
      out[6 + i] += 0.5 * spin_slope(i, eta, omega) - 2.0 * dot(omega, swirl(i, rates));
  }
  template <class S>
  void add_gravity(const Rotation<S>& r, std::span<const S> eta, const Three<double>& g, std::span<S> out) const {
    const Three<S> inside = rotate_back(r, g);
    const Three<S> turn = cross(first_moment(eta), inside);
    for (std::size_t k = 0; k < 3; ++k) {
      out[k] += mass * g[k];
      out[3 + k] += turn[k];
    }
    for (std::size_t i = 0; i < n(); ++i) out[6 + i] += dot(s[i], inside);
  }
  template <class S>
  S height_energy(const Frame<S>& at, std::span<const S> eta, const Three<double>& g) const {
    return -dot(g, plus(times(mass, at.r), rotate(at.R, first_moment(eta))));
  }
  template <class S>
  void add_elastic(std::span<const S> eta, std::span<const S> rates, std::span<S> out) const {
    for (std::size_t i = 0; i < n(); ++i) out[6 + i] -= stiffness[i] * eta[i] + damping[i] * rates[i];
  }
  template <class S>
  S strain_energy(std::span<const S> eta) const {
    S sum = S(0.0);
    for (std::size_t i = 0; i < n(); ++i) sum += 0.5 * stiffness[i] * eta[i] * eta[i];
    return sum;
  }
};

/// A node that joints or forces hold on to has a slot of its own, behind those of the bodies: they see it as a body, and what
/// they exert there is handed to the modes. It turns by the Cayley transform of θ = Σ ψ_i η_i,
///   C = I + f (θ̃ + θ̃²/2),  f = 4/(4 + θ·θ);   C' Cᵀ = τ̃,  τ = f (θ' + θ × θ'/2)                                       (9)
/// and has the velocities v + R (ω × s + s'), R (ω + τ), by their derivatives the accelerations. A force F and a moment T do
///   Q_i = φ_i·RᵀF + f (ψ_i + θ × ψ_i/2)·RᵀT                                                                            (10)
struct Station {
  std::size_t body = 0;  ///< its slot
  std::size_t node = 0;
};

template <class S>
S cayley_factor(const Three<S>& theta) {
  return 4.0 / (4.0 + dot(theta, theta));
}
/// x + θ × x/2.
template <class S, class X>
Three<S> half_turned(const Three<S>& theta, const Three<X>& x) {
  return plus(x, times(0.5, Three<S>(cross(theta, x))));
}

template <class S>
Frame<S> station_frame(const NodeModel& node, const Frame<S>& body, std::span<const S> eta) {
  const NodeMotion<S> here = node_motion(node, eta, false);
  const S f = cayley_factor(here.theta);
  Frame<S> out{.r = plus(body.r, rotate(body.R, here.s))};
  for (std::size_t k = 0; k < 3; ++k) {
    Three<double> e{};
    e[k] = 1;
    const Three<S> turned = plus(e, times(f, Three<S>(cross(here.theta, half_turned(here.theta, e)))));  // (9)
    const Three<S> column = rotate(body.R, turned);
    for (std::size_t i = 0; i < 3; ++i) out.R[i][k] = column[i];
  }
  return out;
}
/// `v`: velocities of the body, (v, ω, η').
template <class S>
Twist<S> station_twist(const NodeModel& node, const Rotation<S>& r, std::span<const S> eta, std::span<const S> v) {
  const NodeMotion<S> here = node_motion(node, eta, false), moving = node_motion(node, v.subspan(6), true);
  const Three<S> omega = three(v, 3);
  const Three<S> tau = times(cayley_factor(here.theta), half_turned(here.theta, moving.theta));
  return {.linear = plus(three(v, 0), rotate(r, plus(cross(omega, here.s), moving.s))),
          .angular = rotate(r, plus(omega, tau))};
}
template <class S>
Twist<S> station_acceleration(const NodeModel& node, const Rotation<S>& r, std::span<const S> eta, std::span<const S> v,
                              std::span<const S> a) {
  const NodeMotion<S> here = node_motion(node, eta, false), moving = node_motion(node, v.subspan(6), true),
                      second = node_motion(node, a.subspan(6), true);
  const Three<S> omega = three(v, 3), alpha = three(a, 3);
  const S f = cayley_factor(here.theta), f_rate = -0.5 * f * f * dot(here.theta, moving.theta);
  const Three<S> slow = half_turned(here.theta, moving.theta), tau = times(f, slow);
  const Three<S> tau_rate = plus(times(f, half_turned(here.theta, second.theta)), times(f_rate, slow));
  Three<S> push = plus(cross(alpha, here.s), second.s);
  add(push, Three<S>(cross(omega, plus(cross(omega, here.s), times(2.0, moving.s)))));
  return {.linear = plus(three(a, 0), rotate(r, push)),
          .angular = rotate(r, plus(plus(alpha, tau_rate), cross(omega, tau)))};
}
/// (10), and the wrench handed on to the body's own.
template <class S>
void add_station(const NodeModel& node, const Rotation<S>& r, std::span<const S> eta, const Wrench<S>& load,
                 Wrench<S>& body, std::span<S> modal) {
  const NodeMotion<S> here = node_motion(node, eta, false);
  const Three<S> force = rotate_back(r, load.force), torque = rotate_back(r, load.torque);
  // f (ψ + θ × ψ/2)·T = ψ·f (T + T × θ/2)
  const Three<S> turn = times(cayley_factor(here.theta), plus(torque, times(0.5, Three<S>(cross(torque, here.theta)))));
  add(body.force, load.force);
  add(body.torque, plus(load.torque, cross(rotate(r, here.s), load.force)));
  for (std::size_t i = 0; i < modal.size(); ++i) modal[i] += dot(node.shape[i], force) + dot(node.turn[i], turn);
}

}  // namespace rubato::multibody::detail
