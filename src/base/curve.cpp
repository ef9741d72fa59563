#include "rubato/base/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rubato {

namespace {

/// Slopes at the points that keep a cubic monotone: weighted harmonic means of the neighbouring secants, zero at extrema;
/// at the ends a three-point formula, limited likewise.
std::vector<double> monotone_slopes(Curve::Points p) {
  const std::size_t n = p.size();
  std::vector<double> h(n - 1), secant(n - 1), slope(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i] = p[i + 1][0] - p[i][0];
    secant[i] = (p[i + 1][1] - p[i][1]) / h[i];
  }
  if (n == 2) return {secant[0], secant[0]};
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (secant[i - 1] * secant[i] <= 0) continue;
    const double w1 = 2 * h[i] + h[i - 1], w2 = h[i] + 2 * h[i - 1];
    slope[i] = (w1 + w2) / (w1 / secant[i - 1] + w2 / secant[i]);
  }
  const auto end_slope = [](double h0, double h1, double s0, double s1) {
    const double s = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
    if (s * s0 <= 0) return 0.0;
    return s0 * s1 <= 0 && std::abs(s) > 3 * std::abs(s0) ? 3 * s0 : s;
  };
  slope[0] = end_slope(h[0], h[1], secant[0], secant[1]);
  slope[n - 1] = end_slope(h[n - 2], h[n - 3], secant[n - 2], secant[n - 3]);
  return slope;
}

/// Slopes of the natural spline: h_i m_{i−1} + 2(h_{i−1} + h_i) m_i + h_{i−1} m_{i+1} = 3(h_i s_{i−1} + h_{i−1} s_i), second
/// derivative zero at the ends. Tridiagonal and diagonally dominant.
std::vector<double> spline_slopes(Curve::Points p) {
  const std::size_t n = p.size();
  const auto h = [&](std::size_t i) { return p[i + 1][0] - p[i][0]; };
  const auto s = [&](std::size_t i) { return (p[i + 1][1] - p[i][1]) / h(i); };
  std::vector<double> upper(n), m(n);
  upper[0] = 0.5;  // 2 m₀ + m₁ = 3 s₀
  m[0] = 1.5 * s(0);
  for (std::size_t i = 1; i < n; ++i) {
    const bool last = i == n - 1;
    const double lower = last ? 1 : h(i), diagonal = last ? 2 : 2 * (h(i - 1) + h(i));
    const double right = last ? 3 * s(i - 1) : 3 * (h(i) * s(i - 1) + h(i - 1) * s(i));
    const double pivot = diagonal - lower * upper[i - 1];
    upper[i] = last ? 0 : h(i - 1) / pivot;
    m[i] = (right - lower * m[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 0;) m[i] -= upper[i] * m[i + 1];
  return m;
}

}  // namespace

Result<Curve> Curve::make(Points points, Interpolation interpolation, Outside outside) {
  const std::size_t n = points.size();
  if (n < 2 || n > max_points)
    return Error{fmt::format("a table of {} point{}; from 2 to {} are needed", n, n == 1 ? "" : "s", max_points)};
  for (std::size_t i = 0; i < n; ++i) {
    const auto [x, y] = points[i];
    if (!std::isfinite(x) || !std::isfinite(y))
      return Error{fmt::format("point {} of the table is ({}, {}); finite numbers are needed", i + 1, x, y)};
    if (i > 0 && !(points[i - 1][0] < x))
      return Error{
          fmt::format("the table goes from x = {} to {} at point {}; x must increase", points[i - 1][0], x, i + 1)};
  }
  const std::vector<double> slope = interpolation == Interpolation::monotone ? monotone_slopes(points)
                                    : interpolation == Interpolation::spline ? spline_slopes(points)
                                                                             : std::vector<double>{};
  Curve curve;
  curve.knots_.reserve(n);
  curve.pieces_.reserve(n + 1);
  curve.pieces_.emplace_back();
  for (std::size_t i = 0; i < n; ++i) {
    curve.knots_.push_back(points[i][0]);
    if (i + 1 == n) break;
    const double h = points[i + 1][0] - points[i][0], s = (points[i + 1][1] - points[i][1]) / h;
    if (slope.empty())
      curve.pieces_.push_back({points[i][0], {points[i][1], s, 0, 0}});
    else
      curve.pieces_.push_back({points[i][0],
                               {points[i][1], slope[i], (3 * s - 2 * slope[i] - slope[i + 1]) / h,
                                (slope[i] + slope[i + 1] - 2 * s) / (h * h)}});
  }
  const bool holds = outside == Outside::hold;
  const double first = slope.empty() ? curve.pieces_[1].c[1] : slope.front();
  const double last = slope.empty() ? curve.pieces_.back().c[1] : slope.back();
  curve.pieces_.front() = {points.front()[0], {points.front()[1], holds ? 0 : first, 0, 0}};
  curve.pieces_.push_back({points.back()[0], {points.back()[1], holds ? 0 : last, 0, 0}});
  for (const Piece& piece : curve.pieces_)
    if (!std::all_of(piece.c.begin(), piece.c.end(), [](double c) { return std::isfinite(c); }))
      return Error{fmt::format("the table's slope at x = {} is too large for a number", piece.x)};
  // A natural spline runs into its straight ends with two continuous derivatives.
  if (interpolation != Interpolation::spline)
    curve.breaks_ = curve.knots_;
  else if (holds)
    curve.breaks_ = {curve.knots_.front(), curve.knots_.back()};
  return curve;
}

std::size_t Curve::piece_of(double x) const noexcept {
  return static_cast<std::size_t>(std::upper_bound(knots_.begin(), knots_.end(), x) - knots_.begin());
}

double Curve::next_break(double x) const noexcept {
  const auto next = std::upper_bound(breaks_.begin(), breaks_.end(), x);
  return next != breaks_.end() ? *next : std::numeric_limits<double>::infinity();
}

}  // namespace rubato
