#pragma once
/// Which face of a surface does a point meet along a direction?
///
/// The slave point x looks along its own outward normal n:  x + g n = y(ξ),  y a point of a master face, g the gap             (1)
/// The direction belongs to the point, so that it does not change when y slides from one face to the next, and y moves
/// continuously over edges, convex or not, as long as the surface has no steps: forces along n that depend on g and are handed to the
/// nodes of the face by its shape functions are continuous. A closest point, by contrast, jumps inside convex edges and outside
/// concave ones. (1) is solved on the true, perhaps curved face by Newton's method.
///
/// Where the master surface ends, a face feels a little beyond its edge with a weight that falls from 1 to 0 within a twentieth of
/// its length: points that slide off lose their force gradually.
#include "contact_surface.hpp"
#include "rubato/base/scratch.hpp"

namespace rubato::fem::detail {

template <int d>
struct Hit {
  int face = -1;
  double gap = 0, weight = 0;
  std::array<double, d - 1> weight_by_xi = {};
  ShapeValues shape = {};
  FaceFrame<d> frame = {};
};

/// Face `face` met from x along n; false: not, or from behind (the normals must oppose each other).
template <int d>
[[nodiscard]] bool meet(const ContactSurface& surface, int face, In positions, const Vec<d>& x, const Vec<d>& n,
                        Hit<d>& hit) noexcept;

/// Faces by place: a hash table of cells as large as the largest face, made anew for each state in lent memory.
template <int d>
class FaceGrid {
 public:
  [[nodiscard]] static std::size_t scratch_bytes(int n_faces) noexcept;
  /// `margin`: how far from a face, beyond its box, points may be that find it. False: positions that are not finite.
  [[nodiscard]] bool make(const ContactSurface& surface, In positions, double margin, Scratch& scratch) noexcept;
  /// Calls visit(face) for the faces whose boxes hold x, some perhaps twice.
  template <class Visit>
  void near(const Vec<d>& x, Visit&& visit) const noexcept {
    const Cell cell = cell_of(x);
    const std::size_t b = bucket(cell);
    for (int i = starts_[b]; i < starts_[b + 1]; ++i) {
      const Box& box = boxes_[at(entries_[at(i)])];
      if ((x.array() >= box.low.array()).all() && (x.array() <= box.high.array()).all()) visit(entries_[at(i)]);
    }
  }

 private:
  struct Box {
    Vec<d> low, high;
  };
  using Cell = std::array<long, d>;
  [[nodiscard]] static std::size_t n_buckets(int n_faces) noexcept;
  [[nodiscard]] Cell cell_of(const Vec<d>& x) const noexcept;
  [[nodiscard]] std::size_t bucket(const Cell& cell) const noexcept;
  template <class Visit>
  void for_cells(const Box& box, Visit&& visit) const noexcept;

  std::span<Box> boxes_ = {};
  std::span<int> starts_ = {}, entries_ = {};
  Vec<d> low_ = Vec<d>::Zero();
  double cell_ = 1;
  std::size_t mask_ = 0;
};

extern template bool meet<2>(const ContactSurface&, int, In, const Vec<2>&, const Vec<2>&, Hit<2>&) noexcept;
extern template bool meet<3>(const ContactSurface&, int, In, const Vec<3>&, const Vec<3>&, Hit<3>&) noexcept;
extern template class FaceGrid<2>;
extern template class FaceGrid<3>;

}  // namespace rubato::fem::detail
