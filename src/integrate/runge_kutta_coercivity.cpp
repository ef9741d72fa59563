// α₀(A⁻¹), the largest α for which some diagonal D > 0 makes D(A⁻¹ − αI) + (A⁻¹ − αI)ᵀD positive definite.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "rubato/integrate/runge_kutta_analysis.hpp"

namespace rubato {

namespace {

/// λ_min(sym(D^½ W D^{−½}))
double smallest_eigenvalue(const Matrix& W, const Vector& d) {
  const Vector root = d.cwiseSqrt();
  const Matrix scaled = root.asDiagonal() * W * root.cwiseInverse().asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Matrix>(Matrix((scaled + scaled.transpose()) / 2), Eigen::EigenvaluesOnly)
      .eigenvalues()
      .minCoeff();
}

/// F(d) = D(W − αI) + (W − αI)ᵀD, linear in d. Its logarithmic determinant is concave and falls to −∞ where F stops being
/// definite, which happens no later than where some d_i reaches zero.
class Centre {
 public:
  Centre(const Matrix& W, double alpha) : V_(W - alpha * Matrix::Identity(W.rows(), W.cols())) {}

  [[nodiscard]] double value(const Vector& d) const {
    if (!(d.minCoeff() > 0)) return -std::numeric_limits<double>::infinity();
    const Eigen::LLT<Matrix> cholesky(matrix(d));
    if (cholesky.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
    return 2 * cholesky.matrixLLT().diagonal().array().log().sum();
  }

  /// Newton's method for the maximum of log det F on Σ d = 1, steps halved until they climb.
  void improve(Vector& d) const {
    const Eigen::Index s = d.size();
    for (int iteration = 0; iteration < 50; ++iteration) {
      const Matrix inverse = matrix(d).llt().solve(Matrix::Identity(s, s));
      // ∂F/∂d_i = e_i v_i + v_iᵀ e_iᵀ, v_i the i-th row of V: tr(F⁻¹ ∂_iF) = 2 (V F⁻¹)_ii,
      // tr(F⁻¹ ∂_iF F⁻¹ ∂_jF) = 2 (V F⁻¹)_ij (V F⁻¹)_ji + 2 F⁻¹_ij (V F⁻¹ Vᵀ)_ij.
      const Matrix VF = V_ * inverse, VFV = VF * V_.transpose();
      // In δ_i/d_i: the unknowns may differ by many powers of ten.
      Matrix system = Matrix::Zero(s + 1, s + 1);
      Vector right = Vector::Zero(s + 1);
      for (Eigen::Index i = 0; i < s; ++i) {
        right[i] = 2 * VF(i, i) * d[i];
        for (Eigen::Index j = 0; j < s; ++j)
          system(i, j) = 2 * (VF(i, j) * VF(j, i) + inverse(i, j) * VFV(i, j)) * d[i] * d[j];
        system(i, s) = system(s, i) = d[i];
      }
      const Vector step = system.fullPivLu().solve(right).head(s).cwiseProduct(d);
      if (!step.allFinite()) return;
      const double before = value(d);
      double length = 1;
      while (length > 1e-10 && !(value(d + length * step) > before)) length /= 2;
      if (length <= 1e-10) return;
      d += length * step;
      d /= d.sum();
      if ((step.array() / d.array()).abs().maxCoeff() < 1e-6) return;
    }
  }

 private:
  [[nodiscard]] Matrix matrix(const Vector& d) const {
    const Matrix DV = d.asDiagonal() * V_;
    return DV + DV.transpose();
  }
  Matrix V_;
};

/// Method of centres: at the centre of all d that serve α, a larger α is served as well. Boyd, El Ghaoui, Feron,
/// Balakrishnan, Linear Matrix Inequalities in System and Control Theory (1994), 2.4.4.
double largest_alpha(const Matrix& W, Vector d) {
  d /= d.sum();
  double reached = smallest_eigenvalue(W, d), alpha = reached - 1;
  for (int iteration = 0; iteration < 400; ++iteration) {
    Centre(W, alpha).improve(d);
    reached = std::max(reached, smallest_eigenvalue(W, d));
    if (reached - alpha < 1e-12 * (1 + std::abs(reached))) break;
    alpha += 0.8 * (reached - alpha);
  }
  return reached;
}

}  // namespace

double coercivity(const RungeKuttaTable& table) {
  std::vector<Eigen::Index> kept;
  const auto vanishes = [](const auto& row) { return row.cwiseAbs().maxCoeff() < 1e-14; };
  for (Eigen::Index i = 0; i < table.s; ++i)
    if (!vanishes(table.A.row(i)) && !vanishes(table.A.col(i))) kept.push_back(i);
  if (kept.empty()) return std::numeric_limits<double>::infinity();
  const Eigen::FullPivLU<Matrix> lu(table.A(kept, kept));
  if (lu.rcond() < 1e-12) return std::numeric_limits<double>::quiet_NaN();
  // With D = diag(b) the form is A⁻ᵀ(m + bbᵀ)A⁻¹ ≥ 0 for algebraically stable methods: a start with α ≥ 0.
  const double alpha = largest_alpha(lu.inverse(), table.b(kept));
  return std::abs(alpha) < 1e-9 ? 0 : alpha;
}

}  // namespace rubato
