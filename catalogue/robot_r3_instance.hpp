#pragma once
/// From a variant of the Manutec r3 to an Instance: names of the unknowns, static equilibrium, the three forms.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/problems.hpp"
#include "catalogue/robot_r3.hpp"
#include "rubato/base/text.hpp"

namespace rubato::catalogue::r3 {

/// "axis1." before every name.
[[nodiscard]] std::vector<std::string> of_axis(int i, std::span<const std::string_view> names);

/// Names of the drive's states.
[[nodiscard]] std::vector<std::string_view> drive_names(int i);
/// Names of the unknowns of the full form up to those of the controller.
[[nodiscard]] std::vector<std::string_view> full_names(int i);

/// What a joint at rest needs of its drive.
struct Rest {
  double torque, s, current, capacitor;
};
/// q̇ = 0, no friction: τ = RNE(q, 0, 0), s = −τ/(ρ c), i = τ/(ρ k), v_C = −50 i.
template <class Arm>
std::array<Rest, n_axes> at_rest(const std::array<double, n_axes>& q) {
  std::array<double, n_axes> torque;
  inverse_dynamics<Arm>(turns<Arm>(q), std::array<Zero, n_axes>{}, std::array<Zero, n_axes>{}, torque);
  std::array<Rest, n_axes> rest;
  for (std::size_t i = 0; i < n_axes; ++i) {
    const Drive& drive = drives[i];
    const double current = torque[i] / (drive.ratio * drive.k);
    rest[i] = {.torque = torque[i],
               .s = elastic(static_cast<int>(i)) ? -torque[i] / (drive.ratio * drive.stiffness) : 0,
               .current = current,
               .capacitor = -armature / power_gain * current};
  }
  return rest;
}

inline Parameter friction_width(std::string name, double value, std::string where) {
  return {.name = std::move(name),
          .default_value = value,
          .unit = "rad/s",
          .help = "width of the friction law " + std::move(where),
          .min = 1e-6,
          .max = 1e3};
}
inline std::vector<Parameter> friction_parameters() {
  return {friction_width("eps_m", 1, "at the motors of axes 1-3"), friction_width("eps_j", 0.01, "at the joints 4-6"),
          flag("stiction", 0, "1: friction of axes 4-6 has a peak at small speeds")};
}
inline Friction friction_of(const Parameters& p) {
  return {.motor_width = get(p, "eps_m"), .joint_width = get(p, "eps_j"), .stiction = get(p, "stiction") != 0};
}

template <class Variant>
Layout state_layout() {
  Layout layout;
  for (int i = 0; i < n_axes; ++i) {
    auto names = drive_names(i);
    names.insert(names.end(), Variant::Controller::state_names.begin(), Variant::Controller::state_names.end());
    layout.add({.name = "axis" + std::to_string(i + 1),
                .size = static_cast<int>(names.size()),
                .components = of_axis(i, names)});
  }
  return layout;
}
inline void add_algebraic(Layout& layout, int i, std::span<const std::string_view> names) {
  layout.add({.name = "axis" + std::to_string(i + 1) + ".algebraic",
              .size = static_cast<int>(names.size()),
              .kind = Kind::algebraic,
              .components = of_axis(i, names)});
}

/// The forms by name: "ode", and "dae-" with the number of unknowns.
template <class Arm, class Control>
struct Forms {
  using Ode = RobotOde<Arm, Control>;
  using Torn = RobotTorn<Arm, Control>;
  using Full = RobotFull<Arm, Control>;
  static std::vector<std::string> names() {
    return {"ode", "dae-" + std::to_string(Torn::size), "dae-" + std::to_string(Full::size)};
  }

  static Result<Instance> make(std::string_view form, const Friction& friction, const Vector& states, Task task) {
    const auto known = names();
    if (form.empty()) form = known[0];
    Layout layout = state_layout<Ode>();
    std::shared_ptr<const Dae> dae;
    if (form == known[0]) {
      dae = make_dae(Ode{{friction}}, std::move(layout));
    } else if (form == known[1]) {
      for (int i = 0; i < n_axes; ++i) {
        std::vector<std::string_view> z{"qdd", "tau", "v_d", "v_L"};
        z.insert(z.end(), Control::torn_names.begin(), Control::torn_names.end());
        if (elastic(i)) z.emplace_back("a_m");
        add_algebraic(layout, i, z);
      }
      dae = make_dae(Torn{{friction}}, std::move(layout));
    } else if (form == known[2]) {
      for (int i = 0; i < n_axes; ++i) {
        auto z = full_names(i);
        z.insert(z.end(), Control::full_names.begin(), Control::full_names.end());
        add_algebraic(layout, i, z);
      }
      dae = make_dae(Full{{friction}}, std::move(layout));
    } else {
      return Error{unknown_name("formulation", form, known)};
    }
    Vector x = Vector::Zero(dae->size());
    x.head(states.size()) = states;
    Instance instance = dae_instance(std::move(dae), std::move(x), std::move(task));
    instance.formulation = std::string(form);
    if (const auto consistent = make_consistent(instance.problem); !consistent) return consistent.error();
    return instance;
  }
};

/// The joint angles as a reference.
[[nodiscard]] Reference angles_at(double t, const std::array<double, n_axes>& q, double accuracy, std::string origin);

}  // namespace rubato::catalogue::r3
