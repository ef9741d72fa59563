/// A drive train that starts to move: engine, clutch that slips and sticks, gear, elastic shaft, vehicle.
///   J_e ω_e' = T − T_c,   J_g ω_g' = T_c − T_s/i,   φ' = ω_g/i − ω_v,   J_v ω_v' = T_s − T_d                     (1)
///   0 = T_c − P tanh((ω_e − ω_g)/ε),   0 = T_s − (c φ + d φ'),   0 = T_d − (r_0 + r_2 ω_v²) tanh(ω_v/ε_v)       (2)
/// Inputs: torque T(t) of the engine and capacity P(t) of the clutch, both jump: idle, clutch half closed, closed, throttle shut. Torques of
/// clutch, shaft and drag are algebraic. Smooth friction: a stuck clutch creeps by less than ε. Data of a small car in first gear, written for this
/// catalogue; reference values recomputed.
#include <cmath>

#include "catalogue/problems.hpp"
#include "rubato/problem/stacked_signal.hpp"

namespace rubato::catalogue {

namespace {

constexpr double engine = 0.2, gear = 0.05, vehicle = 110, ratio = 12;  // kg m², kg m², kg m², 1
constexpr double drive_stiffness = 6000, drive_damping = 60, rolling = 40, air = 0.02, width_vehicle = 0.1;

struct DriveTrain {
  static constexpr bool autonomous = true, recordable = true;
  double width;  ///< ε
  static int n_inputs() { return 2; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::tanh;
    const S &w_e = at.x[0], &w_g = at.x[1], &twist = at.x[2], &w_v = at.x[3];
    const S &t_c = at.x[4], &t_s = at.x[5], &t_d = at.x[6];
    const S twist_rate = w_g * (1 / ratio) - w_v;
    out[0] = (at.u[0] - t_c) * (1 / engine);  // (1)
    out[1] = (t_c - t_s * (1 / ratio)) * (1 / gear);
    out[2] = twist_rate;
    out[3] = (t_s - t_d) * (1 / vehicle);
    out[4] = t_c - at.u[1] * tanh((w_e - w_g) / width);  // (2)
    out[5] = t_s - (drive_stiffness * twist + drive_damping * twist_rate);
    out[6] = t_d - (rolling + air * w_v * w_v) * tanh(w_v / width_vehicle);
  }
  static std::vector<std::string> output_names() { return {"slip"}; }
  template <class S>
  void outputs(const Point<S>& at, std::span<S> y) const {
    y[0] = at.x[0] - at.x[1];
  }
};

struct DriveTrainRow {
  double t, w_e, w_g, twist, w_v;
};
constexpr DriveTrainRow drive_train_rows[] = {
    {1, 130, 54.728879345294, 0.113508436985, 4.658262629709},
    {4, 199.978956708780, 199.994443064028, -0.066459881181, 16.952446914683}};

Result<Instance> make_drive_train(const Parameters& p, std::string_view /*formulation*/) {
  const double t_end = get(p, "t_end"), width = get(p, "eps");
  const auto torque = TableSignal::create({0, 0.3, 0.3, 3, 3}, {0, 0, 80, 80, -15});
  const auto capacity = TableSignal::create({0, 0.2, 0.2, 1.5, 1.5}, {0, 0, 60, 60, 200});
  if (!torque) return torque.error();
  if (!capacity) return capacity.error();
  Task task{
      .t_end = t_end,
      .measure = {.atol = 1, .rtol = 1, .definition = "error of speeds and twist at t_end relative to 1 + |value|"},
      .initial_step = 1e-5,
      .input =
          std::make_shared<const StackedSignal>(std::vector<std::shared_ptr<const InputSignal>>{*torque, *capacity})};
  for (const DriveTrainRow& row : drive_train_rows)
    if (same(row.t, t_end) && same(width, 0.1))
      task.reference = {.t = t_end,
                        .components = {"w_e", "w_g", "twist", "w_v"},
                        .values = {row.w_e, row.w_g, row.twist, row.w_v},
                        .accuracy = 1e-10,
                        .origin = "recomputed"};
  return dae_instance(
      make_dae(
          DriveTrain{width},
          {{.name = "speed", .size = 2, .unit = "rad/s", .components = {"w_e", "w_g"}},
           {.name = "twist", .size = 1, .unit = "rad", .components = {"twist"}},
           {.name = "vehicle", .size = 1, .unit = "rad/s", .components = {"w_v"}},
           {.name = "torque", .size = 3, .unit = "N m", .kind = Kind::algebraic, .components = {"T_c", "T_s", "T_d"}}}),
      vector({90, 0, 0, 0, 0, 0, 0}), std::move(task));
}

}  // namespace

Entry drive_train() {
  return {.name = "drive-train",
          .title = "engine, clutch with smooth friction, elastic shaft and vehicle; torque and clutch jump",
          .source = "written for this catalogue; reference values recomputed",
          .parameters = {{.name = "eps",
                          .default_value = 0.1,
                          .unit = "rad/s",
                          .help = "width of the friction law of the clutch",
                          .min = 1e-6,
                          .max = 100},
                         end_time(4)},
          .t_end = 4,
          .make = make_drive_train};
}

}  // namespace rubato::catalogue
