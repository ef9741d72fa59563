#include "dense_stages.hpp"

#include <Eigen/LU>

#include "base/pairs.hpp"

namespace rubato {

DenseStages::DenseStages(const Vector& c) {
  std::vector<double> at;
  for (int i = 0; i < c.size(); ++i)
    if (c[i] > 0 && c[i] < 1) {
      nodes.push_back(i);
      at.push_back(c[i]);
    }
  nodes.push_back(static_cast<int>(c.size()));
  at.push_back(1);
  double before = 0, gap = 0;
  for (const double c_k : at) {
    if (c_k - before > gap) {
      gap = c_k - before;
      widest = before + gap / 2;
    }
    before = c_k;
  }

  // ℓ_k in powers θ¹ … θ^m: the inverse of the Vandermonde matrix c_k^p, in extended precision.
  const int m = degree();
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> vandermonde(m, m);
  for (int k = 0; k < m; ++k) {
    long double power = 1;
    for (int p = 0; p < m; ++p) vandermonde(p, k) = power *= at[static_cast<std::size_t>(k)];
  }
  // Σ_k ℓ_k(θ) c_k^p = θ^p for p = 1 … m:  V · (ℓ_k coefficients) = I.
  powers = vandermonde.fullPivLu().inverse().cast<double>();
  Vector weights(m);
  end_slopes.resize(m);
  dense_weights(1, weights.data(), end_slopes.data());
}

namespace {

/// Horner's scheme, for Σ a_p θ^p first; `m` may be a constant that the compiler knows.
template <class Degree>
inline void weights_at(Degree m, const double* a, double theta, double* weights, double* slopes) noexcept {
  detail::in_pairs(m, [&]<int width>(std::ptrdiff_t k) {
    detail::Piece<width> value = detail::piece<width>(a + (m - 1) * m + k);
    if (slopes == nullptr) {
      for (int p = m - 2; p >= 0; --p) value = value * theta + detail::piece<width>(a + p * m + k);
    } else {
      detail::Piece<width> slope = detail::Piece<width>::Zero();
      for (int p = m - 2; p >= 0; --p) {
        slope = slope * theta + value;
        value = value * theta + detail::piece<width>(a + p * m + k);
      }
      detail::piece<width>(slopes + k) = value + slope * theta;
    }
    detail::piece<width>(weights + k) = value * theta;
  });
}

}  // namespace

void DenseStages::dense_weights(double theta, double* weights, double* slopes) const noexcept {
  weights_at(degree(), powers.data(), theta, weights, slopes);
}

void DenseStages::continuation(const Vector& c, double ratio, double* weights) const noexcept {
  const auto all = [&](auto m) {
    for (const double ci : c) {
      weights_at(m, powers.data(), 1 + ci * ratio, weights, nullptr);
      weights[m - 1] -= 1;
      weights += m;
    }
  };
  if (degree() == 3) return all(std::integral_constant<int, 3>{});  // the usual degree
  all(degree());
}

}  // namespace rubato
