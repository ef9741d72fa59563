// What a mesh must be before a model is built on it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "rubato/base/text.hpp"
#include "rubato/fem/mesh.hpp"

namespace rubato::fem {
namespace {

/// The nodes of an element, ascending, for comparing: the same nodes in any order are the same element.
std::vector<int> sorted(std::span<const int> nodes) {
  std::vector<int> own(nodes.begin(), nodes.end());
  std::sort(own.begin(), own.end());
  return own;
}

std::string place(std::span<const double> x) {
  std::string out;
  for (const double c : x) out += (out.empty() ? "(" : ", ") + shortest(c);
  return out + ")";
}

class Checker {
 public:
  explicit Checker(const Mesh& mesh) : mesh_(mesh) {}

  Result<void> run() {
    for (const auto step : {&Checker::tables, &Checker::coordinates, &Checker::elements, &Checker::groups,
                            &Checker::orphans, &Checker::twice, &Checker::orientation})
      if (auto trouble = (this->*step)()) return Error{"mesh: " + *trouble};
    return {};
  }

 private:
  using Trouble = std::optional<std::string>;

  Trouble tables() {
    const auto n = mesh_.shapes.size();
    if (mesh_.dimension != 2 && mesh_.dimension != 3)
      return fmt::format("dimension {}; a mesh lives in 2 or 3", mesh_.dimension);
    if (mesh_.points.size() % static_cast<std::size_t>(mesh_.dimension) != 0)
      return fmt::format("{} coordinates are no whole number of points in dimension {}", mesh_.points.size(),
                         mesh_.dimension);
    if (mesh_.starts.size() != n + 1 || mesh_.starts.front() != 0 ||
        mesh_.starts.back() != static_cast<int>(mesh_.nodes.size()))
      return fmt::format(
          "{} elements with {} starts and {} nodes; there must be one start more than elements, the first 0, "
          "the last the number of nodes",
          n, mesh_.starts.size(), mesh_.nodes.size());
    for (std::size_t e = 0; e < n; ++e)
      if (mesh_.starts[e + 1] - mesh_.starts[e] != info(mesh_.shapes[e]).nodes)
        return fmt::format("element {} ({}) has {} nodes, its shape has {}", mesh_.element_label(static_cast<int>(e)),
                           info(mesh_.shapes[e]).name, mesh_.starts[e + 1] - mesh_.starts[e],
                           info(mesh_.shapes[e]).nodes);
    if (!mesh_.node_labels.empty() && static_cast<int>(mesh_.node_labels.size()) != mesh_.n_nodes())
      return fmt::format("{} labels for {} nodes", mesh_.node_labels.size(), mesh_.n_nodes());
    if (!mesh_.element_labels.empty() && mesh_.element_labels.size() != n)
      return fmt::format("{} labels for {} elements", mesh_.element_labels.size(), n);
    return {};
  }

  Trouble coordinates() {
    for (int node = 0; node < mesh_.n_nodes(); ++node)
      for (const double c : mesh_.point(node))
        if (!std::isfinite(c))
          return fmt::format("node {} lies at {}; coordinates must be finite", mesh_.node_label(node),
                             place(mesh_.point(node)));
    return {};
  }

  Trouble elements() {
    bool any = false;
    for (int e = 0; e < mesh_.n_elements(); ++e) {
      const int d = info(mesh_.shapes[e]).dimension;
      if (d > mesh_.dimension) return fmt::format("{} has dimension {}, the mesh {}", name(e), d, mesh_.dimension);
      any = any || d == mesh_.dimension;
      for (const int node : mesh_.element(e))
        if (node < 0 || node >= mesh_.n_nodes())
          return fmt::format("{} names node number {}; there are {}", name(e), node + 1, mesh_.n_nodes());
      const auto own = sorted(mesh_.element(e));
      const auto same = std::adjacent_find(own.begin(), own.end());
      if (same != own.end())
        return fmt::format(
            "{} names node {} at {} twice; collapsed elements are not known here, write the shape that is left",
            name(e), mesh_.node_label(*same), place(mesh_.point(*same)));
    }
    if (!any)
      return fmt::format("none of the {} elements has dimension {}: there is nothing to deform", mesh_.n_elements(),
                         mesh_.dimension);
    return {};
  }

  Trouble groups() {
    group_of_.assign(static_cast<std::size_t>(mesh_.n_elements()), -1);
    for (std::size_t g = 0; g < mesh_.groups.size(); ++g) {
      const MeshGroup& group = mesh_.groups[g];
      for (const int e : group.elements) {
        if (e < 0 || e >= mesh_.n_elements())
          return fmt::format("group '{}' names element number {}; there are {}", group.name, e + 1, mesh_.n_elements());
        if (info(mesh_.shapes[e]).dimension != group.dimension)
          return fmt::format("group '{}' has dimension {}, its element {} ({}) {}", group.name, group.dimension,
                             mesh_.element_label(e), info(mesh_.shapes[e]).name, info(mesh_.shapes[e]).dimension);
        if (group_of_[e] < 0) group_of_[e] = static_cast<int>(g);
      }
    }
    return {};
  }

  Trouble orphans() {
    std::vector<char> used(static_cast<std::size_t>(mesh_.n_nodes()), 0);
    for (int e = 0; e < mesh_.n_elements(); ++e)
      if (info(mesh_.shapes[e]).dimension == mesh_.dimension)
        for (const int node : mesh_.element(e)) used[node] = 1;
    const auto first = std::find(used.begin(), used.end(), 0);
    if (first == used.end()) return {};
    const auto node = static_cast<int>(first - used.begin());
    const auto many = std::count(used.begin(), used.end(), 0);
    return fmt::format(
        "node {} at {}{} belongs to no element of dimension {}: it would have neither mass nor stiffness",
        mesh_.node_label(node), place(mesh_.point(node)), many > 1 ? fmt::format(" (and {} more)", many - 1) : "",
        mesh_.dimension);
  }

  /// Volumes twice would have twice the mass; facets twice in one group would carry the load twice.
  Trouble twice() {
    std::vector<int> volumes;
    for (int e = 0; e < mesh_.n_elements(); ++e)
      if (info(mesh_.shapes[e]).dimension == mesh_.dimension) volumes.push_back(e);
    if (auto trouble = twice_among(volumes)) return trouble;
    for (const MeshGroup& group : mesh_.groups)
      if (auto trouble = twice_among(group.elements)) return trouble;
    return {};
  }
  Trouble twice_among(const std::vector<int>& list) {
    std::vector<std::pair<std::vector<int>, int>> keys;
    keys.reserve(list.size());
    for (const int e : list) keys.emplace_back(sorted(mesh_.element(e)), e);
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 1; i < keys.size(); ++i)
      if (keys[i - 1].first == keys[i].first)
        return fmt::format("{} and {} at {} have the same nodes", name(keys[i - 1].second), name(keys[i].second),
                           place(middle(keys[i].second)));
    return {};
  }

  /// det ∂X/∂ξ > 0 at the quadrature points; at the corners it may vanish (a straight angle) but not change its sign.
  Trouble orientation() {
    const int d = mesh_.dimension;
    for (int e = 0; e < mesh_.n_elements(); ++e) {
      const ShapeInfo& s = info(mesh_.shapes[e]);
      if (s.dimension != d) continue;
      const double none = 1e-12 * std::pow(extent(e), d);
      const auto& probes = probes_of(s.id);
      int good = 0, bad = 0;
      for (const Probe& probe : probes) {
        const double det = determinant(e, probe.values);
        (probe.corner ? det >= -none : det > none) ? ++good : ++bad;
      }
      if (bad == 0) continue;
      if (good == 0)
        return fmt::format("{} at {} is turned inside out: its nodes are listed in the other sense", name(e),
                           place(middle(e)));
      return fmt::format(
          "{} at {} is {}", name(e), place(middle(e)),
          largest_determinant(e, probes) <= none
              ? "flat: it has no volume"
              : "folded: a corner or a middle node lies so far inside that the volume turns negative there");
    }
    return {};
  }

  struct Probe {
    ShapeValues values;
    bool corner;
  };
  const std::vector<Probe>& probes_of(Shape shape) {
    auto& own = probes_[static_cast<std::size_t>(shape)];
    if (own.empty()) {
      for (const auto& q : quadrature(shape, info(shape).quadrature)) own.push_back({evaluate(shape, q.xi), false});
      for (int k = 0; k < info(shape).corners; ++k)
        own.push_back({evaluate(shape, reference_nodes(shape)[static_cast<std::size_t>(k)]), true});
    }
    return own;
  }

  [[nodiscard]] double determinant(int e, const ShapeValues& v) const {
    std::array<std::array<double, 3>, 3> j{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const int d = mesh_.dimension;
    for (int i = 0; i < d; ++i)
      for (int k = 0; k < d; ++k) j[i][k] = 0;
    const auto nodes = mesh_.element(e);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (int i = 0; i < d; ++i)
        for (int k = 0; k < d; ++k) j[i][k] += mesh_.point(nodes[a])[i] * v.dn[a][k];
    return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) - j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
           j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
  }
  [[nodiscard]] double largest_determinant(int e, const std::vector<Probe>& probes) const {
    double largest = determinant(e, probes.front().values);
    for (const Probe& probe : probes) largest = std::max(largest, determinant(e, probe.values));
    return largest;
  }

  /// The longest side of the box around an element.
  [[nodiscard]] double extent(int e) const {
    double longest = 0;
    for (int k = 0; k < mesh_.dimension; ++k) {
      double low = mesh_.point(mesh_.element(e)[0])[k], high = low;
      for (const int node : mesh_.element(e)) {
        low = std::min(low, mesh_.point(node)[k]);
        high = std::max(high, mesh_.point(node)[k]);
      }
      longest = std::max(longest, high - low);
    }
    return longest;
  }

  [[nodiscard]] std::vector<double> middle(int e) const {
    std::vector<double> x(static_cast<std::size_t>(mesh_.dimension), 0);
    const auto nodes = mesh_.element(e);
    for (const int node : nodes)
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += mesh_.point(node)[k] / static_cast<double>(nodes.size());
    return x;
  }

  [[nodiscard]] std::string name(int e) const {
    const int g = group_of_.empty() ? -1 : group_of_[e];
    return fmt::format("element {} ({}{})", mesh_.element_label(e), info(mesh_.shapes[e]).name,
                       g < 0 ? "" : fmt::format(", group '{}'", mesh_.groups[g].name));
  }

  const Mesh& mesh_;
  std::vector<int> group_of_;  ///< the first group of each element, −1: none
  std::array<std::vector<Probe>, n_shapes> probes_;
};

}  // namespace

Result<void> check(const Mesh& mesh) { return Checker(mesh).run(); }

}  // namespace rubato::fem
