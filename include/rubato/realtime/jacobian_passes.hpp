#pragma once
/// The entries of a Jacobian that a step needs, by dual numbers, and f on the way: a fixed number of passes through the model.
#include <vector>

#include "rubato/problem/dae.hpp"

namespace rubato::realtime {

/// Groups of columns that one derivative serves. Two columns may share a group unless, in some row, an entry of one is needed and the
/// other has an entry, needed or not: what is left out of the step matrix is still part of the model, and would be added to what is
/// kept. Columns without a needed entry are in no group.
[[nodiscard]] std::vector<std::vector<int>> needed_groups(const SparsePattern& jacobian,
                                                          const std::vector<unsigned char>& needed);

class JacobianPasses {
 public:
  JacobianPasses(const Dae& dae, const SparsePattern& jacobian, const std::vector<unsigned char>& needed);

  [[nodiscard]] int n_groups() const noexcept { return n_groups_; }
  /// Evaluations of f over dual numbers.
  [[nodiscard]] int n_passes() const noexcept { return static_cast<int>(passes_.size()); }

  /// f, and the needed entries at their places of `jacobian_values`; the others stay. Never allocates. Without passes f is evaluated as
  /// it is.
  [[nodiscard]] EvalStatus evaluate(const At& at, Out f, Out jacobian_values) noexcept;

 private:
  struct Seed {
    int col, lane;
  };
  struct Taken {
    int row, lane, place;
  };
  struct Pass {
    std::vector<Seed> seeds;
    std::vector<Taken> taken;
  };
  const Dae& dae_;
  int n_groups_ = 0;
  std::vector<Pass> passes_;
  std::vector<Dual8> x_, u_, f_;  ///< lanes of x and u are zero between passes
};

}  // namespace rubato::realtime
