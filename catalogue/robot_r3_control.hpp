#pragma once
/// The two controllers of the Manutec r3. Each gives the current i_ref that the current loop is to follow, and offers its equations
/// explicitly, with few algebraic unknowns (torn) or with one per quantity (full).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>

#include "catalogue/robot_r3_drive.hpp"
#include "rubato/problem/point.hpp"

namespace rubato::catalogue::r3 {

/// Analogue controller with tachometers and two lead-lag filters, alike for all axes; states (x1, x2, i_ref, t1, t2, t2', q_ref, q_ref'):
///   8.475e-4 t1' = 0.03 ω_m − t1,   t2'' = ω² (t1 − t2) − 2 D ω t2',  ω = 2014, D = 0.294                    (1)
///   0.0202 x1' = t2 − x1,   y1 = (40/20.2) t2 + (1 − 40/20.2) x1                                             (2)
///   e = ρ q_ref − φ_m,   u_w = K_d ρ q_ref' + K_v e − y1                                                     (3)
///   0.00056 x2' = u_w − x2,   y2 = (9.95/0.56) u_w + (1 − 9.95/0.56) x2,   i_ref' = 340.8 y2                 (4)
///   q_ref'' = a_ref(t): six inputs                                                                           (5)
struct TachometerControl {
  static constexpr int n_states = 8, n_torn = 2, n_full = 4, n_inputs = n_axes;
  static constexpr bool autonomous = true;
  static constexpr std::array<std::string_view, n_states> state_names{"x1", "x2",  "iref", "t1",
                                                                      "t2", "t2d", "qref", "qdref"};
  static constexpr std::array<std::string_view, n_torn> torn_names{"u_w", "y2"};
  static constexpr std::array<std::string_view, n_full> full_names{"e", "y1", "u_w", "y2"};
  enum : int { x1, x2, iref, t1, t2, t2d, qref, qdref };
  static constexpr double k_d = 0.03, k_v = 0.3, k_3 = 340.8, lead1 = 40 / 20.2, lead2 = 9.95 / 0.56;
  static constexpr double tacho = 2014, tacho_damping = 0.294;

  template <class S>
  struct Signals {
    S u_w, y2;
  };
  template <class S>
  using Command = std::span<const S>;  ///< a_ref
  template <class S>
  static Command<S> command(const Point<S>& at) {
    return at.u;
  }

  template <int i, class S>
  static S error(const AxisState<i, S>& x, const Command<S>&) {
    return drives[i].ratio * x.control(qref) - x.motor_angle();
  }
  template <int i, class S>
  static S first_filter(const AxisState<i, S>& x) {
    return lead1 * x.control(t2) + (1 - lead1) * x.control(x1);  // (2)
  }
  template <int i, class S>
  static S drive_error(const AxisState<i, S>& x, const S& e, const S& y1) {
    return k_d * drives[i].ratio * x.control(qdref) + k_v * e - y1;  // (3)
  }
  template <int i, class S>
  static S second_filter(const AxisState<i, S>& x, const S& u_w) {
    return lead2 * u_w + (1 - lead2) * x.control(x2);  // (4)
  }

  template <int i, class S>
  static Signals<S> signals(const AxisState<i, S>& x, const Command<S>& a_ref) {
    const S u_w = drive_error(x, error(x, a_ref), first_filter(x));
    return {u_w, second_filter(x, u_w)};
  }
  /// z = (u_w, y2).
  template <int i, class S>
  static Signals<S> torn(const AxisState<i, S>& x, const Command<S>& a_ref, const S* z, S* residual) {
    residual[0] = z[0] - signals(x, a_ref).u_w;
    residual[1] = z[1] - second_filter(x, z[0]);
    return {z[0], z[1]};
  }
  /// z = (e, y1, u_w, y2).
  template <int i, class S>
  static Signals<S> full(const AxisState<i, S>& x, const Command<S>& a_ref, const S* z, S* residual) {
    residual[0] = z[0] - error(x, a_ref);
    residual[1] = z[1] - first_filter(x);
    residual[2] = z[2] - drive_error(x, z[0], z[1]);
    residual[3] = z[3] - second_filter(x, z[2]);
    return {z[2], z[3]};
  }
  template <int i, class S>
  static const S& current_reference(const AxisState<i, S>& x, const Signals<S>&) {
    return x.control(iref);
  }
  template <int i, class S>
  static void rates(const AxisState<i, S>& x, const Signals<S>& signal, const Command<S>& a_ref, S* out) {
    out[x1] = (x.control(t2) - x.control(x1)) * (1 / 0.0202);             // (2)
    out[x2] = (signal.u_w - x.control(x2)) * (1 / 0.00056);               // (4)
    out[iref] = k_3 * signal.y2;                                          // (4)
    out[t1] = (0.03 * x.motor_speed() - x.control(t1)) * (1 / 8.475e-4);  // (1)
    out[t2] = S(x.control(t2d));
    out[t2d] = tacho * tacho * (x.control(t1) - x.control(t2)) - 2 * tacho_damping * tacho * x.control(t2d);
    out[qref] = S(x.control(qdref));
    out[qdref] = a_ref[i];  // (5)
  }
};

/// A motion from point to point and its limits, of one axis.
struct AxisPath {
  double begin_deg, end_deg, max_speed, max_acceleration;
  [[nodiscard]] constexpr double begin() const { return begin_deg * std::numbers::pi / 180; }
  [[nodiscard]] constexpr double way() const { return (end_deg - begin_deg) * std::numbers::pi / 180; }
};
inline constexpr std::array<AxisPath, n_axes> path{
    {{-60, 60, 3, 15}, {20, -70, 1.5, 15}, {90, -35, 5, 15}, {0, 45, 3.1, 60}, {-110, 110, 3.1, 60}, {0, 45, 4.1, 60}}};
/// 1/max |way/limit|: how fast the part σ of the way may change, or change its rate.
constexpr double fastest(double AxisPath::*limit) {
  double longest = 0;
  for (const auto& axis : path) longest = std::max(longest, (axis.way() < 0 ? -axis.way() : axis.way()) / axis.*limit);
  return 1 / longest;
}

/// Cascade of a position and a speed loop, alike for all axes; state x_PI. The reference is a synchronous motion from q_b to q_e with a
/// trapezoidal speed, q_ref = q_b + (q_e − q_b) σ(t), σ'' = ±σ_a in the first and the last T_a:
///   e = ρ q_ref − φ_m,   u = ρ q_ref' + k_p e − ω_m,   T_s x_PI' = u,   i_ref = k_s (x_PI + u)                  (6)
///   σ = σ_a/2 (t² − (t − T_a)₊² − (t − T_v)₊² + (t − T_e)₊²),   T_e = T_v + T_a                                (7)
struct CascadeControl {
  static constexpr int n_states = 1, n_torn = 1, n_full = 3, n_inputs = 0;
  static constexpr bool autonomous = false;
  static constexpr std::array<std::string_view, n_states> state_names{"xPI"};
  static constexpr std::array<std::string_view, n_torn> torn_names{"iref"};
  static constexpr std::array<std::string_view, n_full> full_names{"e", "u", "iref"};
  static constexpr double k_p = 5, k_s = 0.5, t_s = 0.05;
  static constexpr double begin(int i) { return path[static_cast<std::size_t>(i)].begin(); }
  static constexpr double way(int i) { return path[static_cast<std::size_t>(i)].way(); }
  static constexpr double sigma_v = fastest(&AxisPath::max_speed), sigma_a = fastest(&AxisPath::max_acceleration);
  static constexpr double t_a = sigma_v / sigma_a, t_v = 1 / sigma_v, t_e = t_v + t_a;
  static_assert(t_a < t_v, "the largest speed is reached");
  /// The next time after t at which σ'' jumps.
  static double next_break(double t) {
    for (const double time : {t_a, t_v, t_e})
      if (time > t) return time;
    return std::numeric_limits<double>::infinity();
  }

  template <class S>
  struct Signals {
    S u, iref;
  };
  template <class S>
  struct Command {
    S sigma, rate;
  };
  template <class S>
  static Command<S> command(const Point<S>& at) {
    using std::abs;
    const auto after = [&](double time) { return S(0.5 * (at.t - time + abs(S(at.t - time)))); };
    const S a = after(t_a), v = after(t_v), e = after(t_e);
    return {0.5 * sigma_a * (at.t * at.t - a * a - v * v + e * e), sigma_a * (at.t - a - v + e)};  // (7)
  }

  template <int i, class S>
  static S error(const AxisState<i, S>& x, const Command<S>& motion) {
    return drives[i].ratio * (begin(i) + way(i) * motion.sigma) - x.motor_angle();
  }
  template <int i, class S>
  static S speed_error(const AxisState<i, S>& x, const Command<S>& motion, const S& e) {
    return drives[i].ratio * way(i) * motion.rate + k_p * e - x.motor_speed();
  }
  template <int i, class S>
  static S current(const AxisState<i, S>& x, const S& u) {
    return k_s * (x.control(0) + u);
  }

  template <int i, class S>
  static Signals<S> signals(const AxisState<i, S>& x, const Command<S>& motion) {
    const S u = speed_error(x, motion, error(x, motion));
    return {u, current(x, u)};
  }
  /// z = i_ref.
  template <int i, class S>
  static Signals<S> torn(const AxisState<i, S>& x, const Command<S>& motion, const S* z, S* residual) {
    const auto explicitly = signals(x, motion);
    residual[0] = z[0] - explicitly.iref;
    return {explicitly.u, z[0]};
  }
  /// z = (e, u, i_ref).
  template <int i, class S>
  static Signals<S> full(const AxisState<i, S>& x, const Command<S>& motion, const S* z, S* residual) {
    residual[0] = z[0] - error(x, motion);
    residual[1] = z[1] - speed_error(x, motion, z[0]);
    residual[2] = z[2] - current(x, z[1]);
    return {z[1], z[2]};
  }
  template <int i, class S>
  static S current_reference(const AxisState<i, S>&, const Signals<S>& signal) {
    return signal.iref;
  }
  template <int i, class S>
  static void rates(const AxisState<i, S>&, const Signals<S>& signal, const Command<S>&, S* out) {
    out[0] = signal.u * (1 / t_s);
  }
};

}  // namespace rubato::catalogue::r3
