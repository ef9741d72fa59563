#pragma once
/// The size of an error in units of the tolerance: a step is accepted at or below 1.
///
///   r_i = |e_i| · min(1, h/T_ref)^κ_i / (atol_i + rtol · max(|x₀_i|, |x₁_i|))                 (1)
/// (|x₀_i| alone if the options say so)
///   rms √(Σ r_i²/n)      maximum max r_i      euclidean √(Σ r_i²)                              (2)
///   vector: euclidean with ‖x₀‖₂, ‖x₁‖₂ instead of |x₀_i|, |x₁_i|, for comparisons with codes that measure so;
///   of errors alone: Newton's tests and BDF take the weights of (1)
///
/// κ: the h-powers of the layout (velocities 1, multipliers 2 in index 3) or those of the options. The factor multiplies: where a step of size h
/// sees the error of a component amplified by h^−κ, the amplified part is not an error of the motion.
/// rms is the default: the Euclidean norm is √n times larger and asks for smaller steps the finer a mesh is.
#include <cmath>
#include <limits>
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/problem/layout.hpp"

namespace rubato {

class ErrorNorm {
 public:
  /// Options as `checked()` lets them pass.
  ErrorNorm(const Layout& layout, const Tolerances& tolerances, const StepOptions& options);

  /// (2) of e for a step of size h from x0 to x1 (h = ∞: without the h-scaling). Infinity where e, x0 or x1 is not finite,
  /// and where both tolerances of an erroneous component are zero. Never NaN.
  [[nodiscard]] double operator()(In e, In x0, In x1, double h) const noexcept;

  /// The unknown with the largest r_i, or the first that is not finite.
  [[nodiscard]] int worst(In e, In x0, In x1, double h) const noexcept;

  /// r_i of (1), each.
  void shares(In e, In x0, In x1, double h, Out out) const noexcept;
  /// min(1, h/T_ref).
  [[nodiscard]] double scale(double h) const noexcept;

  /// r_i per unit of error: the weights Newton and Krylov stop tests share with the error norm. Infinite where both
  /// tolerances are zero.
  void weights(In x0, double h, Out out) const noexcept;
  /// … of a step from x0 to x1.
  void weights(In x0, In x1, double h, Out out) const noexcept;
  /// (2) with the weights of an earlier call; not finite where e is not. Of several columns, one after the other in e: the
  /// root of the mean of their squares.
  [[nodiscard]] double weighted(In e, In weights) const noexcept;
  /// The same where Σ (weight_i e_i)² over all columns is known already.
  [[nodiscard]] double from_squares(double squares, In e, In weights) const noexcept {
    const bool usual = norm_ == Norm::rms && squares < std::numeric_limits<double>::infinity() && !e.empty();
    return usual ? std::sqrt(squares / static_cast<double>(e.size())) : from_columns(squares, e, weights);
  }

  /// Another κ for one unknown: stiff components found during a run.
  void set_power(int i, int power) noexcept;
  [[nodiscard]] int power(int i) const noexcept { return powers_[static_cast<std::size_t>(i)]; }

  [[nodiscard]] int size() const noexcept { return static_cast<int>(atol_.size()); }

 private:
  struct Scales;
  [[nodiscard]] double of_vector(In e, In x0, In x1, const Scales& scales) const noexcept;
  [[nodiscard]] double share(std::size_t i, double e, double x0, double x1, const Scales& scales) const noexcept;
  [[nodiscard]] double from_columns(double squares, In e, In weights) const noexcept;
  std::vector<double> atol_;
  std::vector<int> powers_;  ///< κ, zero without h-scaling
  int largest_power_ = 0;
  double rtol_ = 0;
  double reference_time_ = 1;
  Norm norm_ = Norm::rms;
  double end_weight_ = 1;  ///< of |x₁|: 0 where only the start counts
};

}  // namespace rubato
