#include "rubato/problem/formulation.hpp"

#include <fmt/format.h>

#include <string>

#include "formulated_rows.hpp"
#include "formulation_pattern.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato {

namespace {

using detail::FormulatedRows;
using detail::FormulationPlan;
using detail::Places;

/// Forwards the rows of one scalar.
template <class S>
class RowEquations final : public DaeEquations<S> {
 public:
  RowEquations(const MechanicalEquations<S>* equations, const FormulationPlan* plan) : rows_(equations, plan) {}
  EvalStatus f(const Point<S>& at, std::span<S> out) const noexcept override { return rows_.f(at, out); }
  EvalStatus mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const noexcept override {
    return rows_.mass_times(at, w, out);
  }
  EvalStatus part(int m, const Point<S>& at, std::span<S> out) const noexcept override {
    return rows_.part_rows(m, at, out);
  }

 private:
  FormulatedRows<S> rows_;
};

/// κ of the blocks (DESIGN: index 3 and ε²λ: q 0, v 1, λ 2; velocity and acceleration level: v 0, a, λ, μ 1).
struct Powers {
  int v = 0, multiplier = 1;
};
Powers powers(const Formulation& form, const MechanicalSizes& s) noexcept {
  const bool constrained = s.lambda > 0;
  switch (form.level) {
    case Level::eps_lambda:
    case Level::eps_lambda_rate:
    case Level::index_3: return constrained ? Powers{1, 2} : Powers{};
    default: return {};
  }
}

int differentiation_index(const Formulation& form, const MechanicalSystem& system) noexcept {
  const auto& s = system.sizes();
  const bool extra = form.kinetics == Kinetics::accelerations || form.kinetics == Kinetics::momentum;
  bool algebraic_z = false;
  for (int i = 0; i < s.z; ++i) algebraic_z = algebraic_z || !system.z_is_differential(i);
  const int free_index = extra || algebraic_z ? 1 : 0;
  const int rolling_index = s.nu > 0 ? 2 : free_index;
  switch (form.level) {
    case Level::penalty:
    case Level::eps_lambda_rate: return rolling_index;
    case Level::state_space: return algebraic_z ? 1 : 0;
    case Level::eps_lambda:
      if (s.lambda == 0) return rolling_index;
      return system.compliant() ? std::max(1, rolling_index) : 3;
    case Level::index_3: return s.lambda > 0 ? 3 : rolling_index;
    case Level::index_2:
    case Level::ggl: return s.lambda > 0 ? 2 : rolling_index;
    case Level::index_1:
    case Level::quasi_static: return 1;
  }
  return 0;
}

Layout make_layout(const MechanicalSystem& system, const Formulation& form, Places& at) {
  const auto& s = system.sizes();
  const Powers k = powers(form, s);
  Layout layout;
  const auto add = [&](int& place, std::string_view name, int size, Kind kind, int h_power, ScaledUnknown unknown,
                       ScaledEquation equation) {
    if (size == 0) return;
    place = layout.size();
    auto names = system.names(name);
    if (static_cast<int>(names.size()) != size) names.clear();
    layout.add({.name = std::string(name),
                .size = size,
                .unit = system.unit(name),
                .kind = kind,
                .h_power = h_power,
                .unknown = unknown,
                .equation = equation,
                .components = std::move(names)});
  };
  const bool still = form.level == Level::quasi_static;
  const bool hamilton = form.kinetics == Kinetics::hamilton && !still;
  const bool momentum = form.kinetics == Kinetics::momentum && !still;
  const bool accelerations = form.kinetics == Kinetics::accelerations && !still;
  const bool multipliers = form.level != Level::penalty && form.level != Level::state_space;
  using U = ScaledUnknown;
  using E = ScaledEquation;
  const auto d = Kind::differential, alg = Kind::algebraic;
  add(at.q, "q", s.q, still ? alg : d, 0, U::position, still ? E::dynamic : E::kinematic);
  // With accelerations or momenta as further unknowns the row of v only defines them.
  const E v_row = accelerations || momentum ? E::plain : E::dynamic;
  if (!still && !hamilton) add(at.v, "v", s.v, momentum ? alg : d, k.v, U::velocity, v_row);
  if (hamilton || momentum) add(at.p, "p", s.v, d, k.v, U::plain, E::dynamic);
  add(at.z, "z", s.z, d, 0, U::plain, E::plain);
  for (int i = 0; i < s.z; ++i)
    if (!system.z_is_differential(i)) layout.set_kind(at.z + i, Kind::algebraic);
  const E level = form.level == Level::index_1                               ? E::acceleration_constraint
                  : form.level == Level::index_2 || form.level == Level::ggl ? E::velocity_constraint
                  : form.level == Level::eps_lambda_rate                     ? E::plain
                                                                             : E::position_constraint;
  if (multipliers)
    add(at.lambda, "lambda", s.lambda, form.level == Level::eps_lambda_rate ? d : alg, still ? 0 : k.multiplier,
        U::force, level);
  if (form.level != Level::state_space && !still)
    add(at.nu, "nu", s.nu, alg, k.v + 1, U::force,
        form.level == Level::index_1 ? E::acceleration_constraint : E::velocity_constraint);
  if (accelerations) add(at.a, "a", s.v, alg, k.v + 1, U::acceleration, E::dynamic);
  if (form.level == Level::ggl) add(at.mu, "mu", s.lambda, alg, 1, U::position_multiplier, E::position_constraint);
  at.n = layout.size();

  // Local unknowns: z' = e gives z where each relaxes on its own, v' = a gives a, 0 = p − M v gives p, q' = N v gives v.
  if (s.z > 0 && system.z_is_local()) layout.eliminate("z", "z");
  if (accelerations) layout.eliminate("v", "a");
  if (momentum) layout.eliminate("v", "p");
  const bool invertible = s.q == s.v && system.rates_near_identity();
  if (at.v >= 0 && invertible && form.level != Level::state_space) layout.eliminate("q", "v");
  if (form.level == Level::eps_lambda) {
    std::vector<LocalUnknown> local;
    for (const int i : system.local_multipliers()) local.push_back({at.lambda + i, at.lambda + i});
    layout.eliminate(local);
  }
  layout.set_index(differentiation_index(form, system));
  return layout;
}

/// A block within the Jacobian. Its rows are neighbours there, so each of its columns stays in one piece.
class PlacedBlock {
 public:
  PlacedBlock() = default;
  PlacedBlock(const SparsePattern& block, const SparsePattern& whole, int row, int col)
      : starts_(block.column_starts().begin(), block.column_starts().end()) {
    for (int j = 0; j < block.cols(); ++j)
      first_.push_back(block.column(j).empty() ? 0 : whole.index_of(row + block.column(j)[0], col + j));
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return starts_.empty() ? 0 : static_cast<std::size_t>(starts_.back());
  }
  /// values of the whole = factor · the block's.
  void put(In block, double factor, Out values) const noexcept {
    for (std::size_t j = 0; j < first_.size(); ++j)
      for (int p = starts_[j], to = first_[j]; p < starts_[j + 1]; ++p, ++to)
        values[static_cast<std::size_t>(to)] = factor * block[static_cast<std::size_t>(p)];
  }

 private:
  std::vector<int> starts_, first_;
};

class FormulatedSystem final : public FormulatedDae {
 public:
  FormulatedSystem(std::shared_ptr<const MechanicalSystem> system, FormulationPlan plan, Layout layout)
      : system_(std::move(system)),
        plan_(std::move(plan)),
        rows_(system_.get(), &plan_),
        dual_(system_->dual(), &plan_),
        tracer_(system_->tracer(), &plan_) {
    layout_ = std::move(layout);
    if (plan_.s.z > 0 && tangents_apply()) {
      const SparsePattern e_z = system_->tangent_patterns().e_z;
      tangents_of_z_ = e_z.rows() == plan_.s.z && e_z.cols() == plan_.s.z;
    }
    if (tangents_apply()) collect_tangent_pattern();
  }

  const MechanicalSystem& system() const noexcept override { return *system_; }
  const Formulation& formulation() const noexcept override { return plan_.form; }

  EvalStatus f(const At& at, Out out) const noexcept override { return rows_.f(at, out); }
  EvalStatus mass_times(const At& at, In w, Out out) const noexcept override { return rows_.mass_times(at, w, out); }
  const DaeEquations<Dual8>* dual() const noexcept override { return system_->dual() ? &dual_ : nullptr; }
  const DaeEquations<Tracer>* tracer() const noexcept override { return system_->tracer() ? &tracer_ : nullptr; }

  bool constant_mass() const noexcept override {
    return plan_.form.kinetics != Kinetics::velocity || plan_.form.level == Level::state_space ||
           plan_.form.level == Level::quasi_static || system_->constant_mass();
  }
  bool autonomous() const noexcept override { return system_->autonomous(); }
  std::size_t scratch_bytes() const noexcept override {
    const std::size_t tangents =
        sizeof(double) * static_cast<std::size_t>(tangent_pattern_.nnz() + plan_.s.v) + 10 * Scratch::alignment;
    return detail::formulated_scratch_bytes(plan_) + system_->scratch_bytes() + tangents;
  }
  int n_inputs() const noexcept override { return plan_.s.u; }

  /// Those of the forces, where the balance of momentum is a differential row and nothing is solved inside.
  std::vector<std::string> part_names() const override {
    const bool differential = plan_.form.kinetics != Kinetics::accelerations;
    const bool split =
        differential && plan_.form.level != Level::quasi_static && plan_.form.level != Level::state_space;
    auto names = system_->part_names();
    return split && names.size() > 1 ? names : std::vector<std::string>{};
  }
  EvalStatus part(int m, const At& at, Out out) const noexcept override { return rows_.part_rows(m, at, out); }

  std::vector<std::string> output_names() const override { return system_->output_names(); }
  EvalStatus outputs(const At& at, In w, Out y) const noexcept override {
    auto m = rows_.unknowns(at);
    if (m.status != EvalStatus::ok) return m.status;
    const Out a = m.p.scratch.take<double>(static_cast<std::size_t>(plan_.s.v));
    if (const EvalStatus status = rows_.accelerations(m, w, a); status != EvalStatus::ok) return status;
    return system_->outputs(m.p, a, y);
  }
  std::vector<std::string> invariant_names() const override { return system_->invariant_names(); }
  EvalStatus invariants(const At& at, Out values) const noexcept override {
    const auto m = rows_.unknowns(at);
    return m.status != EvalStatus::ok ? m.status : system_->invariants(m.p, values);
  }

  int base_size() const noexcept override { return system_->base_size() + static_cast<int>(plan_.dropped.size()); }
  void rebase(Out x, Out base) const noexcept override { system_->rebase(positions(x), base.first(plan_.system_base)); }
  bool transport(In from, In to, Out x) const noexcept override {
    return system_->transport(plan_.base_of_system(from), plan_.base_of_system(to), positions(x));
  }
  In left_out(In base) const noexcept override { return plan_.dropped_at(base); }
  Vector base_of(const MechanicalState& state) const override {
    Vector base(base_size());
    base << state.base, map(In(plan_.dropped));
    return base;
  }

  std::vector<RootInfo> roots() const override { return system_->roots(); }
  EvalStatus root_values(const At& at, Out values) const noexcept override {
    const auto m = rows_.unknowns(at);
    return m.status != EvalStatus::ok ? m.status : system_->root_values(m.p, values);
  }
  double next_time_event(double t, int mode) const noexcept override { return system_->next_time_event(t, mode); }
  EventEffect on_event(const EventContext& event, Out x) const noexcept override;
  int starting_mode(const At& at) const noexcept override {
    const auto m = rows_.unknowns(at);
    return m.status != EvalStatus::ok ? at.mode : system_->starting_mode(m.p);
  }

  std::optional<SparsePattern> mass_pattern() const override;
  std::vector<double> mass_values() const override;
  ModelJacobian model_jacobian() const noexcept override {
    return tangents_apply() ? system_->tangent_kind() : ModelJacobian::none;
  }
  SparsePattern jacobian_pattern() const override {
    if (tangents_apply()) return tangent_pattern_;
    auto known = detail::structural_pattern(*system_, plan_);
    return known ? *std::move(known) : Dae::jacobian_pattern();
  }
  EvalStatus jacobian(const At& at, In w, Out values) const noexcept override;

  void pack(const MechanicalState& state, Vector& x, Vector& w, In u) const override;
  EvalStatus unpack(const At& at, In w, MechanicalState& state) const override;

 private:
  static Out block(Out x, int offset, int n) noexcept {
    return offset < 0 ? Out{} : x.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(n));
  }
  /// The model's own tangents fit (q, v, z, λ) with M v' on the left, or nothing, and plain coordinates.
  bool tangents_apply() const noexcept {
    const auto level = plan_.form.level;
    const bool still = level == Level::quasi_static;
    const bool shown = level == Level::eps_lambda || level == Level::index_3 || still || plan_.s.lambda == 0;
    return system_->tangent_kind() != ModelJacobian::none && shown && level != Level::state_space &&
           plan_.form.kinetics == Kinetics::velocity && system_->plain_coordinates() &&
           (still || system_->constant_mass()) && plan_.s.nu == 0 && tangents_of_z_ && plan_.dropped.empty();
  }
  /// M v' stands in the rows of v.
  bool inertia_in_v() const noexcept {
    return plan_.form.kinetics == Kinetics::velocity && plan_.form.level != Level::state_space && plan_.at.v >= 0;
  }
  void collect_tangent_pattern();
  [[nodiscard]] Out positions(Out x) const noexcept {
    return x.subspan(static_cast<std::size_t>(plan_.at.q), static_cast<std::size_t>(plan_.s.q));
  }

  std::shared_ptr<const MechanicalSystem> system_;
  FormulationPlan plan_;
  bool tangents_of_z_ = true;  ///< a model with z differentiates them, too
  FormulatedRows<double> rows_;
  RowEquations<Dual8> dual_;
  RowEquations<Tracer> tracer_;

  // The Jacobian put together from tangents: where each block's values go.
  SparsePattern tangent_pattern_;
  PlacedBlock k_, d_, r_lambda_, g_q_, g_lambda_, r_z_, e_q_, e_z_;
  std::vector<int> place_v_;
};

void FormulatedSystem::collect_tangent_pattern() {
  const ResidualTangentPatterns t = system_->tangent_patterns();
  const Places& o = plan_.at;
  const bool still = plan_.form.level == Level::quasi_static;
  const int balance = still ? o.q : o.v;  // rows of the balance of momentum
  struct Placement {
    PlacedBlock& block;
    const SparsePattern& pattern;
    int row, col;
  };
  std::vector<Placement> blocks = {{k_, t.K, balance, o.q}};
  if (!still) blocks.push_back({d_, t.D, o.v, o.v});
  if (plan_.s.lambda > 0) {
    blocks.push_back({r_lambda_, t.r_lambda, balance, o.lambda});
    blocks.push_back({g_q_, t.g_q, o.lambda, o.q});
    blocks.push_back({g_lambda_, t.g_lambda, o.lambda, o.lambda});
  }
  if (plan_.s.z > 0) {
    blocks.push_back({r_z_, t.r_z, balance, o.z});
    blocks.push_back({e_q_, t.e_q, o.z, o.q});
    blocks.push_back({e_z_, t.e_z, o.z, o.z});
  }
  std::vector<Entry> entries;
  for (const auto& [block, pattern, row, col] : blocks)
    for (int j = 0; j < pattern.cols(); ++j)
      for (const int i : pattern.column(j)) entries.push_back({row + i, col + j});
  for (int i = 0; i < plan_.s.q && !still; ++i) entries.push_back({o.q + i, o.v + i});
  tangent_pattern_ = SparsePattern::from_entries(o.n, o.n, std::move(entries));
  for (const auto& [block, pattern, row, col] : blocks) block = PlacedBlock(pattern, tangent_pattern_, row, col);
  for (int i = 0; i < plan_.s.q && !still; ++i) place_v_.push_back(tangent_pattern_.index_of(o.q + i, o.v + i));
}

std::optional<SparsePattern> FormulatedSystem::mass_pattern() const {
  const auto inertia = system_->inertia_pattern();
  const Places& o = plan_.at;
  const bool rate = plan_.form.level == Level::eps_lambda_rate && plan_.s.lambda > 0;  // −g_λ λ'
  if (!inertia || (rate && system_->tangent_kind() == ModelJacobian::none)) return std::nullopt;
  std::vector<Entry> entries;
  if (rate) {
    const SparsePattern compliance = system_->tangent_patterns().g_lambda;
    for (int j = 0; j < compliance.cols(); ++j)
      for (const int i : compliance.column(j)) entries.push_back({o.lambda + i, o.lambda + j});
  }
  for (int i = 0; i < o.n; ++i) {
    const bool replaced = (inertia_in_v() && i >= o.v && i < o.v + plan_.s.v) || (rate && i >= o.lambda);
    if (layout_.kind(i) == Kind::differential && !replaced) entries.push_back({i, i});
  }
  if (inertia_in_v())
    for (int j = 0; j < inertia->cols(); ++j)
      for (const int i : inertia->column(j)) entries.push_back({o.v + i, o.v + j});
  return SparsePattern::from_entries(o.n, o.n, std::move(entries));
}

/// Columns of mass_pattern() have one entry, a one, but for those of v where M stands.
std::vector<double> FormulatedSystem::mass_values() const {
  const std::vector<double> inertia = system_->constant_mass() ? system_->inertia_values() : std::vector<double>{};
  const auto pattern = mass_pattern();
  if (inertia.empty() || !pattern || !inertia_in_v() || plan_.form.level == Level::eps_lambda_rate) return {};
  RUBATO_ASSERT(inertia.size() == static_cast<std::size_t>(system_->inertia_pattern()->nnz()),
                "M does not fit its pattern");
  std::vector<double> values(static_cast<std::size_t>(pattern->nnz()), 1.0);
  std::copy(inertia.begin(), inertia.end(), values.begin() + pattern->column_starts()[plan_.at.v]);
  return values;
}

EvalStatus FormulatedSystem::jacobian(const At& at, In w, Out values) const noexcept {
  auto m = rows_.unknowns(at);
  if (m.status != EvalStatus::ok) return m.status;
  Scratch scratch = m.p.scratch;
  const auto take = [&scratch](const PlacedBlock& block) { return scratch.take<double>(block.size()); };
  const ResidualTangents t{.K = take(k_),
                           .D = take(d_),
                           .r_lambda = take(r_lambda_),
                           .g_q = take(g_q_),
                           .g_lambda = take(g_lambda_),
                           .r_z = take(r_z_),
                           .e_q = take(e_q_),
                           .e_z = take(e_z_)};
  const Out a = scratch.take<double>(static_cast<std::size_t>(plan_.s.v));
  if (plan_.at.v >= 0) std::copy_n(w.begin() + plan_.at.v, plan_.s.v, a.begin());  // else at rest
  m.p.scratch = scratch;
  const EvalStatus status = system_->tangents(m.p, a, t);
  for (const int k : place_v_) values[static_cast<std::size_t>(k)] = 1;
  k_.put(t.K, -1, values);
  d_.put(t.D, -1, values);
  r_lambda_.put(t.r_lambda, -1, values);
  r_z_.put(t.r_z, -1, values);
  g_q_.put(t.g_q, 1, values);
  g_lambda_.put(t.g_lambda, 1, values);
  e_q_.put(t.e_q, 1, values);
  e_z_.put(t.e_z, 1, values);
  return status;
}

void FormulatedSystem::pack(const MechanicalState& state, Vector& x, Vector& w, In u) const {
  const Places& o = plan_.at;
  const MechanicalSizes& s = plan_.s;
  x.setZero(o.n);
  w.setZero(o.n);
  ScratchMemory memory(scratch_bytes());
  const Vector no_input = Vector::Zero(s.u);
  MechanicalPoint<double> p = point_at(state, memory.scratch(), u.empty() ? view(no_input) : u);
  const auto put = [](Vector& to, int offset, const Vector& from) {
    if (offset >= 0 && from.size() > 0) to.segment(offset, from.size()) = from;
  };
  put(x, o.q, state.q);
  put(x, o.v, state.v);
  put(x, o.z, state.z);
  put(x, o.lambda, state.lambda);
  put(x, o.nu, state.nu);
  put(x, o.a, state.a);
  put(w, o.v, state.a);
  Vector q_rate(s.q), z_rate(s.z);
  if (system_->kinematics(p, view(state.v), view(q_rate)) == EvalStatus::ok) put(w, o.q, q_rate);
  if (s.z > 0 && system_->auxiliary(p, view(z_rate)) == EvalStatus::ok) put(w, o.z, z_rate);
  if (o.p >= 0) {  // p = M v, p' = M a + Ṁ v
    Vector momentum(s.v), rate(s.v), inertia(s.v);
    if (system_->inertia(p, view(state.v), view(momentum)) == EvalStatus::ok) put(x, o.p, momentum);
    if (state.a.size() == s.v && system_->inertia(p, view(state.a), view(inertia)) == EvalStatus::ok &&
        system_->inertia_rate(p, view(rate)) == EvalStatus::ok) {
      rate += inertia;
      put(w, o.p, rate);
    }
  }
}

EvalStatus FormulatedSystem::unpack(const At& at, In w, MechanicalState& state) const {
  const auto m = rows_.unknowns(at);
  if (m.status != EvalStatus::ok) return m.status;
  state.t = at.t;
  state.mode = at.mode;
  state.q = map(m.p.q);
  state.v = map(m.p.v);
  state.z = map(m.p.z);
  state.lambda = map(m.p.lambda);
  state.nu = map(m.p.nu);
  state.base = map(m.p.base);
  state.a = Vector::Zero(plan_.s.v);
  return rows_.accelerations(m, w, view(state.a));
}

/// A model resets q, v and z. Where momenta are unknowns they follow: p = M(q) v.
EventEffect FormulatedSystem::on_event(const EventContext& event, Out x) const noexcept {
  const Places& o = plan_.at;
  const Out q = block(x, o.q, plan_.s.q), z = block(x, o.z, plan_.s.z);
  EventContext inner = event;
  inner.base = plan_.base_of_system(event.base);
  if (o.v >= 0 && o.p < 0) return system_->on_event(inner, q, block(x, o.v, plan_.s.v), z);
  ScratchMemory memory(scratch_bytes());
  const auto m = rows_.unknowns(
      {.t = event.t, .x = x, .u = event.u, .base = event.base, .mode = event.mode, .scratch = memory.scratch()});
  if (m.status != EvalStatus::ok) return {.mode = event.mode, .terminate = true};
  Vector v = map(m.p.v);
  const EventEffect effect = system_->on_event(inner, q, view(v), z);
  if (!effect.state_changed) return effect;
  if (o.v >= 0) map(block(x, o.v, plan_.s.v)) = v;
  if (o.p >= 0 && system_->inertia(m.p, view(std::as_const(v)), block(x, o.p, plan_.s.v)) != EvalStatus::ok)
    return {.mode = effect.mode, .state_changed = true, .terminate = true};
  return effect;
}

}  // namespace

Result<std::shared_ptr<const FormulatedDae>> formulate(std::shared_ptr<const MechanicalSystem> system, Formulation form,
                                                       std::span<const int> dependent) {
  RUBATO_ASSERT(system != nullptr, "formulate: no system");
  const auto& s = system->sizes();
  const auto refuse = [&](std::string_view why) {
    return Error{fmt::format("formulation {}: {}", name_of(form), why)};
  };
  const bool needs_compliance = form.level == Level::penalty || form.level == Level::eps_lambda_rate;
  if (needs_compliance && s.lambda > 0 && !system->compliant())
    return refuse("the constraints are rigid (g does not depend on λ); use index-3, index-2, ggl or index-1");
  if (form.level == Level::penalty && s.lambda > 0 && system->tangent_kind() != ModelJacobian::none) {
    const SparsePattern compliance = system->tangent_patterns().g_lambda;
    for (int j = 0; j < compliance.cols(); ++j)
      if (compliance.column(j).size() != 1 || compliance.column(j)[0] != j)
        return refuse(
            "multipliers are coupled (g_λ is not diagonal, as with pressures that vary within elements); use "
            "eps-lambda, or "
            "constant pressures");
  }
  const bool differentiated = form.level == Level::index_2 || form.level == Level::ggl ||
                              form.level == Level::index_1 || form.level == Level::state_space;
  if (differentiated && s.lambda > 0 && system->compliant())
    return refuse(
        "the constraints are compliant (g depends on λ); use penalty, eps-lambda, eps-lambda-rate or index-3");
  const bool exchanged = form.kinetics == Kinetics::momentum || form.kinetics == Kinetics::hamilton;
  if (exchanged && (form.level == Level::index_1 || form.level == Level::state_space))
    return refuse("momentum and Hamilton forms go with position or velocity level constraints");
  if (form.level == Level::quasi_static && s.nu > 0) return refuse("rolling constraints have no meaning at rest");
  if (!dependent.empty() && needs_compliance) return refuse("constraint rows that depend on others cannot be dropped");
  if (form.level == Level::index_1) form.kinetics = Kinetics::accelerations;
  if (form.level == Level::state_space || form.level == Level::quasi_static) form.kinetics = Kinetics::velocity;
  if (form.level == Level::quasi_static && s.q != s.v) return refuse("it needs as many coordinates as velocities");
  if (!(form.baumgarte_alpha >= 0 && form.baumgarte_beta >= 0))
    return refuse(fmt::format("Baumgarte coefficients α = {}, β = {} must not be negative", form.baumgarte_alpha,
                              form.baumgarte_beta));

  FormulationPlan plan;
  plan.form = form;
  plan.s = s;
  plan.system_base = static_cast<std::size_t>(system->base_size());
  if (!dependent.empty()) plan.dropped.assign(static_cast<std::size_t>(s.lambda) + static_cast<std::size_t>(s.nu), 0);
  for (const int row : dependent) {
    if (row < 0 || row >= s.lambda + s.nu)
      return refuse(fmt::format("dependent row {} does not exist; there are {} constraint rows", row, s.lambda + s.nu));
    plan.dropped[static_cast<std::size_t>(row)] = 1;
  }
  for (int i = 0; i < s.z; ++i) plan.z_differential.push_back(system->z_is_differential(i));
  Layout layout = make_layout(*system, form, plan.at);
  return std::shared_ptr<const FormulatedDae>(
      std::make_shared<FormulatedSystem>(std::move(system), std::move(plan), std::move(layout)));
}

}  // namespace rubato
