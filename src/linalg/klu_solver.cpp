// Sparse LU by KLU (SuiteSparse): block triangular form, AMD, partial pivoting that prefers the diagonal.
// Davis & Palamadai Natarajan, ACM TOMS 37 (2010) 36, doi:10.1145/1824801.1824814.
//
// The first factorisation chooses pivots and allocates; later ones keep the pivots (klu_refactor, no allocation) as
// long as they serve. They serve while the reciprocal growth ρ = min_j max_i |a_ij| / max_i |u_ij| has not fallen
// below 10⁻³ of what fresh pivots gave: the backward error is about ε/ρ, so frozen pivots cost at most three digits
// against fresh ones.
//
// ρ is checked after every refactorisation. klu_rgrowth walks once along A and U, without allocation, and costs 30 % of a
// refactorisation (real; 75 % if complex, for the moduli), about one solve. Cheaper tests that look at the pivots
// alone miss growth that enters through entries off the diagonal.
#include <klu.h>

#include <algorithm>
#include <vector>

#include "back_ends.hpp"
#include "rubato/base/assert.hpp"
#include "scalar.hpp"

namespace rubato::detail {
namespace {

/// KLU's real and complex functions under one name.
template <class T>
struct Klu;
template <>
struct Klu<double> {
  static constexpr auto factor = klu_factor;
  static constexpr auto refactor = klu_refactor;
  static constexpr auto solve = klu_solve;
  static constexpr auto rgrowth = klu_rgrowth;
  static constexpr auto rcond = klu_rcond;
  static constexpr auto free_numeric = klu_free_numeric;
  static int tsolve(klu_symbolic* s, klu_numeric* f, int ld, int n_rhs, double* b, klu_common* common) {
    return klu_tsolve(s, f, ld, n_rhs, b, common);
  }
};
template <>
struct Klu<std::complex<double>> {
  static constexpr auto factor = klu_z_factor;
  static constexpr auto refactor = klu_z_refactor;
  static constexpr auto solve = klu_z_solve;
  static constexpr auto rgrowth = klu_z_rgrowth;
  static constexpr auto rcond = klu_z_rcond;
  static constexpr auto free_numeric = klu_z_free_numeric;
  static int tsolve(klu_symbolic* s, klu_numeric* f, int ld, int n_rhs, double* b, klu_common* common) {
    return klu_z_tsolve(s, f, ld, n_rhs, b, /*conj_solve=*/0, common);
  }
};

constexpr double tolerated_loss = 1e-3;   // of ρ, against fresh pivots
constexpr double least_reference = 1e-6;  // a reference ρ worse than this is not trusted as a yardstick

template <class T>
class KluSolver final : public LinearSolver<T> {
 public:
  explicit KluSolver(const SparsePattern& pattern)
      : n_(pattern.rows()),
        starts_(pattern.column_starts().begin(), pattern.column_starts().end()),
        rows_(pattern.row_indices().begin(), pattern.row_indices().end()) {
    klu_defaults(&common_);
    if (n_ > 0) symbolic_ = klu_analyze(n_, starts_.data(), rows_.data(), &common_);
  }
  ~KluSolver() override {
    if (numeric_) Klu<T>::free_numeric(&numeric_, &common_);
    if (symbolic_) klu_free_symbolic(&symbolic_, &common_);
  }
  KluSolver(const KluSolver&) = delete;
  KluSolver& operator=(const KluSolver&) = delete;

  FactorStatus factor(std::span<const T> values) noexcept override {
    RUBATO_ASSERT(values.size() == rows_.size(), "values do not fit the pattern");
    if (n_ == 0) return FactorStatus::ok;
    if (!all_finite(values)) return FactorStatus::not_finite;
    if (!symbolic_) return FactorStatus::singular;  // structurally: no choice of values could be regular
    double* const a = reinterpret_cast<double*>(const_cast<T*>(values.data()));  // KLU does not write here
    if (numeric_ && refactor(a)) return FactorStatus::ok;
    return factor_afresh(a);
  }

  void solve(std::span<T> x) noexcept override {
    if (n_ == 0) return;
    RUBATO_ASSERT(numeric_ != nullptr, "solve without a factorisation");
    Klu<T>::solve(symbolic_, numeric_, n_, static_cast<int>(x.size()) / n_, reinterpret_cast<double*>(x.data()),
                  &common_);
  }

  void solve_transposed(std::span<T> x) noexcept override {
    if (n_ == 0) return;
    RUBATO_ASSERT(numeric_ != nullptr, "solve without a factorisation");
    Klu<T>::tsolve(symbolic_, numeric_, n_, static_cast<int>(x.size()) / n_, reinterpret_cast<double*>(x.data()),
                   &common_);
  }

  SolverReport report() const noexcept override {
    SolverReport r = report_;
    r.n = n_;
    if (numeric_) {
      r.factor_nnz = static_cast<long>(numeric_->lnz) + numeric_->unz - n_ + numeric_->nzoff;
      klu_common scratch = common_;
      Klu<T>::rcond(symbolic_, numeric_, &scratch);
      r.pivot_ratio = scratch.rcond;
    }
    return r;
  }

 private:
  /// Frozen pivots. False: they do not serve any more.
  bool refactor(double* a) noexcept {
    const bool serve = Klu<T>::refactor(starts_.data(), rows_.data(), a, symbolic_, numeric_, &common_) &&
                       common_.status == KLU_OK && reciprocal_growth(a) >= tolerated_loss * reference_ &&
                       pivots_serve();
    ++(serve ? report_.refactorisations : report_.rejected_refactorisations);
    return serve;
  }

  FactorStatus factor_afresh(double* a) noexcept {
    ++report_.full_factorisations;
    ++report_.library_allocations;
    if (numeric_) Klu<T>::free_numeric(&numeric_, &common_);
    numeric_ = Klu<T>::factor(starts_.data(), rows_.data(), a, symbolic_, &common_);
    if (!numeric_ || common_.status != KLU_OK) {
      const bool singular = common_.status == KLU_SINGULAR;
      if (numeric_) Klu<T>::free_numeric(&numeric_, &common_);
      return singular ? FactorStatus::singular : FactorStatus::out_of_memory;
    }
    reference_ = std::max(reciprocal_growth(a), least_reference);
    if (!pivots_serve()) {
      Klu<T>::free_numeric(&numeric_, &common_);
      return FactorStatus::not_finite;
    }
    return FactorStatus::ok;
  }

  double reciprocal_growth(double* a) noexcept {
    Klu<T>::rgrowth(starts_.data(), rows_.data(), a, symbolic_, numeric_, &common_);
    report_.growth = common_.rgrowth > 0 ? std::max(1.0, 1.0 / common_.rgrowth) : HUGE_VAL;
    return common_.rgrowth;
  }

  /// No pivot is zero, infinite or NaN: klu_rcond reports 0 (or NaN) otherwise.
  bool pivots_serve() noexcept {
    Klu<T>::rcond(symbolic_, numeric_, &common_);
    return common_.rcond > 0;
  }

  int n_;
  std::vector<int> starts_, rows_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double reference_ = 1;  // ρ with fresh pivots
  SolverReport report_;
};

}  // namespace

double klu_factor_density(const SparsePattern& pattern) {
  const double n = pattern.rows();
  std::vector<int> starts(pattern.column_starts().begin(), pattern.column_starts().end());
  std::vector<int> rows(pattern.row_indices().begin(), pattern.row_indices().end());
  klu_common common;
  klu_defaults(&common);
  klu_symbolic* symbolic = n > 0 ? klu_analyze(pattern.rows(), starts.data(), rows.data(), &common) : nullptr;
  if (!symbolic) return pattern.density();
  const double entries = symbolic->lnz + symbolic->unz - n + symbolic->nzoff;
  const bool known = symbolic->lnz >= 0;
  klu_free_symbolic(&symbolic, &common);
  return known ? entries / (n * n) : pattern.density();
}

template <class T>
std::unique_ptr<LinearSolver<T>> make_klu_solver(const SparsePattern& pattern) {
  return std::make_unique<KluSolver<T>>(pattern);
}
template std::unique_ptr<LinearSolver<double>> make_klu_solver(const SparsePattern&);
template std::unique_ptr<LinearSolver<std::complex<double>>> make_klu_solver(const SparsePattern&);

}  // namespace rubato::detail
