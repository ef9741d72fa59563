#pragma once
/// Lines, words and numbers of mesh files.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "rubato/base/text.hpp"

namespace rubato::io {

struct MeshLine {
  std::string_view text = {};
  long number = 0;  ///< from 1
};
/// Lines of a text, trimmed; blank ones are passed over.
class MeshLines {
 public:
  explicit MeshLines(std::string_view text) : rest_(text) {}
  [[nodiscard]] std::optional<MeshLine> next() {
    while (!rest_.empty()) {
      const auto end = rest_.find('\n');
      const std::string_view line = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      if (!line.empty()) return MeshLine{line, number_};
    }
    return {};
  }
  [[nodiscard]] long number() const { return number_; }

 private:
  std::string_view rest_;
  long number_ = 0;
};

/// Words between blanks.
inline void words(std::string_view text, std::vector<std::string_view>& out) {
  out.clear();
  constexpr std::string_view blank = " \t";
  for (auto begin = text.find_first_not_of(blank); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(blank, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blank, end);
  }
}

/// Fields between commas, trimmed; what follows a comma at the end is no field.
inline void fields(std::string_view text, std::vector<std::string_view>& out) {
  out.clear();
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    out.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

[[nodiscard]] inline std::optional<long> integer(std::string_view word) {
  long value = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc() || end != word.data() + word.size()) return {};
  return value;
}

/// A number by which files call a node, an element or a group: 1 … 10¹⁵; 0 where the word is none.
[[nodiscard]] inline long label(std::string_view word) {
  const long value = integer(word).value_or(0);
  return value >= 1 && value <= 1'000'000'000'000'000 ? value : 0;
}

/// A finite number; Fortran's exponents (1.5D-3) and a leading plus are numbers too.
[[nodiscard]] inline std::optional<double> real(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  char copy[64];
  if (word.empty() || word.size() > sizeof copy) return {};
  for (std::size_t i = 0; i < word.size(); ++i) copy[i] = word[i] == 'D' || word[i] == 'd' ? 'e' : word[i];
  double value = 0;
  const auto [end, status] = std::from_chars(copy, copy + word.size(), value);
  if (status != std::errc() || end != copy + word.size() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace rubato::io
