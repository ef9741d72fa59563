#pragma once
/// The response of a material point: energy W(F), stress P = ∂W/∂F and tangent A = ∂P/∂F.
///
/// Isotropic laws are functions of the invariants I₁ = F:F, I₂ = ½(I₁² − tr C²), J = det F, C = FᵀF. With
///   a¹ = ∂I₁/∂F = 2F,   a² = ∂I₂/∂F = 2(I₁F − FC),   a³ = ∂J/∂F = cof F = H
/// P = Σ W_m a^m and A = Σ W_mn a^m ⊗ a^n + W_1 ∂²I₁ + W_2 ∂²I₂ + W_J ∂²J, where
///   ∂²I₁ = 2 δ_ik δ_JL,   ∂²I₂ = 4 F_iJ F_kL + 2 I₁ δ_ik δ_JL − 2(δ_ik C_JL + F_iL F_kJ + (FFᵀ)_ik δ_JL),
///   ∂²J = ε_ikm ε_JLM F_mM.
/// No inverse of C and no push-forward are needed. Laws split into an isochoric part of Ī₁ = J^{−2/3} I₁, Ī₂ = J^{−4/3} I₂ and a
/// volumetric part U(J) take the chain rule before (Becker 2012, chapter 2).
#include "pack.hpp"

namespace rubato::fem::detail::RUBATO_KERNEL_SET {

/// Which of the nine F_iJ (place 3i + J) vary: component c stands for (row[c], col[c]) and is the product of displacement axis[c]
/// with gradient slot[c].
/// n_sym: components of symmetric tensors (viscous.hpp); Whole: the set with all components of P that are not zero, whose first are
/// those of this one.
struct AxialSet;
struct PlaneSet {
  using Whole = AxialSet;
  static constexpr int n = 4, dimension = 2, slots = 2, n_sym = 4;
  static constexpr int row[n] = {0, 0, 1, 1}, col[n] = {0, 1, 0, 1};
  static constexpr int axis[n] = {0, 0, 1, 1}, slot[n] = {0, 1, 0, 1};
};
/// With F₃₃: axisymmetric (its gradient is N/R in slot 2), and plane stress while F₃₃ is found.
struct AxialSet {
  using Whole = AxialSet;
  static constexpr int n = 5, dimension = 2, slots = 3, n_sym = 4;
  static constexpr int row[n] = {0, 0, 1, 1, 2}, col[n] = {0, 1, 0, 1, 2};
  static constexpr int axis[n] = {0, 0, 1, 1, 0}, slot[n] = {0, 1, 0, 1, 2};
};
struct SpaceSet {
  using Whole = SpaceSet;
  static constexpr int n = 9, dimension = 3, slots = 3, n_sym = 6;
  static constexpr int row[n] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, col[n] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  static constexpr int axis[n] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, slot[n] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
};

/// First and second derivatives of W with respect to (I₁, I₂, J).
template <class S>
struct Derivatives {
  S w, d1, d2, dj, d11, d12, d22, d1j, d2j, djj;
};

/// U, U', U''.
template <class S>
inline void volumetric(const LawData& m, const S& j, S& u, S& d, S& dd) {
  switch (m.volume) {
    case Volume::quadratic:  // κ/2 (J − 1)²
      u = 0.5 * m.bulk * (j - 1.0) * (j - 1.0);
      d = m.bulk * (j - 1.0);
      dd = constant<S>(m.bulk);
      return;
    case Volume::simo_miehe:  // κ/4 (J² − 1 − 2 ln J)
      u = 0.25 * m.bulk * (j * j - 1.0 - 2.0 * logarithm(j));
      d = 0.5 * m.bulk * (j - 1.0 / j);
      dd = 0.5 * m.bulk * (1.0 + 1.0 / (j * j));
      return;
    default: {  // Ogden: κ/β² (β ln J + J^{−β} − 1)
      const double b = m.beta;
      const S power = each(j, [b](double x) { return std::pow(x, -b); });
      u = m.bulk / (b * b) * (b * logarithm(j) + power - 1.0);
      d = m.bulk / b * (1.0 - power) / j;
      dd = m.bulk / b * ((1.0 + b) * power - 1.0) / (j * j);
      return;
    }
  }
}

/// J − 1 = h(p), the inverse of p = U'(J), and h'(p). False: no such J (Ogden's U' has a maximum).
inline bool inverse_volumetric(const LawData& m, double p, double& h, double& d) {
  const double x = p * m.compliance;
  switch (m.volume) {
    case Volume::quadratic:
      h = x;
      d = m.compliance;
      return true;
    case Volume::simo_miehe: {
      const double root = std::sqrt(1.0 + x * x);
      h = x + x * x / (1.0 + root);
      d = m.compliance * (1.0 + x / root);
      return true;
    }
    default: {
      // Ogden: β x = (1 − J^{−β})/J, concave and rising up to its maximum: Newton's method from the left of the root rises
      // monotonically. x < 0: one step from the right, J^{−(1+β)} = 1 − β x, leads there.
      double j = x > 0 ? 1.0 : std::pow(1.0 - m.beta * x, -1.0 / (1.0 + m.beta)), slope = 1.0;
      bool found = false;
      for (int k = 0; k < 100 && !found; ++k) {
        const double power = std::pow(j, -m.beta);
        slope = ((1.0 + m.beta) * power - 1.0) / (j * j);
        const double step = ((1.0 - power) / j - m.beta * x) / slope;
        if (!(slope > 0)) return false;
        j -= step;
        found = std::fabs(step) <= 1e-14 * j;
      }
      h = j - 1.0;
      d = m.compliance * m.beta / slope;
      return found && j > 0;
    }
  }
}

/// ∂w/∂Ī₁ … of the polynomial Σ c_ij x^i y^j in x = Ī₁ − 3, y = Ī₂ − 3.
template <class S>
inline void polynomial(const LawData& m, const S& x, const S& y, S& w, S& w1, S& w2, S& w11, S& w12, S& w22) {
  if (m.degree == 1) {
    w = m.c[1][0] * x + m.c[0][1] * y;
    w1 = constant<S>(m.c[1][0]);
    w2 = constant<S>(m.c[0][1]);
    w11 = w12 = w22 = constant<S>(0);
    return;
  }
  w = w1 = w2 = w11 = w12 = w22 = constant<S>(0);
  S px[4] = {constant<S>(1), x, x * x, x * x * x}, py[4] = {constant<S>(1), y, y * y, y * y * y};
  for (int i = 0; i <= m.degree; ++i)
    for (int j = 0; i + j <= m.degree; ++j) {
      const double c = m.c[i][j];
      if (c == 0) continue;
      w += c * px[i] * py[j];
      if (i > 0) w1 += c * i * px[i - 1] * py[j];
      if (j > 0) w2 += c * j * px[i] * py[j - 1];
      if (i > 1) w11 += c * i * (i - 1) * px[i - 2] * py[j];
      if (i > 0 && j > 0) w12 += c * i * j * px[i - 1] * py[j - 1];
      if (j > 1) w22 += c * j * (j - 1) * px[i] * py[j - 2];
    }
}

template <class S>
inline Derivatives<S> invariant_derivatives(const LawData& m, const S& i1, const S& i2, const S& j) {
  Derivatives<S> r{};
  if (m.family == Family::saint_venant) {  // Λ/8 (I₁−3)² + μ/4 (I₁² − 2I₂ − 2I₁ + 3)
    r.w = 0.125 * m.lame * (i1 - 3.0) * (i1 - 3.0) + 0.25 * m.shear * (i1 * i1 - 2.0 * i2 - 2.0 * i1 + 3.0);
    r.d1 = 0.25 * m.lame * (i1 - 3.0) + 0.5 * m.shear * (i1 - 1.0);
    r.d2 = constant<S>(-0.5 * m.shear);
    r.d11 = constant<S>(0.25 * m.lame + 0.5 * m.shear);
    return r;
  }
  const S root = cube_root(j), a = 1.0 / (root * root), inverse = 1.0 / j;
  const S b1 = a * i1, b2 = a * a * i2;                                  // Ī₁, Ī₂
  const S b1j = -2.0 / 3 * inverse * b1, b2j = -4.0 / 3 * inverse * b2;  // ∂/∂J
  const S b1jj = 10.0 / 9 * inverse * inverse * b1, b2jj = 28.0 / 9 * inverse * inverse * b2;
  S w1, w2, w11, w12, w22;
  polynomial(m, b1 - 3.0, b2 - 3.0, r.w, w1, w2, w11, w12, w22);
  r.d1 = w1 * a;
  r.d2 = w2 * a * a;
  r.dj = w1 * b1j + w2 * b2j;
  r.d11 = w11 * a * a;
  r.d12 = w12 * a * a * a;
  r.d22 = w22 * a * a * a * a;
  r.d1j = a * (w11 * b1j + w12 * b2j - 2.0 / 3 * inverse * w1);
  r.d2j = a * a * (w12 * b1j + w22 * b2j - 4.0 / 3 * inverse * w2);
  r.djj = w11 * b1j * b1j + 2.0 * w12 * b1j * b2j + w22 * b2j * b2j + w1 * b1jj + w2 * b2jj;
  if (!m.mixed) {
    S u, d, dd;
    volumetric(m, j, u, d, dd);
    r.w += u;
    r.dj += d;
    r.djj += dd;
  }
  return r;
}

/// H = cof F, all nine.
template <class S>
inline void cofactor(const S* f, S* h) {
  h[0] = f[4] * f[8] - f[5] * f[7];
  h[1] = f[5] * f[6] - f[3] * f[8];
  h[2] = f[3] * f[7] - f[4] * f[6];
  h[3] = f[2] * f[7] - f[1] * f[8];
  h[4] = f[0] * f[8] - f[2] * f[6];
  h[5] = f[1] * f[6] - f[0] * f[7];
  h[6] = f[1] * f[5] - f[2] * f[4];
  h[7] = f[2] * f[3] - f[0] * f[5];
  h[8] = f[0] * f[4] - f[1] * f[3];
}

/// A += s ∂²J: ε_ikm ε_JLM F_mM.
template <class Set, class S>
inline void add_second_of_j(const S* f, const S& s, S (*a)[Set::n]) {
  for (int c = 0; c < Set::n; ++c)
    for (int d = 0; d < Set::n; ++d) {
      const int i = Set::row[c], k = Set::row[d], p = Set::col[c], q = Set::col[d];
      if (i == k || p == q) continue;
      const double sign = ((k - i + 3) % 3 == 1 ? 1.0 : -1.0) * ((q - p + 3) % 3 == 1 ? 1.0 : -1.0);
      a[c][d] += sign * s * f[3 * (3 - i - k) + (3 - p - q)];
    }
}

/// Isotropic laws. P is written; A (where given) too; W likewise.
template <class Set, class S>
inline void respond_by_invariants(const LawData& m, const S* f, const S* h, const S& j, S* w, S* p, S (*a)[Set::n]) {
  constexpr int n = Set::n;
  S i1 = f[0] * f[0];
  for (int c = 1; c < 9; ++c) i1 += f[c] * f[c];
  S cg[9];  // C = FᵀF
  for (int x = 0; x < 3; ++x)
    for (int y = x; y < 3; ++y) cg[3 * x + y] = cg[3 * y + x] = f[x] * f[y] + f[3 + x] * f[3 + y] + f[6 + x] * f[6 + y];
  S c2 = cg[0] * cg[0] + cg[4] * cg[4] + cg[8] * cg[8] + 2.0 * (cg[1] * cg[1] + cg[2] * cg[2] + cg[5] * cg[5]);
  const S i2 = 0.5 * (i1 * i1 - c2);
  const Derivatives<S> e = invariant_derivatives(m, i1, i2, j);
  if (w != nullptr) *w = e.w;
  S a1[n], a2[n], a3[n];
  for (int c = 0; c < n; ++c) {
    const int i = Set::row[c], q = Set::col[c];
    const S fc = f[3 * i] * cg[q] + f[3 * i + 1] * cg[3 + q] + f[3 * i + 2] * cg[6 + q];
    a1[c] = 2.0 * f[3 * i + q];
    a2[c] = 2.0 * (i1 * f[3 * i + q] - fc);
    a3[c] = h[3 * i + q];
    p[c] = e.d1 * a1[c] + e.d2 * a2[c] + e.dj * a3[c];
  }
  if (a == nullptr) return;
  S b[9];  // F Fᵀ
  for (int x = 0; x < 3; ++x)
    for (int y = x; y < 3; ++y)
      b[3 * x + y] = b[3 * y + x] = f[3 * x] * f[3 * y] + f[3 * x + 1] * f[3 * y + 1] + f[3 * x + 2] * f[3 * y + 2];
  const S isotropic = 2.0 * e.d1 + 2.0 * i1 * e.d2, twice = 2.0 * e.d2;
  for (int c = 0; c < n; ++c) {
    const int i = Set::row[c], x = Set::col[c];
    const S r1 = e.d11 * a1[c] + e.d12 * a2[c] + e.d1j * a3[c];
    const S r2 = e.d12 * a1[c] + e.d22 * a2[c] + e.d2j * a3[c];
    const S r3 = e.d1j * a1[c] + e.d2j * a2[c] + e.djj * a3[c];
    for (int d = c; d < n; ++d) {
      const int k = Set::row[d], y = Set::col[d];
      S v = r1 * a1[d] + r2 * a2[d] + r3 * a3[d] + e.d2 * a1[c] * a1[d] - twice * f[3 * i + y] * f[3 * k + x];
      if (i == k && x == y) v += isotropic;
      if (i == k) v -= twice * cg[3 * x + y];
      if (x == y) v -= twice * b[3 * i + k];
      a[c][d] = a[d][c] = v;
    }
  }
  add_second_of_j<Set>(f, e.dj, a);
}

/// Small strains: σ = Λ tr ε I + 2μ ε, W = Λ/2 (tr ε)² + μ ε:ε. Mixed: without the part of Λ.
template <class Set, class S>
inline void respond_linearly(const LawData& m, const S* f, S* w, S* p, S (*a)[Set::n]) {
  constexpr int n = Set::n;
  const double lame = m.mixed ? 0.0 : m.lame;
  S e[9];
  for (int i = 0; i < 3; ++i)
    for (int q = 0; q < 3; ++q) e[3 * i + q] = 0.5 * (f[3 * i + q] + f[3 * q + i]) - (i == q ? 1.0 : 0.0);
  const S trace = e[0] + e[4] + e[8];
  S square = e[0] * e[0];
  for (int c = 1; c < 9; ++c) square += e[c] * e[c];
  if (w != nullptr) *w = 0.5 * lame * trace * trace + m.shear * square;
  for (int c = 0; c < n; ++c) {
    p[c] = 2.0 * m.shear * e[3 * Set::row[c] + Set::col[c]];
    if (Set::row[c] == Set::col[c]) p[c] += lame * trace;
  }
  if (a == nullptr) return;
  for (int c = 0; c < n; ++c)
    for (int d = 0; d < n; ++d) {
      const int i = Set::row[c], x = Set::col[c], k = Set::row[d], y = Set::col[d];
      double v = i == x && k == y ? lame : 0.0;
      if (i == k && x == y) v += m.shear;
      if (i == y && x == k) v += m.shear;
      a[c][d] = constant<S>(v);
    }
}

}  // namespace rubato::fem::detail::RUBATO_KERNEL_SET
