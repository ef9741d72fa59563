#include "fields.hpp"

#include <algorithm>
#include <cmath>

#include "law_data.hpp"

namespace rubato::fem::detail {

namespace {

/// P −= F Z, Z = 2μ Σ g_i z_i at a point; small strains: P −= Z.
void take_off_memory(const ElementSet& set, const double* z, const Tensor& f, Tensor& stress) {
  constexpr std::size_t row[6] = {0, 1, 2, 0, 1, 0}, col[6] = {0, 1, 2, 1, 2, 2};
  Tensor sum = {};
  for (int t = 0; t < set.terms; ++t)
    for (int c = 0; c < set.components; ++c) {
      const std::size_t i = row[c], k = col[c];
      sum[3 * i + k] += set.law.memory_scale * set.law.prony_g[t] * z[t * set.components + c];
      sum[3 * k + i] = sum[3 * i + k];
    }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t m = 0; m < 3; ++m) {
        const double frame = set.law.family == Family::linear ? (i == m ? 1.0 : 0.0) : f[3 * i + m];
        stress[3 * i + k] -= frame * sum[3 * m + k];
      }
}

}  // namespace

void fill_fields(const SolidParts& parts, In lambda, In z, SolidFields& out) {
  const Mesh& mesh = parts.model.mesh;
  const int d = mesh.dimension;
  const auto n = at(mesh.n_nodes());
  std::vector<double> weights(n), mixed_weights(n), mixed_pressure(n);
  for (auto* field : {&out.pressure, &out.von_mises, &out.energy_density, &out.volume_ratio}) field->assign(n, 0.0);
  out.stress.assign(6 * n, 0.0);
  VolumePoint point;
  for (const ElementSet& set : parts.assembly.sets) {
    const Region& region = parts.model.regions[at(set.region)];
    const Material& material = material_of(parts.model, region);
    const bool mixed = set.pressures > 0;
    Material isochoric = material;  // mixed: the pressure carries the volumetric part
    if (mixed) isochoric.bulk = INFINITY;
    if (auto* law = std::get_if<LinearElastic>(&isochoric.law); law != nullptr && mixed) {
      const double shear = shear_modulus(material);
      *law = {.young = 3 * shear, .poisson = 0.5};
    }
    const auto rule = quadrature(set.shape, info(set.shape).quadrature);
    for (int slot = 0; slot < set.n_elements; ++slot) {
      const int e = set.element_of[at(slot)], pack = slot / lanes, lane = slot % lanes;
      const auto nodes = mesh.element(e);
      for (std::size_t q = 0; q < rule.size(); ++q) {
        if (!volume_point(mesh, e, rule[q], point)) continue;
        Tensor f = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (std::size_t a = 0; a < nodes.size(); ++a)
          for (int i = 0; i < d; ++i) {
            const double u = out.displacement[at(nodes[a] * d + i)];
            for (int k = 0; k < d; ++k) f[at(3 * i + k)] += u * point.shape.dn[a][at(k)];
            if (parts.model.analysis == Analysis::axisymmetric && i == 0) f[8] += u * point.shape.n[a] / point.x[0];
          }
        if (parts.model.analysis == Analysis::plane_stress) f[8] = thickness_stretch(material, f);
        PointResponse r = fem::evaluate(isochoric, f);
        if (set.terms > 0 && !z.empty())
          take_off_memory(set,
                          z.data() + at(set.first_z + slot * set.z_per_element()) + q * at(set.terms * set.components),
                          f, r.stress);
        const double j = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                         f[2] * (f[3] * f[7] - f[4] * f[6]);
        double pressure = 0;
        for (int k = 0; k < set.pressures; ++k)
          pressure += set.psi[q * at(set.pressures) + at(k)] *
                      lambda[at(set.pressure_of[at((pack * set.pressures + k) * lanes + lane)])];
        const bool linear = std::holds_alternative<LinearElastic>(material.law);
        double sigma[3][3] = {};  // P Fᵀ / J + p I; small strains: P itself
        for (int i = 0; i < 3; ++i)
          for (int k = 0; k < 3; ++k) {
            if (linear)
              sigma[i][k] = r.stress[at(3 * i + k)];
            else
              for (int m = 0; m < 3; ++m) sigma[i][k] += r.stress[at(3 * i + m)] * f[at(3 * k + m)] / j;
            if (i == k) sigma[i][k] += pressure;
          }
        const double mean = (sigma[0][0] + sigma[1][1] + sigma[2][2]) / 3;
        const double deviator = 0.5 * (std::pow(sigma[0][0] - sigma[1][1], 2) + std::pow(sigma[1][1] - sigma[2][2], 2) +
                                       std::pow(sigma[2][2] - sigma[0][0], 2)) +
                                3 * (std::pow(sigma[0][1], 2) + std::pow(sigma[1][2], 2) + std::pow(sigma[0][2], 2));
        const double energy = r.energy + (mixed ? volumetric_energy(set.law, pressure) : 0);
        for (std::size_t a = 0; a < nodes.size(); ++a) {
          const double w = point.weight * point.shape.n[a] * point.shape.n[a];
          const auto node = at(nodes[a]);
          weights[node] += w;
          out.pressure[node] += w * mean;
          if (mixed) {
            mixed_weights[node] += w;
            mixed_pressure[node] += w * pressure;
          }
          const double six[6] = {sigma[0][0], sigma[1][1], sigma[2][2], sigma[0][1], sigma[1][2], sigma[0][2]};
          for (std::size_t c = 0; c < 6; ++c) out.stress[6 * node + c] += w * six[c];
          out.von_mises[node] += w * std::sqrt(deviator);
          out.energy_density[node] += w * energy;
          out.volume_ratio[node] += w * j;
        }
      }
    }
  }
  for (std::size_t node = 0; node < n; ++node) {
    if (!(weights[node] > 0)) {  // inside rigid parts
      out.volume_ratio[node] = 1;
      continue;
    }
    for (auto* field : {&out.pressure, &out.von_mises, &out.energy_density, &out.volume_ratio})
      (*field)[node] /= weights[node];
    for (std::size_t c = 0; c < 6; ++c) out.stress[6 * node + c] /= weights[node];
    // Where rubber meets steel, steel's stresses would drown it.
    if (mixed_weights[node] > 0) out.pressure[node] = mixed_pressure[node] / mixed_weights[node];
  }
}

}  // namespace rubato::fem::detail
