/// Nodes of modal bodies.
#include "rubato/multibody/modal.hpp"

#include <cmath>

#include "frame.hpp"
#include "rubato/base/text.hpp"

namespace rubato::multibody {

using namespace detail;

Pose node_pose(const ModalBody& body, std::size_t node, std::span<const double> eta) {
  Pose pose{.position = body.nodes[node].position};
  Vector3 turn{};
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const Mode& mode = body.modes[i];
    add(pose.position, times(eta[i], mode.shape[node]));
    if (!mode.rotation.empty()) add(turn, times(eta[i], mode.rotation[node]));
  }
  const double norm = std::sqrt(1 + dot(turn, turn) / 4);
  pose.rotation = {1 / norm, turn[0] / (2 * norm), turn[1] / (2 * norm), turn[2] / (2 * norm)};
  return pose;
}

Result<std::size_t> node_number(const ModalBody& body, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < body.nodes.size(); ++i) {
    if (body.nodes[i].name == name) return i;
    if (!body.nodes[i].name.empty()) known.push_back(body.nodes[i].name);
  }
  return Error{unknown_name("node", name, known)};
}

std::size_t nearest_node(const ModalBody& body, const Vector3& place, std::span<const double> eta) {
  std::size_t nearest = 0;
  double least = 0;
  for (std::size_t i = 0; i < body.nodes.size(); ++i) {
    const Vector3 d = minus(node_pose(body, i, eta).position, place);
    if (const double square = dot(d, d); i == 0 || square < least) {
      nearest = i;
      least = square;
    }
  }
  return nearest;
}

}  // namespace rubato::multibody
