#pragma once
/// What the eye can see of a curve with millions of points, taken point by point.
#include <array>
#include <cstdint>
#include <vector>

#include "rubato/io/svg_plot.hpp"

namespace rubato::io {

/// A curve (x, y) along time. Time is divided into more columns than a picture has pixels; in each column the first and the last point and
/// those with the least and the largest x and y are kept. Curves of few points are kept as they are.
class ThinCurve {
 public:
  static constexpr std::size_t columns = 4096, few = 4 * columns;

  /// `n_points` to come, at times up to t_end.
  ThinCurve(std::size_t n_points, double t_begin, double t_end, Scale time_axis);
  void add(double t, double x, double y);
  /// Into a series, once.
  void finish(Series& series);

 private:
  struct Point {
    std::size_t number = 0;
    double x = 0, y = 0;
  };
  enum Pick : std::uint8_t { first, left, right, low, high, last };
  [[nodiscard]] std::int64_t column_of(double t) noexcept;
  void keep_column();

  bool all_;
  double begin_, end_;
  Scale axis_;
  std::size_t number_ = 0;
  std::int64_t column_ = -1;
  bool open_ = false;                ///< a column with at least one point
  std::array<Point, 6> picks_ = {};  ///< of it
  std::vector<double> x_, y_;
};

}  // namespace rubato::io
