#pragma once
/// The interface between assembly and the element kernels: plain data and function pointers, nothing that could be compiled
/// differently on the two sides (kernels exist once per instruction set: kernels/kernels.cpp).
///
/// A kernel works on a *pack* of `lanes` elements of one set side by side, number by number: every array ends with [lane].
#include <cstdint>

namespace rubato::fem::detail {

inline constexpr int lanes = 4;
inline constexpr int max_terms = 6, max_prony = 12;

enum class Kinematics : std::uint8_t { plane_strain, plane_stress, axisymmetric, space };
enum class Family : std::uint8_t { linear, saint_venant, polynomial, ogden };
enum class Volume : std::uint8_t { quadratic, simo_miehe, ogden };

/// A material law as numbers.
struct LawData {
  Family family = Family::linear;
  double lame = 0, shear = 0;  ///< Λ and μ: linear, Saint Venant-Kirchhoff
  int degree = 1;              ///< of the polynomial Σ c_ij (Ī₁−3)^i (Ī₂−3)^j, i + j ≤ degree ≤ 3
  double c[4][4] = {};
  int n_ogden = 0;
  double mu[max_terms] = {}, alpha[max_terms] = {};
  Volume volume = Volume::quadratic;
  double bulk = 0, compliance = 0;  ///< κ and 1/κ (0: incompressible)
  double beta = 0;                  ///< of Ogden's volumetric law
  bool mixed = false;               ///< the pressure is an unknown: U(J) is replaced by p (J − 1) − …
  int n_prony = 0;
  double prony_g[max_prony] = {}, prony_tau[max_prony] = {};
  double memory_scale = 0;  ///< 2μ at small strains: what makes z of a stress
};

/// What all packs of a set share.
struct SetShape {
  int nodes = 0, points = 0, pressures = 0;
  const double* pressure_shapes = nullptr;  ///< ψ_j: [point][pressure]
};

/// Per point: ∂N_a/∂X_J as [node][slot][lane], then the weight [lane]. Slots: the dimension; axisymmetric: N_a/R as third.
struct PackInput {
  const double* geometry = nullptr;
  const double* u = nullptr;                       ///< [node][dimension][lane]
  const double* p = nullptr;                       ///< [pressure][lane]
  const double *rate = nullptr, *rate2 = nullptr;  ///< u', u'' as u
  const double* z = nullptr;                       ///< [point][term][component][lane]; null: no memory
};

/// Null: not wanted. All are added to.
struct PackOutput {
  double* force = nullptr;        ///< ∫ P : ∇φ, [node][dimension][lane]
  double* stiffness = nullptr;    ///< [pair a ≤ b][i][k][lane], pairs in the order (0,0), (0,1), (1,1), (0,2), …
  double* coupling = nullptr;     ///< B = ∂g/∂u: [pressure][node][dimension][lane]
  double* constraint = nullptr;   ///< g = ∫ ψ (J − 1 − h(p)): [pressure][lane]; with rates ∫ ψ J', ∫ ψ J''
  double* compliance = nullptr;   ///< ∫ ψ_i ψ_j h'(p): [i][j][lane]
  double* energy = nullptr;       ///< ∫ W: [lane]
  double* memory_rate = nullptr;  ///< e = (s − z)/τ as z; not added to but written, like the next two
  double* memory_gradient = nullptr;  ///< ∂s/∂u: [point][component][node][dimension][lane]
  double* memory_force = nullptr;     ///< ∂/∂z_c of ∫ (F z) : ∇φ, likewise
  bool law = true;                    ///< the part of the law in force and stiffness
  bool pressure = true;               ///< the part of the pressures
};

/// Bits of the lanes whose elements are turned inside out (J ≤ 0 somewhere).
using PackKernel = unsigned (*)(const LawData&, const SetShape&, const PackInput&, const PackOutput&);

/// The kernel for this kinematics on this machine.
[[nodiscard]] PackKernel pack_kernel(Kinematics kinematics) noexcept;

}  // namespace rubato::fem::detail
