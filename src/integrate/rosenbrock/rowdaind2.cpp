/// ROWDAIND2: four stages, three evaluations, order 3, stiffly accurate, γ = 3/10; made for M(x) x' = f with a singular M
/// that depends on the solution (index up to 2).
/// Lubich, Roche, Computing 43 (1990) 325, doi:10.1007/BF02241653. γ_21 = −35/312 is exact; codes print the decimal
/// −0.1121794871794876, which is wrong in the last digits. L-stable, R̂(∞) = 0.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr double g = 3.0 / 10;
constexpr RosenbrockCoefficients<double> coefficients{
    .s = 4,
    .alpha = {{}, {0.5}, {0.28, 0.72}, {0.28, 0.72, 0}},
    .gamma = {{g}, {-35.0 / 312, g}, {2.54, -3.84, g}, {29.0 / 75, -0.72, 1.0 / 30, g}},
    .b = {2.0 / 3, 0, 1.0 / 30, 3.0 / 10},
    .b_hat = {351311.0 / 732050, 189462.0 / 366025, 3.0 / 1210, 0}};
}  // namespace

constexpr RosenbrockTable rowdaind2 = make_rosenbrock_table({.name = "rowdaind2",
                                                             .title = "ROWDAIND2, stiffly accurate, index up to 2",
                                                             .reference = "Lubich, Roche 1990, doi:10.1007/BF02241653",
                                                             .order = 3,
                                                             .embedded_order = 2},
                                                            coefficients);
static_assert(close(rowdaind2.gamma_sum[2], -1) && close(rowdaind2.gamma_sum[3], 0));
static_assert(classical_order(rowdaind2, rowdaind2.b) == 3 && classical_order(rowdaind2, rowdaind2.b_hat) == 2);
static_assert(rowdaind2.stiffly_accurate && rowdaind2.n_f_calls == 3);
static_assert(magnitude(stability_at_infinity(rowdaind2, rowdaind2.b_hat)) < 1e-14);
static_assert(magnitude(stiff_velocity_limit(rowdaind2, rowdaind2.b, 2)) < 1e-13);

}  // namespace rubato::rosenbrock
