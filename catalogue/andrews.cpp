/// Andrews' squeezing mechanism (seven body mechanism): q = (β, Θ, γ, Φ, δ, Ω, ε), six constraints, one degree of freedom,
/// driven by a constant torque, 0 ≤ t ≤ 0.03. M v' = f − Gᵀλ, 0 = g: signs of the Test Set, λ likewise (factor 1).
/// Schiehlen (ed.), Multibody Systems Handbook (1990); Hairer & Wanner, Solving ODEs II, VII.7; Test Set for IVP Solvers,
/// andrews. Reference positions recomputed (index 1, DOP853, rtol 1e-13): the published ones are good to 1e-10.
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

// Masses, inertias and lengths of the handbook.
constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                 i7 = 1.912e-5;
constexpr double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530;
constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874;
constexpr double sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449;
constexpr double zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033, l0 = 0.07785;
constexpr double beta0 = -0.0617138900142764496;

struct Andrews {
  static constexpr bool autonomous = true;
  MechanicalSizes sizes() const { return {.q = 7, .v = 7, .lambda = 6}; }
  std::vector<std::string> names(std::string_view block) const {
    std::vector<std::string> names{"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
    if (block == "q") return names;
    if (block != "v" && block != "a" && block != "p") return {};
    for (auto& name : names) name = std::string(block) + "_" + name;
    return names;
  }
  std::string unit(std::string_view block) const {
    return block == "q" ? "rad" : block == "v" ? "rad/s" : block == "a" ? "rad/s^2" : block == "lambda" ? "N" : "";
  }

  template <class S>
  void inertia(const MechanicalPoint<S>& p, std::span<const S> a, std::span<S> out) const {
    using std::cos, std::sin;
    const S cos_theta = cos(p.q[1]), sin_phi = sin(p.q[3]), sin_omega = sin(p.q[5]);
    const double e1 = e - ea, z1 = zf - fa;
    const S m11 = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos_theta + da * da) + i1 + i2;
    const S m21 = m2 * (da * da - da * rr * cos_theta) + i2;
    const double m22 = m2 * da * da + i2, m33 = m3 * (sa * sa + sb * sb) + i3, m44 = m4 * e1 * e1 + i4;
    const S m54 = m4 * (e1 * e1 + zt * e1 * sin_phi) + i4;
    const S m55 = m4 * (zt * zt + 2 * zt * e1 * sin_phi + e1 * e1) + m5 * (ta * ta + tb * tb) + i4 + i5;
    const double m66 = m6 * z1 * z1 + i6;
    const S m76 = m6 * (z1 * z1 - u * z1 * sin_omega) + i6;
    const S m77 = m6 * (z1 * z1 - 2 * u * z1 * sin_omega + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
    out[0] = m11 * a[0] + m21 * a[1];
    out[1] = m21 * a[0] + m22 * a[1];
    out[2] = m33 * a[2];
    out[3] = m44 * a[3] + m54 * a[4];
    out[4] = m54 * a[3] + m55 * a[4];
    out[5] = m66 * a[5] + m76 * a[6];
    out[6] = m76 * a[5] + m77 * a[6];
  }

  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::cos, std::sin, std::sqrt;
    const auto& q = p.q;
    const auto& v = p.v;
    const auto [sin_g, cos_g] = sin_cos(q[2]);
    const S dx = sd * cos_g + sc * sin_g + xb - xc, dy = sd * sin_g - sc * cos_g + yb - yc;
    const S length = sqrt(dx * dx + dy * dy);
    const S force = -c0 * (length - l0) / length;
    f[0] = mom - m2 * da * rr * v[1] * (v[1] + 2.0 * v[0]) * sin(q[1]);
    f[1] = m2 * da * rr * v[0] * v[0] * sin(q[1]);
    f[2] = force * dx * (sc * cos_g - sd * sin_g) + force * dy * (sd * cos_g + sc * sin_g);
    f[3] = m4 * zt * (e - ea) * v[4] * v[4] * cos(q[3]);
    f[4] = -m4 * zt * (e - ea) * v[3] * (v[3] + 2.0 * v[4]) * cos(q[3]);
    f[5] = -m6 * u * (zf - fa) * v[6] * v[6] * cos(q[5]);
    f[6] = m6 * u * (zf - fa) * v[5] * (v[5] + 2.0 * v[6]) * cos(q[5]);
  }

  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    const auto beta = sin_cos(p.q[0]), gamma = sin_cos(p.q[2]), delta = sin_cos(p.q[4]), eps = sin_cos(p.q[6]);
    const auto bt = sin_cos(p.q[0] + p.q[1]), pd = sin_cos(p.q[3] + p.q[4]), oe = sin_cos(p.q[5] + p.q[6]);
    const S x = rr * beta.cos - d * bt.cos, y = rr * beta.sin - d * bt.sin;
    g[0] = x - ss * gamma.sin - xb;
    g[1] = y + ss * gamma.cos - yb;
    g[2] = x - e * pd.sin - zt * delta.cos - xa;
    g[3] = y + e * pd.cos - zt * delta.sin - ya;
    g[4] = x - zf * oe.cos - u * eps.sin - xa;
    g[5] = y - zf * oe.sin + u * eps.cos - ya;
  }

  /// Kinetic + spring energy − torque · (β − β₀).
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    double mv[7];
    inertia<double>(p, p.v, mv);
    double kinetic = 0;
    for (std::size_t i = 0; i < 7; ++i) kinetic += p.v[i] * mv[i] / 2;
    const double s = std::sin(p.q[2]), c = std::cos(p.q[2]);
    const double stretch = std::hypot(sd * c + sc * s + xb - xc, sd * s - sc * c + yb - yc) - l0;
    out[0] = kinetic + c0 * stretch * stretch / 2 - mom * (p.q[0] - beta0);
  }
};

Result<Instance> make_andrews(const Parameters& p, std::string_view formulation) {
  const double t_end = get(p, "t_end");
  Task task{.t_end = t_end,
            .measure = {.atol = 0,
                        .rtol = 1,
                        .definition = "relative error of the seven angles at t = 0.03 (scd of the Test Set)"},
            .initial_step = 1e-6};
  if (same(t_end, 0.03))
    task.reference = {.t = t_end,
                      .components = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"},
                      .values = {15.81077119515, -15.75637105841, 0.04082224011962, -0.5347301163421, 0.5244099658799,
                                 0.5347301163421, 1.048080741042},
                      .accuracy = 1e-12,
                      .origin = "recomputed"};
  const MechanicalState guess{.q = vector({beta0, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
                                           -0.222668390165885885, 1.230547444549821192}),
                              .v = Vector::Zero(7),
                              .lambda = vector({98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0})};
  return mechanical_instance(make_mechanical(Andrews{}), guess, formulation.empty() ? "index-1" : formulation,
                             std::move(task));
}

}  // namespace

Entry andrews() {
  return {
      .name = "andrews",
      .title = "Andrews' squeezing mechanism, seven bodies",
      .source = "Schiehlen (ed.), Multibody Systems Handbook (1990); Test Set for IVP Solvers, andrews",
      .parameters = {end_time(0.03)},
      .formulations = {"index-3", "index-2", "ggl", "index-1", "semi-explicit", "momentum", "hamilton", "state-space"},
      .default_formulation = "index-1",
      .t_end = 0.03,
      .make = make_andrews};
}

}  // namespace rubato::catalogue
