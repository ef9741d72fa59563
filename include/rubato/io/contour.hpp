#pragma once
/// Level lines of a function of two variables, by marching squares: closed loops for filling, open lines for drawing.
#include <functional>
#include <vector>

namespace rubato::io {

/// Equidistant points: x = x_low … x_high in nx steps, y likewise.
struct Grid {
  double x_low = -1, x_high = 1, y_low = -1, y_high = 1;
  int nx = 200, ny = 200;
};

/// Points of one or several lines one after another, with NaN between them.
struct Curve {
  std::vector<double> x, y;
};

struct LevelSet {
  Curve boundary;  ///< where f = 0 inside the grid
  Curve region;    ///< loops around {f < 0}, closed along the edge of the grid; fill with the even-odd rule
};

/// Values of f beyond ±1e3 are cut there, NaN counts as +1e3. Linear interpolation between the points: f should cross zero
/// smoothly, |R| = 1 is better asked as ln |R| = 0.
[[nodiscard]] LevelSet level_set(const Grid& grid, const std::function<double(double x, double y)>& f);

}  // namespace rubato::io
