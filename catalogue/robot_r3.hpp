#pragma once
/// The Manutec r3 as an ODE and as index-1 Daes with few or with many algebraic unknowns. All three have the same states, axis after axis:
/// those of the drive (AxisState), then those of the controller.
///   ode    [M(q) + diag(0, 0, 0, J ρ²)] q̈ = b − h(q, q̇): solved inside, all else explicit
///   torn   z = (q̈, τ, v_d, v_L, controller, and a_m where the gear is elastic) per axis
///   full   z = (α, a, ac, F, N, f, t; q̈, τ; 16 of the circuit; T, T_f, a_m; controller) per axis
#include <string>
#include <vector>

#include "catalogue/robot_r3_control.hpp"
#include "rubato/base/frozen.hpp"
#include "rubato/problem/layout.hpp"
#include "rubato/problem/point.hpp"

namespace rubato::catalogue::r3 {

/// What the forms share: a variant has an arm and a controller.
template <class Arm, class Control>
struct Robot {
  static constexpr bool recordable = true;  ///< no branches on values: may be run over a recording scalar
  static constexpr bool autonomous = Control::autonomous;
  using Controller = Control;
  Friction friction;

  /// Where the reference motion has a kink in its speed.
  [[nodiscard]] double next_time_event(double t, int /*mode*/) const requires requires { Control::next_break(t); }
  { return Control::next_break(t); }
  [[nodiscard]] static constexpr int n_inputs() { return Control::n_inputs; }
  [[nodiscard]] static constexpr int axis_states(int i) { return drive_states(i) + Control::n_states; }
  /// Where the states of axis i begin; of axis 6 + 1: how many states there are.
  [[nodiscard]] static constexpr int first_state(int i) {
    int first = 0;
    for (int k = 0; k < i; ++k) first += axis_states(k);
    return first;
  }
  static constexpr int n_states = first_state(n_axes);

  template <int i, class S>
  static AxisState<i, S> axis(const Point<S>& at) {
    return AxisState<i, S>(at.x.data() + first_state(i));
  }
  template <class S>
  static std::array<S, n_axes> angles(const Point<S>& at) {
    std::array<S, n_axes> q;
    for_each_axis([&]<int i>() { q[i] = axis<i>(at).q(); });
    return q;
  }
  template <class S>
  static std::array<S, n_axes> speeds(const Point<S>& at) {
    std::array<S, n_axes> speed;
    for_each_axis([&]<int i>() { speed[i] = axis<i>(at).speed(); });
    return speed;
  }

  /// Torques of the joints, and how far these are behind their references.
  [[nodiscard]] static std::vector<std::string> output_names() {
    std::vector<std::string> names;
    for (const char* what : {"torque", "error"})
      for (int i = 1; i <= n_axes; ++i) names.push_back("axis" + std::to_string(i) + "." + what);
    return names;
  }
  template <class S>
  static void write_outputs(const Point<S>& at, const std::array<S, n_axes>& torques, std::span<S> y) {
    const auto command = Control::command(at);
    for_each_axis([&]<int i>() {
      y[i] = torques[i];
      y[n_axes + i] = Control::error(axis<i>(at), command) * (1 / drives[i].ratio);
    });
  }
};
/// J ρ² of rigid gears, to be added to the mass matrix.
constexpr double reflected_inertia(int i) {
  const Drive& drive = drives[static_cast<std::size_t>(i)];
  return elastic(i) ? 0 : drive.inertia * drive.ratio * drive.ratio;
}

/// Unknown number k of every axis.
template <class S>
std::array<S, n_axes> from_each(const Point<S>& at, int (*first)(int), int k) {
  std::array<S, n_axes> values;
  for (int i = 0; i < n_axes; ++i) values[i] = at.x[first(i) + k];
  return values;
}

template <Axis axis>
auto frozen_turn(const Turn<axis, Zero, One>& r) {
  return r;
}
template <Axis axis, class S>
auto frozen_turn(const Turn<axis, S, S>& r) {
  return Turn<axis, Frozen<S>, Frozen<S>>{frozen(r.sin), frozen(r.cos)};
}
/// The same turns without derivatives.
template <class... R>
auto frozen_turns(const std::tuple<R...>& turns) {
  return std::apply([](const auto&... r) { return std::tuple{frozen_turn(r)...}; }, turns);
}

template <class Arm, class Control>
struct RobotOde : Robot<Arm, Control> {
  using Base = Robot<Arm, Control>;

  /// q̈ by one solution over frozen numbers: q̈ = q̈₀ − M₀⁻¹ (RNE(q, q̇, q̈₀) + J ρ² q̈₀ − b), see frozen.hpp (1).
  template <class S>
  std::array<S, n_axes> accelerations(const Point<S>& at) const {
    using T = Frozen<S>;
    const auto q = Base::angles(at);
    const auto speed = Base::speeds(at);
    const auto r = turns<Arm>(q);
    const Friction& law = this->friction;
    std::array<S, n_axes> b;
    for_each_axis([&]<int i>() { b[i] = Base::template axis<i>(at).joint_torque(law); });

    const auto r0 = frozen_turns(r);
    Square<T> m;
    mass_matrix<Arm>(r0, m);
    for (int i = 3; i < n_axes; ++i) m[i][i] += reflected_inertia(i);
    factorise(m);
    std::array<T, n_axes> speed0, h, acceleration;
    for (std::size_t i = 0; i < n_axes; ++i) speed0[i] = frozen(speed[i]);
    inverse_dynamics<Arm>(r0, speed0, std::array<Zero, n_axes>{}, h);
    for (std::size_t i = 0; i < n_axes; ++i) acceleration[i] = frozen(b[i]) - h[i];
    solve(m, acceleration);
    if constexpr (std::is_same_v<S, double>) {
      return acceleration;
    } else {
      std::array<S, n_axes> defect;
      inverse_dynamics<Arm>(r, speed, acceleration, defect);
      for (int i = 0; i < n_axes; ++i) {
        defect[i] -= b[i];
        if (!elastic(i)) defect[i] += reflected_inertia(i) * acceleration[i];
      }
      solve(m, defect);
      std::array<S, n_axes> result;
      for (std::size_t i = 0; i < n_axes; ++i) result[i] = acceleration[i] - defect[i];
      return result;
    }
  }

  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const auto acceleration = accelerations(at);
    const auto command = Control::command(at);
    const Friction& law = this->friction;
    for_each_axis([&]<int i>() {
      const auto x = Base::template axis<i>(at);
      const auto signals = Control::signals(x, command);
      const S v_d = x.current() - Control::current_reference(x, signals);
      S* const rates = out.data() + Base::first_state(i);
      if constexpr (elastic(i))
        x.rates(acceleration[i], x.motor_acceleration(law), x.coil_voltage(), S(v_d * (1 / integrator)), rates);
      else
        x.rates(acceleration[i], Zero{}, x.coil_voltage(), S(v_d * (1 / integrator)), rates);
      Control::rates(x, signals, command, rates + drive_states(i));
    });
  }
  template <class S>
  void outputs(const Point<S>& at, std::span<S> y) const {
    const auto acceleration = accelerations(at);
    const Friction& law = this->friction;
    std::array<S, n_axes> torques;
    for_each_axis([&]<int i>() {
      torques[i] = Base::template axis<i>(at).joint_torque(law) - reflected_inertia(i) * acceleration[i];
    });
    Base::write_outputs(at, torques, y);
  }
};

template <class Arm, class Control>
struct RobotTorn : Robot<Arm, Control> {
  using Base = Robot<Arm, Control>;
  enum : int { acceleration, torque, v_d, v_l, control, motor_acceleration = control + Control::n_torn };

  [[nodiscard]] static constexpr int axis_unknowns(int i) { return motor_acceleration + (elastic(i) ? 1 : 0); }
  [[nodiscard]] static constexpr int first_unknown(int i) {
    int first = Base::n_states;
    for (int k = 0; k < i; ++k) first += axis_unknowns(k);
    return first;
  }
  static constexpr int size = first_unknown(n_axes);

  template <class S>
  void outputs(const Point<S>& at, std::span<S> y) const {
    Base::write_outputs(at, from_each(at, first_unknown, torque), y);
  }

  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    std::array<S, n_axes> needed;
    inverse_dynamics<Arm>(turns<Arm>(Base::angles(at)), Base::speeds(at), from_each(at, first_unknown, acceleration),
                          needed);
    const auto command = Control::command(at);
    const Friction& law = this->friction;
    for_each_axis([&]<int i>() {
      constexpr Drive drive = drives[i];
      const auto x = Base::template axis<i>(at);
      const S* const z = at.x.data() + first_unknown(i);
      S* const g = out.data() + first_unknown(i);
      S* const rates = out.data() + Base::first_state(i);
      const auto signals = Control::torn(x, command, z + control, g + control);
      g[acceleration] = z[torque] - needed[i];
      g[torque] = z[torque] - x.joint_torque(law);
      g[v_d] = z[v_d] - (x.current() - Control::current_reference(x, signals));
      g[v_l] = z[v_l] - x.coil_voltage();
      if constexpr (elastic(i)) {
        g[motor_acceleration] =
            drive.inertia * z[motor_acceleration] - drive.k * x.current() - x.gear_torque() + x.friction(law);
        x.rates(z[acceleration], z[motor_acceleration], z[v_l], S(z[v_d] * (1 / integrator)), rates);
      } else {
        g[torque] += reflected_inertia(i) * z[acceleration];
        x.rates(z[acceleration], Zero{}, z[v_l], S(z[v_d] * (1 / integrator)), rates);
      }
      Control::rates(x, signals, command, rates + drive_states(i));
    });
  }
};

/// Every vector of the recursion and every quantity of circuit and controller is an unknown; ω follows from (q, q̇).
template <class Arm, class Control>
struct RobotFull : Robot<Arm, Control> {
  using Base = Robot<Arm, Control>;
  // Places of unknowns; residuals stand in the order of the equations below.
  enum : int { alpha = 0, a = 3, ac = 6, force = 9, moment = 12, cut_force = 15, cut_torque = 18, acceleration = 21 };
  enum : int { torque = 22, v_n, v_p, v_d, i_1, i_2, i_3, i_4, i_r, v_i, v_g, i_p1, i_p2, v_pow, v_r, v_l, v_e };
  enum : int { gear = 39, dry, motor_acceleration, control };

  static constexpr int axis_unknowns = control + Control::n_full;
  [[nodiscard]] static constexpr int first_unknown(int i) { return Base::n_states + i * axis_unknowns; }
  static constexpr int size = first_unknown(n_axes);

  template <class S>
  void outputs(const Point<S>& at, std::span<S> y) const {
    Base::write_outputs(at, from_each(at, first_unknown, torque), y);
  }

  template <class S>
  static Vec<S, S, S> vec(const S* z) {
    return {z[0], z[1], z[2]};
  }
  /// g = z − v.
  template <class S, class X, class Y, class Z>
  static void equal(const S* z, const Vec<X, Y, Z>& v, S* g) {
    g[0] = z[0] - v.x;
    g[1] = z[1] - v.y;
    g[2] = z[2] - v.z;
  }

  /// Equations of body i and of all behind it. `before` is the motion of the frame before: ω computed, α and a unknowns.
  template <int i, class S, class Before>
  static void arm_equations(const Point<S>& at, const std::array<S, n_axes>& speed, const auto& r, const Before& before,
                            S* out) {
    const S* const z = at.x.data() + first_unknown(i);
    S* const g = out + first_unknown(i);
    const auto& turn_i = std::get<i>(r);
    const auto omega = angular_velocity<i>(turn_i, before.omega, speed[i]);
    const Motion now{omega, vec(z + alpha), vec(z + a)};
    equal(z + alpha, angular_acceleration<i>(turn_i, before.alpha, omega, speed[i], z[acceleration]), g);
    equal(z + a, origin_acceleration<Arm, i>(turn_i, before), g + 3);
    equal(z + ac, centre_acceleration<Arm, i>(now), g + 6);
    equal(z + force, scaled(mass<Arm, i>(), vec(z + ac)), g + 9);
    equal(z + moment, inertia_moment<Arm, i>(omega, now.alpha), g + 12);
    const auto carry = [&](const auto& next) {
      const auto loads = cut_loads<Arm, i>(vec(z + force), vec(z + moment), next);
      equal(z + cut_force, loads.force, g + 15);
      equal(z + cut_torque, loads.torque, g + 18);
    };
    if constexpr (i + 1 < n_axes) {
      const S* const next = z + axis_unknowns;
      carry(carried_down<Arm, i + 1>(std::get<i + 1>(r), Wrench{vec(next + cut_force), vec(next + cut_torque)}));
      arm_equations<i + 1>(at, speed, r, now, out);
    } else {
      carry(no_load);
    }
    g[21] = z[torque] - about_axis<i>(vec(z + cut_torque));
  }

  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const auto q = Base::angles(at);
    const auto r = [&]<int... i>(std::integer_sequence<int, i...>) { return std::tuple{turn<i>(q[i])...}; }
    (std::make_integer_sequence<int, n_axes>{});
    arm_equations<0>(at, Base::speeds(at), r, ground, out.data());
    const auto command = Control::command(at);
    const Friction& law = this->friction;
    for_each_axis([&]<int i>() {
      constexpr Drive drive = drives[i];
      const auto x = Base::template axis<i>(at);
      const S* const z = at.x.data() + first_unknown(i);
      S* const g = out.data() + first_unknown(i);
      S* const rates = out.data() + Base::first_state(i);
      const auto signals = Control::full(x, command, z + control, g + 42);
      // Ideal amplifier with four resistors of 100: equal potentials, no currents into it.
      g[22] = z[v_n] - z[v_p];
      g[23] = z[i_2] - z[i_1];
      g[24] = z[i_3] - z[i_4];
      g[25] = 100.0 * z[i_2] - (Control::current_reference(x, signals) - z[v_n]);
      g[26] = 100.0 * z[i_1] - (z[v_n] - z[v_d]);
      g[27] = 100.0 * z[i_3] - (x.current() - z[v_p]);
      g[28] = 100.0 * z[i_4] - z[v_p];
      // Integrator, power stage, armature.
      g[29] = integrator * z[i_r] - z[v_d];
      g[30] = z[v_i] + x.capacitor();
      g[31] = z[v_g] - z[v_i];
      g[32] = 50.0 * z[i_p2] - z[v_g];
      g[33] = 200.0 * z[i_p1] - (z[v_pow] - z[v_g]);
      g[34] = z[i_p1] - z[i_p2];
      g[35] = z[v_r] - armature * x.current();
      g[36] = z[v_e] - drive.k * x.motor_speed();
      g[37] = z[v_l] - (z[v_pow] - z[v_r] - z[v_e]);
      // Gear, friction, motor.
      g[39] = z[dry] - x.friction(law);
      if constexpr (elastic(i)) {
        g[38] = z[gear] - x.gear_torque();
        g[40] = drive.inertia * z[motor_acceleration] - (drive.k * x.current() + z[gear] - z[dry]);
        g[41] = z[torque] + drive.ratio * z[gear];
      } else {
        g[38] = z[motor_acceleration] - drive.ratio * z[acceleration];
        g[40] = drive.inertia * z[motor_acceleration] - (drive.k * x.current() - z[gear]);
        g[41] = z[torque] - (drive.ratio * z[gear] - z[dry]);
      }
      x.rates(z[acceleration], z[motor_acceleration], z[v_l], z[i_r], rates);
      Control::rates(x, signals, command, rates + drive_states(i));
    });
  }
};

}  // namespace rubato::catalogue::r3
