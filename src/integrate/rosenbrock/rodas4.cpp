/// RODAS4: six stages, order 4, stiffly accurate pair 4(3), γ = ¼, α = (0, 0.386, 0.21, 0.63, 1, 1).
/// Hairer, Wanner, Solving Ordinary Differential Equations II, 2nd ed., section VI.4, doi:10.1007/978-3-642-05221-7, print
/// the u-form to sixteen digits. The α, Γ, b below solve the order conditions with the same α_i, β_2' = 0.0317,
/// β_3' = 0.0635, β_4' = 0.3438 to twenty digits; their u-form differs from the printed one by at most 5e-15 relatively.
/// L-stable, order 3 for the algebraic components of index 1. Stage 6 continues stage 5: α_6 = b̂, b = row 6 of B.
/// Satisfies the Scholz condition i = 2 only to 1.4e-4: on very stiff smooth problems use rodas4p.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr RosenbrockCoefficients<double> coefficients{
    .s = 6,
    .alpha = {{},
              {0.386},
              {0.14607470752541789548, 0.06392529247458210452},
              {-0.33081150366773014417, 0.71115102516828465745, 0.24966047849944548672},
              {-4.552557186318030729, 1.7101813632413318227, 4.0143473321031726821, -0.17197150902647377572},
              {2.4286337654669871489, -0.38274873376478454649, -1.8557203309295787543, 0.55983529922737615189, 0.25}},
    .gamma = {{0.25},
              {-0.3543, 0.25},
              {-0.13360250526817551808, -0.012897494731824481916, 0.25},
              {1.5268491730064666059, -0.53365628875045719886, -1.279392884256009407, 0.25},
              {6.9811909517850178779, -2.0929300970061163691, -5.8700676630327514364, 0.73180680825384992761, 0.25},
              {-2.080189494180933349, 0.59576235567668246752, 1.7016177982672591133, -0.088514519835879827502,
               -0.37867613992712840429, 0.25}},
    .b = {0.34844427128605379991, 0.21301362191189792102, -0.15410253266231964103, 0.47132077939149632439,
          -0.12867613992712840429, 0.25},
    .b_hat = {2.4286337654669871489, -0.38274873376478454649, -1.8557203309295787543, 0.55983529922737615189, 0.25}};
}  // namespace

constexpr RosenbrockTable rodas4 =
    make_rosenbrock_table({.name = "rodas4",
                           .title = "RODAS4, stiffly accurate pair 4(3)",
                           .reference = "Hairer, Wanner 1996, doi:10.1007/978-3-642-05221-7",
                           .order = 4,
                           .embedded_order = 3},
                          coefficients);
static_assert(close(rodas4.alpha_sum[2], 0.21) && close(rodas4.alpha_sum[3], 0.63) && close(rodas4.alpha_sum[4], 1));
static_assert(close(rodas4.gamma_sum[1], -0.1043) && close(rodas4.gamma_sum[2], 0.1035) &&
              close(rodas4.gamma_sum[3], -0.0362) && magnitude(rodas4.gamma_sum[5]) < 1e-15);
static_assert(classical_order(rodas4, rodas4.b) == 4 && classical_order(rodas4, rodas4.b_hat) == 3);
static_assert(index1_order3(rodas4) && magnitude(index1_defects(rodas4, rodas4.b).x4) < 1e-14);
static_assert(rodas4.stiffly_accurate && rodas4.n_f_calls == 6);

}  // namespace rubato::rosenbrock
