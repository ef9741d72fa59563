#include "rubato/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace rubato {

namespace {
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment, three rows of the table at a time.
  const std::size_t width = b.size() + 1;
  std::vector<int> before(width), previous(width), current(width);
  for (std::size_t j = 0; j < width; ++j) previous[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[width - 1];
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  int best = std::numeric_limits<int>::max();
  std::string nearest;
  for (const auto& candidate : known) {
    const int distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  const int allowed = std::max(1, static_cast<int>(name.size()) / 3);
  return best <= allowed ? nearest : std::string{};
}

std::string joined(std::span<const std::string> names, std::string_view separator) {
  return fmt::format("{}", fmt::join(names.begin(), names.end(), separator));
}

std::string unknown_name(std::string_view what, std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t most = 100, shown = 20;  // more is a wall of text: the channels of a large model
  const std::string nearest = nearest_name(name, known);
  const std::string list =
      known.size() <= most ? joined(known) : fmt::format("{}, … ({} in all)", joined(known.first(shown)), known.size());
  return fmt::format("unknown {} '{}'{}; known: {}", what, name,
                     nearest.empty() ? std::string{} : fmt::format("; did you mean '{}'?", nearest), list);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n\f\v");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n\f\v") - first + 1);
}

std::string shortest(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);  // whatever its sign
}

}  // namespace rubato
