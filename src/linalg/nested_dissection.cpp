#include "nested_dissection.hpp"

#include <metis.h>

#include <mutex>
#include <numeric>

namespace rubato::detail {

std::vector<int> nested_dissection(const SparsePattern& pattern) {
  const SparsePattern graph = united(pattern, transposed(pattern).pattern);
  std::vector<idx_t> starts = {0}, neighbours;
  starts.reserve(static_cast<std::size_t>(graph.cols()) + 1);
  neighbours.reserve(static_cast<std::size_t>(graph.nnz()));
  for (int j = 0; j < graph.cols(); ++j) {
    for (const int i : graph.column(j))
      if (i != j) neighbours.push_back(i);
    starts.push_back(static_cast<idx_t>(neighbours.size()));
  }
  std::vector<int> place(static_cast<std::size_t>(graph.cols()));
  std::iota(place.begin(), place.end(), 0);
  if (neighbours.empty()) return place;  // METIS wants an edge
  idx_t n = graph.cols();
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> order(place.size()), places(place.size());
  // METIS draws from the C library's rand(), seeded afresh in each call: one call at a time, or they would disturb each
  // other.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  if (METIS_NodeND(&n, starts.data(), neighbours.data(), nullptr, options, order.data(), places.data()) != METIS_OK)
    return {};
  place.assign(places.begin(), places.end());
  return place;
}

}  // namespace rubato::detail
