/// RODAS3: four stages, three evaluations, order 3, stiffly accurate, γ = ½; the embedded method is stage 3, stiffly
/// accurate as well (b̂ = row 3 of B). Order 3 for index-1 problems.
/// Sandu, Verwer, Blom, Spee, Carmichael, Potra, Atmos. Environ. 31 (1997) 3459, doi:10.1016/S1352-2310(97)83212-8.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr RosenbrockCoefficients<double> coefficients{
    .s = 4,
    .alpha = {{}, {0}, {1, 0}, {3.0 / 4, -1.0 / 4, 1.0 / 2}},
    .gamma = {{0.5}, {1, 0.5}, {-1.0 / 4, -1.0 / 4, 0.5}, {1.0 / 12, 1.0 / 12, -2.0 / 3, 0.5}},
    .b = {5.0 / 6, -1.0 / 6, -1.0 / 6, 1.0 / 2},
    .b_hat = {3.0 / 4, -1.0 / 4, 1.0 / 2, 0}};
}

constexpr RosenbrockTable rodas3 =
    make_rosenbrock_table({.name = "rodas3",
                           .title = "RODAS3, stiffly accurate pair",
                           .reference = "Sandu et al. 1997, doi:10.1016/S1352-2310(97)83212-8",
                           .order = 3,
                           .embedded_order = 2},
                          coefficients);
static_assert(close(rodas3.gamma_sum[1], 1.5) && close(rodas3.gamma_sum[2], 0) && close(rodas3.gamma_sum[3], 0));
static_assert(classical_order(rodas3, rodas3.b) == 3 && classical_order(rodas3, rodas3.b_hat) == 2);
static_assert(index1_order3(rodas3) && rodas3.stiffly_accurate && rodas3.n_f_calls == 3);
static_assert(magnitude(stability_at_infinity(rodas3, rodas3.b_hat)) < 1e-15);

}  // namespace rubato::rosenbrock
