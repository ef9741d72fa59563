#include "equilibrium_matrix.hpp"

namespace rubato::detail {

void EquilibriumMatrix::factor(const Sparse& a, int n_local) {
  inverse_ = Vector::Zero(n_local);
  if (n_local == 0) return rest_.factor(a);
  const int n = static_cast<int>(a.cols()), kept = n - n_local;
  Triplets rest, b, c;
  for (int col = 0; col < n; ++col)
    for (Sparse::InnerIterator it(a, col); it; ++it) {
      const int row = static_cast<int>(it.row());
      if (row < kept && col < kept)
        rest.emplace_back(row, col, it.value());
      else if (row < kept)
        b.emplace_back(row, col - kept, it.value());
      else if (col < kept)
        c.emplace_back(row - kept, col, it.value());
      else if (row == col)
        inverse_[row - kept] += it.value();
    }
  inverse_ = inverse_.cwiseInverse();
  b_.resize(kept, n_local);
  c_.resize(n_local, kept);
  b_.setFromTriplets(b.begin(), b.end());
  c_.setFromTriplets(c.begin(), c.end());
  const Sparse product = b_ * inverse_.asDiagonal() * c_;
  for (int j = 0; j < kept; ++j)
    for (Sparse::InnerIterator it(product, j); it; ++it) rest.emplace_back(it.row(), j, -it.value());
  rest_.factor(assembled(kept, rest));
}

Vector EquilibriumMatrix::solve(const Vector& b) const {
  const Eigen::Index local = inverse_.size(), kept = b.size() - local;
  if (local == 0) return rest_.solve(b);
  const Vector given = b.tail(local);
  Vector x(b.size());
  x.head(kept) = rest_.solve(b.head(kept) - b_ * inverse_.cwiseProduct(given));
  x.tail(local) = inverse_.cwiseProduct(given - c_ * x.head(kept));
  return x;
}

}  // namespace rubato::detail
