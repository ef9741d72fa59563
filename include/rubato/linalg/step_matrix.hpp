#pragma once
/// The matrix of implicit steps: one linearisation of B x' = f and a factor of
///   A(c) = c B − J                                                                     (1)
/// for each shift c, real or complex. Local unknowns are eliminated first (condensation.hpp), the rest is left to a
/// direct solver (linear_solver.hpp). What is factorised is the scaled matrix
///   (D_L A(c) D_R) y = D_L r,   x = D_R y,                                             (2)
/// and since elimination commutes with diagonal scaling, the condensed matrix is D_L S D_R on what remains.
/// Bordered matrices are the same thing with algebraic rows in B = 0.
#include <complex>
#include <memory>
#include <span>

#include "rubato/base/views.hpp"
#include "rubato/linalg/condensation.hpp"
#include "rubato/linalg/linear_solver.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato {

using ComplexIn = std::span<const std::complex<double>>;
using ComplexOut = std::span<std::complex<double>>;

struct StepMatrixOptions {
  BackEnd back_end = BackEnd::automatic;
  bool condense = true;  ///< false: the local unknowns stay in the matrix (to compare; for the solver's own pivots)
  int real_shifts = 1;   ///< number of factors kept at the same time
  int complex_shifts = 0;
};

/// Sums over all slots since construction.
struct FactorStatistics {
  long full_factorisations = 0;        ///< fresh pivots; includes failed attempts
  long refactorisations = 0;           ///< reused pivots
  long rejected_refactorisations = 0;  ///< reused pivots that no longer served, followed by a full one
  long failures = 0;                   ///< factor() that did not return ok
  long solves = 0;                     ///< right-hand sides
  long library_allocations = 0;        ///< calls in which a solver library allocated
};

/// All memory is sized in the constructor; afterwards everything is noexcept and free of allocations (except a full
/// factorisation of KLU, counted). Real and complex slots are numbered separately, each from 0.
class StepMatrix {
 public:
  /// `local`: equation `row` determines unknown `col` (its pivot must not vanish for any shift in use), in the order of
  /// elimination; empty: nothing is condensed.
  StepMatrix(const SparsePattern& B, const SparsePattern& J, std::span<const PivotPosition> local,
             StepMatrixOptions options = {});
  ~StepMatrix();
  StepMatrix(StepMatrix&&) noexcept;
  StepMatrix& operator=(StepMatrix&&) noexcept;

  /// Copies the values. Factors made before keep solving with the old values until factor() is called again.
  void linearise(In B_values, In J_values) noexcept;
  /// Full-size vectors for (2), used by later factor() calls; a factor keeps the scaling it was made with. Ones at first.
  void set_scaling(In row_scale, In col_scale) noexcept;
  /// The factor of this slot goes on with the scaling set last. Where D_L A(c) D_R hardly depends on c, a factor made for one
  /// shift then serves for another.
  void rescale(int slot = 0) noexcept;
  [[nodiscard]] In row_scale() const noexcept;
  [[nodiscard]] In col_scale() const noexcept;

  [[nodiscard]] FactorStatus factor(double c, int slot = 0) noexcept;
  [[nodiscard]] FactorStatus factor(std::complex<double> c, int slot = 0) noexcept;
  /// A(c) x = r with the factor of that slot, whose last factor() was ok. r and x may be the same memory.
  void solve(In r, Out x, int slot = 0) noexcept;
  void solve(ComplexIn r, ComplexOut x, int slot = 0) noexcept;
  /// In place, column k of each with the factor of slot k, real or complex.
  void solve_slots(Out real, ComplexOut complex) noexcept;

  [[nodiscard]] const SparsePattern& B_pattern() const noexcept;
  [[nodiscard]] const SparsePattern& J_pattern() const noexcept;
  [[nodiscard]] In B_values() const noexcept;
  [[nodiscard]] bool B_is_identity() const noexcept { return B_is_identity_; }  ///< in the current linearisation
  [[nodiscard]] In J_values() const noexcept;
  /// Products with the current linearisation: y = B x, y = J x.
  void multiply_B(In x, Out y) const noexcept;
  void multiply_J(In x, Out y) const noexcept;
  /// y = f + α B x, of one column or of several one after the other. f and y may be the same memory.
  void add_B_times(In f, double alpha, In x, Out y) const noexcept;
  void multiply_B(ComplexIn x, ComplexOut y) const noexcept;
  void multiply_J(ComplexIn x, ComplexOut y) const noexcept;

  [[nodiscard]] int size() const noexcept;
  [[nodiscard]] int condensed_size() const noexcept;
  [[nodiscard]] const Condensation& condensation() const noexcept;
  [[nodiscard]] BackEnd back_end() const noexcept;  ///< never `automatic`: what was chosen
  [[nodiscard]] FactorStatistics statistics() const noexcept;
  /// What solves the condensed and scaled matrix of that slot.
  [[nodiscard]] const LinearSolver<double>& solver(int slot = 0) const noexcept;
  [[nodiscard]] const LinearSolver<std::complex<double>>& complex_solver(int slot = 0) const noexcept;
  [[nodiscard]] SolverReport solver_report(int slot = 0) const noexcept;
  [[nodiscard]] SolverReport complex_solver_report(int slot = 0) const noexcept;
  /// Estimate (1-norm) for the scaled condensed matrix; a handful of solves.
  [[nodiscard]] double reciprocal_condition(int slot = 0) noexcept;
  [[nodiscard]] double complex_reciprocal_condition(int slot = 0) noexcept;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
  bool B_is_identity_ = false;
};

}  // namespace rubato
