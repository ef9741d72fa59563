#pragma once
/// What the table is held against: the same runs with earlier defaults, and those of RADAU5.
///
/// RADAU5 (E. Hairer, G. Wanner, unige.ch/~hairer/software.html) solved the forms of the catalogue outside this project: constant mass
/// matrices, where a form has another one with accelerations as further unknowns; its defaults, rtol = tolerance, atol and first step
/// those of our runs, indices of the variables as the form has them, Jacobians by our dual numbers.
#include <array>
#include <limits>
#include <map>
#include <string>

namespace rubato::experiments::tolerances {

inline constexpr std::array<double, 8> table_tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

/// One run as it is printed.
struct Figures {
  double error = std::numeric_limits<double>::quiet_NaN();  ///< over the tolerance; NaN: the run stopped
  double work = 0;
  long failed = 0;
};
using Line = std::array<Figures, table_tolerances.size()>;  ///< one run for each tolerance

struct Key {
  std::string problem, formulation, method;
  auto operator<=>(const Key&) const = default;
};
using Lines = std::map<Key, Line>;

/// By the same command, with earlier defaults.
[[nodiscard]] const Lines& before();
/// Only errors; the method is "RADAU5".
[[nodiscard]] const Lines& radau5();

}  // namespace rubato::experiments::tolerances
