#include "rubato/io/contour.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>

namespace rubato::io {

namespace {

struct ContourPoint {
  double x, y;
};

/// A frame of points with f > 0 is laid around the grid, at no distance: all loops close, along the edge where they must.
class ContourField {
 public:
  ContourField(const Grid& grid, const std::function<double(double, double)>& f)
      : grid_(grid), width_(grid.nx + 3), height_(grid.ny + 3) {
    values_.assign(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), 1e3);
    for (int j = 1; j < height_ - 1; ++j)
      for (int i = 1; i < width_ - 1; ++i) {
        const double v = f(place(i, j).x, place(i, j).y);
        values_[index(i, j)] = std::isnan(v) ? 1e3 : std::clamp(v, -1e3, 1e3);
      }
  }

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] bool inside(int i, int j) const { return value(i, j) < 0; }
  [[nodiscard]] double value(int i, int j) const { return values_[index(i, j)]; }
  [[nodiscard]] bool framed(int i, int j) const { return i == 0 || j == 0 || i == width_ - 1 || j == height_ - 1; }
  [[nodiscard]] ContourPoint place(int i, int j) const {
    const double x = std::clamp((i - 1.0) / grid_.nx, 0.0, 1.0), y = std::clamp((j - 1.0) / grid_.ny, 0.0, 1.0);
    return {grid_.x_low + x * (grid_.x_high - grid_.x_low), grid_.y_low + y * (grid_.y_high - grid_.y_low)};
  }
  /// Where f = 0 between two neighbours.
  [[nodiscard]] ContourPoint crossing(int i, int j, int k, int l) const {
    const ContourPoint a = place(i, j), b = place(k, l);
    if (framed(i, j)) return b;
    if (framed(k, l)) return a;
    const double u = value(i, j), v = value(k, l), part = u / (u - v);
    return {a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)};
  }

 private:
  [[nodiscard]] std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(i);
  }
  Grid grid_;
  int width_, height_;
  std::vector<double> values_;
};

/// An edge between neighbours of the grid: where a line passes from one cell to the next.
struct ContourEdge {
  int i, j;
  bool upright;  ///< to (i, j + 1), else to (i + 1, j)
  auto operator<=>(const ContourEdge&) const = default;
};

/// In every cell a line enters at some edges and leaves at others, the inside on its left.
std::multimap<ContourEdge, ContourEdge> passages(const ContourField& field) {
  std::multimap<ContourEdge, ContourEdge> next;
  for (int j = 0; j + 1 < field.height(); ++j)
    for (int i = 0; i + 1 < field.width(); ++i) {
      // Corners and edges counter-clockwise from the lower left.
      const bool in[4] = {field.inside(i, j), field.inside(i + 1, j), field.inside(i + 1, j + 1),
                          field.inside(i, j + 1)};
      const ContourEdge edges[4] = {{i, j, false}, {i + 1, j, true}, {i, j + 1, false}, {i, j, true}};
      // Saddles: the mean decides whether the insides are connected.
      const double mean = field.value(i, j) + field.value(i + 1, j) + field.value(i + 1, j + 1) + field.value(i, j + 1);
      for (int k = 0; k < 4; ++k) {
        if (!(in[k] && !in[(k + 1) % 4])) continue;  // the line enters here: inside behind, outside ahead
        const bool saddle = in[(k + 2) % 4] && !in[(k + 3) % 4];
        int leave = (k + 1) % 4;
        if (!saddle || mean < 0)
          while (!(!in[leave] && in[(leave + 1) % 4])) leave = (leave + 1) % 4;
        else
          leave = (k + 3) % 4;
        next.emplace(edges[k], edges[leave]);
      }
    }
  return next;
}

void begin(Curve& curve) {
  if (curve.x.empty()) return;
  curve.x.push_back(std::numeric_limits<double>::quiet_NaN());
  curve.y.push_back(std::numeric_limits<double>::quiet_NaN());
}
void add(Curve& curve, ContourPoint p) {
  curve.x.push_back(p.x);
  curve.y.push_back(p.y);
}

}  // namespace

LevelSet level_set(const Grid& grid, const std::function<double(double, double)>& f) {
  const ContourField field(grid, f);
  std::multimap<ContourEdge, ContourEdge> next = passages(field);
  const auto at = [&](const ContourEdge& e) {
    return e.upright ? field.crossing(e.i, e.j, e.i, e.j + 1) : field.crossing(e.i, e.j, e.i + 1, e.j);
  };
  const auto on_frame = [&](const ContourEdge& e) {
    return field.framed(e.i, e.j) || (e.upright ? field.framed(e.i, e.j + 1) : field.framed(e.i + 1, e.j));
  };
  LevelSet set;
  while (!next.empty()) {
    std::vector<ContourEdge> loop;
    for (auto step = next.begin(); step != next.end(); step = next.find(loop.back())) {
      if (loop.empty()) loop.push_back(step->first);
      loop.push_back(step->second);
      next.erase(step);
      if (loop.back() == loop.front()) break;
    }
    begin(set.region);
    for (const ContourEdge& e : loop) add(set.region, at(e));
    // The boundary proper: without the parts along the edge of the grid, beginning after one of them where there is one.
    const auto first = std::find_if(loop.begin(), loop.end(), on_frame);
    if (first != loop.end()) {
      loop.pop_back();
      std::rotate(loop.begin(), first, loop.end());
    }
    bool drawing = false;
    for (const ContourEdge& e : loop) {
      if (!on_frame(e)) {
        if (!drawing) begin(set.boundary);
        add(set.boundary, at(e));
      }
      drawing = !on_frame(e);
    }
  }
  return set;
}

}  // namespace rubato::io
