#include "contact_search.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace rubato::fem::detail {
namespace {

constexpr double beyond = 0.05;    // part of a face's length over which its weight falls outside
constexpr double opposing = -0.2;  // largest product of the normals of faces that touch

/// 1 at e ≤ 0, 0 at e ≥ 1, with continuous slopes: value and derivative.
std::array<double, 2> falling(double e) noexcept {
  if (e <= 0) return {1, 0};
  if (e >= 1) return {0, 0};
  return {1 - e * e * (3 - 2 * e), -6 * e * (1 - e)};
}

/// The weight at ξ: a product over the edges of the face.
template <int d>
void weigh(Shape shape, const std::array<double, 3>& xi, Hit<d>& hit) noexcept {
  hit.weight = 1;
  hit.weight_by_xi.fill(0);
  const auto edge = [&hit](double distance, const std::array<double, d - 1>& gradient) {  // distance > 0: outside
    const auto [value, slope] = falling(distance);
    for (std::size_t k = 0; k < gradient.size(); ++k)
      hit.weight_by_xi[k] = hit.weight_by_xi[k] * value + hit.weight * slope * gradient[k];
    hit.weight *= value;
  };
  if (shape == Shape::tri3 || shape == Shape::tri6) {
    if constexpr (d == 3) {
      edge(-xi[0] / beyond, {-1 / beyond, 0});
      edge(-xi[1] / beyond, {0, -1 / beyond});
      edge((xi[0] + xi[1] - 1) / beyond, {1 / beyond, 1 / beyond});
    }
    return;
  }
  constexpr double width = 2 * beyond;  // of [−1, 1]
  for (int k = 0; k < d - 1; ++k)
    for (const double side : {-1.0, 1.0}) {
      std::array<double, d - 1> gradient{};
      gradient[at(k)] = side / width;
      edge((side * xi[at(k)] - 1) / width, gradient);
    }
}

}  // namespace

template <int d>
bool meet(const ContactSurface& surface, int face, In positions, const Vec<d>& x, const Vec<d>& n,
          Hit<d>& hit) noexcept {
  const ContactFace& f = surface.faces[at(face)];
  const auto nodes = surface.nodes_of(f);
  constexpr int most_iterations = 12;
  constexpr double close = 1e-12, far = 4;  // reference coordinates
  const bool triangle = f.shape == Shape::tri3 || f.shape == Shape::tri6;
  std::array<double, 3> xi{};
  if (triangle) xi = {1.0 / 3, 1.0 / 3, 0};
  for (int i = 0; i < most_iterations; ++i) {
    hit.shape = evaluate(f.shape, xi);
    hit.frame = frame_at<d>(hit.shape, nodes, positions);
    Mat<d> matrix;
    matrix.template leftCols<d - 1>() = hit.frame.tangents;
    matrix.col(d - 1) = -n;
    const double det = matrix.determinant();
    if (!(std::abs(det) > 1e-12 * hit.frame.tangents.colwise().norm().prod())) return false;
    const Vec<d> step = matrix.inverse() * (x - hit.frame.x);  // δξ, g
    hit.gap = step[d - 1];
    double size = 0;
    for (int k = 0; k < d - 1; ++k) {
      xi[at(k)] += step[k];
      size = std::max(size, std::abs(step[k]));
    }
    if (!(size < far)) return false;
    if (size > close) continue;
    const Vec<d> area = area_vector<d>(hit.frame.tangents);
    if (!(area.dot(n) < opposing * area.norm())) return false;
    weigh<d>(f.shape, xi, hit);
    hit.face = face;
    return hit.weight > 0;
  }
  return false;
}

template <int d>
std::size_t FaceGrid<d>::n_buckets(int n_faces) noexcept {
  std::size_t n = 16;
  while (n < 2 * at(n_faces)) n *= 2;
  return n;
}

template <int d>
std::size_t FaceGrid<d>::scratch_bytes(int n_faces) noexcept {
  return Scratch::bytes_for<Box>(at(n_faces)) + Scratch::bytes_for<int>(n_buckets(n_faces) + 1) +
         Scratch::bytes_for<int>(at(n_faces) << d);
}

template <int d>
typename FaceGrid<d>::Cell FaceGrid<d>::cell_of(const Vec<d>& x) const noexcept {
  constexpr double most = 1e9;
  Cell cell;
  for (int k = 0; k < d; ++k)
    cell[at(k)] = static_cast<long>(std::clamp(std::floor((x[k] - low_[k]) / cell_), -most, most));
  return cell;
}

template <int d>
std::size_t FaceGrid<d>::bucket(const Cell& cell) const noexcept {
  constexpr std::array<std::size_t, 3> primes = {73856093, 19349663, 83492791};
  std::size_t hash = 0;
  for (std::size_t k = 0; k < d; ++k) hash ^= static_cast<std::size_t>(cell[k]) * primes[k];
  return hash & mask_;
}

/// The cells that a box overlaps: at most two along each axis.
template <int d>
template <class Visit>
void FaceGrid<d>::for_cells(const Box& box, Visit&& visit) const noexcept {
  const Cell first = cell_of(box.low), last = cell_of(box.high);
  for (unsigned corner = 0; corner < 1u << d; ++corner) {
    Cell cell = first;
    bool own = true;
    for (std::size_t k = 0; k < d; ++k)
      if ((corner >> k & 1u) != 0) {
        own = own && last[k] > first[k];
        cell[k] = last[k];
      }
    if (own) visit(bucket(cell));
  }
}

template <int d>
bool FaceGrid<d>::make(const ContactSurface& surface, In positions, double margin, Scratch& scratch) noexcept {
  const std::size_t n = surface.faces.size();
  boxes_ = {scratch.reserve<Box>(n), n};
  mask_ = n_buckets(static_cast<int>(n)) - 1;
  starts_ = scratch.take<int>(mask_ + 2);
  int* const memory = scratch.reserve<int>(n << d);
  double largest = 0;
  low_.setConstant(std::numeric_limits<double>::infinity());
  for (std::size_t f = 0; f < n; ++f) {
    Box& box = boxes_[f];
    const auto nodes = surface.nodes_of(surface.faces[f]);
    box.low = box.high = node_vector<d>(positions, nodes[0]);
    for (const int node : nodes) {
      const Vec<d> x = node_vector<d>(positions, node);
      box.low = box.low.cwiseMin(x);
      box.high = box.high.cwiseMax(x);
    }
    // Curved faces bulge out of the box of their nodes by less than a quarter of it.
    const double more = margin + 0.25 * (box.high - box.low).maxCoeff();
    box.low.array() -= more;
    box.high.array() += more;
    if (!box.low.allFinite() || !box.high.allFinite()) return false;
    largest = std::max(largest, (box.high - box.low).maxCoeff());
    low_ = low_.cwiseMin(box.low);
  }
  cell_ = largest > 0 ? largest * (1 + 1e-12) : 1;
  for (const Box& box : boxes_) for_cells(box, [&](std::size_t b) { ++starts_[b + 1]; });
  for (std::size_t b = 0; b <= mask_; ++b) starts_[b + 1] += starts_[b];
  entries_ = {memory, at(starts_[mask_ + 1])};
  for (std::size_t f = n; f-- > 0;)  // from the back, so that counts become starts and faces ascend
    for_cells(boxes_[f], [&](std::size_t b) { entries_[at(--starts_[b + 1])] = static_cast<int>(f); });
  for (std::size_t b = 0; b <= mask_; ++b) starts_[b] = starts_[b + 1];
  starts_[mask_ + 1] = static_cast<int>(entries_.size());
  return true;
}

template bool meet<2>(const ContactSurface&, int, In, const Vec<2>&, const Vec<2>&, Hit<2>&) noexcept;
template bool meet<3>(const ContactSurface&, int, In, const Vec<3>&, const Vec<3>&, Hit<3>&) noexcept;
template class FaceGrid<2>;
template class FaceGrid<3>;

}  // namespace rubato::fem::detail
