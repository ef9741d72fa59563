// Supernodal LLᵀ by CHOLMOD, for positive definite matrices of finite elements: condensed forms without Lagrange multipliers.
// Chen, Davis, Hager, Rajamanickam, ACM TOMS 35 (2008) 22, doi:10.1145/1391989.1391995.
//
// A plug-in of its own, since CHOLMOD's supernodal part is under the GPL. The first matrix that is not symmetric with positive pivots
// hands this and all later ones over to MUMPS. Order and scaling are those of MUMPS here (nested_dissection.hpp, equilibration.hpp).
#include <cholmod.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "linalg/back_ends.hpp"
#include "linalg/blas_turn.hpp"
#include "linalg/equilibration.hpp"
#include "linalg/signed_symmetry.hpp"
#include "rubato/base/assert.hpp"

namespace rubato::detail {
namespace {

class CholmodSolver final : public LinearSolver<double> {
 public:
  CholmodSolver(const SparsePattern& pattern, const PluginHost& host)
      : host_(host),
        pattern_(pattern),
        n_(pattern.rows()),
        symmetry_(pattern),
        scaling_(n_),
        values_(static_cast<std::size_t>(pattern.nnz())) {
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.print = 0;
    common_.quick_return_if_not_posdef = 1;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_GIVEN;
    // The lower triangle by columns. pairs() goes through the columns of A; an entry above the diagonal has no image below.
    std::vector<Entry> entries;
    for (const auto& e : symmetry_.pairs()) {
      symmetric_ = symmetric_ && e.mirror >= 0;
      entries.push_back({std::max(e.row, e.col), std::min(e.row, e.col)});
    }
    if (!symmetric_) return;
    lower_ = SparsePattern::from_entries(n_, n_, std::move(entries));
    entries_.resize(static_cast<std::size_t>(lower_.nnz()));
  }
  ~CholmodSolver() override {
    const BlasTurn turn;
    cholmod_free_factor(&factor_, &common_);
    cholmod_free_dense(&x_, &common_);
    cholmod_free_dense(&y_, &common_);
    cholmod_free_dense(&e_, &common_);
    cholmod_finish(&common_);
  }
  CholmodSolver(const CholmodSolver&) = delete;
  CholmodSolver& operator=(const CholmodSolver&) = delete;

  FactorStatus factor(std::span<const double> values) noexcept override {
    RUBATO_ASSERT(values.size() == values_.size(), "values do not fit the pattern");
    if (n_ == 0) return FactorStatus::ok;
    if (!all_finite(values)) return FactorStatus::not_finite;
    if (!BlasTurn::room()) return FactorStatus::out_of_memory;
    if (!other_) {
      const FactorStatus status = factor_definite(values);
      if (status != FactorStatus::singular) return status;
      cholmod_free_factor(&factor_, &common_);
      other_ = host_.make_mumps(pattern_);
    }
    return other_->factor(values);
  }

  void solve(std::span<double> x) noexcept override {
    if (other_) return other_->solve(x);
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t first = 0; first < x.size(); first += n) solve_one(x.subspan(first, n));
  }
  void solve_transposed(std::span<double> x) noexcept override {
    if (other_) return other_->solve_transposed(x);
    solve(x);
  }

  SolverReport report() const noexcept override {
    SolverReport r = other_ ? other_->report() : SolverReport{};
    r.n = n_;
    r.full_factorisations += factorisations_;
    r.library_allocations += allocations_;
    if (!other_ && factor_ != nullptr) {
      r.factor_nnz = static_cast<long>(factor_->xsize);
      r.pivot_ratio = cholmod_rcond(factor_, &common_);
    }
    return r;
  }

 private:
  /// singular: it is not positive definite, or not symmetric.
  FactorStatus factor_definite(std::span<const double> values) noexcept {
    if (!symmetric_) return FactorStatus::singular;
    scaling_.compute(pattern_, values);
    const auto signs = symmetry_.signs();
    if (!symmetry_.holds(values, scaling_.row) || std::ranges::any_of(signs, [](auto s) { return s < 0; }))
      return FactorStatus::singular;
    std::size_t k = 0;
    for (const auto& e : symmetry_.pairs()) {
      const double scale = scaling_.row[e.row] * scaling_.row[e.col];
      entries_[k++] = 0.5 * scale * (values[e.position] + values[e.mirror]);
      if (e.row == e.col && !(entries_[k - 1] > 0)) return FactorStatus::singular;
    }
    const BlasTurn turn;
    cholmod_sparse a = as_cholmod();
    if (factor_ == nullptr && !analyse(a)) return FactorStatus::out_of_memory;
    cholmod_factorize(&a, factor_, &common_);
    if (common_.status == CHOLMOD_OUT_OF_MEMORY) return FactorStatus::out_of_memory;
    const bool definite = common_.status == CHOLMOD_OK && factor_->minor == factor_->n;
    if (!definite) return FactorStatus::singular;
    ++factorisations_;
    ++allocations_;
    return FactorStatus::ok;
  }

  [[nodiscard]] bool analyse(cholmod_sparse& a) noexcept {
    const std::vector<int> place = host_.nested_dissection(pattern_);
    std::vector<int> order(place.size());
    for (std::size_t i = 0; i < place.size(); ++i) order[static_cast<std::size_t>(place[i])] = static_cast<int>(i);
    if (order.empty()) common_.method[0].ordering = CHOLMOD_AMD;
    factor_ = cholmod_analyze_p(&a, order.empty() ? nullptr : order.data(), nullptr, 0, &common_);
    return factor_ != nullptr;
  }

  [[nodiscard]] cholmod_sparse as_cholmod() noexcept {
    cholmod_sparse a{};
    a.nrow = a.ncol = static_cast<std::size_t>(n_);
    a.nzmax = entries_.size();
    a.p = const_cast<int*>(lower_.column_starts().data());
    a.i = const_cast<int*>(lower_.row_indices().data());
    a.x = entries_.data();
    a.stype = -1;
    a.itype = CHOLMOD_INT;
    a.xtype = CHOLMOD_REAL;
    a.dtype = CHOLMOD_DOUBLE;
    a.sorted = a.packed = 1;
    return a;
  }

  void solve_one(std::span<double> x) noexcept {
    const BlasTurn turn;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] *= scaling_.row[i];
    cholmod_dense b{};
    b.nrow = b.nzmax = b.d = x.size();
    b.ncol = 1;
    b.x = x.data();
    b.xtype = CHOLMOD_REAL;
    b.dtype = CHOLMOD_DOUBLE;
    ++allocations_;
    if (cholmod_solve2(CHOLMOD_A, factor_, &b, nullptr, &x_, nullptr, &y_, &e_, &common_) == 0) {  // no memory
      std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    const auto* const solution = static_cast<const double*>(x_->x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = scaling_.row[i] * solution[i];
  }

  PluginHost host_;
  SparsePattern pattern_, lower_;
  int n_;
  SignedSymmetry<double> symmetry_;
  Equilibration scaling_;
  bool symmetric_ = true;  ///< the pattern
  std::vector<double> values_, entries_;
  mutable cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;
  std::unique_ptr<LinearSolver<double>> other_;
  long factorisations_ = 0, allocations_ = 0;
};

}  // namespace
}  // namespace rubato::detail

extern "C" rubato::LinearSolver<double>* rubato_make_solver(const rubato::SparsePattern& pattern,
                                                            const rubato::detail::PluginHost& host) {
  return new rubato::detail::CholmodSolver(pattern, host);
}
