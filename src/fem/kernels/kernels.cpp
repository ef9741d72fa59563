// The loop over the quadrature points of a pack of elements, total Lagrangian. Compiled once per instruction set; the arithmetic is
// written once. Per point: F = I + Σ u_a ⊗ ∇N_a, the response, then
//   f_a += w P ∇N_a,   K_ab += w ∇N_a A ∇N_b   (a ≤ b),   B_ja += w ψ_j H ∇N_a,   g_j += w ψ_j (J − 1 − h(p)).
// A ∇N_b costs n² products per node, a pair another n: for hex8 about 1700 multiplications with addition per point and lane.
#include "viscous.hpp"

namespace rubato::fem::detail::RUBATO_KERNEL_SET {
namespace {

/// The response of a point with memory, its rates and their gradients.
template <class Set>
void integrate_memory(const LawData& law, const LawData& instant, const SetShape& set, int point,
                      const double* gradient, const Pack& weight, const PackInput& in, const PackOutput& out,
                      const Pack* f, const Pack* h, const Pack& j, Pack* w, Pack* p, Pack (*a)[Set::n]) {
  constexpr int n = Set::n, n_sym = Set::n_sym, dim = Set::dimension, slots = Set::slots;
  Pack frame[9], sum[n_sym] = {}, s[n_sym], ds[n_sym][n];
  for (int c = 0; c < 9; ++c) frame[c] = law.family == Family::linear ? constant<Pack>(c % 4 == 0 ? 1 : 0) : f[c];
  const int first = point * law.n_prony * n_sym;
  const bool rate = out.memory_rate != nullptr, slope = out.memory_gradient != nullptr;
  if (in.z != nullptr)
    for (int t = 0; t < law.n_prony; ++t)
      for (int c = 0; c < n_sym; ++c) sum[c] += law.prony_g[t] * load(in.z + (first + t * n_sym + c) * lanes);
  respond_with_memory<Set>(law, instant, f, h, j, frame, in.z != nullptr && out.law ? sum : nullptr, w, p,
                           out.stiffness != nullptr ? a : nullptr, rate || slope ? s : nullptr, slope ? ds : nullptr);
  if (rate)
    for (int t = 0; t < law.n_prony; ++t)
      for (int c = 0; c < n_sym; ++c) {
        const int place = (first + t * n_sym + c) * lanes;
        store(out.memory_rate + place, (s[c] - load(in.z + place)) / law.prony_tau[t]);
      }
  if (!slope && out.memory_force == nullptr) return;
  for (int b = 0; b < set.nodes; ++b) {
    Pack grad[slots];
    for (int k = 0; k < slots; ++k) grad[k] = load(gradient + (b * slots + k) * lanes);
    for (int c = 0; c < n_sym; ++c) {
      Pack to_rate[dim] = {}, to_force[dim] = {};
      const int row = sym_row[c], col = sym_col[c];
      for (int x = 0; x < n; ++x) {
        const int i = Set::row[x], q = Set::col[x];
        if (slope) to_rate[Set::axis[x]] += ds[c][x] * grad[Set::slot[x]];
        if (q == col) to_force[Set::axis[x]] += frame[3 * i + row] * grad[Set::slot[x]];
        if (q == row && row != col) to_force[Set::axis[x]] += frame[3 * i + col] * grad[Set::slot[x]];
      }
      const int place = (((point * n_sym + c) * set.nodes + b) * dim) * lanes;
      for (int i = 0; i < dim; ++i) {
        if (slope) store(out.memory_gradient + place + i * lanes, to_rate[i]);
        if (out.memory_force != nullptr) store(out.memory_force + place + i * lanes, weight * to_force[i]);
      }
    }
  }
}

template <class Set, bool plane_stress>
unsigned integrate_pack(const LawData& law, const SetShape& set, const PackInput& in, const PackOutput& out) {
  constexpr int n = Set::n, dim = Set::dimension, slots = Set::slots;
  const bool linear = law.family == Family::linear;
  const bool tangent = out.stiffness != nullptr, rates = in.rate != nullptr;
  const bool wants_law = out.law && (out.force != nullptr || tangent || out.energy != nullptr);
  const bool wants_pressure =
      set.pressures > 0 && (out.pressure || out.constraint != nullptr || out.coupling != nullptr);
  const bool memory = !plane_stress && law.n_prony > 0 &&
                      (in.z != nullptr || out.memory_rate != nullptr || out.memory_gradient != nullptr);
  LawData instant;  // without the volumetric part
  if (memory) {
    instant = law;
    instant.mixed = law.mixed || !by_strain(law);
  }
  unsigned inverted = 0;
  const double* geometry = in.geometry;
  for (int point = 0; point < set.points; ++point) {
    const double* const gradient = geometry;
    const Pack weight = load(gradient + set.nodes * slots * lanes);
    geometry += (set.nodes * slots + 1) * lanes;

    // F, and F', F'' where rates are asked for.
    const auto gradient_of = [&](const double* u, Pack* g) {
      Pack sum[n] = {};
      for (int a = 0; a < set.nodes; ++a) {
        Pack grad[slots], ua[dim];
        for (int s = 0; s < slots; ++s) grad[s] = load(gradient + (a * slots + s) * lanes);
        for (int i = 0; i < dim; ++i) ua[i] = load(u + (a * dim + i) * lanes);
        for (int c = 0; c < n; ++c) sum[c] += ua[Set::axis[c]] * grad[Set::slot[c]];
      }
      for (int c = 0; c < 9; ++c) g[c] = Pack{};
      for (int c = 0; c < n; ++c) g[3 * Set::row[c] + Set::col[c]] = sum[c];
    };
    Pack f[9], h[9];
    gradient_of(in.u, f);
    for (int c = 0; c < 9; c += 4) f[c] += 1.0;

    Pack p[n] = {}, a[n][n] = {}, w{}, j;
    if constexpr (plane_stress) {
      if (!respond_in_plane_stress(law, f, h, j, &w, p, a)) inverted |= 1u << lanes;
    } else {
      cofactor(f, h);
      j = f[0] * h[0] + f[1] * h[1] + f[2] * h[2];
      if (memory) {
        integrate_memory<Set>(law, instant, set, point, gradient, weight, in, out, f, h, j, &w, p, a);
      } else if (wants_law) {
        respond<Set>(law, f, h, j, &w, p, tangent ? a : nullptr);
      }
    }
    if (!linear)
      for (int e = 0; e < lanes; ++e)
        if (!(j[e] > 0)) inverted |= 1u << e;
    if (out.energy != nullptr) add(out.energy, weight * w);

    if (wants_pressure) {
      if (linear) {  // J − 1 becomes tr ε, H the identity
        j = f[0] + f[4] + f[8] - 2.0;
        for (int c = 0; c < 9; ++c) h[c] = constant<Pack>(c % 4 == 0 ? 1 : 0);
      }
      const double* const psi = set.pressure_shapes + point * set.pressures;
      Pack pressure{};
      if (in.p != nullptr)
        for (int k = 0; k < set.pressures; ++k) pressure += psi[k] * load(in.p + k * lanes);
      if (out.pressure) {
        for (int c = 0; c < n; ++c) p[c] += pressure * h[3 * Set::row[c] + Set::col[c]];
        if (tangent && !linear) add_second_of_j<Set>(f, pressure, a);
      }
      if (out.constraint != nullptr || out.compliance != nullptr || out.energy != nullptr) {
        Pack volume, slope{}, stored{};
        if (rates) {  // J' = H:F', J'' = H:F'' + F':∂²J:F'
          Pack rate[9], rate2[9], second[n][n] = {};
          gradient_of(in.rate, rate);
          if (in.rate2 != nullptr) gradient_of(in.rate2, rate2);
          const Pack* const last = in.rate2 != nullptr ? rate2 : rate;
          volume = Pack{};
          for (int c = 0; c < 9; ++c) volume += h[c] * last[c];
          if (in.rate2 != nullptr && !linear) {
            add_second_of_j<Set>(f, constant<Pack>(1), second);
            for (int c = 0; c < n; ++c)
              for (int d = 0; d < n; ++d)
                volume += second[c][d] * rate[3 * Set::row[c] + Set::col[c]] * rate[3 * Set::row[d] + Set::col[d]];
          }
        } else {
          volume = j - 1.0;
          if (law.compliance > 0)
            for (int e = 0; e < lanes; ++e) {
              double growth, d, first, second;
              if (!inverse_volumetric(law, pressure[e], growth, d)) {
                inverted |= 1u << e;
                continue;
              }
              volume[e] -= growth;
              slope[e] = d;
              double u;
              volumetric(law, 1.0 + growth, u, first, second);
              stored[e] = u;
            }
        }
        if (out.constraint != nullptr)
          for (int k = 0; k < set.pressures; ++k) add(out.constraint + k * lanes, weight * psi[k] * volume);
        if (out.compliance != nullptr)
          for (int k = 0; k < set.pressures; ++k)
            for (int q = 0; q < set.pressures; ++q)
              add(out.compliance + (k * set.pressures + q) * lanes, psi[k] * psi[q] * weight * slope);
        if (out.energy != nullptr) add(out.energy, weight * stored);  // U(1 + h(p))
      }
      if (out.coupling != nullptr)
        for (int b = 0; b < set.nodes; ++b) {
          Pack row[dim] = {};
          for (int c = 0; c < n; ++c)
            row[Set::axis[c]] += h[3 * Set::row[c] + Set::col[c]] * load(gradient + (b * slots + Set::slot[c]) * lanes);
          for (int k = 0; k < set.pressures; ++k)
            for (int i = 0; i < dim; ++i)
              add(out.coupling + ((k * set.nodes + b) * dim + i) * lanes, weight * psi[k] * row[i]);
        }
    }

    if (out.force != nullptr) {
      for (int c = 0; c < n; ++c) p[c] *= weight;
      for (int b = 0; b < set.nodes; ++b) {
        Pack row[dim] = {};
        for (int c = 0; c < n; ++c) row[Set::axis[c]] += p[c] * load(gradient + (b * slots + Set::slot[c]) * lanes);
        for (int i = 0; i < dim; ++i) add(out.force + (b * dim + i) * lanes, row[i]);
      }
    }
    if (tangent) {
      for (int c = 0; c < n; ++c)
        for (int d = 0; d < n; ++d) a[c][d] *= weight;
      double* pair = out.stiffness;
      for (int b = 0; b < set.nodes; ++b) {
        Pack grad[slots], t[n][dim] = {};  // t = A ∇N_b
        for (int s = 0; s < slots; ++s) grad[s] = load(gradient + (b * slots + s) * lanes);
        for (int c = 0; c < n; ++c)
          for (int d = 0; d < n; ++d) t[c][Set::axis[d]] += a[c][d] * grad[Set::slot[d]];
        for (int other = 0; other <= b; ++other, pair += dim * dim * lanes) {
          Pack k[dim][dim] = {};
          for (int s = 0; s < slots; ++s) grad[s] = load(gradient + (other * slots + s) * lanes);
          for (int c = 0; c < n; ++c)
            for (int i = 0; i < dim; ++i) k[Set::axis[c]][i] += grad[Set::slot[c]] * t[c][i];
          for (int i = 0; i < dim; ++i)
            for (int q = 0; q < dim; ++q) add(pair + (i * dim + q) * lanes, k[i][q]);
        }
      }
    }
  }
  return inverted;
}

}  // namespace

PackKernel kernel(Kinematics kinematics) noexcept {
  switch (kinematics) {
    case Kinematics::plane_strain: return integrate_pack<PlaneSet, false>;
    case Kinematics::plane_stress: return integrate_pack<PlaneSet, true>;
    case Kinematics::axisymmetric: return integrate_pack<AxialSet, false>;
    case Kinematics::space: return integrate_pack<SpaceSet, false>;
  }
  return nullptr;
}

}  // namespace rubato::fem::detail::RUBATO_KERNEL_SET
