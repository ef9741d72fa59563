#pragma once
/// A MechanicalSystem from a model written once as templates over the scalar. All derivatives of constraints come from
/// nested dual numbers (rates, accelerations) and a tape (reactions); only values need writing.
///
///   struct Pendulum {                       // point mass on a rod, y up
///     rubato::MechanicalSizes sizes() const { return {.q = 2, .v = 2, .lambda = 1}; }
///     template <class S> void inertia(const rubato::MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const
///     { out[0] = a[0]; out[1] = a[1]; }
///     template <class S> void force(const rubato::MechanicalPoint<S>&, std::span<S> f) const { f[0] = S(0); f[1] = S(-9.81); }
///     template <class S> void constraint(const rubato::MechanicalPoint<S>& p, std::span<S> g) const
///     { g[0] = p.q[0] * p.q[0] + p.q[1] * p.q[1] - 1.0; }
///   };
///   auto system = rubato::make_mechanical(Pendulum{});
///
/// Optional templates: kinematics(p, v, q_rate), auxiliary(p, e), rolling(p, out) (affine in p.v), reaction(p, λ, ν, out)
/// (Gᵀλ + Aᵀν by hand: saves a tape in large models), part_force(part, p, f), part_energy(part, p, energy&).
/// All are const templates with exactly these spans: one that does not fit is not found.
/// Optional members: constant_mass, compliant, autonomous, rates_near_identity (static constexpr bool), is_compliant(),
/// n_parts() (with part_force, instead of force), z_is_differential(i), z_is_local(), part_names(),
/// part_elements(part)/weighted_part_force(part, p, weights, f), inertia_pattern(), names(block), unit(block), base_size(), rebase(q, base), transport(from, to, q), output_names()/outputs(p, a, y),
/// invariant_names()/invariants(p, out), roots()/root_values(p, out), next_time_event(t, mode), on_event(event, q, v, z),
/// scratch_bytes(), tangent_kind()/tangent_patterns()/tangents(p, a, out).
#include <algorithm>
#include <memory>
#include <utility>

#include "rubato/base/tape.hpp"
#include "rubato/problem/mechanical.hpp"

namespace rubato {

namespace detail {

/// Edges of a tape for so many unknowns and rows together: plenty for joints and for rotations.
constexpr std::size_t tape_capacity(std::size_t unknowns_and_rows) noexcept { return 32 * unknowns_and_rows; }

/// The model over S with everything that follows from it by differentiation.
template <class Base, class Model, class S>
class ModelMechanics : public Base {
 public:
  using P = MechanicalPoint<S>;
  using SIn = std::span<const S>;
  using SOut = std::span<S>;

  template <class... Args>
  explicit ModelMechanics(const Model* model, Args&&... args) : Base(std::forward<Args>(args)...), model_(model) {}

  EvalStatus kinematics(const P& p, SIn v, SOut q_rate) const noexcept override { return kinematics_of(p, v, q_rate); }

  EvalStatus inertia(const P& p, SIn a, SOut out) const noexcept override {
    return status_of([&] { return model_->inertia(p, a, out); });
  }

  EvalStatus inertia_rate(const P& p, SOut out) const noexcept override {
    using T = Dual<S, 1>;
    Moving<T> m(*this, p);
    const auto v = m.point.scratch.template lift<T>(p.v);
    const auto mv = m.point.scratch.template take<T>(out.size());
    const EvalStatus status = status_of([&] { return model_->inertia(m.point, std::span<const T>(v), mv); });
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = mv[i].d[0];
    return worst(m.status, status);
  }

  EvalStatus force(const P& p, SOut out) const noexcept override {
    if constexpr (requires { model_->force(p, out); }) {
      return status_of([&] { return model_->force(p, out); });
    } else {  // a model given by its parts
      P q = p;
      const auto one = q.scratch.template take<S>(out.size());
      for (auto& x : out) x = S(0.0);
      EvalStatus status = EvalStatus::ok;
      for (int part = 0; part < model_->n_parts(); ++part) {
        status = worst(status, status_of([&] { return model_->part_force(part, q, one); }));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += one[i];
      }
      return status;
    }
  }

  EvalStatus auxiliary(const P& p, SOut out) const noexcept override {
    if constexpr (requires { model_->auxiliary(p, out); })
      return status_of([&] { return model_->auxiliary(p, out); });
    else
      return absent(out);
  }

  EvalStatus constraint(const P& p, SOut out) const noexcept override { return constraint_of(p, out); }

  /// d/dt g along q' = N v, t' = 1, λ held.
  EvalStatus constraint_rate(const P& p, SOut out) const noexcept override {
    using T = Dual<S, 1>;
    Moving<T> m(*this, p);
    const auto g = m.point.scratch.template take<T>(out.size());
    const EvalStatus status = constraint_of(m.point, g);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = g[i].d[0];
    return worst(m.status, status);
  }

  /// d²/dt² g along the motion with v' = a: the derivative of the rate, itself a derivative.
  EvalStatus constraint_acceleration(const P& p, SIn a, SOut out) const noexcept override {
    using T = Dual<S, 1>;   // outer motion: q' = N v, v' = a
    using TT = Dual<T, 1>;  // inner motion of the moving point
    Moving<T> m(*this, p, a);
    Moving<TT> mm(*this, m.point);
    const auto g = mm.point.scratch.template take<TT>(out.size());
    const EvalStatus status = constraint_of(mm.point, g);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = g[i].d[0].d[0];
    return worst(worst(m.status, mm.status), status);
  }

  EvalStatus reaction(const P& p, SIn lambda, SIn nu, SOut out) const noexcept override {
    if constexpr (requires { model_->reaction(p, lambda, nu, out); }) {
      return status_of([&] { return model_->reaction(p, lambda, nu, out); });
    } else {
      for (auto& x : out) x = S(0.0);
      EvalStatus status = EvalStatus::ok;
      if (!lambda.empty()) status = add_constraint_reaction(p, lambda, out);
      if (!nu.empty())  // Aᵀ ν = (∂(A v + b)/∂v)ᵀ ν
        status = worst(status, add_transposed(p, Block::v, nu, out,
                                              [this](const auto& at, auto r) { return this->rolling_of(at, r); }));
      return status;
    }
  }

  EvalStatus rolling(const P& p, SOut out) const noexcept override { return rolling_of(p, out); }

  EvalStatus rolling_acceleration(const P& p, SIn a, SOut out) const noexcept override {
    using T = Dual<S, 1>;
    Moving<T> m(*this, p, a);
    const auto r = m.point.scratch.template take<T>(out.size());
    const EvalStatus status = rolling_of(m.point, r);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = r[i].d[0];
    return worst(m.status, status);
  }

  EvalStatus part_force(int part, const P& p, SOut out) const noexcept override {
    if constexpr (requires { model_->part_force(part, p, out); })
      return status_of([&] { return model_->part_force(part, p, out); });
    else
      return force(p, out);
  }

  EvalStatus part_energy(int part, const P& p, S& out) const noexcept override {
    out = S(0.0);
    if constexpr (requires { model_->part_energy(part, p, out); })
      return status_of([&] { return model_->part_energy(part, p, out); });
    else
      return EvalStatus::ok;
  }

 protected:
  const Model* model_;

 private:
  static EvalStatus worst(EvalStatus a, EvalStatus b) noexcept { return a < b ? b : a; }

  /// Rows were announced in sizes() but the function is missing (or not const, or takes other spans).
  template <class T>
  static EvalStatus absent(std::span<T> out) noexcept {
    return out.empty() ? EvalStatus::ok : EvalStatus::fatal;
  }

  template <class T>
  EvalStatus kinematics_of(const MechanicalPoint<T>& p, std::span<const T> v, std::span<T> q_rate) const noexcept {
    if constexpr (requires { model_->kinematics(p, v, q_rate); }) {
      return status_of([&] { return model_->kinematics(p, v, q_rate); });
    } else {
      if (q_rate.size() != v.size()) return EvalStatus::fatal;
      for (std::size_t i = 0; i < q_rate.size(); ++i) q_rate[i] = v[i];
      return EvalStatus::ok;
    }
  }
  template <class T>
  EvalStatus constraint_of(const MechanicalPoint<T>& p, std::span<T> out) const noexcept {
    if constexpr (requires { model_->constraint(p, out); })
      return status_of([&] { return model_->constraint(p, out); });
    else
      return absent(out);
  }
  template <class T>
  EvalStatus rolling_of(const MechanicalPoint<T>& p, std::span<T> out) const noexcept {
    if constexpr (requires { model_->rolling(p, out); })
      return status_of([&] { return model_->rolling(p, out); });
    else
      return absent(out);
  }

  /// p over a scalar T that carries derivatives, none of which is set.
  template <class T>
  struct Lifted {
    template <class R>
    explicit Lifted(const MechanicalPoint<R>& p) {
      Scratch scratch = p.scratch;
      q = scratch.template lift<T>(p.q);
      v = scratch.template lift<T>(p.v);
      point.t = T(p.t);
      point.q = q;
      point.v = v;
      point.z = scratch.template lift<T>(p.z);
      point.lambda = scratch.template lift<T>(p.lambda);
      point.nu = scratch.template lift<T>(p.nu);
      point.u = scratch.template lift<T>(p.u);
      point.base = p.base;
      point.mode = p.mode;
      point.scratch = scratch;
    }
    MechanicalPoint<T> point;
    std::span<T> q, v;
  };

  /// The point p(t + ε) along the motion: t' = 1, q' = N v, v' = a (zero if not given); T = Dual<scalar of p, 1>.
  template <class T>
  struct Moving : Lifted<T> {
    template <class R>
    Moving(const ModelMechanics& self, const MechanicalPoint<R>& p, std::span<const R> a = {}) : Lifted<T>(p) {
      this->point.t.d[0] = R(1.0);
      MechanicalPoint<R> inner = p;
      inner.scratch = this->point.scratch;
      const auto rate = inner.scratch.template take<R>(p.q.size());
      status = self.kinematics_of(inner, p.v, rate);
      for (std::size_t i = 0; i < rate.size(); ++i) this->q[i].d[0] = rate[i];
      for (std::size_t i = 0; i < a.size(); ++i) this->v[i].d[0] = a[i];
    }
    EvalStatus status = EvalStatus::ok;
  };

  /// The block of a point by which is differentiated.
  enum class Block : std::uint8_t { q, v };
  template <class T>
  static std::span<T> block_of(const Lifted<T>& at, Block block) noexcept {
    return block == Block::q ? at.q : at.v;
  }

  /// out += Gᵀ λ = Nᵀ (∂g/∂q)ᵀ λ
  EvalStatus add_constraint_reaction(const P& p, SIn lambda, SOut out) const noexcept {
    const auto g = [this](const auto& at, auto rows) { return this->constraint_of(at, rows); };
    if constexpr (requires { model_->kinematics(p, p.v, out); }) {
      P inner = p;
      const auto gradient = inner.scratch.template take<S>(p.q.size());
      const EvalStatus status = add_transposed(inner, Block::q, lambda, gradient, g);
      return worst(status, add_transposed(inner, Block::v, SIn(gradient), out, [this](const auto& at, auto rate) {
                     return this->kinematics_of(at, at.v, rate);
                   }));
    } else {
      return add_transposed(p, Block::q, lambda, out, g);
    }
  }

  /// out += (∂y/∂x)ᵀ weights for y = map(point) and x a block of the point: by a tape, where the map fits on it.
  template <class Map>
  EvalStatus add_transposed(const P& p, Block block, SIn weights, SOut out, const Map& map) const noexcept {
    using T = Taped<S>;
    P inner = p;
    Tape<S> tape(inner.scratch, tape_capacity(out.size() + weights.size()));
    Lifted<T> at(inner);
    const auto x = block_of(at, block);
    for (auto& xi : x) xi = T(xi.value, tape);
    const auto y = at.point.scratch.template take<T>(weights.size());
    const EvalStatus status = map(at.point, y);
    if (!tape.complete()) return add_transposed_by_columns(p, block, weights, out, map);
    const auto adjoint = at.point.scratch.template take<S>(tape.n_nodes());
    for (std::size_t i = 0; i < y.size(); ++i)
      if (y[i].tape) adjoint[static_cast<std::size_t>(y[i].node)] += weights[i];
    tape.pull_back(adjoint);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += adjoint[j];  // the variables are the first nodes
    return status;
  }
  /// The same for maps of any length, with one run for each column of ∂y/∂x.
  template <class Map>
  EvalStatus add_transposed_by_columns(const P& p, Block block, SIn weights, SOut out, const Map& map) const noexcept {
    using T = Dual<S, 1>;
    Lifted<T> at(p);
    const auto x = block_of(at, block);
    const auto y = at.point.scratch.template take<T>(weights.size());
    EvalStatus status = EvalStatus::ok;
    for (std::size_t j = 0; j < out.size(); ++j) {
      x[j].d[0] = S(1.0);
      status = worst(status, map(at.point, y));
      x[j].d[0] = S(0.0);
      for (std::size_t i = 0; i < y.size(); ++i) out[j] += y[i].d[0] * weights[i];
    }
    return status;
  }
};

template <class Model>
struct MechanicalHolder {
  Model held;
};

}  // namespace detail

template <class Model>
class TemplateMechanicalSystem final : private detail::MechanicalHolder<Model>,
                                       public detail::ModelMechanics<MechanicalSystem, Model, double> {
  using Real = detail::ModelMechanics<MechanicalSystem, Model, double>;
  using detail::MechanicalHolder<Model>::held;

 public:
  explicit TemplateMechanicalSystem(Model model)
      : detail::MechanicalHolder<Model>{std::move(model)}, Real(&held, held.sizes()), dual_(&held), tracer_(&held) {}
  TemplateMechanicalSystem(const TemplateMechanicalSystem&) = delete;
  TemplateMechanicalSystem& operator=(const TemplateMechanicalSystem&) = delete;

  [[nodiscard]] const Model& model() const noexcept { return held; }
  const MechanicalEquations<Dual8>* dual() const noexcept override { return &dual_; }
  const MechanicalEquations<Tracer>* tracer() const noexcept override { return &tracer_; }

  bool constant_mass() const noexcept override {
    if constexpr (requires { Model::constant_mass; })
      return Model::constant_mass;
    else
      return false;
  }
  bool plain_coordinates() const noexcept override {
    return !requires(const MechanicalPoint<double>& p, In v, Out rate) { held.kinematics(p, v, rate); };
  }
  bool rates_near_identity() const noexcept override {
    if constexpr (requires { Model::rates_near_identity; })
      return Model::rates_near_identity;
    else
      return plain_coordinates();
  }
  bool compliant() const noexcept override {
    if constexpr (requires { held.is_compliant(); })
      return held.is_compliant();
    else if constexpr (requires { Model::compliant; })
      return Model::compliant;
    else
      return false;
  }
  bool autonomous() const noexcept override {
    if constexpr (requires { Model::autonomous; })
      return Model::autonomous;
    else
      return false;
  }
  bool z_is_differential(int i) const noexcept override {
    if constexpr (requires { held.z_is_differential(i); })
      return held.z_is_differential(i);
    else
      return MechanicalSystem::z_is_differential(i);
  }
  bool z_is_local() const noexcept override {
    if constexpr (requires { held.z_is_local(); })
      return held.z_is_local();
    else
      return MechanicalSystem::z_is_local();
  }
  ModelJacobian tangent_kind() const noexcept override {
    if constexpr (requires { held.tangent_kind(); })
      return held.tangent_kind();
    else
      return ModelJacobian::none;
  }
  ResidualTangentPatterns tangent_patterns() const override {
    if constexpr (requires { held.tangent_patterns(); })
      return held.tangent_patterns();
    else
      return {};
  }
  EvalStatus tangents(const MechanicalPoint<double>& p, In a, const ResidualTangents& out) const noexcept override {
    if constexpr (requires { held.tangents(p, a, out); })
      return detail::status_of([&] { return held.tangents(p, a, out); });
    else
      return MechanicalSystem::tangents(p, a, out);
  }
  /// Points lifted to Dual<Dual<Dual8,1>,1> (motion twice) or a tape (reactions), whichever is larger, and what the model
  /// itself takes.
  std::size_t scratch_bytes() const noexcept override {
    using Once = Dual<Dual8, 1>;
    using Twice = Dual<Once, 1>;
    const auto& s = this->sizes_;
    const auto lifted = static_cast<std::size_t>(s.q + s.v + s.z + s.lambda + s.nu + s.u);
    const auto rows = static_cast<std::size_t>(s.lambda + s.nu + s.v + s.q);
    std::size_t bytes = 3 * sizeof(Once) * (lifted + rows);
    if (s.lambda + s.nu > 0) {
      bytes = sizeof(Twice) * 3 / 2 * (lifted + 2 * rows);
      if constexpr (!requires(const MechanicalPoint<double>& p, In x, Out out) { held.reaction(p, x, x, out); }) {
        const auto unknowns = static_cast<std::size_t>(std::max(s.q, s.v));
        const auto results = static_cast<std::size_t>(std::max({s.lambda, s.nu, plain_coordinates() ? 0 : s.q}));
        const std::size_t tape = Tape<Dual8>::bytes_for(detail::tape_capacity(unknowns + results), unknowns);
        bytes = std::max(bytes, tape + sizeof(Taped<Dual8>) * (lifted + 2 * rows));
      }
    }
    bytes += 1024;
    if constexpr (requires { held.scratch_bytes(); }) bytes += held.scratch_bytes();
    return bytes;
  }
  std::vector<std::string> names(std::string_view block) const override {
    if constexpr (requires { held.names(block); })
      return held.names(block);
    else
      return MechanicalSystem::names(block);
  }
  std::string unit(std::string_view block) const override {
    if constexpr (requires { held.unit(block); })
      return held.unit(block);
    else
      return MechanicalSystem::unit(block);
  }
  std::vector<std::string> part_names() const override {
    if constexpr (requires { held.part_names(); })
      return held.part_names();
    else
      return MechanicalSystem::part_names();
  }
  std::optional<SparsePattern> inertia_pattern() const override {
    if constexpr (requires { held.inertia_pattern(); })
      return held.inertia_pattern();
    else
      return MechanicalSystem::inertia_pattern();
  }
  int part_elements(int part) const noexcept override {
    if constexpr (requires { held.part_elements(part); })
      return held.part_elements(part);
    else
      return MechanicalSystem::part_elements(part);
  }
  EvalStatus weighted_part_force(int part, const MechanicalPoint<double>& p, In weights,
                                 Out out) const noexcept override {
    if constexpr (requires { held.weighted_part_force(part, p, weights, out); })
      return detail::status_of([&] { return held.weighted_part_force(part, p, weights, out); });
    else
      return MechanicalSystem::weighted_part_force(part, p, weights, out);
  }
  int base_size() const noexcept override {
    if constexpr (requires { held.base_size(); })
      return held.base_size();
    else
      return 0;
  }
  void rebase(Out q, Out base) const noexcept override {
    if constexpr (requires { held.rebase(q, base); })
      held.rebase(q, base);
    else
      MechanicalSystem::rebase(q, base);
  }
  bool transport(In from, In to, Out q) const noexcept override {
    if constexpr (requires { held.transport(from, to, q); }) {
      held.transport(from, to, q);
      return true;
    } else {
      return MechanicalSystem::transport(from, to, q);
    }
  }
  std::vector<std::string> output_names() const override {
    if constexpr (requires { held.output_names(); })
      return held.output_names();
    else
      return {};
  }
  EvalStatus outputs(const MechanicalPoint<double>& p, In a, Out y) const noexcept override {
    if constexpr (requires { held.outputs(p, a, y); })
      return detail::status_of([&] { return held.outputs(p, a, y); });
    else
      return MechanicalSystem::outputs(p, a, y);
  }
  std::vector<std::string> invariant_names() const override {
    if constexpr (requires { held.invariant_names(); })
      return held.invariant_names();
    else
      return {};
  }
  EvalStatus invariants(const MechanicalPoint<double>& p, Out values) const noexcept override {
    if constexpr (requires { held.invariants(p, values); })
      return detail::status_of([&] { return held.invariants(p, values); });
    else
      return MechanicalSystem::invariants(p, values);
  }
  std::vector<RootInfo> roots() const override {
    if constexpr (requires { held.roots(); })
      return held.roots();
    else
      return {};
  }
  EvalStatus root_values(const MechanicalPoint<double>& p, Out values) const noexcept override {
    if constexpr (requires { held.root_values(p, values); })
      return detail::status_of([&] { return held.root_values(p, values); });
    else
      return MechanicalSystem::root_values(p, values);
  }
  double next_time_event(double t, int mode) const noexcept override {
    if constexpr (requires { held.next_time_event(t, mode); })
      return held.next_time_event(t, mode);
    else
      return MechanicalSystem::next_time_event(t, mode);
  }
  EventEffect on_event(const EventContext& event, Out q, Out v, Out z) const noexcept override {
    if constexpr (requires { held.on_event(event, q, v, z); })
      return held.on_event(event, q, v, z);
    else
      return MechanicalSystem::on_event(event, q, v, z);
  }

 private:
  detail::ModelMechanics<MechanicalEquations<Dual8>, Model, Dual8> dual_;
  detail::ModelMechanics<MechanicalEquations<Tracer>, Model, Tracer> tracer_;
};

template <class Model>
[[nodiscard]] std::shared_ptr<const TemplateMechanicalSystem<Model>> make_mechanical(Model model) {
  return std::make_shared<const TemplateMechanicalSystem<Model>>(std::move(model));
}

}  // namespace rubato
