#include "mass_solver.hpp"

#include <algorithm>

namespace rubato {

MassSolver::MassSolver(const SparsePattern& mass, const SparsePattern& jacobian, std::span<const char> algebraic,
                       bool index_1, BackEnd back_end)
    : index_1_(index_1) {
  const int n = mass.rows();
  const auto is_algebraic = [&](int row) { return algebraic[static_cast<std::size_t>(row)] != 0; };
  std::vector<Entry> entries;
  for (int col = 0; col < n; ++col) {
    for (const int row : mass.column(col))
      if (!is_algebraic(row)) entries.push_back({row, col});
    for (const int row : jacobian.column(col))
      if (is_algebraic(row) && index_1) entries.push_back({row, col});
    if (is_algebraic(col) && !index_1) entries.push_back({col, col});
  }
  const auto whole = SparsePattern::from_entries(n, n, std::move(entries));
  for (int col = 0; col < n; ++col) {
    for (const int row : mass.column(col)) mass_places_.push_back(is_algebraic(row) ? -1 : whole.index_of(row, col));
    for (const int row : jacobian.column(col))
      jacobian_places_.push_back(is_algebraic(row) && index_1 ? whole.index_of(row, col) : -1);
    if (is_algebraic(col) && !index_1) unit_places_.push_back(whole.index_of(col, col));
  }
  values_.resize(static_cast<std::size_t>(whole.nnz()));
  solver_ = make_linear_solver<double>(whole, back_end);
}

FactorStatus MassSolver::factor(In mass, In jacobian) noexcept {
  std::ranges::fill(values_, 0.0);
  const auto put = [&](const std::vector<int>& places, In from, double sign) {
    for (std::size_t e = 0; e < places.size(); ++e)
      if (places[e] >= 0) values_[static_cast<std::size_t>(places[e])] += sign * from[e];
  };
  put(mass_places_, mass, 1);
  if (index_1_) put(jacobian_places_, jacobian, -1);
  for (const int place : unit_places_) values_[static_cast<std::size_t>(place)] = 1;
  return solver_->factor(values_);
}

}  // namespace rubato
