#include "rubato/linalg/colouring.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace rubato {
namespace {

/// Colours the columns in the given order, each with the first colour that no column sharing a row has taken. The colours that a row
/// has seen are bits: 64 of them are looked at together, so that full matrices of many thousand columns take seconds, not an hour.
std::vector<int> greedy(const SparsePattern& a, const std::vector<int>& order, int& n_groups) {
  std::vector<int> colour(static_cast<std::size_t>(a.cols()), -1);
  std::vector<std::vector<std::uint64_t>> seen(static_cast<std::size_t>(a.rows()));  // per row
  std::vector<std::uint64_t> taken;
  n_groups = 0;
  for (const int j : order) {
    if (a.column(j).empty()) continue;
    taken.clear();
    for (const int i : a.column(j)) {
      const auto& bits = seen[static_cast<std::size_t>(i)];
      if (bits.size() > taken.size()) taken.resize(bits.size());
      for (std::size_t word = 0; word < bits.size(); ++word) taken[word] |= bits[word];
    }
    std::size_t word = 0;
    while (word < taken.size() && taken[word] == ~std::uint64_t{0}) ++word;
    const int bit = word < taken.size() ? std::countr_one(taken[word]) : 0;
    for (const int i : a.column(j)) {
      auto& bits = seen[static_cast<std::size_t>(i)];
      if (bits.size() <= word) bits.resize(word + 1);
      bits[word] |= std::uint64_t{1} << bit;
    }
    colour[j] = static_cast<int>(64 * word) + bit;
    n_groups = std::max(n_groups, colour[j] + 1);
  }
  return colour;
}

}  // namespace

ColumnGroups group_columns(const SparsePattern& pattern) {
  std::vector<int> entries_of_row(static_cast<std::size_t>(pattern.rows()));
  int longest_row = 0;
  for (const int i : pattern.row_indices())
    longest_row = std::max(longest_row, ++entries_of_row[static_cast<std::size_t>(i)]);

  ColumnGroups groups;
  std::vector<int> order(static_cast<std::size_t>(pattern.cols()));
  std::iota(order.begin(), order.end(), 0);
  groups.group_of = greedy(pattern, order, groups.n_groups);
  if (groups.n_groups > longest_row) {  // not provably optimal: try the other order
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return pattern.column(a).size() > pattern.column(b).size(); });
    int n_groups = 0;
    std::vector<int> colour = greedy(pattern, order, n_groups);
    if (n_groups < groups.n_groups) {
      groups.n_groups = n_groups;
      groups.group_of = std::move(colour);
    }
  }
  groups.members.resize(static_cast<std::size_t>(groups.n_groups));
  for (int j = 0; j < pattern.cols(); ++j)
    if (groups.group_of[j] >= 0) groups.members[groups.group_of[j]].push_back(j);
  return groups;
}

}  // namespace rubato
