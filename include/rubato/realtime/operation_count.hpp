#pragma once
/// Floating point operations of a fixed sequence, by kind: the same in every step.

namespace rubato::realtime {

struct OperationCount {
  long additions = 0;  ///< and subtractions
  long multiplications = 0;
  long divisions = 0;
  long square_roots = 0;

  [[nodiscard]] constexpr long total() const noexcept { return additions + multiplications + divisions + square_roots; }
  /// In additions: divisions and square roots take about five and six times as long, measured by their throughput.
  [[nodiscard]] constexpr double weight() const noexcept {
    return static_cast<double>(additions + multiplications + 5 * divisions + 6 * square_roots);
  }
  constexpr OperationCount& operator+=(const OperationCount& other) noexcept {
    additions += other.additions;
    multiplications += other.multiplications;
    divisions += other.divisions;
    square_roots += other.square_roots;
    return *this;
  }
  friend constexpr bool operator==(const OperationCount&, const OperationCount&) = default;
};

}  // namespace rubato::realtime
