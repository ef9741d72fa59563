#include "assembly.hpp"

#include <algorithm>

namespace rubato::fem::detail {

/// What one pack reads and writes.
struct Assembly::Workspace {
  double *u, *rate, *rate2, *p;
  double *force, *stiffness, *coupling, *constraint, *compliance, *energy;
  double *z, *memory_rate, *memory_force, *memory_gradient;
  std::span<double> results;  // all outputs, one after the other
};

namespace {

std::size_t workspace_size(const ElementSet& s) {
  const int d = s.dofs(), p = s.pressures, blocks = s.terms > 0 ? s.points * s.components * d : 0;
  return at(lanes) * at(3 * d + p + d + s.pairs() * s.dimension * s.dimension + p * d + p + p * p + 1 +
                        2 * s.z_per_element() + 2 * blocks);
}

/// values[node][axis][lane] of a pack.
void gather(const ElementSet& set, int pack, In from, double* to) {
  const int* node = set.node_of.data() + at(pack) * at(set.nodes * lanes);
  const int d = set.dimension;
  for (int a = 0; a < set.nodes; ++a, node += lanes)
    for (int i = 0; i < d; ++i, to += lanes)
      for (int e = 0; e < lanes; ++e) to[e] = from[at(node[e] * d + i)];
}

/// z of a pack; padding repeats the last element.
void gather_memory(const ElementSet& set, int pack, In from, double* to) {
  const int n = set.z_per_element();
  for (int e = 0; e < lanes; ++e) {
    const int element = std::min(pack * lanes + e, set.n_elements - 1);
    const double* const z = from.data() + at(set.first_z) + at(element) * at(n);
    for (int k = 0; k < n; ++k) to[k * lanes + e] = z[k];
  }
}

/// r_z = −2μ g_i ∂∫(F z):∇φ/∂z and e_q = (∂s/∂u)/τ_i of an element.
void put_memory(const ElementSet& set, int element, int lane, const double* force, const double* gradient,
                Out force_values, Out gradient_values) {
  const int dofs = set.dofs(), n = set.components;
  const int* const order = set.memory_order.data() + at(element) * at(dofs);
  const int* const place = set.memory_gradient_place.data() + at(element) * at(dofs);
  double* column = force_values.data() + set.memory_force_place[at(element)];
  int z = 0;
  for (int point = 0; point < set.points; ++point)
    for (int term = 0; term < set.terms; ++term) {
      const double g = -set.law.memory_scale * set.law.prony_g[term], rate = 1 / set.law.prony_tau[term];
      for (int c = 0; c < n; ++c, ++z) {
        const int block = (point * n + c) * dofs;
        int entries = 0;
        for (int k = 0; k < dofs; ++k) {
          if (order[k] < 0) continue;
          const int from = (block + k) * lanes + lane;
          gradient_values[at(place[k] + z)] = rate * gradient[from];
          if (!set.works(c)) continue;
          column[order[k]] = g * force[from];
          ++entries;
        }
        column += entries;
      }
    }
}

/// K of element: pairs a ≤ b as [i][k] = (row (a, i), column (b, k)), the others by symmetry.
template <int d>
void add_stiffness(const ElementSet& set, int element, int lane, const double* pairs, Out values) {
  constexpr unsigned all = (1u << d) - 1;
  const int n = set.nodes;
  const int* place = set.stiffness_place.data() + at(element) * at(n * d * n);
  const unsigned char* const axes = set.free_axes.data() + at(element) * at(n);
  for (int b = 0; b < n; ++b)
    for (int k = 0; k < d; ++k, place += n) {
      if ((axes[b] >> k & 1u) == 0) continue;
      for (int a = 0; a < n; ++a) {
        if (axes[a] == 0) continue;
        const bool upper = a <= b;
        const int pair = upper ? b * (b + 1) / 2 + a : a * (a + 1) / 2 + b;
        const double* from = pairs + (pair * d * d + (upper ? k : k * d)) * lanes + lane;
        const int step = (upper ? d : 1) * lanes;
        double* to = values.data() + place[a];
        if (axes[a] == all) {
          for (int i = 0; i < d; ++i) to[i] += from[i * step];
        } else {
          for (int i = 0; i < d; ++i)
            if ((axes[a] >> i & 1u) != 0) *to++ += from[i * step];
        }
      }
    }
}

}  // namespace

void Assembly::make_blocks(int threads) {
  constexpr int packs_per_block = 16, worth_threads = 1000;  // packs: a few milliseconds of work
  std::vector<Block> natural;
  int n_packs = 0;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    workspace_ = std::max(workspace_, workspace_size(sets[k]));
    n_packs += sets[k].n_packs;
    for (int first = 0; first < sets[k].n_packs; first += packs_per_block)
      natural.push_back({static_cast<int>(k), first, std::min(first + packs_per_block, sets[k].n_packs)});
  }
  // Greedy: the first colour none of whose blocks touches a node of this one.
  std::vector<std::vector<char>> taken;
  std::vector<std::vector<Block>> by_colour;
  for (const Block& block : natural) {
    const ElementSet& set = sets[at(block.set)];
    const auto nodes =
        std::span(set.node_of)
            .subspan(at(block.first) * at(set.nodes * lanes), at((block.last - block.first) * set.nodes * lanes));
    std::size_t colour = 0;
    while (colour < taken.size() &&
           std::any_of(nodes.begin(), nodes.end(), [&](int node) { return taken[colour][at(node)] != 0; }))
      ++colour;
    if (colour == taken.size()) {
      taken.emplace_back(at(n_nodes), 0);
      by_colour.emplace_back();
    }
    for (const int node : nodes) taken[colour][at(node)] = 1;
    by_colour[colour].push_back(block);
  }
  for (const auto& colour : by_colour) {
    blocks_.insert(blocks_.end(), colour.begin(), colour.end());
    colour_starts_.push_back(static_cast<int>(blocks_.size()));
  }
  workers_ = std::make_unique<Workers>(n_packs < worth_threads ? 1 : threads);
}

std::size_t Assembly::scratch_bytes() const noexcept {
  return Scratch::bytes_for<double>(workspace_ * at(workers_->size())) + Scratch::bytes_for<Outcome>(blocks_.size());
}

Assembly::Workspace Assembly::workspace(const ElementSet& s, double* memory) noexcept {
  double* next = memory;
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
  w.z = take(s.z_per_element());
  w.memory_rate = take(s.z_per_element());
  const int blocks = s.terms > 0 ? s.points * s.components * s.dofs() : 0;
  w.memory_force = take(blocks);
  w.memory_gradient = take(blocks);
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
  double* const memory = scratch.reserve<double>(workspace_ * at(workers_->size()));
  const std::span<Outcome> outcomes = scratch.take<Outcome>(blocks_.size());
  for (std::size_t colour = 0; colour + 1 < colour_starts_.size(); ++colour) {
    const int first = colour_starts_[colour];
    workers_->for_each(colour_starts_[colour + 1] - first, [&](int worker, int i) {
      const Block& block = blocks_[at(first + i)];
      outcomes[at(first + i)] = run(task, sets[at(block.set)], block, memory + at(worker) * workspace_);
    });
  }
  if (task.energy != nullptr) *task.energy = 0;
  EvalStatus status = EvalStatus::ok;
  for (const Outcome& outcome : outcomes) {
    if (task.energy != nullptr) *task.energy += outcome.energy;
    if (outcome.inverted < 0) continue;
    status = EvalStatus::out_of_domain;
    if (inverted != nullptr && *inverted < 0) *inverted = outcome.inverted;
  }
  return status;
}

Assembly::Outcome Assembly::run(const AssemblyTask& task, const ElementSet& set, const Block& block,
                                double* memory) noexcept {
  Outcome outcome;
  const bool mixed = set.pressures > 0;
  const bool coupling = !task.reaction.empty() || !task.constraint_gradient.empty();
  const bool remembers = set.terms > 0 && !task.z.empty();
  const bool rates = remembers && !task.memory_rate.empty(), slopes = remembers && !task.memory_gradient.empty();
  const bool law = task.law && !(task.force.empty() && task.stiffness.empty() && task.energy == nullptr);
  if (!mixed && !law && !rates && !slopes) return outcome;
  const Workspace w = workspace(set, memory);
  // Without stiffness the results end before it.
  const auto used =
      task.stiffness.empty() ? w.stiffness - w.results.data() : static_cast<std::ptrdiff_t>(w.results.size());
  PackInput in{.geometry = nullptr,
               .u = w.u,
               .p = mixed && !task.lambda.empty() ? w.p : nullptr,
               .rate = task.rate.empty() ? nullptr : w.rate,
               .rate2 = task.rate2.empty() ? nullptr : w.rate2,
               .z = remembers ? w.z : nullptr};
  const PackOutput out{.force = task.force.empty() ? nullptr : w.force,
                       .stiffness = task.stiffness.empty() ? nullptr : w.stiffness,
                       .coupling = mixed && coupling ? w.coupling : nullptr,
                       .constraint = mixed && !task.constraint.empty() ? w.constraint : nullptr,
                       .compliance = mixed && !task.compliance.empty() ? w.compliance : nullptr,
                       .energy = task.energy != nullptr ? w.energy : nullptr,
                       .memory_rate = rates ? w.memory_rate : nullptr,
                       .memory_gradient = slopes ? w.memory_gradient : nullptr,
                       .memory_force = slopes ? w.memory_force : nullptr,
                       .law = task.law,
                       .pressure = task.pressure};
  const int d = set.dimension, dofs = set.dofs(), n_p = set.pressures;
  for (int pack = block.first; pack < block.last; ++pack) {
    gather(set, pack, task.u, w.u);
    if (in.rate != nullptr) gather(set, pack, task.rate, w.rate);
    if (in.rate2 != nullptr) gather(set, pack, task.rate2, w.rate2);
    const int* const pressure = set.pressure_of.data() + at(pack) * at(n_p * lanes);
    if (in.p != nullptr)
      for (int k = 0; k < n_p * lanes; ++k) w.p[k] = task.lambda[at(pressure[k])];
    if (remembers) gather_memory(set, pack, task.z, w.z);
    std::fill(w.results.begin(), w.results.begin() + used, 0.0);
    in.geometry = set.geometry_of(pack);
    const unsigned wrong = set.kernel(set.law, set.shape_data(), in, out);

    const int* const node = set.node_of.data() + at(pack) * at(set.nodes * lanes);
    for (int e = 0; e < lanes; ++e) {
      const int element = pack * lanes + e;
      if (element >= set.n_elements) break;
      const bool failed = (wrong >> e & 1u) != 0 || (wrong >> lanes) != 0;
      if (failed && outcome.inverted < 0) outcome.inverted = set.element_of[at(element)];
      if (out.energy != nullptr) outcome.energy += w.energy[e];
      if (out.force != nullptr)
        for (int a = 0; a < set.nodes; ++a)
          for (int i = 0; i < d; ++i) task.force[at(node[a * lanes + e] * d + i)] += w.force[(a * d + i) * lanes + e];
      if (out.stiffness != nullptr)
        (d == 3 ? add_stiffness<3> : add_stiffness<2>)(set, element, e, w.stiffness, task.stiffness);
      if (out.constraint != nullptr)
        for (int k = 0; k < n_p; ++k) task.constraint[at(pressure[k * lanes + e])] += w.constraint[k * lanes + e];
      if (out.coupling != nullptr) {
        const std::size_t places = at(element) * at(n_p * dofs);
        for (int k = 0; k < n_p * dofs; ++k) {
          const double v = w.coupling[k * lanes + e];
          if (const int p = set.reaction_place[places + at(k)]; p >= 0 && !task.reaction.empty())
            task.reaction[at(p)] += v;
          if (const int p = set.constraint_place[places + at(k)]; p >= 0 && !task.constraint_gradient.empty())
            task.constraint_gradient[at(p)] += v;
        }
      }
      if (rates)
        for (int k = 0; k < set.z_per_element(); ++k)
          task.memory_rate[at(set.first_z) + at(element) * at(set.z_per_element()) + at(k)] =
              w.memory_rate[k * lanes + e];
      if (slopes)
        put_memory(set, element, e, w.memory_force, w.memory_gradient, task.memory_force, task.memory_gradient);
      if (out.compliance != nullptr)
        for (int k = 0; k < n_p * n_p; ++k)
          if (const int p = set.compliance_place[at(element) * at(n_p * n_p) + at(k)]; p >= 0)
            task.compliance[at(p)] -= w.compliance[k * lanes + e];
    }
  }
  return outcome;
}

}  // namespace rubato::fem::detail
