#include "rubato/realtime/kept_matrix.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"

namespace rubato::realtime {

KeptMatrix::KeptMatrix(const SparsePattern& jacobian, const Keep& keep, const SparsePattern& mass, In mass_values,
                       double step)
    : step_(step) {
  RUBATO_ASSERT(static_cast<int>(keep.size()) == jacobian.nnz(), "one choice for every place of the Jacobian");
  RUBATO_ASSERT(static_cast<int>(mass_values.size()) == mass.nnz(), "one value for every place of the mass");
  const auto places = [](const SparsePattern& pattern, auto&& visit) {
    int at = 0;
    for (int col = 0; col < pattern.cols(); ++col)
      for (const int row : pattern.column(col)) visit(row, col, at++);
  };
  std::vector<Entry> entries;
  places(jacobian, [&](int row, int col, int at) {
    if (keep[static_cast<std::size_t>(at)] != 0) entries.push_back({row, col});
  });
  places(mass, [&](int row, int col, int /*at*/) { entries.push_back({row, col}); });
  pattern_ = SparsePattern::from_entries(jacobian.rows(), jacobian.cols(), std::move(entries));

  places(jacobian, [&](int row, int col, int at) {
    if (keep[static_cast<std::size_t>(at)] != 0) kept_.push_back({at, pattern_.index_of(row, col)});
  });
  mass_.assign(static_cast<std::size_t>(pattern_.nnz()), 0.0);
  places(mass, [&](int row, int col, int at) {
    mass_[static_cast<std::size_t>(pattern_.index_of(row, col))] = mass_values[static_cast<std::size_t>(at)];
  });
}

void KeptMatrix::fill(In jacobian_values, double step, Out values) const noexcept {
  std::ranges::copy(mass_, values.begin());
  for (const Place& p : kept_)
    values[static_cast<std::size_t>(p.to)] -= step * jacobian_values[static_cast<std::size_t>(p.from)];
}

}  // namespace rubato::realtime
