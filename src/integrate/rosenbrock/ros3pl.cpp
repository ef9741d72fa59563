/// ROS3PL: ROS3P made L-stable; four stages, three evaluations, order 3, stiffly accurate. With γ = γ* = 0.4358…:
///   α_21 = α_31 = α_32 = α_41 = α_42 = ½,  α_43 = 0,  β_21 = 0,  b = (1/6, 2/3, 1/6−γ, γ) = last row of B
///   β_3' = (½ − 2γ + γ²)/(1/6 − γ)                                    from order 2                                      (1)
///   b_3 β_32/4 = 2(γ³ + 3γ²(½−γ) + 3γκ) − γ/3 − γ(1/3−γ), κ = 1/6−γ+γ²  from Scholz i = 2, j = 1                           (2)
///   b̂: b̂_1 = ½, order 2, R̂(∞) = −¼                                                                                   (3)
/// Lang, Teleaga, IEEE Trans. Magn. 44 (2008) 1238, doi:10.1109/TMAG.2007.914837.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr double g = gamma_star;
constexpr RosenbrockCoefficients<double> coefficients{
    .s = 4,
    .alpha = {{}, {0.5}, {0.5, 0.5}, {0.5, 0.5, 0}},
    .gamma = {{g},
              {-0.5, g},
              {-0.85097400486060997409, 0.52613565586465600934, g},
              {-1.0 / 3, 1.0 / 6, 1.0 / 6 - g, g}},
    .b = {1.0 / 6, 2.0 / 3, 1.0 / 6 - g, g},
    .b_hat = {0.5, 0.35206357511123663956, -0.17403160872870697815, 0.32196803361747033859}};
constexpr double kappa = 1.0 / 6 - g + g * g;
constexpr double beta_32 =
    4 * (2 * (g * g * g + 3 * g * g * (0.5 - g) + 3 * g * kappa) - g / 3 - g * (1.0 / 3 - g)) / (1.0 / 6 - g);
}  // namespace

constexpr RosenbrockTable ros3pl =
    make_rosenbrock_table({.name = "ros3pl",
                           .title = "ROS3PL, L-stable successor of ROS3P",
                           .reference = "Lang, Teleaga 2008, doi:10.1109/TMAG.2007.914837",
                           .order = 3,
                           .embedded_order = 2},
                          coefficients);
static_assert(close(ros3pl.beta(2, 0) + ros3pl.beta(2, 1), (0.5 - 2 * g + g * g) / (1.0 / 6 - g)));  // (1)
static_assert(close(ros3pl.beta(2, 1), beta_32));                                                    // (2)
static_assert(close(stability_at_infinity(ros3pl, ros3pl.b_hat), -0.25));                            // (3)
static_assert(classical_order(ros3pl, ros3pl.b) == 3 && classical_order(ros3pl, ros3pl.b_hat) == 2);
static_assert(scholz_defect(ros3pl, ros3pl.b, 2) < 1e-14 && scholz_defect(ros3pl, ros3pl.b, 3) > 1e-3);
static_assert(ros3pl.stiffly_accurate && ros3pl.n_f_calls == 3);

}  // namespace rubato::rosenbrock
