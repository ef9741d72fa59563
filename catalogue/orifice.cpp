/// Two oil volumes behind a valve whose opening u(t) jumps: turbulent orifices that turn laminar at small differences.
///   V₁/β p₁' = Q(A_n, p_n − p₁) − Q(A_12, p₁ − p₂),   V₂/β p₂' = Q(A_12, p₁ − p₂) − Q(A_out, p₂ − p_t),
///   0 = Q(u A_v, p_s − p_n) − Q(A_n, p_n − p₁),        Q(A, d) = c_d A √(2/ρ) d / (d² + p_c²)^¼
/// The node p_n between valve and orifice has no volume: an algebraic unknown that jumps with u, so every jump asks for a
/// consistent restart. Q(A, d) → c_d A √(2|d|/ρ) sign d for |d| ≫ p_c. Written for this catalogue; references recomputed.
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double supply = 2e7, tank = 1e5, transition = 1e4, orifice_bulk = 1.5e9, volume1 = 1e-4, volume2 = 1e-3;
constexpr double area_valve = 1e-5, area_node = 5e-6, area_12 = 4e-6, area_out = 3e-6,
                 flow_factor = 0.6 * 0.04850712500726659;

template <class S>
S orifice_flow(const S& area, const S& difference) {
  using std::sqrt;
  return flow_factor * area * difference / sqrt(sqrt(difference * difference + transition * transition));
}

// Q(0.2 A_v, p_s − p_n) = Q(A_n, p_n − p_t), solved in forty digits.
constexpr double node_at_start = 2844842.8874703175579;

struct Orifice {
  static constexpr bool autonomous = true, recordable = true;
  int n_inputs() const { return 1; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const S p1 = at.x[0], p2 = at.x[1], node = at.x[2];
    const S through_valve = orifice_flow(S(area_valve * at.u[0]), S(supply - node)),
            in = orifice_flow(S(area_node), S(node - p1));
    const S between = orifice_flow(S(area_12), S(p1 - p2)), outward = orifice_flow(S(area_out), S(p2 - tank));
    out[0] = orifice_bulk / volume1 * (in - between);
    out[1] = orifice_bulk / volume2 * (between - outward);
    out[2] = orifice_bulk / volume1 * (through_valve - in);
  }
  std::vector<std::string> output_names() const { return {"flow through the valve"}; }
  template <class S>
  void outputs(const Point<S>& at, std::span<S> y) const {
    y[0] = orifice_flow(S(area_valve * at.u[0]), S(supply - at.x[2]));
  }
};

struct OrificeRow {
  double t, p1, p2, node;
};
constexpr OrificeRow orifice_rows[] = {{0.05, 6991427.0286386, 4228348.5375216, 8785736.3624896},
                                       {0.12, 15388601.901915, 9642462.3609586, 19077679.726013},
                                       {0.2, 1024238.5559328, 725291.9052089, 1212379.9258978}};

Result<Instance> make_orifice(const Parameters& p, std::string_view /*formulation*/) {
  const double t_end = get(p, "t_end");
  // Opening 0.2, fully open at 0.05, nearly closed at 0.12.
  auto input = TableSignal::create({0, 0.05, 0.05, 0.12, 0.12}, {0.2, 0.2, 1, 1, 0.05});
  if (!input) return input.error();
  Task task{.t_end = t_end,
            .measure = {.atol = 0,
                        .rtol = 1,
                        .definition = "relative error of all pressures at t_end; atol = 1e5 rtol",
                        .atol_per_rtol = 1e5},
            .initial_step = 1e-6,
            .input = *input};
  for (const OrificeRow& row : orifice_rows)
    if (same(row.t, t_end))
      task.reference = {.t = t_end,
                        .components = {"p1", "p2", "p_n"},
                        .values = {row.p1, row.p2, row.node},
                        .accuracy = 1e-10,
                        .origin = "recomputed"};
  return dae_instance(
      make_dae(Orifice{}, {{.name = "p", .size = 2, .unit = "Pa", .components = {"p1", "p2"}},
                           {.name = "p_n", .size = 1, .unit = "Pa", .kind = Kind::algebraic, .components = {"p_n"}}}),
      vector({tank, tank, node_at_start}), std::move(task));
}

}  // namespace

Entry orifice() {
  return {.name = "orifice",
          .title = "oil volumes behind a valve that jumps, turbulent and laminar orifices",
          .source = "written for this catalogue; reference values recomputed",
          .parameters = {end_time(0.2)},
          .t_end = 0.2,
          .make = make_orifice};
}

}  // namespace rubato::catalogue
