// Solids with rigid parts: another solid, for which the nodes of these parts are free, seen through p = T q + c(t).
//
//   M = Tᵀ M_in T + M_b,   f = Tᵀ (f_in − M_in c'') + f_b − M_b c''_b,   λ = (pressures, stresses of the rigid parts)         (1)
// q: displacements of the other nodes, then d and h of each part as far as they are free (rigid_body.hpp); c: what is known of them;
// M_b, f_b: masses of rigid elements, forces and moments at the references.
#include "rigid_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "rigid_tangents.hpp"
#include "rubato/base/function_jumps.hpp"

namespace rubato::fem::detail {
namespace {

using P = MechanicalPoint<double>;
using Components = RigidBody::Components;

class RigidSolid final : public SolidSystem {
 public:
  RigidSolid(std::shared_ptr<const SolidSystem> inner, std::vector<RigidBody> bodies, Substitution substitution,
             std::vector<int> outer_of, MechanicalSizes sizes)
      : SolidSystem(sizes),
        inner_(std::move(inner)),
        bodies_(std::move(bodies)),
        t_(std::move(substitution)),
        outer_of_(std::move(outer_of)),
        n_in_(at(inner_->sizes().q)),
        lambda_in_(at(inner_->sizes().lambda)),
        n_inner_outputs_(inner_->output_names().size()),
        blocks_(inner_->tangent_patterns(), t_, bodies_, sizes, inner_->model().mass_damping),
        mass_(rigid_mass(*inner_->inertia_pattern(), inner_->inertia_values(), t_, bodies_)) {
    for (const RigidBody& body : bodies_) collect(body);
    known_ = !motions_.empty();
  }

  const SolidModel& model() const noexcept override { return inner_->model(); }
  int coordinate(int node, int axis) const noexcept override {
    const int inner = inner_->coordinate(node, axis);
    return inner < 0 ? -1 : outer_of_[at(inner)];
  }
  std::vector<int> pressures(int element) const override { return inner_->pressures(element); }

  bool constant_mass() const noexcept override { return inner_->constant_mass(); }
  bool compliant() const noexcept override {
    return lambda_in_ > 0 ? inner_->compliant() : std::ranges::any_of(bodies_, [](const RigidBody& b) {
      return b.compliance > 0 && !b.strains.empty();
    });
  }
  std::vector<int> local_multipliers() const override { return inner_->local_multipliers(); }
  bool z_is_differential(int i) const noexcept override { return inner_->z_is_differential(i); }
  bool z_is_local() const noexcept override { return inner_->z_is_local(); }
  bool autonomous() const noexcept override { return inner_->autonomous() && !known_ && !loaded(); }
  std::size_t scratch_bytes() const noexcept override {
    return inner_->scratch_bytes() + blocks_.scratch_bytes() + 6 * Scratch::bytes_for<double>(n_in_);
  }

  EvalStatus kinematics(const P&, In v, Out q_rate) const noexcept override {
    std::copy(v.begin(), v.end(), q_rate.begin());
    return EvalStatus::ok;
  }
  EvalStatus inertia(const P& p, In a, Out out) const noexcept override {
    Inside in(*this, p);
    const Out a_in = in.p.scratch.take<double>(n_in_), product = in.p.scratch.take<double>(n_in_);
    t_.expand(a, a_in);
    const EvalStatus status = inner_->inertia(in.p, a_in, product);
    t_.reduce(product, out);
    for (const RigidBody& body : bodies_) body.put(body.times_mass(body.take(a)), 1, out);
    return status;
  }
  EvalStatus inertia_rate(const P&, Out out) const noexcept override {
    std::fill(out.begin(), out.end(), 0.0);
    return EvalStatus::ok;
  }
  EvalStatus force(const P& p, Out out) const noexcept override {
    Inside in(*this, p);
    const Out f = in.p.scratch.take<double>(n_in_);
    return finish_force(p, in, inner_->force(in.p, f), f, out);
  }
  EvalStatus part_force(int part, const P& p, Out out) const noexcept override {
    Inside in(*this, p);
    const Out f = in.p.scratch.take<double>(n_in_);
    const EvalStatus status = inner_->part_force(part, in.p, f);
    if (part == 0) return finish_force(p, in, status, f, out);
    t_.reduce(f, out);
    return status;
  }
  EvalStatus part_energy(int part, const P& p, double& out) const noexcept override {
    const Inside in(*this, p);
    const EvalStatus status = inner_->part_energy(part, in.p, out);
    if (part == 0) out += rigid_energy(p);
    return status;
  }
  std::vector<std::string> part_names() const override { return inner_->part_names(); }
  EvalStatus auxiliary(const P& p, Out out) const noexcept override {
    const Inside in(*this, p);
    return inner_->auxiliary(in.p, out);
  }
  EvalStatus constraint(const P& p, Out out) const noexcept override {
    const Inside in(*this, p);
    const EvalStatus status = inner_->constraint(in.p, out.first(lambda_in_));
    for_strains(p, [&](const RigidBody& body, const Components& c, const auto& ij, std::size_t row) {
      const double stress = p.lambda.empty() ? 0 : p.lambda[row];
      out[row] = body.strain(ij, c) - body.volume * body.compliance * stress;
    });
    return status;
  }
  EvalStatus constraint_rate(const P& p, Out out) const noexcept override {
    const Inside in(*this, p);
    const EvalStatus status = inner_->constraint_rate(in.p, out.first(lambda_in_));
    for_strains(p, [&](const RigidBody& body, const Components& c, const auto& ij, std::size_t row) {
      out[row] = body.strain_rate(ij, c, body.all(p.t, p.v, 1));
    });
    return status;
  }
  EvalStatus constraint_acceleration(const P& p, In a, Out out) const noexcept override {
    Inside in(*this, p);
    const Out a_in = in.p.scratch.take<double>(n_in_);
    expand(p.t, a, 2, a_in);
    const EvalStatus status = inner_->constraint_acceleration(in.p, a_in, out.first(lambda_in_));
    for_strains(p, [&](const RigidBody& body, const Components& c, const auto& ij, std::size_t row) {
      out[row] = body.strain_rate(ij, c, body.all(p.t, a, 2)) + body.strain_curvature(ij, body.all(p.t, p.v, 1));
    });
    return status;
  }
  EvalStatus reaction(const P& p, In lambda, In nu, Out out) const noexcept override {
    Inside in(*this, p);
    const Out f = in.p.scratch.take<double>(n_in_);
    const EvalStatus status = inner_->reaction(in.p, lambda.empty() ? lambda : lambda.first(lambda_in_), nu, f);
    t_.reduce(f, out);
    if (lambda.empty()) return status;
    for (const RigidBody& body : bodies_) body.put(body.stress_forces(body.all(p.t, p.q, 0), lambda), 1, out);
    return status;
  }
  EvalStatus rolling(const P&, Out) const noexcept override { return EvalStatus::ok; }
  EvalStatus rolling_acceleration(const P&, In, Out) const noexcept override { return EvalStatus::ok; }

  ModelJacobian tangent_kind() const noexcept override { return inner_->tangent_kind(); }
  ResidualTangentPatterns tangent_patterns() const override { return blocks_.patterns(); }
  EvalStatus tangents(const P& p, In a, const ResidualTangents& out) const noexcept override {
    Inside in(*this, p);
    const Out a_in = in.p.scratch.take<double>(n_in_);
    expand(p.t, a, 2, a_in);
    const ResidualTangents inner = blocks_.inner(in.p.scratch, out);
    const EvalStatus status = inner_->tangents(in.p, a_in, inner);
    blocks_.fill(inner, bodies_, p, out);
    return status;
  }
  std::optional<SparsePattern> inertia_pattern() const override { return mass_.pattern; }
  std::vector<double> inertia_values() const override { return mass_.values; }

  std::vector<std::string> names(std::string_view block) const override;
  std::string unit(std::string_view block) const override { return inner_->unit(block); }

  std::vector<RootInfo> roots() const override { return inner_->roots(); }
  EvalStatus root_values(const P& p, Out values) const noexcept override {
    const Inside in(*this, p);
    return inner_->root_values(in.p, values);
  }
  int starting_mode(const P& p) const noexcept override {
    const Inside in(*this, p);
    return inner_->starting_mode(in.p);
  }
  double next_time_event(double t, int mode) const noexcept override {
    double next = inner_->next_time_event(t, mode);
    for (const auto* list : {&motions_, &loads_})
      for (const Function& f : *list) next = std::min(next, f.next_break(t));
    return next;
  }
  EventEffect on_event(const EventContext& event, Out, Out, Out z) const noexcept override {
    EventEffect effect = inner_->on_event(event, {}, {}, z);
    const auto any = [&](const std::vector<Function>& list, int n) {
      return std::ranges::any_of(list, [&](const Function& f) { return jumps(f, event.t, n); });
    };
    effect.state_changed = effect.state_changed || any(motions_, 2) || any(loads_, 0);
    return effect;
  }

  std::vector<std::string> output_names() const override;
  EvalStatus outputs(const P& p, In a, Out y) const noexcept override;
  std::vector<std::string> invariant_names() const override {
    return autonomous() ? inner_->invariant_names() : std::vector<std::string>{};
  }
  EvalStatus invariants(const P& p, Out values) const noexcept override {
    if (values.empty()) return EvalStatus::ok;
    const Inside in(*this, p);
    const EvalStatus status = inner_->invariants(in.p, values);
    values[0] += rigid_energy(p) + kinetic_energy(p);
    return status;
  }

  std::vector<double> displacements(double t, In q) const override { return inner_->displacements(t, inside(t, q)); }
  SolidFields fields(const P& p) const override {
    std::vector<double> v(n_in_);
    const std::vector<double> q = inside(p.t, p.q);
    expand(p.t, p.v, 1, v);
    P in = p;
    in.q = q;
    in.v = v;
    in.lambda = p.lambda.first(lambda_in_);
    return inner_->fields(in);
  }
  int inverted_element(double t, In q) const override { return inner_->inverted_element(t, inside(t, q)); }

 private:
  /// The point as the inner solid sees it.
  struct Inside {
    Inside(const RigidSolid& solid, const P& outer) noexcept : p(outer) {
      const Out q = p.scratch.take<double>(solid.n_in_), v = p.scratch.take<double>(solid.n_in_);
      solid.expand(outer.t, outer.q, 0, q);
      if (!outer.v.empty()) solid.expand(outer.t, outer.v, 1, v);
      p.q = q;
      p.v = v;
      p.lambda = outer.lambda.empty() ? outer.lambda : outer.lambda.first(solid.lambda_in_);
    }
    P p;
  };

  /// T x + the n-th derivative of c.
  void expand(double t, In x, int n, Out p) const noexcept {
    t_.expand(x, p);
    add_known(t, n, p);
  }
  void add_known(double t, int n, Out p) const noexcept {
    if (!known_) return;
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      Components c{};
      bodies_[k].add_known(t, n, c);
      add_nodes(k, c, p);
    }
  }
  void add_nodes(std::size_t body_number, const Components& c, Out p) const noexcept {
    const RigidBody& body = bodies_[body_number];
    const int d = body.dimension;
    for (std::size_t a = 0; a < body.nodes.size(); ++a)
      for (int i = 0; i < d; ++i) {
        double u = c[at(i)];
        for (int k = 0; k < d; ++k) u += body.xi[a][at(k)] * c[at((k + 1) * d + i)];
        p[at(first_of_[body_number][a] + i)] += u;
      }
  }
  /// Σ_a (1, ξ_a) f_a: what forces on the nodes do to (d, h).
  Components sum_nodes(std::size_t body_number, In f) const noexcept {
    const RigidBody& body = bodies_[body_number];
    const int d = body.dimension;
    Components out{};
    for (std::size_t a = 0; a < body.nodes.size(); ++a)
      for (int i = 0; i < d; ++i) {
        const double force = f[at(first_of_[body_number][a] + i)];
        out[at(i)] += force;
        for (int k = 0; k < d; ++k) out[at((k + 1) * d + i)] += body.xi[a][at(k)] * force;
      }
    return out;
  }
  std::vector<double> inside(double t, In q) const {
    std::vector<double> out(n_in_);
    expand(t, q, 0, out);
    return out;
  }
  template <class Use>
  void for_strains(const P& p, const Use& use) const noexcept {
    for (const RigidBody& body : bodies_) {
      if (body.strains.empty()) continue;
      const Components c = body.all(p.t, p.q, 0);
      for (std::size_t s = 0; s < body.strains.size(); ++s) use(body, c, body.strains[s], at(body.first_row) + s);
    }
  }
  bool loaded() const noexcept { return !std::ranges::all_of(loads_, is_zero); }
  void collect(const RigidBody& body) {
    for (const Function& f : body.motions()) motions_.push_back(f);
    for (const Function& f : body.loads()) loads_.push_back(f);
    auto& first = first_of_.emplace_back();
    for (const int node : body.nodes) first.push_back(inner_->coordinate(node, 0));
  }

  /// Weight, force and moment of the part, less its damping.
  Components own_force(const RigidBody& body, const P& p, const Components& c) const noexcept {
    const SolidModel& m = model();
    Components f = body.applied(p.t, c), motion{};
    for (int i = 0; i < body.dimension; ++i) motion[at(i)] = m.gravity[at(i)](p.t);
    if (m.mass_damping > 0) {
      const Components rate = body.all(p.t, p.v, 1);
      for (std::size_t k = 0; k < motion.size(); ++k) motion[k] -= m.mass_damping * rate[k];
    }
    const Components more = body.times_mass(motion);
    for (std::size_t k = 0; k < f.size(); ++k) f[k] += more[k];
    return f;
  }
  EvalStatus finish_force(const P& p, Inside& in, EvalStatus status, Out f, Out out) const noexcept {
    if (known_) {
      Scratch scratch = in.p.scratch;
      const Out a = scratch.take<double>(n_in_), product = scratch.take<double>(n_in_);
      add_known(p.t, 2, a);
      P inner = in.p;
      inner.scratch = scratch;
      status = std::max(status, inner_->inertia(inner, a, product));
      for (std::size_t i = 0; i < n_in_; ++i) f[i] -= product[i];
    }
    t_.reduce(f, out);
    for (const RigidBody& body : bodies_) {
      body.put(own_force(body, p, body.all(p.t, p.q, 0)), 1, out);
      if (!known_) continue;
      Components a{};
      body.add_known(p.t, 2, a);
      body.put(body.times_mass(a), -1, out);
    }
    return status;
  }
  double kinetic_energy(const P& p) const noexcept {
    double sum = 0;
    for (const RigidBody& body : bodies_) {
      const Components v = body.all(p.t, p.v, 1), momentum = body.times_mass(v);
      for (std::size_t k = 0; k < v.size(); ++k) sum += 0.5 * v[k] * momentum[k];
    }
    return sum;
  }
  /// Σ V λ²/2E.
  double rigid_energy(const P& p) const noexcept {
    double sum = 0;
    for (const RigidBody& body : bodies_)
      for (std::size_t s = 0; s < body.strains.size() && !p.lambda.empty(); ++s) {
        const double stress = p.lambda[at(body.first_row) + s];
        sum += 0.5 * body.volume * body.compliance * stress * stress;
      }
    return sum;
  }

  std::shared_ptr<const SolidSystem> inner_;
  std::vector<RigidBody> bodies_;
  Substitution t_;
  std::vector<int> outer_of_;  // of each inner coordinate; −1: it follows
  std::size_t n_in_, lambda_in_, n_inner_outputs_;
  bool known_ = false;
  std::vector<Function> motions_ = {}, loads_ = {};
  std::vector<std::vector<int>> first_of_ = {};  // [body][node]: its first inner coordinate
  RigidTangents blocks_;
  RigidMass mass_;
};

std::vector<std::string> RigidSolid::names(std::string_view block) const {
  const std::vector<std::string> inner = inner_->names(block);
  if (block != "q" && block != "v") return block == "lambda" ? std::vector<std::string>{} : inner;
  std::vector<std::string> out(at(sizes_.q));
  for (std::size_t i = 0; i < outer_of_.size(); ++i)
    if (outer_of_[i] >= 0) out[at(outer_of_[i])] = inner[i];
  for (const RigidBody& body : bodies_)
    for (int k = 0; k < body.components(); ++k)
      if (body.coordinate[at(k)] >= 0)
        out[at(body.coordinate[at(k)])] =
            fmt::format("{}[{}{}.{}]", block, body.data.name,
                        k < body.dimension ? "" : fmt::format(".h{}", k / body.dimension), "xyz"[k % body.dimension]);
  return out;
}

std::vector<std::string> RigidSolid::output_names() const {
  std::vector<std::string> out = inner_->output_names();
  for (const RigidBody& body : bodies_) {
    const auto add = [&](std::string_view what, int axis) {
      out.push_back(fmt::format("{}.{}.{}", what, body.data.name, "xyz"[axis]));
    };
    const int first = body.axial ? 1 : 0;
    for (int i = first; i < body.dimension; ++i) add("displacement", i);
    for (int i = body.first_rotation(); i < 3; ++i) add("rotation", i);
    for (int i = body.first_rotation(); i < 3; ++i) add("angular_velocity", i);
    for (int i = first; i < body.dimension; ++i)
      if (body.data.displacement[at(i)]) add("reaction", i);
    for (int i = body.first_rotation(); i < 3; ++i)
      if (body.data.rotation[at(i)]) add("reaction_moment", i);
  }
  return out;
}

/// Reactions: what those who prescribe the motion do to the part, M_in p'' − f_in + Bᵀλ summed with the weights of (d, h), and the
/// same of the part itself.
EvalStatus RigidSolid::outputs(const P& p, In a, Out y) const noexcept {
  Inside in(*this, p);
  Scratch& scratch = in.p.scratch;
  const Out a_in = scratch.take<double>(n_in_), rest = scratch.take<double>(n_in_), more = scratch.take<double>(n_in_);
  if (a.empty())
    add_known(p.t, 2, a_in);
  else
    expand(p.t, a, 2, a_in);
  EvalStatus status = inner_->outputs(in.p, a_in, y.first(n_inner_outputs_));
  y[0] += kinetic_energy(p);
  y[1] += rigid_energy(p);
  status = std::max(status, inner_->inertia(in.p, a_in, rest));
  (void)inner_->force(in.p, more);  // its refusals of states are the outputs' or, of contacts, none of theirs
  for (std::size_t i = 0; i < n_in_; ++i) rest[i] -= more[i];
  status = std::max(status, inner_->reaction(in.p, in.p.lambda, {}, more));
  for (std::size_t i = 0; i < n_in_; ++i) rest[i] += more[i];

  std::size_t next = n_inner_outputs_;
  for (std::size_t number = 0; number < bodies_.size(); ++number) {
    const RigidBody& body = bodies_[number];
    const Components c = body.all(p.t, p.q, 0), rate = body.all(p.t, p.v, 1);
    Components acceleration = a.empty() ? Components{} : body.take(a);
    body.add_known(p.t, 2, acceleration);
    Components f = body.times_mass(acceleration);
    const Components own = own_force(body, p, c), stress = body.stress_forces(c, p.lambda),
                     nodes = sum_nodes(number, rest);
    for (std::size_t k = 0; k < f.size(); ++k) f[k] += nodes[k] + stress[k] - own[k];
    const auto turn = body.rotation(c), omega = body.angular_velocity(c, rate), moment = body.moment(c, f);
    const int first = body.axial ? 1 : 0;
    for (int i = first; i < body.dimension; ++i) y[next++] = c[at(i)];
    for (int i = body.first_rotation(); i < 3; ++i) y[next++] = turn[at(i)];
    for (int i = body.first_rotation(); i < 3; ++i) y[next++] = omega[at(i)];
    for (int i = first; i < body.dimension; ++i)
      if (body.data.displacement[at(i)]) y[next++] = f[at(i)];
    for (int i = body.first_rotation(); i < 3; ++i)
      if (body.data.rotation[at(i)]) y[next++] = moment[at(i)];
  }
  return status;
}

}  // namespace

Result<std::shared_ptr<const SolidSystem>> make_rigid_system(SolidParts parts) {
  auto bodies = make_bodies(parts);
  if (!bodies) return bodies.error();
  const int d = parts.model.mesh.dimension;
  std::vector<int> outer_of(parts.free_places.size(), 0);
  for (const RigidBody& body : *bodies)
    for (const int node : body.nodes)
      for (int i = 0; i < d; ++i) outer_of[at(parts.coordinate[at(node * d + i)])] = -1;
  MechanicalSizes sizes{.lambda = parts.n_lambda};
  for (int& outer : outer_of)
    if (outer == 0) outer = sizes.q++;
  for (RigidBody& body : *bodies) {
    for (int& coordinate : body.coordinate)
      if (coordinate == 0) coordinate = sizes.q++;
    body.first_row = sizes.lambda;
    sizes.lambda += static_cast<int>(body.strains.size());
  }
  if (sizes.q == 0) return Error{"every displacement is prescribed: nothing is left to compute"};
  sizes.v = sizes.q;

  std::vector<std::vector<Substitution::Term>> rows(outer_of.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (outer_of[i] >= 0) rows[i] = {{.coordinate = outer_of[i]}};
  for (const RigidBody& body : *bodies)
    for (std::size_t a = 0; a < body.nodes.size(); ++a)
      for (int i = 0; i < d; ++i)
        for (int k = 0; k <= d; ++k) {
          const double weight = k == 0 ? 1 : body.xi[a][at(k - 1)];
          const int coordinate = body.coordinate[at(k * d + i)];
          if (coordinate >= 0 && weight != 0)
            rows[at(parts.coordinate[at(body.nodes[a] * d + i)])].push_back({coordinate, weight});
        }
  Substitution substitution(sizes.q, rows);
  const auto inner = make_system(std::move(parts));
  sizes.z = inner->sizes().z;
  return std::shared_ptr<const SolidSystem>(
      std::make_shared<RigidSolid>(inner, *std::move(bodies), std::move(substitution), std::move(outer_of), sizes));
}

}  // namespace rubato::fem::detail
