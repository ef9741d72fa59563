/// Heavy top in absolute coordinates: centre of mass x ∈ R³ and rotation R = R(base) exp(δ̃), tied to the fixed point by
///   0 = x − R X.
///   x' = v,  δ' = T(δ)⁻¹ ω,   m v' = m γ − λ,   J ω' = −ω × Jω + …,   J about the centre of mass, ω body-fixed.
/// m = 15, J = diag(0.234375, 0.46875, 0.234375), X = (0, 1, 0), γ = (0, 0, −9.81); R(0) = I, ω(0) = (0, 150, −4.61538).
/// Brüls & Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002, doi:10.1115/1.4001370. λ is the force on the body at x,
/// against the source's Φ = −X + Rᵀx rotated to space. References recomputed from Euler's equations about the fixed point.
#include "catalogue/problems.hpp"
#include "rubato/problem/rotation.hpp"

namespace rubato::catalogue {

namespace {

constexpr double top_mass = 15, top_gravity = 9.81;
constexpr Three<double> inertia_moments{0.234375, 0.46875, 0.234375}, arm{0, 1, 0};

struct HeavyTop {
  static constexpr bool constant_mass = true, autonomous = true, rates_near_identity = true;
  MechanicalSizes sizes() const { return {.q = 6, .v = 6, .lambda = 3}; }
  std::vector<std::string> names(std::string_view block) const {
    if (block == "q") return {"x", "y", "z", "delta1", "delta2", "delta3"};
    if (block == "v") return {"vx", "vy", "vz", "omega1", "omega2", "omega3"};
    return {};
  }
  int base_size() const { return 4; }
  void rebase(Out q, Out base) const { rebase_rotation(q.subspan(3, 3), base); }
  void transport(In from, In to, Out q) const { transport_rotation(from, to, q.subspan(3, 3)); }
  template <class S>
  EvalStatus kinematics(const MechanicalPoint<S>& p, std::span<const S> v, std::span<S> rate) const {
    for (std::size_t i = 0; i < 3; ++i) rate[i] = v[i];
    return chart_rate(three(p.q, 3), three(v, 3), rate.subspan(3, 3));
  }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < 3; ++i) {
      out[i] = top_mass * a[i];
      out[3 + i] = inertia_moments[i] * a[3 + i];
    }
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    const Three<S> omega = three(p.v, 3);
    const Three<S> spin{inertia_moments[0] * omega[0], inertia_moments[1] * omega[1], inertia_moments[2] * omega[2]};
    const Three<S> gyration = cross(omega, spin);
    f[0] = S(0.0);
    f[1] = S(0.0);
    f[2] = S(-top_mass * top_gravity);
    for (std::size_t i = 0; i < 3; ++i) f[3 + i] = -gyration[i];
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    const Three<S> tip = to_space(p.base, three(p.q, 3), arm);
    for (std::size_t i = 0; i < 3; ++i) g[i] = p.q[i] - tip[i];
  }
  std::vector<std::string> invariant_names() const { return {"energy", "vertical angular momentum", "spin"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    const Three<double> x = three(p.q, 0), v = three(p.v, 0), omega = three(p.v, 3);
    const Three<double> spin{inertia_moments[0] * omega[0], inertia_moments[1] * omega[1],
                             inertia_moments[2] * omega[2]};
    out[0] = (top_mass * dot(v, v) + dot(omega, spin)) / 2 + top_mass * top_gravity * x[2];
    out[1] = top_mass * (x[0] * v[1] - x[1] * v[0]) + to_space(p.base, three(p.q, 3), spin)[2];
    out[2] = omega[1];
  }
};

struct HeavyTopRow {
  double t;
  Three<double> x, v;
};
constexpr HeavyTopRow heavy_top_rows[] = {
    {0.1,
     {0.42129665892535, 0.89457197434561, -0.14916470056194},
     {3.408537463339, -2.0834379505791, -2.8678350450072}},
    {1,
     {0.17334396409812, 0.64008859207016, -0.74849079113399},
     {0.57082530342045, -4.5887282963368, -3.7919551547084}},
    {2,
     {-0.15041682274651, -0.72416559163725, -0.67302226955986},
     {-2.7491863125833, -3.2027186355676, 4.0605231497579}},
};

Result<Instance> make_heavy_top(const Parameters& p, std::string_view formulation) {
  const double t_end = get(p, "t_end"), spin = get(p, "spin");
  Task task{
      .t_end = t_end,
      .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of position and velocity of the centre at t_end"},
      .initial_step = 1e-4};
  for (const HeavyTopRow& row : heavy_top_rows)
    if (same(row.t, t_end) && same(spin, 150))
      task.reference = {.t = t_end,
                        .components = {"x", "y", "z", "vx", "vy", "vz"},
                        .values = {row.x[0], row.x[1], row.x[2], row.v[0], row.v[1], row.v[2]},
                        .accuracy = 1e-10,
                        .origin = "recomputed"};
  const Three<double> omega{0, spin, -4.61538}, v = cross(omega, arm);
  const MechanicalState guess{.q = vector({arm[0], arm[1], arm[2], 0, 0, 0}),
                              .v = vector({v[0], v[1], v[2], omega[0], omega[1], omega[2]}),
                              .lambda = Vector::Zero(3),
                              .base = vector({1, 0, 0, 0})};
  return mechanical_instance(make_mechanical(HeavyTop{}), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry heavy_top() {
  return {.name = "heavy-top",
          .title = "heavy top in absolute coordinates, rotation in a chart",
          .source = "Bruels & Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002",
          .parameters = {{.name = "spin",
                          .default_value = 150,
                          .unit = "rad/s",
                          .help = "about the axis of the top",
                          .min = -1e4,
                          .max = 1e4},
                         end_time(1)},
          .formulations = {"index-3", "index-2", "ggl", "index-1", "semi-explicit", "state-space"},
          .default_formulation = "index-2",
          .t_end = 1,
          .make = make_heavy_top};
}

}  // namespace rubato::catalogue
