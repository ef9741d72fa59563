#pragma once
/// The matrix of the linearly implicit Euler method where some entries of the Jacobian are left out:
///   A = L − τ (Df ∘ S),   S_ij ∈ {0, 1}.
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato::realtime {

/// Which entries of a pattern are kept, one value per place of the pattern: 1 kept, 0 left out.
using Keep = std::vector<unsigned char>;

class KeptMatrix {
 public:
  /// L is constant. Its entries are always there, also where they are zero: the pattern of A is that of L and S together.
  KeptMatrix(const SparsePattern& jacobian, const Keep& keep, const SparsePattern& mass, In mass_values, double step);

  [[nodiscard]] const SparsePattern& pattern() const noexcept { return pattern_; }
  [[nodiscard]] double step() const noexcept { return step_; }
  /// A from the values of Df on its whole pattern.
  void fill(In jacobian_values, Out values) const noexcept { fill(jacobian_values, step_, values); }
  /// … for another step.
  void fill(In jacobian_values, double step, Out values) const noexcept;

 private:
  struct Place {
    int from, to;  ///< in the values of Df, in those of A
  };
  double step_;
  SparsePattern pattern_;
  std::vector<double> mass_;  ///< L on the pattern of A
  std::vector<Place> kept_;
};

}  // namespace rubato::realtime
