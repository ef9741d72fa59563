#include "contact_surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "element_integral.hpp"
#include "numbering.hpp"
#include "rigid_body.hpp"

namespace rubato::fem::detail {
namespace {

/// More points than the shape functions need: what they feel has kinks where faces of the other side meet.
std::vector<FacePoint> points_of(Shape shape) {
  const int degree = info(shape).corners == 2 ? 9 : info(shape).corners == 3 ? 6 : 7;
  std::vector<FacePoint> out;
  for (const QuadraturePoint& q : quadrature(shape, degree)) out.push_back({evaluate(shape, q.xi), q.weight});
  return out;
}

/// Of each node the body it belongs to: nodes of one volume element are of one.
std::vector<int> bodies_of(const Mesh& mesh) {
  std::vector<int> body(at(mesh.n_nodes()));
  std::iota(body.begin(), body.end(), 0);
  const auto root = [&](int node) {
    while (body[at(node)] != node) node = body[at(node)] = body[at(body[at(node)])];
    return node;
  };
  for (int e = 0; e < mesh.n_elements(); ++e)
    if (info(mesh.shapes[at(e)]).dimension == mesh.dimension)
      for (const int node : mesh.element(e)) {
        const int a = root(node), b = root(mesh.element(e)[0]);
        body[at(std::max(a, b))] = std::min(a, b);
      }
  for (int node = 0; node < mesh.n_nodes(); ++node) body[at(node)] = root(node);
  return body;
}

template <int d>
void compute_weights(const SolidModel& model, ContactSurface& surface) {
  for (const ContactFace& face : surface.faces) {
    surface.weight_starts.push_back(static_cast<int>(surface.weights.size()));
    for (const FacePoint& point : surface.points_of(face)) {
      const FaceFrame<d> frame = frame_at<d>(point.shape, surface.nodes_of(face), model.mesh.points);
      surface.weights.push_back(point.weight * area_vector<d>(frame.tangents).norm() * depth(model, frame.x[0]));
    }
  }
}

double area_of(const Mesh& mesh, Shape shape, std::span<const int> nodes) {
  double area = 0;
  for (const FacePoint& point : points_of(shape))
    area += point.weight * (mesh.dimension == 2
                                ? area_vector<2>(frame_at<2>(point.shape, nodes, mesh.points).tangents).norm()
                                : area_vector<3>(frame_at<3>(point.shape, nodes, mesh.points).tangents).norm());
  return area;
}

}  // namespace

Result<ContactSurface> surface_of(const SolidModel& model, const std::string& group_name, const std::string& who) {
  const Mesh& mesh = model.mesh;
  const auto group = group_of(mesh, group_name, who, mesh.dimension - 1);
  if (!group) return group.error();
  std::map<std::vector<int>, BoundarySide> sides;  // by their nodes, ascending
  const auto sorted = [](std::span<const int> nodes) {
    std::vector<int> out(nodes.begin(), nodes.end());
    std::sort(out.begin(), out.end());
    return out;
  };
  for (const BoundarySide& side : boundary_sides(mesh)) sides.emplace(sorted(facet_nodes(mesh, side)), side);
  std::vector<double> young(at(mesh.n_elements()), std::numeric_limits<double>::infinity());
  for (const Region& region : model.regions) {
    const auto material = std::ranges::find(model.materials, region.material, &Material::name);
    const double g = shear_modulus(*material), k = bulk_modulus(*material);
    for (const int e : mesh.find_group(region.group)->elements) young[at(e)] = 9 * g / (3 + g / k);
  }
  const std::vector<char> rigid = rigid_elements(model);
  const std::vector<int> bodies = bodies_of(mesh);
  ContactSurface surface;
  surface.lowest = std::numeric_limits<double>::infinity();
  for (const int e : (*group)->elements) {
    const auto side = sides.find(sorted(mesh.element(e)));
    if (side == sides.end())
      return Error{fmt::format("{}: element {} of group \"{}\" is no side of the body's boundary", who,
                               mesh.element_label(e), group_name)};
    const std::vector<int> nodes = facet_nodes(mesh, side->second);
    const int behind = side->second.element;
    ContactFace face{.shape = mesh.shapes[at(e)],
                     .first = static_cast<int>(surface.nodes.size()),
                     .nodes = static_cast<int>(nodes.size()),
                     .body = bodies[at(nodes[0])]};
    const bool simplex = info(mesh.shapes[at(behind)]).corners == mesh.dimension + 1;
    face.height = (simplex ? mesh.dimension : 1) * integral(mesh, behind, [](const auto&) { return 1.0; }) /
                  area_of(mesh, face.shape, nodes);
    surface.nodes.insert(surface.nodes.end(), nodes.begin(), nodes.end());
    if (rigid[at(behind)] == 0) surface.softness = std::max(surface.softness, face.height / young[at(behind)]);
    surface.lowest = std::min(surface.lowest, face.height);
    surface.faces.push_back(face);
    auto& points = surface.points[static_cast<std::size_t>(face.shape)];
    if (points.empty()) points = points_of(face.shape);
  }
  (mesh.dimension == 2 ? compute_weights<2> : compute_weights<3>)(model, surface);
  return surface;
}

ShapeValues middle_of(Shape shape) noexcept {
  const bool triangle = info(shape).corners == 3;
  return evaluate(shape, triangle ? std::array{1.0 / 3, 1.0 / 3, 0.0} : std::array{0.0, 0.0, 0.0});
}

ContactSurface boundary_of(const Mesh& mesh) {
  ContactSurface surface;
  const std::vector<int> bodies = bodies_of(mesh);
  for (const BoundarySide& side : boundary_sides(mesh)) {
    const std::vector<int> nodes = facet_nodes(mesh, side);
    surface.faces.push_back({.shape = facets(mesh.shapes[at(side.element)])[at(side.facet)].shape,
                             .first = static_cast<int>(surface.nodes.size()),
                             .nodes = static_cast<int>(nodes.size()),
                             .body = bodies[at(nodes[0])]});
    surface.nodes.insert(surface.nodes.end(), nodes.begin(), nodes.end());
  }
  return surface;
}

void couple_faces(const ContactSurface& surface, std::vector<std::vector<int>>& beside) {
  for (const ContactFace& face : surface.faces) {
    const auto nodes = surface.nodes_of(face);
    for (const int a : nodes) beside[at(a)].insert(beside[at(a)].end(), nodes.begin(), nodes.end());
  }
}

Result<ContactLaw> completed(ContactLaw law, double softness, double lowest, const std::string& who) {
  const auto refused = [&](const char* what, double value, const char* allowed) {
    return Error{fmt::format("{}: {} = {}; {}", who, what, value, allowed)};
  };
  const auto not_negative = [](double x) { return x >= 0 && std::isfinite(x); };
  if (!not_negative(law.stiffness)) return refused("stiffness", law.stiffness, "it must be positive (0: automatic)");
  if (!not_negative(law.onset)) return refused("onset", law.onset, "it must be positive (0: automatic)");
  if (!not_negative(law.friction)) return refused("friction", law.friction, "it must not be negative");
  if (!(law.slip_speed > 0 && std::isfinite(law.slip_speed)))
    return refused("slip_speed", law.slip_speed, "it must be positive");
  if (law.stiffness == 0 && !(softness > 0))
    return Error{fmt::format("{}: all that touches is rigid; give its stiffness", who)};
  if (law.stiffness == 0) law.stiffness = 10 / softness;
  if (!(law.stiffness > 0 && std::isfinite(law.stiffness)))
    return refused("stiffness", law.stiffness, "it must be positive; give it");
  if (law.onset == 0) law.onset = 0.01 * lowest;
  return law;
}

}  // namespace rubato::fem::detail
