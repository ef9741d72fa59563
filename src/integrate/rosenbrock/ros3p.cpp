/// ROS3P: three stages, two evaluations, order 3, no order reduction on parabolic problems. With γ = ½ + √3/6:
///   α_21 = α_31 = 1,  α_32 = 0,  γ_21 = −1,  γ_31 = −γ,  γ_32 = ½ − 2γ,  b = (2/3, 0, 1/3),  b̂ = (1/3, 1/3, 1/3)
/// Lang, Verwer, BIT 41 (2001) 731, doi:10.1023/A:1021900219772. A-stable, R(∞) = R̂(∞) = 1 − √3.
#include <numbers>

#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
using std::numbers::sqrt3;
constexpr double g = 0.5 + sqrt3 / 6;
constexpr RosenbrockCoefficients<double> coefficients{.s = 3,
                                                      .alpha = {{}, {1}, {1, 0}},
                                                      .gamma = {{g}, {-1, g}, {-g, 0.5 - 2 * g, g}},
                                                      .b = {2.0 / 3, 0, 1.0 / 3},
                                                      .b_hat = {1.0 / 3, 1.0 / 3, 1.0 / 3}};
}  // namespace

constexpr RosenbrockTable ros3p = make_rosenbrock_table({.name = "ros3p",
                                                         .title = "ROS3P, parabolic problems",
                                                         .reference = "Lang, Verwer 2001, doi:10.1023/A:1021900219772",
                                                         .order = 3,
                                                         .embedded_order = 2},
                                                        coefficients);
static_assert(close(ros3p.gamma_sum[1], g - 1) && close(ros3p.gamma_sum[2], 0.5 - 2 * g));
static_assert(classical_order(ros3p, ros3p.b) == 3 && classical_order(ros3p, ros3p.b_hat) == 2);
static_assert(scholz_defect(ros3p, ros3p.b, 2) < 1e-15 && scholz_defect(ros3p, ros3p.b, 3) > 0.1);
static_assert(close(stability_at_infinity(ros3p, ros3p.b), 1 - sqrt3));
static_assert(ros3p.n_f_calls == 2 && !ros3p.evaluates_at_stage(2));

}  // namespace rubato::rosenbrock
