#include "numbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rubato/base/text.hpp"

namespace rubato::fem::detail {
namespace {

/// Sorted lists without repetition as the columns of a pattern.
SparsePattern from_lists(int rows, std::vector<std::vector<int>>& columns) {
  std::vector<int> starts = {0}, indices;
  for (auto& list : columns) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    indices.insert(indices.end(), list.begin(), list.end());
    starts.push_back(static_cast<int>(indices.size()));
  }
  return SparsePattern::from_columns(rows, static_cast<int>(columns.size()), std::move(starts), std::move(indices));
}

/// Nodes of element `element` of a set (not of the mesh).
void nodes_of(const ElementSet& set, int element, std::vector<int>& nodes) {
  nodes.resize(at(set.nodes));
  const int pack = element / lanes, lane = element % lanes;
  for (int a = 0; a < set.nodes; ++a) nodes[at(a)] = set.node_of[at((pack * set.nodes + a) * lanes + lane)];
}
void pressures_of(const ElementSet& set, int element, std::vector<int>& pressures) {
  pressures.resize(at(set.pressures));
  const int pack = element / lanes, lane = element % lanes;
  for (int k = 0; k < set.pressures; ++k)
    pressures[at(k)] = set.pressure_of[at((pack * set.pressures + k) * lanes + lane)];
}

}  // namespace

Result<const MeshGroup*> group_of(const Mesh& mesh, std::string_view name, std::string_view who, int dimension) {
  const MeshGroup* found = nullptr;
  std::vector<std::string> known;
  for (const MeshGroup& group : mesh.groups) {
    if (dimension >= 0 && group.dimension != dimension) continue;
    known.push_back(group.name);
    if (group.name != name) continue;
    if (found != nullptr)
      return Error{fmt::format("{}: \"{}\" is the name of two groups, of dimension {} and {}", who, name,
                               found->dimension, group.dimension)};
    found = &group;
  }
  const std::string of = dimension < 0 ? "group" : fmt::format("group of dimension {}", dimension);
  if (found == nullptr) return Error{fmt::format("{}: {}", who, unknown_name(of, name, known))};
  if (found->elements.empty()) return Error{fmt::format("{}: group \"{}\" is empty", who, name)};
  return found;
}

Result<void> number_displacements(SolidParts& parts) {
  const Mesh& mesh = parts.model.mesh;
  const int d = mesh.dimension;
  parts.coordinate.assign(at(mesh.n_nodes() * d), -2);
  for (const ElementSet& set : parts.assembly.sets)
    for (const int node : set.node_of)
      for (int i = 0; i < d; ++i) parts.coordinate[at(node * d + i)] = 0;
  for (const RigidRegion& rigid : parts.model.rigid) {  // also where they touch nothing that deforms
    const auto group = group_of(mesh, rigid.group, fmt::format("rigid \"{}\"", rigid.name));
    if (!group) return group.error();
    for (const int node : mesh.nodes_of(**group))
      for (int i = 0; i < d; ++i) parts.coordinate[at(node * d + i)] = 0;
  }
  std::vector<int> function_of(parts.coordinate.size(), -1), support_of(parts.coordinate.size(), -1);
  for (const Prescribed& condition : parts.model.prescribed) {
    const auto group = group_of(mesh, condition.group, "prescribed displacement");
    if (!group) return group.error();
    const std::vector<int> nodes = mesh.nodes_of(**group);
    const auto same = [&](const SolidParts::Supported& s) { return s.group == condition.group; };
    const auto known = std::find_if(parts.supports.begin(), parts.supports.end(), same);
    const int support = static_cast<int>(known - parts.supports.begin());
    if (known == parts.supports.end()) parts.supports.push_back({.group = condition.group, .places = {}});
    for (int i = 0; i < 3; ++i) {
      if (!condition.displacement[at(i)]) continue;
      if (i >= d)
        return Error{
            fmt::format("prescribed displacement of \"{}\": a plane model has no third axis", condition.group)};
      const FieldFunction& field = *condition.displacement[at(i)];
      for (const int node : nodes) {
        if (field.uniform() ? node == nodes.front() : true) parts.functions.push_back(field.at(mesh.point(node)));
        if (parts.coordinate[at(node * d + i)] == -2) continue;
        function_of[at(node * d + i)] = static_cast<int>(parts.functions.size()) - 1;
        support_of[at(node * d + i)] = support;
      }
    }
  }
  for (std::size_t place = 0; place < parts.coordinate.size(); ++place) {
    if (parts.coordinate[place] == -2) continue;
    if (function_of[place] >= 0) {
      parts.coordinate[place] = -1;
      parts.driven.push_back({static_cast<int>(place), function_of[place]});
      parts.supports[at(support_of[place])].places.push_back(static_cast<int>(place));
    } else {
      parts.coordinate[place] = static_cast<int>(parts.free_places.size());
      parts.free_places.push_back(static_cast<int>(place));
    }
  }
  if (parts.free_places.empty()) return Error{"every displacement is prescribed: nothing is left to compute"};
  return {};
}

void number_pressures(SolidParts& parts) {
  std::map<std::pair<int, int>, int> of_node;  // (region, node)
  for (ElementSet& set : parts.assembly.sets) {
    if (set.pressures == 0) continue;
    parts.compliant = parts.compliant || set.law.compliance > 0;
    const bool continuous = parts.model.regions[at(set.region)].pressure == PressureSpace::continuous;
    std::vector<int> nodes;
    for (int element = 0; element < set.n_packs * lanes; ++element) {
      const int pack = element / lanes, lane = element % lanes, real = std::min(element, set.n_elements - 1);
      nodes_of(set, real, nodes);
      for (int k = 0; k < set.pressures; ++k) {
        int& number = set.pressure_of[at((pack * set.pressures + k) * lanes + lane)];
        if (continuous) {
          const auto [place, fresh] = of_node.try_emplace({set.region, nodes[at(k)]}, parts.n_lambda);
          if (fresh) ++parts.n_lambda;
          number = place->second;
        } else {
          number = element < set.n_elements ? parts.n_lambda++ : 0;
        }
      }
    }
  }
}

void make_patterns(SolidParts& parts) {
  const int n_nodes = parts.model.mesh.n_nodes(), d = parts.model.mesh.dimension;
  const int n_q = static_cast<int>(parts.free_places.size()), n_lambda = parts.n_lambda;
  std::vector<std::vector<int>> beside(at(n_nodes)), pressures_at(at(n_nodes)), among(at(n_lambda));
  std::vector<int> nodes, pressures;
  for (const ElementSet& set : parts.assembly.sets)
    for (int e = 0; e < set.n_elements; ++e) {
      nodes_of(set, e, nodes);
      pressures_of(set, e, pressures);
      for (const int a : nodes) {
        beside[at(a)].insert(beside[at(a)].end(), nodes.begin(), nodes.end());
        pressures_at[at(a)].insert(pressures_at[at(a)].end(), pressures.begin(), pressures.end());
      }
      if (set.law.compliance > 0)
        for (const int k : pressures) among[at(k)].insert(among[at(k)].end(), pressures.begin(), pressures.end());
    }
  parts.node_pattern = from_lists(n_nodes, beside);
  parts.contacts.couple(beside);
  const SparsePattern coupled = from_lists(n_nodes, beside);
  const SparsePattern pressure_pattern = from_lists(n_lambda, pressures_at);

  std::vector<int> k_starts = {0}, k_rows, g_starts = {0}, g_rows;
  for (const int place : parts.free_places) {
    for (const int node : coupled.column(place / d))
      for (int i = 0; i < d; ++i)
        if (const int row = parts.coordinate[at(node * d + i)]; row >= 0) k_rows.push_back(row);
    k_starts.push_back(static_cast<int>(k_rows.size()));
    const auto rows = pressure_pattern.column(place / d);
    g_rows.insert(g_rows.end(), rows.begin(), rows.end());
    g_starts.push_back(static_cast<int>(g_rows.size()));
  }
  auto& p = parts.patterns;
  p.K = SparsePattern::from_columns(n_q, n_q, std::move(k_starts), std::move(k_rows));
  const bool damped = parts.model.mass_damping > 0 || parts.model.stiffness_damping > 0;
  p.D = damped || parts.contacts.has_friction() ? p.K : SparsePattern::from_entries(n_q, n_q, {});
  p.g_q = SparsePattern::from_columns(n_lambda, n_q, std::move(g_starts), std::move(g_rows));
  p.r_lambda = transposed(p.g_q).pattern;
  p.g_lambda = from_lists(n_lambda, among);

  for (ElementSet& set : parts.assembly.sets) {
    const int dofs = set.dofs();
    std::vector<int> own(at(dofs));
    for (int e = 0; e < set.n_elements; ++e) {
      nodes_of(set, e, nodes);
      pressures_of(set, e, pressures);
      for (int k = 0; k < dofs; ++k) own[at(k)] = parts.coordinate[at(nodes[at(k / d)] * d + k % d)];
      const auto place = [](const SparsePattern& pattern, int row, int col) {
        return row < 0 || col < 0 ? -1 : pattern.index_of(row, col);
      };
      for (int a = 0; a < set.nodes; ++a) {
        unsigned axes = 0;
        for (int i = 0; i < d; ++i) axes |= own[at(a * d + i)] >= 0 ? 1u << i : 0u;
        set.free_axes.push_back(static_cast<unsigned char>(axes));
      }
      for (const int col : own)
        for (int a = 0; a < set.nodes; ++a) {
          const auto* const rows = own.data() + at(a * d);
          const auto* const first = std::find_if(rows, rows + d, [](int row) { return row >= 0; });
          set.stiffness_place.push_back(first == rows + d ? -1 : place(p.K, *first, col));
        }
      for (const int pressure : pressures)
        for (const int dof : own) {
          set.reaction_place.push_back(place(p.r_lambda, dof, pressure));
          set.constraint_place.push_back(place(p.g_q, pressure, dof));
        }
      for (const int i : pressures)
        for (const int j : pressures) set.compliance_place.push_back(place(p.g_lambda, i, j));
    }
  }
}

}  // namespace rubato::fem::detail
