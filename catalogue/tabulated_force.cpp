/// A mass on a spring given by a table: knots of F = k₁ x + k₃ x³ every 0.1 m, cubic Hermite between them with slopes from
/// central differences, so F is C¹. The model supplies its own tangent, the secant of the interval: cheap, and only
/// approximate, as measured tables and lookup models have it. Methods that need an exact Jacobian refuse it.
///   m x'' = −F(x) − c x' + p cos Ωt.   Written for this catalogue; references recomputed for the same interpolant.
#include <algorithm>
#include <array>
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double oscillator_mass = 1, linear_stiffness = 20, cubic_stiffness = 30, oscillator_damping = 0.2, load = 5,
                 drive = 4, spacing = 0.1;
constexpr int knots = 41;  // x = −2 … 2

struct Table {
  std::array<double, knots> force{}, slope{};
  constexpr Table() {
    for (int i = 0; i < knots; ++i) {
      const double x = (i - knots / 2) * spacing;
      force[i] = linear_stiffness * x + cubic_stiffness * x * x * x;
    }
    for (int i = 0; i < knots; ++i) {
      const int left = i > 0 ? i - 1 : 0, right = i + 1 < knots ? i + 1 : knots - 1;
      slope[i] = (force[right] - force[left]) / ((right - left) * spacing);
    }
  }
};
constexpr Table table;

/// The interval of x; the outermost ones extend to infinity.
int interval(double x) {
  const double place = std::floor(x / spacing) + knots / 2;
  return static_cast<int>(std::min(std::max(place, 0.0), knots - 2.0));
}

struct TabulatedForce {
  static constexpr bool constant_mass = true;
  MechanicalSizes sizes() const { return {.q = 1, .v = 1}; }
  std::vector<std::string> names(std::string_view block) const { return {block == "q" ? "x" : std::string(block)}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = oscillator_mass * a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::cos;
    const int i = interval(value_of(p.q[0]));
    const S s = p.q[0] / spacing - (i - knots / 2);  // 0 … 1
    const S s2 = s * s, s3 = s2 * s;
    const S spring = (2.0 * s3 - 3.0 * s2 + 1.0) * table.force[i] + (s3 - 2.0 * s2 + s) * (spacing * table.slope[i]) +
                     (3.0 * s2 - 2.0 * s3) * table.force[i + 1] + (s3 - s2) * (spacing * table.slope[i + 1]);
    f[0] = -spring - oscillator_damping * p.v[0] + load * cos(drive * p.t);
  }
  ModelJacobian tangent_kind() const { return ModelJacobian::approximate; }
  ResidualTangentPatterns tangent_patterns() const {
    return {
        .K = SparsePattern::dense(1, 1), .D = SparsePattern::dense(1, 1), .r_lambda = {}, .g_q = {}, .g_lambda = {}};
  }
  void tangents(const MechanicalPoint<double>& p, In /*a*/, const ResidualTangents& out) const {
    const int i = interval(p.q[0]);
    out.K[0] = (table.force[i + 1] - table.force[i]) / spacing;
    if (!out.D.empty()) out.D[0] = oscillator_damping;
  }
};

Result<Instance> make_tabulated_force(const Parameters& p, std::string_view formulation) {
  const double t_end = get(p, "t_end");
  Task task{.t_end = t_end,
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of x and v at t_end"},
            .initial_step = 1e-3};
  if (same(t_end, 5))
    task.reference = {.t = t_end,
                      .components = {"x", "v"},
                      .values = {-0.32199305767136, -0.83602753885852},
                      .accuracy = 1e-13,
                      .origin = "recomputed"};
  const MechanicalState guess{.q = vector({1}), .v = vector({0})};
  return mechanical_instance(make_mechanical(TabulatedForce{}), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry tabulated_force() {
  return {.name = "tabulated-force",
          .title = "spring force from a table, with an approximate Jacobian",
          .source = "written for this catalogue; reference values recomputed",
          .parameters = {end_time(5)},
          .formulations = {"index-2", "semi-explicit", "momentum", "hamilton", "state-space"},
          .default_formulation = "index-2",
          .t_end = 5,
          .make = make_tabulated_force};
}

}  // namespace rubato::catalogue
