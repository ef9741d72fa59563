#pragma once
/// Faces and edges of elements divided into small pieces, for drawing.
#include <array>
#include <vector>

#include "rubato/fem/shape.hpp"

namespace rubato::io {

/// A face in pieces: points of it by shape functions, and small polygons of three or four of them.
struct FaceSamples {
  std::vector<fem::ShapeValues> points = {};
  std::vector<std::array<int, 4>> pieces = {};  ///< −1 as the fourth of a triangle
};

/// `n`: pieces along an edge.
[[nodiscard]] inline FaceSamples sample_face(fem::Shape shape, int n) {
  FaceSamples out;
  const bool triangle = fem::info(shape).corners == 3;
  std::vector<std::vector<int>> number(static_cast<std::size_t>(n) + 1);
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= (triangle ? n - j : n); ++i) {
      const double x = static_cast<double>(i) / n, y = static_cast<double>(j) / n;
      number[static_cast<std::size_t>(j)].push_back(static_cast<int>(out.points.size()));
      out.points.push_back(
          fem::evaluate(shape, triangle ? std::array{x, y, 0.0} : std::array{2 * x - 1, 2 * y - 1, 0.0}));
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < (triangle ? n - j : n); ++i) {
      const auto at = [&](int a, int b) {
        return number[static_cast<std::size_t>(j + b)][static_cast<std::size_t>(i + a)];
      };
      if (!triangle) {
        out.pieces.push_back({at(0, 0), at(1, 0), at(1, 1), at(0, 1)});
        continue;
      }
      out.pieces.push_back({at(0, 0), at(1, 0), at(0, 1), -1});
      if (i + j + 2 <= n) out.pieces.push_back({at(1, 0), at(1, 1), at(0, 1), -1});
    }
  return out;
}

/// Points along a line from its first to its second corner.
[[nodiscard]] inline std::vector<fem::ShapeValues> sample_line(fem::Shape shape, int n) {
  std::vector<fem::ShapeValues> out;
  for (int i = 0; i <= n; ++i) out.push_back(fem::evaluate(shape, {2.0 * i / n - 1, 0, 0}));
  return out;
}

}  // namespace rubato::io
