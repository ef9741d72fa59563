#include "rubato/realtime/clusters.hpp"

#include <algorithm>

namespace rubato::realtime {

std::vector<std::vector<int>> clusters(std::span<const std::complex<double>> eigenvalues, double tolerance) {
  const std::size_t n = eigenvalues.size();
  std::vector<std::vector<int>> found;
  std::vector<unsigned char> taken(n, 0);
  for (std::size_t first = 0; first < n; ++first) {
    if (taken[first] != 0) continue;
    std::vector<std::size_t> members = {first};
    taken[first] = 1;
    for (std::size_t at = 0; at < members.size(); ++at)
      for (std::size_t i = first + 1; i < n; ++i) {
        if (taken[i] != 0 || !(std::abs(eigenvalues[i] - eigenvalues[members[at]]) < tolerance)) continue;
        taken[i] = 1;
        members.push_back(i);
      }
    auto& cluster = found.emplace_back();
    for (std::size_t i = first; i < n; ++i)
      if (std::find(members.begin(), members.end(), i) != members.end()) cluster.push_back(static_cast<int>(i));
  }
  return found;
}

}  // namespace rubato::realtime
