/// RO2P: two stages, order 2, without order reduction on stiff oscillators (Scholz condition i = 2). The conditions force
/// γ = ½, β_21 = 0, b_2 α_21² = ½; of this family we take α_21 = 1:   γ_21 = −1, b = (½, ½).
/// S. Scholz, Computing 41 (1989) 219, for the conditions; U. Becker, dissertation, TU Kaiserslautern 2012, names the method.
/// A-stable, but R(∞) = −1: fast oscillations are not damped, and the index-1 theory (|R(∞)| < 1) does not apply.
/// β = (½, ½), so every b̂ with Σb̂ = 1 has order 2 and R̂(∞) = −1 as well; b̂ = (1, 0) gives a difference of O(h³).
/// For the same reason the dense output has order 1 only: b(θ)ᵀβ = ½ Σb(θ) = θ/2 is not θ²/2.
#include "methods.hpp"

namespace rubato::rosenbrock {
namespace {
constexpr RosenbrockCoefficients<double> coefficients{
    .s = 2, .alpha = {{}, {1}}, .gamma = {{0.5}, {-1, 0.5}}, .b = {0.5, 0.5}, .b_hat = {1, 0}};
}

constexpr RosenbrockTable ro2p = make_rosenbrock_table({.name = "ro2p",
                                                        .title = "RO2P, without order reduction, R(inf) = -1",
                                                        .reference = "Scholz 1989, Computing 41, 219; Becker 2012",
                                                        .order = 2,
                                                        .embedded_order = 2},
                                                       coefficients);
static_assert(classical_order(ro2p, ro2p.b) == 2 && classical_order(ro2p, ro2p.b_hat) == 2);
static_assert(scholz_defect(ro2p, ro2p.b, 2) == 0 && scholz_defect(ro2p, ro2p.b, 3) > 0.1);
static_assert(stability_at_infinity(ro2p, ro2p.b) == -1 && stability_at_infinity(ro2p, ro2p.b_hat) == -1);

}  // namespace rubato::rosenbrock
