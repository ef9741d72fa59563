/// The Manutec r3 of the Modelica Standard Library 4 (Mechanics.MultiBody.Examples.Systems.RobotR3.FullRobot): other offsets and another
/// load than robot-r3, a cascade of controllers without tachometers, 36 states. A result of Dymola with dry friction is published with the
/// library; for eps_m = 0.01, eps_j = 1e-4 the angles agree with it to 9e-6 rad during the motion.
#include "catalogue/robot_r3_instance.hpp"

namespace rubato::catalogue {

namespace {

using namespace r3;
using Control = CascadeControl;
using Robot36 = Forms<Arm36, Control>;

/// At rest in q_b, the integrators of the controllers hold the currents.
Vector robot36_start_states() {
  std::array<double, n_axes> q;
  for (int i = 0; i < n_axes; ++i) q[i] = Control::begin(i);
  const auto rest = at_rest<Arm36>(q);
  Vector x = Vector::Zero(Robot36::Ode::n_states);
  for (int i = 0; i < n_axes; ++i) {
    const Rest& need = rest[static_cast<std::size_t>(i)];
    double* const states = x.data() + Robot36::Ode::first_state(i);
    states[0] = q[static_cast<std::size_t>(i)];
    if (elastic(i)) states[2] = need.s;
    states[drive_states(i) - 2] = need.current;
    states[drive_states(i) - 1] = need.capacitor;
    states[drive_states(i)] = need.current / Control::k_s - Control::k_p * need.s;  // e = ρ q − φ_m = s
  }
  return x;
}

struct Robot36Row {
  double t;
  std::array<double, n_axes> q;
};
constexpr Robot36Row robot36_rows[] = {
    {0.2, {-0.803014171842, 0.169103283943, 1.317630754878, 0.087078864717, -1.482813769807, 0.090095374951}},
    {0.5, {-0.299971487563, -0.211063594787, 0.791066211561, 0.279550257240, -0.552438775423, 0.280110926005}},
    {1.0, {0.543760610001, -0.847754435033, -0.091946824388, 0.598500349264, 0.996362339565, 0.597928033718}},
    {1.3, {1.030287923141, -1.214875482848, -0.600877459982, 0.779968622455, 1.880038236242, 0.776139429388}},
    {1.8, {1.046850085159, -1.223651979968, -0.610949802615, 0.785043193958, 1.919879314942, 0.785811030400}}};

Result<Instance> make_robot_r3_36(const Parameters& p, std::string_view formulation) {
  const double t_end = get(p, "t_end");
  const Friction friction = friction_of(p);
  Task task{.t_end = t_end,
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of the joint angles at t_end, rad"},
            .initial_step = 1e-5};
  for (const Robot36Row& row : robot36_rows)
    if (friction.usual() && same(row.t, t_end)) task.reference = angles_at(t_end, row.q, 1e-11, "recomputed");
  return Robot36::make(formulation, friction, robot36_start_states(), std::move(task));
}

}  // namespace

Entry robot_r3_36() {
  auto parameters = friction_parameters();
  parameters.push_back(end_time(1));
  return {.name = "robot-r3-36",
          .title = "robot Manutec r3 of the Modelica Standard Library: cascade control, 36 states",
          .source = "Modelica Standard Library 4, RobotR3.FullRobot; reference values recomputed",
          .parameters = std::move(parameters),
          .formulations = Robot36::names(),
          .default_formulation = "ode",
          .t_end = 1,
          .make = make_robot_r3_36};
}

}  // namespace rubato::catalogue
