#include "contact_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rubato::fem::detail {

FaceBox box_of(const ContactSurface& surface, const ContactFace& face, int dimension, In positions) noexcept {
  FaceBox box;
  const auto nodes = surface.nodes_of(face);
  double extent = 0;
  for (int k = 0; k < dimension; ++k) {
    double low = positions[at(nodes[0] * dimension + k)], high = low;
    for (const int node : nodes) {
      low = std::min(low, positions[at(node * dimension + k)]);
      high = std::max(high, positions[at(node * dimension + k)]);
    }
    box.low[at(k)] = low;
    box.high[at(k)] = high;
    extent = std::max(extent, high - low);
  }
  for (int k = 0; k < dimension; ++k) {
    box.low[at(k)] -= 0.25 * extent;
    box.high[at(k)] += 0.25 * extent;
  }
  return box;
}

/// Halved at the median along the longest axis, until four faces are left.
FaceTree::FaceTree(const ContactSurface& surface, int dimension, In undeformed)
    : dimension_(dimension), order_(surface.faces.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<FaceBox> boxes;
  for (const ContactFace& face : surface.faces) boxes.push_back(box_of(surface, face, dimension, undeformed));
  nodes_.push_back({.first = 0, .last = static_cast<int>(order_.size())});
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node node = nodes_[k];
    if (node.last - node.first <= leaf) continue;
    const auto middle_of = [&](int face, std::size_t axis) {
      return boxes[at(face)].low[axis] + boxes[at(face)].high[axis];
    };
    const auto faces = std::span(order_).subspan(at(node.first), at(node.last - node.first));
    std::size_t axis = 0;
    double longest = -1;
    for (std::size_t i = 0; i < at(dimension); ++i) {
      const auto [least, most] = std::ranges::minmax(faces, {}, [&](int face) { return middle_of(face, i); });
      const double length = middle_of(most, i) - middle_of(least, i);
      if (length > longest) {
        longest = length;
        axis = i;
      }
    }
    const int half = node.first + (node.last - node.first) / 2;
    std::ranges::nth_element(faces, faces.begin() + (half - node.first), [&](int a, int b) {
      const double x = middle_of(a, axis), y = middle_of(b, axis);
      return x < y || (x == y && a < b);
    });
    nodes_[k].left = static_cast<int>(nodes_.size());
    nodes_.push_back({.first = node.first, .last = half});
    nodes_.push_back({.first = half, .last = node.last});
  }
}

void FaceTree::fill_boxes(const ContactSurface& surface, In positions, std::span<FaceBox> boxes) const noexcept {
  const auto join = [](FaceBox& box, const FaceBox& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = std::min(box.low[k], other.low[k]);
      box.high[k] = std::max(box.high[k], other.high[k]);
    }
  };
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    if (node.left >= 0) {
      boxes[k] = boxes[at(node.left)];
      join(boxes[k], boxes[at(node.left) + 1]);
      continue;
    }
    for (int i = node.first; i < node.last; ++i) {
      const FaceBox box = box_of(surface, surface.faces[at(order_[at(i)])], dimension_, positions);
      if (i == node.first) {
        boxes[k] = box;
      } else {
        join(boxes[k], box);
      }
    }
  }
}

bool FaceTree::passes(const FaceBox& box, const double* x, const double* n) const noexcept {
  double first = -std::numeric_limits<double>::infinity(), last = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < at(dimension_); ++k) {
    if (n[k] == 0) {
      if (x[k] < box.low[k] || x[k] > box.high[k]) return false;
      continue;
    }
    const double a = (box.low[k] - x[k]) / n[k], b = (box.high[k] - x[k]) / n[k];
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
  }
  return first <= last;
}

double FaceTree::distance(const FaceBox& a, const FaceBox& b) const noexcept {
  double square = 0;
  for (std::size_t k = 0; k < at(dimension_); ++k) {
    const double apart = std::max({0.0, a.low[k] - b.high[k], b.low[k] - a.high[k]});
    square += apart * apart;
  }
  return std::sqrt(square);
}

}  // namespace rubato::fem::detail
