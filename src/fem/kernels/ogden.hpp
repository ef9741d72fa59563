#pragma once
/// Ogden's law W = Σ 2μ_i/α_i² (λ̄₁^α_i + λ̄₂^α_i + λ̄₃^α_i − 3) + U(J), λ̄_A = J^{−1/3} λ_A, in the singular frame of
/// F = Σ λ_A n_A ⊗ N_A. With P_A = ∂W/∂λ_A and P_AB = ∂²W/∂λ_A∂λ_B
///   P = Σ P_A n_A ⊗ N_A,   A_AABB = P_AB,   A_ABAB = ½(φ + τ),   A_ABBA = ½(φ − τ)   (A ≠ B),
///   φ = (P_A − P_B)/(λ_A − λ_B),   τ = (P_A + P_B)/(λ_A + λ_B).
/// Where λ_A and λ_B nearly agree φ is the mean of P_AA − P_AB and P_BB − P_AB, to second order in the difference.
#include "response.hpp"

namespace rubato::fem::detail::RUBATO_KERNEL_SET {

/// Eigenvalues and vectors (columns of v) of a symmetric 3 × 3 matrix by cyclic Jacobi rotations.
inline void eigen_symmetric(double (&a)[3][3], double (&v)[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) v[i][j] = i == j ? 1 : 0;
  for (int sweep = 0; sweep < 12; ++sweep) {
    const double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
    const double on = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
    if (!(off > 1e-34 * on)) return;
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
        const double t = (theta >= 0 ? 1.0 : -1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (int k = 0; k < 3; ++k) {
          const double x = v[k][p], y = v[k][q];
          v[k][p] = c * x - s * y;
          v[k][q] = s * x + c * y;
        }
      }
  }
}

template <class Set>
inline void respond_in_stretches(const LawData& m, const double* f, double j, double& w, double* p,
                                 double (*a)[Set::n]) {
  double c[3][3], big[3][3], small[3][3], l[3];
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y) c[x][y] = f[x] * f[y] + f[3 + x] * f[3 + y] + f[6 + x] * f[6 + y];
  eigen_symmetric(c, big);
  for (int e = 0; e < 3; ++e) {
    l[e] = std::sqrt(c[e][e]);
    for (int i = 0; i < 3; ++i)
      small[i][e] = (f[3 * i] * big[0][e] + f[3 * i + 1] * big[1][e] + f[3 * i + 2] * big[2][e]) / l[e];
  }
  // Derivatives with respect to ln λ first.
  double beta[3] = {}, gamma[3][3] = {};
  w = 0;
  const double scale = std::cbrt(1 / j);
  for (int t = 0; t < m.n_ogden; ++t) {
    double power[3], sum = 0;
    for (int e = 0; e < 3; ++e) sum += power[e] = std::pow(l[e] * scale, m.alpha[t]);
    w += 2 * m.mu[t] / (m.alpha[t] * m.alpha[t]) * (sum - 3);
    for (int e = 0; e < 3; ++e) {
      beta[e] += 2 * m.mu[t] / m.alpha[t] * (power[e] - sum / 3);
      gamma[e][e] += 2 * m.mu[t] * power[e];
      for (int g = 0; g < 3; ++g) gamma[e][g] += 2 * m.mu[t] * (sum / 9 - (power[e] + power[g]) / 3);
    }
  }
  if (!m.mixed) {
    double u, d, dd;
    volumetric(m, j, u, d, dd);
    w += u;
    for (int e = 0; e < 3; ++e) {
      beta[e] += d * j;
      for (int g = 0; g < 3; ++g) gamma[e][g] += d * j + dd * j * j;
    }
  }
  double stress[3], second[3][3];
  for (int e = 0; e < 3; ++e) {
    stress[e] = beta[e] / l[e];
    for (int g = 0; g < 3; ++g) second[e][g] = (gamma[e][g] - (e == g ? beta[e] : 0)) / (l[e] * l[g]);
  }
  for (int k = 0; k < Set::n; ++k) {
    p[k] = 0;
    for (int e = 0; e < 3; ++e) p[k] += stress[e] * small[Set::row[k]][e] * big[Set::col[k]][e];
  }
  if (a == nullptr) return;
  for (int x = 0; x < Set::n; ++x)
    for (int y = x; y < Set::n; ++y) {
      const int i = Set::row[x], q = Set::col[x], k = Set::row[y], r = Set::col[y];
      double sum = 0;
      for (int e = 0; e < 3; ++e)
        for (int g = 0; g < 3; ++g) sum += second[e][g] * small[i][e] * big[q][e] * small[k][g] * big[r][g];
      for (int e = 0; e < 2; ++e)
        for (int g = e + 1; g < 3; ++g) {
          const double gap = l[e] - l[g];
          const double flip = std::fabs(gap) > 1e-5 * l[e] ? (stress[e] - stress[g]) / gap
                                                           : 0.5 * (second[e][e] + second[g][g]) - second[e][g];
          const double twist = (stress[e] + stress[g]) / (l[e] + l[g]);
          const double same = 0.5 * (flip + twist), crossed = 0.5 * (flip - twist);
          const double eg = small[i][e] * big[q][g], ge = small[i][g] * big[q][e];
          const double eg2 = small[k][e] * big[r][g], ge2 = small[k][g] * big[r][e];
          sum += same * (eg * eg2 + ge * ge2) + crossed * (eg * ge2 + ge * eg2);
        }
      a[x][y] = a[y][x] = sum;
    }
}

template <class Set, class S>
inline void respond_by_stretches(const LawData& m, const S* f, const S& j, S* w, S* p, S (*a)[Set::n]) {
  for (int e = 0; e < width<S>; ++e) {
    double f1[9], w1, p1[Set::n], a1[Set::n][Set::n];
    for (int c = 0; c < 9; ++c) f1[c] = lane(f[c], e);
    respond_in_stretches<Set>(m, f1, lane(j, e), w1, p1, a != nullptr ? a1 : nullptr);
    if (w != nullptr) set_lane(*w, e, w1);
    for (int c = 0; c < Set::n; ++c) {
      set_lane(p[c], e, p1[c]);
      if (a != nullptr)
        for (int d = 0; d < Set::n; ++d) set_lane(a[c][d], e, a1[c][d]);
    }
  }
}

/// The response of any law to F: W, P, and A where given. In mixed form the part of the pressure is the caller's.
template <class Set, class S>
inline void respond(const LawData& m, const S* f, const S* h, const S& j, S* w, S* p, S (*a)[Set::n]) {
  switch (m.family) {
    case Family::linear: respond_linearly<Set>(m, f, w, p, a); return;
    case Family::ogden: respond_by_stretches<Set>(m, f, j, w, p, a); return;
    default: respond_by_invariants<Set>(m, f, h, j, w, p, a);
  }
}

/// Plane stress: F₃₃ such that P₃₃ = 0, by Newton's method from F₃₃ = 1/√det of the plane part where that is positive; then the
/// tangent of the plane components with F₃₃ eliminated. False: no F₃₃ found.
template <class S>
inline bool respond_in_plane_stress(const LawData& m, S* f, S* h, S& j, S* w, S* p, S (*a)[PlaneSet::n]) {
  S full_p[AxialSet::n], full_a[AxialSet::n][AxialSet::n];
  const S area = f[0] * f[4] - f[1] * f[3];
  f[8] =
      m.family == Family::linear ? constant<S>(1) : each(area, [](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; });
  bool settled = false;
  for (int k = 0; k < 60 && !settled; ++k) {
    cofactor(f, h);
    j = area * f[8];
    respond<AxialSet>(m, f, h, j, w, full_p, full_a);
    settled = true;
    for (int e = 0; e < width<S>; ++e) {
      const double x = lane(f[8], e), slope = lane(full_a[4][4], e), step = lane(full_p[4], e) / slope;
      if (!(std::fabs(step) > 4e-16 * std::fabs(x))) continue;
      settled = settled && std::fabs(step) <= 1e-13 * std::fabs(x);
      const double next = x - step;
      const bool trusted = m.family == Family::linear || (slope > 0 && next > 0.3 * x && next < 3 * x);
      set_lane(f[8], e, trusted ? next : step > 0 ? 0.5 * x : 2 * x);
    }
  }
  for (int c = 0; c < PlaneSet::n; ++c) {
    p[c] = full_p[c];
    if (a != nullptr)
      for (int d = 0; d < PlaneSet::n; ++d) a[c][d] = full_a[c][d] - full_a[c][4] * full_a[4][d] / full_a[4][4];
  }
  return settled;
}

}  // namespace rubato::fem::detail::RUBATO_KERNEL_SET
