#pragma once
/// Which order of a family the next step takes: the one with the most progress per work, as the last step predicts it.
///
/// e_j is the error of a step with j stages in units of the tolerance, e_ℓ the error that the polynomial of a lower degree ℓ through
/// the same solution would have (its defect at the start of the step, filtered alike). For x^(k) = ω^k x both are
///   e_j ~ K_j (hω)^j,   K_j = c₁ … c_j/(j + 1)! = (j − 1)!/((2j − 1)! (j + 1))                                       (1)
/// (p' of the polynomial through the start and the j nodes of Radau IIA), so that ω follows from e_s and e_ℓ:
///   log e_j = log e_s + log K_j/K_s + (j − s) μ,   μ = (log e_s/e_ℓ − log K_s/K_ℓ)/(s − ℓ)                           (2)
/// Tolerances are the same at all orders, but the solution is more accurate than its estimate, h^(2j) against h^(j+1), the more so the
/// higher the order: for the same accuracy the estimate of j stages may be a_j times as large (the powers by which tolerances are mapped),
///   a_j = τ^((j+1)/(2j) − (s+1)/(2s)),   τ: the tolerance asked for; 1 where tolerances are not mapped                (3)
/// The step each order would take, in units of the last one, and its work in evaluations of f:
///   H_j = min(0.9 (a_j/e_j)^(1/(j+1)), what Newton's iteration allows, 5)                                            (4)
///   Θ_j = Θ H_j,   n_j = max(2, n log Θ/log Θ_j),   W_j = n_j (j + m_j/2) + 2 m_j + 3                                (5)
/// n iterations with contraction Θ, proportional to h, m_j linear systems per iteration.
/// The order rises where H_j/W_j is 1.15 times better. It falls where it is 2.5 times better: a polynomial through an accurate solution
/// has a smaller error than the method of its degree. Where Newton's iteration holds the step (it may not grow by half) and would hold
/// that of the lower order as well (e_ℓ ≤ 0.01), 1.3 times is enough.
/// A new order begins with the step (4) with a_j = 1, not more than twice as long.
///
/// Over 88 problems and formulations of the catalogue the work at equal error is 1.035 times that of the best fixed order (geometric mean);
/// with (K_j, a_j) = 1, starts with higher orders only from 1e-6 and 1e-9 on, and steps that a new order takes over, 1.08.
#include <span>

namespace rubato {

/// A member of the family, in ascending order.
struct OrderLevel {
  int stages = 0;
  long systems = 0;  ///< m_j
};

/// What the last step showed.
struct OrderEvidence {
  double error = 0, lower_error = 0;  ///< e_s, e_ℓ
  int lower_degree = 0;
  double contraction = 0;  ///< Θ
  int iterations = 0;
  double largest_factor = 0;  ///< by Newton's iteration
  double tolerance = 0;       ///< τ; 0: tolerances are not mapped
};

struct OrderChoice {
  int level = 0;
  double factor = 0;  ///< of the next step, where the level is a new one; 0: it is not
};

/// The degree ℓ that is looked at beside s stages.
[[nodiscard]] int lower_degree(int stages) noexcept;

/// The member for the next step: `level`, or a neighbour.
[[nodiscard]] OrderChoice next_level(std::span<const OrderLevel> levels, int level, const OrderEvidence& step) noexcept;

/// The member to start with: high orders pay where much accuracy is asked for.
[[nodiscard]] int starting_stages(double tolerance) noexcept;

}  // namespace rubato
