#include "motion_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "rubato/io/model_file.hpp"
#include "rubato/multibody/geometry.hpp"
#include "rubato/multibody/modal.hpp"

namespace rubato::app {

namespace {

using multibody::BodyKind;
using multibody::Pose;
using multibody::Scene;
using multibody::Vector3;
constexpr double pen_up = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_named = 8;  ///< bodies in the legend: as many as there are colours

/// Poses of bodies, then of the nodes of flexible ones, from the rows of a trajectory.
class Bodies {
 public:
  Bodies(const multibody::Mechanism& mechanism, const io::Trajectory& x) : x_(x) {
    std::map<std::string, std::size_t, std::less<>> channel;
    for (std::size_t j = 0; j < x.channels(); ++j) channel.emplace(x.names[j], j);
    for (const auto& body : mechanism.bodies) {
      Places p{.kind = body.kind, .height = body.pose.position[2]};
      const std::vector<const char*> names = body.kind == BodyKind::point ? std::vector{"x", "y", "z"}
                                             : body.kind == BodyKind::planar
                                                 ? std::vector{"x", "y", "rz"}
                                                 : std::vector{"x", "y", "z", "qw", "qx", "qy", "qz"};
      for (const char* name : names) p.channels.push_back(channel.at(body.name + "." + name));
      if ((p.flexible = body.flexible))
        for (std::size_t i = 0; i < body.flexible->modes.size(); ++i)
          p.channels.push_back(channel.at(fmt::format("{}.eta{}", body.name, i + 1)));
      places_.push_back(std::move(p));
    }
  }
  [[nodiscard]] std::vector<Pose> at(std::size_t row) const {
    std::vector<Pose> poses;
    for (const Places& p : places_) {
      const auto value = [&](std::size_t i) { return x_.values[row * x_.channels() + p.channels[i]]; };
      Pose pose{.position = {value(0), value(1), p.kind == BodyKind::planar ? p.height : value(2)}};
      if (p.kind == BodyKind::planar) pose.rotation = {std::cos(value(2) / 2), 0, 0, std::sin(value(2) / 2)};
      if (p.kind == BodyKind::spatial) pose.rotation = {value(3), value(4), value(5), value(6)};
      poses.push_back(pose);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Places& p = places_[i];
      if (!p.flexible) continue;
      std::vector<double> eta;
      for (std::size_t k = 7; k < p.channels.size(); ++k) eta.push_back(x_.values[row * x_.channels() + p.channels[k]]);
      for (std::size_t k = 0; k < p.flexible->nodes.size(); ++k)
        poses.push_back(multibody::composed(poses[i], multibody::node_pose(*p.flexible, k, eta)));
    }
    return poses;
  }

 private:
  struct Places {
    BodyKind kind = BodyKind::spatial;
    double height = 0;
    std::shared_ptr<const multibody::ModalBody> flexible = {};
    std::vector<std::size_t> channels = {};
  };
  const io::Trajectory& x_;
  std::vector<Places> places_;
};

/// The numbers of the rows nearest to n ≥ 2 equally spaced times, from first to last.
Result<std::vector<std::size_t>> instants(const io::RowSource& rows, double first, double last, std::size_t n) {
  std::vector<std::size_t> numbers;
  std::size_t number = 0, next = 0;
  double before = first;
  const auto wanted = [&] { return first + (last - first) * static_cast<double>(next) / static_cast<double>(n - 1); };
  const auto take = [&](std::size_t row) {
    if (numbers.empty() || numbers.back() < row) numbers.push_back(row);
  };
  const auto read = rows.each_row([&](double t, In) {
    for (; next < n && t >= wanted(); ++next)
      take(number > 0 && wanted() - before < t - wanted() ? number - 1 : number);
    before = t;
    ++number;
    return next < n;
  });
  if (!read) return read.error();
  if (next < n && number > 0) take(number - 1);
  return numbers;
}

struct Dot {
  double x, y;
};

/// The outline of a convex solid seen from afar (Andrew's monotone chain), closed.
std::vector<Dot> outline(std::vector<Dot> dots) {
  std::sort(dots.begin(), dots.end(), [](Dot a, Dot b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  std::vector<Dot> hull;
  const auto chain = [&](auto from, auto to) {
    const std::size_t start = hull.size();
    for (auto at = from; at != to; ++at) {
      const auto left = [&] {
        const Dot a = hull[hull.size() - 2], b = hull.back();
        return (b.x - a.x) * (at->y - a.y) - (b.y - a.y) * (at->x - a.x) > 0;
      };
      while (hull.size() >= start + 2 && !left()) hull.pop_back();
      hull.push_back(*at);
    }
    hull.pop_back();
  };
  chain(dots.begin(), dots.end());
  chain(dots.rbegin(), dots.rend());
  if (!hull.empty()) hull.push_back(hull.front());
  return hull;
}

/// Which axes go right and up.
struct View {
  std::size_t right = 0, up = 1;
  [[nodiscard]] Dot operator()(const Vector3& x) const { return {x[right], x[up]}; }
};
View view_of(const std::vector<Vector3>& points, const Vector3& gravity) {
  Vector3 low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (const Vector3& x : points)
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  const double size = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  std::size_t hidden = 2;  // the plane x, y unless another view shows clearly more
  for (const std::size_t k : {std::size_t{1}, std::size_t{0}})
    if (high[k] - low[k] < high[hidden] - low[hidden] - 0.02 * size) hidden = k;
  View view{.right = hidden == 0 ? 1U : 0U, .up = hidden == 2 ? 1U : 2U};
  if (std::abs(gravity[view.right]) > std::abs(gravity[view.up])) std::swap(view.right, view.up);
  return view;
}

void add_dots(io::Series& series, const std::vector<Dot>& dots) {
  for (const Dot dot : dots) {
    series.x.push_back(dot.x);
    series.y.push_back(dot.y);
  }
  series.x.push_back(pen_up);
  series.y.push_back(pen_up);
}

/// The range of the data with a margin; the picture is neither a slit nor a tower.
void set_extents(io::Figure& figure) {
  io::Extent x{.low = std::numeric_limits<double>::infinity(), .high = -std::numeric_limits<double>::infinity()}, y = x;
  const auto include = [](io::Extent& e, double value) {
    if (!std::isfinite(value)) return;
    e.low = std::min(e.low, value);
    e.high = std::max(e.high, value);
  };
  for (const auto& series : figure.panels[0].series) {
    for (const double value : series.x) include(x, value);
    for (const double value : series.y) include(y, value);
  }
  if (!(x.low <= x.high)) return;
  const double span = std::max({x.high - x.low, y.high - y.low, 1e-12});
  const auto widen = [](io::Extent& e, double least) {
    const double more = std::max(0.0, (least - (e.high - e.low)) / 2);
    e.low -= more;
    e.high += more;
  };
  for (io::Extent* e : {&x, &y}) widen(*e, e->high - e->low + 0.06 * span);
  widen(x, 1.1 * (y.high - y.low));
  widen(y, 0.3 * (x.high - x.low));
  figure.x_extent = x;
  figure.panels[0].y_extent = y;
}

}  // namespace

Result<io::Figure> motion_figure(const Task& task, const io::RunResult& result, const Scene& scene,
                                 const io::RowSource& all_rows) {
  const multibody::Mechanism& mechanism = task.config.model->mechanism;
  const bool named = scene.n_bodies() <= most_named;
  double t_first = 0, t_last = 0;  // of rows
  std::size_t number = 0;
  const auto read = all_rows.each_row([&](double t, In) {
    t_last = t;
    if (number++ == 0) t_first = t;
    return true;
  });
  if (!read) return read.error();
  const auto shown = instants(all_rows, t_first, t_last, scene.pieces().size() > 500 ? 3 : 12);
  if (!shown) return shown.error();
  std::vector<std::size_t> on_paths, needed;  // where the centres of mass go; and all
  if (named)
    for (std::size_t row = 0; row < all_rows.n_rows; row += all_rows.n_rows / 2000 + 1) on_paths.push_back(row);
  std::ranges::set_union(*shown, on_paths, std::back_inserter(needed));
  const auto picked = picked_rows(all_rows, needed);
  if (!picked) return picked.error();
  const io::Trajectory& x = *picked;
  const auto places = [&](const std::vector<std::size_t>& numbers) {
    std::vector<std::size_t> rows;
    for (const std::size_t n : numbers)
      rows.push_back(static_cast<std::size_t>(std::ranges::lower_bound(needed, n) - needed.begin()));
    return rows;
  };
  const auto rows = places(*shown), path_rows = places(on_paths);
  const Bodies bodies(mechanism, x);
  std::vector<std::vector<Vector3>> points;
  std::vector<Vector3> all;  // that moves
  for (const std::size_t row : rows) {
    points.emplace_back(scene.n_points());
    scene.place(bodies.at(row), points.back());
    for (const auto& piece : scene.pieces())
      if (piece.part != 0)  // the ground may be as large as it likes
        for (std::size_t i = 0; i < piece.count; ++i) all.push_back(points.back()[piece.first + i]);
  }
  const View view = view_of(all, mechanism.gravity);
  constexpr const char* axes[] = {"x [m]", "y [m]", "z [m]"};
  io::Figure figure{.title = result.title.empty() ? result.problem : result.title,
                    .x_label = axes[view.right],
                    .panels = {{.y_label = axes[view.up]}},
                    .equal_units = true};
  if (!rows.empty())
    figure.subtitle = fmt::format("t = {:.4g} … {:.4g} s, {} instants; the last one in full", x.times[rows.front()],
                                  x.times[rows.back()], rows.size());
  auto& series = figure.panels[0].series;

  if (named)  // where the centres of mass go
    for (std::size_t i = 0; i < scene.n_bodies(); ++i) {
      io::Series path{.stroke = io::Stroke::dashed, .colour = static_cast<int>(i), .opacity = 0.5};
      std::vector<Dot> dots;
      for (const std::size_t row : path_rows) dots.push_back(view(bodies.at(row)[i].position));
      add_dots(path, dots);
      series.push_back(std::move(path));
    }
  for (std::size_t k = 0; k < points.size(); ++k) {
    const bool last = k + 1 == points.size();
    std::map<std::size_t, io::Series> of_part;  // the ground 0, bodies, then all else as one
    for (const auto& piece : scene.pieces()) {
      const std::size_t part = std::min(piece.part, scene.n_bodies() + 1);
      if (part == 0 && !last) continue;
      std::vector<Dot> dots;
      for (std::size_t i = 0; i < piece.count; ++i) dots.push_back(view(points[k][piece.first + i]));
      add_dots(of_part[part], piece.faces.empty() ? dots : outline(std::move(dots)));
    }
    for (auto& [part, drawn] : of_part) {
      const bool body = part >= 1 && part <= scene.n_bodies();
      constexpr int black = 6;
      drawn.colour = body ? static_cast<int>(part - 1) : black;
      drawn.opacity = (last ? 1 : k == 0 ? 0.45 : 0.2) * (body ? 1 : 0.5);
      if (last && body && named) drawn.name = scene.parts()[part].name;
      series.push_back(std::move(drawn));
    }
  }
  set_extents(figure);
  return figure;
}

}  // namespace rubato::app
