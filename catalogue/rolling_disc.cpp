/// Upright disc rolling on an inclined plane: contact point (x, y), heading θ, roll angle φ, radius r.
///   M = diag(m, m, I_θ, I_φ),  f = (m g sin α, 0, 0, 0),   0 = x' − r φ' cos θ,   0 = y' − r φ' sin θ   (A v = 0)
/// Start at the origin with θ = φ = 0, θ' = Ω, φ' = ω. Exact, with κ = m g r sin α / ((I_φ + m r²) Ω):
///   θ = Ωt,  φ' = ω + κ sin Ωt,  x = r [ω sin Ωt/Ω + κ sin²Ωt/(2Ω)],  y = r [ω (1 − cos Ωt)/Ω + κ (t/2 − sin 2Ωt/(4Ω))]:
/// it drifts sideways, across the slope. Neimark & Fufaev, Dynamics of Nonholonomic Systems (1972).
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double rolling_mass = 2, radius = 0.3, heading_inertia = rolling_mass * radius * radius / 4,
                 roll_inertia = rolling_mass * radius * radius / 2;
constexpr double rolling_gravity = 9.81;

struct RollingDisc {
  static constexpr bool constant_mass = true, autonomous = true;
  double slope = 0;
  MechanicalSizes sizes() const { return {.q = 4, .v = 4, .nu = 2}; }
  std::vector<std::string> names(std::string_view block) const {
    if (block == "q") return {"x", "y", "theta", "phi"};
    if (block == "v") return {"v_x", "v_y", "v_theta", "v_phi"};
    return {};
  }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = rolling_mass * a[0];
    out[1] = rolling_mass * a[1];
    out[2] = heading_inertia * a[2];
    out[3] = roll_inertia * a[3];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    f[0] = S(rolling_mass * rolling_gravity * std::sin(slope));
    f[1] = f[2] = f[3] = S(0.0);
  }
  template <class S>
  void rolling(const MechanicalPoint<S>& p, std::span<S> out) const {
    using std::cos, std::sin;
    out[0] = p.v[0] - radius * cos(p.q[2]) * p.v[3];
    out[1] = p.v[1] - radius * sin(p.q[2]) * p.v[3];
  }
  std::vector<std::string> invariant_names() const { return {"energy", "heading rate"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    const auto& v = p.v;
    out[0] =
        (rolling_mass * (v[0] * v[0] + v[1] * v[1]) + heading_inertia * v[2] * v[2] + roll_inertia * v[3] * v[3]) / 2 -
        rolling_mass * rolling_gravity * std::sin(slope) * p.q[0];
    out[1] = v[2];
  }
};

Result<Instance> make_rolling_disc(const Parameters& p, std::string_view formulation) {
  const double slope = get(p, "slope"), turn = get(p, "turn"), roll = get(p, "roll"), t = get(p, "t_end");
  const double kappa = rolling_mass * rolling_gravity * radius * std::sin(slope) /
                       ((roll_inertia + rolling_mass * radius * radius) * turn);
  const double s = std::sin(turn * t), c = std::cos(turn * t), rate = roll + kappa * s;
  Task task{
      .t_end = t,
      .reference =
          Reference{
              .t = t,
              .components = {"x", "y", "theta", "phi", "v_x", "v_y", "v_theta", "v_phi"},
              .values = {radius * (roll * s / turn + kappa * s * s / (2 * turn)),
                         radius * (roll * (1 - c) / turn + kappa * (t / 2 - std::sin(2 * turn * t) / (4 * turn))),
                         turn * t, roll * t + kappa * (1 - c) / turn, radius * rate * c, radius * rate * s, turn, rate},
              .accuracy = 1e-14,
              .origin = "exact"},
      .measure = {.atol = 1,
                  .rtol = 1,
                  .definition = "error of positions and velocities at t_end relative to 1 + |value|"},
      .initial_step = 1e-3};
  const MechanicalState guess{.q = Vector::Zero(4), .v = vector({radius * roll, 0, turn, roll}), .nu = Vector::Zero(2)};
  return mechanical_instance(make_mechanical(RollingDisc{slope}), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry rolling_disc() {
  return {.name = "rolling-disc",
          .title = "upright disc rolling on a slope: nonholonomic constraints",
          .source = "Neimark & Fufaev, Dynamics of Nonholonomic Systems (1972); exact",
          .parameters =
              {{.name = "slope",
                .default_value = 0.2,
                .unit = "rad",
                .help = "of the plane, falling along x",
                .min = -1.5,
                .max = 1.5},
               {.name = "turn", .default_value = 2, .unit = "rad/s", .help = "heading rate", .min = 1e-3, .max = 1e3},
               {.name = "roll",
                .default_value = 5,
                .unit = "rad/s",
                .help = "rolling rate at the start",
                .min = -1e3,
                .max = 1e3},
               end_time(5)},
          .formulations = {"index-2", "index-1", "semi-explicit", "momentum", "hamilton", "state-space"},
          .default_formulation = "index-2",
          .t_end = 5,
          .make = make_rolling_disc};
}

}  // namespace rubato::catalogue
