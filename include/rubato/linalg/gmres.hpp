#pragma once
/// GMRES(m): A x = b for an operator known by its products only, in the norm of the vectors handed over.
///
/// Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856, doi:10.1137/0907058: Arnoldi with modified Gram-Schmidt, Givens
/// rotations. Preconditioning and weights are the caller's, inside `apply`. Written here because Eigen's (unsupported)
/// allocates in every call; this one sizes its memory once and is noexcept.
#include <algorithm>
#include <cmath>

#include "rubato/base/assert.hpp"
#include "rubato/base/views.hpp"

namespace rubato {

class Gmres {
 public:
  struct Outcome {
    bool converged = false;
    int iterations = 0;   ///< products
    double residual = 0;  ///< ‖b − A x‖₂ as the recurrence has it
  };

  Gmres() = default;
  Gmres(int n, int restart) : m_(std::min(restart, n)), basis_(n, m_ + 1), h_(m_ + 1, m_), product_(n) {
    for (Vector* v : {&cosine_, &sine_, &g_, &y_}) v->setZero(m_ + 1);
  }

  /// From x = 0 until ‖b − A x‖₂ ≤ tolerance, at most `max_iterations` products. apply(In v, Out w): w = A v.
  template <class Apply>
  [[nodiscard]] Outcome solve(In b, Out x, double tolerance, int max_iterations, Apply&& apply) noexcept {
    RUBATO_ASSERT(static_cast<Eigen::Index>(b.size()) == basis_.rows() && x.size() == b.size(), "sizes disagree");
    Outcome outcome;
    map(x).setZero();
    product_ = map(b);
    for (;;) {
      outcome.residual = product_.norm();
      if (!(outcome.residual > tolerance)) return outcome.converged = std::isfinite(outcome.residual), outcome;
      const int k = cycle(outcome, tolerance, max_iterations, apply);
      for (int i = k - 1; i >= 0; --i) {  // H y = g
        y_[i] = g_[i];
        for (int j = i + 1; j < k; ++j) y_[i] -= h_(i, j) * y_[j];
        y_[i] /= h_(i, i);
      }
      for (int i = 0; i < k; ++i) map(x) += y_[i] * basis_.col(i);
      if (outcome.residual <= tolerance) return outcome.converged = true, outcome;
      if (k == 0 || outcome.iterations >= max_iterations || !std::isfinite(outcome.residual)) return outcome;
      apply(In(x), view(product_));  // a new beginning
      ++outcome.iterations;
      product_ = map(b) - product_;
    }
  }

 private:
  /// One cycle from the residual in product_: the number of basis vectors to use.
  template <class Apply>
  int cycle(Outcome& outcome, double tolerance, int max_iterations, Apply& apply) noexcept {
    basis_.col(0) = product_ / outcome.residual;
    g_.setZero();
    g_[0] = outcome.residual;
    int k = 0;
    while (k < m_ && outcome.iterations < max_iterations && outcome.residual > tolerance) {
      apply(In(basis_.col(k).data(), static_cast<std::size_t>(basis_.rows())), view(product_));
      ++outcome.iterations;
      for (int i = 0; i <= k; ++i) {
        h_(i, k) = product_.dot(basis_.col(i));
        product_ -= h_(i, k) * basis_.col(i);
      }
      const double rest = product_.norm();
      for (int i = 0; i < k; ++i) {
        const double top = h_(i, k);
        h_(i, k) = cosine_[i] * top + sine_[i] * h_(i + 1, k);
        h_(i + 1, k) = -sine_[i] * top + cosine_[i] * h_(i + 1, k);
      }
      const double length = std::hypot(h_(k, k), rest);
      if (!(length > 0) || !std::isfinite(length)) {
        if (!std::isfinite(length)) outcome.residual = length;
        return k;
      }
      cosine_[k] = h_(k, k) / length;
      sine_[k] = rest / length;
      h_(k, k) = length;
      g_[k + 1] = -sine_[k] * g_[k];
      g_[k] *= cosine_[k];
      outcome.residual = std::abs(g_[k + 1]);
      ++k;
      if (!(rest > 0)) return k;
      basis_.col(k) = product_ / rest;
    }
    return k;
  }

  int m_ = 0;
  Matrix basis_, h_;
  Vector product_, cosine_, sine_, g_, y_;
};

}  // namespace rubato
