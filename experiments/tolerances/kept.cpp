#include "experiments/tolerances/kept.hpp"

#include <cstdlib>
#include <span>
#include <string_view>

namespace rubato::experiments::tolerances {

namespace {

// problem;formulation;method, then for each tolerance error over tolerance/work/failed attempts
constexpr std::string_view lines_before[] = {
#include "kept/before.inc"
};
// problem;formulation, then for each tolerance error over tolerance
constexpr std::string_view lines_of_radau5[] = {
#include "kept/radau5.inc"
};

/// The text up to the next `separator`, which is taken away from the front.
std::string take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string word(text.substr(0, end));
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

Lines read(std::span<const std::string_view> texts, const std::string& method) {
  Lines lines;
  for (std::string_view text : texts) {
    Key key{.problem = take(text, ';'), .formulation = take(text, ';'), .method = method};
    if (method.empty()) key.method = take(text, ';');
    Line line;
    for (Figures& run : line) {
      const std::string cell = take(text, ';');
      std::string_view rest = cell;
      if (const std::string error = take(rest, '/'); error != "stops") run.error = std::atof(error.c_str());
      run.work = std::atof(take(rest, '/').c_str());
      run.failed = std::atol(take(rest, '/').c_str());
    }
    lines.emplace(std::move(key), line);
  }
  return lines;
}

}  // namespace

const Lines& before() {
  static const Lines lines = read(lines_before, "");
  return lines;
}

const Lines& radau5() {
  static const Lines lines = read(lines_of_radau5, "RADAU5");
  return lines;
}

}  // namespace rubato::experiments::tolerances
