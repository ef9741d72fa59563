#include "contact_obstacle.hpp"

#include <fmt/format.h>

#include <cmath>

#include "solid_parts.hpp"

namespace rubato::fem::detail {
namespace {

template <int d>
struct Distance {
  double gap = 0;
  Vec<d> normal = Vec<d>::Zero();     ///< ∇g
  Mat<d> curvature = Mat<d>::Zero();  ///< ∇∇g
};

/// `r` is measured from the obstacle's point.
template <int d>
Distance<d> distance_of(const Obstacle& obstacle, const Vec<d>& r) noexcept {
  Distance<d> out;
  const Vec<d> axis = Eigen::Map<const Vec<d>>(obstacle.axis.data());
  if (obstacle.shape == ObstacleShape::plane) {
    out.normal = axis;
    out.gap = axis.dot(r);
    return out;
  }
  Mat<d> across = Mat<d>::Identity();
  if (d == 3 && obstacle.shape == ObstacleShape::cylinder) across -= axis * axis.transpose();
  const Vec<d> away = across * r;
  const double length = away.norm(), sign = obstacle.hollow ? -1 : 1;
  out.gap = sign * (length - obstacle.radius);
  if (!(length > 0)) return out;
  out.normal = sign * away / length;
  out.curvature = sign * (across - away * away.transpose() / (length * length)) / length;
  return out;
}

}  // namespace

template <int d>
struct ContactObstacle::Touch {
  const ContactFace* face = nullptr;
  const FacePoint* point = nullptr;
  double area = 0;
  Distance<d> distance = {};
  Pressure pressure = {};
  Slip<d> slip = {};
  Vec<d> traction = Vec<d>::Zero();
};

Result<ContactObstacle> ContactObstacle::make(const SolidModel& model, const Obstacle& obstacle) {
  const std::string who = fmt::format("obstacle \"{}\"", obstacle.name);
  ContactObstacle out;
  out.dimension_ = model.mesh.dimension;
  out.obstacle_ = obstacle;
  auto& axis = out.obstacle_.axis;
  const bool plane = obstacle.shape == ObstacleShape::plane;
  const double length = out.dimension_ == 2 ? std::hypot(axis[0], axis[1]) : std::hypot(axis[0], axis[1], axis[2]);
  const bool needs_axis = plane || (out.dimension_ == 3 && obstacle.shape == ObstacleShape::cylinder);
  if (needs_axis && !(length > 0 && std::isfinite(length)))
    return Error{
        fmt::format("{}: {} [{}, {}, {}] has no direction", who, plane ? "normal" : "axis", axis[0], axis[1], axis[2])};
  if (needs_axis)
    for (double& a : axis) a /= length;
  if (!plane && !(obstacle.radius > 0 && std::isfinite(obstacle.radius)))
    return Error{fmt::format("{}: radius = {}; it must be positive", who, obstacle.radius)};
  auto slave = surface_of(model, obstacle.slave, who);
  if (!slave) return slave.error();
  out.slave_ = *std::move(slave);
  auto law = completed(obstacle.law, out.slave_.softness, out.slave_.lowest, who);
  if (!law) return law.error();
  out.obstacle_.law = *law;
  for (int i = 0; i < 3; ++i) {
    const Function& displacement = obstacle.displacement[at(i)];
    const bool moves = displacement.expression() == nullptr || !displacement.expression()->is_constant();
    if (!is_zero(displacement) && i >= out.dimension_)
      return Error{fmt::format("{}: a plane model has no third axis", who)};
    out.moves_ = out.moves_ || moves;
  }
  return out;
}

void ContactObstacle::couple(std::vector<std::vector<int>>& beside) const { couple_faces(slave_, beside); }

/// Calls visit for the points with a pressure; `open`: for all.
template <int d, class Visit>
EvalStatus ContactObstacle::for_points(const ContactState& state, bool open, Visit&& visit) const noexcept {
  const ContactLaw& law = obstacle_.law;
  Vec<d> origin, velocity;
  for (int i = 0; i < d; ++i) {
    const auto moved = derivatives(obstacle_.displacement[at(i)], state.t);
    origin[i] = obstacle_.point[at(i)] + moved[0];
    velocity[i] = moved[1];
  }
  Touch<d> touch;
  for (std::size_t s = 0; s < slave_.faces.size(); ++s) {
    touch.face = &slave_.faces[s];
    const auto nodes = slave_.nodes_of(*touch.face);
    const auto points = slave_.points_of(*touch.face);
    for (std::size_t i = 0; i < points.size(); ++i) {
      touch.point = &points[i];
      touch.area = slave_.weights[at(slave_.weight_starts[s]) + i];
      Vec<d> r = -origin, v = -velocity;
      for (std::size_t a = 0; a < nodes.size(); ++a) r += points[i].shape.n[a] * node_vector<d>(state.x, nodes[a]);
      touch.distance = distance_of<d>(obstacle_, r);
      touch.pressure = pressure(law, -touch.distance.gap);
      if (!open && !(touch.pressure.p > 0)) continue;
      touch.traction = touch.distance.normal;
      if (law.friction > 0) {
        for (std::size_t a = 0; a < nodes.size(); ++a) v += points[i].shape.n[a] * node_vector<d>(state.v, nodes[a]);
        touch.slip = slip<d>(v, touch.distance.normal, law.slip_speed);
        touch.traction -= law.friction * touch.slip.psi;
      }
      touch.traction *= touch.area * touch.pressure.p;  // (1)
      visit(touch);
    }
  }
  return EvalStatus::ok;
}

/// δT = W (−p' (m − μψ) mᵀ + p (I − μ ψ_n) H) δx − W p μ ψ_v δv,   H = ∇∇g
template <int d>
void ContactObstacle::add_tangents(const Touch<d>& touch, const NodePlaces& places, Out k, Out damping) const noexcept {
  const double mu = obstacle_.law.friction;
  const Vec<d>& m = touch.distance.normal;
  Vec<d> direction = m;
  Mat<d> by_n = Mat<d>::Identity(), by_v = Mat<d>::Zero();
  if (mu > 0) {
    direction -= mu * touch.slip.psi;
    by_n -= mu * touch.slip.by_normal;
    by_v = -mu * touch.slip.by_v;
  }
  const Mat<d> by_x = touch.area * (touch.pressure.p * by_n * touch.distance.curvature -
                                    touch.pressure.slope * direction * m.transpose());
  by_v *= touch.area * touch.pressure.p;
  const auto nodes = slave_.nodes_of(*touch.face);
  const auto& shape = touch.point->shape.n;
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      places.subtract<d>(nodes[a], nodes[b], Mat<d>(shape[a] * shape[b] * by_x), k);
      if (mu > 0 && !damping.empty())
        places.subtract<d>(nodes[a], nodes[b], Mat<d>(shape[a] * shape[b] * by_v), damping);
    }
}

EvalStatus ContactObstacle::subtract_force(const ContactState& state, Scratch, Out force) const noexcept {
  const auto run = [&]<int d>() {
    return for_points<d>(state, false, [&](const Touch<d>& touch) {
      const auto nodes = slave_.nodes_of(*touch.face);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (int i = 0; i < d; ++i) force[at(nodes[a] * d + i)] -= touch.point->shape.n[a] * touch.traction[i];
    });
  };
  return dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

EvalStatus ContactObstacle::subtract_tangents(const ContactState& state, const NodePlaces& places, Scratch, Out k,
                                              Out d_values) const noexcept {
  const auto run = [&]<int d>() {
    return for_points<d>(state, false, [&](const Touch<d>& touch) { add_tangents<d>(touch, places, k, d_values); });
  };
  return dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

EvalStatus ContactObstacle::energy(const ContactState& state, Scratch, double& sum) const noexcept {
  const auto run = [&]<int d>() {
    return for_points<d>(state, false, [&](const Touch<d>& touch) { sum += touch.area * touch.pressure.energy; });
  };
  return dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

EvalStatus ContactObstacle::summarise(const ContactState& state, Scratch, ContactSummary& out) const noexcept {
  const auto run = [&]<int d>() {
    out.gap = std::numeric_limits<double>::infinity();
    return for_points<d>(state, true, [&](const Touch<d>& touch) {
      for (int i = 0; i < d; ++i) out.force[at(i)] += touch.traction[i];
      out.pressure = std::max(out.pressure, touch.pressure.p);
      out.energy += touch.area * touch.pressure.energy;
      out.gap = std::min(out.gap, touch.distance.gap);
    });
  };
  return dimension_ == 2 ? run.template operator()<2>() : run.template operator()<3>();
}

}  // namespace rubato::fem::detail
