#include "rubato/linalg/colouring.hpp"

#include <algorithm>
#include <numeric>

namespace rubato {
namespace {

/// Colours the columns in the given order, each with the first colour that no column sharing a row has taken.
std::vector<int> greedy(const SparsePattern& a, const SparsePattern& by_rows, const std::vector<int>& order,
                        int& n_groups) {
  std::vector<int> colour(static_cast<std::size_t>(a.cols()), -1);
  std::vector<int> taken_for(static_cast<std::size_t>(a.cols()) + 1, -1);  // colour → column for which it is taken
  n_groups = 0;
  for (const int j : order) {
    if (a.column(j).empty()) continue;
    for (const int i : a.column(j))
      for (const int k : by_rows.column(i))
        if (colour[k] >= 0) taken_for[colour[k]] = j;
    int c = 0;
    while (taken_for[c] == j) ++c;
    colour[j] = c;
    n_groups = std::max(n_groups, c + 1);
  }
  return colour;
}

}  // namespace

ColumnGroups group_columns(const SparsePattern& pattern) {
  const SparsePattern by_rows = transposed(pattern).pattern;
  int longest_row = 0;
  for (int i = 0; i < pattern.rows(); ++i)
    longest_row = std::max(longest_row, static_cast<int>(by_rows.column(i).size()));

  ColumnGroups groups;
  std::vector<int> order(static_cast<std::size_t>(pattern.cols()));
  std::iota(order.begin(), order.end(), 0);
  groups.group_of = greedy(pattern, by_rows, order, groups.n_groups);
  if (groups.n_groups > longest_row) {  // not provably optimal: try the other order
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return pattern.column(a).size() > pattern.column(b).size(); });
    int n_groups = 0;
    std::vector<int> colour = greedy(pattern, by_rows, order, n_groups);
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
