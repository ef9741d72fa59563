#include "rubato/io/thin_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rubato::io {

ThinCurve::ThinCurve(std::size_t n_points, double t_begin, double t_end, Scale time_axis)
    : all_(n_points <= few), begin_(t_begin), end_(t_end), axis_(time_axis) {
  if (!all_) return;
  x_.reserve(n_points);
  y_.reserve(n_points);
}

std::int64_t ThinCurve::column_of(double t) noexcept {
  double share = 0;
  if (axis_ == Scale::linear) {
    share = (t - begin_) / (end_ - begin_);
  } else if (t > 0) {
    if (!(begin_ > 0)) begin_ = t;  // the axis begins with the first time that it shows
    share = std::log(t / begin_) / std::log(end_ / begin_);
  }
  return static_cast<std::int64_t>((share > 0 ? std::min(share, 1.0) : 0.0) *
                                   (columns - 1));  // also NaN, where the axis is a point
}

void ThinCurve::add(double t, double x, double y) {
  if (all_) {
    x_.push_back(x);
    y_.push_back(y);
    return;
  }
  const Point point{number_++, x, y};
  if (!std::isfinite(x) || !std::isfinite(y)) {  // breaks the line: once is enough
    keep_column();
    if (y_.empty() || std::isfinite(y_.back())) {
      x_.push_back(x);
      y_.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    return;
  }
  if (const std::int64_t column = column_of(t); column != column_) {
    keep_column();
    column_ = column;
  }
  if (!open_) picks_.fill(point);
  open_ = true;
  if (x < picks_[left].x) picks_[left] = point;
  if (x > picks_[right].x) picks_[right] = point;
  if (y < picks_[low].y) picks_[low] = point;
  if (y > picks_[high].y) picks_[high] = point;
  picks_[last] = point;
}

void ThinCurve::keep_column() {
  if (!open_) return;
  open_ = false;
  std::ranges::sort(picks_, {}, &Point::number);
  for (std::size_t k = 0; k < picks_.size(); ++k) {
    if (k > 0 && picks_[k].number == picks_[k - 1].number) continue;
    x_.push_back(picks_[k].x);
    y_.push_back(picks_[k].y);
  }
}

void ThinCurve::finish(Series& series) {
  keep_column();
  series.x = std::move(x_);
  series.y = std::move(y_);
}

}  // namespace rubato::io
