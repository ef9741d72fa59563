#include "rubato/integrate/error_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/pairs.hpp"
#include "rubato/base/assert.hpp"
#include "tolerance_names.hpp"

namespace rubato {

namespace {
constexpr int max_power = 7;  // the differentiation index of no mechanical formulation comes near
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Blocks, then "*.rx" of every part, then single components: the more special name wins, whatever the order.
void set_single(const Layout& layout, const Tolerances& tolerances, std::vector<double>& atols) {
  for (const auto& [name, atol] : tolerances.atol_of)
    if (const Block* block = layout.find(name); block != nullptr)
      std::fill_n(atols.begin() + block->offset, block->size, atol);
  const auto names = layout.component_names();
  for (const bool of_every_part : {true, false})
    for (const auto& [name, atol] : tolerances.atol_of)
      for (std::size_t i = 0; detail::is_of_every_part(name) == of_every_part && i < names.size(); ++i)
        if (detail::means_component(name, names[i])) atols[i] = atol;
}
}  // namespace

/// min(1, h/T_ref)^κ for κ up to the largest in use.
struct ErrorNorm::Scales {
  Scales(double ratio, int largest) noexcept {
    of_power[0] = 1;
    for (int k = 1; k <= largest; ++k) of_power[k] = of_power[k - 1] * std::min(1.0, ratio);
  }
  std::array<double, max_power + 1> of_power;
};

ErrorNorm::ErrorNorm(const Layout& layout, const Tolerances& tolerances, const StepOptions& options)
    : atol_(static_cast<std::size_t>(layout.size()), tolerances.atol),
      powers_(layout.h_powers().begin(), layout.h_powers().end()),
      rtol_(tolerances.rtol),
      reference_time_(options.reference_time),
      norm_(options.norm),
      end_weight_(options.weight_at == WeightAt::start ? 0 : 1) {
  if (!tolerances.atol_of.empty()) set_single(layout, tolerances, atol_);
  if (!options.h_scaling) std::ranges::fill(powers_, 0);
  for (const auto& [name, power] : options.h_power_of) {
    if (const Block* block = layout.find(name); block != nullptr)
      std::fill_n(powers_.begin() + block->offset, block->size, static_cast<int>(power));
    for (int i = 0; i < layout.size(); ++i)
      if (layout.component_name(i) == name) powers_[static_cast<std::size_t>(i)] = static_cast<int>(power);
  }
  for (const int k : powers_) {
    RUBATO_ASSERT(k >= 0 && k <= max_power, "h-power outside [0, 7]");
    largest_power_ = std::max(largest_power_, k);
  }
}

/// r_i of (1); infinity instead of anything that is not a number, so that no comparison lets it pass.
double ErrorNorm::share(std::size_t i, double e, double x0, double x1, const Scales& scales) const noexcept {
  const double weight = atol_[i] + rtol_ * std::max(std::abs(x0), end_weight_ * std::abs(x1));
  const double size = std::abs(e) * scales.of_power[static_cast<std::size_t>(powers_[i])];
  if (!std::isfinite(size) || !std::isfinite(x0) || !std::isfinite(x1)) return infinity;
  return weight > 0 ? size / weight : (size > 0 ? infinity : 0.0);  // (1)
}

double ErrorNorm::operator()(In e, In x0, In x1, double h) const noexcept {
  RUBATO_ASSERT(e.size() == atol_.size() && x0.size() == e.size() && x1.size() == e.size(), "sizes of an error norm");
  const Scales scales(h / reference_time_, largest_power_);
  if (norm_ == Norm::vector) return of_vector(e, x0, x1, scales);
  double largest = 0, squares = 0, zero = 0;  // zero: NaN as soon as a state is not finite
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double weight = atol_[i] + rtol_ * std::max(std::abs(x0[i]), end_weight_ * std::abs(x1[i]));
    const double r = std::abs(e[i]) * scales.of_power[static_cast<std::size_t>(powers_[i])] / weight;  // (1)
    largest = std::max(largest, r);
    squares += r * r;
    zero += 0.0 * x0[i] + 0.0 * x1[i];
  }
  if (!(zero == 0 && squares < infinity)) {  // rare: look at each component
    largest = squares = 0;
    for (std::size_t i = 0; i < e.size(); ++i) {
      const double r = share(i, e[i], x0[i], x1[i], scales);
      largest = std::max(largest, r);
      squares += r * r;
    }
  }
  switch (norm_) {  // (2)
    case Norm::rms: return e.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(e.size()));
    case Norm::maximum: return largest;
    case Norm::euclidean:
    case Norm::vector: return std::sqrt(squares);
  }
  return infinity;
}

double ErrorNorm::of_vector(In e, In x0, In x1, const Scales& scales) const noexcept {
  const double size = std::max(map(x0).norm(), end_weight_ * map(x1).norm());
  double squares = 0;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double r = e[i] * scales.of_power[static_cast<std::size_t>(powers_[i])] / (atol_[i] + rtol_ * size);
    if (e[i] != 0) squares += r * r;
  }
  return std::isfinite(size) && squares < infinity ? std::sqrt(squares) : infinity;
}

int ErrorNorm::worst(In e, In x0, In x1, double h) const noexcept {
  const Scales scales(h / reference_time_, largest_power_);
  double largest = -1;
  int index = -1;
  for (std::size_t i = 0; i < e.size(); ++i) {
    const double r = share(i, e[i], x0[i], x1[i], scales);
    if (r > largest) {
      largest = r;
      index = static_cast<int>(i);
    }
  }
  return index;
}

void ErrorNorm::shares(In e, In x0, In x1, double h, Out out) const noexcept {
  const Scales scales(h / reference_time_, largest_power_);
  for (std::size_t i = 0; i < e.size(); ++i) out[i] = share(i, e[i], x0[i], x1[i], scales);
}

double ErrorNorm::scale(double h) const noexcept { return std::min(1.0, h / reference_time_); }

void ErrorNorm::weights(In x0, double h, Out out) const noexcept { weights(x0, x0, h, out); }

void ErrorNorm::weights(In x0, In x1, double h, Out out) const noexcept {
  const Scales scales(h / reference_time_, largest_power_);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = scales.of_power[static_cast<std::size_t>(powers_[i])] /
             (atol_[i] + rtol_ * std::max(std::abs(x0[i]), end_weight_ * std::abs(x1[i])));
}

double ErrorNorm::weighted(In e, In weights) const noexcept {
  const std::size_t n = weights.size();
  RUBATO_ASSERT(n == 0 ? e.empty() : e.size() % n == 0, "whole columns");
  double squares = 0;
  for (std::size_t first = 0; first < e.size(); first += n)
    detail::in_pairs(static_cast<std::ptrdiff_t>(n), [&]<int width>(std::ptrdiff_t i) {
      squares += (detail::piece<width>(e.data() + first + i) * detail::piece<width>(weights.data() + i)).square().sum();
    });
  return from_squares(squares, e, weights);
}

double ErrorNorm::from_columns(double squares, In e, In weights) const noexcept {
  if (e.empty()) return 0;
  const std::size_t n = weights.size();
  const auto columns = static_cast<double>(e.size() / n);
  if (!(squares < infinity)) {  // rare: a weight may be infinite and its error zero
    squares = 0;
    for (std::size_t i = 0; i < e.size(); ++i)
      if (const double r = e[i] * weights[i % n]; e[i] != 0) squares += r * r;
  }
  if (norm_ == Norm::rms) return std::sqrt(squares / static_cast<double>(e.size()));
  if (norm_ == Norm::euclidean || norm_ == Norm::vector || !(squares < infinity)) return std::sqrt(squares / columns);
  squares = 0;
  for (std::size_t first = 0; first < e.size(); first += n) {
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (e[first + i] != 0) largest = std::max(largest, std::abs(e[first + i] * weights[i]));
    squares += largest * largest;
  }
  return std::sqrt(squares / columns);
}

void ErrorNorm::set_power(int i, int power) noexcept {
  RUBATO_ASSERT(power >= 0 && power <= max_power, "h-power outside [0, 7]");
  powers_[static_cast<std::size_t>(i)] = power;
  largest_power_ = std::max(largest_power_, power);
}

}  // namespace rubato
