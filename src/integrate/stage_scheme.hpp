#pragma once
/// A Runge-Kutta table with invertible A, made ready for stepping: decoupled stages, dense output, error estimate.
///
/// z-form: Z_i = X_i − x₀, h X'_i = Σ_j (A⁻¹)_ij Z_j, x₁ = x₀ + Σ d_i Z_i, d = A⁻ᵀ b                                   (1)
/// A⁻¹ = T Λ T⁻¹ turns Newton's equations for all stages, ((hA)⁻¹ ⊗ B − I ⊗ J) ΔZ = r, into independent ones
///   (λ_k/h B − J) w_k = Σ_i (T⁻¹)_ki r_i,   ΔZ_i = Σ_real T_ik w_k + 2 Re Σ_pairs T_ik w_k                           (2)
/// of which only one of each complex pair is solved.
#include <complex>
#include <vector>

#include "dense_stages.hpp"
#include "rubato/integrate/runge_kutta_table.hpp"
#include "stage_kernels.hpp"

namespace rubato {

struct StageScheme : DenseStages {
  /// Fails, naming the reason, where A is singular or its eigenvectors are useless. Schemes of unblended tables are kept: a
  /// short run would spend more time on them than on its steps.
  [[nodiscard]] static Result<StageScheme> create(const RungeKuttaTable& table);

  RungeKuttaTable table;
  int s = 0;
  Matrix A_inverse;
  Vector d;
  bool ends_in_last_stage = false;  ///< d = e_s

  std::vector<double> real;                 ///< λ_k, and
  std::vector<std::complex<double>> pairs;  ///< one of each pair
  // (2) in real numbers, by rows: a column per real mode, then two, real and imaginary part, per pair.
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows to_modes, from_modes, inverse;  ///< inverse: A⁻¹
  long modes = 0;                      ///< real ones and pairs
  StageKernels kernels;

  /// γ₀ of the error filter (I − hγ₀J)⁻¹: 1/λ of the real mode, whose factor it shares, or a number of its own.
  double gamma0 = 0;
  int filter_slot = 0;  ///< its real slot
};

}  // namespace rubato
