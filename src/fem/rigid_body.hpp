#pragma once
/// One rigid part in natural coordinates (García de Jalón, Bayo, Kinematic and Dynamic Simulation of Multibody Systems, Springer 1994,
/// doi:10.1007/978-1-4612-2600-0): its nodes move affinely,
///   u(X) = d + Σ_k ξ_k(X) h_k,   ξ = (X − c)/L,   F = I + (h_1 … h_d)/L                                                   (1)
/// so that u is linear in (d, h) and the mass matrix constant; and F is a rotation,
///   0 = g_ij = V ((F_i·F_j − δ_ij)/(1 + δ_ij) − λ_ij/E),   i ≤ j                                                          (2)
/// with λ_ij a stress: the part is a body of volume V under a homogeneous strain F that a modulus E resists, rigid for E = ∞.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "solid_parts.hpp"

namespace rubato::fem::detail {

struct RigidBody {
  static constexpr int most = 12;  ///< (d, h_1, h_2, h_3) of three components
  /// [k · dimension + axis]: k = 0: d, k > 0: h_k.
  using Components = std::array<double, most>;

  RigidRegion data = {};
  int dimension = 3;
  std::vector<int> nodes = {};
  std::vector<std::array<double, 3>> xi = {};  ///< of each node
  std::array<double, 3> reference = {};        ///< c
  double length = 1, volume = 1;               ///< L, V
  double compliance = 0;                       ///< 1/E
  std::array<std::array<double, 4>, 4> mass =
      {};  ///< ∫ρ (1, ξ)(1, ξ)ᵀ of rigid elements and what is added, the same for every axis
  std::array<int, most> coordinate = {};          ///< place in q; −1: known
  std::vector<std::pair<int, int>> strains = {};  ///< (i, j) of (2), from 0
  int first_row = 0;                              ///< of (2) in λ
  bool turns = false;                             ///< h is known and follows the functions data.rotation
  bool still = false;                             ///< what is known has no derivatives
  bool axial = false;                             ///< axisymmetric: it moves along y only

  [[nodiscard]] int components() const noexcept { return (dimension + 1) * dimension; }
  /// The components that rotations have: from this one to z.
  [[nodiscard]] int first_rotation() const noexcept { return axial ? 3 : dimension == 3 ? 0 : 2; }
  /// Functions of time.
  [[nodiscard]] std::vector<Function> motions() const;
  [[nodiscard]] std::vector<Function> loads() const;

  /// (d, h), what is known taken as 0.
  [[nodiscard]] Components take(In q) const noexcept;
  /// Adds the n-th derivatives (n ≤ 2) of what is known.
  void add_known(double t, int n, Components& c) const noexcept;
  /// (d, h) or, n > 0, its n-th derivative x: what is free and what is known.
  [[nodiscard]] Components all(double t, In x, int n) const noexcept {
    Components c = take(x);
    add_known(t, n, c);
    return c;
  }
  /// out += factor · f for what is free.
  void put(const Components& f, double factor, Out out) const noexcept;
  [[nodiscard]] Components times_mass(const Components& a) const noexcept;
  /// Column k of F or, of velocities, of F'.
  [[nodiscard]] std::array<double, 3> column(const Components& c, int k, bool rate = false) const noexcept;
  /// (2) without λ; its derivative along c'; F'_i·F'_j of its second.
  using Pair = std::pair<int, int>;
  [[nodiscard]] double strain(const Pair& ij, const Components& c) const noexcept;
  [[nodiscard]] double strain_rate(const Pair& ij, const Components& c, const Components& rate) const noexcept;
  [[nodiscard]] double strain_curvature(const Pair& ij, const Components& rate) const noexcept;
  /// What stresses λ of all parts do to (d, h): V/L Σ_j λ_kj F_j on h_k.
  [[nodiscard]] Components stress_forces(const Components& c, In lambda) const noexcept;
  /// Force at the reference and moment of data at t, as they act on (d, h): m·δθ = Σ_k ½ (m × F_k)·δh_k/L.
  [[nodiscard]] Components applied(double t, const Components& c) const noexcept;
  /// Components of rotation vector and angular velocity.
  [[nodiscard]] std::array<double, 3> rotation(const Components& c) const noexcept;
  [[nodiscard]] std::array<double, 3> angular_velocity(const Components& c, const Components& rate) const noexcept;
  /// The moment about the reference of forces on h: Σ_k L F_k × f_k.
  [[nodiscard]] std::array<double, 3> moment(const Components& c, const Components& f) const noexcept;
};

/// Which volume elements belong to rigid regions: 1; groups that do not exist are passed over.
[[nodiscard]] std::vector<char> rigid_elements(const SolidModel& model);

/// The rigid parts, everything but places in q and λ.
[[nodiscard]] Result<std::vector<RigidBody>> make_bodies(const SolidParts& parts);

}  // namespace rubato::fem::detail
