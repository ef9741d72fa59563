#pragma once
/// What default methods promise, as rules over lines of the table; e(t): error at tolerance t.
///
///   a  the error falls with the tolerance: e(t) ≤ 2 e(s) for every looser s
///   b  index 3, GGL and ε²λ forms end near the index-2 form: e(t) ≤ 10 e(t) of the same method there
///   c  e(t) ≤ 3 e(t) of RADAU5, where RADAU5 solves the form
///   d  e(t) ≤ 0.1: whatever ends has a digit
///   e  the run ends
#include <string>
#include <vector>

#include "experiments/tolerances/kept.hpp"

namespace rubato::experiments::tolerances {

enum class Goal : std::uint8_t { falls, as_index_2, as_radau5, has_a_digit, ends };
inline constexpr Goal all_goals[] = {Goal::falls, Goal::as_index_2, Goal::as_radau5, Goal::has_a_digit, Goal::ends};
/// One sentence.
[[nodiscard]] std::string to_string(Goal goal);

/// Why a miss may be no fault of the method. The first that holds.
enum class Excuse : std::uint8_t {
  within_tolerance,  ///< e ≤ t: what it is compared with is better than asked for
  within_ten,        ///< e ≤ 10 t: the usual distance of an error at the end from a tolerance per step
  chance,  ///< what it is compared with is small by chance: against its neighbours the goal holds; for a: against the next
           ///< one, or the only one is below its tolerance
  none
};
inline constexpr Excuse all_excuses[] = {Excuse::within_tolerance, Excuse::within_ten, Excuse::chance, Excuse::none};

struct Miss {
  Goal goal = Goal::ends;
  Key key = {};
  std::size_t tolerance = 0;  ///< index in table_tolerances
  double error = 0;           ///< over the tolerance
  double factor = 0;          ///< over what it is compared with
  double work = 0;
  Excuse excuse = Excuse::none;
};

/// All misses in one line. `lines`: where its index-2 form is looked up.
[[nodiscard]] std::vector<Miss> misses(const Key& key, const Line& line, const Lines& lines, const Lines& radau5);
/// How many runs of a line a goal speaks of.
[[nodiscard]] int judged(Goal goal, const Key& key, const Line& line, const Lines& lines, const Lines& radau5);

/// Work of `now` over that of `before` at equal digits: lower envelopes of the points (digits, log work), above half a digit, interpolated over the digits
/// both reach; geometric mean. NaN where they share less than 0.3 digits or either has fewer than two points.
[[nodiscard]] double work_at_equal_digits(const Line& before, const Line& now);

}  // namespace rubato::experiments::tolerances
