#pragma once
/// What pictures share: the page, numbers as text, labels of ticks.
#include <string>
#include <string_view>
#include <vector>

namespace rubato::io {

inline constexpr std::string_view ink = "#222222";
inline constexpr double font = 12.5, character = 0.56 * font;  // mean width of a character in Helvetica

/// Begins a white page; `svg_end` ends it.
[[nodiscard]] std::string svg_begin(double width, double height, std::string_view title);
inline constexpr std::string_view svg_end = "</g>\n</svg>\n";

/// Two decimals, without what adds nothing.
[[nodiscard]] std::string px(double v);
[[nodiscard]] double width_of(std::string_view text);

/// Labels of ticks, with a common power of ten where numbers would be long.
struct Labels {
  std::vector<double> ticks;
  std::vector<std::string> texts;  ///< SVG, may hold tspans
  std::vector<double> widths;
  std::string factor;  ///< SVG: "×10³", empty where there is none
};
[[nodiscard]] std::string power_of_ten(long exponent);
[[nodiscard]] Labels linear_labels(double low, double high, int wanted);

}  // namespace rubato::io
