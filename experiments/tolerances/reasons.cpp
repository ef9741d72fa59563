#include "experiments/tolerances/reasons.hpp"

#include <algorithm>
#include <string_view>

namespace rubato::experiments::tolerances {

namespace {

/// What a look at runs has shown. Empty fields: any.
struct Finding {
  std::string_view goals, method, problem, formulation;  ///< goals: letters, s: the run stops
  std::string_view reason;
};

constexpr Finding findings[] = {
    {"ac", "", "prothero-robinson", "",
     "six to ten steps: the stiffness of 1e6 takes more from the filtered estimate than from the error (RADAU5 at "
     "1e-8: "
     "120 tolerances)"},
    {"ac", "radau5", "prothero-robinson-2", "",
     "at 1e-10 some steps (0.14 ms) are short enough to follow the vibration of 1000 rad/s, and no longer damp it"},
    {"", "", "slider-crank", "",
     "errors are relative to elastic deflections, some of them below 1e-4, tolerances are absolute for them (atol = "
     "rtol); RADAU5: up to 50,000 tolerances at index 2"},
    {"abc", "", "slider-crank-15", "",
     "errors are relative to elastic deflections, some of them below 1e-4, tolerances are absolute for them (atol = "
     "rtol); at loose tolerances it is chance which vibrations are followed"},
    {"s", "bdf", "slider-crank-15", "index-3",
     "rounding errors of positions are 1/h times as large in velocities, and h = 1e-6 s; the message says so"},
    {"s", "bdf", "robertson-dae", "",
     "atol = 1e-6 rtol is at the rounding errors of 0 = y1 + y2 + y3 - 1; the message names y3"},
    {"s", "bdf", "andrews", "index-3",
     "rounding errors of positions are 1/h times as large in velocities, and h = 1e-5 s; the message names a velocity"},
    {"s", "bdf", "viscoelastic-plate", "",
     "rounding errors, which Newton's iteration cannot reduce at 1e-10; the message says so"},
    {"a", "radau", "linear-dae", "index-1",
     "at 1e-9 the run follows a vibration that its neighbours damp: 284 steps, 88 at 1e-8 and at 1e-10"},
    {"a", "radau5", "andrews", "index-3",
     "rounding errors, 1/h times as large in velocities: 143 of 2120 attempts fail at 1e-10 (RADAU5: 5700 tolerances)"},
    {"b", "", "pendulum", "index-3", "at index 2 the error is below the tolerance by chance (RADAU5: 32 tolerances)"},
    {"b", "radau5", "overconstrained-loop", "index-3",
     "velocities have order 3 at index 3 and order 5 at index 2: errors of 500 steps add up"},
    {"b", "bdf", "andrews", "index-3",
     "index 2 is better than usual for bdf (3 tolerances at 1e-3); in state-space form it has 42"},
    {"c", "bdf", "andrews", "index-1", "accelerations keep the weight h with bdf, and errors of many steps add up"},
    {"b", "bdf", "heavy-top", "index-3",
     "as in state-space form; at index 2 the components of the angular velocity that turn with the body (150 rad/s) "
     "hold the steps shorter"},
    {"d", "bdf", "heavy-top", "", "150 rad/s: rtol = 1e-3 allows an error of 0.15 rad/s in each of 500 steps"},
    {"d", "bdf", "pendulum", "",
     "phase of the pendulum, as with RADAU5 (320 tolerances at index 1, 170 in state-space form)"},
    {"ac", "bdf", "stiff-spring-pendulum-source", "",
     "from 1e-8 on bdf follows the vibration of 1000 rad/s (10,000 steps; 1680 at 1e-7): what Newton's iteration "
     "leaves "
     "in positions is 1000 times as large in velocities"},
};

char letter_of(Goal goal) {
  constexpr std::string_view letters = "abcds";
  return letters[static_cast<std::size_t>(goal)];
}

bool speaks_of(const Finding& finding, const Miss& miss) {
  const auto is = [](std::string_view wanted, std::string_view name) { return wanted.empty() || wanted == name; };
  return (finding.goals.empty() || finding.goals.find(letter_of(miss.goal)) != std::string_view::npos) &&
         is(finding.method, miss.key.method) && is(finding.problem, miss.key.problem) &&
         is(finding.formulation, miss.key.formulation);
}

/// bdf aims at 1/32 of the tolerance in each step, and takes two evaluations a step: four times that sum.
bool adds_up(const Miss& miss) {
  const bool compares = miss.goal == Goal::as_index_2 || miss.goal == Goal::as_radau5;
  return miss.key.method == "bdf" && compares && miss.error <= 4 * (miss.work / 2) / 32;
}

}  // namespace

std::string reason_of(const Miss& miss) {
  switch (miss.excuse) {
    case Excuse::within_tolerance: return "within the tolerance";
    case Excuse::within_ten: return "within ten tolerances";
    case Excuse::chance: return "compared with chance";
    case Excuse::none: break;
  }
  const auto* const found = std::ranges::find_if(findings, [&](const Finding& f) { return speaks_of(f, miss); });
  if (found != std::end(findings)) return std::string(found->reason);
  if (adds_up(miss)) return "errors of many steps add up";
  return {};
}

}  // namespace rubato::experiments::tolerances
