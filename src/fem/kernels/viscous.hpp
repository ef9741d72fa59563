#pragma once
/// Memory of a material point: Prony terms (g_i, τ_i) on the isochoric response. With 2μ s = S_iso(F), the second Piola-Kirchhoff
/// stress of the isochoric part, and Z = 2μ Σ g_i z_i,
///   P = P_instant − F Z,   A = A_instant − δ_ik Z_JL,   z_i' = (s − z_i)/τ_i.                                       (1)
/// Laws of invariants and stretches: S_iso = F⁻¹ P_iso, δS_iso = F⁻¹ (A_iso : δF − δF S_iso). Small strains (F = I in (1)) and Saint
/// Venant-Kirchhoff: s = dev E.
#include "ogden.hpp"

namespace rubato::fem::detail::RUBATO_KERNEL_SET {

/// Components of symmetric tensors: xx, yy, zz, xy, then in space yz, xz.
inline constexpr int sym_row[6] = {0, 1, 2, 0, 1, 0}, sym_col[6] = {0, 1, 2, 1, 2, 2};

/// The memory acts on strains, not through an isochoric energy.
inline bool by_strain(const LawData& m) { return m.family == Family::linear || m.family == Family::saint_venant; }

/// s and ∂s/∂F (where given) of laws with an isochoric energy, from their P and A over the components of Set::Whole.
template <class Set, class S>
inline void isochoric_stress(const LawData& m, const S* h, const S& j, const S* p, const S (*a)[Set::Whole::n], S* s,
                             S (*ds)[Set::n]) {
  using Whole = typename Set::Whole;
  const S scale = 1.0 / (m.memory_scale * j);
  S inverse[9], whole[9];  // F⁻ᵀ/2μ as H is, S_iso/2μ
  for (int c = 0; c < 9; ++c) {
    inverse[c] = scale * h[c];
    whole[c] = S{};
  }
  for (int x = 0; x < Whole::n; ++x)
    for (int i = 0; i < 3; ++i) whole[3 * i + Whole::col[x]] += inverse[3 * Whole::row[x] + i] * p[x];
  for (int c = 0; c < Set::n_sym; ++c) s[c] = whole[3 * sym_row[c] + sym_col[c]];
  if (ds == nullptr) return;
  for (int c = 0; c < Set::n_sym; ++c)
    for (int d = 0; d < Set::n; ++d) {
      const int row = sym_row[c], col = sym_col[c];
      // F⁻¹ δF S_iso: F⁻¹ = Hᵀ/J, without the 1/2μ that S_iso/2μ has.
      S v = -m.memory_scale * inverse[3 * Set::row[d] + row] * whole[3 * Set::col[d] + col];
      for (int x = 0; x < Whole::n; ++x)
        if (Whole::col[x] == col) v += inverse[3 * Whole::row[x] + row] * a[x][d];
      ds[c][d] = v;
    }
}

/// s = dev E and ∂s/∂F; f: the identity for small strains, whose ε is that of `g`, the deformation gradient.
template <class Set, class S>
inline void strain_deviator(const LawData& m, const S* g, const S* f, S* s, S (*ds)[Set::n]) {
  S e[6], trace{};
  for (int c = 0; c < 6; ++c) {
    const int row = sym_row[c], col = sym_col[c];
    if (m.family == Family::linear)
      e[c] = 0.5 * (g[3 * row + col] + g[3 * col + row]);
    else
      e[c] = 0.5 * (g[row] * g[col] + g[3 + row] * g[3 + col] + g[6 + row] * g[6 + col]);
    if (row == col) {
      e[c] -= m.family == Family::linear ? 1.0 : 0.5;
      trace += e[c];
    }
  }
  for (int c = 0; c < Set::n_sym; ++c) s[c] = sym_row[c] == sym_col[c] ? e[c] - trace / 3.0 : e[c];
  if (ds == nullptr) return;
  for (int c = 0; c < Set::n_sym; ++c)
    for (int d = 0; d < Set::n; ++d) {
      const int row = sym_row[c], col = sym_col[c], k = Set::row[d], q = Set::col[d];
      S v{};
      if (col == q) v += 0.5 * f[3 * k + row];
      if (row == q) v += 0.5 * f[3 * k + col];
      if (row == col) v -= f[3 * k + q] / 3.0;
      ds[c][d] = v;
    }
}

/// W, P, A as `respond` gives them, but with memory, and s, ∂s/∂F. `instant`: the law without its volumetric part (by_strain: the
/// law). `frame`: F, or I for small strains. sum: Σ g_i z_i. Null: not wanted, no memory.
template <class Set, class S>
inline void respond_with_memory(const LawData& m, const LawData& instant, const S* f, const S* h, const S& j,
                                const S* frame, const S* sum, S* w, S* p, S (*a)[Set::n], S* s, S (*ds)[Set::n]) {
  using Whole = typename Set::Whole;
  constexpr int n = Set::n;
  S whole_p[Whole::n], whole_a[Whole::n][Whole::n];
  const bool tangent = a != nullptr || ds != nullptr;
  respond<Whole>(instant, f, h, j, w, whole_p, tangent ? whole_a : nullptr);
  if (s != nullptr) {
    if (by_strain(m))
      strain_deviator<Set>(m, f, frame, s, ds);
    else
      isochoric_stress<Set>(m, h, j, whole_p, whole_a, s, ds);
  }
  for (int c = 0; c < n; ++c) {
    p[c] = whole_p[c];
    if (a != nullptr)
      for (int d = 0; d < n; ++d) a[c][d] = whole_a[c][d];
  }
  if (!by_strain(m) && !m.mixed) {
    S u, first, second;
    volumetric(m, j, u, first, second);
    *w += u;
    for (int c = 0; c < n; ++c) {
      const S& hc = h[3 * Set::row[c] + Set::col[c]];
      p[c] += first * hc;
      if (a != nullptr)
        for (int d = 0; d < n; ++d) a[c][d] += second * hc * h[3 * Set::row[d] + Set::col[d]];
    }
    if (a != nullptr) add_second_of_j<Set>(f, first, a);
  }
  if (sum == nullptr) return;
  S z[9] = {};
  for (int c = 0; c < Set::n_sym; ++c)
    z[3 * sym_row[c] + sym_col[c]] = z[3 * sym_col[c] + sym_row[c]] = m.memory_scale * sum[c];
  for (int c = 0; c < n; ++c) {
    const int i = Set::row[c], q = Set::col[c];
    p[c] -= frame[3 * i] * z[q] + frame[3 * i + 1] * z[3 + q] + frame[3 * i + 2] * z[6 + q];
    if (a == nullptr || m.family == Family::linear) continue;
    for (int d = 0; d < n; ++d)
      if (Set::row[d] == i) a[c][d] -= z[3 * q + Set::col[d]];
  }
}

}  // namespace rubato::fem::detail::RUBATO_KERNEL_SET
