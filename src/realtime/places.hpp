#pragma once
/// The places of a pattern in the order of its values.
#include <vector>

#include "rubato/linalg/pattern.hpp"

namespace rubato::realtime {

inline std::vector<Entry> places_of(const SparsePattern& pattern) {
  std::vector<Entry> places;
  places.reserve(static_cast<std::size_t>(pattern.nnz()));
  for (int col = 0; col < pattern.cols(); ++col)
    for (const int row : pattern.column(col)) places.push_back({row, col});
  return places;
}

}  // namespace rubato::realtime
