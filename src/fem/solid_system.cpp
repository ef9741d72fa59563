// The equations (1) of solid.hpp as a MechanicalSystem.
//
// Prescribed displacements d(t) are no unknowns: elements see the full vector u = (q, d(t)), and the balance of momentum of the free
// nodes gets −M_fd d''(t). Their rows give the reactions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fields.hpp"
#include "rubato/base/function_jumps.hpp"
#include "rubato/linalg/sparse_product.hpp"
#include "solid_parts.hpp"

namespace rubato::fem {
namespace detail {
namespace {

using P = MechanicalPoint<double>;

MechanicalSizes sizes_of(const SolidParts& parts) {
  const int n = static_cast<int>(parts.free_places.size());
  return {.q = n, .v = n, .z = parts.n_z, .lambda = parts.n_lambda};
}

class Solid final : public SolidSystem {
 public:
  explicit Solid(SolidParts parts)
      : SolidSystem(sizes_of(parts)), parts_(std::move(parts)), full_(parts_.coordinate.size()) {}

  const SolidModel& model() const noexcept override { return parts_.model; }
  int coordinate(int node, int axis) const noexcept override {
    return std::max(-1, parts_.coordinate[at(node * dimension() + axis)]);
  }

  std::vector<int> pressures(int element) const override {
    for (const ElementSet& set : parts_.assembly.sets)
      if (const auto found = std::find(set.element_of.begin(), set.element_of.end(), element);
          found != set.element_of.end()) {
        const int slot = static_cast<int>(found - set.element_of.begin());
        std::vector<int> numbers;
        for (int k = 0; k < set.pressures; ++k) numbers.push_back(set.pressure(slot, k));
        return numbers;
      }
    return {};
  }

  bool constant_mass() const noexcept override { return true; }
  bool compliant() const noexcept override { return parts_.compliant; }
  std::vector<int> local_multipliers() const override;
  /// What holds nodes and loads them may be there, if it does not change.
  bool autonomous() const noexcept override {
    const auto constant = [](const Function& f) { return f.expression() != nullptr && f.expression()->is_constant(); };
    return std::ranges::all_of(parts_.functions, constant) &&
           std::ranges::all_of(parts_.loads, constant, &LoadCase::factor) && !parts_.contacts.moves();
  }
  std::size_t scratch_bytes() const noexcept override {
    return std::max(parts_.assembly.scratch_bytes(), parts_.contacts.scratch_bytes()) +
           6 * Scratch::bytes_for<double>(full_);
  }

  EvalStatus kinematics(const P&, In v, Out q_rate) const noexcept override {
    std::copy(v.begin(), v.end(), q_rate.begin());
    return EvalStatus::ok;
  }
  EvalStatus inertia(const P& p, In a, Out out) const noexcept override {
    Scratch scratch = p.scratch;
    const Out all = scratch.take<double>(full_), product = scratch.take<double>(full_);
    put_free(a, all);
    multiply_mass(all, product);
    take_free(product, 1, out);
    return EvalStatus::ok;
  }
  EvalStatus inertia_rate(const P&, Out out) const noexcept override { return zero(out); }
  EvalStatus force(const P& p, Out out) const noexcept override {
    Scratch scratch = p.scratch;
    const Out u = scratch.take<double>(full_), f = scratch.take<double>(full_);
    displacement(p.t, p.q, u);
    EvalStatus status = parts_.assembly.run({.u = u, .law = true, .pressure = false, .force = f, .z = p.z}, scratch);
    add_external(p.t, scratch, f);
    add_damping(p.t, p.v, scratch, f);
    if (!parts_.contacts.empty()) {
      const ContactState state = contact_state(p, u, scratch);
      status = std::max(status, parts_.contacts.subtract_force(state, scratch, f));
    }
    take_free(f, -1, out);
    return status;
  }
  EvalStatus auxiliary(const P& p, Out out) const noexcept override {
    if (out.empty()) return EvalStatus::ok;
    Scratch scratch = p.scratch;
    const Out u = scratch.take<double>(full_);
    displacement(p.t, p.q, u);
    return parts_.assembly.run({.u = u, .law = false, .pressure = false, .z = p.z, .memory_rate = out}, scratch);
  }
  bool z_is_local() const noexcept override { return true; }
  EvalStatus constraint(const P& p, Out out) const noexcept override {
    if (out.empty()) return EvalStatus::ok;
    Scratch scratch = p.scratch;
    const Out u = scratch.take<double>(full_);
    displacement(p.t, p.q, u);
    return parts_.assembly.run({.u = u, .lambda = p.lambda, .constraint = out}, scratch);
  }
  EvalStatus constraint_rate(const P& p, Out out) const noexcept override { return rates(p, {}, out); }
  EvalStatus constraint_acceleration(const P& p, In a, Out out) const noexcept override { return rates(p, a, out); }
  EvalStatus reaction(const P& p, In lambda, In, Out out) const noexcept override {
    if (lambda.empty()) return zero(out);
    Scratch scratch = p.scratch;
    const Out u = scratch.take<double>(full_), f = scratch.take<double>(full_);
    displacement(p.t, p.q, u);
    const EvalStatus status = parts_.assembly.run({.u = u, .lambda = lambda, .law = false, .force = f}, scratch);
    take_free(f, 1, out);
    return status;
  }
  EvalStatus rolling(const P&, Out) const noexcept override { return EvalStatus::ok; }
  EvalStatus rolling_acceleration(const P&, In, Out) const noexcept override { return EvalStatus::ok; }
  EvalStatus part_force(int, const P& p, Out out) const noexcept override { return force(p, out); }
  EvalStatus part_energy(int, const P& p, double& out) const noexcept override { return potential_energy(p, out); }

  ModelJacobian tangent_kind() const noexcept override { return ModelJacobian::exact; }
  ResidualTangentPatterns tangent_patterns() const override { return parts_.patterns; }
  EvalStatus tangents(const P& p, In, const ResidualTangents& out) const noexcept override {
    Scratch scratch = p.scratch;
    const Out u = scratch.take<double>(full_);
    displacement(p.t, p.q, u);
    if (parts_.damping.empty()) {
      std::fill(out.D.begin(), out.D.end(), 0.0);
    } else if (!out.D.empty()) {
      std::copy(parts_.damping.begin(), parts_.damping.end(), out.D.begin());
    }
    if (!out.e_z.empty())
      for (const ElementSet& set : parts_.assembly.sets)
        for (int k = 0; k < set.n_elements * set.z_per_element(); ++k)
          out.e_z[at(set.first_z + k)] = -1 / set.law.prony_tau[k / set.components % set.terms];
    EvalStatus status = parts_.assembly.run({.u = u,
                                             .lambda = p.lambda,
                                             .stiffness = out.K,
                                             .reaction = out.r_lambda,
                                             .constraint_gradient = out.g_q,
                                             .compliance = out.g_lambda,
                                             .z = p.z,
                                             .memory_force = out.r_z,
                                             .memory_gradient = out.e_q},
                                            scratch);
    if (!parts_.contacts.empty()) {
      const ContactState state = contact_state(p, u, scratch);
      const NodePlaces places{.coordinate = parts_.coordinate, .pattern = &parts_.patterns.K};
      status = std::max(status, parts_.contacts.subtract_tangents(state, places, scratch, out.K, out.D));
    }
    return status;
  }
  std::optional<SparsePattern> inertia_pattern() const override;
  std::vector<double> inertia_values() const override;

  std::vector<std::string> names(std::string_view block) const override;
  std::string unit(std::string_view block) const override {
    return block == "q" ? "m" : block == "v" ? "m/s" : block == "lambda" ? "Pa" : "";
  }
  double next_time_event(double t, int) const noexcept override {
    double next = std::numeric_limits<double>::infinity();
    for (const Function& f : parts_.functions) next = std::min(next, f.next_break(t));
    for (const LoadCase& load : parts_.loads) next = std::min(next, load.factor.next_break(t));
    return next;
  }
  std::vector<RootInfo> roots() const override {
    std::vector<RootInfo> out;
    for (std::string& name : parts_.contacts.root_names()) out.push_back({std::move(name), Crossing::falling});
    return out;
  }
  EvalStatus root_values(const P& p, Out values) const noexcept override {
    if (values.empty()) return EvalStatus::ok;
    Scratch scratch = p.scratch;
    const Out u = scratch.take<double>(full_);
    displacement(p.t, p.q, u);
    parts_.contacts.root_values(contact_state(p, u, scratch), scratch, values);
    return EvalStatus::ok;
  }
  /// Where a prescribed motion has a kink or a load jumps, velocities, accelerations and pressures have to be found anew. Where bodies
  /// begin to touch nothing jumps, but the steps of free flight are too long.
  EventEffect on_event(const EventContext& event, Out, Out, Out) const noexcept override {
    const auto motion = [&](const Function& f) { return jumps(f, event.t, 2); };
    const auto load = [&](const LoadCase& l) { return jumps(l.factor, event.t, 0); };
    return {.mode = event.mode,
            .state_changed = !event.roots.empty() ||
                             std::any_of(parts_.functions.begin(), parts_.functions.end(), motion) ||
                             std::any_of(parts_.loads.begin(), parts_.loads.end(), load)};
  }

  std::vector<std::string> output_names() const override;
  EvalStatus outputs(const P& p, In a, Out y) const noexcept override;
  std::vector<std::string> invariant_names() const override {
    const bool conservative = autonomous() && parts_.loads.empty() && parts_.damping.empty() && parts_.n_z == 0 &&
                              parts_.contacts.conservative();
    return conservative ? std::vector<std::string>{"energy"} : std::vector<std::string>{};
  }
  EvalStatus invariants(const P& p, Out values) const noexcept override {
    if (values.empty()) return EvalStatus::ok;
    const EvalStatus status = potential_energy(p, values[0]);
    values[0] += kinetic_energy(p.t, p.v, p.scratch);
    return status;
  }

  std::vector<double> displacements(double t, In q) const override {
    std::vector<double> u(full_);
    displacement(t, q, u);
    return u;
  }
  SolidFields fields(const P& p) const override {
    SolidFields out;
    out.displacement = displacements(p.t, p.q);
    out.velocity.assign(full_, 0.0);
    velocity(p.t, p.v, out.velocity);
    fill_fields(parts_, p.lambda, p.z, out);
    return out;
  }
  int inverted_element(double t, In q) const override {
    const std::vector<double> u = displacements(t, q);
    std::vector<double> f(full_);
    ScratchMemory memory(parts_.assembly.scratch_bytes());
    int element = -1;
    (void)parts_.assembly.run({.u = u, .pressure = false, .force = f}, memory.scratch(), &element);
    return element;
  }

 private:
  [[nodiscard]] int dimension() const noexcept { return parts_.model.mesh.dimension; }
  static EvalStatus zero(Out out) noexcept {
    std::fill(out.begin(), out.end(), 0.0);
    return EvalStatus::ok;
  }
  void put_free(In from, Out all) const noexcept {
    for (std::size_t i = 0; i < from.size(); ++i) all[at(parts_.free_places[i])] = from[i];
  }
  void take_free(In all, double factor, Out to) const noexcept {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = factor * all[at(parts_.free_places[i])];
  }
  /// The n-th derivatives of the prescribed displacements; `all` is 0 there before.
  void put_driven(double t, std::size_t n, Out all) const noexcept {
    if (n == 0 || !parts_.model.quasi_static) put_derivatives(t, n, all);
  }
  void put_derivatives(double t, std::size_t n, Out all) const noexcept {
    int known = -1;
    double value = 0;
    for (const Driven& d : parts_.driven) {
      if (d.function != known) value = derivatives(parts_.functions[at(known = d.function)], t)[n];
      all[at(d.place)] = value;
    }
  }
  void displacement(double t, In q, Out u) const noexcept {
    put_free(q, u);
    put_driven(t, 0, u);
  }
  void velocity(double t, In v, Out all) const noexcept {
    put_free(v, all);
    put_driven(t, 1, all);
  }
  void multiply_mass(In a, Out y) const noexcept {
    const int d = dimension();
    const auto starts = parts_.node_pattern.column_starts(), rows = parts_.node_pattern.row_indices();
    std::fill(y.begin(), y.end(), 0.0);
    for (int node = 0; node < parts_.assembly.n_nodes; ++node)
      for (int p = starts[at(node)]; p < starts[at(node) + 1]; ++p)
        for (int i = 0; i < d; ++i) y[at(rows[at(p)] * d + i)] += parts_.mass[at(p)] * a[at(node * d + i)];
  }
  /// f −= loads, += M d''(t).
  void add_external(double t, Scratch scratch, Out f) const noexcept {
    for (const LoadCase& load : parts_.loads) {
      const double factor = load.factor(t);
      for (std::size_t i = 0; i < f.size(); ++i) f[i] -= factor * load.force[i];
    }
    if (parts_.driven.empty()) return;
    const Out a = scratch.take<double>(full_), inertia = scratch.take<double>(full_);
    put_driven(t, 2, a);
    multiply_mass(a, inertia);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] += inertia[i];
  }
  /// f += α M u' + β K(undeformed) u', prescribed velocities included.
  void add_damping(double t, In rate, Scratch scratch, Out f) const noexcept {
    if (parts_.damping.empty()) return;
    const Out v = scratch.take<double>(full_), momentum = scratch.take<double>(full_);
    velocity(t, rate, v);
    multiply_mass(v, momentum);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] += parts_.model.mass_damping * momentum[i];
    if (!parts_.stiffness_damping.empty())
      multiply_add(parts_.stiffness_damping_pattern, parts_.stiffness_damping, 1, v, f);
  }
  EvalStatus rates(const P& p, In a, Out out) const noexcept {
    if (out.empty()) return EvalStatus::ok;
    Scratch scratch = p.scratch;
    const Out u = scratch.take<double>(full_), rate = scratch.take<double>(full_), rate2 = scratch.take<double>(full_);
    displacement(p.t, p.q, u);
    velocity(p.t, p.v, rate);
    if (!a.empty()) {
      put_free(a, rate2);
      put_driven(p.t, 2, rate2);
    }
    return parts_.assembly.run({.u = u, .rate = rate, .rate2 = a.empty() ? In{} : In(rate2), .constraint = out},
                               scratch);
  }
  /// Positions and velocities of all nodes, in memory taken from the scratch.
  [[nodiscard]] ContactState contact_state(const P& p, In u, Scratch& scratch) const noexcept {
    const Out x = scratch.take<double>(full_), v = scratch.take<double>(full_);
    for (std::size_t i = 0; i < full_; ++i) x[i] = parts_.model.mesh.points[i] + u[i];
    put_free(p.v, v);
    put_derivatives(p.t, 1, v);  // surfaces that are moved slide in equilibria, too, as those of moving obstacles do
    return {.t = p.t, .x = x, .v = v};
  }
  /// Of strains and of contacts.
  EvalStatus potential_energy(const P& p, double& out) const noexcept {
    Scratch scratch = p.scratch;
    const Out u = scratch.take<double>(full_);
    displacement(p.t, p.q, u);
    EvalStatus status = parts_.assembly.run({.u = u, .lambda = p.lambda, .energy = &out}, scratch);
    if (!parts_.contacts.empty()) {
      ContactState state = contact_state(p, u, scratch);
      state.refuse_deep = false;
      status = std::max(status, parts_.contacts.add_energy(state, scratch, out));
    }
    return status;
  }
  double kinetic_energy(double t, In rate, Scratch scratch) const noexcept {
    const Out v = scratch.take<double>(full_), momentum = scratch.take<double>(full_);
    velocity(t, rate, v);
    multiply_mass(v, momentum);
    return 0.5 * map(In(v)).dot(map(In(momentum)));
  }

  /// M of the free places, column by column.
  template <class Visit, class EndOfColumn>
  void each_inertia(Visit visit, EndOfColumn end_of_column) const {
    const int d = dimension();
    const auto starts = parts_.node_pattern.column_starts(), nodes = parts_.node_pattern.row_indices();
    for (const int place : parts_.free_places) {
      for (int p = starts[at(place / d)]; p < starts[at(place / d) + 1]; ++p) {
        if (parts_.model.lumped_mass && nodes[at(p)] != place / d) continue;
        if (const int row = parts_.coordinate[at(nodes[at(p)] * d + place % d)]; row >= 0)
          visit(row, parts_.mass[at(p)]);
      }
      end_of_column();
    }
  }

  SolidParts parts_;
  std::size_t full_;
};

std::optional<SparsePattern> Solid::inertia_pattern() const {
  std::vector<int> starts = {0}, rows;
  each_inertia([&](int row, double) { rows.push_back(row); }, [&] { starts.push_back(static_cast<int>(rows.size())); });
  return SparsePattern::from_columns(sizes_.v, sizes_.v, std::move(starts), std::move(rows));
}

std::vector<double> Solid::inertia_values() const {
  std::vector<double> values;
  each_inertia([&](int, double value) { values.push_back(value); }, [] {});
  return values;
}

/// Static condensation: pressures that one element alone has. It squares the condition, κ/μ enters the stiffness: not beyond a ratio that
/// leaves ten digits.
std::vector<int> Solid::local_multipliers() const {
  constexpr double largest_ratio = 1e6;
  std::vector<int> out;
  for (const ElementSet& set : parts_.assembly.sets) {
    const Region& region = parts_.model.regions[at(set.region)];
    if (region.pressure != PressureSpace::discontinuous || !(set.law.compliance > 0)) continue;
    const Material& material = material_of(parts_.model, region);
    if (bulk_modulus(material) > largest_ratio * shear_modulus(material)) continue;
    for (int slot = 0; slot < set.n_elements; ++slot)
      for (int k = 0; k < set.pressures; ++k) out.push_back(set.pressure(slot, k));
  }
  return out;
}

std::vector<std::string> Solid::names(std::string_view block) const {
  std::vector<std::string> out;
  if (block != "q" && block != "v") return out;
  const int d = dimension();
  for (const int place : parts_.free_places)
    out.push_back(fmt::format("{}[{}.{}]", block, parts_.model.mesh.node_label(place / d), "xyz"[place % d]));
  return out;
}

std::vector<std::string> Solid::output_names() const {
  std::vector<std::string> out = {"energy.kinetic", "energy.strain"};
  for (const auto& support : parts_.supports)
    for (int i = 0; i < dimension(); ++i) out.push_back(fmt::format("reaction.{}.{}", support.group, "xyz"[i]));
  for (const Probe& probe : parts_.model.probes)
    for (int i = 0; i < dimension(); ++i) out.push_back(fmt::format("displacement.{}.{}", probe.name, "xyz"[i]));
  const auto contacts = parts_.contacts.output_names(dimension());
  out.insert(out.end(), contacts.begin(), contacts.end());
  return out;
}

/// Reactions: what the supports do to the body, M u'' + D u' + f_int − f_ext summed over what each of them prescribes.
EvalStatus Solid::outputs(const P& p, In a, Out y) const noexcept {
  Scratch scratch = p.scratch;
  const Out u = scratch.take<double>(full_), f = scratch.take<double>(full_), rate2 = scratch.take<double>(full_),
            inertia = scratch.take<double>(full_);
  displacement(p.t, p.q, u);
  y[0] = kinetic_energy(p.t, p.v, scratch);
  EvalStatus status = parts_.assembly.run({.u = u, .lambda = p.lambda, .force = f, .energy = &y[1], .z = p.z}, scratch);
  for (const LoadCase& load : parts_.loads) {
    const double factor = load.factor(p.t);
    for (std::size_t i = 0; i < f.size(); ++i) f[i] -= factor * load.force[i];
  }
  add_damping(p.t, p.v, scratch, f);
  ContactState state;
  if (!parts_.contacts.empty()) {
    state = contact_state(p, u, scratch);
    state.refuse_deep = false;
    status = std::max(status, parts_.contacts.subtract_force(state, scratch, f));
  }
  if (!a.empty()) put_free(a, rate2);
  put_driven(p.t, 2, rate2);
  multiply_mass(rate2, inertia);
  std::size_t next = 2;
  for (const auto& support : parts_.supports) {
    for (int i = 0; i < dimension(); ++i) y[next + at(i)] = 0;
    for (const int place : support.places) y[next + at(place % dimension())] += f[at(place)] + inertia[at(place)];
    next += at(dimension());
  }
  for (const Probe& probe : parts_.model.probes)
    for (int i = 0; i < dimension(); ++i) {
      double sum = 0;
      for (const int node : probe.nodes) sum += u[at(node * dimension() + i)];
      y[next++] = sum / static_cast<double>(probe.nodes.size());
    }
  if (!parts_.contacts.empty())
    status = std::max(status, parts_.contacts.outputs(state, dimension(), scratch, y.subspan(next)));
  return status;
}

}  // namespace

std::shared_ptr<const SolidSystem> make_system(SolidParts parts) { return std::make_shared<Solid>(std::move(parts)); }

}  // namespace detail
}  // namespace rubato::fem
