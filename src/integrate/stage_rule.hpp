#pragma once
/// How one row of B x' = f, or one additive part of it, goes through a Lobatto step: its own coefficients, its own way to the
/// end of the step and to the extra stage of the error estimate.
///
/// With Z_i = X_i − x₀, K_i = X'_i and h A K = Z any Σ_j r_j h K_j, be it x₁ − x₀ (r = b) or the extra stage X_0 − x₀, is
///   Σ_j w_j Z_j,               Aᵀ w = r                       where A is safely invertible                        (1)
///   Σ_j w_j Z_j + w_1 h K_1,   (A + e₁e₁ᵀ)ᵀ w = r             near IIIA, whose first row is zero                    (2)
///   Σ_j r_j h K_j                                             else (IIIB, IIIC*)                                    (3)
/// K_j in (2) and (3) comes from B K_j = f(X_j). Where b is the last row of A, x₁ = X_s whatever A is.
#include <array>

#include "rubato/integrate/runge_kutta_table.hpp"

namespace rubato {

/// Σ_j on_z_j Z_j + h Σ_j on_k_j K_j.
struct StageCombination {
  std::array<double, max_runge_kutta_stages> on_z{}, on_k{};
  [[nodiscard]] bool uses_slope(int j) const noexcept { return on_k[static_cast<std::size_t>(j)] != 0; }
  friend bool operator==(const StageCombination&, const StageCombination&) = default;
};

struct StageRule {
  int s = 0;
  double theta = 0;
  LobattoCorner corner;
  std::array<double, max_runge_kutta_stages * max_runge_kutta_stages> a{};  ///< row by row
  StageCombination end, extra;
  bool ends_in_last_stage = false;

  [[nodiscard]] double operator()(int i, int j) const noexcept { return a[static_cast<std::size_t>(i * s + j)]; }
};

/// For a Lobatto table; α₀ of the error estimate (−1: the family's own).
[[nodiscard]] StageRule stage_rule(const RungeKuttaTable& table, double alpha0);
/// The same for a row whose parts have several tables, so that Z mixes them: all that does not end in the last stage by (3).
[[nodiscard]] StageRule stage_rule_of_part(const RungeKuttaTable& table, double alpha0);

/// The blend IIIDC at θ of its edges IIIC (θ = 0) and IIID (θ = 1): without allocation, for θ that follow the step size.
///   A = θ A^D + (1−θ) A^C,   d = e_s − (−1)^s θ/(2−θ) e₁;   the extra stage, −12 α₀ Z_1, is the same for all θ        (4)
[[nodiscard]] StageRule blended_dc(const StageRule& iiic, const StageRule& iiid, double theta) noexcept;

}  // namespace rubato
