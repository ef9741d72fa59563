#include "extrapolation_dense.hpp"

#include <algorithm>
#include <cmath>

#include "rubato/integrate/extrapolation_tableau.hpp"

namespace rubato {

namespace {
constexpr int most_derivatives = 6;
}

ExtrapolationDense::ExtrapolationDense(int n, std::span<const int> numbers) : numbers_(numbers.begin(), numbers.end()) {
  int total = 0;
  for (const int number : numbers_) {
    first_.push_back(total);
    total += number;
  }
  increments_.setZero(n, total);
  differences_.setZero(n, most_derivatives);
  tableau_.setZero(n, static_cast<Eigen::Index>(numbers_.size()));
  derivatives_.setZero(n, most_derivatives);
}

void ExtrapolationDense::begin(int columns) noexcept {
  columns_ = columns;
  degree_ = std::min(columns - 1, most_derivatives);
  known_ = 0;
}

/// D_k of (2).
void ExtrapolationDense::derive(int k) noexcept {
  const auto n = static_cast<std::size_t>(tableau_.rows());
  int first = 0;
  while (numbers_[static_cast<std::size_t>(first)] < k) ++first;
  const int rows = columns_ - first;
  for (int r = 0; r < rows; ++r) {
    const auto row = static_cast<std::size_t>(first) + static_cast<std::size_t>(r);
    const int number = numbers_[row], last = first_[row] + number - 1;
    for (int i = 0; i < k; ++i) differences_.col(i) = increments_.col(last - i);
    for (int order = 1; order < k; ++order)
      for (int i = 0; i + order < k; ++i) differences_.col(i) -= differences_.col(i + 1);
    tableau_.col(r) = std::pow(number, k) * differences_.col(0);
    extend_tableau<double>(std::span(numbers_).subspan(static_cast<std::size_t>(first)),
                           static_cast<std::size_t>(r) + 1, {tableau_.data(), n * (static_cast<std::size_t>(r) + 1)});
  }
  derivatives_.col(k - 1) = tableau_.col(rows - 1);
}

In ExtrapolationDense::end_derivative() noexcept {
  if (degree_ == 0) return {};
  if (known_ == 0) derive(known_ = 1);
  return column(derivatives_, 0);
}

void ExtrapolationDense::evaluate(double theta, In x0, In x1, Out x, Out rate) noexcept {
  while (known_ < degree_) derive(++known_);
  // (1) with c inserted, e = (1−θ)^{m+1}:  x = x₁ + e (x₀ − x₁) + Σ ((θ−1)^k/k! − e (−1)^k/k!) D_k
  const double s = theta - 1, power = std::pow(-s, degree_), e = -s * power, e_rate = -(degree_ + 1) * power;
  map(x) = map(x1) + e * (map(x0) - map(x1));
  if (!rate.empty()) map(rate) = e_rate * (map(x0) - map(x1));
  double at_theta = 1, at_start = 1;  // s^k/k!, (−1)^k/k!
  for (int k = 1; k <= degree_; ++k) {
    const double slope = at_theta;
    at_theta *= s / k;
    at_start *= -1.0 / k;
    map(x) += (at_theta - e * at_start) * derivatives_.col(k - 1);
    if (!rate.empty()) map(rate) += (slope - e_rate * at_start) * derivatives_.col(k - 1);
  }
}

}  // namespace rubato
