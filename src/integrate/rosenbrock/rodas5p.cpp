/// RODAS5P: eight stages, order 5, stiffly accurate pair 5(4), γ = 0.21193756319429014.
/// G. Steinebach, Construction of Rosenbrock–Wanner method Rodas5P and numerical benchmarks within the Julia Differential
/// Equations package, BIT Numer. Math. 63 (2023) 27, doi:10.1007/s10543-023-00967-x. The coefficients are those published
/// with the paper (u-form, rosenbrock_table.hpp (3)), as distributed in OrdinaryDiffEq.jl; stages 6, 7, 8 continue each
/// other: a_7 = (a_6, 1), a_8 = (a_6, 1, 1), m = (a_6, 1, 1, 1), m̂ = a_8, hence error estimate = u_8.
/// L-stable, no order reduction below 4 on stiff smooth problems (Scholz i = 2, 3 for b).
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr RosenbrockUForm<double> published() {
  RosenbrockUForm<double> u{
      .a = {{},
            {3},
            {2.849394379747939, 0.45842242204463923},
            {-6.954028509809101, 2.489845061869568, -10.358996098473584},
            {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
            {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946}},
      .c = {{},
            {-14.155112264123755},
            {-17.97296035885952, -2.859693295451294},
            {147.12150275711716, -1.41221402718213, 71.68940251302358},
            {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
            {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471},
            {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
             -28.087943162872662},
            {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
             -54.66780262877968, -9.48861652309627}},
      .m = {},
      .m_hat = {}};
  for (int j = 0; j < 8; ++j) {  // the stages that continue stage 6
    u.a[6][j] = j < 6 ? (j < 5 ? u.a[5][j] : 1) : 0;
    u.a[7][j] = u.m_hat[j] = j < 7 ? (j < 5 ? u.a[5][j] : 1) : 0;
    u.m[j] = j < 5 ? u.a[5][j] : 1;
  }
  return u;
}
/// Sums of up to eight products of the printed numbers.
constexpr bool near(double x, double y) { return magnitude(x - y) < 1e-13; }
}  // namespace

constexpr RosenbrockTable rodas5p =
    make_rosenbrock_table({.name = "rodas5p",
                           .title = "RODAS5P, stiffly accurate pair 5(4)",
                           .reference = "Steinebach 2023, doi:10.1007/s10543-023-00967-x",
                           .order = 5,
                           .embedded_order = 4},
                          8, 0.21193756319429014, published());
// The sums α_i and γ_i are printed as well: an independent check of every row.
static_assert(near(rodas5p.alpha_sum[1], 0.6358126895828704) && near(rodas5p.alpha_sum[2], 0.4095798393397535) &&
              near(rodas5p.alpha_sum[3], 0.9769306725060716) && near(rodas5p.alpha_sum[4], 0.4288403609558664) &&
              near(rodas5p.alpha_sum[5], 1) && near(rodas5p.alpha_sum[6], 1) && near(rodas5p.alpha_sum[7], 1));
static_assert(near(rodas5p.gamma_sum[1], -0.42387512638858027) && near(rodas5p.gamma_sum[2], -0.3384627126235924) &&
              near(rodas5p.gamma_sum[3], 1.8046452872882734) && near(rodas5p.gamma_sum[4], 2.325825639765069) &&
              near(rodas5p.gamma_sum[5], 0) && near(rodas5p.gamma_sum[6], 0) && near(rodas5p.gamma_sum[7], 0));
static_assert(classical_order(rodas5p, rodas5p.b) == 5 && classical_order(rodas5p, rodas5p.b_hat) == 4);
static_assert(index1_order3(rodas5p) && magnitude(index1_defects(rodas5p, rodas5p.b).x4) < 1e-13);
static_assert(scholz_defect(rodas5p, rodas5p.b, 2) < 1e-12 && scholz_defect(rodas5p, rodas5p.b, 3) < 1e-12);
static_assert(rodas5p.stiffly_accurate && rodas5p.n_f_calls == 8);
static_assert(rodas5p.m_error[7] == 1 && rodas5p.m_error[6] == 0);  // the estimate is u_8

}  // namespace rubato::rosenbrock
