#pragma once
/// Pieces of C99 text.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "realtime/step_program.hpp"

namespace rubato::realtime {

/// Reads back as the same double, and is a double in C.
[[nodiscard]] std::string c_number(double value);

/// "static const TYPE NAME[] = {…};", of the smallest type that holds the numbers; C knows no empty arrays: {0} instead.
[[nodiscard]] std::string c_table(std::string_view name, std::span<const int> values);
[[nodiscard]] std::string c_table(std::string_view name, std::span<const double> values);
/// "const char *const NAME[] = {…};"
[[nodiscard]] std::string c_names(std::string_view name, std::span<const std::string> texts);

/// Where a program finds its variables and leaves its results: members of the struct that `s` points to.
struct CContext {
  std::string type;      ///< of *s
  std::string unknowns;  ///< "x"
  int n_unknowns = 0, n_inputs = 0;
};

/// A program as functions of at most so many statements, called one after the other by `void NAME(TYPE *s)`. What one computes and
/// another needs stands in s->w.
struct CProgram {
  std::string text;
  int n_shared = 0;  ///< numbers in s->w
};
[[nodiscard]] CProgram c_program(const StraightLine& program, std::string_view name, const CContext& context,
                                 int largest_function = 1500);

/// `int solve(TYPE *s)`: s->delta = A⁻¹ f from s->a by tables, 0 where A is singular; and the arrays it needs in the struct.
struct CSolver {
  std::string text, members, initialisation;
};
[[nodiscard]] CSolver c_solver(const Plan& plan, std::string_view type);

/// `double backward_error(const TYPE *s)` of s->a, s->f, s->delta: ResidualMonitor.
[[nodiscard]] std::string c_monitor(const SparsePattern& a, std::string_view type);

}  // namespace rubato::realtime
