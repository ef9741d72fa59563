/// Double pendulum of two rods with a torsion spring k at the first joint, in the angles q₁, q₂ from the downward vertical:
///   T = ½ (J + m l²) q₁'² + ½ J q₂'² + ½ m l² cos(q₂ − q₁) q₁' q₂',   V = −(3/2) m l g cos q₁ − ½ m l g cos q₂ + ½ k q₁²
/// with J = m l²/3, m = l = 1. `printed` takes the mass matrix as the source prints it, [J, −½ml² sin(q₂ − q₁); ·, J + ml²],
/// which is not that of two rods. M depends on q: a witness for momentum and Hamilton forms. k = 1e4: stiff; the default
/// start lies on its smooth motion. Schaub & Simeon, ZAMM 83 (2003) 720. Rough start: q₁ = 0.02.
/// References recomputed (extrapolated midpoint rule of order 18, 64-bit mantissa, 4000 against 8000 steps).
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double rod_mass = 1, rod_length = 1, moment = rod_mass * rod_length * rod_length / 3,
                 half = rod_mass * rod_length * rod_length / 2;

struct DoublePendulum {
  static constexpr bool autonomous = true;
  double k = 1e4, gravity = 9.81;
  bool printed = false;
  MechanicalSizes sizes() const { return {.q = 2, .v = 2}; }
  std::vector<std::string> names(std::string_view block) const {
    return {std::string(block) + "1", std::string(block) + "2"};
  }
  template <class S>
  void inertia(const MechanicalPoint<S>& p, std::span<const S> a, std::span<S> out) const {
    using std::cos, std::sin;
    const S angle = p.q[1] - p.q[0];
    const S m12 = printed ? -half * sin(angle) : half * cos(angle);
    out[0] = (printed ? moment : moment + rod_mass * rod_length * rod_length) * a[0] + m12 * a[1];
    out[1] = m12 * a[0] + (printed ? moment + rod_mass * rod_length * rod_length : moment) * a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::cos, std::sin;
    const S angle = p.q[1] - p.q[0];
    const S turn = half * (printed ? cos(angle) : sin(angle));  // −∂m₁₂/∂q₂
    f[0] = turn * p.v[1] * p.v[1] - 1.5 * rod_mass * rod_length * gravity * sin(p.q[0]) - k * p.q[0];
    f[1] = -turn * p.v[0] * p.v[0] - 0.5 * rod_mass * rod_length * gravity * sin(p.q[1]);
  }
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    double mv[2];
    inertia<double>(p, p.v, mv);
    out[0] = (p.v[0] * mv[0] + p.v[1] * mv[1]) / 2 + k * p.q[0] * p.q[0] / 2 -
             rod_mass * rod_length * gravity * (1.5 * std::cos(p.q[0]) + 0.5 * std::cos(p.q[1]));
  }
};

struct DoublePendulumRow {
  double k;
  int printed;
  double q1_start, q2_start, t, q1, q2, v1, v2;
};
constexpr DoublePendulumRow double_pendulum_rows[] = {
    {1e4, 0, 3.341901e-4, 1, 10, -2.3794241198866564e-4, -0.1733305477811175, 4.397631400264894e-3, 3.611448829060488},
    {1e4, 1, -1.300607e-4, 1, 10, 4.186292931941574e-06, 0.6580796069014988, -5.632787219801754e-4, 1.3584997810323954},
    {1e4, 0, 0.02, 1, 10, -0.01087440410230715, 0.9616944048608397, -1.565116747313756, 0.159695020586460},
    {1e4, 1, 0.02, 1, 10, -2.75450598513062e-3, 0.594404913400939, 3.523326877658575, -0.84332058159125},
    {0, 0, 1, 1, 2, 0.1904986252725633, 0.795857108578751, 2.3180758946986137, 2.6508635189577926},
    {0, 0, 1, 1, 5, 0.9830626593221725, 0.9379196883850395, -0.7341613185931136, -0.24579708093312525},
};

Result<Instance> make_double_pendulum(const Parameters& p, std::string_view formulation) {
  const DoublePendulum model{get(p, "k"), get(p, "g"), get(p, "printed") != 0};
  const double t_end = get(p, "t_end"), q1 = get(p, "q1"), q2 = get(p, "q2");
  Task task{.t_end = t_end,
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of angles and rates at t_end"},
            .initial_step = 1e-3};
  for (const DoublePendulumRow& row : double_pendulum_rows)
    if (same(row.k, model.k) && (row.printed != 0) == model.printed && same(model.gravity, 9.81) &&
        same(row.q1_start, q1) && same(row.q2_start, q2) && same(row.t, t_end))
      task.reference = {.t = t_end,
                        .components = {"q1", "q2", "v1", "v2"},
                        .values = {row.q1, row.q2, row.v1, row.v2},
                        .accuracy = 1e-12,
                        .origin = "recomputed"};
  const MechanicalState guess{.q = vector({q1, q2}), .v = vector({0, 0})};
  return mechanical_instance(make_mechanical(model), guess, formulation.empty() ? "semi-explicit" : formulation,
                             std::move(task));
}

}  // namespace

Entry double_pendulum() {
  return {.name = "double-pendulum",
          .title = "double pendulum of rods with a torsion spring, minimal coordinates",
          .source = "Schaub & Simeon, ZAMM 83 (2003) 720",
          .parameters = {{.name = "k",
                          .default_value = 1e4,
                          .unit = "Nm/rad",
                          .help = "torsion spring at the first joint; 0: none",
                          .min = 0,
                          .max = 1e12},
                         {.name = "g", .default_value = 9.81, .unit = "m/s^2", .help = "gravity", .min = 0, .max = 1e3},
                         {.name = "q1",
                          .default_value = 3.341901e-4,
                          .unit = "rad",
                          .help = "first angle at the start",
                          .min = -10,
                          .max = 10},
                         {.name = "q2",
                          .default_value = 1,
                          .unit = "rad",
                          .help = "second angle at the start",
                          .min = -10,
                          .max = 10},
                         flag("printed", 0, "1: mass matrix as printed in the source (smooth start q1 = -1.300607e-4)"),
                         end_time(10)},
          .formulations = {"index-2", "semi-explicit", "momentum", "hamilton", "state-space"},
          .default_formulation = "semi-explicit",
          .t_end = 10,
          .make = make_double_pendulum};
}

}  // namespace rubato::catalogue
