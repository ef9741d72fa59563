#pragma once
/// Coefficients of implicit Runge-Kutta methods, generated for any number of stages.
///
///   X_i = x₀ + h Σ_j a_ij F(t + c_j h, X_j),   x₁ = x₀ + h Σ_i b_i F(t + c_i h, X_i)                        (1)
/// All families come from one formula (Hairer & Wanner, Solving ODEs II, IV.5): A = W X W⁻¹ with the shifted Legendre
/// polynomials W_ij = √(2j−1) P_{j−1}(2c_i − 1) and a tridiagonal X, X₁₁ = ½, X_{k+1,k} = −X_{k,k+1} = ξ_k,
/// ξ_k = 1/(2√(4k²−1)), in which only the last corner depends on the member:
///   Gauss        nothing
///   Radau        X_ss = 1/(4s−2)
///   Lobatto      X_{s−1,s} = −β ξ_{s−1} (2s−1)/(s−1),   X_{s,s−1} = α ξ_{s−1},   X_ss = δ/(2s−2)            (2)
/// IIIA (β,α,δ) = (0,1,0), IIIB (1,0,0), IIIC (1,1,1), IIID (1,1,0), IIIC* (1,1,−1). Blends A^θ = θ A^X + (1−θ) A^Y are
/// convex combinations of the corners: θ = 1 is the first-named method, θ = 0 the second.
/// Schaub & Simeon, Blended Lobatto methods in multibody dynamics, ZAMM 83 (2003) 720.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rubato/base/result.hpp"
#include "rubato/base/views.hpp"

namespace rubato {

enum class RungeKuttaFamily : std::uint8_t {
  gauss,
  radau_ia,
  radau_iia,
  lobatto_iiia,
  lobatto_iiib,
  lobatto_iiic,
  lobatto_iiid,
  lobatto_iiic_star,
  lobatto_iiiab,
  lobatto_iiiac,
  lobatto_iiiabc,
  lobatto_iiidc,
  lobatto_iiiabd
};

struct RungeKuttaFamilyInfo {
  RungeKuttaFamily family;
  std::string_view name;   ///< "lobatto-iiidc"
  std::string_view title;  ///< one line
  bool blended = false;    ///< has a θ
  int min_stages = 2;
};
[[nodiscard]] std::span<const RungeKuttaFamilyInfo> runge_kutta_families() noexcept;
[[nodiscard]] const RungeKuttaFamilyInfo& family_info(RungeKuttaFamily family) noexcept;

inline constexpr int max_runge_kutta_stages = 9;

/// (β, α, δ) of (2).
struct LobattoCorner {
  double beta = 1, alpha = 1, delta = 1;
};
/// Of a Lobatto member or blend.
[[nodiscard]] LobattoCorner lobatto_corner(RungeKuttaFamily family, double theta = 0) noexcept;

struct RungeKuttaTable {
  RungeKuttaFamily family = RungeKuttaFamily::radau_iia;
  int s = 3;
  double theta = 0;  ///< of blends
  Matrix A;
  Vector b, c;
  Matrix W, W_inverse, X;  ///< A = W X W⁻¹

  [[nodiscard]] const RungeKuttaFamilyInfo& info() const noexcept { return family_info(family); }
  /// "radau-iia-3", "lobatto-iiidc-3:0.5"
  [[nodiscard]] std::string name() const;
  /// b is the last row of A: x₁ = X_s.
  [[nodiscard]] bool stiffly_accurate() const noexcept;
  /// A is invertible.
  [[nodiscard]] bool invertible() const noexcept;
};

/// s within [info.min_stages, max_runge_kutta_stages], θ within [0, 1].
[[nodiscard]] RungeKuttaTable runge_kutta_table(RungeKuttaFamily family, int s, double theta = 0);

/// FAMILY[-STAGES][:THETA], e.g. "lobatto-iiic" (3 stages), "gauss-4", "lobatto-iiidc-3:0.5". The error says what is
/// allowed.
[[nodiscard]] Result<RungeKuttaTable> runge_kutta_by_name(std::string_view name);

}  // namespace rubato
