// Numbers of the tensors z that materials with memory keep at quadrature points, and the patterns they bring.
#include <algorithm>

#include "numbering.hpp"

namespace rubato::fem::detail {

void make_memory_patterns(SolidParts& parts) {
  const int d = parts.model.mesh.dimension, n_q = static_cast<int>(parts.free_places.size());
  struct Run {
    int first, count;
  };
  std::vector<std::vector<Run>> rows_at(at(n_q));  // of e_q, by column; elements in the order of their z
  std::vector<int> r_starts = {0}, r_rows, own, free;
  for (ElementSet& set : parts.assembly.sets) {
    if (set.terms == 0) continue;
    set.first_z = parts.n_z;
    for (int e = 0; e < set.n_elements; ++e) {
      own.clear();
      for (int k = 0; k < set.dofs(); ++k) {
        const int node = set.node_of[at((e / lanes * set.nodes + k / d) * lanes + e % lanes)];
        own.push_back(parts.coordinate[at(node * d + k % d)]);
      }
      free = own;
      std::erase_if(free, [](int q) { return q < 0; });
      std::sort(free.begin(), free.end());
      for (const int q : own)
        set.memory_order.push_back(
            q < 0 ? -1 : static_cast<int>(std::lower_bound(free.begin(), free.end(), q) - free.begin()));
      for (const int q : free) rows_at[at(q)].push_back({parts.n_z, set.z_per_element()});
      set.memory_force_place.push_back(static_cast<int>(r_rows.size()));
      for (int k = 0; k < set.z_per_element(); ++k) {
        if (set.works(k % set.components)) r_rows.insert(r_rows.end(), free.begin(), free.end());
        r_starts.push_back(static_cast<int>(r_rows.size()));
      }
      parts.n_z += set.z_per_element();
    }
  }
  if (parts.n_z == 0) return;
  std::vector<int> e_starts = {0}, e_rows;
  for (const auto& runs : rows_at) {
    for (const Run& run : runs)
      for (int k = 0; k < run.count; ++k) e_rows.push_back(run.first + k);
    e_starts.push_back(static_cast<int>(e_rows.size()));
  }
  auto& p = parts.patterns;
  p.r_z = SparsePattern::from_columns(n_q, parts.n_z, std::move(r_starts), std::move(r_rows));
  p.e_q = SparsePattern::from_columns(parts.n_z, n_q, std::move(e_starts), std::move(e_rows));
  p.e_z = SparsePattern::identity(parts.n_z);
  for (ElementSet& set : parts.assembly.sets)
    for (int e = 0; e < set.n_elements && set.terms > 0; ++e)
      for (int k = 0; k < set.dofs(); ++k) {
        const int node = set.node_of[at((e / lanes * set.nodes + k / d) * lanes + e % lanes)];
        const int q = parts.coordinate[at(node * d + k % d)];
        set.memory_gradient_place.push_back(q < 0 ? -1 : p.e_q.index_of(set.first_z + e * set.z_per_element(), q));
      }
}

}  // namespace rubato::fem::detail
