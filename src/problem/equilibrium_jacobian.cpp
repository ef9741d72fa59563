/// ∂F/∂y of the equations of equilibrium.
#include <algorithm>
#include <cmath>

#include "equilibrium.hpp"
#include "rubato/linalg/colouring.hpp"

namespace rubato::detail {
namespace {

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

}  // namespace

bool Equilibrium::evaluate(Vector& out) {
  ++work_.counters.evaluations;
  out.resize(unknowns_);
  const EvalStatus status = balance<double>(start_.system, n_, start_.point(), view(forces_), view(out));
  if (left_ > 0) out -= left_ * first_;
  return status == EvalStatus::ok && out.allFinite();
}

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
  // Column by column: the blocks below each other, places and values as they come.
  struct Block {
    const SparsePattern& pattern;
    const Vector& values;
    int row;
  };
  const int lambda = n_.v, z = n_.v + n_.lambda;
  const Block of_q[] = {{patterns.K, k, 0}, {patterns.g_q, g, lambda}, {patterns.e_q, e_q, z}},
              of_lambda[] = {{patterns.r_lambda, r, 0}, {patterns.g_lambda, c, lambda}},
              of_z[] = {{patterns.r_z, r_z, 0}, {patterns.e_z, e_z, z}};
  Sparse j(unknowns_, unknowns_);
  Eigen::Index n_entries = 0;
  for (const std::span<const Block> blocks :
       {std::span<const Block>(of_q), std::span<const Block>(of_lambda), std::span<const Block>(of_z)})
    for (const Block& block : blocks) n_entries += block.pattern.nnz();
  j.reserve(n_entries);
  const auto put = [&j](std::span<const Block> blocks, int first, int n) {
    for (int col = 0; col < n; ++col) {
      j.startVec(first + col);
      for (const Block& block : blocks) {
        if (block.pattern.cols() != n) continue;  // a model without it
        int p = block.pattern.column_starts()[col];
        for (const int i : block.pattern.column(col)) j.insertBack(block.row + i, first + col) = block.values[p++];
      }
    }
  };
  put(of_q, 0, n_.v);
  put(of_lambda, lambda, n_.lambda);
  put(of_z, z, n_.z);
  j.finalize();
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

}  // namespace rubato::detail
