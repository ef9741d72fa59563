// The plug-in for CHOLMOD: found where it was built, and then it sits the exam of all back ends, too; positive definite matrices
// are factorised by it, others handed over.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>

#include "rubato/linalg/linear_solver.hpp"
#include "unit/linalg/random_matrices.hpp"

namespace rubato {
namespace {

#ifdef RUBATO_CHOLMOD_FOLDER
[[maybe_unused]] const int folder_is_known = setenv("RUBATO_PLUGINS", RUBATO_CHOLMOD_FOLDER, 1);

/// Aᵀ + A + shift I, random.
struct Symmetric {
  explicit Symmetric(double shift) {
    std::mt19937 random(4);
    const SparsePattern half = test::random_pattern(random, n, n, 3, true);
    std::vector<Entry> entries;
    for (int j = 0; j < n; ++j)
      for (const int i : half.column(j)) entries.insert(entries.end(), {{i, j}, {j, i}});
    pattern = SparsePattern::from_entries(n, n, std::move(entries));
    values.resize(static_cast<std::size_t>(pattern.nnz()));
    for (int j = 0; j < n; ++j)
      for (const int i : pattern.column(j)) {
        const double value = test::uniform(random) + (i == j ? shift : 0);
        values[static_cast<std::size_t>(pattern.index_of(i, j))] = value;
        values[static_cast<std::size_t>(pattern.index_of(j, i))] = value;
      }
  }
  static constexpr int n = 200;
  SparsePattern pattern;
  std::vector<double> values;
};

double error_of(LinearSolver<double>& solver, const Symmetric& a) {
  std::mt19937 random(5);
  const auto b = test::random_values<double>(random, Symmetric::n);
  auto x = b;
  solver.solve(x);
  return test::backward_error<double>(test::to_dense<double>(a.pattern, std::span<const double>(a.values)), x, b);
}

TEST(CholmodPlugin, FactorisesWhatIsPositiveDefiniteAndHandsOverTheRest) {
  const auto found = available(BackEnd::cholmod);
  ASSERT_TRUE(found.ok()) << found.error().message;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const Symmetric definite(20), indefinite(0.1);
  const auto solver = make_linear_solver<double>(definite.pattern, BackEnd::cholmod);
  const auto mumps = make_linear_solver<double>(definite.pattern, BackEnd::mumps);
  ASSERT_EQ(solver->factor(definite.values), FactorStatus::ok);
  ASSERT_EQ(mumps->factor(definite.values), FactorStatus::ok);
  EXPECT_LT(error_of(*solver, definite), 20 * eps);
  // MUMPS does not show its pivots.
  EXPECT_LT(solver->report().pivot_ratio, 1) << "it is not MUMPS that factorised";
  EXPECT_EQ(mumps->report().pivot_ratio, 1);
  ASSERT_EQ(solver->factor(indefinite.values), FactorStatus::ok);
  EXPECT_LT(error_of(*solver, indefinite), 100 * eps);
  EXPECT_EQ(solver->report().pivot_ratio, 1) << "MUMPS went on";
  ASSERT_EQ(solver->factor(definite.values), FactorStatus::ok);
  EXPECT_LT(error_of(*solver, definite), 20 * eps);
}
#else
TEST(CholmodPlugin, IsMissedByItsNameWhereItIsNotThere) {
  const auto found = available(BackEnd::cholmod);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("librubato_cholmod.so"), std::string::npos) << found.error().message;
  EXPECT_NE(found.error().message.find("RUBATO_CHOLMOD"), std::string::npos) << found.error().message;
}
#endif

}  // namespace
}  // namespace rubato
