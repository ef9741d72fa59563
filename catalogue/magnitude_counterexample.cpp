/// Small entries of a Jacobian may matter, large ones may not:
///   x₁' = α x₁ + ε y,   x₂' = β x₂,   0 = ε x₁ + ε²/(α − γ) y                                                        (1)
/// For every ε ≠ 0 elimination of y gives x₁' = γ x₁: the entries ε decide between a slow and a stiff mode, α does not count.
/// Schiela, Sparsing in Real Time Simulation, TU München 2002, (4.1). The solution is known.
#include <fmt/format.h>

#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct Counterexample {
  static constexpr bool autonomous = true, recordable = true;
  double alpha, beta, gamma, epsilon;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = alpha * at.x[0] + epsilon * at.x[2];  // (1)
    out[1] = beta * at.x[1];
    out[2] = epsilon * at.x[0] + epsilon * epsilon / (alpha - gamma) * at.x[2];
  }
};

Result<Instance> make_magnitude_counterexample(const Parameters& p, std::string_view /*formulation*/) {
  const double t_end = get(p, "t_end");
  const Counterexample model{get(p, "alpha"), get(p, "beta"), get(p, "gamma"), get(p, "epsilon")};
  if (model.alpha == model.gamma)
    return Error{
        fmt::format("alpha = gamma = {}: then x1 decays by itself and the algebraic equation has no y; they must "
                    "differ",
                    model.alpha)};
  Task task{.t_end = t_end,
            .reference = Reference{.t = t_end,
                                   .components = {"x1", "x2"},
                                   .values = {std::exp(model.gamma * t_end), std::exp(model.beta * t_end)},
                                   .accuracy = 1e-15,
                                   .origin = "exact"},
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of x1 and x2 at t_end"},
            .initial_step = 1e-6};
  return dae_instance(make_dae(model, {{.name = "x", .size = 2, .components = {"x1", "x2"}},
                                       {.name = "y", .size = 1, .kind = Kind::algebraic, .components = {"y"}}}),
                      vector({1, 1, (model.gamma - model.alpha) / model.epsilon}), std::move(task));
}

}  // namespace

Entry magnitude_counterexample() {
  const auto rate = [](const char* name, double value, const char* help) {
    return Parameter{.name = name, .default_value = value, .unit = "1/s", .help = help, .min = -1e12, .max = 1e12};
  };
  return {.name = "magnitude-counterexample",
          .title = "3 x 3 Dae whose small Jacobian entries matter and whose large one does not",
          .source = "Schiela (2002), eq. 4.1; exact solution",
          .parameters = {rate("alpha", -1, "seems to be the rate of x1"),
                         rate("beta", -2, "rate of x2"),
                         rate("gamma", -1e4, "is the rate of x1"),
                         {.name = "epsilon", .default_value = 1e-3, .help = "coupling", .min = 1e-9, .max = 1e9},
                         end_time(1)},
          .t_end = 1,
          .make = make_magnitude_counterexample};
}

}  // namespace rubato::catalogue
