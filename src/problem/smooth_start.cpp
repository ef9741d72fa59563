/// Smooth starts of compliant systems.
#include <algorithm>
#include <cmath>

#include "start.hpp"

namespace rubato {
namespace {

using detail::Start;

/// d/dt of (f − M a − Jᵀ(λ, ν); −(J a + …); −e) along q' = N v, v' = a, z' = e, with a and the multipliers held.
Vector balance_rate(Start& start) {
  const MechanicalSystem& system = start.system;
  const MechanicalSizes& n = system.sizes();
  const MechanicalState& s = start.state;
  const Vector q_rate = start.kinematics(s.v);
  Vector z_rate = start.auxiliary();
  for (const int i : start.algebraic_z) z_rate[i] = 0;

  Vector rate(n.v + start.n_rows() + n.z);
  if (const auto* equations = system.dual()) {
    std::vector<Dual8> memory;
    auto p = start.lifted(memory);
    p.t.d[0] = 1;
    for (int i = 0; i < n.q; ++i) memory[static_cast<std::size_t>(i)].d[0] = q_rate[i];
    for (int i = 0; i < n.v; ++i) memory[static_cast<std::size_t>(n.q + i)].d[0] = s.a[i];
    for (int i = 0; i < n.z; ++i) memory[static_cast<std::size_t>(n.q + n.v + i)].d[0] = z_rate[i];
    const auto size = [](int k) { return static_cast<std::size_t>(k); };
    std::vector<Dual8> a(size(n.v)), f(size(n.v)), ma(size(n.v)), r(size(n.v)), g(size(n.lambda)), b(size(n.nu)),
        e(size(n.z));
    for (int i = 0; i < n.v; ++i) a[size(i)] = s.a[i];
    for (const EvalStatus status :
         {equations->force(p, f), equations->inertia(p, a, ma), equations->reaction(p, p.lambda, p.nu, r),
          equations->constraint_acceleration(p, a, g), equations->rolling_acceleration(p, a, b),
          equations->auxiliary(p, e)})
      start.status = std::max(start.status, status);
    for (int i = 0; i < n.v; ++i) rate[i] = f[size(i)].d[0] - ma[size(i)].d[0] - r[size(i)].d[0];
    for (int i = 0; i < n.lambda; ++i) rate[n.v + i] = -g[size(i)].d[0];
    for (int i = 0; i < n.nu; ++i) rate[n.v + n.lambda + i] = -b[size(i)].d[0];
    for (int i = 0; i < n.z; ++i) rate[n.v + start.n_rows() + i] = -e[size(i)].d[0];
    return rate;
  }

  // Central differences over a thousandth of the time in which the state changes by its own size, extrapolated once.
  const MechanicalState centre = s;
  const auto at = [&](double h) {
    start.state.t = centre.t + h;
    start.state.q = centre.q + h * q_rate;
    start.state.v = centre.v + h * centre.a;
    start.state.z = centre.z + h * z_rate;
    Vector multipliers(start.n_rows()), value(rate.size());
    multipliers << centre.lambda, centre.nu;
    value << start.force() - start.inertia(centre.a) - start.reaction(multipliers), -start.accelerations(centre.a),
        -start.auxiliary();
    start.state = centre;
    return value;
  };
  const auto ratio = [](const Vector& x, const Vector& y) {
    return x.norm() > 0 && y.norm() > 0 ? x.norm() / y.norm() : 1e300;
  };
  const double time = std::min(ratio(s.q, q_rate), ratio(s.v, s.a));
  const double h = 1e-3 * (time < 1e300 ? time : 1.0);
  const Vector coarse = (at(h) - at(-h)) / (2 * h), fine = (at(h / 2) - at(-h / 2)) / h;
  return (4 * fine - coarse) / 3;
}

}  // namespace

/// In the limit ε → 0 the constraint is rigid: q₀, v₀, a₀, λ₀ and λ̇₀ follow from the index-3 equations. On the smooth
/// motion g(t, q, λ₀) = O(ε⁴) and its rate with λ̇₀ likewise, so
///   q_ε = q₀ ⊕ M⁻¹Gᵀw   with g(t, q_ε, λ₀) = 0,                                                      (1)
///   v_ε = v₀ + M⁻¹Gᵀw'  with G(q_ε) v_ε + g_t = −g_λ λ̇₀;                                             (2)
/// to first order (1) is q₀ + ε²q₁, (G M⁻¹Gᵀ) w = C λ₀.
Result<MechanicalState> smooth_start(const MechanicalSystem& system, const MechanicalState& guess,
                                     const ConsistentOptions& options) {
  Start start(system, guess, options, "smooth_start");
  if (auto ok = start.check(); !ok) return ok.error();
  const std::vector<int> hard = start.hard, soft = start.soft;

  start.hard.insert(start.hard.end(), soft.begin(), soft.end());
  std::sort(start.hard.begin(), start.hard.end());
  start.soft.clear();
  start.state.lambda.setZero();
  if (auto ok = start.project_positions(); !ok) return ok.error();
  start.find_dependent_rows();
  if (auto ok = start.project_velocities(); !ok) return ok.error();
  if (auto ok = start.solve_accelerations(); !ok) return ok.error();  // q₀, v₀, a₀, λ₀

  if (!soft.empty()) {
    const int n = system.sizes().v;
    const bool coupled = !start.algebraic_z.empty() || start.forces_depend_on_multipliers();
    const Vector rate = balance_rate(start);
    Vector rhs = Vector::Zero(n + static_cast<int>(start.active.size() + start.algebraic_z.size()));
    rhs.head(n) = rate.head(n);
    for (std::size_t k = 0; k < start.active.size(); ++k) rhs[n + static_cast<int>(k)] = rate[n + start.active[k]];
    for (std::size_t k = 0; k < start.algebraic_z.size(); ++k)
      rhs[n + static_cast<int>(start.active.size() + k)] = rate[n + start.n_rows() + start.algebraic_z[k]];
    const detail::SquareSystem matrix(detail::count(rhs), start.acceleration_matrix(coupled));
    if (auto ok = start.evaluated("forces and their rates"); !ok) return ok.error();
    const Vector rates = matrix.solve(rhs);
    Vector lambda_rate = Vector::Zero(start.n_g());
    for (std::size_t k = 0; k < start.active.size(); ++k)
      if (start.active[k] < start.n_g()) lambda_rate[start.active[k]] = rates[n + static_cast<int>(k)];

    if (auto ok = start.project_positions(); !ok) return ok.error();  // (1): λ₀ now stands in g
    Vector wanted = Vector::Zero(start.n_rows());
    wanted.head(start.n_g()) = -(start.compliance() * lambda_rate);
    start.find_dependent_rows();
    if (auto ok = start.project_velocities(wanted); !ok) return ok.error();  // (2)
  }
  start.hard = hard;
  start.soft = soft;
  start.find_dependent_rows();
  if (auto ok = start.solve_accelerations(); !ok) return ok.error();
  return start.state;
}

}  // namespace rubato
