#pragma once
/// The rows of a formulated mechanical system, written once over the scalar.
#include <algorithm>
#include <vector>

#include "rubato/linalg/small_solve.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato::detail {

/// Where the blocks of x begin; −1: not an unknown of this formulation.
struct Places {
  int q = -1, v = -1, p = -1, z = -1, lambda = -1, nu = -1, a = -1, mu = -1, n = 0;
};

/// What the rows are made from, the same for every scalar.
struct FormulationPlan {
  Formulation form;
  MechanicalSizes s;
  Places at;
  /// Rows of g, then of A v + b, that are left out (1) at the start, their multipliers held at zero; empty where all are
  /// independent. They may change on the way: what counts stands behind the system's own base.
  std::vector<double> dropped;
  std::size_t system_base = 0;
  std::vector<char> z_differential;

  [[nodiscard]] In base_of_system(In base) const noexcept { return base.first(system_base); }
  [[nodiscard]] In dropped_at(In base) const noexcept { return dropped.empty() ? In{} : base.subspan(system_base); }
};

template <class S>
class FormulatedRows {
 public:
  using SIn = std::span<const S>;
  using SOut = std::span<S>;
  using P = MechanicalPoint<S>;

  FormulatedRows(const MechanicalEquations<S>* equations, const FormulationPlan* plan)
      : equations_(equations), plan_(plan) {}

  /// The mechanical point behind x; v, λ, ν and a are solved for where they are no unknowns (then taken from the
  /// point's own scratch, which shrinks).
  struct Unknowns {
    P p;
    SIn a;       ///< filled for accelerations and state space, else empty
    In dropped;  ///< rows left out
    EvalStatus status = EvalStatus::ok;
  };

  [[nodiscard]] Unknowns unknowns(const Point<S>& at) const noexcept {
    const Places& o = plan_->at;
    const MechanicalSizes& s = plan_->s;
    Unknowns r;
    P& p = r.p;
    p.t = at.t;
    p.u = at.u;
    p.base = plan_->base_of_system(at.base);
    r.dropped = plan_->dropped_at(at.base);
    p.mode = at.mode;
    p.scratch = at.scratch;
    p.q = part(at.x, o.q, s.q);
    p.z = part(at.x, o.z, s.z);
    p.lambda = o.lambda >= 0 ? part(at.x, o.lambda, s.lambda) : SIn(p.scratch.template take<S>(count(s.lambda)));
    p.nu = o.nu >= 0 ? part(at.x, o.nu, s.nu) : SIn(p.scratch.template take<S>(count(s.nu)));
    if (o.v >= 0) {
      p.v = part(at.x, o.v, s.v);
    } else {
      const SOut v = p.scratch.template take<S>(count(s.v));
      p.v = v;
      if (o.p >= 0) r.status = velocities(p, part(at.x, o.p, s.v), v);
    }
    if (o.a >= 0) r.a = part(at.x, o.a, s.v);
    if (plan_->form.level == Level::penalty && s.lambda > 0) worst(r.status, penalty_multipliers(p));
    if (plan_->form.level == Level::state_space) worst(r.status, solve_accelerations(r));
    return r;
  }

  /// Accelerations: an unknown, solved inside, or from x' = w (zero where w is not known): v' = a, p' = M a + Ṁ v.
  [[nodiscard]] EvalStatus accelerations(const Unknowns& m, SIn w, SOut a) const noexcept {
    const Places& o = plan_->at;
    if (!m.a.empty()) {
      copy(m.a, a);
    } else if (w.empty() || plan_->form.level == Level::quasi_static) {
      for (auto& x : a) x = S(0.0);
    } else if (o.v >= 0) {
      copy(part(w, o.v, plan_->s.v), a);
    } else {
      P p = m.p;
      const SOut right = p.scratch.template take<S>(a.size());
      const EvalStatus status = equations_->inertia_rate(p, right);
      for (std::size_t i = 0; i < right.size(); ++i) right[i] = w[count(o.p) + i] - right[i];
      return std::max(status, velocities(p, SIn(right), a));
    }
    return EvalStatus::ok;
  }

  /// The right-hand side f of the formulated Dae.
  [[nodiscard]] EvalStatus f(const Point<S>& at, SOut out) const noexcept { return all_rows(at, out, whole_force); }

  /// One additive part of f: the m-th part of the forces; everything else (kinematics, reactions, constraints, Ṁv) belongs
  /// to the first. For forms whose balance of momentum is a differential row: Dae::part_names().
  [[nodiscard]] EvalStatus part_rows(int m, const Point<S>& at, SOut out) const noexcept {
    if (m == 0) return all_rows(at, out, 0);
    for (auto& x : out) x = S(0.0);
    const Unknowns u = unknowns(at);
    if (u.status != EvalStatus::ok) return u.status;
    const Places& o = plan_->at;
    return equations_->part_force(m, u.p, sub(out, o.p >= 0 ? o.p : o.v, plan_->s.v));
  }

  /// B(t,x) w.
  [[nodiscard]] EvalStatus mass_times(const Point<S>& at, SIn w, SOut out) const noexcept {
    const Places& o = plan_->at;
    const MechanicalSizes& s = plan_->s;
    for (auto& x : out) x = S(0.0);
    if (plan_->form.level != Level::quasi_static) copy(part(w, o.q, s.q), sub(out, o.q, s.q));
    EvalStatus status = EvalStatus::ok;
    if (o.p >= 0) copy(part(w, o.p, s.v), sub(out, o.p, s.v));
    const bool momentum_in_v = o.v >= 0 && plan_->form.kinetics == Kinetics::velocity;
    if (momentum_in_v && plan_->form.level != Level::state_space) {
      // Only t and q matter for M; the other blocks are those of x.
      P p = point_of(at);
      status = equations_->inertia(p, part(w, o.v, s.v), sub(out, o.v, s.v));
    } else if (o.v >= 0 && o.p < 0) {
      copy(part(w, o.v, s.v), sub(out, o.v, s.v));
    }
    for (int i = 0; i < s.z; ++i)
      if (plan_->z_differential[count(i)]) out[count(o.z + i)] = w[count(o.z + i)];
    if (plan_->form.level == Level::eps_lambda_rate && s.lambda > 0) {
      // −g_λ w: g is affine in λ.
      const double large = probe;
      P p = point_of(at);
      const SOut rows = sub(out, o.lambda, s.lambda);
      const SOut g = p.scratch.template take<S>(count(s.lambda));
      const SOut zero = p.scratch.template take<S>(count(s.lambda));
      p.lambda = zero;
      worst(status, equations_->constraint(p, rows));
      for (std::size_t i = 0; i < zero.size(); ++i) zero[i] = large * w[count(o.lambda) + i];
      worst(status, equations_->constraint(p, g));
      for (std::size_t i = 0; i < g.size(); ++i) rows[i] = (rows[i] - g[i]) / large;
    }
    return status;
  }

 private:
  /// g_λ is read off g(λ) − g(0) with λ this large, so that a tiny ε² does not drown in the rounding of g.
  static constexpr double probe = 0x1p60;
  static constexpr int whole_force = -1;

  /// f with the whole force or one part of it.
  EvalStatus all_rows(const Point<S>& at, SOut out, int force_part) const noexcept {
    Unknowns m = unknowns(at);
    EvalStatus status = m.status;
    if (status != EvalStatus::ok) return status;
    const Places& o = plan_->at;
    const MechanicalSizes& s = plan_->s;
    const Level level = plan_->form.level;
    P p = m.p;
    equations_->share(p);
    const SOut sum = p.scratch.template take<S>(count(s.v));
    const SOut react = p.scratch.template take<S>(count(s.v));

    // Kinematics (1); GGL moves with v − Gᵀμ.
    if (level != Level::quasi_static) {
      SIn v = p.v;
      if (o.mu >= 0) {
        worst(status, equations_->reaction(p, part(at.x, o.mu, s.lambda), {}, react));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = p.v[i] - react[i];
        v = sum;
      }
      worst(status, equations_->kinematics(p, v, sub(out, o.q, s.q)));
    }

    // Balance of momentum (2): sum = f − Gᵀλ − Aᵀν.
    if (level == Level::state_space) {
      copy(m.a, sub(out, o.v, s.v));
    } else {
      worst(status, force_part == whole_force ? equations_->force(p, sum) : equations_->part_force(force_part, p, sum));
      if (s.lambda + s.nu > 0) {
        worst(status, equations_->reaction(p, p.lambda, p.nu, react));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= react[i];
      }
      switch (level == Level::quasi_static ? Kinetics::velocity : plan_->form.kinetics) {
        case Kinetics::velocity: copy(sum, sub(out, level == Level::quasi_static ? o.q : o.v, s.v)); break;
        case Kinetics::accelerations:
          copy(m.a, sub(out, o.v, s.v));
          worst(status, equations_->inertia(p, m.a, react));
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] -= react[i];
          copy(sum, sub(out, o.a, s.v));
          break;
        case Kinetics::momentum:
          worst(status, equations_->inertia(p, p.v, react));
          for (std::size_t i = 0; i < sum.size(); ++i) sub(out, o.v, s.v)[i] = at.x[count(o.p) + i] - react[i];
          [[fallthrough]];
        case Kinetics::hamilton:
          worst(status, equations_->inertia_rate(p, react));
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += react[i];
          copy(sum, sub(out, o.p, s.v));
          break;
      }
    }

    if (s.z > 0) worst(status, equations_->auxiliary(p, sub(out, o.z, s.z)));  // (3)
    if (o.lambda >= 0) worst(status, constraint_rows(m, p, out));              // (4)
    if (o.nu >= 0) {                                                           // (5)
      const SOut rows = sub(out, o.nu, s.nu);
      worst(status, level == Level::index_1 ? rolling_acceleration_rows(p, m.a, rows) : equations_->rolling(p, rows));
    }
    if (!plan_->dropped.empty()) drop_rows(at, out);
    return status;
  }

  static std::size_t count(int n) noexcept { return static_cast<std::size_t>(n); }
  static SIn part(SIn x, int offset, int n) noexcept { return offset < 0 ? SIn{} : x.subspan(count(offset), count(n)); }
  static SOut sub(SOut x, int offset, int n) noexcept { return x.subspan(count(offset), count(n)); }
  static void copy(SIn from, SOut to) noexcept { std::copy(from.begin(), from.end(), to.begin()); }
  static void worst(EvalStatus& status, EvalStatus other) noexcept { status = std::max(status, other); }

  P point_of(const Point<S>& at) const noexcept {
    const Places& o = plan_->at;
    const MechanicalSizes& s = plan_->s;
    P p;
    p.t = at.t;
    p.q = part(at.x, o.q, s.q);
    p.v = part(at.x, o.v, s.v);
    p.z = part(at.x, o.z, s.z);
    p.lambda = part(at.x, o.lambda, s.lambda);
    p.nu = part(at.x, o.nu, s.nu);
    p.u = at.u;
    p.base = plan_->base_of_system(at.base);
    p.mode = at.mode;
    p.scratch = at.scratch;
    return p;
  }

  EvalStatus constraint_rows(const Unknowns& m, const P& p, SOut out) const noexcept {
    const Places& o = plan_->at;
    const MechanicalSizes& s = plan_->s;
    const SOut rows = sub(out, o.lambda, s.lambda);
    switch (plan_->form.level) {
      case Level::index_2:
      case Level::eps_lambda_rate: return equations_->constraint_rate(p, rows);
      case Level::ggl: {
        EvalStatus status = equations_->constraint_rate(p, rows);
        worst(status, equations_->constraint(p, sub(out, o.mu, s.lambda)));
        return status;
      }
      case Level::index_1: {
        // 0 = g̈ + 2α ġ + β² g
        EvalStatus status = equations_->constraint_acceleration(p, m.a, rows);
        const double alpha = plan_->form.baumgarte_alpha, beta = plan_->form.baumgarte_beta;
        if (alpha != 0 || beta != 0) {
          P q = p;
          const SOut level = q.scratch.template take<S>(rows.size());
          worst(status, equations_->constraint_rate(q, level));
          for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += 2.0 * alpha * level[i];
          worst(status, equations_->constraint(q, level));
          for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += beta * beta * level[i];
        }
        return status;
      }
      default: return equations_->constraint(p, rows);
    }
  }

  /// 0 = d/dt (A v + b) + 2α (A v + b)
  EvalStatus rolling_acceleration_rows(P p, SIn a, SOut rows) const noexcept {
    EvalStatus status = equations_->rolling_acceleration(p, a, rows);
    const double alpha = plan_->form.baumgarte_alpha;
    if (alpha == 0) return status;
    const SOut level = p.scratch.template take<S>(rows.size());
    worst(status, equations_->rolling(p, level));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += 2.0 * alpha * level[i];
    return status;
  }

  /// A dependent row says 0 = its multiplier instead. Patterns hold for both: another row may be left out later.
  void drop_rows(const Point<S>& at, SOut out) const noexcept {
    const Places& o = plan_->at;
    const In dropped = plan_->dropped_at(at.base);
    const auto hold = [&](int offset, In rows) {
      if (offset < 0) return;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        S& row = out[count(offset) + i];
        if constexpr (std::is_same_v<S, Tracer>)
          row = row + at.x[count(offset) + i];
        else if (rows[i] != 0)
          row = at.x[count(offset) + i];
      }
    };
    const std::size_t n = count(plan_->s.lambda);
    hold(o.lambda, dropped.first(n));
    hold(o.mu, dropped.first(n));
    hold(o.nu, dropped.subspan(n));
  }

  /// Columns of M, row-major n × n inside a matrix of `stride` columns.
  EvalStatus mass_columns(P p, SOut matrix, std::size_t stride) const noexcept {
    const std::size_t n = count(plan_->s.v);
    const SOut unit = p.scratch.template take<S>(n);
    const SOut column = p.scratch.template take<S>(n);
    EvalStatus status = EvalStatus::ok;
    for (std::size_t j = 0; j < n; ++j) {
      unit[j] = S(1.0);
      worst(status, equations_->inertia(p, SIn(unit), column));
      unit[j] = S(0.0);
      for (std::size_t i = 0; i < n; ++i) matrix[i * stride + j] = column[i];
    }
    return status;
  }

  /// v = M(q)⁻¹ p.
  EvalStatus velocities(P p, SIn momentum, SOut v) const noexcept {
    const SOut matrix = p.scratch.template take<S>(v.size() * v.size());
    const EvalStatus status = mass_columns(p, matrix, v.size());
    copy(momentum, v);
    if (status != EvalStatus::ok) return status;
    return solve_small(matrix, v) ? EvalStatus::ok : EvalStatus::out_of_domain;
  }

  /// λ_i = −g_i(t,q,0)/g_λ,ii for a diagonal g_λ; writes into the scratch block that p.lambda shows.
  EvalStatus penalty_multipliers(P& p) const noexcept {
    const std::size_t n = p.lambda.size();
    const SOut g0 = p.scratch.template take<S>(n);
    const SOut g1 = p.scratch.template take<S>(n);
    const SOut one = p.scratch.template take<S>(n);
    EvalStatus status = equations_->constraint(p, g0);  // λ is zero so far
    for (auto& x : one) x = S(probe);
    P q = p;
    q.lambda = one;
    worst(status, equations_->constraint(q, g1));
    for (std::size_t i = 0; i < n; ++i) one[i] = g0[i] * probe / (g0[i] - g1[i]);
    p.lambda = one;
    return status;
  }

  /// [M Gᵀ Aᵀ; G 0 0; A 0 0] (a, λ, ν) = (f, −γ, −α), dependent rows replaced by λ_k = 0.
  EvalStatus solve_accelerations(Unknowns& m) const noexcept {
    P& p = m.p;
    const MechanicalSizes& s = plan_->s;
    const std::size_t nv = count(s.v), nl = count(s.lambda), nn = count(s.nu), n = nv + nl + nn;
    const SOut right = p.scratch.template take<S>(n);
    P inner = p;
    const SOut matrix = inner.scratch.template take<S>(n * n);
    const SOut multiplier = inner.scratch.template take<S>(nl + nn);
    const SOut column = inner.scratch.template take<S>(nv);
    const SOut zero = inner.scratch.template take<S>(nv);
    EvalStatus status = mass_columns(inner, matrix, n);
    worst(status, equations_->force(inner, right.first(nv)));
    for (std::size_t k = 0; k < nl + nn; ++k) {
      multiplier[k] = S(1.0);
      worst(status, equations_->reaction(inner, SIn(multiplier).first(nl), SIn(multiplier).subspan(nl), column));
      multiplier[k] = S(0.0);
      const bool dropped = !m.dropped.empty() && m.dropped[k] != 0;
      for (std::size_t i = 0; i < nv; ++i) {
        matrix[i * n + nv + k] = column[i];
        if (!dropped) matrix[(nv + k) * n + i] = column[i];
      }
      if (dropped) matrix[(nv + k) * n + nv + k] = S(1.0);
    }
    if (nl > 0) worst(status, equations_->constraint_acceleration(inner, SIn(zero), right.subspan(nv, nl)));
    if (nn > 0) worst(status, equations_->rolling_acceleration(inner, SIn(zero), right.subspan(nv + nl, nn)));
    for (std::size_t k = nv; k < n; ++k) {
      const bool dropped = !m.dropped.empty() && m.dropped[k - nv] != 0;
      right[k] = dropped ? S(0.0) : -right[k];
    }
    if (status != EvalStatus::ok) return status;
    if (!solve_small(matrix, right)) return EvalStatus::out_of_domain;
    m.a = SIn(right).first(nv);
    p.lambda = SIn(right).subspan(nv, nl);
    p.nu = SIn(right).subspan(nv + nl, nn);
    return EvalStatus::ok;
  }

  const MechanicalEquations<S>* equations_;
  const FormulationPlan* plan_;
};

/// Scratch the rows take over Dual8, the widest scalar.
inline std::size_t formulated_scratch_bytes(const FormulationPlan& plan) noexcept {
  const auto& s = plan.s;
  const auto vectors = static_cast<std::size_t>(8 * s.v + 2 * s.q + 6 * (s.lambda + s.nu) + 2 * s.z);
  std::size_t dense = 0;
  if (plan.form.level == Level::state_space) dense = static_cast<std::size_t>(s.v + s.lambda + s.nu);
  if (plan.form.kinetics == Kinetics::hamilton) dense = std::max(dense, static_cast<std::size_t>(s.v));
  return sizeof(Dual8) * (vectors + dense * dense + dense) + 64 * Scratch::alignment;
}

}  // namespace rubato::detail
