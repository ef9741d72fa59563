#pragma once
/// Faces of a surface in a binary tree of boxes: which of them does a line pass, which are near a box?
///
/// The tree is made once from the undeformed faces; for each state its boxes are made anew from the faces up.
#include "contact_surface.hpp"
#include "rubato/base/scratch.hpp"

namespace rubato::fem::detail {

struct FaceBox {
  std::array<double, 3> low = {}, high = {};
};
/// Around a face; curved ones bulge out of the box of their nodes by less than a quarter of it.
[[nodiscard]] FaceBox box_of(const ContactSurface& surface, const ContactFace& face, int dimension,
                             In positions) noexcept;

class FaceTree {
 public:
  FaceTree() = default;
  FaceTree(const ContactSurface& surface, int dimension, In undeformed);

  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return Scratch::bytes_for<FaceBox>(nodes_.size()); }
  /// Of the nodes of the tree, at these positions; one for each entry of `boxes`, as many as `size()`.
  void fill_boxes(const ContactSurface& surface, In positions, std::span<FaceBox> boxes) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

  /// Calls visit(face) for the faces whose boxes the line x + g n, −∞ < g < ∞, passes.
  template <class Visit>
  void along(const double* x, const double* n, std::span<const FaceBox> boxes, Visit&& visit) const noexcept {
    descend([&](const FaceBox& box) { return passes(box, x, n); }, boxes, visit);
  }
  /// Calls visit(face) for the faces whose boxes are at most `margin`, which the visitor may change, away from `around`.
  template <class Visit>
  void near(const FaceBox& around, const double& margin, std::span<const FaceBox> boxes, Visit&& visit) const {
    descend([&](const FaceBox& box) { return distance(box, around) <= margin; }, boxes, visit);
  }

 private:
  struct Node {
    int first = 0, last = 0;  ///< in order_
    int left = -1;            ///< its children are this and the next; −1: none
  };
  static constexpr int leaf = 4, deepest = 64;

  template <class Wanted, class Visit>
  void descend(const Wanted& wanted, std::span<const FaceBox> boxes, Visit&& visit) const {
    std::array<int, deepest> open;
    int n = 0;
    if (!nodes_.empty()) open[at(n++)] = 0;
    while (n > 0) {
      const int k = open[at(--n)];
      if (!wanted(boxes[at(k)])) continue;
      const Node& node = nodes_[at(k)];
      if (node.left >= 0) {
        open[at(n++)] = node.left + 1;
        open[at(n++)] = node.left;
      } else {
        for (int i = node.first; i < node.last; ++i) visit(order_[at(i)]);
      }
    }
  }
  [[nodiscard]] bool passes(const FaceBox& box, const double* x, const double* n) const noexcept;
  [[nodiscard]] double distance(const FaceBox& a, const FaceBox& b) const noexcept;

  int dimension_ = 3;
  std::vector<Node> nodes_ = {};  ///< parents before children
  std::vector<int> order_ = {};
};

}  // namespace rubato::fem::detail
