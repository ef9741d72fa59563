#pragma once
/// The one list of methods: names, help, docs, tests and bindings derive from it.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/integrate/stepper.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato {

/// Properties of a method, computed from its coefficients.
struct MethodInfo {
  std::string name;
  std::string
      kind;  ///< "Runge-Kutta" (iterative), "multistep" (iterative, remembers), "Rosenbrock" (linearly implicit), …
  std::string help;
  std::string reference;
  int order = 0;
  int embedded_order = 0;  ///< 0: no error estimate
  int dense_order = 0;
  int stages = 0;
  int f_calls = 0;  ///< per step of an autonomous problem; 0: iterative, as many as it takes
  bool stiffly_accurate = false;
  bool a_stable = false;
  double r_infinity = 0;  ///< R(∞)
  int max_index = 1;      ///< the highest differentiation index the method is meant for
  bool needs_constant_mass = true;
  bool needs_exact_jacobian = true;
  // Where the run does not choose: shrink_limit ≤ h_new/h ≤ growth_limit.
  double shrink_limit = default_shrink_limit;
  double growth_limit = default_growth_limit;
};

struct Method {
  MethodInfo info;
  /// Refuses problems outside the method's class with the reason and a way out.
  Result<std::unique_ptr<Stepper>> (*make)(const MethodInfo& info, const InitialValueProblem& problem,
                                           const IntegrateOptions& options) = nullptr;
};

/// Where nothing else is said: runs problems of index 0 to 3, with any mass matrix and with approximate Jacobians.
inline constexpr std::string_view default_method = "radau";

[[nodiscard]] std::span<const Method> methods();
[[nodiscard]] std::vector<std::string> method_names();
/// By name; the error names the nearest known one.
[[nodiscard]] Result<const Method*> method_by_name(std::string_view name);

}  // namespace rubato
