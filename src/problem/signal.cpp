#include "rubato/problem/signal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rubato {

Result<std::shared_ptr<const TableSignal>> TableSignal::create(std::vector<double> times, std::vector<double> values) {
  if (times.empty() || times.size() != values.size())
    return Error{fmt::format("signal table: {} times and {} values; both must have the same length, at least 1",
                             times.size(), values.size())};
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i]))
      return Error{fmt::format("signal table: knot {} is ({}, {}); it must be finite", i, times[i], values[i])};
    if (i > 0 && times[i] < times[i - 1])
      return Error{fmt::format("signal table: time {} of knot {} comes before time {} of knot {}; times must not fall",
                               times[i], i, times[i - 1], i - 1)};
  }
  return std::shared_ptr<const TableSignal>(new TableSignal(std::move(times), std::move(values)));
}

void TableSignal::at(double t, Out u, Out rate) const noexcept {
  // The first knot after t: at a jump (two knots at one time) the value from the right holds.
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  const auto i = static_cast<std::size_t>(after - times_.begin());
  if (i == 0 || i == times_.size()) {
    u[0] = i == 0 ? values_.front() : values_.back();
    rate[0] = 0;
    return;
  }
  rate[0] = (values_[i] - values_[i - 1]) / (times_[i] - times_[i - 1]);
  u[0] = values_[i - 1] + rate[0] * (t - times_[i - 1]);
}

double TableSignal::next_break(double t) const noexcept {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  return after == times_.end() ? std::numeric_limits<double>::infinity() : *after;
}

}  // namespace rubato
