/// Mathematical pendulum in Cartesian coordinates, y up, m = 1:
///   x' = u, y' = w, u' = −2xλ, w' = −g − 2yλ, 0 = x² + y² − L²,   λ = (u² + w² − g y)/(2L²) on every solution.
/// Released from rest at θ₀ from the downward vertical; the exact motion is elliptic (elliptic.hpp). λ is the source's.
/// θ₀ = π/2, g = (2K(1/√2))² has the period 2 exactly. The end, t = 9.4, is neither a turning point nor the lowest point: there errors vanish by
/// symmetry, and observed orders are too high (`lobatto-iiic-3` at index 3 in q, v, λ: 5, 3, 2 at t = 10 instead of 4, 2, 1).
#include <cmath>
#include <numbers>

#include "catalogue/elliptic.hpp"
#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct Pendulum {
  static constexpr bool constant_mass = true, autonomous = true;
  double g = 9.81, length = 1;
  MechanicalSizes sizes() const { return {.q = 2, .v = 2, .lambda = 1}; }
  std::vector<std::string> names(std::string_view block) const { return point_names(block); }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
    out[1] = a[1];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> out) const {
    out[0] = S(0.0);
    out[1] = S(-g);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> out) const {
    out[0] = p.q[0] * p.q[0] + p.q[1] * p.q[1] - length * length;
  }
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    out[0] = (p.v[0] * p.v[0] + p.v[1] * p.v[1]) / 2 + g * p.q[1];
  }
};

Result<Instance> make_pendulum(const Parameters& p, std::string_view formulation) {
  const double theta0 = get(p, "theta0"), g = get(p, "g"), length = get(p, "length"), t_end = get(p, "t_end");
  const auto [theta, rate] = swing(theta0, std::sqrt(g / length), t_end);
  const double x = length * std::sin(theta), y = -length * std::cos(theta);
  Task task{.t_end = t_end,
            .reference = Reference{.t = t_end,
                                   .components = {"x", "y", "u", "w"},
                                   .values = {x, y, -y * rate, x * rate},
                                   .accuracy = 1e-14,
                                   .origin = "exact"},
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of positions and velocities at t_end"},
            .initial_step = 1e-3};
  const double x0 = length * std::sin(theta0), y0 = -length * std::cos(theta0);
  const MechanicalState guess{
      .q = vector({x0, y0}), .v = vector({0, 0}), .lambda = vector({-g * y0 / (2 * length * length)})};
  return mechanical_instance(make_mechanical(Pendulum{g, length}), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry pendulum() {
  return {
      .name = "pendulum",
      .title = "mathematical pendulum in Cartesian coordinates",
      .source = "Hairer & Wanner, Solving ODEs II (1996) VII.1; exact solution by elliptic functions",
      .parameters = {{.name = "theta0",
                      .default_value = std::numbers::pi / 2,
                      .unit = "rad",
                      .help = "angle at the start, from the downward vertical",
                      .min = -3.1,
                      .max = 3.1},
                     {.name = "g",
                      .default_value = 13.750371636040745,
                      .unit = "m/s^2",
                      .help = "gravity; the default makes the period 2",
                      .min = 1e-6,
                      .max = 1e6},
                     {.name = "length", .default_value = 1, .unit = "m", .help = "of the rod", .min = 1e-6, .max = 1e6},
                     end_time(9.4)},
      .formulations = {"index-3", "index-2", "ggl", "index-1", "semi-explicit", "momentum", "hamilton", "state-space"},
      .default_formulation = "index-2",
      .t_end = 9.4,
      .make = make_pendulum};
}

}  // namespace rubato::catalogue
