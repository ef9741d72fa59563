/// A hanging net: n × n point masses in the plane, springs to the right, downward and along one diagonal, the first row on
/// fixed supports, gravity. Geometrically nonlinear, constant diagonal mass, nine-point sparsity: 2n² coordinates, a
/// second-order system of any size. The first `rods` links of the lowest row are rigid, or stiff with ε²λ = (l² − 1)/2.
///   m r_i'' = −m g e_y − Σ_j [k (l_ij − L_ij) + c l_ij'] (r_i − r_j)/l_ij − Gᵀλ,   g = (|r_i − r_j|² − 1)/2 − ε²λ
/// Start: unloaded shape, sheared motion. No reference; energy is kept for c = 0.
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double lattice_gravity = 9.81;

struct Lattice {
  static constexpr bool constant_mass = true, autonomous = true;
  int n = 10, rods = 0;
  double stiffness = 1e4, damping = 0, mass = 1, eps = 0;

  bool is_compliant() const { return eps > 0 && rods > 0; }
  MechanicalSizes sizes() const { return {.q = 2 * n * n, .v = 2 * n * n, .lambda = rods}; }
  /// First coordinate of the mass in column i, row j.
  [[nodiscard]] std::size_t place(int i, int j) const { return 2 * (static_cast<std::size_t>(j) * n + i); }
  /// Calls visit(first place, second place, rest length) for every spring between masses.
  template <class Visit>
  void springs(Visit&& visit) const {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const bool rigid = j == n - 1 && i < rods;
        if (i + 1 < n && !rigid) visit(place(i, j), place(i + 1, j), 1.0);
        if (j + 1 < n) visit(place(i, j), place(i, j + 1), 1.0);
        if (i + 1 < n && j + 1 < n) visit(place(i, j), place(i + 1, j + 1), std::sqrt(2.0));
      }
  }

  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = mass * a[i];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::sqrt;
    for (std::size_t i = 0; i < f.size(); i += 2) {
      f[i] = S(0.0);
      f[i + 1] = S(-mass * lattice_gravity);
    }
    const auto pull = [&](const S& dx, const S& dy, const S& du, const S& dw, double rest) {
      const S length = sqrt(dx * dx + dy * dy);
      const S tension = stiffness * (length - rest) + damping * (dx * du + dy * dw) / length;
      return std::pair<S, S>{tension * dx / length, tension * dy / length};
    };
    springs([&](std::size_t a, std::size_t b, double rest) {
      const auto [fx, fy] =
          pull(p.q[b] - p.q[a], p.q[b + 1] - p.q[a + 1], p.v[b] - p.v[a], p.v[b + 1] - p.v[a + 1], rest);
      f[a] += fx;
      f[a + 1] += fy;
      f[b] -= fx;
      f[b + 1] -= fy;
    });
    for (int i = 0; i < n; ++i) {  // supports at (i, 0)
      const std::size_t a = place(i, 0);
      const auto [fx, fy] = pull(static_cast<double>(i) - p.q[a], -p.q[a + 1], -p.v[a], -p.v[a + 1], 1.0);
      f[a] += fx;
      f[a + 1] += fy;
    }
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    for (int i = 0; i < rods; ++i) {
      const std::size_t a = place(i, n - 1), b = place(i + 1, n - 1);
      const S dx = p.q[b] - p.q[a], dy = p.q[b + 1] - p.q[a + 1];
      g[i] = (dx * dx + dy * dy - 1.0) / 2.0;
      if (eps > 0) g[i] -= eps * eps * p.lambda[i];
    }
  }
  template <class S>
  void reaction(const MechanicalPoint<S>& p, std::span<const S> lambda, std::span<const S> /*nu*/,
                std::span<S> out) const {
    for (auto& x : out) x = S(0.0);
    for (int i = 0; i < rods; ++i) {
      const std::size_t a = place(i, n - 1), b = place(i + 1, n - 1);
      for (std::size_t k = 0; k < 2; ++k) {
        const S pull = (p.q[b + k] - p.q[a + k]) * lambda[i];
        out[a + k] -= pull;
        out[b + k] += pull;
      }
    }
  }
  std::vector<std::string> invariant_names() const {
    return damping > 0 ? std::vector<std::string>{} : std::vector<std::string>{"energy"};
  }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    if (out.empty()) return;
    double energy = 0;
    for (std::size_t i = 0; i < p.v.size(); ++i) energy += mass * p.v[i] * p.v[i] / 2;
    for (std::size_t i = 1; i < p.q.size(); i += 2) energy += mass * lattice_gravity * p.q[i];
    const auto stretch = [&](double dx, double dy, double rest) {
      const double s = std::hypot(dx, dy) - rest;
      energy += stiffness * s * s / 2;
    };
    springs(
        [&](std::size_t a, std::size_t b, double rest) { stretch(p.q[b] - p.q[a], p.q[b + 1] - p.q[a + 1], rest); });
    for (int i = 0; i < n; ++i) stretch(i - p.q[place(i, 0)], -p.q[place(i, 0) + 1], 1);
    if (eps > 0)  // ε²λ = g₀: energy g₀²/(2ε²)
      for (int i = 0; i < rods; ++i) {
        const std::size_t a = place(i, n - 1), b = place(i + 1, n - 1);
        const double g = (std::pow(p.q[b] - p.q[a], 2) + std::pow(p.q[b + 1] - p.q[a + 1], 2) - 1) / 2;
        energy += g * g / (2 * eps * eps);
      }
    out[0] = energy;
  }
};

Result<Instance> make_mass_spring_lattice(const Parameters& p, std::string_view formulation) {
  const Lattice model{.n = static_cast<int>(get(p, "n")),
                      .rods = static_cast<int>(get(p, "rods")),
                      .stiffness = get(p, "k"),
                      .damping = get(p, "c"),
                      .mass = get(p, "m"),
                      .eps = get(p, "eps")};
  if (model.rods >= model.n)
    return Error{"rods = " + std::to_string(model.rods) + " must be below n = " + std::to_string(model.n) +
                 ", the number of masses in a row"};
  Task task{.t_end = get(p, "t_end"),
            .measure = {.atol = 1, .rtol = 0, .definition = "no reference: compare with a run at tight tolerance"},
            .initial_step = 1e-4};
  const auto size = 2 * static_cast<Eigen::Index>(model.n) * model.n;
  MechanicalState guess{.q = Vector::Zero(size), .v = Vector::Zero(size), .lambda = Vector::Zero(model.rods)};
  for (int j = 0; j < model.n; ++j)
    for (int i = 0; i < model.n; ++i) {
      const auto k = static_cast<Eigen::Index>(model.place(i, j));
      guess.q[k] = i;
      guess.q[k + 1] = -1.0 - j;
      guess.v[k] = (j + 1.0) / model.n;
    }
  if (formulation.empty()) formulation = model.is_compliant() ? "eps-lambda" : "index-2";
  return mechanical_instance(make_mechanical(model), guess, formulation, std::move(task));
}

}  // namespace

Entry mass_spring_lattice() {
  return {
      .name = "mass-spring-lattice",
      .title = "hanging net of n x n masses: a sparse second-order system of any size",
      .source = "written for this catalogue",
      .parameters =
          {{.name = "n",
            .default_value = 4,
            .help = "masses in a row; 2 n^2 coordinates",
            .min = 2,
            .max = 1000,
            .integer = true},
           {.name = "rods",
            .default_value = 2,
            .help = "rigid links in the lowest row",
            .min = 0,
            .max = 999,
            .integer = true},
           {.name = "eps", .default_value = 1e-2, .help = "compliance of these links, 0: rigid", .min = 0, .max = 1e3},
           {.name = "k",
            .default_value = 1e4,
            .unit = "N/m",
            .help = "stiffness of the springs",
            .min = 0,
            .max = 1e15},
           {.name = "c", .default_value = 0, .unit = "Ns/m", .help = "damping of the springs", .min = 0, .max = 1e12},
           {.name = "m", .default_value = 1, .unit = "kg", .help = "each mass", .min = 1e-12, .max = 1e12},
           end_time(0.5)},
      .formulations = {"penalty", "eps-lambda", "eps-lambda-rate", "index-3", "index-2", "ggl", "index-1",
                       "semi-explicit", "state-space"},
      .default_formulation = "eps-lambda",
      .t_end = 0.5,
      .make = make_mass_spring_lattice};
}

}  // namespace rubato::catalogue
