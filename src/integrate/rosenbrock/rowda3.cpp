/// ROWDA3: three stages, two evaluations, order 3 for index-1 problems. With γ = γ* = 0.4358…, κ = 1/6 − γ + γ²:
///   α_21 = α_31 = 7/10,  α_32 = 0,  γ_32 = 1,  b_1 = 47/147  (b_2 + b_3 = 100/147 from bᵀα² = 1/3)
///   b_3 = γ(100/147 − γ/0.49)  from bᵀωα² = 1,   β_21 = κ/b_3,   b_2 β_21 + b_3 β_3' = ½ − γ                            (1)
/// Roche, Numer. Math. 52 (1988) 45, doi:10.1007/BF01401021. L-stable; not stiffly accurate (α_3 = 0.7). R̂(∞) = −0.957.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr double g = gamma_star;
constexpr RosenbrockCoefficients<double> coefficients{
    .s = 3,
    .alpha = {{}, {0.7}, {0.7, 0}},
    .gamma = {{g}, {0.16858876255710002475, g}, {4.9439222778364240789, 1, g}},
    .b = {47.0 / 147, 0.77147779061713799676, -0.091205681773600581795},
    .b_hat = {0.92616358712409091341, 0.073836412875909086587, 0}};
constexpr double b_3 = g * (100.0 / 147 - g / 0.49);
constexpr double beta_21 = (1.0 / 6 - g + g * g) / b_3;
}  // namespace

constexpr RosenbrockTable rowda3 = make_rosenbrock_table({.name = "rowda3",
                                                          .title = "ROWDA3, index-1 problems",
                                                          .reference = "Roche 1988, doi:10.1007/BF01401021",
                                                          .order = 3,
                                                          .embedded_order = 2},
                                                         coefficients);
static_assert(close(rowda3.b[2], b_3) && close(rowda3.beta(1, 0), beta_21));  // (1)
static_assert(classical_order(rowda3, rowda3.b) == 3 && classical_order(rowda3, rowda3.b_hat) == 2);
static_assert(magnitude(index1_defects(rowda3, rowda3.b).z2) < 1e-14);
static_assert(magnitude(stability_at_infinity(rowda3, rowda3.b)) < 1e-14);
static_assert(!rowda3.stiffly_accurate && rowda3.n_f_calls == 2);

}  // namespace rubato::rosenbrock
