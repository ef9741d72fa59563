/// Static equilibria: positions at which all forces balance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equilibrium_matrix.hpp"
#include "rubato/base/text.hpp"
#include "rubato/linalg/colouring.hpp"
#include "start.hpp"

namespace rubato {
namespace {

using detail::EquilibriumMatrix;
using detail::Sparse;
using detail::Start;
using detail::Triplets;

std::size_t size(int k) { return static_cast<std::size_t>(k); }

/// (Gᵀλ − f; g; e) at rest, over any scalar.
template <class S>
EvalStatus balance(const MechanicalEquations<S>& equations, const MechanicalSizes& n, const MechanicalPoint<S>& p,
                   std::span<S> forces, std::span<S> out) {
  const auto v = size(n.v), g = size(n.lambda);
  EvalStatus status = equations.force(p, forces);
  status = std::max(status, equations.reaction(p, p.lambda, p.nu, out.first(v)));
  for (std::size_t i = 0; i < v; ++i) out[i] -= forces[i];
  status = std::max(status, equations.constraint(p, out.subspan(v, g)));
  return std::max(status, equations.auxiliary(p, out.subspan(v + g)));
}

/// The equations F(y) = 0 for y = (δ, λ, z), q = q₀ ⊕ N δ, and their solution.
class Equilibrium {
 public:
  explicit Equilibrium(Start& start)
      : start_(start), n_(start.system.sizes()), unknowns_(n_.v + n_.lambda + n_.z), forces_(n_.v) {
    free_.assign(size(unknowns_), 1);
    for (const int row : start.rank.dependent) free_[size(n_.v + row)] = 0;  // row and multiplier left out
  }

  [[nodiscard]] Result<void> solve();
  /// y ← y − s J⁻¹F, s halved until the next correction is shorter (natural monotonicity, as in make_consistent).
  [[nodiscard]] bool newton();

 private:
  [[nodiscard]] bool evaluate(Vector& out) {
    out.resize(unknowns_);
    const EvalStatus status = balance<double>(start_.system, n_, start_.point(), view(forces_), view(out));
    if (left_ > 0) out -= left_ * first_;
    return status == EvalStatus::ok && out.allFinite();
  }
  void move(const Vector& step, double fraction) {
    start_.state.q += start_.kinematics(fraction * step.head(n_.v));
    start_.state.lambda += fraction * step.segment(n_.v, n_.lambda);
    if (e_z_.size() > 0)
      relax();
    else
      start_.state.z += fraction * step.tail(n_.z);
  }
  /// Local z follow at once, e(q, z) = 0 (e is linear in z): linearised they would lag behind large steps of q. What is left is Newton's method for a
  /// model without them.
  void relax() {
    const Vector e = start_.auxiliary();
    if (e_z_.size() > 0 && e.allFinite()) start_.state.z -= e.cwiseQuotient(e_z_);
  }
  void accept() {
    if (start_.system.base_size() > 0) start_.system.rebase(view(start_.state.q), view(start_.state.base));
  }
  [[nodiscard]] Sparse jacobian();
  [[nodiscard]] std::optional<Sparse> model_tangents();
  /// J + M/τ on the rows of forces, rows left out replaced by those of the identity.
  [[nodiscard]] EquilibriumMatrix matrix(const Sparse& j, const Sparse* mass, double tau) const;
  [[nodiscard]] Vector masked(Vector f) const {
    for (int i = 0; i < unknowns_; ++i)
      if (free_[size(i)] == 0) f[i] = 0;
    return f;
  }
  [[nodiscard]] Vector sizes_of(const Vector& step) const;
  [[nodiscard]] bool load_steps();
  [[nodiscard]] bool pseudo_time();
  /// |F_i| within the tolerance of the terms it is the sum of; `loose` allows unknowns of size one.
  [[nodiscard]] bool balanced(const Vector& f, const Sparse& j, bool loose) const;
  [[nodiscard]] std::string component_name(int i) const;

  Start& start_;
  const MechanicalSizes n_;
  int unknowns_;
  std::vector<char> free_;
  Vector forces_;
  Vector e_z_;       ///< where the z are local: the diagonal of e_z, once it is known
  Vector first_;     ///< F where load steps begin
  double left_ = 0;  ///< the part of it that is still taken off
};

std::optional<Sparse> Equilibrium::model_tangents() {
  const MechanicalSystem& system = start_.system;
  if (system.tangent_kind() == ModelJacobian::none || !system.plain_coordinates()) return std::nullopt;
  const ResidualTangentPatterns patterns = system.tangent_patterns();
  const auto values = [](const SparsePattern& pattern) { return Vector(Vector::Zero(pattern.nnz())); };
  Vector k = values(patterns.K), d = values(patterns.D), r = values(patterns.r_lambda), g = values(patterns.g_q),
         c = values(patterns.g_lambda), r_z = values(patterns.r_z), e_q = values(patterns.e_q),
         e_z = values(patterns.e_z);
  const Vector at_rest = Vector::Zero(n_.v);
  if (system.tangents(start_.point(), view(at_rest),
                      {.K = view(k),
                       .D = view(d),
                       .r_lambda = view(r),
                       .g_q = view(g),
                       .g_lambda = view(c),
                       .r_z = view(r_z),
                       .e_q = view(e_q),
                       .e_z = view(e_z)}) != EvalStatus::ok)
    return std::nullopt;
  Triplets entries;
  const auto put = [&](const SparsePattern& pattern, const Vector& x, int row, int col) {
    for (int j = 0, p = 0; j < pattern.cols(); ++j)
      for (const int i : pattern.column(j)) entries.emplace_back(row + i, col + j, x[p++]);
  };
  const int lambda = n_.v, z = n_.v + n_.lambda;
  put(patterns.K, k, 0, 0);
  put(patterns.r_lambda, r, 0, lambda);
  put(patterns.g_q, g, lambda, 0);
  put(patterns.g_lambda, c, lambda, lambda);
  put(patterns.r_z, r_z, 0, z);
  put(patterns.e_q, e_q, z, 0);
  put(patterns.e_z, e_z, z, z);
  Sparse j(unknowns_, unknowns_);
  j.setFromTriplets(entries.begin(), entries.end());
  return j;
}

/// ∂F/∂y: the model's tangents, else dual numbers, else central differences, on grouped columns when large.
Sparse Equilibrium::jacobian() {
  if (auto tangents = model_tangents()) return *tangents;
  const MechanicalSystem& system = start_.system;
  const MechanicalPoint<double> here = start_.point();
  const Sparse directions = [&] {  // N: what δ_j does to q
    if (system.plain_coordinates()) {
      Sparse identity(n_.q, n_.v);
      identity.setIdentity();
      return identity;
    }
    return detail::assembled({.rows = n_.q, .cols = n_.v, .apply = [&](In v, Out rate) {
                                start_.status = std::max(start_.status, system.kinematics(here, v, rate));
                              }});
  }();

  SparsePattern pattern;
  if (unknowns_ <= 100 || system.tracer() == nullptr) {
    pattern = SparsePattern::dense(unknowns_, unknowns_);
  } else {
    const Vector zero = Vector::Zero(unknowns_);
    pattern = detail::traced(unknowns_, view(zero), [&](std::span<const Tracer> y, std::span<Tracer> out) {
      std::vector<Tracer> memory, forces(size(n_.v));
      const auto p = start_.lifted(memory);
      for (int j = 0; j < n_.v; ++j)
        for (Sparse::InnerIterator it(directions, j); it; ++it) memory[size(static_cast<int>(it.row()))] += y[size(j)];
      for (int i = 0; i < n_.z; ++i) memory[size(n_.q + n_.v + i)] += y[size(n_.v + n_.lambda + i)];
      for (int i = 0; i < n_.lambda; ++i) memory[size(n_.q + n_.v + n_.z + i)] += y[size(n_.v + i)];
      start_.status = std::max(start_.status, balance<Tracer>(*system.tracer(), n_, p, forces, out));
    });
  }
  const ColumnGroups groups = group_columns(pattern);
  Triplets entries;
  const auto n_groups = static_cast<std::size_t>(groups.n_groups);

  if (const auto* equations = system.dual()) {
    constexpr std::size_t lanes = 8;
    std::vector<Dual8> memory, forces(size(n_.v)), out(size(unknowns_));
    const auto p = start_.lifted(memory);
    const auto seed = [&](int col, std::size_t lane, double value) {
      if (col < n_.v)
        for (Sparse::InnerIterator it(directions, col); it; ++it)
          memory[size(static_cast<int>(it.row()))].d[lane] = value * it.value();
      else if (col < n_.v + n_.lambda)
        memory[size(n_.q + n_.v + n_.z + col - n_.v)].d[lane] = value;
      else
        memory[size(n_.q + n_.v + col - n_.v - n_.lambda)].d[lane] = value;
    };
    for (std::size_t first = 0; first < n_groups; first += lanes) {
      const std::size_t used = std::min(lanes, n_groups - first);
      for (std::size_t lane = 0; lane < used; ++lane)
        for (const int col : groups.members[first + lane]) seed(col, lane, 1);
      start_.status = std::max(start_.status, balance<Dual8>(*equations, n_, p, forces, out));
      for (std::size_t lane = 0; lane < used; ++lane)
        for (const int col : groups.members[first + lane]) {
          seed(col, lane, 0);
          for (const int row : pattern.column(col)) entries.emplace_back(row, col, out[size(row)].d[lane]);
        }
    }
  } else {
    const MechanicalState kept = start_.state;
    Vector increments(unknowns_);
    const auto scale = [](const Vector& x) { return x.size() > 0 ? std::max(x.cwiseAbs().maxCoeff(), 1e-6) : 1.0; };
    const double root = std::cbrt(2e-16), q = root * scale(kept.q), l = root * scale(kept.lambda),
                 z = root * scale(kept.z);
    for (int i = 0; i < unknowns_; ++i) increments[i] = i < n_.v ? q : i < n_.v + n_.lambda ? l : z;
    Vector plus, minus;
    for (const auto& members : groups.members) {
      Vector step = Vector::Zero(unknowns_);
      for (const int col : members) step[col] = increments[col];
      move(step, 1);
      bool good = evaluate(plus);
      start_.state = kept;
      move(step, -1);
      good = evaluate(minus) && good;
      start_.state = kept;
      if (!good) start_.status = EvalStatus::out_of_domain;
      for (const int col : members)
        for (const int row : pattern.column(col))
          if (plus[row] != minus[row]) entries.emplace_back(row, col, (plus[row] - minus[row]) / (2 * increments[col]));
    }
  }
  Sparse j(unknowns_, unknowns_);
  j.setFromTriplets(entries.begin(), entries.end());
  return j;
}

EquilibriumMatrix Equilibrium::matrix(const Sparse& j, const Sparse* mass, double tau) const {
  Triplets entries;
  for (int col = 0; col < unknowns_; ++col) {
    for (Sparse::InnerIterator it(j, col); it; ++it)
      if (free_[size(static_cast<int>(it.row()))] != 0 && free_[size(col)] != 0)
        entries.emplace_back(it.row(), col, it.value());
    if (free_[size(col)] == 0) entries.emplace_back(col, col, 1.0);
    if (mass != nullptr && col >= n_.v + n_.lambda) entries.emplace_back(col, col, -1 / tau);
  }
  if (mass != nullptr)
    for (int col = 0; col < n_.v; ++col)
      for (Sparse::InnerIterator it(*mass, col); it; ++it) entries.emplace_back(it.row(), col, it.value() / tau);
  return {unknowns_, start_.system.z_is_local() ? n_.z : 0, entries};
}

bool Equilibrium::balanced(const Vector& f, const Sparse& j, bool loose) const {
  Vector y(unknowns_);
  y << (start_.system.plain_coordinates() ? Vector(start_.state.q.cwiseAbs()) : Vector::Ones(n_.v)),
      start_.state.lambda.cwiseAbs(), start_.state.z.cwiseAbs();
  if (loose) y = y.cwiseMax(1.0);
  Vector terms = j.cwiseAbs() * y;
  terms.head(n_.v) += forces_.cwiseAbs();
  return (f.cwiseAbs().array() <= start_.options.tolerance * terms.array()).all();
}

/// What corrections are measured in: the largest of positions, multipliers and auxiliary states, or of the step in them. One
/// size for all of a kind, for rounding in coordinates that do not move is no correction.
Vector Equilibrium::sizes_of(const Vector& step) const {
  Vector sizes(unknowns_);
  const auto largest = [](const auto& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; };
  const auto fill = [&](int first, int n, const Vector& x) {
    sizes.segment(first, n).setConstant(std::max({largest(x), largest(step.segment(first, n)), 1e-300}));
  };
  fill(0, n_.v, start_.state.q);
  fill(n_.v, n_.lambda, start_.state.lambda);
  fill(n_.v + n_.lambda, n_.z, start_.state.z);
  return sizes;
}

bool Equilibrium::newton() {
  Vector f, trial;
  if (n_.z > 0 && start_.system.z_is_local()) {
    e_z_ = jacobian().diagonal().tail(n_.z);
    if (start_.status != EvalStatus::ok) return false;
    relax();
  }
  if (!evaluate(f)) return false;
  double last = 0;
  bool was_balanced = false;  // one step more polishes
  for (int iteration = 0; iteration <= start_.options.max_iterations; ++iteration) {
    const Sparse j = jacobian();
    if (start_.status != EvalStatus::ok) return false;
    f = masked(f);
    if (balanced(f, j, false)) {
      if (was_balanced) return true;
      was_balanced = true;
    }
    const bool good_enough = balanced(f, j, true);
    const EquilibriumMatrix a = matrix(j, nullptr, 1);
    if (!a.regular()) return good_enough;
    const Vector step = -a.solve(f);
    const Vector weight = sizes_of(step);
    const double length = step.cwiseQuotient(weight).norm();
    const MechanicalState kept = start_.state;
    bool moved = false;
    for (double fraction = 1; fraction > 1e-4 && !moved; fraction /= 2) {
      move(step, fraction);
      moved = evaluate(trial) && a.solve(masked(trial)).cwiseQuotient(weight).norm() <= (1 - fraction / 4) * length;
      if (!moved) start_.state = kept;
    }
    if (!moved) return good_enough;
    accept();
    f = trial;
    const double change = step.cwiseAbs().maxCoeff();
    if (good_enough && change >= last && iteration > 1) return true;
    last = change;
  }
  return false;
}

/// 0 = F(y) − (1 − s) F(y₀) for s from 0 to 1, as far in each step as Newton's method follows. Where the start is free of
/// stress F(y₀) is the load: it grows from zero, and y along the branch that begins at the start.
bool Equilibrium::load_steps() {
  relax();
  if (!evaluate(first_)) return false;
  first_ = masked(first_);
  double done = 0, step = 0.25;
  while (done < 1 && step > 1e-3) {
    const MechanicalState kept = start_.state;
    const double next = std::min(done + step, 1.0);
    left_ = 1 - next;
    if (newton()) {
      done = next;
      step *= 1.5;
    } else {
      start_.status = EvalStatus::ok;
      start_.state = kept;
      step /= 2;
    }
  }
  left_ = 0;
  return done == 1;
}

/// Where that fails as well: implicit Euler steps τ along M δ' = f − Gᵀλ, 0 = g, z' = e, each solved by one
/// Newton step; τ follows the balance, τ ∝ 1/|F| (switched evolution relaxation: Kelley & Keyes, SIAM J. Numer. Anal.
/// 35 (1998) 508, doi:10.1137/S0036142996304796). It runs downhill, so it finds stable equilibria.
bool Equilibrium::pseudo_time() {
  const Sparse mass = start_.mass();
  Vector f, next;
  if (!evaluate(f)) return false;
  f = masked(f);
  const auto size_of_forces = [this](const Vector& x) { return std::max(x.head(n_.v).norm(), 1e-300); };
  // A first step that moves nothing by more than a tenth of the model's extent.
  const double extent = std::max(start_.state.q.size() > 0 ? start_.state.q.cwiseAbs().maxCoeff() : 1.0, 1e-6);
  Vector masses = mass.diagonal().cwiseMax(1e-300);
  double tau = 0.1 * extent / std::max(f.head(n_.v).cwiseAbs().cwiseQuotient(masses).maxCoeff(), 1e-300);
  double smallest = size_of_forces(f);
  for (int iteration = 0; iteration < 20 * start_.options.max_iterations; ++iteration) {
    const Sparse j = jacobian();
    if (start_.status != EvalStatus::ok) return false;
    if (balanced(f, j, false)) return true;  // also where a free direction keeps J singular
    const EquilibriumMatrix a = matrix(j, &mass, tau);
    const MechanicalState kept = start_.state;
    bool moved = false;
    if (a.regular()) {
      const Vector step = -a.solve(f);
      moved = step.allFinite() && step.head(n_.v).cwiseAbs().maxCoeff() <= 0.5 * extent;
      if (moved) {
        move(step, 1);
        moved = evaluate(next);
      }
    }
    if (!moved) {
      start_.state = kept;
      tau /= 4;
      if (tau < 1e-30) return false;
      continue;
    }
    accept();
    next = masked(next);
    const double before = size_of_forces(f), after = size_of_forces(next);
    tau *= std::clamp(before / after, 0.5, 4.0);
    f = next;
    if (after < 0.1 * smallest) {  // near enough to try again?
      smallest = after;
      const MechanicalState here = start_.state;
      if (newton()) return true;
      start_.status = EvalStatus::ok;
      start_.state = here;
      if (!evaluate(f)) return false;
      f = masked(f);
    }
  }
  return false;
}

std::string Equilibrium::component_name(int i) const {
  if (i < n_.v) return "the forces on " + start_.coordinate_name(i);
  if (i < n_.v + n_.lambda) return "constraint " + start_.row_name(i - n_.v);
  const auto names = start_.system.names("z");
  const auto k = size(i - n_.v - n_.lambda);
  return "the auxiliary equation of " + (k < names.size() ? names[k] : fmt::format("z[{}]", k));
}

Result<void> Equilibrium::solve() {
  const MechanicalState kept = start_.state;
  bool found = newton();
  for (const auto way : {&Equilibrium::load_steps, &Equilibrium::pseudo_time}) {
    if (found) break;
    start_.status = EvalStatus::ok;
    start_.state = kept;
    found = (this->*way)();
  }
  start_.status = EvalStatus::ok;
  Vector f;
  if (!evaluate(f)) return start_.error("the model cannot be evaluated on the way to equilibrium");
  if (found) {
    for (const int row : start_.rank.dependent)
      if (std::abs(f[n_.v + row]) > 1e-8 * std::max(1.0, start_.state.q.cwiseAbs().maxCoeff()))
        return start_.error(
            fmt::format("the constraints contradict each other in equilibrium: {} follows from the "
                        "others and has residual {:.3g}",
                        start_.row_name(row), f[n_.v + row]));
    return {};
  }
  f = masked(f);
  Eigen::Index worst = 0;
  f.cwiseAbs().maxCoeff(&worst);
  return start_.error(fmt::format("no equilibrium found from this guess: residual {:.3g} remains in {}", f[worst],
                                  component_name(static_cast<int>(worst))));
}

/// At rest, positions projected, dependent rows known, reactions guessed.
Result<void> prepare(Start& start) {
  start.state.v.setZero();
  start.state.a.setZero();
  start.state.nu.setZero();
  if (auto ok = start.check(); !ok) return ok;
  std::erase_if(start.hard, [&](int row) { return row >= start.n_g(); });  // rolling does not act at rest
  start.options.minimum_norm = false;
  if (auto ok = start.project_positions(); !ok) return ok;
  start.find_dependent_rows();
  if (auto ok = start.evaluated("masses and constraint forces"); !ok) return ok;
  const MechanicalState projected = start.state;
  if (!start.solve_accelerations()) start.state = projected;  // a first guess of λ only
  start.state.a.setZero();
  start.status = EvalStatus::ok;
  return {};
}

}  // namespace

Result<MechanicalState> static_equilibrium(const MechanicalSystem& system, const MechanicalState& guess,
                                           const ConsistentOptions& options) {
  Start start(system, guess, options, "static_equilibrium");
  if (auto ok = prepare(start); !ok) return ok.error();
  Equilibrium equilibrium(start);
  if (auto ok = equilibrium.solve(); !ok) return ok.error();
  if (options.minimum_norm) start.share_dependent_reactions();
  return start.state;
}

Result<MechanicalState> static_path(const MechanicalSystem& system, const MechanicalState& guess,
                                    const PathOptions& options) {
  Start start(system, guess, options.start, "static_path");
  for (std::size_t i = 0; i < options.times.size(); ++i)
    if (const double before = i == 0 ? guess.t : options.times[i - 1];
        !(options.times[i] > before || (i == 0 && options.times[i] == before)) || !std::isfinite(options.times[i]))
      return start.error(
          fmt::format("times[{}] = {} is not after {}", i, shortest(options.times[i]), shortest(before)));
  if (auto ok = prepare(start); !ok) return ok.error();
  Equilibrium equilibrium(start);
  if (auto ok = equilibrium.solve(); !ok) return ok.error();
  MechanicalState& here = start.state;
  MechanicalState last = here;  // before `here`, for the line through both
  const bool plain = system.plain_coordinates();
  for (const double target : options.times) {
    double part = 1;  // of the way from the last equilibrium to the target
    while (here.t < target) {
      const MechanicalState kept = here;
      const double step = part * (target - kept.t);
      here.t = part == 1 ? target : kept.t + step;
      if (kept.t > last.t && plain) {
        const double ahead = (here.t - kept.t) / (kept.t - last.t);
        here.q += ahead * (kept.q - last.q);
        here.lambda += ahead * (kept.lambda - last.lambda);
        here.z += ahead * (kept.z - last.z);
      }
      bool found = equilibrium.newton();
      if (!found) {  // without the line
        start.status = EvalStatus::ok;
        const double t = here.t;
        here = kept;
        here.t = t;
        found = equilibrium.newton();
      }
      if (found) {
        last = kept;
        part = std::min(1.0, 2 * part);
        continue;
      }
      start.status = EvalStatus::ok;
      here = kept;
      part /= 2;
      if (part < 1.0 / 1024)
        return start.error(
            fmt::format("no equilibrium found beyond t = {} on the way to {}", shortest(here.t), shortest(target)));
    }
    if (options.found && !options.found(here)) break;
  }
  return here;
}

}  // namespace rubato
