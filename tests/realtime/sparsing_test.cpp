#include "rubato/realtime/sparsing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "realtime/linear_problems.hpp"
#include "rubato/realtime/magnitude.hpp"
#include "rubato/realtime/matching.hpp"
#include "rubato/realtime/stability.hpp"

namespace rubato::realtime {
namespace {

/// A stiff chain with weak couplings and algebraic unknowns y_i = x_i + weak neighbours; two samples.
struct Chain {
  int d = 8, n = 16;
  std::vector<Entry> entries;
  std::vector<std::vector<double>> samples = {{}, {}};
  SparsePattern jacobian, mass;
  std::vector<double> mass_values;

  Chain() {
    std::vector<Entry> diagonal;
    for (int i = 0; i < d; ++i) diagonal.push_back({i, i});
    mass = SparsePattern::from_entries(n, n, diagonal);
    mass_values.assign(static_cast<std::size_t>(d), 1.0);
    std::vector<std::vector<double>> dense(2, std::vector<double>(static_cast<std::size_t>(n * n), 0));
    for (int s = 0; s < 2; ++s) {
      const auto set = [&](int i, int j, double v) {
        dense[static_cast<std::size_t>(s)][static_cast<std::size_t>(n * j + i)] = v;
        entries.push_back({i, j});
      };
      for (int i = 0; i < d; ++i) {
        const double stiffness = std::pow(10, i % 5);
        set(i, i, -stiffness);
        set(i, d + i, -0.3 * stiffness);
        if (i > 0) set(i, i - 1, (s == 0 ? 0.2 : 3) * stiffness * (i % 2));
        if (i + 1 < d) set(i, i + 1, 0.05 * (1 + s) * stiffness);
        set(d + i, d + i, 1);
        set(d + i, i, -1);
        if (i > 0) set(d + i, d + i - 1, 0.4);
        if (i + 1 < d) set(d + i, d + i + 1, s == 0 ? 0.1 : -0.3);
      }
    }
    jacobian = SparsePattern::from_entries(n, n, entries);
    for (std::size_t s = 0; s < 2; ++s)
      for (int j = 0; j < n; ++j)
        for (const int i : jacobian.column(j)) samples[s].push_back(dense[s][static_cast<std::size_t>(n * j + i)]);
  }
  [[nodiscard]] Result<Sparsing> run(const SparsingOptions& options, double step = 1e-3) const {
    return find_sparsing(jacobian, samples, mass, mass_values, step, options);
  }
  [[nodiscard]] StepPencil pencil() const { return {jacobian, mass, mass_values, 1e-3}; }
};

TEST(Sparsing, EverySamplePassesAtTheEnd) {
  const Chain c;
  for (const double rho : {0.05, 0.5}) {
    const auto found = c.run({.rho = rho});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_LT(found->nnz, found->nnz_whole);
    ASSERT_EQ(found->margins.size(), 2U);
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_LE(found->margins[s].ratio, 1);
      EXPECT_LE(found->margins[s].radius, 1 + 1e-4);
      // Tested here once more, from scratch.
      const auto before = step_spectrum(c.pencil().pair(c.samples[s])),
                 after = step_spectrum(c.pencil().pair(c.samples[s], found->keep));
      ASSERT_TRUE(before && after);
      const std::span<const Complex> l(before->lambda.data(), 16), m(after->lambda.data(), 16);
      EXPECT_TRUE(within_allowed(l, m, allowed_movements(l, rho, 0.01 * rho)));
    }
    const KeptMatrix a(c.jacobian, found->keep, c.mass, c.mass_values, 1e-3);
    EXPECT_EQ(found->nnz, a.pattern().nnz());
  }
}

TEST(Sparsing, FallsMonotonicallyWithRho) {
  const Chain c;
  Keep last;
  int nnz = 1000;
  for (const double rho : {0.01, 0.1, 0.5, 1.0}) {
    const auto found = c.run({.rho = rho, .start = last});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_LE(found->nnz, nnz);
    nnz = found->nnz;
    last = found->keep;
  }
  EXPECT_LT(nnz, 40);
}

TEST(Sparsing, NothingMoreCanGoOneByOne) {
  const Chain c;
  const auto found = c.run({.rho = 0.1});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->exhausted);
  const StepPencil pencil = c.pencil();
  for (std::size_t at = 0; at < found->keep.size(); ++at) {
    const Entry place = pencil.places()[at];
    if (found->keep[at] == 0 || c.mass.index_of(place.row, place.col) >= 0) continue;
    if (place.row >= c.d && place.row == place.col) continue;  // the transversal
    Keep fewer = found->keep;
    fewer[at] = 0;
    bool passes = true;
    for (const auto& values : c.samples) {
      const auto before = step_spectrum(pencil.pair(values)), after = step_spectrum(pencil.pair(values, fewer));
      const std::span<const Complex> l(before->lambda.data(), 16);
      passes = passes && after &&
               within_allowed(l, std::span<const Complex>(after->lambda.data(), 16), allowed_movements(l, 0.1, 0.001));
    }
    EXPECT_FALSE(passes) << place.row << ' ' << place.col;
  }
}

TEST(Sparsing, KeepsWhatItIsTold) {
  const Chain c;
  Keep minimum(c.samples[0].size(), 0);
  minimum[static_cast<std::size_t>(c.jacobian.index_of(2, 3))] = 1;
  minimum[static_cast<std::size_t>(c.jacobian.index_of(12, 11))] = 1;
  const auto found = c.run({.rho = 1, .minimum = minimum});
  ASSERT_TRUE(found);
  for (std::size_t at = 0; at < minimum.size(); ++at)
    if (minimum[at] != 0) {
      EXPECT_EQ(found->keep[at], 1);
    }
  const auto exact = c.run({.rho = 1, .keep_algebraic = true});
  ASSERT_TRUE(exact);
  const StepPencil pencil = c.pencil();
  for (std::size_t at = 0; at < exact->keep.size(); ++at)
    if (pencil.places()[at].row >= c.d && pencil.places()[at].col >= c.d) {
      EXPECT_EQ(exact->keep[at], 1);
    }
}

TEST(Sparsing, TakesColumnsAsAWhole) {
  const Chain c;
  const auto found = c.run({.rho = 1, .columns = true});
  ASSERT_TRUE(found) << found.error().message;
  int dropped = 0;
  for (int j = 0; j < c.n; ++j) {
    const auto begin = found->keep.begin() + c.jacobian.column_starts()[static_cast<std::size_t>(j)],
               end = found->keep.begin() + c.jacobian.column_starts()[static_cast<std::size_t>(j) + 1];
    EXPECT_TRUE(std::all_of(begin, end, [&](auto k) { return k == *begin; })) << j;
    dropped += *begin == 0;
    if (j >= c.d) {
      EXPECT_EQ(*begin, 1);  // algebraic unknowns cannot be explicit
    }
  }
  EXPECT_GT(dropped, 0);
}

TEST(Sparsing, EndsWithItsBudgetAndTellsItsProgress) {
  const Chain c;
  long last = 0;
  int calls = 0, nnz = 1000;
  const auto few = c.run({.rho = 0.1, .budget = 12, .progress = [&](const SparsingProgress& p) {
                            EXPECT_GE(p.evaluations, last);
                            last = p.evaluations;
                            nnz = p.nnz;
                            ++calls;
                          }});
  const auto many = c.run({.rho = 0.1});
  ASSERT_TRUE(many);
  EXPECT_GT(calls, 0);
  if (few) {
    EXPECT_TRUE(few->exhausted);
    EXPECT_GE(few->nnz, many->nnz);
  } else {
    EXPECT_NE(few.error().message.find("budget"), std::string::npos) << few.error().message;
  }
}

/// Whichever coupling is needed, the last candidate as well: the search ends by itself.
TEST(Sparsing, EndsWhereOneEntryIsNeeded) {
  std::vector<Entry> places = {{0, 1}, {1, 2}, {2, 3}};
  for (int i = 0; i < 4; ++i) places.push_back({i, i});
  const SparsePattern jacobian = SparsePattern::from_entries(4, 4, places), mass = SparsePattern::identity(4);
  std::vector<double> values;
  std::vector<std::size_t> couplings;
  for (int j = 0; j < 4; ++j)
    for (const int i : jacobian.column(j)) {
      if (i != j) couplings.push_back(values.size());
      values.push_back(i == j ? -100.0 * (j + 1) : j);
    }
  for (const std::size_t needed : couplings) {
    SparsingOptions options{.rho = 1};
    options.also = [&](const Keep& keep) { return keep[needed] != 0; };
    const auto found = find_sparsing(jacobian, {values}, mass, std::vector<double>(4, 1.0), 1e-3, options);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_FALSE(found->exhausted);
    EXPECT_LT(found->evaluations, 100);
    EXPECT_EQ(found->keep[needed], 1);
  }
}

TEST(Sparsing, RefusesWithTheReason) {
  Chain c;
  const auto says = [](const Result<Sparsing>& r, std::string_view what) {
    ASSERT_FALSE(r);
    EXPECT_NE(r.error().message.find(what), std::string::npos) << r.error().message;
  };
  says(c.run({.rho = 0}), "rho = 0");
  says(c.run({.rho = 0.1}, 0), "step = 0");
  says(c.run({.rho = 0.1, .minimum = {1}}), "1 choices");
  Chain unstable;
  unstable.samples[1][static_cast<std::size_t>(unstable.jacobian.index_of(0, 0))] = 50;
  says(unstable.run({.rho = 0.1}), "unstable");
  Chain index2;
  for (int j = c.d; j < c.n; ++j)
    for (const int i : c.jacobian.column(j))
      if (i >= c.d) index2.samples[0][static_cast<std::size_t>(c.jacobian.index_of(i, j))] = 0;
  says(index2.run({.rho = 0.1}), "index is above 1");
  // A problem of one unknown: there is nothing to leave out.
  const SparsePattern one = SparsePattern::identity(1);
  says(find_sparsing(one, {{-1}}, one, std::vector<double>{1}, 0.1, {}), "no reduced structure");
}

TEST(Magnitude, KeepsWhatIsLargeSomewhere) {
  const Chain c;
  const StepPencil pencil = c.pencil();
  const Keep first = keep_by_magnitude(pencil, c.samples[0], 1e-2),
             second = keep_by_magnitude(pencil, c.samples[1], 1e-2), both = keep_by_magnitude(pencil, c.samples, 1e-2);
  for (std::size_t at = 0; at < both.size(); ++at) {
    EXPECT_EQ(both[at], first[at] | second[at]);
    EXPECT_EQ(first[at] != 0, 1e-3 * std::abs(c.samples[0][at]) >= 1e-2);
  }
  // Scaling of an equation scales its entries.
  std::vector<double> rows(16, 1.0), cols(16, 1.0);
  rows[4] = 1e6;
  const Keep scaled = keep_by_magnitude(pencil, c.samples[0], 1e-2, {rows, cols});
  for (std::size_t at = 0; at < scaled.size(); ++at)
    if (pencil.places()[at].row == 4) {
      EXPECT_EQ(scaled[at], 0);
    } else {
      EXPECT_EQ(scaled[at], first[at]);
    }
}

}  // namespace
}  // namespace rubato::realtime
