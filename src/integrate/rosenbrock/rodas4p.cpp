/// RODAS4P (= RODASP): six stages, order 4, stiffly accurate pair 4(3), γ = ¼, α = (0, 0.75, 0.21, 0.63, 1, 1), and no
/// order reduction on stiff smooth problems: the Scholz conditions i = 2, 3 hold for b and for b̂.
/// Steinebach, Order-reduction of ROW-methods for DAEs and method of lines applications, Preprint 1741, TH Darmstadt 1995.
/// Solved to twenty digits from the order conditions with β_2' = 0, β_3' = α_3²(α_3/6 − γ/2)/γ², β_4' = 0.3438.
/// Stage 6 continues stage 5: α_6 = b̂, b = row 6 of B. L-stable.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr RosenbrockCoefficients<double> coefficients{
    .s = 6,
    .alpha = {{},
              {0.75},
              {0.086120400814155075684, 0.12387959918584492432},
              {0.77493453550732419624, 0.14926515495086966331, -0.29419969045819385955},
              {5.3087466826461451991, 1.3308921400372698353, -5.3741378116555646122, -0.26550101102785042215},
              {-1.7644376487744849006, -0.47475655720630317494, 2.3696918469158047561, 0.61950235906498331946, 0.25}},
    .gamma = {{0.25},
              {-0.75, 0.25},
              {-0.13551240081415507568, -0.13799159918584492432, 0.25},
              {-1.2569840048950792983, -0.25014471050642521887, 1.2209287154015045172, 0.25},
              {-7.0731843314206300997, -1.8056486972435730102, 7.7438296585713693683, 0.8850033700928337416, 0.25},
              {1.6840692779853732505, 0.41826594361385613871, -1.8814062168730079632, -0.11378614758336428317,
               -5.0 / 14, 0.25}},
    .b = {-0.080368370789111650068, -0.056490613592447036229, 0.48828563004279679286, 0.50571621148161903629, -3.0 / 28,
          0.25},
    .b_hat = {-1.7644376487744849006, -0.47475655720630317494, 2.3696918469158047561, 0.61950235906498331946, 0.25}};
constexpr double alpha_3 = 0.21;
}  // namespace

constexpr RosenbrockTable rodas4p =
    make_rosenbrock_table({.name = "rodas4p",
                           .title = "RODAS4P, stiffly accurate pair 4(3) without order reduction",
                           .reference = "Steinebach 1995, preprint 1741, TH Darmstadt",
                           .order = 4,
                           .embedded_order = 3},
                          coefficients);
static_assert(close(rodas4p.alpha_sum[2], 0.21) && close(rodas4p.alpha_sum[3], 0.63) && close(rodas4p.alpha_sum[4], 1));
static_assert(close(rodas4p.alpha_sum[2] + rodas4p.gamma_sum[2] - 0.25,
                    alpha_3* alpha_3*(alpha_3 / 6 - 0.125) / 0.0625));  // β_3'
static_assert(classical_order(rodas4p, rodas4p.b) == 4 && classical_order(rodas4p, rodas4p.b_hat) == 3);
static_assert(scholz_defect(rodas4p, rodas4p.b, 2) < 1e-14 && scholz_defect(rodas4p, rodas4p.b, 3) < 1e-14);
static_assert(index1_order3(rodas4p) && magnitude(index1_defects(rodas4p, rodas4p.b).x4) < 1e-14);
static_assert(rodas4p.stiffly_accurate && rodas4p.n_f_calls == 6);

}  // namespace rubato::rosenbrock
