/// Prothero & Robinson, Math. Comp. 28 (1974) 145, doi:10.1090/S0025-5718-1974-0331793-2, and its second-order relative:
///   x' = λ (x − φ(t)) + φ'(t),                 φ = cos ω t,   x(0) = 1 + γ₀:            x = φ + γ₀ e^{λt}               (1)
///   q'' = φ''(t) − λ,   ε² λ = q − φ(t),       φ = cos Ωt,    q(0) = 1 + γ₀, q'(0) = η:
///   q = φ + γ₀ cos(t/ε) + η ε sin(t/ε),  λ = (q − φ)/ε²                                                                (2)
/// For ε = 0 the second is the index-3 system with q = φ, λ = 0. (2) in the form Gᵀλ with G = 1: factor 1 to the source.
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct First {
  static constexpr bool recordable = true;
  double lambda = -1e6, omega = 1;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::cos, std::sin;
    out[0] = lambda * (at.x[0] - cos(omega * at.t)) - omega * sin(omega * at.t);
  }
};

Result<Instance> make_first(const Parameters& p, std::string_view /*formulation*/) {
  const double lambda = get(p, "lambda"), omega = get(p, "omega"), offset = get(p, "gamma0"), t_end = get(p, "t_end");
  const double x_end = std::cos(omega * t_end) + offset * std::exp(lambda * t_end);
  Task task{
      .t_end = t_end,
      .reference = Reference{.t = t_end, .components = {"x"}, .values = {x_end}, .accuracy = 1e-15, .origin = "exact"},
      .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of x at t_end"},
      .initial_step = 1e-3};
  return dae_instance(make_dae(First{lambda, omega}, {{.name = "x", .size = 1, .components = {"x"}}}),
                      vector({1 + offset}), std::move(task));
}

struct Second {
  static constexpr bool constant_mass = true;
  double eps = 1e-3, frequency = 6;  // φ = cos(frequency t)
  bool is_compliant() const { return eps > 0; }
  MechanicalSizes sizes() const { return {.q = 1, .v = 1, .lambda = 1}; }
  std::vector<std::string> names(std::string_view block) const { return {std::string(block)}; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    out[0] = a[0];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> out) const {
    using std::cos;
    out[0] = -frequency * frequency * cos(frequency * p.t);
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> out) const {
    using std::cos;
    out[0] = p.q[0] - cos(frequency * p.t);
    if (eps > 0) out[0] -= eps * eps * p.lambda[0];
  }
};

Result<Instance> make_second(const Parameters& p, std::string_view formulation) {
  const double eps = get(p, "eps"), offset = get(p, "gamma0"), eta = get(p, "eta"), t_end = get(p, "t_end"),
               frequency = get(p, "drive");
  double q = std::cos(frequency * t_end), v = -frequency * std::sin(frequency * t_end);
  if (eps > 0) {
    const double swing = offset * std::cos(t_end / eps) + eta * eps * std::sin(t_end / eps);
    q += swing;
    v += -offset / eps * std::sin(t_end / eps) + eta * std::cos(t_end / eps);
  }
  Task task{.t_end = t_end,
            .reference =
                Reference{.t = t_end, .components = {"q", "v"}, .values = {q, v}, .accuracy = 1e-15, .origin = "exact"},
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of q and v at t_end"},
            .initial_step = 1e-3};
  const MechanicalState guess{.q = vector({1 + (eps > 0 ? offset : 0)}),
                              .v = vector({eps > 0 ? eta : 0}),
                              .lambda = vector({eps > 0 ? offset / (eps * eps) : 0})};
  if (formulation.empty()) formulation = eps > 0 ? "eps-lambda" : "index-3";
  return mechanical_instance(make_mechanical(Second{eps, frequency}), guess, formulation, std::move(task));
}

}  // namespace

Entry prothero_robinson() {
  return {.name = "prothero-robinson",
          .title = "Prothero-Robinson equation, first order",
          .source = "Prothero & Robinson, Math. Comp. 28 (1974) 145",
          .parameters =
              {{.name = "lambda", .default_value = -1e6, .unit = "1/s", .help = "stiffness", .min = -1e12, .max = 1e3},
               {.name = "omega",
                .default_value = 1,
                .unit = "rad/s",
                .help = "of the solution cos(omega t)",
                .min = 0,
                .max = 1e6},
               {.name = "gamma0",
                .default_value = 0,
                .help = "offset of the start from the smooth solution",
                .min = -1e3,
                .max = 1e3},
               end_time(10)},
          .t_end = 10,
          .make = make_first};
}

Entry prothero_robinson_2() {
  return {.name = "prothero-robinson-2",
          .title = "Prothero-Robinson equation, second order",
          .source = "Prothero & Robinson, Math. Comp. 28 (1974) 145, carried over to second order",
          .parameters =
              {{.name = "eps",
                .default_value = 1e-3,
                .help = "epsilon, the stiffness is 1/eps^2; 0: index 3",
                .min = 0,
                .max = 1e3},
               {.name = "gamma0", .default_value = 0, .help = "offset of q(0) (eps > 0 only)", .min = -1e3, .max = 1e3},
               {.name = "drive",
                .default_value = 6,
                .unit = "rad/s",
                .help = "of the smooth solution cos(drive t)",
                .min = 0,
                .max = 1e6},
               {.name = "eta", .default_value = 0, .help = "offset of q'(0) (eps > 0 only)", .min = -1e3, .max = 1e3},
               end_time(2.2)},
          .formulations = {"penalty", "eps-lambda", "eps-lambda-rate", "index-3", "index-2", "ggl", "index-1",
                           "semi-explicit", "state-space"},
          .default_formulation = "eps-lambda",
          .t_end = 2.2,
          .make = make_second};
}

}  // namespace rubato::catalogue
