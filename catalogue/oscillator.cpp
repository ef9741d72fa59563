/// Linear oscillator with a forced motion, for tests of error estimators:
///   q'' = −ω² q + (ω² − 4Ω²) cos 2Ωt,   q(0) = 1 + γ₀, q'(0) = 0:   q = cos 2Ωt + γ₀ cos ωt                            (1)
/// In first order y' = J y + u with J = [0 1; −ω² 0]. Unlike Prothero-Robinson's the force does not vanish on the motion.
/// Schaub & Simeon, Blended Lobatto methods in multibody dynamics, ZAMM 83 (2003) 720; Ω and the interval are not printed.
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct Oscillator {
  static constexpr bool constant_mass = true;
  double omega = 1, drive = 1;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1}; }
  std::vector<std::string> names(std::string_view block) const { return {std::string(block)}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::cos;
    f[0] = -omega * omega * p.q[0] + (omega * omega - 4 * drive * drive) * cos(2 * drive * p.t);  // (1)
  }
};

Result<Instance> make_oscillator(const Parameters& p, std::string_view formulation) {
  const Oscillator model{get(p, "omega"), get(p, "drive")};
  const double offset = get(p, "gamma0"), t = get(p, "t_end"), slow = 2 * model.drive;
  Task task{
      .t_end = t,
      .reference = Reference{.t = t,
                             .components = {"q", "v"},
                             .values = {std::cos(slow * t) + offset * std::cos(model.omega * t),
                                        -slow * std::sin(slow * t) - offset * model.omega * std::sin(model.omega * t)},
                             .accuracy = 1e-15,
                             .origin = "exact"},
      .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of q and v at t_end"},
      .initial_step = 1e-3};
  const MechanicalState guess{.q = vector({1 + offset}), .v = vector({0})};
  return mechanical_instance(make_mechanical(model), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry oscillator() {
  return {
      .name = "oscillator",
      .title = "linear oscillator with a forced slow motion",
      .source = "Schaub & Simeon, ZAMM 83 (2003) 720; exact",
      .parameters =
          {{.name = "omega",
            .default_value = 1,
            .unit = "rad/s",
            .help = "of the spring; 1000: stiff",
            .min = 0,
            .max = 1e9},
           {.name = "drive",
            .default_value = 1,
            .unit = "rad/s",
            .help = "half the frequency of the motion",
            .min = 0,
            .max = 1e6},
           {.name = "gamma0", .default_value = 0, .help = "amplitude of the free oscillation", .min = -1e3, .max = 1e3},
           end_time(5)},
      .formulations = {"index-2", "semi-explicit", "momentum", "hamilton", "state-space"},
      .default_formulation = "index-2",
      .t_end = 5,
      .make = make_oscillator};
}

}  // namespace rubato::catalogue
