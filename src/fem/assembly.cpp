#include "assembly.hpp"

#include <algorithm>

namespace rubato::fem::detail {

/// What one pack reads and writes.
struct Assembly::Workspace {
  double *u, *rate, *rate2, *p;
  double *force, *stiffness, *coupling, *constraint, *compliance, *energy;
  std::span<double> results;  // all outputs, one after the other
};

namespace {

std::size_t workspace_size(const ElementSet& s) {
  const int d = s.dofs(), p = s.pressures;
  return at(lanes) * at(3 * d + p + d + s.pairs() * s.dimension * s.dimension + p * d + p + p * p + 1);
}

/// values[node][axis][lane] of a pack.
void gather(const ElementSet& set, int pack, In from, double* to) {
  const int* node = set.node_of.data() + at(pack) * at(set.nodes * lanes);
  const int d = set.dimension;
  for (int a = 0; a < set.nodes; ++a, node += lanes)
    for (int i = 0; i < d; ++i, to += lanes)
      for (int e = 0; e < lanes; ++e) to[e] = from[at(node[e] * d + i)];
}

void add_stiffness(const ElementSet& set, int element, int lane, const double* pair, Out values) {
  const int d = set.dimension, n = set.dofs();
  const int* place = set.stiffness_place.data() + at(element) * at(n) * at(n);
  for (int b = 0; b < set.nodes; ++b)
    for (int a = 0; a <= b; ++a)
      for (int i = 0; i < d; ++i)
        for (int k = 0; k < d; ++k, pair += lanes) {
          const double v = pair[lane];  // K of row (a, i), column (b, k)
          if (const int p = place[(b * d + k) * n + a * d + i]; p >= 0) values[at(p)] += v;
          if (a == b) continue;
          if (const int p = place[(a * d + i) * n + b * d + k]; p >= 0) values[at(p)] += v;
        }
}

}  // namespace

std::size_t Assembly::scratch_bytes() const noexcept {
  std::size_t most = 0;
  for (const ElementSet& set : sets) most = std::max(most, workspace_size(set));
  return Scratch::bytes_for<double>(most);
}

Assembly::Workspace Assembly::workspace(const ElementSet& s, Scratch& scratch) const noexcept {
  double* next = scratch.reserve<double>(workspace_size(s));
  const auto take = [&next](int n) {
    double* mine = next;
    next += n * lanes;
    return mine;
  };
  Workspace w{};
  w.u = take(s.dofs());
  w.rate = take(s.dofs());
  w.rate2 = take(s.dofs());
  w.p = take(s.pressures);
  double* const first = next;
  w.force = take(s.dofs());
  w.coupling = take(s.pressures * s.dofs());
  w.constraint = take(s.pressures);
  w.compliance = take(s.pressures * s.pressures);
  w.energy = take(1);
  w.stiffness = take(s.pairs() * s.dimension * s.dimension);
  w.results = {first, static_cast<std::size_t>(next - first)};
  return w;
}

EvalStatus Assembly::run(const AssemblyTask& task, Scratch scratch, int* inverted) const noexcept {
  for (const Out& out :
       {task.force, task.stiffness, task.reaction, task.constraint_gradient, task.constraint, task.compliance})
    std::fill(out.begin(), out.end(), 0.0);
  if (task.energy != nullptr) *task.energy = 0;
  EvalStatus status = EvalStatus::ok;
  const bool coupling = !task.reaction.empty() || !task.constraint_gradient.empty();
  for (const ElementSet& set : sets) {
    const bool mixed = set.pressures > 0;
    if (!mixed && task.force.empty() && task.stiffness.empty() && task.energy == nullptr) continue;
    if (!mixed && !task.law) continue;
    Scratch own = scratch;
    const Workspace w = workspace(set, own);
    // Without stiffness the results end before it.
    const std::size_t used =
        task.stiffness.empty() ? static_cast<std::size_t>(w.stiffness - w.results.data()) : w.results.size();
    const PackInput in{.geometry = nullptr,
                       .u = w.u,
                       .p = mixed && !task.lambda.empty() ? w.p : nullptr,
                       .rate = task.rate.empty() ? nullptr : w.rate,
                       .rate2 = task.rate2.empty() ? nullptr : w.rate2};
    const PackOutput out{.force = task.force.empty() ? nullptr : w.force,
                         .stiffness = task.stiffness.empty() ? nullptr : w.stiffness,
                         .coupling = mixed && coupling ? w.coupling : nullptr,
                         .constraint = mixed && !task.constraint.empty() ? w.constraint : nullptr,
                         .compliance = mixed && !task.compliance.empty() ? w.compliance : nullptr,
                         .energy = task.energy != nullptr ? w.energy : nullptr,
                         .law = task.law,
                         .pressure = task.pressure};
    for (int pack = 0; pack < set.n_packs; ++pack) {
      gather(set, pack, task.u, w.u);
      if (in.rate != nullptr) gather(set, pack, task.rate, w.rate);
      if (in.rate2 != nullptr) gather(set, pack, task.rate2, w.rate2);
      const int* pressure = set.pressure_of.data() + at(pack) * at(set.pressures * lanes);
      if (in.p != nullptr)
        for (int k = 0; k < set.pressures * lanes; ++k) w.p[k] = task.lambda[at(pressure[k])];
      std::fill(w.results.begin(), w.results.begin() + static_cast<std::ptrdiff_t>(used), 0.0);
      PackInput here = in;
      here.geometry = set.geometry_of(pack);
      const unsigned wrong = set.kernel(set.law, set.shape_data(), here, out);

      const int* node = set.node_of.data() + at(pack) * at(set.nodes * lanes);
      for (int e = 0; e < lanes; ++e) {
        const int element = pack * lanes + e;
        if (element >= set.n_elements) break;
        if ((wrong >> e & 1u) != 0 || (wrong >> lanes) != 0) {
          status = EvalStatus::out_of_domain;
          if (inverted != nullptr && *inverted < 0) *inverted = set.element_of[at(element)];
        }
        const int d = set.dimension, dofs = set.dofs();
        if (out.force != nullptr)
          for (int a = 0; a < set.nodes; ++a)
            for (int i = 0; i < d; ++i) task.force[at(node[a * lanes + e] * d + i)] += w.force[(a * d + i) * lanes + e];
        if (out.stiffness != nullptr) add_stiffness(set, element, e, w.stiffness, task.stiffness);
        if (out.energy != nullptr) *task.energy += w.energy[e];
        if (out.constraint != nullptr)
          for (int k = 0; k < set.pressures; ++k)
            task.constraint[at(pressure[k * lanes + e])] += w.constraint[k * lanes + e];
        if (out.coupling != nullptr)
          for (int k = 0; k < set.pressures * dofs; ++k) {
            const std::size_t place = at(element) * at(set.pressures * dofs) + at(k);
            const double v = w.coupling[k * lanes + e];
            if (const int p = set.reaction_place[place]; p >= 0 && !task.reaction.empty()) task.reaction[at(p)] += v;
            if (const int p = set.constraint_place[place]; p >= 0 && !task.constraint_gradient.empty())
              task.constraint_gradient[at(p)] += v;
          }
        if (out.compliance != nullptr)
          for (int k = 0; k < set.pressures * set.pressures; ++k)
            if (const int p = set.compliance_place[at(element) * at(set.pressures * set.pressures) + at(k)]; p >= 0)
              task.compliance[at(p)] -= w.compliance[k * lanes + e];
      }
    }
  }
  return status;
}

}  // namespace rubato::fem::detail
