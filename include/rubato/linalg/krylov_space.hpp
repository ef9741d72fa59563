#pragma once
/// The multiple Arnoldi process: A x = w for several right-hand sides w one after the other, all in one growing space.
///
/// Q has orthonormal columns whose images W = A Q are known, H = QᵀW. Galerkin's solution (FOM) is x = Q l with H l = Qᵀw; its residual is
///   r = w − W l,   orthogonal to Q                                                                                    (1)
/// A new w enters the space first, as far as it is not there yet; then r of (1), again and again, until it is small enough. For w alone this
/// is Arnoldi's process; later right-hand sides find most of what they need. Schmitt & Weiner let the images enter in the order they were
/// made instead of r: that grows the spaces of all earlier right-hand sides together, whichever of them is in need, and takes several times
/// as many products where stages differ (docs/methods.md).
/// Schmitt & Weiner, Appl. Numer. Math. 18 (1995) 307; Weiner, Schmitt, Podhaisky, Appl. Numer. Math. 25 (1997) 303.
/// Orthogonality is kept by orthogonalising twice: solutions in an old basis live on it.
#include <algorithm>
#include <cmath>

#include "rubato/base/assert.hpp"
#include "rubato/base/views.hpp"
#include "rubato/linalg/growing_lu.hpp"

namespace rubato {

class KrylovSpace {
 public:
  struct Outcome {
    bool converged = false;
    int products = 0;
    double residual = 0;  ///< ‖w − A x‖₂ by (1)
  };
  KrylovSpace() = default;
  KrylovSpace(int n, int max_dimension)
      : most_(std::min(n, max_dimension)), q_(n, most_), images_(n, most_), small_(most_), residual_(n) {
    for (Vector* v : {&right_, &l_}) v->setZero(most_);
  }

  void clear() noexcept {
    m_ = 0;
    small_.clear();
  }
  [[nodiscard]] int dimension() const noexcept { return m_; }
  [[nodiscard]] bool full() const noexcept { return m_ == most_; }

  /// Until (1) ≤ tolerance. apply(In v, Out y): y = A v, the same A since clear(). Not converged: the space may not grow further, at most by
  /// `most_new` directions, of which w itself is one; x is the solution in it.
  template <class Apply>
  [[nodiscard]] Outcome solve(In w, Out x, double tolerance, int most_new, Apply&& apply) noexcept {
    RUBATO_ASSERT(static_cast<Eigen::Index>(w.size()) == q_.rows() && x.size() == w.size(), "sizes disagree");
    Outcome outcome;
    map(x).setZero();
    const double size = map(w).norm();
    outcome.residual = size;
    if (!(size > 0)) return outcome.converged = size == 0, outcome;
    const auto grow = [&](double least) noexcept {  // by the direction in residual_, as far as it is new
      const double before = residual_.norm();
      take_out(residual_);
      const double rest = residual_.norm();
      if (!(rest > negligible * std::max(before, least)) || full() || outcome.products >= most_new) return false;
      residual_ /= rest;
      append(apply);
      ++outcome.products;
      return true;
    };
    residual_ = map(w);
    static_cast<void>(grow(size));
    for (;;) {
      for (int i = 0; i < m_; ++i) right_[i] = q_.col(i).dot(map(w));
      const bool solved = small_.solve(m_, right_, l_);
      if (!solved) l_.head(m_).setZero();
      residual_ = map(w);
      for (int j = 0; j < m_; ++j) residual_ -= l_[j] * images_.col(j);
      outcome.residual = residual_.norm();
      if (!std::isfinite(outcome.residual)) return outcome;
      outcome.converged = outcome.residual <= tolerance;
      if (outcome.converged) break;
      if (!solved && m_ > 0) {  // this space has no solution, a larger one may
        residual_ = images_.col(m_ - 1);
        if (!residual_.allFinite()) return outcome.residual = residual_.norm(), outcome;
      }
      if (!grow(solved ? size : 0.0)) break;  // all there is, or all that is allowed
    }
    for (int j = 0; j < m_; ++j) map(x) += l_[j] * q_.col(j);
    return outcome;
  }

 private:
  static constexpr double negligible = 1e-14;

  /// v −= QQᵀv, twice.
  void take_out(Vector& v) noexcept {
    for (int twice = 0; twice < 2; ++twice)
      for (int i = 0; i < m_; ++i) v -= q_.col(i).dot(v) * q_.col(i);
  }

  /// The direction in residual_, orthogonal to Q and of length 1.
  template <class Apply>
  void append(Apply& apply) noexcept {
    q_.col(m_) = residual_;
    const auto n = static_cast<std::size_t>(q_.rows());
    apply(In(q_.col(m_).data(), n), Out(images_.col(m_).data(), n));
    for (int j = 0; j <= m_; ++j) {
      small_.entry(m_, j) = q_.col(m_).dot(images_.col(j));
      small_.entry(j, m_) = q_.col(j).dot(images_.col(m_));
    }
    ++m_;
  }

  int most_ = 0, m_ = 0;
  Matrix q_, images_;
  GrowingLu small_;  ///< of H
  Vector right_, l_, residual_;
};

}  // namespace rubato
