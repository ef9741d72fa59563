#include "io/mesh_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rubato::io {

Error MeshBuilder::at(long line, std::string_view sentence) const {
  return Error{fmt::format("{}:{}: {}", file_, line, sentence)};
}

void MeshBuilder::add_node(long label, const std::array<double, 3>& x, long line) {
  node_labels_.push_back(label);
  node_lines_.push_back(line);
  points_.push_back(x);
}

void MeshBuilder::add_element(long label, fem::Shape shape, std::span<const long> node_labels, long line) {
  element_labels_.push_back(label);
  element_lines_.push_back(line);
  mesh_.shapes.push_back(shape);
  connectivity_.insert(connectivity_.end(), node_labels.begin(), node_labels.end());
  mesh_.starts.push_back(static_cast<int>(connectivity_.size()));
}

Result<void> MeshBuilder::sort(std::string_view what, const std::vector<long>& labels, const std::vector<long>& lines,
                               std::vector<int>& order) const {
  order.resize(labels.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return labels[a] < labels[b]; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (labels[order[i]] == labels[order[i - 1]])
      return at(lines[order[i]],
                fmt::format("{} {} is there already, in line {}", what, labels[order[i]], lines[order[i - 1]]));
  return {};
}

Result<void> MeshBuilder::resolve() {
  if (connectivity_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return Error{
        fmt::format("{}: {} nodes of elements are more than can be counted here", file_, connectivity_.size())};
  if (auto fine = sort("node", node_labels_, node_lines_, node_order_); !fine) return fine;
  if (auto fine = sort("element", element_labels_, element_lines_, element_order_); !fine) return fine;
  mesh_.nodes.reserve(connectivity_.size());
  for (std::size_t e = 0; e < element_labels_.size(); ++e)
    for (int k = mesh_.starts[e]; k < mesh_.starts[e + 1]; ++k) {
      const int found = node(connectivity_[static_cast<std::size_t>(k)]);
      if (found < 0)
        return at(element_lines_[e], fmt::format("element {} names node {}, which is nowhere defined",
                                                 element_labels_[e], connectivity_[static_cast<std::size_t>(k)]));
      mesh_.nodes.push_back(found);
    }
  return {};
}

int MeshBuilder::find(const std::vector<int>& order, const std::vector<long>& labels, long label) {
  const auto found =
      std::lower_bound(order.begin(), order.end(), label, [&](int i, long wanted) { return labels[i] < wanted; });
  return found == order.end() || labels[*found] != label ? -1 : *found;
}

std::vector<int> MeshBuilder::between(const std::vector<int>& order, const std::vector<long>& labels, long first,
                                      long last) {
  const auto begin =
      std::lower_bound(order.begin(), order.end(), first, [&](int i, long wanted) { return labels[i] < wanted; });
  auto end = begin;
  while (end != order.end() && labels[*end] <= last) ++end;
  return {begin, end};
}

int MeshBuilder::add_unlabelled(fem::Shape shape, std::span<const int> nodes) {
  return mesh_.add_element(shape, nodes);
}

Result<void> MeshBuilder::take(std::size_t entries, long line) {
  constexpr std::size_t per_byte = 64;
  entries_ += entries;
  if (entries_ > per_byte * bytes_)
    return at(line,
              fmt::format("the groups hold more than {} entries per byte of the file; that is no mesh", per_byte));
  return {};
}

std::size_t MeshBuilder::group(std::string_view name, int dimension) {
  const auto [place, made] = group_numbers_.emplace(std::pair(std::string(name), dimension), mesh_.groups.size());
  if (made) mesh_.groups.push_back({.name = std::string(name), .dimension = dimension});
  return place->second;
}

Result<fem::Mesh> MeshBuilder::finish() {
  int dimension = 0;
  for (const fem::Shape shape : mesh_.shapes) dimension = std::max(dimension, fem::info(shape).dimension);
  if (dimension < 2)
    return Error{fmt::format("{}: there are {} nodes and {} elements, but neither areas nor volumes among them", file_,
                             n_nodes(), n_elements())};
  if (dimension == 2) {
    double size = 0;
    for (const auto& x : points_) size = std::max({size, std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (std::abs(points_[i][2] - points_[0][2]) > 1e-9 * size)
        return at(
            node_lines_[i],
            fmt::format("node {} has z = {}, node {} has z = {}; without volumes a mesh is plane and all z are equal",
                        node_labels_[i], points_[i][2], node_labels_[0], points_[0][2]));
  }
  mesh_.dimension = dimension;
  for (const auto& x : points_) mesh_.add_point(std::span(x).first(static_cast<std::size_t>(dimension)));
  mesh_.node_labels = node_labels_;
  mesh_.element_labels = element_labels_;
  long label = element_labels_.empty() ? 0 : *std::max_element(element_labels_.begin(), element_labels_.end());
  while (mesh_.element_labels.size() < mesh_.shapes.size()) mesh_.element_labels.push_back(++label);
  for (auto& group : mesh_.groups) {
    std::sort(group.elements.begin(), group.elements.end());
    group.elements.erase(std::unique(group.elements.begin(), group.elements.end()), group.elements.end());
  }
  fem::orient_boundary(mesh_);
  return std::move(mesh_);
}

}  // namespace rubato::io
