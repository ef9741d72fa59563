#pragma once
/// Elastic materials: laws as data, checked, and evaluated at a point.
///
/// Hyperelastic laws split the energy into an isochoric part of C̄ = J^{−2/3} C and a volumetric part U(J); κ = ∞ (`bulk` infinite)
/// is exact incompressibility, for regions with pressures as unknowns.
#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rubato/base/result.hpp"

namespace rubato::fem {

/// Small strains: σ = Λ tr ε I + 2μ ε. poisson = 0.5 needs pressures as unknowns.
struct LinearElastic {
  double young = 0, poisson = 0;
};
/// S = Λ tr E I + 2μ E: large rotations, small strains.
struct SaintVenantKirchhoff {
  double young = 0, poisson = 0;
};
/// Σ c_ij (Ī₁ − 3)^i (Ī₂ − 3)^j, 1 ≤ i + j ≤ 3.
struct Polynomial {
  struct Term {
    int i = 1, j = 0;
    double c = 0;
  };
  std::vector<Term> terms = {};
};
/// Σ 2μ_i/α_i² (λ̄₁^α_i + λ̄₂^α_i + λ̄₃^α_i − 3), six terms at most.
struct Ogden {
  struct Term {
    double mu = 0, alpha = 2;
  };
  std::vector<Term> terms = {};
};
[[nodiscard]] Polynomial neo_hooke(double shear);  ///< μ/2 (Ī₁ − 3)
[[nodiscard]] Polynomial mooney_rivlin(double c10, double c01);
[[nodiscard]] Polynomial yeoh(double c10, double c20, double c30);

enum class VolumetricLaw : unsigned char {
  quadratic,   ///< κ/2 (J − 1)²
  simo_miehe,  ///< κ/4 (J² − 1 − 2 ln J)
  ogden        ///< κ/β² (β ln J + J^{−β} − 1)
};

/// One Maxwell element: the part g of the deviatoric (isochoric) response relaxes with the time τ.
struct PronyTerm {
  double g = 0, tau = 0;  ///< tau in s
};

struct Material {
  std::string name = {};
  double density = 0;  ///< kg/m³
  std::variant<LinearElastic, SaintVenantKirchhoff, Polynomial, Ogden> law = {};
  VolumetricLaw volumetric = VolumetricLaw::quadratic;  ///< of Polynomial and Ogden
  double bulk = 0;                                      ///< κ of Polynomial and Ogden, Pa
  double beta = 9;
  /// Viscoelasticity; empty: none. The law is the response to fast changes; G(t) = G (1 − Σ g_i (1 − exp(−t/τ_i))) of it remain:
  ///   S = S_vol + S_iso − 2μ Σ g_i z_i,   z_i' = (S_iso/2μ − z_i)/τ_i,   μ the shear modulus at small strains.
  /// Small strains: S_iso = 2μ dev ε, and z_i are the viscous strains of Maxwell elements; Saint Venant-Kirchhoff: 2μ dev E.
  std::vector<PronyTerm> prony = {};
};

/// Refuses what cannot be: terms of memory that leave nothing of the stiffness, negative moduli, ν outside (−1, ½], no stiffness against shear at small strains, κ that is not positive.
[[nodiscard]] Result<void> check(const Material& material);

/// At small strains.
[[nodiscard]] double shear_modulus(const Material& material) noexcept;
[[nodiscard]] double bulk_modulus(const Material& material) noexcept;

/// F and P row by row: F_iJ at 3i + J.
using Tensor = std::array<double, 9>;
struct PointResponse {
  double energy = 0;
  Tensor stress = {};                  ///< P = ∂W/∂F
  std::array<Tensor, 9> tangent = {};  ///< ∂P/∂F
};
/// The law at deformation gradient F, without memory. κ = ∞: the isochoric part alone.
[[nodiscard]] PointResponse evaluate(const Material& material, const Tensor& f) noexcept;
/// P alone: several times faster.
[[nodiscard]] Tensor evaluate_stress(const Material& material, const Tensor& f) noexcept;

/// F₃₃ of plane stress for the plane part of F, where P₃₃ = 0; 1 where there is none.
[[nodiscard]] double thickness_stretch(const Material& material, const Tensor& f) noexcept;

}  // namespace rubato::fem
