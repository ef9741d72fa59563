#pragma once
/// Tangents of a solid with rigid parts: those of the solid inside after the substitution, and what the parts add.
#include "rigid_body.hpp"
#include "rubato/base/scratch.hpp"
#include "substitution.hpp"

namespace rubato::fem::detail {

/// Tᵀ M T and the masses of rigid parts: components of one axis with each other.
struct RigidMass {
  SparsePattern pattern = {};
  std::vector<double> values = {};
};
[[nodiscard]] RigidMass rigid_mass(const SparsePattern& inner, In values, const Substitution& substitution,
                                   const std::vector<RigidBody>& bodies);

class RigidTangents {
 public:
  RigidTangents(const ResidualTangentPatterns& inner, const Substitution& substitution,
                const std::vector<RigidBody>& bodies, const MechanicalSizes& sizes, double mass_damping);
  [[nodiscard]] ResidualTangentPatterns patterns() const;
  [[nodiscard]] std::size_t scratch_bytes() const noexcept;
  /// Room for the tangents of the solid inside; its g_λ and e_z are written where they stay.
  [[nodiscard]] ResidualTangents inner(Scratch& scratch, const ResidualTangents& out) const noexcept;
  void fill(const ResidualTangents& inner, const std::vector<RigidBody>& bodies, const MechanicalPoint<double>& p,
            const ResidualTangents& out) const noexcept;

 private:
  static constexpr int most = RigidBody::most;
  /// Places of a part's own entries in the values; −1: known.
  struct Places {
    std::array<int, most*most> k = {}, d = {};         ///< [row component][column component]
    std::array<int, 6 *most> g_q = {}, r_lambda = {};  ///< [strain][component]
    int g_lambda = 0;                                  ///< of the first strain; the others follow
  };
  void add(const RigidBody& body, const Places& place, const MechanicalPoint<double>& p,
           const ResidualTangents& out) const noexcept;

  double mass_damping_;
  SubstitutedBlock k_, d_, r_lambda_, g_q_, r_z_, e_q_;
  SparsePattern g_lambda_ = {}, e_z_ = {};
  int inner_compliance_ = 0;
  std::vector<Places> places_ = {};
};

}  // namespace rubato::fem::detail
