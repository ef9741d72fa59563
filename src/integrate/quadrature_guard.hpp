#pragma once
/// A watch over rows that the Lobatto error estimates cannot see.
///
/// The estimate of runge_kutta_embedded.hpp (2), h γ₀ [F(X_0) − F(X_1)] ≈ γ₀κσ h^{s+1} F_x x^{(s)}, is zero in a row k with
/// F_x = 0, a pure quadrature x_k' = F_k(t), however large its error. There the same multiple of what the term stands for,
///   e_k = |γ₀κσ| h^{s+1} |x_k^{(s+1)}|                                                                              (1)
/// is taken, the derivative from the divided difference of x_k' over the s stages and one stage of the step before; in the
/// first step, without that stage, |γ₀κσ| h^s |x_k^{(s)}|, one order lower and so on the safe side.
#include <vector>

#include "rubato/base/archive.hpp"
#include "rubato/base/views.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"
#include "rubato/linalg/pattern.hpp"
#include "rubato/problem/layout.hpp"

namespace rubato {

class QuadratureGuard {
 public:
  QuadratureGuard() = default;
  QuadratureGuard(const RungeKuttaTable& table, double leading, const Layout& layout);

  /// Blind rows of this linearisation: differential, a row of zeros in J, nothing but the diagonal in B.
  void find(const SparsePattern& jacobian, In j_values, const SparsePattern& mass, In b_values) noexcept;
  [[nodiscard]] const std::vector<int>& rows() const noexcept { return rows_; }

  /// (1) of row k from x_k' at the stages, for a step of size h after one of h_old (0: none).
  [[nodiscard]] double error(int row, const double* slopes, double h, double h_old) noexcept;

  /// Rows that were not looked at in this step have no value to go on from.
  void commit() noexcept;
  void forget() noexcept;
  void save(ArchiveWriter& out) const { out.put(view(old_)); }
  void load(ArchiveReader& in) noexcept { in.get(view(old_)); }

 private:
  Vector c_;
  double leading_ = 0;
  std::vector<int> rows_;
  std::vector<char> blind_, differential_;
  Vector old_, trial_;  ///< x_k' at stage s−1 of the committed and of the trial step; NaN: not known
};

}  // namespace rubato
