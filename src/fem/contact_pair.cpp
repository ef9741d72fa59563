#include "contact_pair.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace rubato::fem::detail {
/// A slave point in contact.
template <int d>
struct ContactPair::Touch {
  int face = 0;
  const FacePoint* point = nullptr;
  double area = 0;  ///< W; half of it where both sides are slaves
  FaceFrame<d> frame = {};
  Vec<d> area_vector = {}, normal = {};
  Hit<d> hit = {};
  Pressure pressure = {};
  Slip<d> slip = {};     ///< with friction only
  Vec<d> traction = {};  ///< T
};

bool ContactPair::shares_node(const ContactFace& a, const ContactFace& b) const noexcept {
  const auto first = slave_.nodes_of(a), second = master().nodes_of(b);
  return std::find_first_of(first.begin(), first.end(), second.begin(), second.end()) != first.end();
}

std::size_t ContactPair::scratch_bytes() const noexcept {
  const int n = static_cast<int>(master().faces.size());
  return std::max(tree_.scratch_bytes(),
                  dimension_ == 2 ? FaceGrid<2>::scratch_bytes(n) : FaceGrid<3>::scratch_bytes(n));
}

/// Calls visit for every slave point with a pressure, face by face.
template <int d, class Visit>
EvalStatus ContactPair::for_touching(const ContactState& state, Scratch scratch, Visit&& visit) const noexcept {
  FaceGrid<d> grid;
  if (!grid.make(master(), state.x, deepest_, scratch)) return EvalStatus::out_of_domain;
  EvalStatus status = EvalStatus::ok;
  Touch<d> touch;
  Hit<d> hit;
  for (std::size_t s = 0; s < slave_.faces.size(); ++s) {
    const ContactFace& face = slave_.faces[s];
    const auto points = slave_.points_of(face);
    touch.face = static_cast<int>(s);
    for (std::size_t i = 0; i < points.size(); ++i) {
      touch.frame = frame_at<d>(points[i].shape, slave_.nodes_of(face), state.x);
      touch.area_vector = area_vector<d>(touch.frame.tangents);
      touch.normal = touch.area_vector.normalized();
      touch.hit.face = -1;
      touch.hit.weight = 0;
      grid.near(touch.frame.x, [&](int m) {
        const ContactFace& other = master().faces[at(m)];
        if (self_ && shares_node(face, other)) return;
        if (!meet<d>(master(), m, state.x, touch.frame.x, touch.normal, hit)) return;
        if (std::abs(hit.gap) > std::min(depth_limits_[s], other.height)) return;
        const bool better = hit.weight > touch.hit.weight ||
                            (hit.weight == touch.hit.weight && std::abs(hit.gap) < std::abs(touch.hit.gap));
        if (better) touch.hit = hit;
      });
      if (touch.hit.face < 0 || touch.hit.gap >= 0) continue;
      if (state.refuse_deep && -touch.hit.gap > allowed_depth(s, touch.hit.face)) status = EvalStatus::out_of_domain;
      touch.point = &points[i];
      touch.area = (self_ ? 0.5 : 1.0) * slave_.weights[at(slave_.weight_starts[s]) + i];
      touch.pressure = pressure(law_, -touch.hit.gap);
      touch.traction = touch.normal;
      if (law_.friction > 0) {
        Vec<d> v = frame_at<d>(points[i].shape, slave_.nodes_of(face), state.v).x;
        v -= frame_at<d>(touch.hit.shape, master().nodes_of(master().faces[at(touch.hit.face)]), state.v).x;
        touch.slip = slip<d>(v, touch.normal, law_.slip_speed);
        touch.traction += law_.friction * touch.slip.psi;
      }
      touch.traction *= -touch.area * touch.hit.weight * touch.pressure.p;  // (1)
      visit(touch);
    }
  }
  return status;
}

template <int d>
void ContactPair::add_force(const Touch<d>& touch, Out force) const noexcept {
  const auto add = [&](std::span<const int> nodes, const ShapeValues& shape, double sign) {
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (int i = 0; i < d; ++i) force[at(nodes[a] * d + i)] -= sign * shape.n[a] * touch.traction[i];
  };
  add(slave_.nodes_of(slave_.faces[at(touch.face)]), touch.point->shape, 1);
  add(master().nodes_of(master().faces[at(touch.hit.face)]), touch.hit.shape, -1);
}

/// With e = δx + g δn − Σ_b N_b δq_b, (1) of contact_search.hpp gives  y_ξ δξ − n δg = e:  δξ = B e, δg = b·e                (2)
/// and  δT = E_e e + E_n δn,  E_e = −W ((n + μψ)(p w_ξᵀB − w p' bᵀ) − w p μ ψ_v V_ξ B),   V_ξ = ∂v_y/∂ξ                     (3)
///      E_n = −W w p (I + μ ψ_n),   δn = (I − n nᵀ)/|A| δA                                                                   (4)
template <int d>
void ContactPair::add_tangents(const ContactState& state, const Touch<d>& touch, const NodePlaces& places, Out k,
                               Out damping) const noexcept {
  using Rows = Eigen::Matrix<double, d - 1, d>;
  const auto slaves = slave_.nodes_of(slave_.faces[at(touch.face)]);
  const auto masters = master().nodes_of(master().faces[at(touch.hit.face)]);
  const ShapeValues &own = touch.point->shape, &met = touch.hit.shape;
  const double mu = law_.friction, w = touch.hit.weight, p = touch.pressure.p;
  const Vec<d>& n = touch.normal;
  Mat<d> matrix;
  matrix.template leftCols<d - 1>() = touch.hit.frame.tangents;
  matrix.col(d - 1) = -n;
  const Mat<d> inverse = matrix.inverse();
  const Rows xi_by_e = inverse.template topRows<d - 1>();  // B
  const Vec<d> gap_by_e = inverse.row(d - 1).transpose();  // b
  const Eigen::Map<const Eigen::Matrix<double, d - 1, 1>> weight_by_xi(touch.hit.weight_by_xi.data());
  Vec<d> direction = n;
  Mat<d> by_n = Mat<d>::Identity(), by_v = Mat<d>::Zero();
  if (mu > 0) {
    direction += mu * touch.slip.psi;
    by_n += mu * touch.slip.by_normal;
    by_v = mu * touch.slip.by_v;
  }
  Mat<d> by_e = direction * (p * weight_by_xi.transpose() * xi_by_e - w * touch.pressure.slope * gap_by_e.transpose());
  if (mu > 0) by_e -= w * p * by_v * frame_at<d>(met, masters, state.v).tangents * xi_by_e;
  by_e *= -touch.area;  // (3)
  by_n *= -touch.area * w * p;
  by_v *= -touch.area * w * p;
  const Mat<d> normal_by_area = (Mat<d>::Identity() - n * n.transpose()) / touch.area_vector.norm();

  const auto column = [&](int node, const Mat<d>& traction, const Rows& xi) {
    for (std::size_t a = 0; a < slaves.size(); ++a) places.subtract<d>(slaves[a], node, Mat<d>(own.n[a] * traction), k);
    for (std::size_t b = 0; b < masters.size(); ++b) {
      Eigen::Matrix<double, 1, d> shape_change = Eigen::Matrix<double, 1, d>::Zero();
      for (int j = 0; j < d - 1; ++j) shape_change += met.dn[b][at(j)] * xi.row(j);
      places.subtract<d>(masters[b], node, Mat<d>(-met.n[b] * traction - touch.traction * shape_change), k);
    }
  };
  for (std::size_t c = 0; c < slaves.size(); ++c) {
    const Mat<d> normal = normal_by_area * area_by_node<d>(touch.frame.tangents, own.dn[c]);
    const Mat<d> e = own.n[c] * Mat<d>::Identity() + touch.hit.gap * normal;
    column(slaves[c], by_e * e + by_n * normal, xi_by_e * e);
  }
  for (std::size_t c = 0; c < masters.size(); ++c) column(masters[c], -met.n[c] * by_e, -met.n[c] * xi_by_e);

  if (!(mu > 0) || damping.empty()) return;
  const auto velocity_column = [&](int node, double share) {
    for (std::size_t a = 0; a < slaves.size(); ++a)
      places.subtract<d>(slaves[a], node, Mat<d>(share * own.n[a] * by_v), damping);
    for (std::size_t b = 0; b < masters.size(); ++b)
      places.subtract<d>(masters[b], node, Mat<d>(-share * met.n[b] * by_v), damping);
  };
  for (std::size_t c = 0; c < slaves.size(); ++c) velocity_column(slaves[c], own.n[c]);
  for (std::size_t c = 0; c < masters.size(); ++c) velocity_column(masters[c], -met.n[c]);
}

EvalStatus ContactPair::subtract_force(const ContactState& state, Scratch scratch, Out force) const noexcept {
  const auto run = [&]<int d>() {
    return for_touching<d>(state, scratch, [&](const Touch<d>& touch) { add_force<d>(touch, force); });
  };
  return dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

EvalStatus ContactPair::subtract_tangents(const ContactState& state, const NodePlaces& places, Scratch scratch, Out k,
                                          Out d_values) const noexcept {
  const auto run = [&]<int d>() {
    return for_touching<d>(state, scratch,
                           [&](const Touch<d>& touch) { add_tangents<d>(state, touch, places, k, d_values); });
  };
  return dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

EvalStatus ContactPair::energy(const ContactState& state, Scratch scratch, double& sum) const noexcept {
  const auto run = [&]<int d>() {
    return for_touching<d>(
        state, scratch, [&](const Touch<d>& touch) { sum += touch.area * touch.hit.weight * touch.pressure.energy; });
  };
  return dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

EvalStatus ContactPair::summarise(const ContactState& state, Scratch scratch, ContactSummary& out) const noexcept {
  const auto run = [&]<int d>() {
    const EvalStatus status = for_touching<d>(state, scratch, [&](const Touch<d>& touch) {
      for (int i = 0; i < d && !self_; ++i) out.force[at(i)] += touch.traction[i];  // a surface pushes itself nowhere
      out.pressure = std::max(out.pressure, touch.pressure.p);
      out.energy += touch.area * touch.hit.weight * touch.pressure.energy;
      const auto first = candidates_.begin() + candidate_starts_[at(touch.face)];
      const auto last = candidates_.begin() + candidate_starts_[at(touch.face) + 1];
      if (!std::binary_search(first, last, touch.hit.face)) ++out.beyond;
      out.gap = std::min(out.gap, touch.hit.gap);
    });
    if (out.gap >= 0) out.gap = smallest_gap<d>(state);
    return status;
  };
  return dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

/// Of points that touch nothing; at most the reach.
template <int d>
double ContactPair::smallest_gap(const ContactState& state) const noexcept {
  double least = reach_;
  Hit<d> hit;
  for (std::size_t s = 0; s < slave_.faces.size(); ++s) {
    const ContactFace& face = slave_.faces[s];
    for (const FacePoint& point : slave_.points_of(face)) {
      const FaceFrame<d> frame = frame_at<d>(point.shape, slave_.nodes_of(face), state.x);
      const Vec<d> normal = area_vector<d>(frame.tangents).normalized();
      for (int i = candidate_starts_[s]; i < candidate_starts_[s + 1]; ++i)
        if (meet<d>(master(), candidates_[at(i)], state.x, frame.x, normal, hit) && hit.gap >= 0)
          least = std::min(least, hit.gap);
    }
  }
  return least;
}

void ContactPair::signed_gaps(const ContactState& state, Scratch scratch, Out gaps) const noexcept {
  const auto run = [&]<int d>() {
    const std::span<FaceBox> boxes(scratch.reserve<FaceBox>(tree_.size()), tree_.size());
    tree_.fill_boxes(master(), state.x, boxes);
    std::fill(gaps.begin(), gaps.end(), farthest_);
    Hit<d> hit;
    for (const Watched& watched : watched_) {
      const ContactFace& face = slave_.faces[at(watched.face)];
      const FaceFrame<d> middle = frame_at<d>(middle_of(face.shape), slave_.nodes_of(face), state.x);
      const Vec<d> normal = area_vector<d>(middle.tangents).normalized();
      if (!(normal.dot(Eigen::Map<const Vec<d>>(watched.normal.data())) > 0.5)) continue;
      double nearest = std::numeric_limits<double>::infinity();
      tree_.along(middle.x.data(), normal.data(), boxes, [&](int m) {
        if (master().faces[at(m)].body != face.body && meet<d>(master(), m, state.x, middle.x, normal, hit) &&
            std::abs(hit.gap) < std::abs(nearest))
          nearest = hit.gap;
      });
      gaps[at(watched.body)] = std::min(gaps[at(watched.body)], nearest);
    }
  };
  dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

}  // namespace rubato::fem::detail
