#pragma once
/// Factorisation or Krylov space? Decided by counts, so that the same input takes the same path on every run.
///
/// A step with s solves costs about, in seconds,
///   direct   flops/R_f + s entries/R_s                                                                               (1)
///   Krylov   P (a/R_p + 4 n m/R_v),  P: products, m: mean dimension, a: entries touched by a product                  (2)
/// with the rates R of the machine (`rubato tune` measures them; else those below). Flops and entries are predicted from the pattern, P and m
/// are counted: a run begins with Krylov spaces where they are likely to pay, and goes over to factors once the mean of (2) over a few steps
/// exceeds (1), or at once where a space does not converge. The matrix cB − J with c ~ 1/h becomes easier as steps shrink: at a third of
/// the step size that was too much, spaces are tried again.
#include "rubato/linalg/factor_work.hpp"

namespace rubato {

/// Of a common machine of 2020; per second.
struct SolverRates {
  double factor_flops = 5e9;     ///< R_f
  double solve_entries = 4e8;    ///< R_s: entries of L and U passed in a solve
  double product_entries = 6e8;  ///< R_p: entries of B, J and the preconditioner passed in a product
  double vector_numbers = 1e9;   ///< R_v: numbers passed in sums of vectors

  bool operator==(const SolverRates&) const = default;
};

class SolverChoice {
 public:
  /// n unknowns; `product_entries`: a.
  SolverChoice(const FactorWork& work, int n, double product_entries, const SolverRates& rates);

  /// For a step of size h.
  [[nodiscard]] bool krylov(double h) noexcept;
  /// What it took: a step of size h, whose spaces converged or not.
  void took(double h, int solves, long products, double mean_dimension, bool converged) noexcept;

  [[nodiscard]] double direct_seconds(int solves) const noexcept;                              ///< (1)
  [[nodiscard]] double krylov_seconds(double products, double mean_dimension) const noexcept;  ///< (2)
  [[nodiscard]] long changes() const noexcept { return changes_; }

 private:
  void change(bool krylov, double h) noexcept;

  FactorWork work_;
  double n_, product_entries_;
  SolverRates rates_;
  bool krylov_ = true;
  double ratio_ = 0;     ///< mean of (2)/(1)
  int steps_ = 0;        ///< that it is a mean of
  double too_much_ = 0;  ///< h at the last change to factors
  long changes_ = 0;
};

}  // namespace rubato
