#include "stage_operator.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"
#include "rubato/linalg/sparse_product.hpp"

namespace rubato {

StageOperator::StageOperator(const RungeKuttaTable& table, std::span<const char> algebraic, const SparsePattern& mass,
                             std::span<const SparsePattern> jacobians, Solver solver, BackEnd back_end)
    : n_(mass.rows()),
      s_(table.s),
      algebraic_(algebraic.begin(), algebraic.end()),
      X_(runge_kutta_table(RungeKuttaFamily::lobatto_iiic, table.s).X),
      corner_beta_(X_(s_ - 2, s_ - 1)),
      corner_alpha_(X_(s_ - 1, s_ - 2)),
      corner_delta_(X_(s_ - 1, s_ - 1)),
      mass_(mass),
      jacobians_(jacobians.begin(), jacobians.end()) {
  b_values_.resize(static_cast<std::size_t>(mass.nnz()));
  for (const auto& pattern : jacobians_) j_values_.emplace_back(static_cast<std::size_t>(pattern.nnz()));
  if (solver == Solver::direct)
    make_direct(back_end);
  else
    jv_.setZero(n_, s_);
}

/// Unknown (i, k) is number i·n + k: stage after stage.
void StageOperator::make_direct(BackEnd back_end) {
  std::vector<Entry> entries;
  const auto each_entry = [&](const SparsePattern& pattern, auto&& act) {
    for (int col = 0; col < n_; ++col)
      for (const int row : pattern.column(col)) act(row, col);
  };
  const auto in_block = [&](int row, int i, int j) { return i == j || algebraic_[static_cast<std::size_t>(row)] == 0; };
  each_entry(mass_, [&](int row, int col) {
    for (int i = 0; i < s_; ++i) entries.push_back({i * n_ + row, i * n_ + col});
  });
  for (const auto& pattern : jacobians_)
    each_entry(pattern, [&](int row, int col) {
      for (int i = 0; i < s_; ++i)
        for (int j = 0; j < s_; ++j)
          if (in_block(row, i, j)) entries.push_back({i * n_ + row, j * n_ + col});
    });
  const auto whole = SparsePattern::from_entries(s_ * n_, s_ * n_, std::move(entries));
  each_entry(mass_, [&](int row, int col) {
    for (int i = 0; i < s_; ++i) mass_places_.push_back(whole.index_of(i * n_ + row, i * n_ + col));
  });
  for (const auto& pattern : jacobians_) {
    auto& places = jacobian_places_.emplace_back();
    each_entry(pattern, [&](int row, int col) {
      for (int i = 0; i < s_; ++i)
        for (int j = 0; j < s_; ++j)
          places.push_back(in_block(row, i, j) ? whole.index_of(i * n_ + row, j * n_ + col) : -1);
    });
  }
  values_.resize(static_cast<std::size_t>(whole.nnz()));
  row_scale_.setOnes(n_);
  col_scale_.setOnes(n_);
  solver_ = make_linear_solver<double>(whole, back_end);
}

void StageOperator::linearise(In mass, std::span<const In> jacobians) noexcept {
  std::ranges::copy(mass, b_values_.begin());
  for (std::size_t m = 0; m < j_values_.size(); ++m) std::ranges::copy(jacobians[m], j_values_[m].begin());
}

FactorStatus StageOperator::factor(double h, const StageRules& rules, In row_scale, In col_scale) noexcept {
  RUBATO_ASSERT(solver_ != nullptr, "made for products only");
  if (!row_scale.empty()) {
    row_scale_ = map(row_scale);
    col_scale_ = map(col_scale);
  }
  std::ranges::fill(values_, 0.0);
  const auto blocks = static_cast<std::size_t>(s_ * s_);
  std::size_t e = 0;
  for (int col = 0; col < n_; ++col)
    for (const int row : mass_.column(col)) {
      const double value = b_values_[e] / h * row_scale_[row] * col_scale_[col];
      for (int i = 0; i < s_; ++i)
        values_[static_cast<std::size_t>(
            mass_places_[e * static_cast<std::size_t>(s_) + static_cast<std::size_t>(i)])] += value;
      ++e;
    }
  for (std::size_t m = 0; m < jacobians_.size(); ++m) {
    e = 0;
    for (int col = 0; col < n_; ++col)
      for (const int row : jacobians_[m].column(col)) {
        const double value = j_values_[m][e] * row_scale_[row] * col_scale_[col];
        const int* places = &jacobian_places_[m][e * blocks];
        const bool algebraic = algebraic_[static_cast<std::size_t>(row)] != 0;
        const StageRule& rule = rules.at(n_, static_cast<int>(m), row);
        for (std::size_t ij = 0; ij < blocks; ++ij)
          if (places[ij] >= 0) values_[static_cast<std::size_t>(places[ij])] -= (algebraic ? 1 : rule.a[ij]) * value;
        ++e;
      }
  }
  return solver_->factor(values_);
}

void StageOperator::solve(const Matrix& r, Matrix& dz) noexcept {
  for (int i = 0; i < s_; ++i) dz.col(i) = r.col(i).cwiseProduct(row_scale_);
  solver_->solve(Out(dz.data(), static_cast<std::size_t>(n_ * s_)));
  for (int i = 0; i < s_; ++i) dz.col(i).array() *= col_scale_.array();
}

void StageOperator::multiply(double h, const StageRules& rules, In v, Out y) noexcept {
  const auto n = static_cast<std::size_t>(n_);
  const auto stage = [n](auto span, int i) { return span.subspan(static_cast<std::size_t>(i) * n, n); };
  std::ranges::fill(y, 0.0);
  for (int p = 0; p < s_; ++p) multiply_add(mass_, b_values_, 1 / h, stage(v, p), stage(y, p));
  for (std::size_t m = 0; m < jacobians_.size(); ++m) {
    for (int q = 0; q < s_; ++q) rubato::multiply(jacobians_[m], j_values_[m], stage(v, q), Out(jv_.col(q).data(), n));
    for (int k = 0; k < n_; ++k) {
      const auto result = [&](int p) -> double& {
        return y[static_cast<std::size_t>(p) * n + static_cast<std::size_t>(k)];
      };
      if (algebraic_[static_cast<std::size_t>(k)] != 0) {
        for (int p = 0; p < s_; ++p) result(p) -= jv_(k, p);
        continue;
      }
      const LobattoCorner& corner = rules.at(n_, static_cast<int>(m), k).corner;
      const int last = s_ - 1;
      for (int p = 0; p < last; ++p) {
        result(p) -= X_(p, p) * jv_(k, p);
        if (p + 1 < last) {
          result(p) -= X_(p, p + 1) * jv_(k, p + 1);
          result(p + 1) -= X_(p + 1, p) * jv_(k, p);
        }
      }
      result(last - 1) -= corner.beta * corner_beta_ * jv_(k, last);  // (2)
      result(last) -= corner.alpha * corner_alpha_ * jv_(k, last - 1) + corner.delta * corner_delta_ * jv_(k, last);
    }
  }
}

}  // namespace rubato
