#include "io/svg_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/io/svg_plot.hpp"
#include "rubato/io/table.hpp"

namespace rubato::io {
namespace {

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

}  // namespace

std::string svg_begin(double width, double height, std::string_view title) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
      "<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
      "<g font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{3}\" fill=\"{4}\">\n",
      px(width), px(height), xml_text(title), px(font), ink);
}

std::string px(double v) {
  std::string s = fmt::format("{:.2f}", v);
  while (s.back() == '0') s.pop_back();
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

double width_of(std::string_view text) { return character * static_cast<double>(display_width(text)); }

std::string power_of_ten(long exponent) {
  return fmt::format("10<tspan dy=\"-5\" font-size=\"9.5\">{}</tspan>", with_minus(fmt::format("{}", exponent)));
}

Labels linear_labels(double low, double high, int wanted) {
  Labels labels;
  labels.ticks = nice_ticks(low, high, wanted);
  double largest = 0;
  for (const double t : labels.ticks) largest = std::max(largest, std::abs(t));
  long exponent = largest > 0 ? static_cast<long>(std::floor(std::log10(largest) * (1 + 1e-15))) : 0;
  if (exponent >= -3 && exponent <= 4) exponent = 0;
  const double unit = std::pow(10.0, static_cast<double>(exponent));
  const double step = labels.ticks.size() > 1 ? (labels.ticks[1] - labels.ticks[0]) / unit : 1;
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 15);
  for (const double t : labels.ticks) {
    std::string text = fmt::format("{:.{}f}", t / unit, decimals);
    if (text.find_first_not_of("-0.") == std::string::npos) text = "0";
    labels.texts.push_back(with_minus(std::move(text)));
    labels.widths.push_back(width_of(labels.texts.back()));
  }
  if (exponent != 0) labels.factor = "×" + power_of_ten(exponent);
  return labels;
}

}  // namespace rubato::io
