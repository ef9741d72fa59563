/// A ladder of n resistors R with a capacitor behind a resistor r at every node, written as a modeller of components would: voltages of nodes
/// and all currents are unknowns, n states c and 3 n algebraic (v, i, j).
///   C c_k' = j_k,   R i_k = v_{k−1} − v_k,   i_k = i_{k+1} + j_k,   r j_k = v_k − c_k,   v_0 = u(t), i_{n+1} = 0         (1)
/// For constant u and c(0) = 0 the deviations from u are a sum over modes, with θ_m = (2m − 1)π/(2n + 1), μ_m = 2 − 2 cos θ_m:
///   c_k − u = −u Σ_m a_m sin(k θ_m) e^{−λ_m t},   λ_m = μ_m/(R C (1 + μ_m r/R)),   a_m = 4/(2n + 1) Σ_k sin(k θ_m)       (2)
/// Written for this catalogue.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double resistance = 1, shunt = 0.1, capacity = 1, source = 1;

struct Ladder {
  static constexpr bool autonomous = true, recordable = true;
  std::size_t n;
  static int n_inputs() { return 1; }
  /// Unknowns: c, v, i, j.
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const auto c = at.x.first(n), v = at.x.subspan(n, n), i = at.x.subspan(2 * n, n), j = at.x.subspan(3 * n, n);
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = j[k] * (1 / capacity);  // (1)
      out[n + k] = k + 1 < n ? i[k] - i[k + 1] - j[k] : i[k] - j[k];
      out[2 * n + k] = (k > 0 ? v[k - 1] : at.u[0]) - v[k] - resistance * i[k];
      out[3 * n + k] = v[k] - c[k] - shunt * j[k];
    }
  }
};

/// c_k, k = 1 … n, by (2).
double exact(std::size_t n, std::size_t k, double t) {
  const double count = static_cast<double>(2 * n + 1);
  double sum = 0;
  for (std::size_t m = 1; m <= n; ++m) {
    const double theta = static_cast<double>(2 * m - 1) * std::numbers::pi / count, mu = 2 - 2 * std::cos(theta);
    // Σ_k sin(kθ) = ½ cot(θ/2), for sin((2n + 1) θ/2)… and cos((2n + 1) θ/2) = 0.
    const double amplitude = 4 / count * 0.5 / std::tan(theta / 2);
    const double rate = mu / (resistance * capacity * (1 + mu * shunt / resistance));
    sum += amplitude * std::sin(static_cast<double>(k) * theta) * std::exp(-rate * t);
  }
  return source * (1 - sum);
}

Result<Instance> make_rc_ladder(const Parameters& p, std::string_view /*formulation*/) {
  const double t_end = get(p, "t_end");
  const auto n = static_cast<std::size_t>(get(p, "n"));
  const auto input = TableSignal::create({0}, {source});
  if (!input) return input.error();
  Reference reference{.t = t_end, .accuracy = 1e-12, .origin = "exact"};
  for (const std::size_t k : {std::size_t{1}, (n + 1) / 2, n}) {
    reference.components.push_back(fmt::format("c[{}]", k - 1));
    reference.values.push_back(exact(n, k, t_end));
  }
  Task task{.t_end = t_end,
            .reference = std::move(reference),
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of the first, middle and last capacitor"},
            .initial_step = 1e-3,
            .input = *input};
  const int size = static_cast<int>(n);
  Instance instance =
      dae_instance(make_dae(Ladder{n}, {{.name = "c", .size = size, .unit = "V"},
                                        {.name = "v", .size = size, .unit = "V", .kind = Kind::algebraic},
                                        {.name = "i", .size = size, .unit = "A", .kind = Kind::algebraic},
                                        {.name = "j", .size = size, .unit = "A", .kind = Kind::algebraic}}),
                   Vector::Zero(4 * size), std::move(task));
  if (const auto done = make_consistent(instance.problem); !done) return done.error();
  return instance;
}

}  // namespace

Entry rc_ladder() {
  return {.name = "rc-ladder",
          .title = "ladder of resistors and capacitors, linear: n states, 3 n algebraic unknowns",
          .source = "written for this catalogue; exact solution",
          .parameters = {{.name = "n", .default_value = 20, .help = "sections", .min = 1, .max = 1e5, .integer = true},
                         end_time(10)},
          .t_end = 10,
          .make = make_rc_ladder};
}

}  // namespace rubato::catalogue
