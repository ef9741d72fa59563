#pragma once
/// The arm of the Manutec r3: six bodies in a chain, joint axes y, x, x, y, x, y, all frames parallel at q = 0, y up.
///   n_i axis, R_i = Rot(n_i, q_i) from frame i to frame i − 1, r_i from O_{i−1} to O_i in frame i − 1,
///   c_i from O_i to the centre of mass and I_i about it, in frame i.
/// Recursive Newton-Euler in body coordinates, ω_0 = α_0 = 0, a_0 = −g, f_7 = t_7 = 0:
///   ω_i  = R_iᵀ ω_{i−1} + n_i q̇_i                                                                                  (1)
///   α_i  = R_iᵀ α_{i−1} + n_i q̈_i + ω_i × (n_i q̇_i)                                                               (2)
///   a_i  = R_iᵀ (a_{i−1} + α_{i−1} × r_i + ω_{i−1} × (ω_{i−1} × r_i))                                              (3)
///   ac_i = a_i + α_i × c_i + ω_i × (ω_i × c_i)                                                                     (4)
///   F_i  = m_i ac_i,   N_i = I_i α_i + ω_i × (I_i ω_i)                                                             (5)
///   f_i  = F_i + R_{i+1} f_{i+1}                                                                                   (6)
///   t_i  = N_i + c_i × F_i + R_{i+1} t_{i+1} + r_{i+1} × (R_{i+1} f_{i+1}),   τ_i = n_i · t_i                       (7)
/// Otter & Türk, The DFVLR models 1 and 2 of the Manutec r3 robot, DFVLR-Mitt. 88-13 (1988); Featherstone, Rigid Body Dynamics
/// Algorithms (2008), for the mass matrix from composite bodies.
#include <array>
#include <tuple>
#include <utility>

#include "catalogue/folded.hpp"
#include "rubato/base/elementary.hpp"

namespace rubato::catalogue::r3 {

inline constexpr int n_axes = 6;
inline constexpr double gravity = 9.81;
inline constexpr std::array<Axis, n_axes> axes{Axis::y, Axis::x, Axis::x, Axis::y, Axis::x, Axis::y};

struct Body {
  double m;
  std::array<double, 3> r, c;
  std::array<double, 6> inertia;  ///< xx, yy, zz, xy, xz, yz about the centre of mass
};

/// Two bodies that move as one; r is that of the first.
constexpr Body joined(const Body& a, const Body& b) {
  Body both{.m = a.m + b.m, .r = a.r, .c = {}, .inertia = {}};
  for (std::size_t k = 0; k < 3; ++k) both.c[k] = (a.m * a.c[k] + b.m * b.c[k]) / both.m;
  for (const Body* part : {&a, &b}) {
    const double x = part->c[0] - both.c[0], y = part->c[1] - both.c[1], z = part->c[2] - both.c[2];
    const std::array<double, 6> moved{y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
    for (std::size_t k = 0; k < 6; ++k) both.inertia[k] += part->inertia[k] + part->m * moved[k];
  }
  return both;
}

/// Of the ModelicaAdditions library 1.5, with a steel box of 50 × 125 × 50 mm as the load.
struct Arm78 {
  static constexpr std::array<Body, n_axes> bodies{
      {{.m = 0, .r = {}, .c = {}, .inertia = {0, 1.16, 0}},  // only turns about y
       {.m = 56.5, .r = {}, .c = {0.172, 0.205, 0}, .inertia = {2.58, 0.64, 2.73, -0.46}},
       {.m = 26.4, .r = {0, 0.5, 0}, .c = {0.064, -0.034, 0}, .inertia = {0.279, 0.245, 0.413, -0.070}},
       {.m = 28.7, .r = {}, .c = {0, 0.32, 0}, .inertia = {1.67, 0.081, 1.67}},
       {.m = 5.2, .r = {0, 0.73, 0}, .c = {0, 0.023, 0}, .inertia = {1.25, 0.81, 1.53}},
       {.m = 7700 * 0.125 * 0.05 * 0.05,
        .r = {},
        .c = {0, 0.2125, 0},
        .inertia = {2.40625 * (0.125 * 0.125 + 0.05 * 0.05) / 12, 2.40625 * (0.05 * 0.05 + 0.05 * 0.05) / 12,
                    2.40625 * (0.125 * 0.125 + 0.05 * 0.05) / 12}}}};
};

/// Of RobotR3.FullRobot in the Modelica Standard Library 4: a flange and a load of 15 kg.
struct Arm36 {
  static constexpr std::array<Body, n_axes> bodies{
      {{.m = 1, .r = {0, 0.351, 0}, .c = {}, .inertia = {0.001, 1.16, 0.001}},
       {.m = 56.5, .r = {0, 0.324, 0.3}, .c = {0.172, 0.205, 0}, .inertia = {2.58, 0.64, 2.73, -0.46}},
       {.m = 26.4, .r = {0, 0.65, 0}, .c = {0.064, -0.034, 0}, .inertia = {0.279, 0.245, 0.413, -0.070}},
       {.m = 28.7, .r = {0, 0.414, -0.155}, .c = {}, .inertia = {1.67, 0.081, 1.67}},
       {.m = 5.2, .r = {0, 0.186, 0}, .c = {}, .inertia = {1.25, 0.81, 1.53}},
       joined({.m = 0.5, .r = {0, 0.125, 0}, .c = {0.05, 0.05, 0.05}, .inertia = {0.001, 0.001, 0.001}},
              {.m = 15, .r = {}, .c = {0.1, 0.25, 0.1}, .inertia = {0.001, 0.001, 0.001}})}};
};

// The data of body i with their zeros known.
template <class Arm, int i>
constexpr auto mass() {
  return folded([] { return Arm::bodies[i].m; });
}
template <class Arm, int i>
constexpr auto offset() {
  return Vec{folded([] { return Arm::bodies[i].r[0]; }), folded([] { return Arm::bodies[i].r[1]; }),
             folded([] { return Arm::bodies[i].r[2]; })};
}
template <class Arm, int i>
constexpr auto centre() {
  return Vec{folded([] { return Arm::bodies[i].c[0]; }), folded([] { return Arm::bodies[i].c[1]; }),
             folded([] { return Arm::bodies[i].c[2]; })};
}
template <class Arm, int i>
constexpr auto inertia() {
  return Tensor{folded([] { return Arm::bodies[i].inertia[0]; }), folded([] { return Arm::bodies[i].inertia[1]; }),
                folded([] { return Arm::bodies[i].inertia[2]; }), folded([] { return Arm::bodies[i].inertia[3]; }),
                folded([] { return Arm::bodies[i].inertia[4]; }), folded([] { return Arm::bodies[i].inertia[5]; })};
}

/// n_i x.
template <int i, class S>
constexpr auto along_axis(const S& x) {
  if constexpr (axes[i] == Axis::x)
    return Vec{x, Zero{}, Zero{}};
  else
    return Vec{Zero{}, x, Zero{}};
}
/// n_i · v.
template <int i, class X, class Y, class Z>
constexpr auto about_axis(const Vec<X, Y, Z>& v) {
  if constexpr (axes[i] == Axis::x)
    return v.x;
  else
    return v.y;
}

/// The last body looks the same whatever its angle: torques and mass matrix do not depend on q_6, and no R_6 is needed to find them.
template <class Arm>
constexpr bool last_is_round() {
  const Body& last = Arm::bodies[n_axes - 1];
  return last.c[0] == 0 && last.c[2] == 0 && last.inertia[0] == last.inertia[2] && last.inertia[3] == 0 &&
         last.inertia[4] == 0 && last.inertia[5] == 0;
}

/// R_i.
template <int i, class S>
auto turn(const S& q) {
  const auto [s, c] = sin_cos(q);
  return Turn<axes[i], S, S>{s, c};
}
/// R_i as forces and inertias in frames that may stay behind a round last body see it.
template <class Arm, int i, class S>
auto dynamic_turn(const S& q) {
  if constexpr (i + 1 == n_axes && last_is_round<Arm>())
    return Turn<axes[i], Zero, One>{};
  else
    return turn<i>(q);
}

template <class W, class A, class B>
struct Motion {
  W omega;
  A alpha;
  B a;
};
template <class W, class A, class B>
Motion(W, A, B) -> Motion<W, A, B>;

/// Frame 0: at rest, gravity as an acceleration upwards.
inline constexpr Motion ground{Vec{Zero{}, Zero{}, Zero{}}, Vec{Zero{}, Zero{}, Zero{}}, Vec{Zero{}, gravity, Zero{}}};

template <int i, class R, class W, class S>
auto angular_velocity(const R& r, const W& omega_before, const S& speed) {
  return turned_back(r, omega_before) + along_axis<i>(speed);  // (1)
}
template <int i, class R, class A, class W, class S, class T>
auto angular_acceleration(const R& r, const A& alpha_before, const W& omega, const S& speed, const T& acceleration) {
  return turned_back(r, alpha_before) + along_axis<i>(acceleration) + cross(omega, along_axis<i>(speed));  // (2)
}
template <class Arm, int i, class R, class W, class A, class B>
auto origin_acceleration(const R& r, const Motion<W, A, B>& before) {
  constexpr auto arm = offset<Arm, i>();
  return turned_back(r, before.a + cross(before.alpha, arm) + cross(before.omega, cross(before.omega, arm)));  // (3)
}
template <class Arm, int i, class W, class A, class B>
auto centre_acceleration(const Motion<W, A, B>& at) {
  constexpr auto c = centre<Arm, i>();
  return at.a + cross(at.alpha, c) + cross(at.omega, cross(at.omega, c));  // (4)
}
/// (5), with ω × (I ω) sorted by entries of I: what cancels for round bodies is not there.
template <class Arm, int i, class W, class A>
auto inertia_moment(const W& w, const A& alpha) {
  constexpr auto t = inertia<Arm, i>();
  constexpr auto zz_yy = folded([] { return Arm::bodies[i].inertia[2] - Arm::bodies[i].inertia[1]; });
  constexpr auto xx_zz = folded([] { return Arm::bodies[i].inertia[0] - Arm::bodies[i].inertia[2]; });
  constexpr auto yy_xx = folded([] { return Arm::bodies[i].inertia[1] - Arm::bodies[i].inertia[0]; });
  const auto xy = w.x * w.y;
  const auto xz = w.x * w.z;
  const auto yz = w.y * w.z;
  return t * alpha + Vec{zz_yy * yz + t.yz * (w.y * w.y - w.z * w.z) + t.xz * xy - t.xy * xz,
                         xx_zz * xz + t.xz * (w.z * w.z - w.x * w.x) + t.xy * yz - t.yz * xy,
                         yy_xx * xy + t.xy * (w.x * w.x - w.y * w.y) + t.yz * xz - t.xz * yz};
}

template <class F, class T>
struct Wrench {
  F force;
  T torque;
};
template <class F, class T>
Wrench(F, T) -> Wrench<F, T>;

/// R f and R t + r × (R f): a wrench at O_i as frame i − 1 sees it at O_{i−1}.
template <class Arm, int i, class R, class F, class T>
auto carried_down(const R& r, const Wrench<F, T>& at) {
  const auto force = turned(r, at.force);
  return Wrench{force, turned(r, at.torque) + cross(offset<Arm, i>(), force)};
}
/// (6), (7) without τ: the joint carries the body and, from `next`, all that follow; the last has none.
template <class Arm, int i, class F, class N, class Next>
auto cut_loads(const F& force, const N& moment, const Next& next) {
  const auto own = moment + cross(centre<Arm, i>(), force);
  return Wrench{force + next.force, own + next.torque};
}
inline constexpr Wrench no_load{Vec{Zero{}, Zero{}, Zero{}}, Vec{Zero{}, Zero{}, Zero{}}};

/// R_1 … R_6 for torques and masses.
template <class Arm, class Angles>
auto turns(const Angles& q) {
  return [&]<int... i>(std::integer_sequence<int, i...>) { return std::tuple{dynamic_turn<Arm, i>(q[i])...}; }
  (std::make_integer_sequence<int, n_axes>{});
}

/// Out along the chain with the motion, back with the loads; writes τ_i … τ_6.
template <class Arm, int i, class Turns, class Speeds, class Accelerations, class Before, class Torques>
auto loads_from(const Turns& r, const Speeds& speed, const Accelerations& acceleration, const Before& before,
                Torques& torque) {
  const auto omega = angular_velocity<i>(std::get<i>(r), before.omega, speed[i]);
  const auto alpha = angular_acceleration<i>(std::get<i>(r), before.alpha, omega, speed[i], acceleration[i]);
  const Motion at{omega, alpha, origin_acceleration<Arm, i>(std::get<i>(r), before)};
  const auto force = scaled(mass<Arm, i>(), centre_acceleration<Arm, i>(at));
  const auto moment = inertia_moment<Arm, i>(omega, alpha);
  const auto finish = [&](const auto& loads) {
    torque[i] = number<std::decay_t<decltype(torque[i])>>(about_axis<i>(loads.torque));
    return loads;
  };
  if constexpr (i + 1 < n_axes)
    return finish(cut_loads<Arm, i>(
        force, moment,
        carried_down<Arm, i + 1>(std::get<i + 1>(r), loads_from<Arm, i + 1>(r, speed, acceleration, at, torque))));
  else
    return finish(cut_loads<Arm, i>(force, moment, no_load));
}

/// τ = RNE(q, q̇, q̈); the wrench at the foot of the robot is returned.
template <class Arm, class Turns, class Speeds, class Accelerations, class Torques>
auto inverse_dynamics(const Turns& r, const Speeds& speed, const Accelerations& acceleration, Torques& torque) {
  return loads_from<Arm, 0>(r, speed, acceleration, ground, torque);
}

/// Body i and all behind it, frozen in their joints: first moment Σ m c and inertia about O_i.
template <class H, class J>
struct Composite {
  H moment;
  J inertia;
};
template <class H, class J>
Composite(H, J) -> Composite<H, J>;

/// I of a point mass m at distance r, m (|r|² E − r rᵀ); with 2 h for m r also the part of a body whose first moment is h, r away.
template <class U, class V, class W, class X, class Y, class Z>
constexpr auto shifted(const Vec<U, V, W>& r, const Vec<X, Y, Z>& h) {
  const auto half = [](const auto& x) { return 0.5 * x; };
  const auto xy = r.x * h.y + r.y * h.x;
  const auto xz = r.x * h.z + r.z * h.x;
  const auto yz = r.y * h.z + r.z * h.y;
  return Tensor{r.y * h.y + r.z * h.z, r.x * h.x + r.z * h.z, r.x * h.x + r.y * h.y, -half(xy), -half(xz), -half(yz)};
}

template <class Arm>
constexpr double mass_behind(int i) {
  double sum = 0;
  for (int k = i; k < n_axes; ++k) sum += Arm::bodies[static_cast<std::size_t>(k)].m;
  return sum;
}

template <class Arm, int i, class R, class Entries>
void fill_column(const R& r, const auto& wrench, int column, Entries& m) {
  using S = std::decay_t<decltype(m[0][0])>;
  m[i][static_cast<std::size_t>(column)] = m[static_cast<std::size_t>(column)][i] =
      number<S>(about_axis<i>(wrench.torque));
  if constexpr (i > 0) fill_column<Arm, i - 1>(r, carried_down<Arm, i>(std::get<i>(r), wrench), column, m);
}

/// The composite i; fills the columns i … 6 of the mass matrix: q̈_i = 1 alone asks for f = n_i × h_i and t = J_i n_i at O_i.
template <class Arm, int i, class Turns, class Entries>
auto composite_from(const Turns& r, Entries& m) {
  constexpr auto moment = scaled(mass<Arm, i>(), centre<Arm, i>());
  constexpr auto own = inertia<Arm, i>() + shifted(centre<Arm, i>(), moment);
  const auto finish = [&](const auto& whole) {
    const Wrench asked{cross(along_axis<i>(One{}), whole.moment), whole.inertia * along_axis<i>(One{})};
    fill_column<Arm, i>(r, asked, i, m);
    return whole;
  };
  if constexpr (i + 1 < n_axes) {
    const auto rest = composite_from<Arm, i + 1>(r, m);
    constexpr auto arm = offset<Arm, i + 1>();
    constexpr auto arm_moment = scaled(mass_behind<Arm>(i + 1), arm);
    const auto h = turned(std::get<i + 1>(r), rest.moment);
    return finish(Composite{moment + h + arm_moment,
                            own + turned(std::get<i + 1>(r), rest.inertia) + shifted(arm, h + h + arm_moment)});
  } else {
    return finish(Composite{moment, own});
  }
}

template <class S>
using Square = std::array<std::array<S, n_axes>, n_axes>;

/// M(q), all entries.
template <class Arm, class Turns, class S>
void mass_matrix(const Turns& r, Square<S>& m) {
  composite_from<Arm, 0>(r, m);
}

/// M = L D Lᵀ in place: L below the diagonal, D⁻¹ on it. M is positive definite: no pivots, no branches.
template <class S>
void factorise(Square<S>& m) {
  std::array<S, n_axes> d{}, row{};
  for (std::size_t j = 0; j < n_axes; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      row[k] = m[j][k] * d[k];
      m[j][j] -= m[j][k] * row[k];
    }
    d[j] = m[j][j];
    m[j][j] = 1.0 / d[j];
    for (std::size_t i = j + 1; i < n_axes; ++i) {
      for (std::size_t k = 0; k < j; ++k) m[i][j] -= m[i][k] * row[k];
      m[i][j] *= m[j][j];
    }
  }
}
/// b becomes M⁻¹ b.
template <class S, class T>
void solve(const Square<S>& m, std::array<T, n_axes>& b) {
  for (std::size_t i = 1; i < n_axes; ++i)
    for (std::size_t k = 0; k < i; ++k) b[i] -= m[i][k] * b[k];
  for (std::size_t i = 0; i < n_axes; ++i) b[i] *= m[i][i];
  for (std::size_t i = n_axes - 1; i-- > 0;)
    for (std::size_t k = i + 1; k < n_axes; ++k) b[i] -= m[k][i] * b[k];
}

}  // namespace rubato::catalogue::r3
