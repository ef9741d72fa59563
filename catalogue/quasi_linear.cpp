/// Quasi-linear system L(x) x' = f(t,x) with an algebraic equation, its solution φ known by construction:
///   L = [2 + x₂², x₁, 0; x₁, 3 + x₁², 0; 0, 0, 0],  φ₁ = cos t, φ₂ = 3/2 + ½ sin 2t, φ₃ = φ₁ φ₂,
///   f₁₂ = (L φ')₁₂ − k (x − φ)₁₂,   f₃ = x₃ − x₁ x₂.
/// L is positive definite in (x₁, x₂): det = 6 + 2x₁² − x₁² + 3x₂² + x₁²x₂² > 0. Written for this catalogue.
#include <cmath>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct QuasiLinear {
  double k = 100;
  template <class S>
  void mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const {
    product(at, w[0], w[1], out);
    out[2] = S(0.0);
  }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::cos, std::sin;
    product(at, S(-sin(at.t)), S(cos(2.0 * at.t)), out);  // L φ'
    out[0] -= k * (at.x[0] - cos(at.t));
    out[1] -= k * (at.x[1] - 1.5 - 0.5 * sin(2.0 * at.t));
    out[2] = at.x[2] - at.x[0] * at.x[1];
  }

 private:
  template <class S>
  static void product(const Point<S>& at, const S& w1, const S& w2, std::span<S> out) {
    const S x1 = at.x[0], x2 = at.x[1];
    out[0] = (2.0 + x2 * x2) * w1 + x1 * w2;
    out[1] = x1 * w1 + (3.0 + x1 * x1) * w2;
  }
};

Result<Instance> make_quasi_linear(const Parameters& p, std::string_view /*formulation*/) {
  const double k = get(p, "k"), t = get(p, "t_end");
  const double x1 = std::cos(t), x2 = 1.5 + 0.5 * std::sin(2 * t);
  Task task{.t_end = t,
            .reference = Reference{.t = t,
                                   .components = {"x1", "x2", "x3"},
                                   .values = {x1, x2, x1 * x2},
                                   .accuracy = 1e-15,
                                   .origin = "exact"},
            .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of x at t_end"},
            .initial_step = 1e-3};
  Instance instance =
      dae_instance(make_dae(QuasiLinear{k}, {{.name = "x", .size = 2, .components = {"x1", "x2"}},
                                             {.name = "x3", .size = 1, .kind = Kind::algebraic, .components = {"x3"}}}),
                   vector({1, 1.5, 1.5}), std::move(task));
  instance.problem.w = vector({0, 1, 1});  // φ'(0)
  return instance;
}

}  // namespace

Entry quasi_linear() {
  return {.name = "quasi-linear",
          .title = "L(x) x' = f with a variable mass matrix and an algebraic equation",
          .source = "written for this catalogue; exact by construction",
          .parameters = {{.name = "k", .default_value = 100, .help = "stiffness", .min = -1, .max = 1e12}, end_time(5)},
          .t_end = 5,
          .make = make_quasi_linear};
}

}  // namespace rubato::catalogue
