#pragma once
/// Maximum matchings between left and right vertices of a bipartite graph (Hopcroft and Karp).
#include <vector>

namespace rubato::realtime {

struct Bipartite {
  int right = 0;                             ///< number of right vertices
  std::vector<std::vector<int>> neighbours;  ///< of each left vertex
};

struct Matching {
  std::vector<int> of_left, of_right;  ///< partner, −1 without
  int size = 0;
};

/// Extends `start` (may be empty) to a maximum matching: whoever has a partner there keeps having one.
[[nodiscard]] Matching maximum_matching(const Bipartite& graph, Matching start = {});

struct VertexCover {
  std::vector<int> left, right;
};
/// As few vertices as possible that touch every edge (König).
[[nodiscard]] VertexCover minimum_cover(const Bipartite& graph);

}  // namespace rubato::realtime
