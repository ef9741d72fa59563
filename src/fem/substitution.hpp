#pragma once
/// Coordinates that follow others linearly, p = T q, and what that makes of forces, Tᵀ f, and of matrices, Tᵀ A T.
#include <vector>

#include "rubato/base/views.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato::fem::detail {

/// T row by row: most rows are a single 1.
class Substitution {
 public:
  struct Term {
    int coordinate = 0;  ///< in q
    double weight = 1;
  };
  Substitution() = default;
  Substitution(int n_q, const std::vector<std::vector<Term>>& rows);

  [[nodiscard]] int inner() const noexcept { return static_cast<int>(starts_.size()) - 1; }
  [[nodiscard]] int outer() const noexcept { return n_q_; }
  [[nodiscard]] std::span<const Term> row(int p) const noexcept {
    return std::span(terms_).subspan(static_cast<std::size_t>(starts_[p]),
                                     static_cast<std::size_t>(starts_[p + 1] - starts_[p]));
  }
  void expand(In q, Out p) const noexcept;    ///< p = T q
  void reduce(In f, Out out) const noexcept;  ///< Tᵀ f

 private:
  int n_q_ = 0;
  std::vector<int> starts_ = {0};
  std::vector<Term> terms_ = {};
};

/// The values of a matrix after the substitution of its rows, its columns or both: what stays is copied in runs, what follows is
/// added entry by entry, at places found once.
class SubstitutedBlock {
 public:
  SubstitutedBlock() = default;
  /// Null: these stay. `more`: places of the result that others write to; its size is that of the result.
  SubstitutedBlock(const SparsePattern& inner, const Substitution* rows, const Substitution* cols,
                   const SparsePattern& more);
  [[nodiscard]] const SparsePattern& pattern() const noexcept { return pattern_; }
  [[nodiscard]] int inner_size() const noexcept { return inner_size_; }
  void fill(In inner, Out outer) const noexcept;

 private:
  struct Run {
    int from, to, length;
  };
  struct Addition {
    int from, to;
    double weight;
  };
  SparsePattern pattern_ = {};
  int inner_size_ = 0;
  std::vector<Run> runs_ = {};
  std::vector<Addition> additions_ = {};
};

}  // namespace rubato::fem::detail
