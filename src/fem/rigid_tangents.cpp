#include "rigid_tangents.hpp"

namespace rubato::fem::detail {
namespace {

/// Every free component of a part with every other.
template <class Use>
void for_pairs(const RigidBody& body, const Use& use) {
  for (int a = 0; a < body.components(); ++a)
    for (int b = 0; b < body.components(); ++b)
      if (body.coordinate[at(a)] >= 0 && body.coordinate[at(b)] >= 0)
        use(a, b, Entry{body.coordinate[at(a)], body.coordinate[at(b)]});
}

SparsePattern component_pattern(const std::vector<RigidBody>& bodies, int n_q) {
  std::vector<Entry> entries;
  for (const RigidBody& body : bodies) for_pairs(body, [&](int, int, const Entry& e) { entries.push_back(e); });
  return SparsePattern::from_entries(n_q, n_q, std::move(entries));
}

SparsePattern strain_pattern(const std::vector<RigidBody>& bodies, int n_lambda, int n_q) {
  std::vector<Entry> entries;
  for (const RigidBody& body : bodies)
    for (std::size_t s = 0; s < body.strains.size(); ++s)
      for (int a = body.dimension; a < body.components(); ++a)
        if (body.coordinate[at(a)] >= 0)
          entries.push_back({body.first_row + static_cast<int>(s), body.coordinate[at(a)]});
  return SparsePattern::from_entries(n_lambda, n_q, std::move(entries));
}

SparsePattern mass_pattern(const std::vector<RigidBody>& bodies, int n_q) {
  std::vector<Entry> entries;
  for (const RigidBody& body : bodies)
    for_pairs(body, [&](int a, int b, const Entry& e) {
      if (a % body.dimension == b % body.dimension) entries.push_back(e);
    });
  return SparsePattern::from_entries(n_q, n_q, std::move(entries));
}

}  // namespace

RigidMass rigid_mass(const SparsePattern& inner, In values, const Substitution& substitution,
                     const std::vector<RigidBody>& bodies) {
  const SubstitutedBlock block(inner, &substitution, &substitution, mass_pattern(bodies, substitution.outer()));
  RigidMass out{.pattern = block.pattern(), .values = std::vector<double>(at(block.pattern().nnz()))};
  block.fill(values, out.values);
  for (const RigidBody& body : bodies)
    for_pairs(body, [&](int a, int b, const Entry& e) {
      if (a % body.dimension == b % body.dimension)
        out.values[at(out.pattern.index_of(e.row, e.col))] += body.mass[at(a / body.dimension)][at(b / body.dimension)];
    });
  return out;
}

RigidTangents::RigidTangents(const ResidualTangentPatterns& inner, const Substitution& substitution,
                             const std::vector<RigidBody>& bodies, const MechanicalSizes& sizes, double mass_damping)
    : mass_damping_(mass_damping),
      k_(inner.K, &substitution, &substitution, component_pattern(bodies, sizes.q)),
      d_(inner.D, &substitution, &substitution,
         mass_damping > 0 ? mass_pattern(bodies, sizes.q) : SparsePattern::from_entries(sizes.q, sizes.q, {})),
      r_lambda_(inner.r_lambda, &substitution, nullptr,
                transposed(strain_pattern(bodies, sizes.lambda, sizes.q)).pattern),
      g_q_(inner.g_q, nullptr, &substitution, strain_pattern(bodies, sizes.lambda, sizes.q)),
      r_z_(inner.r_z, &substitution, nullptr, SparsePattern::from_entries(sizes.q, sizes.z, {})),
      e_q_(inner.e_q, nullptr, &substitution, SparsePattern::from_entries(sizes.z, sizes.q, {})),
      e_z_(inner.e_z),
      inner_compliance_(inner.g_lambda.nnz()) {
  std::vector<int> starts(inner.g_lambda.column_starts().begin(), inner.g_lambda.column_starts().end());
  std::vector<int> rows(inner.g_lambda.row_indices().begin(), inner.g_lambda.row_indices().end());
  for (const RigidBody& body : bodies) {
    Places& place = places_.emplace_back();
    for (auto* list : {&place.k, &place.d}) list->fill(-1);
    for (auto* list : {&place.g_q, &place.r_lambda}) list->fill(-1);
    place.g_lambda = static_cast<int>(rows.size());
    for_pairs(body, [&](int a, int b, const Entry& e) {
      place.k[at(a * most + b)] = k_.pattern().index_of(e.row, e.col);
      place.d[at(a * most + b)] = d_.pattern().index_of(e.row, e.col);
    });
    for (int s = 0; s < static_cast<int>(body.strains.size()); ++s) {
      const int row = body.first_row + s;
      for (int a = body.dimension; a < body.components(); ++a) {
        const int coordinate = body.coordinate[at(a)];
        if (coordinate < 0) continue;
        place.g_q[at(s * most + a)] = g_q_.pattern().index_of(row, coordinate);
        place.r_lambda[at(s * most + a)] = r_lambda_.pattern().index_of(coordinate, row);
      }
      if (body.compliance > 0) rows.push_back(row);
      starts.push_back(static_cast<int>(rows.size()));
    }
  }
  g_lambda_ = SparsePattern::from_columns(sizes.lambda, sizes.lambda, std::move(starts), std::move(rows));
}

ResidualTangentPatterns RigidTangents::patterns() const {
  return {.K = k_.pattern(),
          .D = d_.pattern(),
          .r_lambda = r_lambda_.pattern(),
          .g_q = g_q_.pattern(),
          .g_lambda = g_lambda_,
          .r_z = r_z_.pattern(),
          .e_q = e_q_.pattern(),
          .e_z = e_z_};
}

std::size_t RigidTangents::scratch_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const SubstitutedBlock* block : {&k_, &d_, &r_lambda_, &g_q_, &r_z_, &e_q_})
    bytes += Scratch::bytes_for<double>(at(block->inner_size()));
  return bytes;
}

ResidualTangents RigidTangents::inner(Scratch& scratch, const ResidualTangents& out) const noexcept {
  const auto room = [&](const SubstitutedBlock& block, Out wanted) {
    return wanted.empty() ? Out{} : scratch.take<double>(at(block.inner_size()));
  };
  return {.K = room(k_, out.K),
          .D = room(d_, out.D),
          .r_lambda = room(r_lambda_, out.r_lambda),
          .g_q = room(g_q_, out.g_q),
          .g_lambda = out.g_lambda.empty() ? Out{} : out.g_lambda.first(at(inner_compliance_)),
          .r_z = room(r_z_, out.r_z),
          .e_q = room(e_q_, out.e_q),
          .e_z = out.e_z};
}

void RigidTangents::fill(const ResidualTangents& inner, const std::vector<RigidBody>& bodies,
                         const MechanicalPoint<double>& p, const ResidualTangents& out) const noexcept {
  const auto fill = [](const SubstitutedBlock& block, In from, Out to) {
    if (!to.empty()) block.fill(from, to);
  };
  fill(k_, inner.K, out.K);
  fill(d_, inner.D, out.D);
  fill(r_lambda_, inner.r_lambda, out.r_lambda);
  fill(g_q_, inner.g_q, out.g_q);
  fill(r_z_, inner.r_z, out.r_z);
  fill(e_q_, inner.e_q, out.e_q);
  for (std::size_t k = 0; k < bodies.size(); ++k) add(bodies[k], places_[k], p, out);
}

void RigidTangents::add(const RigidBody& body, const Places& place, const MechanicalPoint<double>& p,
                        const ResidualTangents& out) const noexcept {
  const int n = body.dimension;
  const auto add = [](Out values, int to, double value) {
    if (to >= 0 && !values.empty()) values[at(to)] += value;
  };
  if (mass_damping_ > 0)
    for (int k = 0; k <= n; ++k)
      for (int l = 0; l <= n; ++l)
        for (int x = 0; x < n; ++x)
          add(out.D, place.d[at((k * n + x) * most + l * n + x)], mass_damping_ * body.mass[at(k)][at(l)]);
  if (body.strains.empty()) return;

  std::array<double, 3> m{};  // the moment: −∂/∂h_k of ½ m × F_k / L
  for (std::size_t i = 0; i < 3; ++i) m[i] = 0.5 * body.data.moment[i](p.t) / (body.length * body.length);
  const double turning[3][3] = {{0, m[2], -m[1]}, {-m[2], 0, m[0]}, {m[1], -m[0], 0}};
  for (int k = 1; k <= n; ++k)
    for (int x = 0; x < n; ++x)
      for (int y = 0; y < n; ++y) add(out.K, place.k[at((k * n + x) * most + k * n + y)], turning[x][y]);

  const RigidBody::Components c = body.all(p.t, p.q, 0);
  const double per_length = body.volume / body.length;
  for (int s = 0; s < static_cast<int>(body.strains.size()); ++s) {
    const int i = body.strains[at(s)].first, j = body.strains[at(s)].second;
    const auto fi = body.column(c, i), fj = body.column(c, j);
    const double stress = p.lambda.empty() ? 0 : p.lambda[at(body.first_row + s)];
    for (int x = 0; x < n; ++x) {
      const int hi = (i + 1) * n + x, hj = (j + 1) * n + x;
      const auto add_gradient = [&](Out values, const std::array<int, 6 * most>& to) {
        add(values, to[at(s * most + hi)], per_length * fj[at(x)]);
        if (i != j) add(values, to[at(s * most + hj)], per_length * fi[at(x)]);
      };
      add_gradient(out.g_q, place.g_q);
      add_gradient(out.r_lambda, place.r_lambda);
      add(out.K, place.k[at(hi * most + hj)], per_length / body.length * stress);
      if (i != j) add(out.K, place.k[at(hj * most + hi)], per_length / body.length * stress);
    }
    if (body.compliance > 0 && !out.g_lambda.empty())
      out.g_lambda[at(place.g_lambda + s)] = -body.volume * body.compliance;
  }
}

}  // namespace rubato::fem::detail
