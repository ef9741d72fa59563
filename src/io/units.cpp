#include "io/units.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "rubato/base/text.hpp"

namespace rubato::io {

namespace {

struct Named {
  std::string_view name;
  double factor;
  Dimension dimension;
};
constexpr double pi = std::numbers::pi;
constexpr Named units[] = {
    {"m", 1, {1, 0, 0}},       {"km", 1e3, {1, 0, 0}},    {"cm", 1e-2, {1, 0, 0}},
    {"mm", 1e-3, {1, 0, 0}},   {"um", 1e-6, {1, 0, 0}},   {"µm", 1e-6, {1, 0, 0}},
    {"kg", 1, {0, 1, 0}},      {"g", 1e-3, {0, 1, 0}},    {"t", 1e3, {0, 1, 0}},
    {"s", 1, {0, 0, 1}},       {"ms", 1e-3, {0, 0, 1}},   {"us", 1e-6, {0, 0, 1}},
    {"min", 60, {0, 0, 1}},    {"h", 3600, {0, 0, 1}},    {"N", 1, {1, 1, -2}},
    {"mN", 1e-3, {1, 1, -2}},  {"kN", 1e3, {1, 1, -2}},   {"MN", 1e6, {1, 1, -2}},
    {"Nm", 1, {2, 1, -2}},     {"kNm", 1e3, {2, 1, -2}},  {"Pa", 1, {-1, 1, -2}},
    {"kPa", 1e3, {-1, 1, -2}}, {"MPa", 1e6, {-1, 1, -2}}, {"GPa", 1e9, {-1, 1, -2}},
    {"bar", 1e5, {-1, 1, -2}}, {"J", 1, {2, 1, -2}},      {"kJ", 1e3, {2, 1, -2}},
    {"W", 1, {2, 1, -3}},      {"kW", 1e3, {2, 1, -3}},   {"rad", 1, {}},
    {"mrad", 1e-3, {}},        {"deg", pi / 180, {}},     {"°", pi / 180, {}},
    {"rev", 2 * pi, {}},       {"%", 1e-2, {}},           {"rpm", 2 * pi / 60, {0, 0, -1}},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const auto& unit : units) names.emplace_back(unit.name);
  return names;
}

Result<Unit> parse_unit(std::string_view text) {
  constexpr int highest_power = 12;
  Unit product;
  std::size_t at = 0;
  int sign = 1;
  bool between = false;  // a unit stands before; an operator or blank may follow
  const auto starts = [&](std::string_view part) { return text.substr(at).starts_with(part); };
  while (true) {
    while (starts(" ")) ++at;
    if (at >= text.size()) break;
    if (between) {
      sign = 1;
      if (starts("/")) {
        sign = -1;
        ++at;
      } else if (starts("*")) {
        ++at;
      } else if (starts("·")) {
        at += std::string_view("·").size();
      }
      while (starts(" ")) ++at;
    }
    if (starts("1") && !between && (at + 1 >= text.size() || !is_digit(text[at + 1]))) {
      ++at;
      between = true;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && of_name(text[at]) && !starts("·")) ++at;
    const std::string_view name = text.substr(begin, at - begin);
    if (name.empty())
      return Error{
          fmt::format("'{}' is no unit: '{}' is where the name of a unit should be", text, text.substr(begin))};
    const Named* known = nullptr;
    for (const auto& unit : units)
      if (unit.name == name) known = &unit;
    if (known == nullptr) return Error{unknown_name("unit", name, unit_names())};
    int power = 1;
    if (starts("^") || starts("²") || starts("³")) {
      if (starts("²") || starts("³")) {
        power = starts("²") ? 2 : 3;
        at += std::string_view("²").size();
      } else {
        ++at;
        const bool minus = starts("-");
        if (minus) ++at;
        if (at >= text.size() || !is_digit(text[at]))
          return Error{fmt::format("'{}' is no unit: a whole number must follow ^", text)};
        power = text[at++] - '0';
        if (minus) power = -power;
      }
    }
    product.factor *= std::pow(known->factor, sign * power);
    for (std::size_t i = 0; i < 3; ++i) {
      product.dimension[i] += sign * power * known->dimension[i];
      if (std::abs(product.dimension[i]) > highest_power)
        return Error{fmt::format("'{}' is no unit of mechanics: powers go up to {}", text, highest_power)};
    }
    between = true;
  }
  if (!(product.factor > 0) || !std::isfinite(product.factor))
    return Error{fmt::format("'{}' is too large or too small for a unit", text)};
  return product;
}

}  // namespace rubato::io
