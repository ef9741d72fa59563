// Contact between surfaces, what is found out once: who may touch whom, how deep, and whether they overlap too much already.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact_pair.hpp"

namespace rubato::fem::detail {
namespace {

double distance(const Mesh& mesh, int a, int b) {
  double square = 0;
  for (std::size_t i = 0; i < at(mesh.dimension); ++i) square += std::pow(mesh.point(a)[i] - mesh.point(b)[i], 2);
  return std::sqrt(square);
}

/// Of the ball around the middle of a face's nodes.
double radius_of(const Mesh& mesh, const ContactSurface& surface, const ContactFace& face) {
  std::array<double, 3> centre = {};
  const auto nodes = surface.nodes_of(face);
  for (const int node : nodes)
    for (std::size_t i = 0; i < at(mesh.dimension); ++i)
      centre[i] += mesh.point(node)[i] / static_cast<double>(nodes.size());
  double largest = 0;
  for (const int node : nodes) {
    double square = 0;
    for (std::size_t i = 0; i < at(mesh.dimension); ++i) square += std::pow(mesh.point(node)[i] - centre[i], 2);
    largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

/// Middle and unit normal of an undeformed face, in space.
std::array<Eigen::Vector3d, 2> middle_and_normal(const Mesh& mesh, const ContactSurface& surface,
                                                 const ContactFace& face) {
  std::array<Eigen::Vector3d, 2> out = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  const auto fill = [&]<int d>() {
    const auto frame = frame_at<d>(middle_of(face.shape), surface.nodes_of(face), mesh.points);
    out[0].head<d>() = frame.x;
    out[1].head<d>() = area_vector<d>(frame.tangents).normalized();
  };
  mesh.dimension == 2 ? fill.template operator()<2>() : fill.template operator()<3>();
  return out;
}

}  // namespace

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
  pair.tree_ = FaceTree(pair.master(), pair.dimension_, model.mesh.points);
  pair.boxes_.resize(pair.tree_.size());
  pair.tree_.fill_boxes(pair.master(), model.mesh.points, pair.boxes_);
  const auto prepare = [&]<int d>() {
    pair.limit_depths<d>(model.mesh.points);
    pair.watch<d>(model.mesh.points);
    return pair.check_overlap<d>(model.mesh);
  };
  if (auto ok = pair.dimension_ == 2 ? prepare.template operator()<2>() : prepare.template operator()<3>(); !ok)
    return Error{fmt::format("{}: {}", who, ok.error().message)};
  if (!(contact.reach >= 0 && std::isfinite(contact.reach)))
    return Error{fmt::format("{}: reach = {}; it must be positive (0: automatic)", who, contact.reach)};
  if (auto ok = pair.find_candidates(model.mesh, contact.reach); !ok)
    return Error{fmt::format("{}: {}", who, ok.error().message)};
  return pair;
}

/// Half the way from the middle of a face to master faces of the same body behind it, undeformed; at most its height.
template <int d>
void ContactPair::limit_depths(In undeformed) {
  Hit<d> hit;
  for (const ContactFace& face : slave_.faces) {
    double& limit = depth_limits_.emplace_back(face.height);
    const auto middle = frame_at<d>(middle_of(face.shape), slave_.nodes_of(face), undeformed);
    const Vec<d> normal = area_vector<d>(middle.tangents).normalized();
    tree_.along(middle.x.data(), normal.data(), boxes_, [&](int m) {
      const ContactFace& other = master().faces[at(m)];
      if (other.body != face.body || (self_ && shares_node(face, other))) return;
      if (meet<d>(master(), m, undeformed, middle.x, normal, hit) && hit.gap < -0.1 * face.height)
        limit = std::min(limit, -hit.gap / 2);
    });
  }
}

/// Faces without those of other bodies behind them, deeper than contacts may be.
template <int d>
void ContactPair::watch(In undeformed) {
  Hit<d> hit;
  std::vector<int> bodies;
  for (std::size_t i = 0; i < d; ++i) farthest_ += boxes_[0].high[i] - boxes_[0].low[i];
  for (std::size_t s = 0; s < slave_.faces.size(); ++s) {
    const ContactFace& face = slave_.faces[s];
    if (std::ranges::all_of(master().faces, [&](const ContactFace& m) { return m.body == face.body; })) continue;
    const auto middle = frame_at<d>(middle_of(face.shape), slave_.nodes_of(face), undeformed);
    const Vec<d> normal = area_vector<d>(middle.tangents).normalized();
    bool behind = false;
    tree_.along(middle.x.data(), normal.data(), boxes_, [&](int m) {
      behind = behind || (master().faces[at(m)].body != face.body &&
                          meet<d>(master(), m, undeformed, middle.x, normal, hit) && -hit.gap > allowed_depth(s, m));
    });
    if (behind) continue;
    auto number = std::ranges::find(bodies, face.body);
    if (number == bodies.end()) number = bodies.insert(bodies.end(), face.body);
    Watched& watched =
        watched_.emplace_back(Watched{.face = static_cast<int>(s), .body = static_cast<int>(number - bodies.begin())});
    std::copy(normal.begin(), normal.end(), watched.normal.begin());
  }
  n_watched_ = static_cast<int>(bodies.size());
}

/// A point is inside another body if, looking back along its normal, it leaves this body before it enters it.
template <int d>
Result<void> ContactPair::check_overlap(const Mesh& mesh) const {
  const In undeformed = mesh.points;
  std::optional<ContactSurface> boundary;  // of all bodies, once somebody asks
  FaceTree tree;
  std::vector<FaceBox> boxes;
  Hit<d> hit;
  const auto enters = [&](const Vec<d>& x, const Vec<d>& back, int body, double before) {
    if (!boundary) {
      boundary = boundary_of(mesh);
      tree = FaceTree(*boundary, d, undeformed);
      boxes.resize(tree.size());
      tree.fill_boxes(*boundary, undeformed, boxes);
    }
    bool found = false;
    tree.along(x.data(), back.data(), boxes, [&](int m) {
      found = found || (boundary->faces[at(m)].body == body && meet<d>(*boundary, m, undeformed, x, back, hit) &&
                        hit.gap > 0 && hit.gap < before);
    });
    return found;
  };
  for (std::size_t s = 0; s < slave_.faces.size(); ++s) {
    const ContactFace& face = slave_.faces[s];
    for (const FacePoint& point : slave_.points_of(face)) {
      const auto frame = frame_at<d>(point.shape, slave_.nodes_of(face), undeformed);
      const Vec<d> normal = area_vector<d>(frame.tangents).normalized();
      double depth = std::numeric_limits<double>::infinity();
      int nearest = -1;
      tree_.along(frame.x.data(), normal.data(), boxes_, [&](int m) {
        if (master().faces[at(m)].body == face.body || !meet<d>(master(), m, undeformed, frame.x, normal, hit)) return;
        if (hit.gap < 0 && -hit.gap < depth) {
          depth = -hit.gap;
          nearest = m;
        }
      });
      if (nearest < 0 || depth <= allowed_depth(s, nearest)) continue;
      const ContactFace& met = master().faces[at(nearest)];
      if (enters(frame.x, -normal, met.body, depth)) continue;
      return Error{fmt::format(
          "undeformed, the surfaces overlap by {:.4g} m; at most {:.4g} m, a quarter of the lower element, is possible",
          depth, allowed_depth(s, nearest))};
    }
  }
  return {};
}

Result<void> ContactPair::find_candidates(const Mesh& mesh, double reach) {
  const auto closest_nodes = [&](std::size_t s, int m) {
    double least = std::numeric_limits<double>::infinity();
    for (const int a : slave_.nodes_of(slave_.faces[s]))
      for (const int b : master().nodes_of(master().faces[at(m)])) least = std::min(least, distance(mesh, a, b));
    return least;
  };
  const auto around = [&](std::size_t s) { return box_of(slave_, slave_.faces[s], mesh.dimension, mesh.points); };
  if (reach == 0) {
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (const ContactSurface* surface : std::array<const ContactSurface*, 2>{&slave_, &master()})
      for (const ContactFace& face : surface->faces) largest = std::max(largest, 2 * radius_of(mesh, *surface, face));
    for (std::size_t s = 0; s < slave_.faces.size(); ++s) {
      const auto own = middle_and_normal(mesh, slave_, slave_.faces[s]);
      const auto look = [&](int m) {
        const ContactFace& other = master().faces[at(m)];
        if (self_) {  // faces that look at each other
          if (shares_node(slave_.faces[s], other)) return;
          const auto met = middle_and_normal(mesh, slave_, other);
          if (own[1].dot(met[1]) > -0.2 || (met[0] - own[0]).dot(own[1]) < 0) return;
        }
        least = std::min(least, closest_nodes(s, m));
      };
      tree_.near(around(s), least, boxes_, look);
    }
    if (!std::isfinite(least)) return Error{"no faces of the undeformed surface look at each other; give its reach"};
    reach = least + 2 * largest;
  }
  reach_ = reach;
  for (std::size_t s = 0; s < slave_.faces.size(); ++s) {
    tree_.near(around(s), reach, boxes_, [&](int m) {
      if (!(self_ && shares_node(slave_.faces[s], slave_.faces[at(m)])) && closest_nodes(s, m) <= reach)
        candidates_.push_back(m);
    });
    std::sort(candidates_.begin() + candidate_starts_[s], candidates_.end());
    candidate_starts_.push_back(static_cast<int>(candidates_.size()));
  }
  return {};
}

void ContactPair::couple(std::vector<std::vector<int>>& beside) const {
  couple_faces(slave_, beside);
  couple_faces(master(), beside);
  for (std::size_t s = 0; s < slave_.faces.size(); ++s)
    for (int i = candidate_starts_[s]; i < candidate_starts_[s + 1]; ++i)
      for (const int a : slave_.nodes_of(slave_.faces[s]))
        for (const int b : master().nodes_of(master().faces[at(candidates_[at(i)])])) {
          beside[at(a)].push_back(b);
          beside[at(b)].push_back(a);
        }
}

}  // namespace rubato::fem::detail
