#pragma once
/// Flexible bodies that deform little relative to a frame that moves freely: u = Σ φ_i η_i. Their matter is lumped in nodes, each
/// with the shapes of all modes, as finite element programs write them or `modal_beam` makes them.
///
///   const auto blade = modal_beam({.length = 1, .mass_per_length = 0.5, .inertia_per_length = {1e-5, 0, 0}, …});
///   mechanism.bodies.push_back({.name = "blade", .flexible = std::make_shared<const ModalBody>(*blade)});
///   mechanism.joints.push_back({.name = "hub", .b = {.body = "blade", .node = "a"}});
///
/// Rigid motion and vibration are coupled completely, as far as the inertia of the nodes goes. Stress does not change the
/// stiffness: a blade that turns fast stiffens by its tension, which several modal bodies in a row, or beams, show.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/multibody/mechanism.hpp"

namespace rubato::multibody {

struct ModalNode {
  std::string name = {};  ///< may be empty; markers and channels use it
  Vector3 position{};     ///< undeformed, in the body's frame
  double mass = 0;        ///< kg, may be zero: a place to attach something
  Vector3 inertia{};      ///< about the node, along the body's axes, kg m²
};

/// One mode shape with its stiffness or its frequency, its damping or its ratio to the critical one.
struct Mode {
  std::vector<Vector3> shape = {};     ///< displacement of every node for η = 1
  std::vector<Vector3> rotation = {};  ///< small rotation of every node; empty: none
  double stiffness = 0, frequency_hz = 0;
  double damping = 0, damping_ratio = 0;
};

struct ModalBody {
  std::vector<ModalNode> nodes = {};
  std::vector<Mode> modes = {};
};

/// A node at these modal coordinates, in the body's frame. It turns by the vector θ = Σ ψ_i η_i, as the Cayley transform does:
/// by 2 atan(θ/2), which small rotations do not tell from θ.
[[nodiscard]] Pose node_pose(const ModalBody& body, std::size_t node, std::span<const double> eta);
/// The number of a node by name.
[[nodiscard]] Result<std::size_t> node_number(const ModalBody& body, const std::string& name);
/// The node nearest to a place in the body's frame; of several the first.
[[nodiscard]] std::size_t nearest_node(const ModalBody& body, const Vector3& place, std::span<const double> eta);

enum class BeamEnds : std::uint8_t { free_free, clamped_free, pinned_pinned, clamped_clamped };

/// A straight uniform beam from the origin along x. Stiffness that is zero stands for no modes of that kind.
struct ModalBeam {
  double length = 0;
  double mass_per_length = 0;
  Vector3
      inertia_per_length{};  ///< of the section about x, y, z: ρ I_p, ρ I_y, ρ I_z, kg m; about x it must be positive
  double axial = 0;          ///< EA
  Vector3 torsion_bending{};  ///< GJ, EI_y, EI_z
  BeamEnds ends = BeamEnds::clamped_free;
  int modes = 4;      ///< the lowest ones
  int elements = 20;  ///< between nodes; even
  double damping_ratio = 0;
};
/// Its lowest modes, scaled to a largest displacement of 1 (of torsion: rotation). The first and last nodes are "a" and "b".
[[nodiscard]] Result<ModalBody> modal_beam(const ModalBeam& beam);

}  // namespace rubato::multibody
