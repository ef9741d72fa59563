#include "rubato/realtime/step_times.hpp"

#include <algorithm>
#include <cmath>

namespace rubato::realtime {

double StepTimes::bin_end(int b) noexcept { return std::exp2((b + 1.0) / bins_per_octave); }

void StepTimes::record(std::int64_t nanoseconds) noexcept {
  const double size = static_cast<double>(std::max<std::int64_t>(nanoseconds, 1));
  const auto bin = static_cast<int>(std::ceil(std::log2(size) * bins_per_octave)) - 1;
  ++bins_[static_cast<std::size_t>(std::clamp(bin, 0, static_cast<int>(bins_.size()) - 1))];
  ++count_;
  sum_ += size;
  longest_ = std::max(longest_, nanoseconds);
}

StepTimes& StepTimes::operator+=(const StepTimes& other) noexcept {
  for (std::size_t b = 0; b < bins_.size(); ++b) bins_[b] += other.bins_[b];
  count_ += other.count_;
  sum_ += other.sum_;
  longest_ = std::max(longest_, other.longest_);
  return *this;
}

double StepTimes::quantile(double part) const noexcept {
  const auto wanted = static_cast<long>(std::ceil(part * static_cast<double>(count_)));
  long seen = 0;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    seen += bins_[b];
    if (seen >= wanted && seen > 0) return std::min(bin_end(static_cast<int>(b)), static_cast<double>(longest_));
  }
  return static_cast<double>(longest_);
}

}  // namespace rubato::realtime
