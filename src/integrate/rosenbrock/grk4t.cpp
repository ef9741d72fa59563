/// GRK4T: four stages, three evaluations, order 4, |R(∞)| = 0.454, for ordinary differential equations; the standard method of ROWMAP, whose
/// Krylov spaces it suits by its two equal arguments. Algebraic components have order 2 only.
/// Kaps & Rentrop, Numer. Math. 33 (1979) 55, doi:10.1007/BF01396495.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr double a31 = -0.08156681683272, a32 = 0.96177515016606;
constexpr RosenbrockCoefficients<double> coefficients{
    .s = 4,
    .alpha = {{}, {0.462}, {a31, a32}, {a31, a32}},
    .gamma = {{0.231},
              {-0.27062966775244, 0.231},
              {0.31125448329409, 0.00852445628482, 0.231},
              {0.28281683204353, -0.45795948328073, -0.11120833333333, 0.231}},
    .b = {0.21748737165273, 0.48622903799012, 0, 0.29628359035715},
    .b_hat = {-0.71708850449933, 1.77617912176104, -0.05909061726171, 0}};
}  // namespace

constexpr RosenbrockTable grk4t = make_rosenbrock_table({.name = "grk4t",
                                                         .title = "GRK4T, for Krylov spaces and ordinary equations",
                                                         .reference = "Kaps & Rentrop 1979, doi:10.1007/BF01396495",
                                                         .order = 4,
                                                         .embedded_order = 3},
                                                        coefficients);
static_assert(grk4t.n_f_calls == 3);

}  // namespace rubato::rosenbrock
