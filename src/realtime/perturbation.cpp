#include "rubato/realtime/perturbation.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "realtime/lapack.hpp"

namespace rubato::realtime {

namespace {

/// Y_iᴴ E X_j.
struct Parts {
  ComplexMatrix e11, e12, e21, e22;
};
Parts parts(const TwoBlocks& t, const ComplexMatrix& e) {
  const ComplexMatrix first = t.first.y.adjoint() * e, second = t.second.y.adjoint() * e;
  return {first * t.first.x, first * t.second.x, second * t.first.x, second * t.second.x};
}

double norm(const ComplexMatrix& p, const ComplexMatrix& q) { return std::max(p.norm(), q.norm()); }

}  // namespace

double separation(const TwoBlocks& t) {
  const Eigen::Index m1 = t.first.a.rows(), m2 = t.second.a.rows(), size = m1 * m2;
  // The map (P, Q) ↦ (Q A₁ + A₂ P, Q B₁ + B₂ P) column by column; P and Q are m₂ × m₁.
  ComplexMatrix map(2 * size, 2 * size);
  for (Eigen::Index k = 0; k < 2 * size; ++k) {
    ComplexMatrix p = ComplexMatrix::Zero(m2, m1), q = p;
    (k < size ? p : q)(k % size) = 1;
    const ComplexMatrix a = q * t.first.a + t.second.a * p, b = q * t.first.b + t.second.b * p;
    map.col(k) << a.reshaped(), b.reshaped();
  }
  return Eigen::JacobiSVD<ComplexMatrix>(map).singularValues()(2 * size - 1) / std::sqrt(2.0);
}

PerturbationBound perturbation_bound(const TwoBlocks& t, const ComplexMatrix& e, const ComplexMatrix& f) {
  const Parts pe = parts(t, e), pf = parts(t, f);
  PerturbationBound made{};
  made.gamma = norm(pe.e21, pf.e21);
  made.eta = norm(pe.e12, pf.e12);
  made.delta = separation(t) - std::max(pe.e11.norm() + pe.e22.norm(), pf.e11.norm() + pf.e22.norm());
  const double discriminant = made.delta * made.delta - 4 * made.gamma * made.eta;
  made.valid = made.delta > 0 && discriminant > 0;
  made.bound = made.valid ? 2 * made.gamma / (made.delta + std::sqrt(discriminant)) : 0;
  return made;
}

std::optional<Decoupling> decouple(const TwoBlocks& t, const ComplexMatrix& e, const ComplexMatrix& f) {
  const Parts pe = parts(t, e), pf = parts(t, f);
  const int m1 = static_cast<int>(t.first.a.rows()), m2 = static_cast<int>(t.second.a.rows());
  Decoupling d{ComplexMatrix::Zero(m2, m1), ComplexMatrix::Zero(m2, m1)};
  for (int iteration = 0; iteration < 100; ++iteration) {
    // A₂ P + Q A₁ = −E₂₁ − Q E₁₁ − E₂₂ P − Q E₁₂ P, and the same for B and F; ztgsyl's unknowns are R = P and L = −Q.
    ComplexMatrix r = -(pe.e21 + d.q * pe.e11 + pe.e22 * d.p + d.q * pe.e12 * d.p);
    ComplexMatrix l = -(pf.e21 + d.q * pf.e11 + pf.e22 * d.p + d.q * pf.e12 * d.p);
    const int job = 0, lwork = 1;
    double scale = 1, dif = 0;
    Complex work = 0;
    std::vector<int> integers(static_cast<std::size_t>(m1 + m2 + 2));
    int info = 0;
    ztgsyl_("N", &job, &m2, &m1, t.second.a.data(), &m2, t.first.a.data(), &m1, r.data(), &m2, t.second.b.data(), &m2,
            t.first.b.data(), &m1, l.data(), &m2, &scale, &dif, &work, &lwork, integers.data(), &info, 1);
    if (info != 0 || !(scale > 0)) return std::nullopt;
    const ComplexMatrix p = r / scale, q = -l / scale;
    const double moved = norm(p - d.p, q - d.q), size = norm(p, q);
    d = {p, q};
    if (!std::isfinite(size)) return std::nullopt;
    if (moved <= 1e-15 * size) return d;
  }
  return std::nullopt;
}

}  // namespace rubato::realtime
