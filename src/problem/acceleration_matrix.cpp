#include "acceleration_matrix.hpp"

#include <algorithm>
#include <numeric>

namespace rubato::detail {

void AccelerationMatrix::factor(Start& start) {
  const int n = start.system.sizes().v, k = static_cast<int>(start.active.size());
  const int unknowns = n + k + static_cast<int>(start.algebraic_z.size());
  soft_.clear();
  rest_.resize(static_cast<std::size_t>(unknowns));
  std::iota(rest_.begin(), rest_.end(), 0);
  const std::optional<Sparse> c = coupled_ || start.soft.empty() ? std::nullopt : start.soft_compliance();
  if (!c) {
    rest_system_.factor(assembled(unknowns, start.acceleration_matrix(coupled_)));
    return;
  }
  rest_.resize(static_cast<std::size_t>(n));
  std::vector<int> kept;
  std::vector<int> column(static_cast<std::size_t>(start.n_rows()), -1);  // of J_sᵀ
  for (int i = 0; i < k; ++i) {
    const int row = start.active[static_cast<std::size_t>(i)];
    if (std::ranges::binary_search(start.soft, row)) {
      column[static_cast<std::size_t>(row)] = static_cast<int>(soft_.size());
      soft_.push_back(n + i);
    } else {
      kept.push_back(row);
      rest_.push_back(n + i);
    }
  }
  const Sparse j = start.constraint_matrix();
  Triplets entries;
  for (int col = 0; col < n; ++col)
    for (Sparse::InnerIterator it(j, col); it; ++it)
      if (const int to = column[static_cast<std::size_t>(it.row())]; to >= 0) entries.emplace_back(col, to, it.value());
  reaction_.resize(static_cast<Eigen::Index>(rest_.size()), static_cast<Eigen::Index>(soft_.size()));
  reaction_.setFromTriplets(entries.begin(), entries.end());
  soft_system_.factor(*c);
  rest_system_.factor(assembled(static_cast<int>(rest_.size()), saddle(start.mass(), j, kept)));
}

Vector AccelerationMatrix::solve(const Vector& b) const {
  Vector x(b.size());
  Vector rest = b(rest_);
  if (!soft_.empty()) {
    const Vector soft = soft_system_.solve(Vector(b(soft_)));
    x(soft_) = soft;
    rest -= reaction_ * soft;
  }
  x(rest_) = rest_system_.solve(rest);  // (1)
  return x;
}

Vector AccelerationMatrix::weakest_direction() const {
  const bool soft = !soft_system_.regular();
  Vector x = Vector::Zero(static_cast<Eigen::Index>(soft_.size() + rest_.size()));
  x(soft ? soft_ : rest_) = (soft ? soft_system_ : rest_system_).weakest_direction();
  return x;
}

}  // namespace rubato::detail
