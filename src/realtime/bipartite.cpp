#include "realtime/bipartite.hpp"

#include <cstddef>
#include <limits>

namespace rubato::realtime {

namespace {

constexpr int unreached = std::numeric_limits<int>::max();

class HopcroftKarp {
 public:
  HopcroftKarp(const Bipartite& graph, Matching& matching)
      : graph_(graph), m_(matching), level_(graph.neighbours.size()), next_(graph.neighbours.size()) {}

  void run() {
    while (layers()) {
      next_.assign(next_.size(), 0);
      for (std::size_t left = 0; left < level_.size(); ++left)
        if (m_.of_left[left] < 0 && augment(static_cast<int>(left))) ++m_.size;
    }
  }

 private:
  /// Distances from free left vertices along alternating paths; true where a free right vertex is reached.
  bool layers() {
    queue_.clear();
    for (std::size_t left = 0; left < level_.size(); ++left) {
      level_[left] = m_.of_left[left] < 0 ? 0 : unreached;
      if (level_[left] == 0) queue_.push_back(static_cast<int>(left));
    }
    bool found = false;
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      const auto left = static_cast<std::size_t>(queue_[at]);
      for (const int right : graph_.neighbours[left]) {
        const int partner = m_.of_right[static_cast<std::size_t>(right)];
        if (partner < 0) {
          found = true;
        } else if (level_[static_cast<std::size_t>(partner)] == unreached) {
          level_[static_cast<std::size_t>(partner)] = level_[left] + 1;
          queue_.push_back(partner);
        }
      }
    }
    return found;
  }

  /// A path along ascending layers; next_ remembers where a vertex stopped looking.
  bool augment(int left) {
    const auto from = static_cast<std::size_t>(left);
    for (std::size_t& at = next_[from]; at < graph_.neighbours[from].size(); ++at) {
      const auto right = static_cast<std::size_t>(graph_.neighbours[from][at]);
      const int partner = m_.of_right[right];
      if (partner >= 0 && (level_[static_cast<std::size_t>(partner)] != level_[from] + 1 || !augment(partner)))
        continue;
      m_.of_left[from] = static_cast<int>(right);
      m_.of_right[right] = left;
      return true;
    }
    return false;
  }

  const Bipartite& graph_;
  Matching& m_;
  std::vector<int> level_, queue_;
  std::vector<std::size_t> next_;
};

}  // namespace

Matching maximum_matching(const Bipartite& graph, Matching start) {
  if (start.of_left.empty()) start.of_left.assign(graph.neighbours.size(), -1);
  if (start.of_right.empty()) start.of_right.assign(static_cast<std::size_t>(graph.right), -1);
  HopcroftKarp(graph, start).run();
  return start;
}

VertexCover minimum_cover(const Bipartite& graph) {
  const Matching m = maximum_matching(graph);
  // What alternating paths from free left vertices reach: the cover is the left vertices outside and the right ones inside.
  std::vector<unsigned char> left(graph.neighbours.size(), 0), right(static_cast<std::size_t>(graph.right), 0);
  std::vector<int> queue;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (m.of_left[i] < 0) {
      left[i] = 1;
      queue.push_back(static_cast<int>(i));
    }
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (const int j : graph.neighbours[static_cast<std::size_t>(queue[at])]) {
      if (right[static_cast<std::size_t>(j)] != 0) continue;
      right[static_cast<std::size_t>(j)] = 1;
      const int partner = m.of_right[static_cast<std::size_t>(j)];
      if (partner < 0 || left[static_cast<std::size_t>(partner)] != 0) continue;
      left[static_cast<std::size_t>(partner)] = 1;
      queue.push_back(partner);
    }
  VertexCover cover;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i] == 0) cover.left.push_back(static_cast<int>(i));
  for (std::size_t j = 0; j < right.size(); ++j)
    if (right[j] != 0) cover.right.push_back(static_cast<int>(j));
  return cover;
}

}  // namespace rubato::realtime
