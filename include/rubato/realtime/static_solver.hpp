#pragma once
/// A x = b with a fixed sequence of operations: everything that depends on the structure stands in tables made off line. No search,
/// no pivoting, no allocation while it runs.
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/base/views.hpp"
#include "rubato/linalg/pattern.hpp"
#include "rubato/realtime/block_triangular.hpp"
#include "rubato/realtime/operation_count.hpp"

namespace rubato::realtime {

enum class StaticKind : std::uint8_t {
  qr,  ///< Givens rotations: stable for any values
  lu   ///< pivots chosen off line: fewer operations, to be watched
};
[[nodiscard]] std::string_view to_string(StaticKind kind) noexcept;  ///< "qr", "lu"

/// singular: a diagonal entry of R or a pivot is zero; it is never divided by, and x is of no use.
enum class SolveStatus : std::uint8_t { ok, singular };

/// Below this a diagonal entry counts as zero: its square would vanish.
inline constexpr double smallest_diagonal = 1e-150;

struct StaticFacts {
  int n = 0;
  int n_blocks = 0, largest_block = 0;
  long matrix_entries = 0;         ///< of A
  long factor_entries = 0;         ///< of R, or of L and U, over the diagonal blocks
  OperationCount operations = {};  ///< of factorisation and solution
  OperationCount again = {};       ///< of a further right-hand side
};

class StaticSolver {
 public:
  virtual ~StaticSolver() = default;
  /// Factorises and solves. `values` in the order of the pattern; x may not overlap b.
  [[nodiscard]] virtual SolveStatus solve(In values, In b, Out x) noexcept = 0;
  /// Solves with the factors of the last solve(), whose values these are.
  virtual void solve_again(In values, In b, Out x) noexcept = 0;
  [[nodiscard]] virtual const StaticFacts& facts() const noexcept = 0;
};

/// Refuses an ordering that does not fit the pattern, and a pattern that is singular for any values.
[[nodiscard]] Result<std::unique_ptr<StaticSolver>> make_static_solver(StaticKind kind, const SparsePattern& a,
                                                                       const Ordering& ordering);

/// An entry of A and where it goes: a column in its position.
struct Gathered {
  int value, position;
};

/// The rows of A in the order of work, split at the end of their diagonal block.
struct OrderedRows {
  OrderedRows(const SparsePattern& a, const Ordering& order);
  Ordering ordering;
  std::vector<int> inner_starts, outer_starts;  ///< per row, and the end
  std::vector<Gathered> inner, outer;           ///< inside the diagonal block; in later blocks

  /// Of row i: b − A₁₂ x₂, x in the order of work.
  template <class T>
  [[nodiscard]] T right_side(int i, std::span<const T> values, std::span<const T> b,
                             std::span<const T> x) const noexcept {
    T rhs = b[ordering.rows[i]];
    for (int p = outer_starts[i]; p < outer_starts[i + 1]; ++p)
      rhs = rhs - values[outer[p].value] * x[outer[p].position];
    return rhs;
  }
};

/// max_i |b − A x|_i / ((|A| |x| + |b|)_i + δ ‖A_i‖₁ ‖x‖∞),  δ = 1e-4. With δ = 0 it is the smallest relative change of entries of A and b that
/// makes x exact (Oettli & Prager, Numer. Math. 6 (1964) 405, doi:10.1007/BF01386090), and rounding errors alone make it a small multiple
/// of 1e-16, but for rows whose terms all vanish beside those of other rows (a joint that hardly moves): there any elimination leaves
/// 1e-16 ‖A_i‖₁ ‖x‖∞, which δ makes 1e-12 or, with pivots that are not the largest, some 1e-11.
class ResidualMonitor {
 public:
  explicit ResidualMonitor(const SparsePattern& a);
  [[nodiscard]] double backward_error(In values, In b, In x) noexcept;

 private:
  SparsePattern a_;
  std::vector<double> residual_, size_, row_;
};

}  // namespace rubato::realtime
