/// Stiff spring pendulum: a point mass (m = 1) on a spring of rest length 1 and stiffness 1/ε², y up, r = √(x² + y²).
///   x'' = −(x/r) λ,   y'' = −(y/r) λ − g,   ε² λ = r − 1;      ε = 0: the pendulum of length 1, 0 = r − 1          (1)
/// Potential (r − 1)²/(2ε²); λ is the spring force. Lubich, ZAMP 44 (1993) 1022. The studies of Rosenbrock methods on it
/// write the same motion with the multiplier λ_s = λ/r:
///   x'' = −x λ_s,     y'' = −y λ_s − g,     ε² λ_s = (r − 1)/r;   ε = 0: 0 = (r − 1)/r                               (2)
/// The gradient of (r − 1)/r is q/r³, not q, so (2) is no MechanicalSystem: it stands below as a plain Dae in (q, v, λ_s),
/// for runs that are to be compared with the source's. The pendulum of pendulum.cpp has λ/2.
/// Start (1 + offset·ε, 0) at rest: offset 0 lies on the smooth motion up to O(ε⁴), 0.1 oscillates with amplitude ε/10.
/// References: recomputed with the extrapolated midpoint rule of order 18, 64-bit mantissa (t = 10, g = 1; the velocities
/// of ε ≤ 1e-3 lose digits to the fast oscillation) and Radau IIA (t = 3.7, g = 13.7503716); ε = 0: exact.
#include <cmath>
#include <numbers>

#include "catalogue/elliptic.hpp"
#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct Spring {
  static constexpr bool constant_mass = true, autonomous = true;
  double eps = 1e-3, g = 1;
  bool is_compliant() const { return eps > 0; }
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
    using std::sqrt;
    out[0] = sqrt(p.q[0] * p.q[0] + p.q[1] * p.q[1]) - 1.0;
    if (eps > 0) out[0] -= eps * eps * p.lambda[0];
  }
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const { out[0] = energy(p.q, p.v, p.lambda[0]); }

  /// ½ (u² + w²) + g y + ½ ε² λ². The last is (r − 1)²/(2ε²), without the digits that r − 1 loses for small ε.
  [[nodiscard]] double energy(In q, In v, double lambda) const {
    const double stretch = eps * lambda;
    return (v[0] * v[0] + v[1] * v[1] + stretch * stretch) / 2 + g * q[1];
  }
};

/// (2) as printed: x = (q, v, λ_s).
struct SourceSpring {
  static constexpr bool autonomous = true;
  Spring spring;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sqrt;
    const S x = at.x[0], y = at.x[1], lambda = at.x[4];
    const S r = sqrt(x * x + y * y);
    out[0] = at.x[2];
    out[1] = at.x[3];
    out[2] = -x * lambda;
    out[3] = -y * lambda - spring.g;
    out[4] = (r - 1.0) / r - spring.eps * spring.eps * lambda;
  }
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const At& at, Out out) const {
    const double r = std::hypot(at.x[0], at.x[1]);
    out[0] = spring.energy(at.x.subspan(0, 2), at.x.subspan(2, 2), r * at.x[4]);  // λ = r λ_s
  }
};

struct SpringPendulumRow {
  double eps, offset, g, t, x, y, u, w, accuracy;
};
constexpr SpringPendulumRow spring_pendulum_rows[] = {
    {1e-1, 0, 1, 10, -0.6928054557291908, -0.7512818678091055, -0.8685101699823772, 0.8366756935081976, 1e-15},
    {1e-1, 0.1, 1, 10, -0.6970748385744317, -0.7560084038257853, -0.8095388429177398, 0.8867955228122319, 1e-15},
    {1e-2, 0, 1, 10, -0.8105773056273364, -0.5859316734396358, -0.633876034208969, 0.877357226978934, 1e-14},
    {1e-2, 0.1, 1, 10, -0.8109247462407351, -0.5861960340267912, -0.5606786798282595, 0.9296686747985755, 1e-14},
    {1e-3, 0, 1, 10, -0.8115763726510993, -0.5842493447457128, -0.631552630591, 0.877289514465, 1e-12},
    {1e-3, 0.1, 1, 10, -0.8114995554390025, -0.5841938590937953, -0.657537886954, 0.858709051168, 1e-12},
    {1e-4, 0, 1, 10, -0.8115863454577215, -0.5842325212794389, -0.6315293838737, 0.8772888060060, 1e-12},
    {1e-4, 0.1, 1, 10, -0.811578234798677, -0.584226681792761, -0.62875248577, 0.87930110793, 1e-11},
    {1e-1, 0, 13.7503716, 3.7, -0.831139708186, -0.378596751309, -1.3696520095, -2.79001230358, 1e-11},
    {1e-2, 0, 13.7503716, 3.7, 0.799566040926, -0.60471236191, 2.44463298421, 3.25451840161, 1e-11},
    {1e-3, 0, 13.7503716, 3.7, 0.818876258631, -0.574011349558, 2.28041594832, 3.25344143601, 1e-11},
};

std::optional<Reference> reference(double eps, double offset, double g, double t) {
  Reference r{.t = t, .components = {"x", "y", "u", "w"}, .origin = "recomputed"};
  if (eps == 0) {  // θ from the downward vertical, released at π/2
    const auto [theta, rate] = swing(std::numbers::pi / 2, std::sqrt(g), t);
    const double x = std::sin(theta), y = -std::cos(theta);
    r.values = {x, y, -y * rate, x * rate};
    r.accuracy = 1e-14;
    r.origin = "exact";
    return r;
  }
  for (const SpringPendulumRow& row : spring_pendulum_rows)
    if (same(row.eps, eps) && same(row.offset, offset) && same(row.g, g) && same(row.t, t)) {
      r.values = {row.x, row.y, row.u, row.w};
      r.accuracy = row.accuracy;
      return r;
    }
  return std::nullopt;
}

struct Choice {
  double eps, g, x0;
  Task task;
};
Choice choice(const Parameters& p) {
  const double eps = get(p, "eps"), offset = get(p, "offset"), g = get(p, "g"), t_end = get(p, "t_end");
  return {
      .eps = eps,
      .g = g,
      .x0 = 1 + offset * eps,
      .task = {.t_end = t_end,
               .reference = reference(eps, offset, g, t_end),
               .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of positions and velocities at t_end"},
               .initial_step = 1e-4}};
}

Result<Instance> make_stiff_spring_pendulum(const Parameters& p, std::string_view formulation) {
  auto [eps, g, x0, task] = choice(p);
  const MechanicalState guess{
      .q = vector({x0, 0}), .v = vector({0, 0}), .lambda = vector({eps > 0 ? (x0 - 1) / (eps * eps) : 0})};
  if (formulation.empty()) formulation = eps > 0 ? "eps-lambda" : "index-3";
  return mechanical_instance(make_mechanical(Spring{eps, g}), guess, formulation, std::move(task));
}

Result<Instance> make_source(const Parameters& p, std::string_view /*formulation*/) {
  auto [eps, g, x0, task] = choice(p);
  Layout layout{{.name = "q", .size = 2, .unit = "m", .components = {"x", "y"}},
                {.name = "v", .size = 2, .unit = "m/s", .h_power = 1, .components = {"u", "w"}},
                {.name = "lambda", .size = 1, .kind = Kind::algebraic, .h_power = 2, .components = {"lambda"}}};
  layout.eliminate("q", "v").set_index(eps > 0 ? 1 : 3);
  const double lambda = eps > 0 ? (x0 - 1) / (x0 * eps * eps) : 0;
  return dae_instance(make_dae(SourceSpring{{eps, g}}, std::move(layout)), vector({x0, 0, 0, 0, lambda}),
                      std::move(task));
}

std::vector<Parameter> parameters() {
  return {{.name = "eps", .default_value = 1e-3, .help = "the stiffness is 1/eps^2; 0: rigid rod", .min = 0, .max = 1},
          {.name = "offset",
           .default_value = 0,
           .help = "start at x = 1 + offset eps: 0 smooth, 0.1 oscillating",
           .min = -1,
           .max = 1},
          {.name = "g",
           .default_value = 1,
           .unit = "m/s^2",
           .help = "gravity; 13.7503716: period 2 for eps = 0",
           .min = 1e-6,
           .max = 1e6},
          end_time(10)};
}

}  // namespace

Entry stiff_spring_pendulum() {
  return {.name = "stiff-spring-pendulum",
          .title = "point mass on a stiff spring",
          .source = "Lubich, ZAMP 44 (1993) 1022; reference values recomputed",
          .parameters = parameters(),
          .formulations = {"penalty", "eps-lambda", "eps-lambda-rate", "index-3", "index-2", "ggl", "index-1",
                           "semi-explicit", "state-space"},
          .default_formulation = "eps-lambda",
          .t_end = 10,
          .make = make_stiff_spring_pendulum};
}

Entry stiff_spring_pendulum_source() {
  return {.name = "stiff-spring-pendulum-source",
          .title = "stiff spring pendulum with the multiplier (r-1)/(eps^2 r) of the source, in (q, v, lambda)",
          .source = "Lubich, ZAMP 44 (1993) 1022; reference values recomputed",
          .parameters = parameters(),
          .t_end = 10,
          .make = make_source};
}

}  // namespace rubato::catalogue
