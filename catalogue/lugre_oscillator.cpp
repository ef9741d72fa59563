/// Mass on a spring and a moving belt with LuGre friction, and an end stop: stick, slip, rebound.
///   m v' = −k x + F,   F = σ₀ z + σ₁ z' + σ₂ w,   z' = w − σ₀ |w| z/s(w),   w = v_belt − v,
///   s(w) = F_c + (F_s − F_c) exp(−(w/v_s)²);   at x = x_stop, moving down: v ← −e v (event with reset).
/// Canudas de Wit, Olsson, Åström, Lischinsky, IEEE Trans. Autom. Control 40 (1995) 419, doi:10.1109/9.376053, with their
/// friction constants. Stiff while sticking (σ₀, σ₁). References recomputed by Radau IIA, restarted at each rebound
/// (at t = 3.5565398190 for the defaults).
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double lugre_mass = 1, lugre_stiffness = 2, lugre_sigma0 = 1e5, sigma1 = 316.22776601683796, sigma2 = 0.4;
constexpr double coulomb = 1, stiction = 1.5, lugre_stribeck = 1e-3;

struct LuGreOscillator {
  static constexpr bool constant_mass = true, autonomous = true;
  double belt = 0.2, stop = 0.4, restitution = 0.5;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1, .z = 1}; }
  std::vector<std::string> names(std::string_view block) const {
    if (block == "q") return {"x"};
    return {std::string(block)};
  }
  template <class S>
  S bristle_rate(const MechanicalPoint<S>& p) const {
    using std::abs, std::exp;
    const S w = belt - p.v[0];
    const S level = coulomb + (stiction - coulomb) * exp(-(w * w) / (lugre_stribeck * lugre_stribeck));
    return w - lugre_sigma0 * abs(w) * p.z[0] / level;
  }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = lugre_mass * a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    f[0] = -lugre_stiffness * p.q[0] + lugre_sigma0 * p.z[0] + sigma1 * bristle_rate(p) + sigma2 * (belt - p.v[0]);
  }
  template <class S>
  void auxiliary(const MechanicalPoint<S>& p, std::span<S> e) const {
    e[0] = bristle_rate(p);
  }
  std::vector<RootInfo> roots() const { return {{.name = "end stop", .crossing = Crossing::falling}}; }
  void root_values(const MechanicalPoint<double>& p, Out out) const { out[0] = p.q[0] - stop; }
  EventEffect on_event(const EventContext& event, Out /*q*/, Out v, Out /*z*/) const {
    if (event.roots.empty()) return {.mode = event.mode};
    v[0] = -restitution * v[0];
    return {.mode = event.mode, .state_changed = true};
  }
};

struct LugreRow {
  double t, x, v;
};
constexpr LugreRow lugre_rows[] = {{2, 0.745357307492, -0.166918455439}, {5, 0.594333619243, 0.115475410883}};

Result<Instance> make_lugre_oscillator(const Parameters& p, std::string_view formulation) {
  const LuGreOscillator model{get(p, "belt"), get(p, "stop"), get(p, "restitution")};
  const double t_end = get(p, "t_end");
  Task task{.t_end = t_end,
            .measure = {.atol = 1,
                        .rtol = 0,
                        .definition = "absolute error of x and v at t_end; atol = 1e-5 rtol (the size of z)",
                        .atol_per_rtol = 1e-5},
            .initial_step = 1e-4};
  for (const LugreRow& row : lugre_rows)
    if (same(row.t, t_end) && same(model.belt, 0.2) && same(model.stop, 0.4) && same(model.restitution, 0.5))
      task.reference = {
          .t = t_end, .components = {"x", "v"}, .values = {row.x, row.v}, .accuracy = 1e-10, .origin = "recomputed"};
  const MechanicalState guess{.q = vector({0.5}), .v = vector({model.belt}), .z = vector({2 * 0.5 / lugre_sigma0})};
  return mechanical_instance(make_mechanical(model), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry lugre_oscillator() {
  return {
      .name = "lugre-oscillator",
      .title = "stick-slip on a belt with LuGre bristle and a rebound from an end stop",
      .source = "Canudas de Wit et al., IEEE Trans. Autom. Control 40 (1995) 419",
      .parameters =
          {{.name = "belt", .default_value = 0.2, .unit = "m/s", .help = "speed of the belt", .min = 1e-3, .max = 10},
           {.name = "stop",
            .default_value = 0.4,
            .unit = "m",
            .help = "position of the end stop",
            .min = -100,
            .max = 0.49},
           {.name = "restitution",
            .default_value = 0.5,
            .help = "speed after the rebound over speed before",
            .min = 0.01,
            .max = 1},
           end_time(5)},
      .formulations = {"index-2", "semi-explicit", "momentum", "hamilton", "state-space"},
      .default_formulation = "index-2",
      .t_end = 5,
      .make = make_lugre_oscillator};
}

}  // namespace rubato::catalogue
