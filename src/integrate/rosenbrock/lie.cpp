/// Linearly implicit Euler: (M − hγ𝒥) k = h F + h²γ F_t, x₁ = x₀ + k, γ = 1. Signs as in rosenbrock_table.hpp (1).
/// Rosenbrock, Comput. J. 5 (1963) 329, doi:10.1093/comjnl/5.4.329, is the family; this is its first member.
/// Order 1, L-stable, one evaluation. Not stiffly accurate in our sense: α_s = 0, f is not evaluated at the end of the
/// step. No embedded method: b̂ = 0 compares with x₀.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr RosenbrockCoefficients<double> coefficients{.s = 1, .alpha = {}, .gamma = {{1}}, .b = {1}, .b_hat = {}};
}

constexpr RosenbrockTable lie = make_rosenbrock_table({.name = "lie",
                                                       .title = "linearly implicit Euler",
                                                       .reference = "Rosenbrock 1963, doi:10.1093/comjnl/5.4.329",
                                                       .order = 1,
                                                       .embedded_order = 0},
                                                      coefficients);
static_assert(classical_order(lie, lie.b) == 1 && !lie.has_embedded());
static_assert(stability_at_infinity(lie, lie.b) == 0 && !lie.stiffly_accurate);

}  // namespace rubato::rosenbrock
