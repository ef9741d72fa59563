#pragma once
/// Mechanical systems in the form every formulation starts from:
///
///   q' = N(q) v                                                          (1)
///   M(q) v' = f(t,q,v,z,λ,u) − G(t,q)ᵀ λ − A(t,q)ᵀ ν                      (2)
///   Z z' = e(t,q,v,z,λ,u)                                                (3)
///   0 = g(t,q,λ),   G v = g_q N v,   g_λ = −ε²C constant, 0 if rigid     (4)
///   0 = A(t,q) v + b(t,q)                                                (5)
///
/// z: friction bristles, viscoelastic strains, controllers; λ: reactions or pressures; ν: rolling.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rubato/linalg/pattern.hpp"
#include "rubato/problem/dae.hpp"

namespace rubato {

struct MechanicalSizes {
  int q = 0;
  int v = 0;
  int z = 0;
  int lambda = 0;
  int nu = 0;
  int u = 0;
};

template <class S>
struct MechanicalPoint {
  S t{};
  std::span<const S> q, v, z, lambda, nu, u;
  In base;
  int mode = 0;
  Scratch scratch;
  std::span<const std::byte> shared = {};  ///< what MechanicalEquations::share left for this t, q and base
};

/// (1)-(5) over one scalar type, as products: no formulation ever needs more.
template <class S>
class MechanicalEquations {
 public:
  using P = MechanicalPoint<S>;
  using SIn = std::span<const S>;
  using SOut = std::span<S>;
  virtual ~MechanicalEquations() = default;

  /// Work that several of the functions below have in common at one t, q and base (frames of bodies), done once: what it takes
  /// from p.scratch it shows in p.shared, and later calls with this p may use it.
  virtual void share(P& /*p*/) const noexcept {}
  [[nodiscard]] virtual EvalStatus kinematics(const P& p, SIn v, SOut q_rate) const noexcept = 0;  ///< N(q) v
  [[nodiscard]] virtual EvalStatus inertia(const P& p, SIn a, SOut out) const noexcept = 0;        ///< M(q) a
  [[nodiscard]] virtual EvalStatus inertia_rate(const P& p, SOut out) const noexcept = 0;          ///< Ṁ v
  [[nodiscard]] virtual EvalStatus force(const P& p, SOut out) const noexcept = 0;                 ///< f
  [[nodiscard]] virtual EvalStatus auxiliary(const P& p, SOut out) const noexcept = 0;             ///< e
  [[nodiscard]] virtual EvalStatus constraint(const P& p, SOut out) const noexcept = 0;            ///< g(t,q,λ)
  [[nodiscard]] virtual EvalStatus constraint_rate(const P& p, SOut out) const noexcept = 0;       ///< G v + g_t
  /// G a + γ: the second derivative of g along the motion with acceleration a.
  [[nodiscard]] virtual EvalStatus constraint_acceleration(const P& p, SIn a, SOut out) const noexcept = 0;
  /// Gᵀ λ + Aᵀ ν for the multipliers handed over.
  [[nodiscard]] virtual EvalStatus reaction(const P& p, SIn lambda, SIn nu, SOut out) const noexcept = 0;
  [[nodiscard]] virtual EvalStatus rolling(const P& p, SOut out) const noexcept = 0;  ///< A v + b
  /// The derivative of A v + b along the motion with acceleration a.
  [[nodiscard]] virtual EvalStatus rolling_acceleration(const P& p, SIn a, SOut out) const noexcept = 0;
  /// The force of one named part; the parts add up to f.
  [[nodiscard]] virtual EvalStatus part_force(int part, const P& p, SOut out) const noexcept = 0;
  /// The potential energy of one part, 0 where it has none.
  [[nodiscard]] virtual EvalStatus part_energy(int part, const P& p, S& out) const noexcept = 0;
};

/// Which blocks of the residual r = M a − f + Gᵀλ + Aᵀν, of g and of e a model differentiates itself, on patterns of its own.
/// K = ∂r/∂q, D = ∂r/∂v, r_λ (n_v × n_λ), g_q = ∂g/∂q (n_λ × n_q), g_λ; where there are z, and e does not depend on v and λ:
/// r_z (n_v × n_z), e_q, e_z. Finite elements supply them all.
struct ResidualTangentPatterns {
  SparsePattern K = {}, D = {}, r_lambda = {}, g_q = {}, g_lambda = {}, r_z = {}, e_q = {}, e_z = {};
};
struct ResidualTangents {
  Out K = {}, D = {}, r_lambda = {}, g_q = {}, g_lambda = {}, r_z = {}, e_q = {},
      e_z = {};  ///< on the patterns; empty: not wanted
};

class MechanicalSystem : public MechanicalEquations<double> {
 public:
  [[nodiscard]] const MechanicalSizes& sizes() const noexcept { return sizes_; }

  [[nodiscard]] virtual bool constant_mass() const noexcept { return false; }
  /// N = I: q' = v without charts.
  [[nodiscard]] virtual bool plain_coordinates() const noexcept { return true; }
  /// N(q) ≈ I as long as the increments of the charts are small (rotation vectors over a moving base): v may then be
  /// eliminated by q' = N v. Not so for velocities in a frame that turns with the base.
  [[nodiscard]] virtual bool rates_near_identity() const noexcept { return plain_coordinates(); }
  /// g_λ ≠ 0: a penalised or compressible model. g_λ must then be diagonal for the penalty formulation.
  [[nodiscard]] virtual bool compliant() const noexcept { return false; }
  [[nodiscard]] virtual bool autonomous() const noexcept { return false; }
  /// Multipliers that g determines among few neighbours (blocks of g_λ along the diagonal, far from singular): factorisations leave
  /// them out where λ is an unknown of the compliant form.
  [[nodiscard]] virtual std::vector<int> local_multipliers() const { return {}; }
  /// Z in (3): 1 for a differential z, 0 for an algebraic one.
  [[nodiscard]] virtual bool z_is_differential(int /*i*/) const noexcept { return true; }
  /// Every z_i relaxes on its own: e_z is diagonal and negative, and e does not depend on v, λ, ν. The z are then eliminated
  /// before any factorisation.
  [[nodiscard]] virtual bool z_is_local() const noexcept { return false; }

  [[nodiscard]] virtual const MechanicalEquations<Dual8>* dual() const noexcept { return nullptr; }
  [[nodiscard]] virtual const MechanicalEquations<Tracer>* tracer() const noexcept { return nullptr; }

  /// Tangents of the whole residual at acceleration a, for models that know them better than differentiation does.
  [[nodiscard]] virtual ModelJacobian tangent_kind() const noexcept { return ModelJacobian::none; }
  [[nodiscard]] virtual ResidualTangentPatterns tangent_patterns() const { return {}; }
  [[nodiscard]] virtual EvalStatus tangents(const MechanicalPoint<double>& p, In a,
                                            const ResidualTangents& out) const noexcept;

  [[nodiscard]] virtual std::size_t scratch_bytes() const noexcept { return 0; }

  /// Names and units of the coordinates; defaults q[0] …
  [[nodiscard]] virtual std::vector<std::string> names(std::string_view block) const;
  [[nodiscard]] virtual std::string unit(std::string_view block) const;

  /// Where M(q) may have entries, for models too large to find out by tracing or probing.
  [[nodiscard]] virtual std::optional<SparsePattern> inertia_pattern() const { return std::nullopt; }
  /// A constant M on that pattern; empty: found by products.
  [[nodiscard]] virtual std::vector<double> inertia_values() const { return {}; }

  [[nodiscard]] virtual std::vector<std::string> part_names() const { return {"force"}; }
  /// A part made of elements can be evaluated on some of them, with weights (snapshots, DEIM, hyper-reduction):
  /// Σ_e weights[e] f_e. One element: the part as a whole.
  [[nodiscard]] virtual int part_elements(int /*part*/) const noexcept { return 1; }
  [[nodiscard]] virtual EvalStatus weighted_part_force(int part, const MechanicalPoint<double>& p, In weights,
                                                       Out out) const noexcept;

  [[nodiscard]] virtual int base_size() const noexcept { return 0; }
  virtual void rebase(Out q, Out base) const noexcept;
  /// q relative to the base `from` expressed relative to `to`; false: the model cannot.
  [[nodiscard]] virtual bool transport(In from, In to, Out q) const noexcept;

  [[nodiscard]] virtual std::vector<std::string> output_names() const { return {}; }
  [[nodiscard]] virtual EvalStatus outputs(const MechanicalPoint<double>& p, In a, Out y) const noexcept;
  [[nodiscard]] virtual std::vector<std::string> invariant_names() const { return {}; }
  [[nodiscard]] virtual EvalStatus invariants(const MechanicalPoint<double>& p, Out values) const noexcept;

  [[nodiscard]] virtual std::vector<RootInfo> roots() const { return {}; }
  [[nodiscard]] virtual EvalStatus root_values(const MechanicalPoint<double>& p, Out values) const noexcept;
  [[nodiscard]] virtual double next_time_event(double t, int mode) const noexcept;
  [[nodiscard]] virtual EventEffect on_event(const EventContext& event, Out q, Out v, Out z) const noexcept;
  [[nodiscard]] virtual int starting_mode(const MechanicalPoint<double>& p) const noexcept { return p.mode; }

 protected:
  explicit MechanicalSystem(MechanicalSizes sizes) : sizes_(sizes) {}
  MechanicalSizes sizes_;
};

/// One state of a mechanical system at all levels, as start values need it.
struct MechanicalState {
  double t = 0;
  Vector q = {}, v = {}, z = {}, lambda = {}, nu = {}, a = {}, base = {};
  int mode = 0;
};

}  // namespace rubato
