// MSH 4.1 as text. Gmsh puts every element into one entity and names groups of entities: elements of one dimension that
// are in the same groups make an entity here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "io/gmsh_shapes.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/mesh_file.hpp"

namespace rubato::io {
namespace {

using Out = std::back_insert_iterator<std::string>;

struct Entities {
  std::array<std::vector<std::vector<int>>, 4> groups;  ///< per dimension and entity: its groups
  std::vector<int> of;                                  ///< per element, counted within its dimension from 0
};

Entities entities_of(const fem::Mesh& mesh) {
  std::vector<std::vector<int>> groups_of(static_cast<std::size_t>(mesh.n_elements()));
  for (std::size_t g = 0; g < mesh.groups.size(); ++g)
    for (const int e : mesh.groups[g].elements)
      if (groups_of[e].empty() || groups_of[e].back() != static_cast<int>(g))
        groups_of[e].push_back(static_cast<int>(g));
  Entities out;
  std::map<std::pair<int, std::vector<int>>, int> known;
  for (int e = 0; e < mesh.n_elements(); ++e) {
    const int d = fem::info(mesh.shapes[e]).dimension;
    auto& list = out.groups[static_cast<std::size_t>(d)];
    const auto [place, made] = known.emplace(std::pair(d, groups_of[e]), static_cast<int>(list.size()));
    if (made) list.push_back(groups_of[e]);
    out.of.push_back(place->second);
  }
  return out;
}

std::array<double, 3> place_of(const fem::Mesh& mesh, int node) {
  std::array<double, 3> x{};
  std::copy_n(mesh.point(node).begin(), mesh.dimension, x.begin());
  return x;
}

void write_entities(Out out, const fem::Mesh& mesh, const Entities& entities) {
  std::array<double, 6> box{};
  for (int node = 0; node < mesh.n_nodes(); ++node) {
    const auto x = place_of(mesh, node);
    for (std::size_t k = 0; k < 3; ++k) {
      box[k] = node == 0 ? x[k] : std::min(box[k], x[k]);
      box[k + 3] = node == 0 ? x[k] : std::max(box[k + 3], x[k]);
    }
  }
  const auto& all = entities.groups;
  fmt::format_to(out, "$Entities\n{} {} {} {}\n", all[0].size(), all[1].size(), all[2].size(), all[3].size());
  for (std::size_t d = 0; d < 4; ++d)
    for (std::size_t i = 0; i < all[d].size(); ++i) {
      fmt::format_to(out, "{}", i + 1);
      for (std::size_t k = 0; k < (d == 0 ? 3U : 6U); ++k) fmt::format_to(out, " {}", box[k]);
      fmt::format_to(out, " {}", all[d][i].size());
      for (const int group : all[d][i]) fmt::format_to(out, " {}", group + 1);
      fmt::format_to(out, "{}", d == 0 ? "\n" : " 0\n");
    }
  fmt::format_to(out, "$EndEntities\n");
}

template <class Label>
std::array<long, 2> extremes(int n, const Label& label) {
  std::array<long, 2> out{0, 0};
  for (int i = 0; i < n; ++i) {
    out[0] = i == 0 ? label(i) : std::min(out[0], label(i));
    out[1] = std::max(out[1], label(i));
  }
  return out;
}

void write_nodes(Out out, const fem::Mesh& mesh) {
  const int n = mesh.n_nodes();
  const auto [low, high] = extremes(n, [&](int node) { return mesh.node_label(node); });
  fmt::format_to(out, "$Nodes\n1 {} {} {}\n{} 1 0 {}\n", n, low, high, mesh.dimension, n);
  for (int node = 0; node < n; ++node) fmt::format_to(out, "{}\n", mesh.node_label(node));
  for (int node = 0; node < n; ++node) {
    const auto x = place_of(mesh, node);
    fmt::format_to(out, "{} {} {}\n", shortest(x[0]), shortest(x[1]), shortest(x[2]));
  }
  fmt::format_to(out, "$EndNodes\n");
}

/// In the order of the mesh: a block ends where entity or shape change.
void write_elements(Out out, const fem::Mesh& mesh, const Entities& entities) {
  const int n = mesh.n_elements();
  const auto same = [&](int a, int b) { return mesh.shapes[a] == mesh.shapes[b] && entities.of[a] == entities.of[b]; };
  int blocks = 0;
  for (int e = 0; e < n; ++e) blocks += e == 0 || !same(e - 1, e);
  const auto [low, high] = extremes(n, [&](int e) { return mesh.element_label(e); });
  fmt::format_to(out, "$Elements\n{} {} {} {}\n", blocks, n, low, high);
  for (int first = 0; first < n;) {
    int last = first + 1;
    while (last < n && same(first, last)) ++last;
    const GmshShape& s = gmsh_shape(mesh.shapes[first]);
    fmt::format_to(out, "{} {} {} {}\n", fem::info(s.shape).dimension, entities.of[first] + 1, s.type, last - first);
    for (int e = first; e < last; ++e) {
      std::array<int, fem::max_shape_nodes> theirs{};
      for (std::size_t a = 0; a < mesh.element(e).size(); ++a) theirs[s.order[a]] = mesh.element(e)[a];
      fmt::format_to(out, "{}", mesh.element_label(e));
      for (std::size_t a = 0; a < mesh.element(e).size(); ++a) fmt::format_to(out, " {}", mesh.node_label(theirs[a]));
      fmt::format_to(out, "\n");
    }
    first = last;
  }
  fmt::format_to(out, "$EndElements\n");
}

}  // namespace

Result<std::string> to_gmsh(const fem::Mesh& mesh) {
  std::string text = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
  const Out out(text);
  fmt::format_to(out, "$PhysicalNames\n{}\n", mesh.groups.size());
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    const std::string& name = mesh.groups[g].name;
    const bool plain = !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
      return c == '"' || static_cast<unsigned char>(c) < ' ';
    });
    if (!plain)
      return Error{
          fmt::format("mesh: group '{}' cannot be written: its name must have characters, without quotes and "
                      "line ends",
                      name)};
    fmt::format_to(out, "{} {} \"{}\"\n", mesh.groups[g].dimension, g + 1, name);
  }
  fmt::format_to(out, "$EndPhysicalNames\n");
  const Entities entities = entities_of(mesh);
  write_entities(out, mesh, entities);
  write_nodes(out, mesh);
  write_elements(out, mesh, entities);
  return text;
}

}  // namespace rubato::io
