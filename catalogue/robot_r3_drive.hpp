#pragma once
/// Motors, gears and friction of the Manutec r3, one drive per axis; ρ gear ratio, φ_m, ω_m, a_m angle, speed and acceleration of the motor.
/// Axes 1-3 have elastic gears, s = ρ q − φ_m, w = ρ q̇ − ω_m, axes 4-6 rigid ones (s = w = 0):
///   J a_m = k i + T_s − T_f(ω_m),   T_s = c s + d w,   τ = −ρ T_s,   s' = w,   w' = ρ q̈ − a_m                 (1)
///   a_m = ρ q̈,   J a_m = k i − T_g,   τ = ρ T_g − T_f(q̇)                                                     (2)
/// Current loop with ideal operational amplifiers: difference v_d = i − i_ref, integrator, power stage of gain 5, armature:
///   C v_C' = v_d/R_i,   L i' = v_L,   v_L = −5 v_C − R_a i − k ω_m                                            (3)
/// Friction, smooth: T_f(w) = R_0 tanh(w/ε) + R_1 w, with stiction R_0 (1 + (peak − 1) exp(−(w/3ε)²)) for R_0    (4)
#include <array>
#include <cmath>
#include <span>

#include "catalogue/robot_r3_arm.hpp"

namespace rubato::catalogue::r3 {

struct Drive {
  double k, omega_c, damping, inertia, ratio, stiffness, gear_damping, dry, viscous, peak;
  [[nodiscard]] constexpr double inductance() const { return 250 / (2 * damping * omega_c); }
  [[nodiscard]] constexpr double capacity() const { return 0.004 * damping / omega_c; }
};
inline constexpr std::array<Drive, n_axes> drives{{{1.1616, 4590, 0.6, 0.0013, -105, 43, 0.005, 0.4, 0.13 / 160, 1},
                                                   {1.1616, 5500, 0.6, 0.0013, 210, 8, 0.01, 0.5, 0.1 / 130, 1},
                                                   {1.1616, 5500, 0.6, 0.0013, 60, 58, 0.04, 0.7, 0.2 / 130, 1},
                                                   {0.2365, 6250, 0.55, 1.6e-4, -99, 0, 0, 21.8, 9.8, 26.7 / 21.8},
                                                   {0.2608, 6250, 0.55, 1.8e-4, 79.2, 0, 0, 30.1, 0.03, 39.6 / 30.1},
                                                   {0.0842, 7400, 0.27, 4.3e-5, -99, 0, 0, 10.9, 3.92, 16.8 / 10.9}}};
inline constexpr double armature = 250, integrator = 10, power_gain = 5;  // R_a, R_i, 1 + R_p1/R_p2

constexpr bool elastic(int i) { return i < 3; }
/// States that do not belong to the controller.
constexpr int drive_states(int i) { return elastic(i) ? 6 : 4; }

struct Friction {
  double motor_width = 1;     ///< ε of axes 1-3, rad/s at the motor
  double joint_width = 0.01;  ///< ε of axes 4-6, rad/s at the joint
  bool stiction = false;
  /// The law the reference values belong to.
  [[nodiscard]] constexpr bool usual() const {
    return motor_width == Friction{}.motor_width && joint_width == Friction{}.joint_width && !stiction;
  }
};

template <int i, class S>
S friction_torque(const Friction& law, const S& w) {
  using std::exp, std::tanh;
  constexpr Drive drive = drives[i];
  const double width = elastic(i) ? law.motor_width : law.joint_width;
  S dry = drive.dry * tanh(w / width);  // (4)
  if constexpr (drive.peak > 1)
    if (law.stiction) dry *= 1.0 + (drive.peak - 1) * exp(-(w * w) / (9 * width * width));
  return dry + drive.viscous * w;
}

/// The states of one axis: (q, q̇, s, w, i, v_C) or (q, q̇, i, v_C), then those of the controller.
template <int i, class S>
class AxisState {
 public:
  explicit AxisState(const S* x) : x_(x) {}
  const S& q() const { return x_[0]; }
  const S& speed() const { return x_[1]; }
  auto s() const { return gear(2); }
  auto w() const { return gear(3); }
  const S& current() const { return x_[drive_states(i) - 2]; }
  const S& capacitor() const { return x_[drive_states(i) - 1]; }
  const S& control(int k) const { return x_[drive_states(i) + k]; }

  S motor_angle() const { return drives[i].ratio * q() - s(); }
  S motor_speed() const { return drives[i].ratio * speed() - w(); }
  /// T_s; Zero where the gear is rigid.
  auto gear_torque() const { return drives[i].stiffness * s() + drives[i].gear_damping * w(); }
  S friction(const Friction& law) const {
    if constexpr (elastic(i))
      return friction_torque<i>(law, motor_speed());
    else
      return friction_torque<i>(law, speed());
  }
  /// v_L of (3).
  S coil_voltage() const { return -power_gain * capacitor() - armature * current() - drives[i].k * motor_speed(); }
  /// a_m of (1).
  S motor_acceleration(const Friction& law) const requires(elastic(i)) {
    return (drives[i].k * current() + gear_torque() - friction(law)) * (1 / drives[i].inertia);
  }
  /// τ without what (2) has of q̈.
  S joint_torque(const Friction& law) const {
    if constexpr (elastic(i))
      return -drives[i].ratio * gear_torque();
    else
      return drives[i].ratio * drives[i].k * current() - friction(law);
  }

  /// Derivatives of the drive's states; a_m counts for elastic gears only, i_R = v_d/R_i.
  template <class A>
  void rates(const S& acceleration, const A& motor_acceleration, const S& v_l, const S& i_r, S* out) const {
    out[0] = speed();
    out[1] = acceleration;
    if constexpr (elastic(i)) {
      out[2] = w();
      out[3] = drives[i].ratio * acceleration - motor_acceleration;
    }
    out[drive_states(i) - 2] = v_l * (1 / drives[i].inductance());
    out[drive_states(i) - 1] = i_r * (1 / drives[i].capacity());
  }

 private:
  auto gear(int k) const {
    if constexpr (elastic(i))
      return S(x_[k]);
    else
      return Zero{};
  }
  const S* x_;
};

/// f.template operator()<i>() for every axis.
template <class F>
void for_each_axis(F&& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (f.template operator()<i>(), ...); }
  (std::make_integer_sequence<int, n_axes>{});
}

}  // namespace rubato::catalogue::r3
