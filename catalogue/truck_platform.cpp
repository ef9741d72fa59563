/// Loading platform of a truck: a steel strip 6 m × 0.1 m, 2.4 m wide, plane stress, 138 quadratic triangles, on two supports of which the
/// right one moves, loaded in its middle; in modal coordinates, so that stiff ones are known by their frequencies.
///   η_i'' = −ω_i² η_i + φ_iᵀ (a u(s t) + b s² u''(s t) + F),   u = 0.01 e^{−(t−7)²/10} Σ_l (c_l cos 2πlkt + s_l sin 2πlkt), 0 ≤ l ≤ 10
/// c_l = 1/(1+l²), s_l = 1/(1+l), k = 0.2 Hz; a, b: what a displacement and an acceleration of the support do to the free nodes; F: the
/// weight of 16 875 kg on 1.5 m. Start: equilibrium. 655 modes, 13.557 Hz to 219 kHz, 58 of them below 10 kHz.
/// Schaub & Simeon, Automatic h-scaling for the efficient time integration of stiff mechanical systems, Multibody Syst. Dyn. 8 (2002) 329;
/// geometry, material and Fourier coefficients are not printed there.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "catalogue/problems.hpp"
#include "rubato/fem/generate.hpp"
#include "rubato/fem/solid.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato::catalogue {
namespace {

constexpr double width = 2.4, load_mass = 16875, truck_gravity = 9.81;

/// u and u''.
template <class S>
struct Excitation {
  S value, acceleration;
};
template <class S>
Excitation<S> excitation(const S& t) {
  using std::cos, std::sin, std::exp;
  constexpr double base = 2 * std::numbers::pi * 0.2;
  S f = S(1.0), f1 = S(0.0), f2 = S(0.0);  // the sum and its derivatives; l = 0 gives c₀ = 1
  for (int l = 1; l <= 10; ++l) {
    const double c = 1.0 / (1 + l * l), s = 1.0 / (1 + l), w = base * l;
    const S cosine = cos(w * t), sine = sin(w * t);
    f += c * cosine + s * sine;
    f1 += w * (s * cosine - c * sine);
    f2 -= w * w * (c * cosine + s * sine);
  }
  const S x = t - 7.0, e = exp(-0.1 * x * x), e1 = -0.2 * x * e, e2 = (0.04 * x * x - 0.2) * e;
  return {0.01 * f * e, 0.01 * (f2 * e + 2.0 * f1 * e1 + f * e2)};
}

struct Platform {
  static constexpr bool constant_mass = true;
  double speed = 1;
  std::vector<double> stiffness, by_displacement, by_acceleration, load;

  MechanicalSizes sizes() const {
    const int n = static_cast<int>(stiffness.size());
    return {.q = n, .v = n};
  }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    std::copy(a.begin(), a.end(), out.begin());
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    const Excitation<S> u = excitation<S>(speed * p.t);
    const S acceleration = speed * speed * u.acceleration;
    for (std::size_t i = 0; i < f.size(); ++i)
      f[i] = -stiffness[i] * p.q[i] + by_displacement[i] * u.value + by_acceleration[i] * acceleration + load[i];
  }
};

/// The strip whose right support moves as `motion` says.
Result<std::shared_ptr<const fem::SolidSystem>> strip(const char* motion) {
  using namespace fem;
  SolidModel model;
  model.analysis = Analysis::plane_stress;
  model.thickness = width;
  auto mesh = fem::truck_platform();
  if (!mesh) return mesh.error();
  model.mesh = *std::move(mesh);
  model.materials = {{.name = "steel", .density = 7850, .law = LinearElastic{.young = 2.1e11, .poisson = 0.3}}};
  model.regions = {{.group = "body", .material = "steel"}};
  Prescribed fixed{.group = "support_fixed"}, moved{.group = "support_moved"};
  for (std::size_t axis = 0; axis < 2; ++axis) fixed.displacement[axis].emplace(*function_of_time("0"));
  moved.displacement[1].emplace(*function_of_time(motion));
  model.prescribed = {fixed, moved};
  model.tractions.push_back({.group = "load",
                             .varying = {.pattern = [](std::span<const double> x) -> std::array<double, 3> {
                                           return {0, std::abs(x[0] - 3) <= 0.75 ? -1.0 : 0.0, 0};
                                         },
                                         .factor = *function_of_time("1")}});
  return build(std::move(model));
}

/// The force on the undeformed strip.
Vector force_at(const MechanicalSystem& system, double t) {
  MechanicalState rest;
  rest.t = t;
  rest.q = rest.v = rest.a = Vector::Zero(system.sizes().q);
  ScratchMemory memory(system.scratch_bytes());
  Vector f(rest.q.size());
  static_cast<void>(system.force(point_at(rest, memory.scratch()), view(f)));
  return f;
}

Matrix dense(const SparsePattern& pattern, In values) {
  Matrix a = Matrix::Zero(pattern.rows(), pattern.cols());
  std::size_t p = 0;
  for (int col = 0; col < pattern.cols(); ++col)
    for (const int row : pattern.column(col)) a(row, col) = values[p++];
  return a;
}

Result<Instance> make_truck_platform(const Parameters& given, std::string_view formulation) {
  const auto ramp = strip("t"), bend = strip("t^2/2");  // displacement 1 at t = 1, acceleration 1 at t = 0
  if (!ramp || !bend) return ramp ? bend.error() : ramp.error();
  const MechanicalSystem& system = **ramp;
  const int n = system.sizes().q;
  const ResidualTangentPatterns patterns = system.tangent_patterns();
  std::vector<double> k(static_cast<std::size_t>(patterns.K.nnz())), d(static_cast<std::size_t>(patterns.D.nnz()));
  MechanicalState rest;
  rest.q = rest.v = rest.a = Vector::Zero(n);
  ScratchMemory memory(system.scratch_bytes());
  static_cast<void>(system.tangents(point_at(rest, memory.scratch()), view(std::as_const(rest.a)), {.K = k, .D = d}));
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> eigen(
      dense(patterns.K, k), dense(*system.inertia_pattern(), system.inertia_values()));
  if (eigen.info() != Eigen::Success) return Error{"truck-platform: no modes found"};

  const Vector load = force_at(system, 0);
  const int modes = std::min(n, static_cast<int>(get(given, "modes")));
  const Matrix phi = eigen.eigenvectors().leftCols(modes);
  const auto modal = [&](const Vector& f) {
    const Vector y = phi.transpose() * f;
    return std::vector<double>(y.begin(), y.end());
  };
  Platform platform{.speed = get(given, "speed"),
                    .stiffness = {eigen.eigenvalues().begin(), eigen.eigenvalues().begin() + modes},
                    .by_displacement = modal(force_at(system, 1) - load),
                    .by_acceleration = modal(force_at(**bend, 0) - load),
                    .load = modal(load * (load_mass * truck_gravity / std::abs(load.sum())))};
  const Excitation<double> u = excitation(0.0);
  MechanicalState start{.q = Vector::Zero(modes), .v = Vector::Zero(modes)};
  for (int i = 0; i < modes; ++i) {
    const auto m = static_cast<std::size_t>(i);
    start.q[i] = (platform.load[m] + platform.by_displacement[m] * u.value) / platform.stiffness[m];
  }
  return mechanical_instance(make_mechanical(std::move(platform)), start, formulation.empty() ? "index-3" : formulation,
                             {.t_end = get(given, "t_end"),
                              .measure = {.atol = 1e-6, .rtol = 0, .definition = "modal coordinates against 1e-6"},
                              .initial_step = 0.1});  // the source's: much too large, to show what is stiff
}

}  // namespace

Entry truck_platform() {
  return {.name = "truck-platform",
          .title = "loading platform of a truck in modal coordinates: soft and very stiff modes",
          .source = "Schaub & Simeon, Multibody Syst. Dyn. 8 (2002) 329; data completed",
          .parameters = {end_time(14),
                         {.name = "speed",
                          .default_value = 1,
                          .help = "of the excitation: 1 slow, 100 fast",
                          .min = 1e-3,
                          .max = 1e4},
                         {.name = "modes",
                          .default_value = 655,
                          .help = "modes kept, softest first",
                          .min = 1,
                          .max = 655,
                          .integer = true}},
          .formulations = {"index-3"},
          .default_formulation = "index-3",
          .t_end = 14,
          .large = true,
          .make = make_truck_platform};
}

}  // namespace rubato::catalogue
