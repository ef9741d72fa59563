// J by coloured differences, one-sided or central: increments that rounding errors do not swallow, and a watch over the pattern.
//
// Increment of the unknown j, u the unit roundoff, ρ = √u for one-sided differences, ∛u for central ones:
//   d_j = ρ max(|x_j|, 10⁻³ ‖x‖_∞ of its block, how far it moves in a step)                                           (1)
// That fails where a whole block is zero but for rounding errors, as the multipliers μ ≈ 10⁻¹² of q' = v + Gᵀμ: d_j = 10⁻²⁰ does
// not change v + Gᵀμ at all, and the matrix is singular. What a difference must exceed is the rounding error of f,
//   ν_i = u max(|f_l|, |B w|_l, Σ_k |J_lk x_k|) over the rows l of the block of i, J the last one                        (2)
// (f_l alone is zero in constraints; a row of tiny values beside large ones would take a column for known whose other rows are lost).
// A column where no |Δf_i| reaches 10⁴ ν_i (central: 4·10⁶) has no digits. It is repeated with the increment that should give Δf_i = ρ f_i,
// at most ρ max(1, ‖x‖_∞ of the block); the increment that did is remembered as the least one. It shrinks again
// where Δf_i is large beside f_i.
// Central differences err by d² f‴/6, one-sided ones by d f″/2. Where the second difference is not below √u/∛u of the first (a kink, a
// layer hardly thicker than d), and where one side is out of the domain, one-sided differences are better.
// Salane, Adaptive routines for forming Jacobians numerically, SAND86-1319 (1986); Curtis & Reid, J. Inst. Math. Appl. 13 (1974)
// 121, doi:10.1093/imamat/13.1.121.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/assert.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato {

namespace {

constexpr double roundoff = std::numeric_limits<double>::epsilon();
constexpr double digits_needed = 1.5e-4;  // |Δf_i|/ν_i, as a fraction of ρ/u
constexpr int most_repetitions = 3;       // from 10⁻³⁰ to 10⁻⁸ in two
// The watch: relative difference of the product J s and f(x + s) − f(x) beyond which an entry is missing, and in ν_i. Increments
// change f by √u, and second derivatives the difference by as little, relatively.
constexpr double watch_relative = 1e-3, watch_noise = 1e3;

double root_of_roundoff() noexcept { return std::sqrt(roundoff); }

double step_between(double below, double above) noexcept {
  const volatile double a = below, b = above;
  return b - a;
}

}  // namespace

/// ρ.
double Linearisation::relative_increment() const noexcept {
  return differences_ == Differences::central ? std::cbrt(roundoff) : root_of_roundoff();
}

/// (1), not below what was enough the last time; rounded to be representable.
void Linearisation::choose_increments(In x, In scale) noexcept {
  const double relative = relative_increment();
  for (const auto& block : dae_.layout().blocks()) {
    double largest = 0;
    for (int i = block.offset; i < block.offset + block.size; ++i) largest = std::max(largest, std::abs(x[i]));
    for (int i = block.offset; i < block.offset + block.size; ++i) {
      double size = std::max(std::abs(x[i]), 1e-3 * largest);
      if (!scale.empty()) size = std::max(size, scale[i]);
      if (!(size > 0)) size = 1;
      const double step = std::max(relative * size, least_[i]);
      const volatile double moved = x[i] + (x[i] < 0 ? -step : step);
      increments_[i] = moved - x[i];
      most_[i] = relative * std::max(1.0, largest);
    }
  }
}

/// (2), f0_ at x, bw_ with it.
void Linearisation::estimate_noise(In x) noexcept {
  const auto starts = j_pattern_.column_starts(), rows = j_pattern_.row_indices();
  std::fill(noise_.begin(), noise_.end(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j)
    for (int p = starts[j]; p < starts[j + 1]; ++p) noise_[rows[p]] += std::abs(j_values_[p] * x[j]);
  for (std::size_t i = 0; i < noise_.size(); ++i) {
    const double known = dae_.constant_mass() ? std::abs(f0_[i]) : std::max(std::abs(f0_[i]), std::abs(bw_[i]));
    noise_[i] = roundoff * (std::isfinite(noise_[i]) ? std::max(known, noise_[i]) : known);
  }
  for (const auto& block : dae_.layout().blocks()) {
    const auto rows_of_block = std::span(noise_).subspan(block.offset, block.size);
    if (block.size > 0) std::ranges::fill(rows_of_block, std::ranges::max(rows_of_block));
  }
}

/// These columns of J, of one group.
EvalStatus Linearisation::difference(At point, In x, In w, std::span<const int> columns) noexcept {
  if (differences_ == Differences::one_sided) return one_sided(point, x, w, columns);
  const EvalStatus status = central(point, x, w, columns);
  if (status == EvalStatus::out_of_domain) bent_.assign(columns.begin(), columns.end());
  if (status == EvalStatus::fatal || bent_.empty()) return status;
  shorten(bent_);
  return one_sided(point, x, w, bent_);
}

/// From increments of central differences to those of one-sided ones.
void Linearisation::shorten(std::span<const int> columns) noexcept {
  for (const int j : columns) increments_[j] *= root_of_roundoff() / relative_increment();
}

/// bent_: those of the columns whose second difference is not small.
EvalStatus Linearisation::central(At point, In x, In w, std::span<const int> columns) noexcept {
  bent_.clear();
  point.x = x_;
  for (const int j : columns) x_[j] = x[j] - increments_[j];
  EvalStatus status = residual(point, w, below_);
  if (status == EvalStatus::ok) {
    for (const int j : columns) x_[j] = x[j] + increments_[j];
    status = residual(point, w, f_);
  }
  for (const int j : columns) x_[j] = x[j];
  if (status != EvalStatus::ok) return status;
  const auto starts = j_pattern_.column_starts(), rows = j_pattern_.row_indices();
  const double most_bent = root_of_roundoff() / relative_increment();
  for (const int j : columns) {
    const double step = step_between(x[j] - increments_[j], x[j] + increments_[j]);
    double first = digits_needed * relative_increment() / roundoff, second = 0;  // differences in ν_i
    for (int p = starts[j]; p < starts[j + 1]; ++p) {
      const int i = rows[p];
      const double change = f_[i] - below_[i], noise = std::max(noise_[i], std::numeric_limits<double>::min());
      j_values_[p] = change / step;
      first = std::max(first, std::abs(change) / noise);
      second = std::max(second, std::abs((f_[i] - f0_[i]) - (f0_[i] - below_[i])) / noise);
    }
    if (second > most_bent * first) bent_.push_back(j);
  }
  return status;
}

EvalStatus Linearisation::one_sided(At point, In x, In w, std::span<const int> columns) noexcept {
  point.x = x_;
  EvalStatus status = EvalStatus::ok;
  for (const double side : {1.0, -1.0}) {  // the other side may be inside the domain
    for (const int j : columns) x_[j] = x[j] + side * increments_[j];
    status = residual(point, w, f_);
    if (status != EvalStatus::out_of_domain) break;
  }
  const auto starts = j_pattern_.column_starts(), rows = j_pattern_.row_indices();
  for (const int j : columns) {
    const double step = x_[j] - x[j];
    if (status == EvalStatus::ok)
      for (int p = starts[j]; p < starts[j + 1]; ++p) j_values_[p] = (f_[rows[p]] - f0_[rows[p]]) / step;
    x_[j] = x[j];
  }
  return status;
}

/// Those of the columns whose differences were lost, with increments to try next.
void Linearisation::find_lost(std::span<const int> columns) noexcept {
  const auto starts = j_pattern_.column_starts(), rows = j_pattern_.row_indices();
  lost_.clear();
  auto bent = bent_.begin();  // in the order of the columns, with increments of one-sided differences
  for (const int j : columns) {
    const bool shortened = bent != bent_.end() && *bent == j;
    if (shortened) ++bent;
    // Of Δf_i/ν_i where Δf_i = ρ f_i.
    const double natural = (shortened ? root_of_roundoff() : relative_increment()) / roundoff;
    double signal = 0;
    for (int p = starts[j]; p < starts[j + 1]; ++p) {
      const double change = std::abs(j_values_[p] * increments_[j]);
      if (change > 0) signal = std::max(signal, change / std::max(noise_[rows[p]], std::numeric_limits<double>::min()));
    }
    if (signal > 1e3 * natural) least_[j] *= 0.1;
    if (signal >= digits_needed * natural || starts[j] == starts[j + 1]) continue;
    const double now = std::abs(increments_[j]);
    if (most_[j] < 10 * now) continue;
    least_[j] = std::min(now * natural / std::max(signal, 1.0), most_[j]);
    increments_[j] = std::copysign(least_[j], increments_[j]);
    lost_.push_back(j);
  }
}

/// A place the pattern lacks hides: its value is added to another entry of the same row and group. A difference along uneven
/// multiples s of the increments brings it to light.
void Linearisation::compare_with_difference(At point, In x, In w) noexcept {
  point.x = x_;
  const double shorter = root_of_roundoff() / relative_increment();  // one-sided: second derivatives must not show
  for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = x[j] + shorter * direction_[j] * increments_[j];
  if (residual(point, w, f_) != EvalStatus::ok) return;
  const auto starts = j_pattern_.column_starts(), rows = j_pattern_.row_indices();
  std::fill(bw_.begin(), bw_.end(), 0.0);
  for (std::size_t i = 0; i < f_.size(); ++i) f_[i] -= f0_[i];
  for (std::size_t j = 0; j < x_.size(); ++j)
    for (int p = starts[j]; p < starts[j + 1]; ++p) {
      const double term = j_values_[p] * (x_[j] - x[j]);
      f_[rows[p]] -= term;
      bw_[rows[p]] += std::abs(term);
    }
  for (std::size_t i = 0; i < f_.size(); ++i)
    incomplete_ = incomplete_ || std::abs(f_[i]) > watch_relative * bw_[i] + watch_noise * noise_[i];
}

EvalStatus Linearisation::by_differences(const At& at, In w, In f0, In scale) noexcept {
  if (!f0.empty() && dae_.constant_mass()) {
    std::copy(f0.begin(), f0.end(), f0_.begin());
  } else {
    const EvalStatus status = residual(at, w, f0_);
    if (status != EvalStatus::ok) return status;
  }
  if (rows_ == JacobianRows::none) return EvalStatus::ok;
  choose_increments(at.x, scale);
  estimate_noise(at.x);
  std::copy(at.x.begin(), at.x.end(), x_.begin());
  for (const auto& group : j_groups_.members) {
    EvalStatus status = difference(at, at.x, w, group);
    if (status == EvalStatus::ok) find_lost(group);
    for (int k = 0; k < most_repetitions && status == EvalStatus::ok && !lost_.empty(); ++k) {
      again_.assign(lost_.begin(), lost_.end());
      status = difference(at, at.x, w, again_);
      if (status == EvalStatus::ok) find_lost(again_);
    }
    if (status != EvalStatus::ok) return status;
  }
  if (watch_) compare_with_difference(at, at.x, w);
  return EvalStatus::ok;
}

EvalStatus Linearisation::error_along(const At& at, In w, In v, Out out) noexcept {
  RUBATO_ASSERT(source_ == JacobianSource::differences, "other sources have no error");
  // No block moves by more than ∛u of its size, and none further than v.
  double longest = std::cbrt(roundoff);
  for (const auto& block : dae_.layout().blocks()) {
    const auto part = [&](In values) { return values.subspan(block.offset, block.size); };
    const auto largest = [](In values) { return values.empty() ? 0.0 : map(values).lpNorm<Eigen::Infinity>(); };
    if (const double size = largest(part(at.x)); size > 0) longest = std::max(longest, largest(part(v)) / size);
  }
  const double step = std::cbrt(roundoff) / longest;
  At point = at;
  point.x = x_;
  for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = at.x[j] - step * v[j];
  EvalStatus status = residual(point, w, below_);
  if (status != EvalStatus::ok) return status;
  for (std::size_t j = 0; j < x_.size(); ++j) x_[j] = at.x[j] + step * v[j];
  status = residual(point, w, f_);
  if (status != EvalStatus::ok) return status;
  jacobian_times(v, out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= (f_[i] - below_[i]) / (2 * step);
  return status;
}

/// Entries of f − B w that change with one unknown alone, at the point of the last update.
SparsePattern Linearisation::probed(const At& at, In w) {
  std::vector<Entry> entries;
  At point = at;
  point.x = x_;
  std::copy(at.x.begin(), at.x.end(), x_.begin());
  for (std::size_t j = 0; j < x_.size(); ++j) {
    x_[j] = at.x[j] + increments_[j];
    if (residual(point, w, f_) == EvalStatus::ok)
      for (std::size_t i = 0; i < f_.size(); ++i)
        if (f_[i] != f0_[i]) entries.push_back({static_cast<int>(i), static_cast<int>(j)});
    x_[j] = at.x[j];
  }
  return SparsePattern::from_entries(dae_.size(), dae_.size(), std::move(entries));
}

}  // namespace rubato
