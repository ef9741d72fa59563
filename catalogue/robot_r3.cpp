/// The Manutec r3 with tachometers: 78 states, the benchmark of Schiela, Sparsing in Real Time Simulation, TU München 2002 (states and
/// data by inference from ModelicaAdditions 1.5). Reference accelerations are six step functions, inputs of the model.
/// Source of data: Türk 1990, Otter 1995, ModelicaAdditions.MultiBody.Examples.Robots.r3 (2000). Friction is smooth instead of dry.
#include "catalogue/robot_r3_instance.hpp"
#include "rubato/base/text.hpp"
#include "rubato/problem/stacked_signal.hpp"

namespace rubato::catalogue {

namespace r3 {

std::vector<std::string> of_axis(int i, std::span<const std::string_view> names) {
  std::vector<std::string> result;
  for (const auto name : names) result.push_back("axis" + std::to_string(i + 1) + "." + std::string(name));
  return result;
}

std::vector<std::string_view> drive_names(int i) {
  if (elastic(i)) return {"q", "qd", "s", "wr", "i", "vC"};
  return {"q", "qd", "i", "vC"};
}

std::vector<std::string_view> full_names(int i) {
  return {"alpha_x", "alpha_y", "alpha_z", "a_x",  "a_y",  "a_z", "ac_x", "ac_y", "ac_z", "F_x",
          "F_y",     "F_z",     "N_x",     "N_y",  "N_z",  "f_x", "f_y",  "f_z",  "t_x",  "t_y",
          "t_z",     "qdd",     "tau",     "v_n",  "v_p",  "v_d", "i_1",  "i_2",  "i_3",  "i_4",
          "i_R",     "v_I",     "v_g",     "i_p1", "i_p2", "v_P", "v_R",  "v_L",  "v_E",  elastic(i) ? "T_s" : "T_g",
          "T_f",     "a_m"};
}

Reference angles_at(double t, const std::array<double, n_axes>& q, double accuracy, std::string origin) {
  Reference reference{.t = t, .accuracy = accuracy, .origin = std::move(origin)};
  for (int i = 0; i < n_axes; ++i) {
    reference.components.push_back("axis" + std::to_string(i + 1) + ".q");
    reference.values.push_back(q[static_cast<std::size_t>(i)]);
  }
  return reference;
}

}  // namespace r3

namespace {

using namespace r3;
using Robot78 = Forms<Arm78, TachometerControl>;

/// a_ref of one axis: (from this time on, value).
struct Phase {
  double t, value;
};
const std::array<std::vector<Phase>, n_axes> phases{
    {{{0, 30}, {0.10, 0}, {0.74, -13.96}, {1.12, 28.75}, {1.20, 0}},
     {{0, -15}, {0.10, 0}, {1.10, 15}, {1.20, 0}},
     {{0, 30}, {0.15, -21.56}, {0.60, 0}, {0.90, 17.33}, {1.20, 0}},
     {{0, -80}, {0.04, 0}, {0.54, 71.11}, {0.63, 0}, {1.14, -53.33}, {1.20, 0}},
     {{0, 105}, {0.04, 0}, {1.02, -68.33}, {1.14, 66.67}, {1.20, 0}},
     {{0, -95}, {0.04, 0}, {0.54, 84.44}, {0.63, 0}, {1.14, -63.33}, {1.20, 0}}}};

Result<std::shared_ptr<const InputSignal>> reference_motion() {
  std::vector<std::shared_ptr<const InputSignal>> channels;
  for (const auto& axis : phases) {
    std::vector<double> times, values;
    for (const auto& [t, value] : axis) {
      if (!values.empty()) {
        times.push_back(t);
        values.push_back(values.back());
      }
      times.push_back(t);
      values.push_back(value);
    }
    auto channel = TableSignal::create(std::move(times), std::move(values));
    if (!channel) return channel.error();
    channels.push_back(*channel);
  }
  return std::shared_ptr<const InputSignal>(std::make_shared<const StackedSignal>(std::move(channels)));
}

constexpr std::array<double, n_axes> start_angles{-1, 0.43, 1.57, 0, -2, 0};

/// Cold: all but the angles zero, gravity finds slack gears and no currents. Hold: static equilibrium.
Vector start_states(bool hold) {
  using Control = TachometerControl;
  Vector x = Vector::Zero(Robot78::Ode::n_states);
  const auto rest = at_rest<Arm78>(start_angles);
  for (int i = 0; i < n_axes; ++i) {
    const double q = start_angles[static_cast<std::size_t>(i)];
    const Rest& need = rest[static_cast<std::size_t>(i)];
    double* const states = x.data() + Robot78::Ode::first_state(i);
    double* const control = states + drive_states(i);
    states[0] = control[Control::qref] = q;
    if (!hold) continue;
    if (elastic(i)) states[2] = need.s;
    states[drive_states(i) - 2] = control[Control::iref] = need.current;
    states[drive_states(i) - 1] = need.capacitor;
    control[Control::qref] = q - need.s / drives[static_cast<std::size_t>(i)].ratio;
  }
  return x;
}

struct RobotRow {
  double t;
  bool hold;
  std::array<double, n_axes> q;
};
constexpr RobotRow robot_rows[] = {
    {0.10, false, {-0.882020866928, 0.371800052143, 1.689787353983, -0.218940653349, -1.708790007413, -0.261458560652}},
    {0.54, false, {0.469420909116, -0.303652326408, 2.065880568153, -1.663774020418, 0.182899922001, -1.975898565169}},
    {1.00, false, {1.406929396695, -0.998180897150, -0.266085873072, -0.480816699685, 2.115004367209, -0.571671794244}},
    {1.30, false, {1.099501544639, -1.230636429806, -0.604538805338, 0.090141145044, 2.088603869879, 0.108238648516}},
    {0.10, true, {-0.882048347398, 0.370812814009, 1.688095010902, -0.218928907183, -1.708694383304, -0.261458554651}},
    {0.54, true, {0.469422878375, -0.304501195416, 2.065284731278, -1.663774468587, 0.182896753940, -1.975898565919}},
    {1.00, true, {1.406931194281, -0.999028947279, -0.266675446508, -0.480817191065, 2.115003389914, -0.571671793652}},
    {1.30, true, {1.099502854355, -1.231484373269, -0.605130536634, 0.090140408062, 2.088604112629, 0.108238649289}}};

Result<Instance> make_robot_r3(const Parameters& p, std::string_view formulation) {
  const double t_end = get(p, "t_end");
  const Friction friction = friction_of(p);
  const bool hold = get(p, "hold") != 0;
  const auto input = reference_motion();
  if (!input) return input.error();
  Task task{.t_end = t_end,
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of the joint angles at t_end, rad"},
            .initial_step = 1e-5,
            .input = *input};
  for (const RobotRow& row : robot_rows)
    if (friction.usual() && row.hold == hold && same(row.t, t_end))
      task.reference = angles_at(t_end, row.q, 1e-11, "recomputed");
  return Robot78::make(formulation, friction, start_states(hold), std::move(task));
}

}  // namespace

Entry robot_r3() {
  auto parameters = friction_parameters();
  parameters.push_back(flag("hold", 0, "start: 0 cold (no currents, slack gears), 1 static equilibrium"));
  parameters.push_back(end_time(1));
  return {.name = "robot-r3",
          .title = "robot Manutec r3: six axes with motors, gears, friction, current loops and controllers, 78 states",
          .source = "data: Türk (1990), Otter (1995), ModelicaAdditions 1.5; reference values recomputed",
          .parameters = std::move(parameters),
          .formulations = Robot78::names(),
          .default_formulation = "ode",
          .t_end = 1,
          .make = make_robot_r3};
}

}  // namespace rubato::catalogue
