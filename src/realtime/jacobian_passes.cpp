#include "rubato/realtime/jacobian_passes.hpp"

#include <algorithm>
#include <numeric>

#include "rubato/base/assert.hpp"

namespace rubato::realtime {

namespace {

constexpr int lanes = 8;

/// For every column with a needed entry the columns it may not share a group with.
std::vector<std::vector<int>> conflicts(const SparsePattern& jacobian, const std::vector<unsigned char>& needed,
                                        const std::vector<int>& seeded) {
  struct Use {
    int col;
    bool needed;
  };
  std::vector<std::vector<Use>> by_row(static_cast<std::size_t>(jacobian.rows()));
  for (const int col : seeded) {
    int place = jacobian.column_starts()[col];
    for (const int row : jacobian.column(col)) by_row[row].push_back({col, needed[place++] != 0});
  }
  std::vector<std::vector<int>> result(static_cast<std::size_t>(jacobian.cols()));
  for (const auto& row : by_row)
    for (const Use& a : row)
      for (const Use& b : row)
        if (a.col != b.col && (a.needed || b.needed)) result[a.col].push_back(b.col);
  return result;
}

std::vector<std::vector<int>> coloured(const std::vector<int>& order,
                                       const std::vector<std::vector<int>>& conflicting) {
  std::vector<int> group_of(conflicting.size(), -1);
  std::vector<std::vector<int>> groups;
  std::vector<char> taken;
  for (const int col : order) {
    taken.assign(groups.size() + 1, 0);
    for (const int other : conflicting[col])
      if (group_of[other] >= 0) taken[group_of[other]] = 1;
    const auto group = static_cast<int>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
    if (group == static_cast<int>(groups.size())) groups.emplace_back();
    groups[group].push_back(col);
    group_of[col] = group;
  }
  return groups;
}

}  // namespace

std::vector<std::vector<int>> needed_groups(const SparsePattern& jacobian, const std::vector<unsigned char>& needed) {
  RUBATO_ASSERT(static_cast<int>(needed.size()) == jacobian.nnz(), "one choice for every place of the Jacobian");
  std::vector<int> seeded;
  for (int col = 0; col < jacobian.cols(); ++col) {
    const auto first = needed.begin() + jacobian.column_starts()[col];
    if (std::any_of(first, first + static_cast<int>(jacobian.column(col).size()), [](auto n) { return n != 0; }))
      seeded.push_back(col);
  }
  const auto conflicting = conflicts(jacobian, needed, seeded);
  auto groups = coloured(seeded, conflicting);
  std::stable_sort(seeded.begin(), seeded.end(),
                   [&](int a, int b) { return conflicting[a].size() > conflicting[b].size(); });
  auto others = coloured(seeded, conflicting);
  return others.size() < groups.size() ? others : groups;
}

JacobianPasses::JacobianPasses(const Dae& dae, const SparsePattern& jacobian, const std::vector<unsigned char>& needed)
    : dae_(dae), x_(static_cast<std::size_t>(dae.size())), u_(static_cast<std::size_t>(dae.n_inputs())), f_(x_.size()) {
  RUBATO_ASSERT(dae.dual() != nullptr, "a model over dual numbers");
  const auto groups = needed_groups(jacobian, needed);
  n_groups_ = static_cast<int>(groups.size());
  passes_.resize((groups.size() + lanes - 1) / lanes);
  for (int group = 0; group < n_groups_; ++group) {
    Pass& pass = passes_[group / lanes];
    for (const int col : groups[group]) {
      pass.seeds.push_back({col, group % lanes});
      for (int p = jacobian.column_starts()[col]; p < jacobian.column_starts()[col + 1]; ++p)
        if (needed[p] != 0) pass.taken.push_back({jacobian.row_indices()[p], group % lanes, p});
    }
  }
}

EvalStatus JacobianPasses::evaluate(const At& at, Out f, Out jacobian_values) noexcept {
  if (passes_.empty()) return dae_.f(at, f);
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i].value = at.x[i];
  for (std::size_t i = 0; i < u_.size(); ++i) u_[i].value = at.u[i];
  const Point<Dual8> point{.t = Dual8(at.t), .x = x_, .u = u_, .base = at.base, .mode = at.mode, .scratch = at.scratch};
  EvalStatus worst = EvalStatus::ok;
  for (const Pass& pass : passes_) {
    for (const Seed& seed : pass.seeds) x_[seed.col].d[seed.lane] = 1;
    worst = std::max(worst, dae_.dual()->f(point, f_));
    for (const Seed& seed : pass.seeds) x_[seed.col].d[seed.lane] = 0;
    for (const Taken& taken : pass.taken) jacobian_values[taken.place] = f_[taken.row].d[taken.lane];
  }
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = f_[i].value;
  return worst;
}

}  // namespace rubato::realtime
