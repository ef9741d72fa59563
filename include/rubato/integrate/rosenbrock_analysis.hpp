#pragma once
/// What a Rosenbrock method can do, computed from its coefficients: nothing here repeats a claim of a paper.
#include <complex>

#include "rubato/integrate/rosenbrock_conditions.hpp"
#include "rubato/integrate/rosenbrock_table.hpp"

namespace rubato {

/// Properties of one set of weights, b or b̂.
struct RosenbrockWeightProperties {
  int order;                     ///< classical, up to 5
  Index1Defects<double> index1;  ///< z2, z3a, z3b, z3c, x4
  double r_infinity;             ///< R(∞)
  double max_r_imaginary;        ///< max |R(iy)| over y = 10⁻³ … 10⁶
  bool a_stable;                 ///< max |R(iy)| ≤ 1 up to rounding; the only pole of R is 1/γ > 0
  double scholz[3];              ///< scholz_defect for i = 2, 3, 4
  int scholz_order;              ///< k: the conditions hold for all 2 ≤ i < k; 2 if none does
  double zeta2, zeta3;           ///< stiff limits of the velocity defects
};

struct RosenbrockProperties {
  RosenbrockWeightProperties main, embedded;
  bool stiffly_accurate;
  int n_f_calls;
  int dense_order;
  bool dense_index1;                ///< the dense output has order 2 in the algebraic components too
  double dense_r_min, dense_r_max;  ///< range of R(θ, ∞) on [0, 1]
};

/// R(z) = 1 + z bᵀ(I − zB)⁻¹𝟙
[[nodiscard]] std::complex<double> stability_function(const RosenbrockCoefficients<double>& method,
                                                      const double (&weights)[max_rosenbrock_stages],
                                                      std::complex<double> z);

/// The largest |b(θ) − exact| of the conditions with n nodes over θ ∈ [0, 1]; below condition_tolerance for n ≤ dense_order.
[[nodiscard]] double dense_order_defect(const RosenbrockTable& table, int n);

[[nodiscard]] RosenbrockProperties rosenbrock_properties(const RosenbrockTable& table);

}  // namespace rubato
