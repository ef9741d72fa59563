#pragma once
/// The multiple Arnoldi process: A x = w for several right-hand sides w one after the other, all in one growing space.
///
/// Q has orthonormal columns whose images W = A Q are known, H = QᵀW. Galerkin's solution (FOM) is x = Q l with H l = Qᵀw; its residual is
///   w − A x = (w − QQᵀw) − Σ_j l_j c_j,   c_j = (I − QQᵀ) w_j                                                        (1)
/// A new w enters the space first, as far as it is not there yet; then the c_j, oldest first, until (1) is small enough. For w alone this is
/// Arnoldi's process; later right-hand sides find most of what they need.
/// Schmitt & Weiner, Appl. Numer. Math. 18 (1995) 307; Weiner, Schmitt, Podhaisky, Appl. Numer. Math. 25 (1997) 303.
/// Orthogonality is kept by orthogonalising twice: solutions in an old basis live on it.
#include <algorithm>
#include <cmath>

#include "rubato/base/assert.hpp"
#include "rubato/base/views.hpp"

namespace rubato {

class KrylovSpace {
 public:
  struct Outcome {
    bool converged = false;
    int products = 0;
    double residual = 0;  ///< ‖w − A x‖₂ by (1)
  };
  /// How far the space may grow for one right-hand side, which itself counts.
  struct Growth {
    int least_dimension = 0;  ///< of the space afterwards
    int most_new = 1 << 30;
  };

  KrylovSpace() = default;
  KrylovSpace(int n, int max_dimension)
      : most_(std::min(n, max_dimension)),
        q_(n, most_),
        images_(n, most_),
        rest_(n, most_),
        rest_norm_(most_),
        h_(most_, most_),
        lu_(most_, most_),
        right_(most_),
        l_(most_),
        leftover_(n),
        residual_(n) {}

  void clear() noexcept { m_ = next_ = 0; }
  [[nodiscard]] int dimension() const noexcept { return m_; }

  /// Until (1) ≤ tolerance. apply(In v, Out y): y = A v, the same A since clear(). Not converged: the space may not grow further; x is the
  /// solution in it.
  template <class Apply>
  [[nodiscard]] Outcome solve(In w, Out x, double tolerance, Growth growth, Apply&& apply) noexcept {
    RUBATO_ASSERT(static_cast<Eigen::Index>(w.size()) == q_.rows() && x.size() == w.size(), "sizes disagree");
    Outcome outcome;
    int added = 0;
    leftover_ = map(w);
    const double size = leftover_.norm();
    map(x).setZero();
    outcome.residual = size;
    if (!(size > 0)) return outcome.converged = size == 0, outcome;
    take_out(m_, leftover_);
    if (const double rest = leftover_.norm(); rest > negligible * size && m_ < most_ && added < growth.most_new) {
      residual_ = leftover_ / rest;
      append(apply);
      ++added;
      leftover_ = map(w);
      take_out(m_, leftover_);
    }
    for (;;) {
      for (int i = 0; i < m_; ++i) right_[i] = q_.col(i).dot(map(w));
      outcome.products = added;
      if (!solve_small()) l_.head(m_).setZero();  // this space has no solution, a larger one may
      residual_ = leftover_;
      for (int j = 0; j < m_; ++j) residual_ -= l_[j] * rest_.col(j);
      outcome.residual = residual_.norm();
      if (!std::isfinite(outcome.residual)) return outcome;
      if (l_.head(m_).isZero(0)) outcome.residual = size;
      outcome.converged = outcome.residual <= tolerance;
      if (outcome.converged && m_ >= growth.least_dimension) break;
      while (next_ < m_ && !(rest_.col(next_).norm() > negligible * rest_norm_[next_])) ++next_;
      if (next_ == m_ || m_ == most_ || added >= growth.most_new) break;  // all there is, or all that is allowed
      residual_ = rest_.col(next_++);
      residual_ /= residual_.norm();
      append(apply);
      ++added;
    }
    for (int j = 0; j < m_; ++j) map(x) += l_[j] * q_.col(j);
    return outcome;
  }

 private:
  static constexpr double negligible = 1e-13;

  /// v −= QQᵀv, twice.
  void take_out(int m, Vector& v) noexcept {
    for (int twice = 0; twice < 2; ++twice)
      for (int i = 0; i < m; ++i) v -= q_.col(i).dot(v) * q_.col(i);
  }

  /// The direction in residual_.
  template <class Apply>
  void append(Apply& apply) noexcept {
    take_out(m_, residual_);
    q_.col(m_) = residual_ / residual_.norm();
    const auto n = static_cast<std::size_t>(q_.rows());
    apply(In(q_.col(m_).data(), n), Out(images_.col(m_).data(), n));
    for (int j = 0; j < m_; ++j) {
      h_(m_, j) = q_.col(m_).dot(images_.col(j));
      h_(j, m_) = q_.col(j).dot(images_.col(m_));
      rest_.col(j) -= q_.col(m_).dot(rest_.col(j)) * q_.col(m_);
    }
    h_(m_, m_) = q_.col(m_).dot(images_.col(m_));
    rest_norm_[m_] = images_.col(m_).norm();
    residual_ = images_.col(m_);
    take_out(m_ + 1, residual_);
    rest_.col(m_) = residual_;
    ++m_;
  }

  /// H l = right, Gauss with row pivots; a few dozen unknowns.
  [[nodiscard]] bool solve_small() noexcept {
    lu_.topLeftCorner(m_, m_) = h_.topLeftCorner(m_, m_);
    l_.head(m_) = right_.head(m_);
    for (int k = 0; k < m_; ++k) {
      int pivot = k;
      for (int i = k + 1; i < m_; ++i)
        if (std::abs(lu_(i, k)) > std::abs(lu_(pivot, k))) pivot = i;
      if (!(std::abs(lu_(pivot, k)) > 0)) return false;
      if (pivot != k) {
        for (int j = k; j < m_; ++j) std::swap(lu_(k, j), lu_(pivot, j));
        std::swap(l_[k], l_[pivot]);
      }
      for (int i = k + 1; i < m_; ++i) {
        const double factor = lu_(i, k) / lu_(k, k);
        if (factor == 0) continue;
        for (int j = k + 1; j < m_; ++j) lu_(i, j) -= factor * lu_(k, j);
        l_[i] -= factor * l_[k];
      }
    }
    for (int k = m_ - 1; k >= 0; --k) {
      for (int j = k + 1; j < m_; ++j) l_[k] -= lu_(k, j) * l_[j];
      l_[k] /= lu_(k, k);
    }
    return true;
  }

  int most_ = 0, m_ = 0;
  int next_ = 0;  ///< the first c_j that has not become a direction
  Matrix q_, images_, rest_;
  Vector rest_norm_;  ///< ‖w_j‖
  Matrix h_, lu_;
  Vector right_, l_, leftover_, residual_;
};

}  // namespace rubato
