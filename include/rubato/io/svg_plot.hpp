#pragma once
/// Line plots as SVG text: linear and logarithmic axes, several panels over one abscissa, legends, markers, slopes, areas.
///
/// Why our own: the distribution packages no C++ plotting library that is small and writes files without a display
/// (VTK, Qt Charts, PLplot and ROOT bring toolkits; matplotlib bindings bring Python). What results need is little: this
/// file. The same data give the same bytes; curves are thinned to what the eye can see, so that long runs stay small.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rubato::io {

enum class Scale : std::uint8_t { linear, logarithmic };
enum class Stroke : std::uint8_t { solid, dashed, none };

struct Series {
  std::string name = {};               ///< in the legend; empty: not listed
  std::vector<double> x = {}, y = {};  ///< non-finite points, and those ≤ 0 on logarithmic axes, break the line
  Stroke stroke = Stroke::solid;
  bool markers = false;
  int colour = -1;      ///< of the palette, also chooses the marker; −1: position in the panel
  double opacity = 1;   ///< of the line
  bool filled = false;  ///< the points are loops, separated by NaN: a pale area (even-odd rule) behind the curves
};

/// What an axis shows; where low < high does not hold: what the data need.
struct Extent {
  double low = 0, high = 0;
};

/// A thin line y ∝ x^slope through (x, y) of a doubly logarithmic panel: what an order looks like.
struct ReferenceSlope {
  double slope = 1;
  double x = 1, y = 1;
  std::string label = {};
};

struct Panel {
  std::string y_label = {};
  Scale y_scale = Scale::linear;
  std::vector<Series> series = {};
  std::vector<ReferenceSlope> slopes = {};
  std::vector<double> marks = {};  ///< vertical lines: events
  double height = 0;               ///< px of the axes; 0: chosen by the number of panels
  Extent y_extent = {};
};

struct Figure {
  std::string title = {}, subtitle = {};
  std::string x_label = {};
  Scale x_scale = Scale::linear;
  std::vector<Panel> panels = {};
  double width = 760;  ///< px
  Extent x_extent = {};
  bool equal_units = false;  ///< a unit of y is as long as a unit of x: for the complex plane
};

[[nodiscard]] std::string to_svg(const Figure& figure);

/// Ticks at 1, 2 or 5 times a power of ten inside [low, high], about `wanted` of them.
[[nodiscard]] std::vector<double> nice_ticks(double low, double high, int wanted);
/// Powers of ten inside [low, high], every second, third … where there are many; 1, 2, 5 times them below two decades.
[[nodiscard]] std::vector<double> log_ticks(double low, double high, int wanted);
/// Text for XML: & < > " and control characters replaced.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace rubato::io
