#include "rubato/io/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "io/svg_parts.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/table.hpp"

namespace rubato::io {

namespace {

// Okabe & Ito's colours, distinguishable with every kind of colour vision; the yellow is too pale for lines.
constexpr std::array<std::string_view, 8> palette = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#000000", "#8c6d31"};
constexpr std::string_view pale_ink = "#666666", grid = "#e4e4e4", frame = "#555555";

/// One axis: data to pixels.
struct Axis {
  Scale scale = Scale::linear;
  double low = 0, high = 1;          ///< data
  double first_px = 0, last_px = 1;  ///< pixels of low and high

  [[nodiscard]] bool shows(double v) const { return std::isfinite(v) && (scale == Scale::linear || v > 0); }
  [[nodiscard]] double measure(double v) const { return scale == Scale::linear ? v : std::log10(v); }
  [[nodiscard]] double at(double v) const {
    const double a = measure(low), b = measure(high);
    return first_px + (measure(v) - a) / (b - a) * (last_px - first_px);
  }
};

/// The range of what can be shown, with a margin; a constant gets room on both sides.
class Range {
 public:
  explicit Range(Scale scale) : scale_(scale) {}
  void include(double v) {
    if (!std::isfinite(v) || (scale_ == Scale::logarithmic && !(v > 0))) return;
    low_ = std::min(low_, v);
    high_ = std::max(high_, v);
  }
  [[nodiscard]] Axis axis(double margin, const Extent& extent) const {
    Axis axis{.scale = scale_};
    if (extent.low < extent.high) {
      axis.low = extent.low;
      axis.high = extent.high;
      return axis;
    }
    if (!(low_ <= high_)) {
      axis.low = scale_ == Scale::linear ? 0 : 0.1;
      axis.high = 1;
      return axis;
    }
    if (scale_ == Scale::logarithmic) {
      const double a = std::log10(low_), b = std::log10(high_), d = std::max(margin * (b - a), b - a < 0.02 ? 0.25 : 0);
      axis.low = std::pow(10, a - d);
      axis.high = std::pow(10, b + d);
      return axis;
    }
    const double size = std::max(std::abs(low_), std::abs(high_));
    const double d = high_ - low_ > 1e-12 * size ? margin * (high_ - low_) : (size > 0 ? 0.1 * size : 1);
    axis.low = low_ - d;
    axis.high = high_ + d;
    return axis;
  }

 private:
  Scale scale_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

Labels logarithmic_labels(const Axis& axis, int wanted) {
  Labels labels;
  labels.ticks = log_ticks(axis.low, axis.high, wanted);
  const bool decimals = axis.low > 1e-3 && axis.high < 1e4 && std::log10(axis.high / axis.low) < 2;
  for (const double t : labels.ticks) {
    const double e = std::log10(t);
    const long exponent = std::lround(std::floor(e + 1e-9));
    const long mantissa = std::lround(t / std::pow(10.0, static_cast<double>(exponent)));
    std::string text;
    if (decimals)
      text = shortest(static_cast<double>(mantissa) * std::pow(10.0, static_cast<double>(exponent)));
    else if (exponent == 0 || exponent == 1)
      text = exponent == 0 ? "1" : "10";
    else
      text = mantissa == 1 ? power_of_ten(exponent) : fmt::format("{}·{}", mantissa, power_of_ten(exponent));
    labels.widths.push_back(decimals ? width_of(text) : mantissa == 1 ? 4 * character : 6 * character);
    labels.texts.push_back(std::move(text));
  }
  return labels;
}

Labels labels_of(const Axis& axis, int wanted) {
  return axis.scale == Scale::linear ? linear_labels(axis.low, axis.high, wanted) : logarithmic_labels(axis, wanted);
}

struct Dot {
  double x, y;
};

/// What the eye can see of a long curve: in every half pixel the first, lowest, highest and last point.
std::vector<Dot> thinned(const std::vector<Dot>& dots) {
  constexpr std::size_t few = 3000;
  const bool forward = std::is_sorted(dots.begin(), dots.end(), [](Dot a, Dot b) { return a.x < b.x; });
  if (dots.size() <= few || !forward) return dots;
  std::vector<Dot> kept;
  for (std::size_t i = 0; i < dots.size();) {
    const auto column = static_cast<std::int64_t>(std::floor(2 * dots[i].x));
    std::size_t end = i, low = i, high = i;
    for (; end < dots.size() && static_cast<std::int64_t>(std::floor(2 * dots[end].x)) == column; ++end) {
      if (dots[end].y < dots[low].y) low = end;
      if (dots[end].y > dots[high].y) high = end;
    }
    std::array<std::size_t, 4> picks = {i, std::min(low, high), std::max(low, high), end - 1};
    for (std::size_t k = 0; k < picks.size(); ++k)
      if (k == 0 || picks[k] != picks[k - 1]) kept.push_back(dots[picks[k]]);
    i = end;
  }
  return kept;
}

std::string marker(std::size_t shape, Dot at, std::string_view colour) {
  constexpr double r = 3.6;
  const std::string style = fmt::format("fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.6\"", colour);
  const auto polygon = [&](std::initializer_list<Dot> corners) {
    std::string points;
    for (const Dot c : corners)
      points += fmt::format("{}{},{}", points.empty() ? "" : " ", px(at.x + c.x), px(at.y + c.y));
    return fmt::format("<polygon points=\"{}\" {}/>\n", points, style);
  };
  switch (shape % 5) {
    case 0: return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n", px(at.x), px(at.y), px(r), style);
    case 1: return polygon({{-r, -r}, {r, -r}, {r, r}, {-r, r}});
    case 2: return polygon({{0, -1.25 * r}, {1.15 * r, 0.85 * r}, {-1.15 * r, 0.85 * r}});
    case 3: return polygon({{0, -1.35 * r}, {1.35 * r, 0}, {0, 1.35 * r}, {-1.35 * r, 0}});
    default: return polygon({{0, 1.25 * r}, {1.15 * r, -0.85 * r}, {-1.15 * r, -0.85 * r}});
  }
}

class Drawing {
 public:
  explicit Drawing(const Figure& figure) : figure_(figure) {}

  std::string draw() {
    layout();
    out_ = svg_begin(figure_.width, total_height_, figure_.title);
    if (!figure_.title.empty()) text(left_, 24, figure_.title, "font-size=\"16\" font-weight=\"bold\"");
    if (!figure_.subtitle.empty())
      text(left_, figure_.title.empty() ? 22 : 43, figure_.subtitle, fmt::format("fill=\"{}\"", pale_ink));
    for (std::size_t i = 0; i < figure_.panels.size(); ++i) panel(i);
    out_ += svg_end;
    return std::move(out_);
  }

 private:
  void layout() {
    const std::size_t n = figure_.panels.size();
    const double usual = n <= 1 ? 360 : n == 2 ? 230 : n == 3 ? 180 : 145;
    Range x_range(figure_.x_scale);
    double y_labels = 3 * character, legend = 0;
    bool any_markers = false;
    for (const auto& p : figure_.panels) {
      Range range(p.y_scale);
      for (const auto& s : p.series) {
        any_markers = any_markers || s.markers;
        for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
          if (!std::isfinite(s.y[i]) || (p.y_scale == Scale::logarithmic && !(s.y[i] > 0))) continue;
          x_range.include(s.x[i]);
          range.include(s.y[i]);
        }
        if (!s.name.empty()) legend = std::max(legend, width_of(s.name) + 44);
      }
      for (const auto& s : p.slopes) legend = std::max(legend, width_of(s.label) + 44);
      Axis y = range.axis(0.06, p.y_extent);
      const double height = p.height > 0 ? p.height : usual;
      const Labels labels = labels_of(y, ticks_for(height));
      for (const double w : labels.widths) y_labels = std::max(y_labels, w);
      heights_.push_back(height);
      y_axes_.push_back(y);
      y_labels_.push_back(labels);
    }
    left_ = 16 + y_labels + 10;
    right_ = figure_.width - (legend > 0 ? legend + 8 : 24);
    x_axis_ = x_range.axis(any_markers ? 0.05 : figure_.x_scale == Scale::logarithmic ? 0.02 : 0, figure_.x_extent);
    x_axis_.first_px = left_;
    x_axis_.last_px = right_;
    if (figure_.equal_units)
      for (std::size_t i = 0; i < n; ++i)
        heights_[i] = (right_ - left_) * (y_axes_[i].high - y_axes_[i].low) / (x_axis_.high - x_axis_.low);
    double top = (figure_.title.empty() ? 0 : 26) + (figure_.subtitle.empty() ? 0 : 20) + 30;
    for (std::size_t i = 0; i < n; ++i) {
      tops_.push_back(top);
      y_axes_[i].first_px = top + heights_[i];
      y_axes_[i].last_px = top;
      top += heights_[i] + 34;
    }
    total_height_ = top - 34 + 52;
  }

  static int ticks_for(double height) { return std::clamp(static_cast<int>(height / 42), 3, 8); }

  void text(double x, double y, std::string_view words, std::string_view more) {
    raw_text(x, y, xml_text(words), more);
  }
  void raw_text(double x, double y, std::string_view svg, std::string_view more) {
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", px(x), px(y), more, svg);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view colour, double width,
            std::string_view more = "") {
    out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>\n", px(x1),
                        px(y1), px(x2), px(y2), colour, px(width), more);
  }

  void panel(std::size_t i) {
    const Panel& p = figure_.panels[i];
    const Axis& y = y_axes_[i];
    const double top = tops_[i], bottom = top + heights_[i];
    const bool last = i + 1 == figure_.panels.size();
    const Labels x_labels = labels_of(x_axis_, std::clamp(static_cast<int>((right_ - left_) / 75), 3, 10));

    // Grid and tick labels.
    for (std::size_t k = 0; k < x_labels.ticks.size(); ++k) {
      const double at = x_axis_.at(x_labels.ticks[k]);
      line(at, top, at, bottom, grid, 1);
      line(at, bottom, at, bottom + 4, frame, 1);
      if (last) raw_text(at, bottom + 19, x_labels.texts[k], "text-anchor=\"middle\"");
    }
    for (std::size_t k = 0; k < y_labels_[i].ticks.size(); ++k) {
      const double at = y.at(y_labels_[i].ticks[k]);
      line(left_, at, right_, at, grid, 1);
      line(left_ - 4, at, left_, at, frame, 1);
      raw_text(left_ - 8, at + 4.3, y_labels_[i].texts[k], "text-anchor=\"end\"");
    }
    minor_ticks(x_axis_, [&](double at) { line(at, bottom, at, bottom + 2.5, frame, 0.7); });
    minor_ticks(y, [&](double at) { line(left_ - 2.5, at, left_, at, frame, 0.7); });
    std::string label = xml_text(p.y_label);
    if (!y_labels_[i].factor.empty()) label += (label.empty() ? "" : "  ") + y_labels_[i].factor;
    if (!label.empty()) raw_text(left_, top - 9, label, fmt::format("fill=\"{}\"", ink));
    if (last && (!figure_.x_label.empty() || !x_labels.factor.empty())) {
      std::string words = xml_text(figure_.x_label);
      if (!x_labels.factor.empty()) words += "  " + x_labels.factor;
      raw_text((left_ + right_) / 2, bottom + 41, words, "text-anchor=\"middle\"");
    }

    // Curves, inside the frame.
    out_ += fmt::format(
        "<clipPath id=\"panel{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n"
        "<g clip-path=\"url(#panel{0})\" fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n",
        i, px(left_), px(top), px(right_ - left_), px(heights_[i]));
    for (std::size_t k = 0; k < p.series.size(); ++k)
      if (p.series[k].filled) area(p.series[k], colour_of(p.series[k], k), y);
    for (const double mark : p.marks)
      if (x_axis_.shows(mark))
        line(x_axis_.at(mark), top, x_axis_.at(mark), bottom, pale_ink, 0.8, " stroke-dasharray=\"2 3\"");
    for (const auto& s : p.slopes) slope(s, y);
    for (std::size_t k = 0; k < p.series.size(); ++k) curve(p.series[k], colour_of(p.series[k], k), y);
    out_ += "</g>\n";
    out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", px(left_),
                        px(top), px(right_ - left_), px(heights_[i]), frame);
    for (std::size_t k = 0; k < p.series.size(); ++k) markers(p.series[k], colour_of(p.series[k], k), y);
    for (const auto& s : p.slopes) slope_label(s, y);
    legend(p, top);
  }

  template <class Draw>
  static void minor_ticks(const Axis& axis, const Draw& draw) {
    if (axis.scale != Scale::logarithmic || std::log10(axis.high / axis.low) > 8) return;
    for (double e = std::floor(std::log10(axis.low)); e <= std::log10(axis.high); ++e)
      for (int m = 1; m <= 9; ++m) {
        const double v = m * std::pow(10, e);
        if (v >= axis.low && v <= axis.high) draw(axis.at(v));
      }
  }

  static std::size_t colour_of(const Series& s, std::size_t position) {
    return s.colour >= 0 ? static_cast<std::size_t>(s.colour) : position;
  }

  void area(const Series& s, std::size_t colour, const Axis& y) {
    out_ += fmt::format("<path fill=\"{}\" fill-opacity=\"0.16\" fill-rule=\"evenodd\" d=\"",
                        palette[colour % palette.size()]);
    bool open = false;
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      const bool shown = x_axis_.shows(s.x[i]) && y.shows(s.y[i]);
      if (shown) out_ += fmt::format("{}{},{}", open ? " " : "M", px(x_axis_.at(s.x[i])), px(y.at(s.y[i])));
      if (!shown && open) out_ += "Z";
      open = shown;
    }
    out_ += open ? "Z\"/>\n" : "\"/>\n";
  }

  void curve(const Series& s, std::size_t colour, const Axis& y) {
    if (s.stroke == Stroke::none || s.filled) return;
    std::vector<Dot> dots;
    const auto flush = [&] {
      if (dots.size() > 1) {
        out_ +=
            fmt::format("<polyline stroke=\"{}\" stroke-width=\"1.6\"{}{} points=\"", palette[colour % palette.size()],
                        s.stroke == Stroke::dashed ? " stroke-dasharray=\"6 4\"" : "",
                        s.opacity < 1 ? fmt::format(" stroke-opacity=\"{}\"", px(s.opacity)) : "");
        bool first = true;
        for (const Dot d : thinned(dots)) {
          out_ += fmt::format("{}{},{}", first ? "" : " ", px(d.x), px(d.y));
          first = false;
        }
        out_ += "\"/>\n";
      } else if (dots.size() == 1 && !s.markers) {
        out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"2\" fill=\"{}\"/>\n", px(dots[0].x), px(dots[0].y),
                            palette[colour % palette.size()]);
      }
      dots.clear();
    };
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      if (x_axis_.shows(s.x[i]) && y.shows(s.y[i]))
        dots.push_back({x_axis_.at(s.x[i]), y.at(s.y[i])});
      else
        flush();
    }
    flush();
  }

  void markers(const Series& s, std::size_t colour, const Axis& y) {
    if (!s.markers) return;
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i)
      if (x_axis_.shows(s.x[i]) && y.shows(s.y[i]))
        out_ += marker(colour, {x_axis_.at(s.x[i]), y.at(s.y[i])}, palette[colour % palette.size()]);
  }

  void slope(const ReferenceSlope& s, const Axis& y) {
    if (x_axis_.scale != Scale::logarithmic || y.scale != Scale::logarithmic || !(s.x > 0 && s.y > 0)) return;
    const auto value = [&](double x) { return s.y * std::pow(x / s.x, s.slope); };
    line(x_axis_.at(x_axis_.low), y.at(value(x_axis_.low)), x_axis_.at(x_axis_.high), y.at(value(x_axis_.high)),
         "#999999", 1, " stroke-dasharray=\"5 4\"");
  }

  /// Along the line, at whichever end is inside the frame.
  void slope_label(const ReferenceSlope& s, const Axis& y) {
    if (x_axis_.scale != Scale::logarithmic || y.scale != Scale::logarithmic || !(s.x > 0 && s.y > 0)) return;
    const auto value = [&](double x) { return s.y * std::pow(x / s.x, s.slope); };
    const double a = std::log10(x_axis_.low), b = std::log10(x_axis_.high);
    for (const double part : {0.96, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2}) {
      const double x = std::pow(10, a + part * (b - a));
      const double at_x = x_axis_.at(x), at_y = y.at(value(x));
      if (at_y < y.last_px + 16 || at_y > y.first_px - 6) continue;
      const double angle = std::atan2(y.at(value(x_axis_.high)) - y.at(value(x_axis_.low)), right_ - left_);
      out_ += fmt::format(
          "<text x=\"{0}\" y=\"{1}\" dy=\"-4\" text-anchor=\"end\" font-size=\"11\" fill=\"{2}\" "
          "stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\" "
          "transform=\"rotate({3} {0} {1})\">{4}</text>\n",
          px(at_x), px(at_y), pale_ink, px(angle * 180 / 3.14159265358979323846), xml_text(s.label));
      break;
    }
  }

  void legend(const Panel& p, double top) {
    double y = top + 10;
    for (std::size_t k = 0; k < p.series.size(); ++k) {
      const Series& s = p.series[k];
      if (s.name.empty()) continue;
      const std::size_t colour = colour_of(s, k);
      const double x = right_ + 12;
      if (s.filled)
        out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"11\" fill=\"{}\" fill-opacity=\"0.16\"/>\n",
                            px(x), px(y - 5.5), palette[colour % palette.size()]);
      else if (s.stroke != Stroke::none)
        line(x, y, x + 22, y, palette[colour % palette.size()], 2,
             s.stroke == Stroke::dashed ? " stroke-dasharray=\"6 4\"" : "");
      if (s.markers) out_ += marker(colour, {x + 11, y}, palette[colour % palette.size()]);
      text(x + 28, y + 4.3, s.name, "");
      y += 18;
    }
  }

  const Figure& figure_;
  std::string out_;
  double left_ = 0, right_ = 0, total_height_ = 0;
  Axis x_axis_;
  std::vector<double> heights_, tops_;
  std::vector<Axis> y_axes_;
  std::vector<Labels> y_labels_;
};

}  // namespace

std::string to_svg(const Figure& figure) { return Drawing(figure).draw(); }

std::vector<double> nice_ticks(double low, double high, int wanted) {
  if (!(low < high) || !std::isfinite(high - low) || wanted < 1) return {low};
  const double rough = (high - low) / wanted, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double m : {1.0, 2.0, 5.0})
    if (m * power >= 0.75 * rough) {
      step = m * power;
      break;
    }
  // Multiples of the step that differ from their neighbours as numbers; 10 power ≥ 0.75 rough, so there are 1.4 wanted at most.
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  constexpr double most_multiple = 0x1p50;
  if (!(step > 0 && std::abs(first) < most_multiple && std::abs(last) < most_multiple)) return {low};
  std::vector<double> ticks;
  for (double k = first; k <= last; ++k) ticks.push_back(k * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high, int wanted) {
  if (!(low > 0 && low < high && std::isfinite(high))) return {low};
  const double first = std::ceil(std::log10(low) - 1e-9), last = std::floor(std::log10(high) + 1e-9);
  std::vector<double> ticks;
  if (std::log10(high / low) < 2) {
    for (double e = first - 1; e <= last; ++e)
      for (const double m : {1.0, 2.0, 5.0}) {
        const double v = m * std::pow(10, e);
        if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) ticks.push_back(v);
      }
    return ticks;
  }
  const double every = std::max(1.0, std::ceil((last - first) / std::max(wanted, 1)));
  for (double e = std::ceil(first / every) * every; e <= last; e += every) ticks.push_back(std::pow(10, e));
  return ticks;
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return out;
}

}  // namespace rubato::io
