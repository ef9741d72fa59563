/// Linear test DAE of stiff mechanics: three masses, the first held by a stiff spring (ω₁ = 1/ε) to cos Ωt, the last two
/// rigidly coupled.
///   q'' = −K q − u(t) − ω₁² (q₁ − cos Ωt, 0, 0) − Gᵀ λ,   0 = q₂ − q₃,   u = (Ω² + ω₂², 4Ω² − ω₂², 0) cos Ωt,
///   K = [ω₂² −ω₂² 0; −ω₂² ω₂²+ω₃² −ω₃²; 0 −ω₃² ω₃²]
/// Exact: q₁ = cos Ωt, q₂ = q₃ = 2 cos Ωt, λ = −2Ω² cos Ωt. Consistent start λ(0) = −2Ω²; the source prints 0
/// (`printed_start`, with accelerations at 0 too), harmless where λ and a are treated as variables of index 2. `ggl` is the source's standard form (λ, μ of
/// index 2), `ggl+a` its semi-explicit form (a, λ, μ of index 2); μ = 0 has the other sign here, q' = v − Gᵀμ.
/// Schaub & Simeon, Blended Lobatto methods in multibody dynamics, ZAMM 83 (2003) 720.
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct LinearDae {
  static constexpr bool constant_mass = true;
  double omega1 = 1e3, omega2 = 1, omega3 = 1, drive = 20;
  MechanicalSizes sizes() const { return {.q = 3, .v = 3, .lambda = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < 3; ++i) out[i] = a[i];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::cos;
    const double k2 = omega2 * omega2, k3 = omega3 * omega3, d2 = drive * drive;
    const S c = cos(drive * p.t);
    const S s12 = k2 * (p.q[0] - p.q[1]), s23 = k3 * (p.q[1] - p.q[2]);
    f[0] = -s12 - (d2 + k2) * c - omega1 * omega1 * (p.q[0] - c);
    f[1] = s12 - s23 - (4 * d2 - k2) * c;
    f[2] = s23;
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    g[0] = p.q[1] - p.q[2];
  }
};

Result<Instance> make_linear_dae(const Parameters& p, std::string_view formulation) {
  const LinearDae model{get(p, "omega1"), get(p, "omega2"), get(p, "omega3"), get(p, "drive")};
  const double t_end = get(p, "t_end");
  const double c = std::cos(model.drive * t_end), s = -model.drive * std::sin(model.drive * t_end);
  Task task{.t_end = t_end,
            .reference = Reference{.t = t_end,
                                   .components = {"q[0]", "q[1]", "q[2]", "v[0]", "v[1]", "v[2]"},
                                   .values = {c, 2 * c, 2 * c, s, 2 * s, 2 * s},
                                   .accuracy = 1e-14,
                                   .origin = "exact"},
            .measure = {.atol = 1, .rtol = 1, .definition = "error of q and v at t_end relative to 1 + |value|"},
            .initial_step = 1e-3};
  const MechanicalState guess{
      .q = vector({1, 2, 2}), .v = vector({0, 0, 0}), .lambda = vector({-2 * model.drive * model.drive})};
  auto instance =
      mechanical_instance(make_mechanical(model), guess, formulation.empty() ? "ggl" : formulation, std::move(task));
  if (instance && get(p, "printed_start") != 0)
    for (const char* name : {"lambda", "a"})
      if (const Block* block = instance->problem.dae->layout().find(name))
        instance->problem.x.segment(block->offset, block->size).setZero();
  return instance;
}

}  // namespace

Entry linear_dae() {
  return {.name = "linear-dae",
          .title = "linear test DAE: stiff spring and rigid coupling",
          .source = "Schaub & Simeon, ZAMM 83 (2003) 720",
          .parameters =
              {{.name = "omega1",
                .default_value = 1e3,
                .unit = "rad/s",
                .help = "of the stiff spring, 1/eps",
                .min = 0,
                .max = 1e9},
               {.name = "omega2",
                .default_value = 1,
                .unit = "rad/s",
                .help = "of the spring between masses 1 and 2",
                .min = 0,
                .max = 1e9},
               {.name = "omega3",
                .default_value = 1,
                .unit = "rad/s",
                .help = "of the spring between masses 2 and 3",
                .min = 0,
                .max = 1e9},
               {.name = "drive", .default_value = 20, .unit = "rad/s", .help = "of the motion", .min = 0, .max = 1e6},
               flag("printed_start", 0, "1: lambda(0) = 0 as printed, and accelerations 0, inconsistent"),
               end_time(2)},
          .formulations = {"index-3", "index-2", "ggl", "index-1", "semi-explicit", "state-space"},
          .default_formulation = "ggl",
          .t_end = 2,
          .make = make_linear_dae};
}

}  // namespace rubato::catalogue
