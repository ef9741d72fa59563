#include "experiments/tolerances/goals.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace rubato::experiments::tolerances {

namespace {

constexpr double slack = 2, of_index_2 = 10, of_radau5 = 3, a_digit = 0.1;

/// Error, not over the tolerance.
double error_of(const Line& line, std::size_t i) { return line[i].error * table_tolerances[i]; }

bool at_position_level(const std::string& formulation) {
  return formulation == "index-3" || formulation == "ggl" || formulation.starts_with("eps-lambda");
}

const Line* find(const Lines& lines, const Key& key) {
  const auto found = lines.find(key);
  return found == lines.end() ? nullptr : &found->second;
}

/// What b compares with; nothing where the goal does not speak of the line.
const Line* index_2_of(const Key& key, const Lines& lines) {
  if (!at_position_level(key.formulation)) return nullptr;
  return find(lines, {key.problem, "index-2", key.method});
}

Excuse by_size(double error) {
  return error <= 1 ? Excuse::within_tolerance : error <= 10 ? Excuse::within_ten : Excuse::none;
}

/// Against another line, at most `factor` times its errors.
std::optional<Miss> against(const Line& line, const Line& other, std::size_t i, double factor) {
  const double e = line[i].error, o = other[i].error;
  if (!(e > factor * o)) return {};
  Miss miss{.tolerance = i, .error = e, .factor = e / o, .excuse = by_size(e)};
  if (miss.excuse != Excuse::none) return miss;
  for (const std::size_t j : {i - 1, i + 1})  // i − 1 wraps around
    if (j < other.size() && e <= factor * other[j].error) miss.excuse = Excuse::chance;
  return miss;
}

/// Against looser tolerances of its own.
std::optional<Miss> not_falling(const Line& line, std::size_t i) {
  std::vector<double> looser;
  for (std::size_t j = 0; j < i; ++j)
    if (!std::isnan(line[j].error)) looser.push_back(error_of(line, j));
  std::sort(looser.begin(), looser.end());
  const double e = error_of(line, i);
  if (looser.empty() || !(e > slack * looser[0])) return {};
  Miss miss{.tolerance = i, .error = line[i].error, .factor = e / looser[0], .excuse = by_size(line[i].error)};
  const bool by_chance = looser.size() > 1 ? e <= slack * looser[1] : looser[0] <= table_tolerances[0];
  if (miss.excuse == Excuse::none && by_chance) miss.excuse = Excuse::chance;
  return miss;
}

using Point = std::pair<double, double>;  // digits, log10 of the work

/// The least work for at least so many digits, by rising digits.
std::vector<Point> envelope(const Line& line) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const double digits = -std::log10(std::max(error_of(line, i), 1e-16));
    if (!std::isnan(line[i].error) && line[i].work > 0 && digits >= 0.5)
      points.emplace_back(digits, std::log10(line[i].work));
  }
  std::sort(points.begin(), points.end());
  std::vector<Point> least;
  for (auto point = points.rbegin(); point != points.rend(); ++point)
    if (least.empty() || point->second < least.back().second - 1e-12) least.push_back(*point);
  std::reverse(least.begin(), least.end());
  return least;
}

double interpolated(const std::vector<Point>& points, double digits) {
  for (std::size_t i = 1; i < points.size(); ++i)
    if (digits <= points[i].first || i + 1 == points.size()) {
      const double share = (digits - points[i - 1].first) / (points[i].first - points[i - 1].first);
      return std::lerp(points[i - 1].second, points[i].second, std::clamp(share, 0.0, 1.0));
    }
  return points[0].second;
}

}  // namespace

std::string to_string(Goal goal) {
  switch (goal) {
    case Goal::falls: return "a: at most twice the error of any looser tolerance";
    case Goal::as_index_2: return "b: index 3, GGL, ε²λ at most 10 times the error at index 2";
    case Goal::as_radau5: return "c: at most 3 times the error of RADAU5";
    case Goal::has_a_digit: return "d: a digit";
    case Goal::ends: break;
  }
  return "the run ends";
}

int judged(Goal goal, const Key& key, const Line& line, const Lines& lines, const Lines& radau5) {
  const Line* other = nullptr;
  if (goal == Goal::as_index_2) other = index_2_of(key, lines);
  if (goal == Goal::as_radau5) other = find(radau5, {key.problem, key.formulation, "RADAU5"});
  const bool compares = goal == Goal::as_index_2 || goal == Goal::as_radau5;
  if (compares && other == nullptr) return 0;
  int n = 0;
  for (std::size_t i = goal == Goal::falls ? 1 : 0; i < line.size(); ++i) {
    const bool ended = !std::isnan(line[i].error), other_ended = !compares || !std::isnan((*other)[i].error);
    n += goal == Goal::ends || (ended && other_ended) ? 1 : 0;
  }
  return n;
}

std::vector<Miss> misses(const Key& key, const Line& line, const Lines& lines, const Lines& radau5) {
  std::vector<Miss> found;
  const auto add = [&](Goal goal, std::optional<Miss> miss) {
    if (!miss) return;
    miss->goal = goal;
    miss->key = key;
    miss->work = line[miss->tolerance].work;
    found.push_back(*std::move(miss));
  };
  const Line* index_2 = index_2_of(key, lines);
  const Line* peer = find(radau5, {key.problem, key.formulation, "RADAU5"});
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (std::isnan(line[i].error)) {
      add(Goal::ends, Miss{.tolerance = i, .error = line[i].error});
      continue;
    }
    add(Goal::falls, not_falling(line, i));
    if (index_2 != nullptr) add(Goal::as_index_2, against(line, *index_2, i, of_index_2));
    if (peer != nullptr) add(Goal::as_radau5, against(line, *peer, i, of_radau5));
    if (error_of(line, i) > a_digit)
      add(Goal::has_a_digit, Miss{.tolerance = i, .error = line[i].error, .factor = error_of(line, i) / a_digit});
  }
  return found;
}

double work_at_equal_digits(const Line& before, const Line& now) {
  const auto old = envelope(before), fresh = envelope(now);
  if (old.size() < 2 || fresh.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const double low = std::max(old.front().first, fresh.front().first);
  const double high = std::min(old.back().first, fresh.back().first);
  if (high < low + 0.3) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  constexpr int intervals = 20;
  for (int i = 0; i <= intervals; ++i) {
    const double digits = low + (high - low) * i / intervals;
    sum += interpolated(fresh, digits) - interpolated(old, digits);
  }
  return std::pow(10.0, sum / (intervals + 1));
}

}  // namespace rubato::experiments::tolerances
