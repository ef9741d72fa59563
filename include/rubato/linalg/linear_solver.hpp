#pragma once
/// Direct solvers behind one interface: A x = b for one pattern and many values.
///
/// A further back end is one file in src/linalg, one enumerator here and one line in back_ends.cpp. One whose licence does not go with
/// the library's is a plug-in: plugins/cholmod.
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rubato/base/result.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato {

/// singular: a pivot is exactly zero (nearly singular matrices factorise: ask for the condition).
/// not_finite: a value or a factor is Inf or NaN. out_of_memory: the library could not allocate.
enum class FactorStatus : std::uint8_t { ok, singular, not_finite, out_of_memory };

[[nodiscard]] constexpr std::string_view to_string(FactorStatus status) noexcept {
  switch (status) {
    case FactorStatus::ok: return "ok";
    case FactorStatus::singular: return "singular";
    case FactorStatus::not_finite: return "non-finite values";
    case FactorStatus::out_of_memory: return "out of memory";
  }
  return "?";
}

/// What a solver did since it was made, and how the last factorisation looks.
struct SolverReport {
  int n = 0;
  long factor_nnz = 0;           ///< entries of L and U together; of L alone in LDLᵀ
  double growth = 1;             ///< max_j (max_i |u_ij| / max_i |a_ij|): the backward error is about ε · growth
  double pivot_ratio = 1;        ///< min |u_ii| / max |u_ii|: a crude upper bound for the reciprocal condition
  long full_factorisations = 0;  ///< with fresh pivots
  long refactorisations = 0;     ///< with the pivots of the last full one
  long rejected_refactorisations = 0;  ///< the old pivots no longer served; a full one followed
  long library_allocations = 0;        ///< calls in which the library behind the back end allocated memory
};

/// T is double or std::complex<double>. Memory is sized in the constructor; factor and solve never allocate, except a
/// full factorisation of KLU and everything of MUMPS (counted in the report).
template <class T>
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  /// `values` in the order of the pattern. Anything but ok leaves no usable factor.
  [[nodiscard]] virtual FactorStatus factor(std::span<const T> values) noexcept = 0;
  /// A x = b in place; x.size() = n · (number of right-hand sides), one after the other. After a factor that was ok. Where the library has no
  /// memory for it x is NaN, and the next factor says out_of_memory.
  virtual void solve(std::span<T> x) noexcept = 0;
  /// Aᵀ x = b in place (no conjugation).
  virtual void solve_transposed(std::span<T> x) noexcept = 0;
  [[nodiscard]] virtual SolverReport report() const noexcept = 0;
};

enum class BackEnd : std::uint8_t {
  automatic,
  dense,
  klu,
  mumps,
  cholmod,
  incomplete,  ///< no solver but a preconditioner (incomplete LU): not in the list, for KrylovFactors::incomplete
  multigrid    ///< likewise, for KrylovFactors::multigrid: real matrices with a diagonal
};

/// The list of back ends: names, help and bindings derive from it.
struct BackEndEntry {
  BackEnd id;
  std::string_view name, help;
  std::unique_ptr<LinearSolver<double>> (*make_real)(const SparsePattern&);
  std::unique_ptr<LinearSolver<std::complex<double>>> (*make_complex)(const SparsePattern&);
};
[[nodiscard]] std::span<const BackEndEntry> back_ends() noexcept;

/// "automatic", "dense", "klu", …
[[nodiscard]] std::string_view to_string(BackEnd back_end) noexcept;
[[nodiscard]] Result<BackEnd> back_end_from_name(std::string_view name);
/// An error that says why where a back end cannot be had: cholmod is a plug-in, loaded when first asked for.
[[nodiscard]] Result<void> available(BackEnd back_end);

/// What `automatic` means for this pattern; any other choice is returned as it is. The rule is a function of the pattern
/// alone (size and predicted fill), so that the same model always runs the same arithmetic; back_ends.cpp has the rule and
/// the measurements behind it. Costs a symbolic analysis: for set-up.
[[nodiscard]] BackEnd resolved(BackEnd back_end, const SparsePattern& pattern);

/// A solver for square patterns. One that is not available() is replaced by MUMPS.
template <class T>
[[nodiscard]] std::unique_ptr<LinearSolver<T>> make_linear_solver(const SparsePattern& pattern,
                                                                  BackEnd back_end = BackEnd::automatic);
extern template std::unique_ptr<LinearSolver<double>> make_linear_solver(const SparsePattern&, BackEnd);
extern template std::unique_ptr<LinearSolver<std::complex<double>>> make_linear_solver(const SparsePattern&, BackEnd);

/// max over columns of the sum of |a_ij|.
template <class T>
[[nodiscard]] double one_norm(const SparsePattern& pattern, std::span<const T> values) noexcept;
extern template double one_norm(const SparsePattern&, std::span<const double>) noexcept;
extern template double one_norm(const SparsePattern&, std::span<const std::complex<double>>) noexcept;

/// An estimate of 1 / (‖A‖₁ ‖A⁻¹‖₁) from a handful of solves with the factorised A; 0 when the estimate is not finite.
/// `norm` is ‖A‖₁, x and y are workspaces of n numbers. ‖A⁻¹‖₁ is estimated from below, rarely off by more than 3:
/// Hager, SIAM J. Sci. Stat. Comput. 5 (1984) 311, doi:10.1137/0905023; Higham, ACM TOMS 14 (1988) 381,
/// doi:10.1145/50063.214386.
template <class T>
[[nodiscard]] double reciprocal_condition(LinearSolver<T>& solver, double norm, std::span<T> x,
                                          std::span<T> y) noexcept;
extern template double reciprocal_condition(LinearSolver<double>&, double, std::span<double>,
                                            std::span<double>) noexcept;
extern template double reciprocal_condition(LinearSolver<std::complex<double>>&, double,
                                            std::span<std::complex<double>>, std::span<std::complex<double>>) noexcept;

}  // namespace rubato
