#include "contact_pair.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace rubato::fem::detail {
namespace {

double distance(const Mesh& mesh, int a, int b) {
  double square = 0;
  for (std::size_t i = 0; i < at(mesh.dimension); ++i) square += std::pow(mesh.point(a)[i] - mesh.point(b)[i], 2);
  return std::sqrt(square);
}

/// Undeformed faces as balls: what is farther apart need not be looked at node by node.
struct Ball {
  std::array<double, 3> centre = {};
  double radius = 0;
};
std::vector<Ball> balls_of(const Mesh& mesh, const ContactSurface& surface) {
  std::vector<Ball> out;
  for (const ContactFace& face : surface.faces) {
    Ball ball;
    const auto nodes = surface.nodes_of(face);
    for (const int node : nodes)
      for (std::size_t i = 0; i < at(mesh.dimension); ++i)
        ball.centre[i] += mesh.point(node)[i] / static_cast<double>(nodes.size());
    for (const int node : nodes) {
      double square = 0;
      for (std::size_t i = 0; i < at(mesh.dimension); ++i) square += std::pow(mesh.point(node)[i] - ball.centre[i], 2);
      ball.radius = std::max(ball.radius, std::sqrt(square));
    }
    out.push_back(ball);
  }
  return out;
}

}  // namespace

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

Result<ContactPair> ContactPair::make(const SolidModel& model, const Contact& contact) {
  const std::string who = fmt::format("contact \"{}\"", contact.name);
  ContactPair pair;
  pair.name_ = contact.name;
  pair.dimension_ = model.mesh.dimension;
  pair.self_ = contact.master.empty() || contact.master == contact.slave;
  auto slave = surface_of(model, contact.slave, who);
  if (!slave) return slave.error();
  pair.slave_ = *std::move(slave);
  if (!pair.self_) {
    auto master = surface_of(model, contact.master, who);
    if (!master) return master.error();
    pair.other_ = *std::move(master);
  }
  auto law = completed(contact.law, std::max(pair.slave_.softness, pair.master().softness), pair.slave_.lowest, who);
  if (!law) return law.error();
  pair.law_ = *law;
  const auto highest = [](const ContactSurface& s) {
    return std::ranges::max(s.faces, {}, &ContactFace::height).height;
  };
  pair.deepest_ = std::min(highest(pair.slave_), highest(pair.master()));
  if (model.mesh.dimension == 2) {
    pair.limit_depths<2>(model.mesh.points);
  } else {
    pair.limit_depths<3>(model.mesh.points);
  }
  if (!(contact.reach >= 0 && std::isfinite(contact.reach)))
    return Error{fmt::format("{}: reach = {}; it must be positive (0: automatic)", who, contact.reach)};
  if (auto ok = pair.find_candidates(model.mesh, contact.reach); !ok)
    return Error{fmt::format("{}: {}", who, ok.error().message)};
  return pair;
}

/// Half the way from the middle of a face to master faces behind it, undeformed; at most its height.
template <int d>
void ContactPair::limit_depths(In undeformed) {
  Hit<d> hit;
  for (const ContactFace& face : slave_.faces) {
    double& limit = depth_limits_.emplace_back(face.height);
    FaceFrame<d> middle;
    for (const int node : slave_.nodes_of(face)) middle.x += node_vector<d>(undeformed, node) / face.nodes;
    const auto points = slave_.points_of(face);
    const Vec<d> normal =
        area_vector<d>(frame_at<d>(points.front().shape, slave_.nodes_of(face), undeformed).tangents).normalized();
    for (std::size_t m = 0; m < master().faces.size(); ++m) {
      const ContactFace& other = master().faces[m];
      const Vec<d> to = node_vector<d>(undeformed, master().nodes_of(other)[0]) - middle.x;
      if (to.squaredNorm() > 16 * (face.height * face.height + other.height * other.height) ||
          (self_ && shares_node(face, other)))
        continue;
      if (meet<d>(master(), static_cast<int>(m), undeformed, middle.x, normal, hit) && hit.gap < -0.1 * face.height)
        limit = std::min(limit, -hit.gap / 2);
    }
  }
}

bool ContactPair::shares_node(const ContactFace& a, const ContactFace& b) const noexcept {
  const auto first = slave_.nodes_of(a), second = master().nodes_of(b);
  return std::find_first_of(first.begin(), first.end(), second.begin(), second.end()) != first.end();
}

Result<void> ContactPair::find_candidates(const Mesh& mesh, double reach) {
  const std::vector<Ball> slaves = balls_of(mesh, slave_), masters = balls_of(mesh, master());
  const auto between = [](const Ball& a, const Ball& b) {
    return std::hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1], a.centre[2] - b.centre[2]) - a.radius -
           b.radius;
  };
  const auto closest_nodes = [&](std::size_t s, std::size_t m) {
    double least = std::numeric_limits<double>::infinity();
    for (const int a : slave_.nodes_of(slave_.faces[s]))
      for (const int b : master().nodes_of(master().faces[m])) least = std::min(least, distance(mesh, a, b));
    return least;
  };
  if (reach == 0) {
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (const Ball& ball : slaves) largest = std::max(largest, 2 * ball.radius);
    for (const Ball& ball : masters) largest = std::max(largest, 2 * ball.radius);
    const auto normal = [&](const ContactSurface& surface, std::size_t face) -> Eigen::Vector3d {
      const ContactFace& f = surface.faces[face];
      const ShapeValues& shape = surface.points_of(f).front().shape;
      if (mesh.dimension == 3)
        return area_vector<3>(frame_at<3>(shape, surface.nodes_of(f), mesh.points).tangents).normalized();
      const Vec<2> a = area_vector<2>(frame_at<2>(shape, surface.nodes_of(f), mesh.points).tangents).normalized();
      return {a[0], a[1], 0};
    };
    for (std::size_t s = 0; s < slaves.size(); ++s)
      for (std::size_t m = 0; m < masters.size(); ++m) {
        if (between(slaves[s], masters[m]) >= least) continue;
        if (self_) {  // faces that look at each other
          if (shares_node(slave_.faces[s], slave_.faces[m])) continue;
          const Eigen::Vector3d n = normal(slave_, s);
          if (n.dot(normal(slave_, m)) > -0.2) continue;
          if ((Eigen::Map<const Eigen::Vector3d>(masters[m].centre.data()) -
               Eigen::Map<const Eigen::Vector3d>(slaves[s].centre.data()))
                  .dot(n) < 0)
            continue;
        }
        least = std::min(least, closest_nodes(s, m));
      }
    if (!std::isfinite(least)) return Error{"no faces of the undeformed surface look at each other; give its reach"};
    reach = least + 2 * largest;
  }
  reach_ = reach;
  for (std::size_t s = 0; s < slaves.size(); ++s) {
    for (std::size_t m = 0; m < masters.size(); ++m)
      if (between(slaves[s], masters[m]) <= reach && !(self_ && shares_node(slave_.faces[s], slave_.faces[m])) &&
          closest_nodes(s, m) <= reach)
        candidates_.push_back(static_cast<int>(m));
    candidate_starts_.push_back(static_cast<int>(candidates_.size()));
  }
  return {};
}

void ContactPair::couple(std::vector<std::vector<int>>& beside) const {
  for (std::size_t s = 0; s < slave_.faces.size(); ++s)
    for (int i = candidate_starts_[s]; i < candidate_starts_[s + 1]; ++i)
      for (const int a : slave_.nodes_of(slave_.faces[s]))
        for (const int b : master().nodes_of(master().faces[at(candidates_[at(i)])])) {
          beside[at(a)].push_back(b);
          beside[at(b)].push_back(a);
        }
}

std::size_t ContactPair::scratch_bytes() const noexcept {
  const int n = static_cast<int>(master().faces.size());
  return dimension_ == 2 ? FaceGrid<2>::scratch_bytes(n) : FaceGrid<3>::scratch_bytes(n);
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
      const double height = std::min(face.height, master().faces[at(touch.hit.face)].height);
      if (-touch.hit.gap > std::min(0.25 * height, 0.5 * depth_limits_[s])) status = EvalStatus::out_of_domain;
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

}  // namespace rubato::fem::detail
