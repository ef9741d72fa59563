#pragma once
/// What readers of mesh files share: labels, places in the file, groups, and the mesh at the end.
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/fem/mesh.hpp"

namespace rubato::io {

class MeshBuilder {
 public:
  /// `bytes`: the length of the file, to which memory stays in proportion.
  MeshBuilder(std::string_view file, std::size_t bytes) : file_(file), bytes_(bytes) {}

  [[nodiscard]] Error at(long line, std::string_view sentence) const;

  void add_node(long label, const std::array<double, 3>& x, long line);
  /// Nodes by label, in our order.
  void add_element(long label, fem::Shape shape, std::span<const long> node_labels, long line);
  /// After the last of both: labels are looked up and must be there once.
  [[nodiscard]] Result<void> resolve();

  // After resolve():
  /// −1: there is none.
  [[nodiscard]] int node(long label) const { return find(node_order_, node_labels_, label); }
  [[nodiscard]] int element(long label) const { return find(element_order_, element_labels_, label); }
  [[nodiscard]] long node_label(int node) const { return node_labels_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] long element_label(int e) const { return element_labels_[static_cast<std::size_t>(e)]; }
  [[nodiscard]] int n_nodes() const { return static_cast<int>(node_labels_.size()); }
  [[nodiscard]] int n_elements() const { return static_cast<int>(element_labels_.size()); }
  [[nodiscard]] fem::Shape shape(int e) const { return mesh_.shapes[static_cast<std::size_t>(e)]; }
  [[nodiscard]] std::span<const int> nodes_of(int e) const { return mesh_.element(e); }
  /// Labels from `first` to `last`, ascending.
  [[nodiscard]] std::vector<int> nodes_between(long first, long last) const {
    return between(node_order_, node_labels_, first, last);
  }
  [[nodiscard]] std::vector<int> elements_between(long first, long last) const {
    return between(element_order_, element_labels_, first, last);
  }
  /// An element that has no label in the file: a facet of a surface, a point of a set of nodes.
  int add_unlabelled(fem::Shape shape, std::span<const int> nodes);
  /// Room for that many more entries of groups or an error: a short file can name long groups many times.
  [[nodiscard]] Result<void> take(std::size_t entries, long line);
  /// The group's number, for add_to_group; made if need be.
  std::size_t group(std::string_view name, int dimension);
  void add_to_group(std::size_t group, int e) { mesh_.groups[group].elements.push_back(e); }

  [[nodiscard]] Result<fem::Mesh> finish();

 private:
  static int find(const std::vector<int>& order, const std::vector<long>& labels, long label);
  static std::vector<int> between(const std::vector<int>& order, const std::vector<long>& labels, long first,
                                  long last);
  [[nodiscard]] Result<void> sort(std::string_view what, const std::vector<long>& labels,
                                  const std::vector<long>& lines, std::vector<int>& order) const;

  std::string file_;
  std::size_t bytes_, entries_ = 0;
  std::vector<std::array<double, 3>> points_;
  std::vector<long> node_labels_, node_lines_, element_labels_, element_lines_;
  std::vector<long> connectivity_;               ///< labels
  std::vector<int> node_order_, element_order_;  ///< by label
  std::map<std::pair<std::string, int>, std::size_t> group_numbers_;
  fem::Mesh mesh_;
};

}  // namespace rubato::io
