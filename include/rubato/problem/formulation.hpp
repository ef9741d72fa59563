#pragma once
/// Formulations: how the constraints of a MechanicalSystem are written, making it a Dae without copying it.
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/problem/dae.hpp"
#include "rubato/problem/mechanical.hpp"

namespace rubato {

/// What is demanded of the constraints.
enum class Level : std::uint8_t {
  penalty,          ///< λ = −g_λ⁻¹ g(t,q,0) inserted: an ODE; compliant models only
  eps_lambda,       ///< 0 = g(t,q,λ) kept: index 1 for ε > 0, singularly perturbed
  eps_lambda_rate,  ///< its derivative −g_λ λ' = G v + g_t: an ODE in (q, v, λ)
  index_3,          ///< 0 = g(t,q)
  index_2,          ///< 0 = G v + g_t
  ggl,              ///< both, q' = N (v − Gᵀμ) (Gear, Gupta, Leimkuhler)
  index_1,          ///< 0 = G a + γ + 2α (G v + g_t) + β² g, a unknown (Baumgarte for α, β > 0)
  quasi_static,     ///< 0 = f(t,q,0,z,λ) − Gᵀλ, 0 = g: inertia and velocities dropped
  state_space       ///< a, λ and ν solved inside every evaluation: an ODE in (q, v, z)
};

/// Which unknowns carry the momentum.
enum class Kinetics : std::uint8_t {
  velocity,       ///< M(q) v' = …
  accelerations,  ///< v' = a, 0 = … − M(q) a: constant B, what ROW methods use when M depends on q
  momentum,       ///< p' = f + Ṁ v − …, 0 = p − M(q) v
  hamilton        ///< p' = … with v = M(q)⁻¹ p solved inside
};

struct Formulation {
  Level level = Level::index_2;
  Kinetics kinetics = Kinetics::velocity;
  double baumgarte_alpha = 0;
  double baumgarte_beta = 0;
};

struct FormulationInfo {
  std::string_view name;
  std::string_view help;
  Formulation formulation;
};
/// The one list of named formulations: `rubato list formulations`, model files, tests.
[[nodiscard]] std::span<const FormulationInfo> formulations();
[[nodiscard]] Result<Formulation> formulation_by_name(std::string_view name);
[[nodiscard]] std::string name_of(const Formulation& formulation);

/// A MechanicalSystem written as a Dae. x = (q, v | p, z, λ, ν, a, μ), what a formulation does not need left out.
class FormulatedDae : public Dae {
 public:
  [[nodiscard]] virtual const MechanicalSystem& system() const noexcept = 0;
  [[nodiscard]] virtual const Formulation& formulation() const noexcept = 0;
  /// Which rows (of g, then of A v + b) are left out at this base, as 1 or 0; empty where all were found independent.
  [[nodiscard]] virtual In left_out(In base) const noexcept = 0;
  /// The base of a problem that starts there: that of the system, then the rows left out, if any.
  [[nodiscard]] virtual Vector base_of(const MechanicalState& state) const = 0;
  /// The unknowns, and their derivatives where known, from a consistent state with the inputs u there (empty: zero).
  virtual void pack(const MechanicalState& state, Vector& x, Vector& w, In u = {}) const = 0;
  /// The mechanical state hidden in x (λ, v, a computed where the formulation solves for them inside).
  [[nodiscard]] virtual EvalStatus unpack(const At& at, In w, MechanicalState& state) const = 0;

 protected:
  FormulatedDae() : Dae(Layout{}) {}
};

/// Refuses combinations that make no sense (penalty of a rigid constraint …), saying why.
/// `dependent` names constraint rows (of g, then of A v + b) that follow from the others: they are dropped, their
/// multipliers held at zero. Which ones may change on the way (they stand in the base): see make_consistent.
[[nodiscard]] Result<std::shared_ptr<const FormulatedDae>> formulate(std::shared_ptr<const MechanicalSystem> system,
                                                                     Formulation formulation,
                                                                     std::span<const int> dependent = {});

}  // namespace rubato
