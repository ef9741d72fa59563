#include "experiments/index3_scaling/dense_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rubato::experiments::scaling {

namespace {

/// R of A P = Q R with the largest remaining column first, by Householder reflections.
Matrix pivoted_triangle(Matrix a) {
  const Eigen::Index n = a.cols();
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index best = k;
    for (Eigen::Index j = k; j < n; ++j)
      if (a.col(j).tail(n - k).norm() > a.col(best).tail(n - k).norm()) best = j;
    a.col(k).swap(a.col(best));
    Vector u = a.col(k).tail(n - k);
    u[0] += u[0] < 0 ? -u.norm() : u.norm();
    const double squared = u.squaredNorm();
    if (squared == 0) continue;
    for (Eigen::Index j = k; j < n; ++j) a.col(j).tail(n - k) -= (2 * u.dot(a.col(j).tail(n - k)) / squared) * u;
  }
  for (Eigen::Index j = 0; j < n; ++j) a.col(j).tail(n - j - 1).setZero();
  return a;
}

}  // namespace

/// Rows are sorted by size first (Householder reflections of a graded matrix keep its small rows then). R of a pivoted QR
/// is graded downwards: its transpose has columns of falling size, which the rotations keep.
Vector singular_values(const Matrix& matrix) {
  Matrix sorted = matrix;
  for (Eigen::Index i = 0; i < sorted.rows(); ++i)
    for (Eigen::Index k = i + 1; k < sorted.rows(); ++k)
      if (sorted.row(k).lpNorm<Eigen::Infinity>() > sorted.row(i).lpNorm<Eigen::Infinity>())
        sorted.row(i).swap(sorted.row(k));
  Matrix a = pivoted_triangle(sorted).transpose();
  const Eigen::Index n = a.cols();
  constexpr double tolerance = 4 * std::numeric_limits<double>::epsilon();
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (Eigen::Index i = 0; i + 1 < n; ++i)
      for (Eigen::Index j = i + 1; j < n; ++j) {
        const double ni = a.col(i).norm(), nj = a.col(j).norm();
        if (ni == 0 || nj == 0) continue;
        const double cosine = (a.col(i) / ni).dot(a.col(j) / nj);
        if (std::abs(cosine) <= tolerance) continue;
        rotated = true;
        const double zeta = (nj / ni - ni / nj) / (2 * cosine);
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double c = 1 / std::hypot(1.0, t), s = c * t;
        const Vector old = a.col(i);
        a.col(i) = c * old - s * a.col(j);
        a.col(j) = s * old + c * a.col(j);
      }
    if (!rotated) break;
  }
  Vector values = a.colwise().norm().transpose();
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

double condition_2(const Matrix& a) {
  const Vector values = singular_values(a);
  return values[0] / values[values.size() - 1];
}

double norm_inf(const Matrix& a) { return a.cwiseAbs().rowwise().sum().maxCoeff(); }

double condition_inf(const Matrix& a, const Matrix& inverse) { return norm_inf(a) * norm_inf(inverse); }

double row_sum(const Matrix& a, int first, int count) {
  return a.middleRows(first, count).cwiseAbs().rowwise().sum().maxCoeff();
}

Vector error_bounds(const Matrix& a, const Matrix& inverse, double z_norm) {
  const double factor = std::numeric_limits<double>::epsilon() * norm_inf(a) * z_norm;
  return factor * inverse.cwiseAbs().rowwise().sum();  // (6)
}

PowerLaw fit_power(std::span<const double> x, std::span<const double> y) {
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += std::log(x[i]) / n, mean_y += std::log(y[i]) / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = std::log(x[i]) - mean_x;
    xx += dx * dx;
    xy += dx * (std::log(y[i]) - mean_y);
  }
  return {.exponent = xy / xx, .factor = std::exp(mean_y - xy / xx * mean_x)};
}

}  // namespace rubato::experiments::scaling
