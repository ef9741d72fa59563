#pragma once
/// The pair that governs the linearly implicit Euler method with entries left out, on a linear problem L x' = Df x:
///   A = L + τ ΔJ,   B = L − τ J,   J = Df ∘ S,  ΔJ = Df − J;   (L − τJ) x_{n+1} = (L + τΔJ) x_n,   A v = λ B v.
#include "rubato/base/result.hpp"
#include "rubato/base/views.hpp"
#include "rubato/linalg/pattern.hpp"
#include "rubato/realtime/kept_matrix.hpp"

namespace rubato::realtime {

/// Which equations and which unknowns L couples with derivatives. As many equations as unknowns are algebraic.
struct MassSplit {
  std::vector<int> differential_rows, algebraic_rows, differential_cols, algebraic_cols;
};

/// L must be diag(L₁, 0) up to the order of rows and columns, L₁ regular; else an Error says what it is instead.
[[nodiscard]] Result<MassSplit> split_mass(const SparsePattern& mass, In values);

struct StepPair {
  Matrix a, b;
  Matrix difference;  ///< B − A = −τ Df: held apart, because the subtraction cancels where τ Df is small
};

/// The constant part: structure, L and τ.
class StepPencil {
 public:
  StepPencil(SparsePattern jacobian, SparsePattern mass, In mass_values, double step);

  [[nodiscard]] int size() const noexcept { return jacobian_.rows(); }
  [[nodiscard]] double step() const noexcept { return step_; }
  [[nodiscard]] const SparsePattern& jacobian() const noexcept { return jacobian_; }
  [[nodiscard]] const std::vector<Entry>& places() const noexcept {
    return places_;
  }  ///< of Df, in the order of its values
  [[nodiscard]] const Matrix& mass() const noexcept { return mass_; }
  /// L by its entries.
  [[nodiscard]] const SparsePattern& mass_pattern() const noexcept { return mass_pattern_; }
  [[nodiscard]] In mass_values() const noexcept { return mass_values_; }

  [[nodiscard]] Keep all() const { return Keep(places_.size(), 1); }
  [[nodiscard]] StepPair pair(In jacobian_values, const Keep& keep) const;
  [[nodiscard]] StepPair pair(In jacobian_values) const { return pair(jacobian_values, all()); }

 private:
  SparsePattern jacobian_;
  std::vector<Entry> places_;
  SparsePattern mass_pattern_;
  std::vector<double> mass_values_;
  Matrix mass_;
  double step_;
};

}  // namespace rubato::realtime
