#include "io/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rubato/base/text.hpp"

namespace rubato::io {

std::string toml_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (code < 0x20 || code == 0x7f)
      quoted += fmt::format("\\u{:04X}", code);
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string toml_text(double value) {
  std::string text = shortest(value);
  // A TOML float has a point or an exponent; without either it would read back as an integer, refused where large.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string toml_key(std::string_view name) {
  const auto bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), bare) ? std::string(name) : toml_text(name);
}

}  // namespace rubato::io
