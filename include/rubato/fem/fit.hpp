#pragma once
/// Constants of hyperelastic laws from tests of incompressible rubber: weighted least squares over several modes at once.
///
/// The residual of a point is r = √w (P(λ) − P_measured)/s, w the weight of its set. Relative: s = |P_measured|, but not less than
/// 1 % of the set's largest, where the resolution of a load cell ends. Absolute: s the same for all points.
/// Relative is the default: parts work at a fraction of the stretch at which test pieces break, and without it the few last
/// points of a test, where rubber stiffens, would decide.
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/fem/homogeneous.hpp"

namespace rubato::fem {

/// What is taken for a stretch (in simple shear: |γ| ≤ most_stretch): beyond it something else was measured.
inline constexpr double least_stretch = 0.01, most_stretch = 100;

struct TestPoint {
  double stretch = 1;  ///< in simple shear γ
  double stress = 0;   ///< nominal, Pa
};
struct TestSet {
  TestMode mode = TestMode::uniaxial;
  std::vector<TestPoint> points = {};
  double weight = 1;  ///< multiplies the squares
};

/// Which constants are sought.
struct LawForm {
  std::string name = {};                        ///< "yeoh", "polynomial:c10,c20", "ogden:3"
  std::vector<std::array<int, 2>> powers = {};  ///< (i, j) of the c_ij; empty: Ogden
  int ogden_terms = 0;
};
/// neo-hooke, mooney-rivlin, yeoh, polynomial:DEGREE (1 to 3), polynomial:c10,c01,…, ogden:TERMS (1 to 4).
[[nodiscard]] Result<LawForm> law_form(std::string_view name);
/// Those that are compared where nothing is chosen.
[[nodiscard]] std::vector<LawForm> usual_law_forms();

enum class Residuals : unsigned char { relative, absolute };
struct FitOptions {
  Residuals residuals = Residuals::relative;
  /// Only laws that are stable as far as the data go (polynomials; `needed_range`), or at all stretches (Ogden: no μ_i < 0).
  bool stable = false;
};

struct SetQuality {
  TestMode mode = TestMode::uniaxial;
  double rms = 0;           ///< Pa
  double relative_rms = 0;  ///< of (P − P_measured)/s
  double r2 = 0;  ///< 1 − Σ(P − P_measured)²/Σ(P_measured − mean)²; NaN where all points have the same stress
};
struct Stability {
  TestMode mode = TestMode::uniaxial;
  StretchRange stable = {}, needed = {}, searched = {};
  [[nodiscard]] bool holds() const noexcept { return stable.contains(needed); }
};
struct Fit {
  LawForm form = {};
  Material material = {};                ///< incompressible, without density
  std::vector<SetQuality> sets = {};     ///< in the order of the data
  std::array<Stability, 3> stability{};  ///< uniaxial, equibiaxial, pure shear
  double cost = 0;                       ///< Σ r²
  double aicc = 0;  ///< corrected information criterion of Akaike; infinite where there are too few points for it
  int constants = 0;
  bool converged = true;  ///< of Ogden's law, which needs iterations
  [[nodiscard]] bool stable() const noexcept;
};

/// At least as many points as constants, finite, stretches in their range, weights positive; an error also where the tests cannot tell
/// constants apart. Ogden's terms are sorted by falling α.
[[nodiscard]] Result<Fit> fit(const LawForm& form, std::span<const TestSet> data, const FitOptions& options = {});

/// The fit with the lowest criterion among the stable ones; among all where none is. At least one fit.
[[nodiscard]] std::size_t recommended(std::span<const Fit> fits);

struct NamedConstant {
  std::string name, unit;
  double value = 0;
};
/// As files and tables name them: mu; c10, c01 …; mu_1, alpha_1, …
[[nodiscard]] std::vector<NamedConstant> constants(const Fit& fit);

/// How far a law must be stable in a mode: as far as its own data; in a mode without data up to the stretch at which Ī₁ is as
/// large as anywhere in the data.
[[nodiscard]] StretchRange needed_range(TestMode mode, std::span<const TestSet> data);

}  // namespace rubato::fem
