#pragma once
/// Dense output of Runge-Kutta steps: the polynomial through x₀ at 0, the inner stages (0 < c_i < 1) and x₁ at 1,
///   x(θ) = x₀ + Σ_k ℓ_k(θ) D_k,   ℓ_k(θ) = Σ_p powers(k, p) θ^(p+1),   D_k = X − x₀ of node k                       (1)
/// Continued beyond 1 it starts the next step's iteration. Needs nothing of A: serves singular tables as well.
#include <vector>

#include "rubato/base/views.hpp"

namespace rubato {

struct DenseStages {
  DenseStages() = default;
  /// For the nodes c of a table.
  explicit DenseStages(const Vector& c);

  std::vector<int> nodes;  ///< node k is stage nodes[k]; the number of stages: the end
  Matrix powers;
  [[nodiscard]] int degree() const noexcept { return static_cast<int>(nodes.size()); }
  Vector end_slopes;  ///< ℓ_k'(1)
  double widest = 0;  ///< the middle of the widest gap between 0 and the nodes
  /// ℓ_k(θ) and, where asked for, ℓ_k'(θ).
  void dense_weights(double theta, double* weights, double* slopes) const noexcept;
  /// ℓ_k(1 + c_i ratio) − δ_km, by rows i: the stages of a step `ratio` times as long that follows, relative to where it starts.
  void continuation(const Vector& c, double ratio, double* weights) const noexcept;
};

}  // namespace rubato
