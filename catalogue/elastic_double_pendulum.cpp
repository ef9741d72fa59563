/// Elastic double pendulum: the slider crank of slider_crank.cpp with its slider taken off. The source says only that the
/// constraint of the slider is dropped and the rest eliminated; the reading here: slider, x₃, g₁ and g₂ go, the crank keeps
/// turning with φ₁ = Ωt (g₃ eliminated), and the rod, its mass block with 1/15, swings freely at the crank's end. Unknowns
/// ψ = φ₂ − φ₁ and q₁ … q₄: seen from the crank nothing depends on time. Stretching is stiff and written with the
/// multipliers of two springs: 16 q₃² − 16 q₃q₄ + 7 q₄² = (4q₃ − 2q₄)² + 3 q₄² gives, with A_K = E b h/l₂ = 1/ε²,
///   M v' = f − Gᵀλ,   0 = 4q₃ − 2q₄ − 3ε² λ₁,   0 = q₄ − ε² λ₂                                                       (1)
/// `penalty` is the standard form, `eps-lambda` and `eps-lambda-rate` keep λ. ε = 1.5e-4; bending (203 and 813 Hz for a rod
/// at rest) stays among the forces. Kept is Jacobi's integral
///   T + U − Ω (∂T/∂φ₁' + ∂T/∂φ₂')                                                                                     (2)
/// Start: both arms in line, φ₂' = −Ω l₁/l₂ as in the crank, no bending; q₃, q₄ carry the centrifugal force (on the smooth
/// motion up to ε⁴) or, perturbed, the rod is undeformed.
/// Schaub & Simeon, Blended Lobatto methods in multibody dynamics, ZAMM 83 (2003) 720. References recomputed (extrapolated
/// midpoint rule of order 18, 64-bit mantissa, 16 000 against 32 000 steps).
#include "catalogue/flexible_crank.hpp"
#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double elastic_speed = FlexibleCrank::speed;
constexpr double compliance = 1 / FlexibleCrank::axial_stiffness;  // ε²

struct ElasticDoublePendulum {
  static constexpr bool autonomous = true;
  FlexibleCrank crank{.axial_mass = 1.0 / 15};
  bool is_compliant() const { return true; }
  MechanicalSizes sizes() const { return {.q = 5, .v = 5, .lambda = 2}; }
  std::vector<std::string> names(std::string_view block) const {
    std::vector<std::string> names{"psi", "q1", "q2", "q3", "q4"};
    if (block == "q") return names;
    if (block != "v" && block != "a" && block != "p") return {};
    for (auto& name : names) name = std::string(block) + "_" + name;
    return names;
  }

  /// (0, ψ, 0, q₁ … q₄): the coordinates of the crank, seen from it, and their rates beside its own rotation.
  template <class S>
  using Seven = std::array<S, 7>;
  template <class S>
  static Seven<S> whole(std::span<const S> x) {
    return {S(0.0), x[0], S(0.0), x[1], x[2], x[3], x[4]};
  }
  template <class S>
  static void reduce(const Seven<S>& x, std::span<S> out) {
    out[0] = x[1];
    for (std::size_t i = 1; i < 5; ++i) out[i] = x[i + 2];
  }
  /// Calls use(point of the crank).
  template <class S, class Use>
  static void on_crank(const MechanicalPoint<S>& p, Use&& use) {
    const Seven<S> q = whole(p.q);
    Seven<S> v = whole(p.v);
    v[0] += elastic_speed;
    v[1] += elastic_speed;
    MechanicalPoint<S> there = p;
    there.q = q;
    there.v = v;
    use(there);
  }

  template <class S>
  void inertia(const MechanicalPoint<S>& p, std::span<const S> a, std::span<S> out) const {
    const Seven<S> all = whole(a);
    Seven<S> ma;
    on_crank(p, [&](const auto& there) { crank.inertia(there, std::span<const S>(all), std::span<S>(ma)); });
    reduce(ma, out);
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    Seven<S> all;
    on_crank(p, [&](const auto& there) {
      crank.motion_force(there, std::span<S>(all));
      const auto bending = crank.bending_times(FlexibleCrank::elastic(there.q));
      for (std::size_t i = 0; i < 4; ++i) all[3 + i] -= bending[i];
    });
    reduce(all, f);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    g[0] = 4.0 * p.q[3] - 2.0 * p.q[4] - 3 * compliance * p.lambda[0];  // (1)
    g[1] = p.q[4] - compliance * p.lambda[1];
  }
  std::vector<std::string> invariant_names() const { return {"jacobi"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    Seven<double> mv;
    on_crank(p, [&](const auto& there) {
      crank.inertia(there, there.v, std::span<double>(mv));
      const auto q = FlexibleCrank::elastic(there.q), bending = crank.bending_times(q);
      out[0] = (compliance * (3 * p.lambda[0] * p.lambda[0] + p.lambda[1] * p.lambda[1]) + q[0] * bending[0] +
                q[1] * bending[1]) /
               2;
      for (std::size_t i = 0; i < 7; ++i) out[0] += there.v[i] * mv[i] / 2;
    });
    out[0] -= elastic_speed * (mv[0] + mv[1]);  // (2)
  }
};

Result<Instance> make_elastic_double_pendulum(const Parameters& p, std::string_view formulation) {
  const bool smooth = get(p, "start") == 0;
  Task task{.t_end = get(p, "t_end"),
            .measure = {.atol = 0,
                        .rtol = 1,
                        .definition = "relative error of psi, q1 ... q4 at t = 0.1",
                        .atol_per_rtol = 1e-4},
            .initial_step = 1e-5};
  if (same(task.t_end, 0.1)) {
    task.reference = {.t = 0.1,
                      .components = {"psi", "q1", "q2", "q3", "q4"},
                      .values = {0.08024165126333, -1.244818970719265e-4, -7.336146812752871e-6, 3.864934465916740e-5,
                                 5.568651217139952e-5},
                      .accuracy = 1e-12,
                      .origin = "recomputed"};
    if (!smooth)
      task.reference->values = {0.08084984695762, -1.248720965794673e-4, -7.369715541929490e-6, 3.989925236169286e-5,
                                5.763512782013905e-5};
  }
  const double q3 = smooth ? 5.85234928e-6 : 0, q4 = smooth ? 7.96918346e-6 : 0;
  const MechanicalState guess{.q = vector({0, 0, 0, q3, q4}),
                              .v = vector({-elastic_speed * (1 + FlexibleCrank::l1 / FlexibleCrank::l2), 0, 0, 0, 0}),
                              .lambda = Vector::Zero(2)};
  return mechanical_instance(make_mechanical(ElasticDoublePendulum{}), guess,
                             formulation.empty() ? "eps-lambda+a" : formulation, std::move(task));
}

}  // namespace

Entry elastic_double_pendulum() {
  return {.name = "elastic-double-pendulum",
          .title = "crank and freely swinging flexible rod, its stretching as stiff springs",
          .source = "Schaub & Simeon, ZAMM 83 (2003) 720; data: Test Set for IVP Solvers, crank",
          .parameters = {flag("start", 0, "0: stretching on the smooth motion, 1: undeformed rod"), end_time(0.1)},
          .formulations = {"penalty", "eps-lambda", "eps-lambda+a", "eps-lambda-rate"},
          .default_formulation = "eps-lambda+a",
          .t_end = 0.1,
          .make = make_elastic_double_pendulum};
}

}  // namespace rubato::catalogue
