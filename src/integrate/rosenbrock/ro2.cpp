/// RO2: two stages, order 2, stiffly accurate, L-stable. U. Becker, dissertation, TU Kaiserslautern 2012, example 4.2.3:
///   α_21 = 1,  γ_21 = −γ,  b = (1−γ, γ),  γ = 1 ± √2/2,   built from conditions in rosenbrock_two_stage.hpp.
/// `ro2a` has γ = 1 + √2/2, the choice of the source; `ro2b` has γ = 1 − √2/2 and a 34 times smaller error.
/// The embedded weights have order 1 and R̂(∞) = ½. The source prints b̂ = (2+√2, −1−√2) and claims R̂(∞) = 0; the value is
/// 1, and 0 is impossible unless b̂ = b. `ro2-source` keeps the printed ones for comparison.
#include <numbers>

#include "methods.hpp"
#include "rubato/integrate/rosenbrock_two_stage.hpp"

namespace rubato::rosenbrock {
namespace {
using std::numbers::sqrt2;
constexpr std::string_view reference = "Becker 2012, dissertation TU Kaiserslautern, example 4.2.3";
}  // namespace

constexpr RosenbrockTable ro2a = make_rosenbrock_table(
    {.name = "ro2a", .title = "RO2, gamma = 1 + sqrt(2)/2", .reference = reference, .order = 2, .embedded_order = 1},
    two_stage_stiffly_accurate(two_stage_gamma<double>(+1), 0.5));
constexpr RosenbrockTable ro2b = make_rosenbrock_table(
    {.name = "ro2b", .title = "RO2, gamma = 1 - sqrt(2)/2", .reference = reference, .order = 2, .embedded_order = 1},
    two_stage_stiffly_accurate(two_stage_gamma<double>(-1), 0.5));
namespace {
constexpr auto with_source_weights() {
  RosenbrockCoefficients<double> method = ro2a;
  method.b_hat[0] = 2 + sqrt2;
  method.b_hat[1] = -1 - sqrt2;
  return method;
}
}  // namespace
constexpr RosenbrockTable ro2_source = make_rosenbrock_table({.name = "ro2-source",
                                                              .title = "RO2a with the embedded weights as printed",
                                                              .reference = reference,
                                                              .order = 2,
                                                              .embedded_order = 1},
                                                             with_source_weights());

static_assert(close(ro2a.diagonal, 1 + sqrt2 / 2) && close(ro2b.diagonal, 1 - sqrt2 / 2));
static_assert(close(ro2a.b_hat[0], 1 + sqrt2 / 4) && close(ro2a.b_hat[1], -sqrt2 / 4));
static_assert(close(ro2b.b_hat[0], 1 - sqrt2 / 4) && close(ro2b.b_hat[1], sqrt2 / 4));
static_assert(classical_order(ro2a, ro2a.b) == 2 && classical_order(ro2a, ro2a.b_hat) == 1 && ro2a.stiffly_accurate);
static_assert(classical_order(ro2b, ro2b.b) == 2 && classical_order(ro2b, ro2b.b_hat) == 1 && ro2b.stiffly_accurate);
static_assert(close(stability_at_infinity(ro2_source, ro2_source.b_hat), 1));  // the source says 0

}  // namespace rubato::rosenbrock
