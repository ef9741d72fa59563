/// An elastic beam, clamped below at its left end and pulled at the right by a force: n rigid pieces of angle θ_i.
/// With c_i = cos(θ_i − θ_{i−1}), s_i = sin(θ_i − θ_{i−1}) and the tridiagonal matrices
///   (C x)_i = α_i x_i − c_i x_{i−1} − c_{i+1} x_{i+1},  α = (1, 2, …, 2, 3),     (D x)_i = s_{i+1} x_{i+1} − s_i x_{i−1}     (1)
///   g_i = n² (θ_{i−1} − 2θ_i + θ_{i+1}) + F (cos θ_i + sin θ_i),  θ₀ = −θ₁, θ_{n+1} = θ_n,                                  (2)
///   F = (3/2) sin² t for t ≤ π, then 0                                                                                      (3)
/// the motion is
///   θ'' = n² (C g + D w),   C w = D g + θ'²/n²                                                                             (4)
/// Hairer & Wanner, Solving ODEs II (1996) IV.10, "beam" (g, w here are v, w there divided by n²); Test Set for IVP Solvers,
/// beam. There w is eliminated and J is full; here the w_i stay algebraic unknowns (index 1), so that J has five diagonals
/// of θ, one of θ' and three of w at any n. C is diagonally dominant: w may be solved for at every state. Frequencies
/// up to 4n². Start at rest, θ = 0. F'' jumps at t = π, which no code is told. References for n = 40 (80 first-order
/// unknowns there): published, Test Set. Recomputed (extrapolated midpoint rule of order 18, 64-bit mantissa, w eliminated,
/// 76 800 steps) the angles agree to 2e-12 and the rates to 2e-10, relative: the accuracy stated.
#include <cmath>
#include <numbers>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct Beam {
  static constexpr bool constant_mass = true;
  int n = 40;
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(n); }
  [[nodiscard]] double squared() const { return static_cast<double>(n) * n; }
  MechanicalSizes sizes() const { return {.q = n, .v = n, .z = n}; }
  bool z_is_differential(int) const { return false; }
  std::vector<std::string> names(std::string_view block) const {
    if (block != "q" && block != "v" && block != "z") return {};
    std::vector<std::string> names;
    for (int i = 1; i <= n; ++i)
      names.push_back((block == "q" ? "theta" : block == "v" ? "omega" : "w") + std::to_string(i));
    return names;
  }

  template <class S>
  S load(const MechanicalPoint<S>& p, std::size_t i) const {  // (2)
    using std::cos, std::sin;
    const S& theta = p.q[i];
    const S left = i > 0 ? p.q[i - 1] : S(-theta), right = i + 1 < size() ? p.q[i + 1] : theta;
    const S bending = squared() * (left - 2.0 * theta + right);
    if (value_of(p.t) > std::numbers::pi) return bending;
    const S pull = 1.5 * sin(p.t) * sin(p.t);  // (3)
    return bending + pull * (cos(theta) + sin(theta));
  }
  /// Calls visit(i, (C g + D w)_i, (C w − D g)_i) for every piece.
  template <class S, class Visit>
  void each_row(const MechanicalPoint<S>& p, Visit&& visit) const {
    using std::cos, std::sin;
    S c_left(0.0), s_left(0.0), g_left(0.0), g = load(p, 0);
    for (std::size_t i = 0; i < size(); ++i) {
      const bool last = i + 1 == size();
      const S turn = last ? S(0.0) : S(p.q[i + 1] - p.q[i]);
      const S c = last ? S(0.0) : S(cos(turn)), s = sin(turn), g_right = last ? S(0.0) : load(p, i + 1);
      const S w_left = i > 0 ? p.z[i - 1] : S(0.0), w_right = last ? S(0.0) : p.z[i + 1];
      const double alpha = i == 0 ? 1 : last ? 3 : 2;
      visit(i, S(alpha * g - c_left * g_left - c * g_right + s * w_right - s_left * w_left),
            S(alpha * p.z[i] - c_left * w_left - c * w_right - s * g_right + s_left * g_left));
      g_left = g;
      g = g_right;
      c_left = c;
      s_left = s;
    }
  }

  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    each_row(p, [&](std::size_t i, const S& moment, const S&) { f[i] = squared() * moment; });  // (4)
  }
  template <class S>
  void auxiliary(const MechanicalPoint<S>& p, std::span<S> e) const {
    each_row(p, [&](std::size_t i, const S&, const S& rest) { e[i] = rest - p.v[i] * p.v[i] / squared(); });  // (4)
  }
};

/// θ and θ' at t = 5, n = 40.
constexpr double theta_40[] = {
    -0.5792366591285007e-2, -0.1695298550721735e-1, -0.2769103312973094e-1, -0.3800815655879158e-1,
    -0.4790616859743763e-1, -0.5738710435274594e-1, -0.6645327313454617e-1, -0.7510730581979037e-1,
    -0.8335219765414992e-1, -0.9119134654647947e-1, -0.9862858700132091e-1, -0.1056682200378002,
    -0.1123150395409595,    -0.1185743552727245,    -0.1244520128755561,    -0.1299544113264161,
    -0.1350885180610398,    -0.1398618819194422,    -0.1442826441015242,    -0.1483595472463012,
    -0.1521019429001447,    -0.1555197978061129,    -0.1586236993420229,    -0.1614248603702127,
    -0.1639351238193223,    -0.1661669673440852,    -0.1681335081778558,    -0.1698485080602243,
    -0.1713263782440888,    -0.1725821847462537,    -0.1736316537975654,    -0.1744911773840049,
    -0.1751778187863392,    -0.1757093178712902,    -0.1761040960228576,    -0.1763812607175549,
    -0.1765606097564671,    -0.1766626352260565,    -0.1767085270807460,    -0.1767201761075488};
constexpr double omega_40[] = {
    0.3747362681329794e-1, 0.1099117880217593, 0.1798360474312799, 0.2472427305442391, 0.3121293820596567,
    0.3744947377019500,    0.4343386073492798, 0.4916620354601748, 0.5464677854586807, 0.5987609702624270,
    0.6485493611110740,    0.6958435169132503, 0.7406572668520808, 0.7830081747813241, 0.8229176659201515,
    0.8604110305190560,    0.8955175502377805, 0.9282708263127953, 0.9587089334522034, 0.9868747821728363,
    1.012816579961883,     1.036587736679858,  1.058246826481355,  1.077857811433353,  1.095490222005369,
    1.111219164294898,     1.125125269286501,  1.137294526609229,  1.147818025153607,  1.156792132004482,
    1.164318845130183,     1.170505992596124,  1.175467424299550,  1.179323003228859,  1.182198586299667,
    1.184226111223146,     1.185543909805575,  1.186297084203716,  1.186637618908127,  1.186724615113034};

Result<Instance> make_beam(const Parameters& p, std::string_view formulation) {
  const Beam model{static_cast<int>(get(p, "n"))};
  Task task{.t_end = get(p, "t_end"),
            .measure = {.atol = 0, .rtol = 1, .definition = "relative error of all angles and their rates at t = 5"},
            .initial_step = 1e-3};
  if (model.n == 40 && same(task.t_end, 5)) {
    Reference reference{.t = 5, .accuracy = 2e-10, .origin = "published"};
    for (const char* block : {"q", "v"})
      for (const auto& name : model.names(block)) reference.components.push_back(name);
    reference.values.assign(std::begin(theta_40), std::end(theta_40));
    reference.values.insert(reference.values.end(), std::begin(omega_40), std::end(omega_40));
    task.reference = std::move(reference);
  }
  const MechanicalState guess{.q = Vector::Zero(model.n), .v = Vector::Zero(model.n), .z = Vector::Zero(model.n)};
  return mechanical_instance(make_mechanical(model), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry beam() {
  return {.name = "beam",
          .title = "elastic beam of n pieces, stiff and oscillatory, of any size",
          .source = "Hairer & Wanner, Solving ODEs II (1996) IV.10; Test Set for IVP Solvers, beam",
          .parameters = {{.name = "n", .default_value = 40, .help = "pieces", .min = 4, .max = 100000, .integer = true},
                         end_time(5)},
          .formulations = {"index-2", "semi-explicit", "momentum"},
          .default_formulation = "index-2",
          .t_end = 5,
          .make = make_beam};
}

}  // namespace rubato::catalogue
