#include "rubato/io/field_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "io/face_samples.hpp"
#include "io/svg_parts.hpp"
#include "rubato/base/assert.hpp"

namespace rubato::io {
namespace {

using Point = std::array<double, 3>;

constexpr int levels = 64;  // of colour
constexpr std::string_view no_value = "#c8c8c8", no_field = "#cfd8dc", past = "#8a8a8a";

Point cross_product(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
std::optional<Point> unit(const Point& a) {
  const double length = std::sqrt(dot(a, a));
  if (!(length > 0 && std::isfinite(length))) return {};
  return Point{a[0] / length, a[1] / length, a[2] / length};
}

/// What is painted: an element of the plane, or an outer face of a body.
struct Face {
  fem::Shape shape;
  std::vector<int> nodes;
  int element;
};

/// An edge of the faces, with one or two of them.
struct Edge {
  fem::Shape shape;
  std::vector<int> nodes;
  int first, second;  ///< faces, −1: none
};

class Picture {
 public:
  Picture(const fem::Mesh& mesh, std::span<const double> displacement, std::span<const double> field,
          const FieldPicture& options)
      : mesh_(mesh), field_(field), options_(options), flat_(mesh.dimension == 2) {
    RUBATO_ASSERT(displacement.empty() || displacement.size() == mesh.points.size(), "a displacement of another mesh");
    RUBATO_ASSERT(field.empty() || static_cast<int>(field.size()) == mesh.n_nodes() ||
                      static_cast<int>(field.size()) == mesh.n_elements(),
                  "a field of another mesh");
    // With as many nodes as elements the field is one of nodes.
    nodal_ = !field.empty() && static_cast<int>(field.size()) == mesh.n_nodes();
    moves_ = !displacement.empty();
    aim();
    for (int node = 0; node < mesh.n_nodes(); ++node) {
      Point x{}, u{};
      for (int k = 0; k < mesh.dimension; ++k) {
        x[k] = mesh.point(node)[k];
        u[k] = x[k] + (moves_ ? options.scale * displacement[static_cast<std::size_t>(node * mesh.dimension + k)] : 0);
      }
      before_.push_back(seen(x));
      after_.push_back(seen(u));
    }
    find_faces();
    find_edges();
    find_range();
    layout();
  }

  std::string draw() {
    out_ = svg_begin(options_.width, height_, options_.title);
    if (!options_.title.empty())
      out_ += fmt::format("<text x=\"20\" y=\"24\" font-size=\"16\" font-weight=\"bold\">{}</text>\n",
                          xml_text(options_.title));
    if (!options_.subtitle.empty())
      out_ += fmt::format("<text x=\"20\" y=\"{}\" fill=\"#666666\">{}</text>\n", options_.title.empty() ? 22 : 43,
                          xml_text(options_.subtitle));
    // Tenths of a pixel as integers: half the text.
    out_ += "<g transform=\"scale(0.1)\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n";
    if (flat_)
      draw_plane();
    else
      draw_body();
    out_ += "</g>\n";
    if (!field_.empty()) draw_bar();
    out_ += svg_end;
    return std::move(out_);
  }

 private:
  /// Directions of the picture: to the right, upwards, towards the eye.
  void aim() {
    if (flat_) return;
    const Point eye = unit(options_.view).value_or(Point{0, 0, 1});
    auto right = unit(cross_product(options_.up, eye));
    for (const Point& other : {Point{0, 1, 0}, Point{1, 0, 0}})  // looking straight along `up`
      if (!right) right = unit(cross_product(other, eye));
    axes_ = {*right, cross_product(eye, *right), eye};
  }
  [[nodiscard]] Point seen(const Point& x) const { return {dot(axes_[0], x), dot(axes_[1], x), dot(axes_[2], x)}; }

  void find_faces() {
    if (flat_) {
      for (int e = 0; e < mesh_.n_elements(); ++e)
        if (fem::info(mesh_.shapes[e]).dimension == 2)
          faces_.push_back({mesh_.shapes[e], {mesh_.element(e).begin(), mesh_.element(e).end()}, e});
      return;
    }
    for (const fem::BoundarySide& side : fem::boundary_sides(mesh_))
      faces_.push_back({fem::facets(mesh_.shapes[side.element])[static_cast<std::size_t>(side.facet)].shape,
                        fem::facet_nodes(mesh_, side), side.element});
  }

  void find_edges() {
    std::map<std::pair<int, int>, std::size_t> known;
    for (std::size_t f = 0; f < faces_.size(); ++f)
      for (const fem::Facet& facet : fem::facets(faces_[f].shape)) {
        Edge edge{facet.shape, {}, static_cast<int>(f), -1};
        for (const int a : facet.nodes) edge.nodes.push_back(faces_[f].nodes[static_cast<std::size_t>(a)]);
        const auto [place, made] = known.emplace(std::minmax({edge.nodes[0], edge.nodes[1]}), edges_.size());
        if (made)
          edges_.push_back(std::move(edge));
        else
          edges_[place->second].second = static_cast<int>(f);
      }
    edges_of_.resize(faces_.size());
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      edges_of_[static_cast<std::size_t>(edges_[i].first)].push_back(i);
      if (edges_[i].second >= 0) edges_of_[static_cast<std::size_t>(edges_[i].second)].push_back(i);
    }
  }

  void find_range() {
    low_ = std::numeric_limits<double>::infinity();
    high_ = -low_;
    const auto include = [&](double v) {
      if (!std::isfinite(v)) return;
      low_ = std::min(low_, v);
      high_ = std::max(high_, v);
    };
    if (!field_.empty())
      for (const Face& face : faces_) {
        if (!nodal_) include(field_[static_cast<std::size_t>(face.element)]);
        if (nodal_)
          for (const int node : face.nodes) include(field_[static_cast<std::size_t>(node)]);
      }
    if (options_.range.low < options_.range.high) {
      low_ = options_.range.low;
      high_ = options_.range.high;
    } else if (!(low_ <= high_)) {  // no value at all
      low_ = 0;
      high_ = 1;
    } else if (!(high_ - low_ > 1e-12 * std::max(std::abs(low_), std::abs(high_)))) {  // one value
      const double room = low_ == 0 ? 1 : 0.1 * std::abs(low_);
      low_ -= room;
      high_ += room;
    }
  }

  void layout() {
    Point low{1e300, 1e300, 0}, high{-1e300, -1e300, 0};
    const auto include = [&](const std::vector<Point>& points) {
      for (const Face& face : faces_)
        for (const int node : face.nodes)
          for (int k = 0; k < 2; ++k) {
            low[k] = std::min(low[k], points[static_cast<std::size_t>(node)][k]);
            high[k] = std::max(high[k], points[static_cast<std::size_t>(node)][k]);
          }
    };
    include(after_);
    if (moves_ && options_.outline) include(before_);
    const double top = (options_.title.empty() ? 0 : 26) + (options_.subtitle.empty() ? 0 : 20) + 34;
    const double wide = options_.width - 20 - (field_.empty() ? 20 : 116), tall = 620;
    const double w = high[0] - low[0], h = high[1] - low[1];
    const double per_unit = w > 0 || h > 0 ? std::min(w > 0 ? wide / w : 1e300, h > 0 ? tall / h : 1e300) : 1;
    top_ = top;
    drawn_height_ = std::max(h * per_unit, 120.0);
    height_ = top_ + drawn_height_ + 20;
    const double left = 20 + 0.5 * (wide - w * per_unit), lowest = top_ + 0.5 * (drawn_height_ + h * per_unit);
    for (auto* points : {&before_, &after_})
      for (Point& p : *points) {  // in tenths of a pixel, y downwards
        p[0] = 10 * (left + (p[0] - low[0]) * per_unit);
        p[1] = 10 * (lowest - (p[1] - low[1]) * per_unit);
        p[2] *= 10 * per_unit;
      }
    double total = 0;
    for (const Edge& edge : edges_) total += length(edge);
    const double mean = edges_.empty() ? 0 : 0.1 * total / static_cast<double>(edges_.size());  // px
    constexpr double most_pieces = 8000;
    const double by_number = std::sqrt(most_pieces / static_cast<double>(std::max<std::size_t>(faces_.size(), 1)));
    const bool curved = !faces_.empty() && fem::info(faces_.front().shape).degree == 2;
    pieces_ = nodal_ ? static_cast<int>(std::clamp(std::min(by_number, mean / 8), curved ? 2.0 : 1.0, 6.0))
                     : (curved ? 3 : 1);
    edges_shown_ = options_.edges && mean > 4;
  }
  [[nodiscard]] double length(const Edge& edge) const {
    const Point &a = after_[static_cast<std::size_t>(edge.nodes[0])],
                &b = after_[static_cast<std::size_t>(edge.nodes[1])];
    return std::hypot(a[0] - b[0], a[1] - b[1]);
  }

  static Point at(const fem::ShapeValues& v, const std::vector<int>& nodes, const std::vector<Point>& points) {
    Point x{};
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (int k = 0; k < 3; ++k) x[k] += v.n[a] * points[static_cast<std::size_t>(nodes[a])][k];
    return x;
  }

  /// A line as "M x y l dx dy …".
  static void append_line(std::string& path, const std::vector<Point>& points, bool closed) {
    long x = 0, y = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const long px = std::lround(points[i][0]), py = std::lround(points[i][1]);
      fmt::format_to(std::back_inserter(path), "{}{} {}", i == 0 ? "M" : i == 1 ? "l" : " ", px - x, py - y);
      x = px;
      y = py;
    }
    if (closed) path += 'z';
  }
  void append_edge(std::string& path, const Edge& edge, const std::vector<Point>& points) {
    const int n = fem::info(edge.shape).degree == 2 ? std::max(pieces_, 4) : 1;
    std::vector<Point> line;
    for (const auto& v : sample_line(edge.shape, n)) line.push_back(at(v, edge.nodes, points));
    append_line(path, line, false);
  }
  void stroke(const std::string& path, std::string_view colour, double width, std::string_view more = "") {
    if (path.empty()) return;
    out_ += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{} d=\"{}\"/>\n", colour, px(10 * width),
                        more, path);
  }

  /// The pieces of a face, by level of colour; −1: no value.
  void append_pieces(const Face& face, std::map<int, std::string>& paths) {
    auto& samples = samples_[face.shape];
    if (samples.points.empty()) samples = sample_face(face.shape, pieces_);
    std::vector<Point> points;
    std::vector<double> values;
    for (const auto& v : samples.points) {
      points.push_back(at(v, face.nodes, after_));
      double value = 0;
      if (nodal_)
        for (std::size_t a = 0; a < face.nodes.size(); ++a)
          value += v.n[a] * field_[static_cast<std::size_t>(face.nodes[a])];
      else if (!field_.empty())
        value = field_[static_cast<std::size_t>(face.element)];
      values.push_back(value);
    }
    const auto corner = [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      return Valued{points[at], (values[at] - low_) / (high_ - low_) * levels};
    };
    for (const auto& piece : samples.pieces) {
      std::vector<Valued> corners;
      for (const int i : piece)
        if (i >= 0) corners.push_back(corner(i));
      append_bands(corners, paths);
    }
  }

  struct Valued {
    Point at;
    double level;
  };
  static int level(double value) { return static_cast<int>(std::clamp(value, 0.0, levels - 1.0)); }

  /// A piece cut where its colour changes; as a whole where it does not.
  static void append_bands(const std::vector<Valued>& corners, std::map<int, std::string>& paths) {
    int lowest = levels, highest = -1;
    for (const Valued& c : corners) {
      if (!std::isfinite(c.level)) return append_polygon(paths[-1], corners);
      lowest = std::min(lowest, level(c.level));
      highest = std::max(highest, level(c.level));
    }
    if (lowest == highest) return append_polygon(paths[lowest], corners);
    for (std::size_t k = 2; k < corners.size(); ++k) {  // triangles: the field is linear there
      const std::vector<Valued> triangle{corners[0], corners[k - 1], corners[k]};
      for (int band = lowest; band <= highest; ++band) {
        auto part = triangle;
        if (band > 0) part = clipped(part, band, 1);
        if (band < levels - 1) part = clipped(part, band + 1, -1);
        if (part.size() > 2) append_polygon(paths[band], part);
      }
    }
  }
  /// The part of a polygon where sign · (level − bound) ≥ 0.
  static std::vector<Valued> clipped(const std::vector<Valued>& polygon, double bound, double sign) {
    std::vector<Valued> out;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Valued &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
      const double da = sign * (a.level - bound), db = sign * (b.level - bound);
      if (da >= 0) out.push_back(a);
      if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
        const double part = da / (da - db);
        Valued cut{{}, bound};
        for (int k = 0; k < 3; ++k) cut.at[k] = a.at[k] + part * (b.at[k] - a.at[k]);
        out.push_back(cut);
      }
    }
    return out;
  }
  static void append_polygon(std::string& path, const std::vector<Valued>& corners) {
    std::vector<Point> points;
    for (const Valued& c : corners) points.push_back(c.at);
    append_line(path, points, true);
  }
  void paint(const std::map<int, std::string>& paths, double shade) {
    for (const auto& [index, path] : paths) {
      const std::string colour = field_.empty() ? std::string(no_field)
                                 : index < 0    ? std::string(no_value)
                                                : field_colour((index + 0.5) / levels, shade);
      // The thin line in its own colour closes the hair cracks that smoothing leaves between neighbours.
      out_ += fmt::format("<path fill=\"{0}\" stroke=\"{0}\" stroke-width=\"5\" d=\"{1}\"/>\n", colour, path);
    }
  }

  void draw_plane() {
    std::map<int, std::string> paths;
    for (const Face& face : faces_) append_pieces(face, paths);
    paint(paths, 1);
    const auto group_of = first_groups();
    std::string inner, between, boundary, outline;
    for (const Edge& edge : edges_) {
      const bool outer = edge.second < 0;
      const bool parts =
          !outer && group_of[static_cast<std::size_t>(faces_[static_cast<std::size_t>(edge.first)].element)] !=
                        group_of[static_cast<std::size_t>(faces_[static_cast<std::size_t>(edge.second)].element)];
      if (outer || parts || edges_shown_) append_edge(outer ? boundary : parts ? between : inner, edge, after_);
      if (outer && moves_ && options_.outline) append_edge(outline, edge, before_);
    }
    stroke(inner, "#000000", 0.4, " stroke-opacity=\"0.3\"");
    stroke(between, "#000000", 0.9, " stroke-opacity=\"0.7\"");
    stroke(boundary, ink, 1.1);
    stroke(outline, past, 1, " stroke-dasharray=\"50 40\"");
  }

  [[nodiscard]] std::vector<int> first_groups() const {
    std::vector<int> out(static_cast<std::size_t>(mesh_.n_elements()), -1);
    for (std::size_t g = 0; g < mesh_.groups.size(); ++g)
      for (const int e : mesh_.groups[g].elements)
        if (out[static_cast<std::size_t>(e)] < 0) out[static_cast<std::size_t>(e)] = static_cast<int>(g);
    return out;
  }

  /// Outward normal of a face in the picture (y downwards turns the sense round); z towards the eye.
  [[nodiscard]] Point normal(const Face& face, const std::vector<Point>& points) const {
    const int corners = fem::info(face.shape).corners;
    Point sum{};
    for (int k = 0; k < corners; ++k) {
      const Point& a = points[static_cast<std::size_t>(face.nodes[static_cast<std::size_t>(k)])];
      const Point& b = points[static_cast<std::size_t>(face.nodes[static_cast<std::size_t>((k + 1) % corners)])];
      const Point part = cross_product(a, b);
      for (int i = 0; i < 3; ++i) sum[i] -= part[i];
    }
    return unit(sum).value_or(Point{});
  }

  /// Edges where the surface bends sharply.
  [[nodiscard]] std::vector<char> sharp(const std::vector<Point>& normals) const {
    std::vector<char> out;
    for (const Edge& edge : edges_)
      out.push_back(edge.second < 0 || dot(normals[static_cast<std::size_t>(edge.first)],
                                           normals[static_cast<std::size_t>(edge.second)]) < 0.75);
    return out;
  }
  [[nodiscard]] std::vector<Point> normals(const std::vector<Point>& points) const {
    std::vector<Point> out;
    for (const Face& face : faces_) out.push_back(normal(face, points));
    return out;
  }

  void draw_body() {
    if (moves_ && options_.outline) draw_past();
    const auto facing = normals(after_);
    const auto bends = sharp(facing);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      if (facing[f][2] <= 0) continue;  // looks away
      double depth = 0;
      for (const int node : faces_[f].nodes) depth += after_[static_cast<std::size_t>(node)][2];
      order.emplace_back(depth / static_cast<double>(faces_[f].nodes.size()), f);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [depth, f] : order) {
      std::map<int, std::string> paths;
      append_pieces(faces_[f], paths);
      paint(paths, 0.86 + 0.14 * facing[f][2]);
      std::string inner, bent;
      for (const std::size_t i : edges_of_[f])
        if (bends[i] != 0 || edges_shown_) append_edge(bends[i] != 0 ? bent : inner, edges_[i], after_);
      stroke(inner, "#000000", 0.4, " stroke-opacity=\"0.3\"");
      stroke(bent, ink, 0.9);
    }
  }

  /// Sharp edges and the silhouette of the body as it was, below everything.
  void draw_past() {
    const auto facing = normals(before_);
    const auto bends = sharp(facing);
    std::string outline;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const double first = facing[static_cast<std::size_t>(edges_[i].first)][2];
      const double second = edges_[i].second < 0 ? first : facing[static_cast<std::size_t>(edges_[i].second)][2];
      const bool visible = first > 0 || second > 0, silhouette = (first > 0) != (second > 0);
      if (visible && (bends[i] != 0 || silhouette)) append_edge(outline, edges_[i], before_);
    }
    stroke(outline, past, 1);
  }

  void draw_bar() {
    const double x = options_.width - 92, w = 16, h = std::min(drawn_height_, 320.0),
                 y = top_ + 0.5 * (drawn_height_ - h);
    out_ += "<defs><linearGradient id=\"colours\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">";
    constexpr int stops = 18;
    for (int i = 0; i <= stops; ++i)
      out_ += fmt::format("<stop offset=\"{}\" stop-color=\"{}\"/>", px(static_cast<double>(i) / stops),
                          field_colour(static_cast<double>(i) / stops));
    out_ += "</linearGradient></defs>\n";
    out_ +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#colours)\" stroke=\"#555555\"/>\n",
                    px(x), px(y), px(w), px(h));
    const Labels labels = linear_labels(low_, high_, std::clamp(static_cast<int>(h / 42), 3, 8));
    for (std::size_t i = 0; i < labels.ticks.size(); ++i) {
      const double at = y + h - (labels.ticks[i] - low_) / (high_ - low_) * h;
      out_ += fmt::format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\" stroke=\"#555555\"/>\n", px(x + w), px(at),
                          px(x + w + 4));
      out_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", px(x + w + 7), px(at + 4.3), labels.texts[i]);
    }
    std::string label = xml_text(options_.label);
    if (!labels.factor.empty()) label += (label.empty() ? "" : "  ") + labels.factor;
    if (!label.empty())
      out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", px(options_.width - 12),
                          px(y - 11), label);
  }

  const fem::Mesh& mesh_;
  std::span<const double> field_;
  const FieldPicture& options_;
  bool flat_, nodal_ = false, moves_ = false, edges_shown_ = true;
  std::array<Point, 3> axes_{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::vector<Point> before_, after_;  ///< nodes in the picture, x, y in tenths of a pixel, z towards the eye
  std::vector<Face> faces_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> edges_of_;
  std::map<fem::Shape, FaceSamples> samples_;
  double low_ = 0, high_ = 1, top_ = 0, drawn_height_ = 0, height_ = 0;
  int pieces_ = 1;
  std::string out_;
};

}  // namespace

std::string to_svg(const fem::Mesh& mesh, std::span<const double> displacement, std::span<const double> field,
                   const FieldPicture& picture) {
  return Picture(mesh, displacement, field, picture).draw();
}

std::string field_colour(double part, double shade) {
  constexpr std::array<std::array<int, 3>, 10> viridis{{{0x44, 0x01, 0x54},
                                                        {0x48, 0x28, 0x78},
                                                        {0x3e, 0x49, 0x89},
                                                        {0x31, 0x68, 0x8e},
                                                        {0x26, 0x82, 0x8e},
                                                        {0x1f, 0x9e, 0x89},
                                                        {0x35, 0xb7, 0x79},
                                                        {0x6e, 0xce, 0x58},
                                                        {0xb5, 0xde, 0x2b},
                                                        {0xfd, 0xe7, 0x25}}};
  if (std::isnan(part)) return std::string(no_value);
  const double at = std::clamp(part, 0.0, 1.0) * (viridis.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), viridis.size() - 2);
  const double rest = at - static_cast<double>(i);
  std::array<int, 3> rgb{};
  for (std::size_t k = 0; k < 3; ++k)
    rgb[k] = static_cast<int>(std::lround(shade * (viridis[i][k] * (1 - rest) + viridis[i + 1][k] * rest)));
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

}  // namespace rubato::io
