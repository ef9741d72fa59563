#include "equilibrium_matrix.hpp"

namespace rubato::detail {

EquilibriumMatrix::Parts EquilibriumMatrix::split(int n, int n_local, const Triplets& entries) {
  const int kept = n - n_local;
  Parts parts{.kept = {}, .b = Sparse(kept, n_local), .c = Sparse(n_local, kept), .inverse = Vector::Zero(n_local)};
  if (n_local == 0) {
    parts.kept = entries;
    return parts;
  }
  Triplets b, c;
  for (const auto& e : entries) {
    const int row = e.row(), col = e.col();
    if (row < kept && col < kept)
      parts.kept.push_back(e);
    else if (row < kept)
      b.emplace_back(row, col - kept, e.value());
    else if (col < kept)
      c.emplace_back(row - kept, col, e.value());
    else if (row == col)
      parts.inverse[row - kept] += e.value();
  }
  parts.inverse = parts.inverse.cwiseInverse();
  parts.b.setFromTriplets(b.begin(), b.end());
  parts.c.setFromTriplets(c.begin(), c.end());
  const Sparse product = parts.b * parts.inverse.asDiagonal() * parts.c;
  for (int j = 0; j < kept; ++j)
    for (Sparse::InnerIterator it(product, j); it; ++it) parts.kept.emplace_back(it.row(), j, -it.value());
  return parts;
}

EquilibriumMatrix::EquilibriumMatrix(int n, int n_local, const Triplets& entries)
    : EquilibriumMatrix(split(n, n_local, entries), n - n_local) {}

EquilibriumMatrix::EquilibriumMatrix(Parts parts, int n_kept)
    : b_(std::move(parts.b)), c_(std::move(parts.c)), inverse_(std::move(parts.inverse)), rest_(n_kept, parts.kept) {}

Vector EquilibriumMatrix::solve(const Vector& b) const {
  const auto kept = b_.rows(), local = c_.rows();
  if (local == 0) return rest_.solve(b);
  const Vector given = b.tail(local);
  Vector x(b.size());
  x.head(kept) = rest_.solve(b.head(kept) - b_ * inverse_.cwiseProduct(given));
  x.tail(local) = inverse_.cwiseProduct(given - c_ * x.head(kept));
  return x;
}

}  // namespace rubato::detail
