#pragma once
/// Dense output of an extrapolation method: the polynomial through both ends of the step with derivatives at its end,
///   x(t + θH) = x₁ + Σ_{k=1}^{m} (θ−1)^k D_k/k! + (θ−1)^{m+1} c,   c such that x(t) = x₀                                      (1)
///   D_k: extrapolated n_j^k ∇^k x_{n_j} over the rows with n_j ≥ k,   D_k = H^k x^(k)(t + H) + O(H^{κ+1})                    (2)
/// κ: columns, m = min(κ − 1, 6). Backward differences of the small steps have an expansion in τ as the states have; they begin with the
/// increments Δ, which lose no digits. Hairer & Ostermann, Numer. Math. 58 (1990) 419, doi:10.1007/BF01385634.
#include <span>
#include <vector>

#include "rubato/base/views.hpp"

namespace rubato {

class ExtrapolationDense {
 public:
  ExtrapolationDense(int n, std::span<const int> numbers);

  /// Δ_i of row j (from 1 on), for the stepper to write.
  [[nodiscard]] Out increment(int j, int i) noexcept { return column(increments_, first_[j - 1] + i); }

  /// Of a step with so many columns; derivatives are made when they are first asked for.
  void begin(int columns) noexcept;
  /// D_1 of the step, or nothing where there is one column only.
  [[nodiscard]] In end_derivative() noexcept;
  /// (1), and H x' where asked for.
  void evaluate(double theta, In x0, In x1, Out x, Out rate) noexcept;

 private:
  [[nodiscard]] static Out column(Matrix& m, int i) noexcept {
    return {m.col(i).data(), static_cast<std::size_t>(m.rows())};
  }
  void derive(int k) noexcept;
  std::vector<int> numbers_, first_;
  int columns_ = 0, degree_ = 0, known_ = 0;
  Matrix increments_;   ///< row after row
  Matrix differences_;  ///< of one row
  Matrix tableau_;
  Matrix derivatives_;  ///< D_1 … D_m
};

}  // namespace rubato
