// The list of back ends, the automatic choice among them, and what works for all of them.
#include "back_ends.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nested_dissection.hpp"
#include "rubato/base/assert.hpp"
#include "rubato/base/text.hpp"
#include "scalar.hpp"

namespace rubato {
namespace {

using Complex = std::complex<double>;

std::unique_ptr<LinearSolver<double>> make_cholmod_solver(const SparsePattern& pattern) {
  static constexpr detail::PluginHost host{detail::make_mumps_solver<double>, detail::nested_dissection};
  if (const auto plugin = detail::cholmod_plugin())
    return std::unique_ptr<LinearSolver<double>>(plugin->make(pattern, host));
  return detail::make_mumps_solver<double>(pattern);
}

constexpr BackEndEntry entries[] = {
    {BackEnd::dense, "dense", "LU with row pivoting of the full matrix; small or densely coupled systems",
     detail::make_dense_solver<double>, detail::make_dense_solver<Complex>},
    {BackEnd::klu, "klu", "sparse LU (SuiteSparse KLU), pivots reused between factorisations",
     detail::make_klu_solver<double>, detail::make_klu_solver<Complex>},
    {BackEnd::mumps, "mumps", "multifrontal LDLᵀ or LU (MUMPS), symmetry found by itself; large finite element systems",
     detail::make_mumps_solver<double>, detail::make_mumps_solver<Complex>},
    {BackEnd::cholmod, "cholmod",
     "supernodal LLᵀ (SuiteSparse CHOLMOD) of positive definite systems, else MUMPS; a plug-in (GPL)",
     make_cholmod_solver, detail::make_mumps_solver<Complex>},
};

/// At least nine entries in ten have their mirror image in the pattern.
bool nearly_symmetric(const SparsePattern& pattern) {
  const std::vector<int> mirrored = positions_in(transposed(pattern).pattern, pattern);
  return 10 * std::count(mirrored.begin(), mirrored.end(), -1) <= pattern.nnz();
}

}  // namespace

std::span<const BackEndEntry> back_ends() noexcept { return entries; }

std::string_view to_string(BackEnd back_end) noexcept {
  for (const BackEndEntry& entry : entries)
    if (entry.id == back_end) return entry.name;
  return "automatic";
}

Result<BackEnd> back_end_from_name(std::string_view name) {
  std::vector<std::string> known = {"automatic"};
  if (name == known.front()) return BackEnd::automatic;
  for (const BackEndEntry& entry : entries) {
    if (name == entry.name) return entry.id;
    known.emplace_back(entry.name);
  }
  return Error{unknown_name("linear solver", name, known)};
}

Result<void> available(BackEnd back_end) {
  if (back_end == BackEnd::cholmod)
    if (const auto plugin = detail::cholmod_plugin(); !plugin) return plugin.error();
  if (back_end == BackEnd::incomplete || back_end == BackEnd::multigrid)
    return Error{
        "incomplete factors and multigrid cycles solve nothing by themselves: krylov.factors takes them as "
        "preconditioners"};
  return {};
}

// The fill decides, not the density of A: L + U as predicted by KLU's symbolic analysis.
//
// Dense for n ≤ 16, and up to n = 2000 (a dense matrix of 32 MB) if L + U would occupy more than 40 % of the n² places.
// Measured (bench/kernels/step_matrix.cpp; one factorisation and three solves, real, time of dense / time of KLU):
//   a band of half-width 2: n = 5: 0.7   10: 0.7   15: 1.0   20: 0.9   30: 1.4   40: 2.0   100: 9   300: 54
//   the same of half-width 4 (L + U 70, 51, 40, 28, 21 … 3 %): 10: 0.65   15: 0.94   20: 1.1   30: 1.6   40: 2.8   300: 36
//   with 11 random couplings more per row (91 … 63 %): n = 20: 0.3   40: 0.7   100: 0.8   200: 0.7   300: 0.5
// Complex arithmetic moves the balance further towards KLU (1.2 at n = 10); one rule for both keeps the shifts of a
// method on the same back end.
//
// MUMPS if L + U would have more than 100 entries per row and the pattern is nearly symmetric; else KLU.
// Measured on a busy machine (chains, squares and bricks of bench/kernels/finite_elements.cpp; the same work in CPU time; entries
// per row of L + U as KLU predicts them: time of KLU / time of MUMPS):
//   plane chain of 20, 100, 1000 links (n = 100 … 5000):     15: 0.1 … 0.2
//   squares of Taylor and Hood, k × k, saddle points, k = 10: 108: 1.6   19: 154: 3.0   28 (n = 7339): 196: 8.4
//   bricks, k³, k = 8 (n = 2187):                             375: 5 … 9
// Below about 80 entries per row KLU is faster or equal.
BackEnd resolved(BackEnd back_end, const SparsePattern& pattern) {
  if (back_end != BackEnd::automatic) return back_end;
  constexpr int always_dense = 16, never_dense = 2000;
  constexpr double dense_above = 0.4, multifrontal_above = 100;
  const int n = pattern.rows();
  if (n <= always_dense) return BackEnd::dense;
  const double density = detail::klu_factor_density(pattern);
  if (n <= never_dense && density > dense_above) return BackEnd::dense;
  return density * n > multifrontal_above && nearly_symmetric(pattern) ? BackEnd::mumps : BackEnd::klu;
}

template <class T>
std::unique_ptr<LinearSolver<T>> make_linear_solver(const SparsePattern& pattern, BackEnd back_end) {
  RUBATO_ASSERT(pattern.rows() == pattern.cols(), "a solver needs a square matrix");
  if (back_end == BackEnd::incomplete) return detail::make_incomplete_solver<T>(pattern);
  if (back_end == BackEnd::multigrid) {
    if constexpr (std::is_same_v<T, double>) return detail::make_multigrid_solver(pattern);
    RUBATO_ASSERT(false, "multigrid is for real matrices");
  }
  const BackEnd choice = resolved(back_end, pattern);
  for (const BackEndEntry& entry : entries)
    if (entry.id == choice) {
      if constexpr (std::is_same_v<T, double>)
        return entry.make_real(pattern);
      else
        return entry.make_complex(pattern);
    }
  RUBATO_ASSERT(false, "a back end that is not in the list");
  return nullptr;
}
template std::unique_ptr<LinearSolver<double>> make_linear_solver(const SparsePattern&, BackEnd);
template std::unique_ptr<LinearSolver<Complex>> make_linear_solver(const SparsePattern&, BackEnd);

template <class T>
double one_norm(const SparsePattern& pattern, std::span<const T> values) noexcept {
  double norm = 0;
  for (int j = 0; j < pattern.cols(); ++j) {
    double sum = 0;
    for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p) sum += std::abs(values[p]);
    norm = std::max(norm, sum);
  }
  return norm;
}
template double one_norm(const SparsePattern&, std::span<const double>) noexcept;
template double one_norm(const SparsePattern&, std::span<const Complex>) noexcept;

template <class T>
double reciprocal_condition(LinearSolver<T>& solver, double norm, std::span<T> x, std::span<T> y) noexcept {
  const std::size_t n = x.size();
  RUBATO_ASSERT(y.size() == n, "workspaces of n numbers");
  if (n == 0) return 1;
  if (!(norm > 0)) return 0;
  const auto conjugate = [](std::span<T> z) {
    if constexpr (!std::is_same_v<T, double>)
      for (T& v : z) v = std::conj(v);
  };
  const auto sum = [](std::span<const T> z) {
    double s = 0;
    for (const T& v : z) s += std::abs(v);
    return s;
  };
  // Maximise ‖A⁻¹x‖₁ over the unit ball of the 1-norm; its corners are the unit vectors e_j. The gradient at x is
  // z = A⁻ᴴ sign(A⁻¹x); move to the corner of its largest entry until nothing is gained.
  double inverse_norm = 0;
  std::size_t corner = n;  // none yet
  std::fill(x.begin(), x.end(), T(1.0 / static_cast<double>(n)));
  for (int sweep = 0; sweep < 5; ++sweep) {
    std::copy(x.begin(), x.end(), y.begin());
    solver.solve(y);
    const double norm_y = sum(y);
    if (!std::isfinite(norm_y)) return 0;
    if (sweep > 0 && norm_y <= inverse_norm) break;
    inverse_norm = norm_y;
    for (T& v : y) v = std::abs(v) > 0 ? v / std::abs(v) : T(1);
    conjugate(y);
    solver.solve_transposed(y);
    std::size_t largest = 0;
    for (std::size_t j = 1; j < n; ++j)
      if (std::abs(y[j]) > std::abs(y[largest])) largest = j;
    if (largest == corner) break;
    corner = largest;
    std::fill(x.begin(), x.end(), T(0));
    x[corner] = T(1);
  }
  // Higham's safeguard against cancellation: one more vector with alternating signs.
  for (std::size_t j = 0; j < n; ++j)
    x[j] = T((j % 2 == 0 ? 1.0 : -1.0) *
             (1.0 + static_cast<double>(j) / static_cast<double>(std::max<std::size_t>(n - 1, 1))));
  solver.solve(x);
  inverse_norm = std::max(inverse_norm, 2.0 * sum(x) / (3.0 * static_cast<double>(n)));
  return std::isfinite(inverse_norm) && inverse_norm > 0 ? 1.0 / (norm * inverse_norm) : 0.0;
}
template double reciprocal_condition(LinearSolver<double>&, double, std::span<double>, std::span<double>) noexcept;
template double reciprocal_condition(LinearSolver<Complex>&, double, std::span<Complex>, std::span<Complex>) noexcept;

}  // namespace rubato
