#pragma once
/// Conditions and error bounds of small dense matrices, whatever their scaling.
///
/// Singular values come from a one-sided Jacobi iteration: it rotates columns until they are orthogonal and never mixes
/// large with small ones by subtraction, so that σ_min of a graded matrix is found to all digits, where an SVD by
/// bidiagonalisation finds ε σ_max. Condition numbers here reach 1e32. Demmel & Veselić, SIAM J. Matrix Anal. Appl. 13 (1992)
/// 1204, doi:10.1137/0613074; Drmač & Veselić, SIAM J. Matrix Anal. Appl. 29 (2008) 1322 (triangular factors first).
#include <span>

#include "rubato/base/views.hpp"

namespace rubato::experiments::scaling {

/// In descending order.
[[nodiscard]] Vector singular_values(const Matrix& a);
[[nodiscard]] double condition_2(const Matrix& a);
[[nodiscard]] double condition_inf(const Matrix& a, const Matrix& inverse);
/// Σ_j |a_ij|, the largest, and for the rows first … first+count−1 only.
[[nodiscard]] double norm_inf(const Matrix& a);
[[nodiscard]] double row_sum(const Matrix& a, int first, int count);

/// (6): |δz_i| ≤ r ε (Σ_j |(A⁻¹)_ij|) ‖A‖∞ ‖z‖∞ with r = 1, for each row.
[[nodiscard]] Vector error_bounds(const Matrix& a, const Matrix& inverse, double z_norm);

/// Slope of log y over log x by least squares, and exp of the intercept: y ≈ factor · x^exponent.
struct PowerLaw {
  double exponent = 0, factor = 0;
};
[[nodiscard]] PowerLaw fit_power(std::span<const double> x, std::span<const double> y);

}  // namespace rubato::experiments::scaling
