#include "rubato/fem/law_list.hpp"

namespace rubato::fem {

std::span<const LawInfo> law_list() noexcept {
  static constexpr LawInfo list[] = {
      {"linear-elastic", "young [Pa], poisson", "Λ/2 (tr ε)² + μ ε:ε", false, "small strains and rotations"},
      {"saint-venant-kirchhoff", "young [Pa], poisson", "Λ/2 (tr E)² + μ E:E", false,
       "large rotations, small strains; softens without bound under compression"},
      {"neo-hooke", "mu [Pa]", "μ/2 (Ī₁ − 3)", true, "one constant; rubber up to stretches of about 1.5"},
      {"mooney-rivlin", "c10 [Pa], c01 [Pa]", "c₁₀ (Ī₁ − 3) + c₀₁ (Ī₂ − 3)", true,
       "two constants; rubber up to stretches of about 2"},
      {"yeoh", "c10 [Pa], c20 [Pa], c30 [Pa]", "c₁₀ (Ī₁ − 3) + c₂₀ (Ī₁ − 3)² + c₃₀ (Ī₁ − 3)³", true,
       "three constants; stiffens at large stretches, safe when only one mode was tested"},
      {"polynomial", "c10, c01, c20, c11, c02, c30, c21, c12, c03 [Pa]", "Σ c_ij (Ī₁ − 3)^i (Ī₂ − 3)^j", true,
       "any of the nine constants; needs several modes of tests"},
      {"ogden", "mu [Pa], alpha (lists of 1 to 6 numbers)", "Σ 2μ_i/α_i² (λ₁^α_i + λ₂^α_i + λ₃^α_i − 3)", true,
       "one to six terms; three reproduce rubber up to its breaking"},
  };
  return list;
}

}  // namespace rubato::fem
