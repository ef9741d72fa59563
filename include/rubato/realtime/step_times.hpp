#pragma once
/// How long steps took: a histogram with fixed bins, sixteen to the octave, so that recording costs the same always and memory is
/// constant. Quantiles are exact to one bin, 4.4 %; the maximum is exact.
#include <array>
#include <cstdint>

namespace rubato::realtime {

class StepTimes {
 public:
  static constexpr int bins_per_octave = 16, n_octaves = 34;  ///< 1 ns … 17 s

  void record(std::int64_t nanoseconds) noexcept;
  /// Steps of several runs together.
  StepTimes& operator+=(const StepTimes& other) noexcept;
  [[nodiscard]] long count() const noexcept { return count_; }
  [[nodiscard]] double mean() const noexcept { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  [[nodiscard]] std::int64_t longest() const noexcept { return longest_; }
  /// ns below which this part of all steps stays; the upper end of its bin, at most the maximum.
  [[nodiscard]] double quantile(double part) const noexcept;
  /// ns where bin b ends.
  [[nodiscard]] static double bin_end(int b) noexcept;
  [[nodiscard]] const auto& bins() const noexcept { return bins_; }

 private:
  std::array<long, std::size_t{bins_per_octave}* n_octaves> bins_ = {};
  long count_ = 0;
  double sum_ = 0;
  std::int64_t longest_ = 0;
};

}  // namespace rubato::realtime
