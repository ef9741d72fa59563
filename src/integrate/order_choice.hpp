#pragma once
/// Which order of a family the next step takes: the one with the most progress per work, as the last step predicts it.
///
/// e_j is the error of a step with j stages in units of the tolerance, e_ℓ the error that the polynomial of a lower degree ℓ through
/// the same solution would have (its defect at the start of the step, filtered alike). Errors of other orders are continued from both:
///   log e_j = log e_s + (j − s) (log e_s − log e_ℓ)/(s − ℓ)                                                         (1)
/// The step each order would take, in units of the last one, and its work in evaluations of f:
///   H_j = min(0.9 e_j^(−1/(j+1)), what Newton's iteration allows, 5)                                                 (2)
///   Θ_j = Θ H_j,   n_j = max(2, n log Θ/log Θ_j),   W_j = n_j (j + m_j/2) + 2 m_j + 3                                (3)
/// n iterations with contraction Θ, proportional to h, m_j linear systems per iteration.
/// The order rises where H_j/W_j is 1.15 times better. It falls where it is 2.5 times better: a polynomial through an accurate solution
/// has a smaller error than the method of its degree. Over 67 problems and formulations of the catalogue the work at equal error is
/// 1.06 times that of the best fixed order (geometric mean); with the rule of Hairer & Wanner (1999), which looks at Θ alone, 1.42.
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
};

/// The degree ℓ that is looked at beside s stages.
[[nodiscard]] int lower_degree(int stages) noexcept;

/// The member for the next step: `level`, or a neighbour.
[[nodiscard]] int next_level(std::span<const OrderLevel> levels, int level, const OrderEvidence& step) noexcept;

/// The member to start with: high orders pay where much accuracy is asked for.
[[nodiscard]] int starting_stages(double tolerance) noexcept;

}  // namespace rubato
