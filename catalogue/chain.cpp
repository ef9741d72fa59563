/// A chain of N massless links hanging from a peg at the origin: point masses m = 1/N kg at the end of each link, links of
/// length l = 1/N m (1 kg and 1 m together), in Cartesian coordinates r_i = (x_i, y_i), y up, r₀ = 0, gravity 9.81 m/s².
///   m r_i'' = −m g e_y − (Gᵀλ)_i,   0 = g_i = (|r_i − r_{i−1}|² − l²)/(2l),   i = 1 … N                              (1)
///   (Gᵀλ)_i = λ_i d_i/l − λ_{i+1} d_{i+1}/l,   d_i = r_i − r_{i−1}: λ_i is the tension of link i                     (2)
/// Released at rest from the horizontal, r_i = (i l, 0), where λ = 0; 0 ≤ t ≤ 1. Constant diagonal mass, tridiagonal
/// G M⁻¹ Gᵀ: every evaluation costs O(N). Energy is kept. Written for this catalogue. References: recomputed (index 1,
/// extrapolated midpoint rule of order 18, 64-bit mantissa; each with half its steps: 8000, 32000, 40000).
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double chain_gravity = 9.81;

struct Chain {
  static constexpr bool constant_mass = true, autonomous = true;
  int links = 10;
  [[nodiscard]] double share() const { return 1.0 / links; }  // of mass and length
  MechanicalSizes sizes() const { return {.q = 2 * links, .v = 2 * links, .lambda = links}; }
  std::vector<std::string> names(std::string_view block) const {
    std::vector<std::string> names;
    const auto add = [&](const char* x, const char* y) {
      for (int i = 1; i <= links; ++i)
        for (const char* c : {x, y}) names.push_back(c + std::to_string(i));
    };
    if (block == "q") add("x", "y");
    if (block == "v") add("u", "w");
    return names;
  }
  /// Calls visit(i, d_i) for every link.
  template <class S, class Visit>
  void each_link(const MechanicalPoint<S>& p, Visit&& visit) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(links); ++i) {
      if (i == 0)
        visit(i, p.q[0], p.q[1]);
      else
        visit(i, S(p.q[2 * i] - p.q[2 * i - 2]), S(p.q[2 * i + 1] - p.q[2 * i - 1]));
    }
  }

  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = share() * a[i];
  }
  template <class S>
  void force(const MechanicalPoint<S>&, std::span<S> f) const {
    for (std::size_t i = 0; i < f.size(); i += 2) {
      f[i] = S(0.0);
      f[i + 1] = S(-share() * chain_gravity);
    }
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    const double l = share();
    each_link(p,
              [&](std::size_t i, const S& dx, const S& dy) { g[i] = (dx * dx + dy * dy - l * l) / (2 * l); });  // (1)
  }
  template <class S>
  void reaction(const MechanicalPoint<S>& p, std::span<const S> lambda, std::span<const S> /*nu*/,
                std::span<S> out) const {
    each_link(p, [&](std::size_t i, const S& dx, const S& dy) {  // (2)
      const S pull_x = lambda[i] * dx / share(), pull_y = lambda[i] * dy / share();
      out[2 * i] = pull_x;
      out[2 * i + 1] = pull_y;
      if (i == 0) return;
      out[2 * i - 2] -= pull_x;
      out[2 * i - 1] -= pull_y;
    });
  }
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    out[0] = 0;
    for (std::size_t i = 0; i < p.q.size(); i += 2)
      out[0] += share() * ((p.v[i] * p.v[i] + p.v[i + 1] * p.v[i + 1]) / 2 + chain_gravity * p.q[i + 1]);
  }
};

struct ChainRow {
  int links;
  double x, y, u, w, accuracy;  // of the free end at t = 1
};
constexpr ChainRow chain_rows[] = {
    {10, -0.91331222940637694, -0.14965514141883066, 0.14618320255699188, -0.05020087795883104, 1e-14},
    {40, -0.9073965467633897, -0.1725929570342559, 0.1492578305246474, -0.207935232530968, 1e-14},
    {100, -0.9075034885152905, -0.1797636627668145, 0.1520878825622145, -0.2418983254675383, 1e-14},
};

Result<Instance> make_chain(const Parameters& p, std::string_view formulation) {
  const Chain model{static_cast<int>(get(p, "links"))};
  Task task{.t_end = get(p, "t_end"),
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of the free end's position and velocity"},
            .initial_step = 1e-4};
  for (const ChainRow& row : chain_rows)
    if (row.links == model.links && same(task.t_end, 1)) {
      const std::string end = std::to_string(row.links);
      task.reference = {.t = 1,
                        .components = {"x" + end, "y" + end, "u" + end, "w" + end},
                        .values = {row.x, row.y, row.u, row.w},
                        .accuracy = row.accuracy,
                        .origin = "recomputed"};
    }
  MechanicalState guess{
      .q = Vector::Zero(2 * model.links), .v = Vector::Zero(2 * model.links), .lambda = Vector::Zero(model.links)};
  for (int i = 0; i < model.links; ++i) guess.q[2 * i] = (i + 1) * model.share();
  return mechanical_instance(make_mechanical(model), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry chain() {
  return {
      .name = "chain",
      .title = "planar chain of rigid links, point masses in Cartesian coordinates",
      .source = "written for this catalogue; reference values recomputed",
      .parameters = {{.name = "links",
                      .default_value = 10,
                      .help = "number of links; 1 m and 1 kg together",
                      .min = 2,
                      .max = 100000,
                      .integer = true},
                     end_time(1)},
      .formulations = {"index-3", "index-2", "ggl", "index-1", "semi-explicit", "momentum", "hamilton", "state-space"},
      .default_formulation = "index-2",
      .t_end = 1,
      .make = make_chain};
}

}  // namespace rubato::catalogue
