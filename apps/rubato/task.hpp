#pragma once
/// From names to something that runs: what all commands share.
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/io/run_file.hpp"

namespace rubato::app {

/// A problem with its method. `config` is complete: every default that was chosen is written into it.
struct Task {
  io::RunConfig config;
  catalogue::Instance instance;
  const Method* method = nullptr;
  std::vector<std::size_t> recorded;  ///< channels kept while running; empty: all
  std::vector<std::string> chosen;    ///< entries of solver.atol_of that nobody gave
  std::vector<std::string> notes;     ///< what was chosen for the user, one sentence each
};

/// A run file, or a problem of the catalogue by its name, with overrides.
[[nodiscard]] Result<io::RunConfig> named_config(const std::string& file_or_problem,
                                                 const std::vector<std::string>& overrides);
/// Looks up every name; an error names the place in the run file or on the command line.
[[nodiscard]] Result<Task> make_task(io::RunConfig config);

/// The method has an error estimate and is meant for this Dae with derivatives from this source.
[[nodiscard]] bool suits(const MethodInfo& info, const Dae& dae, JacobianSource jacobian);
/// The model's own Jacobian would be used, and is only approximate.
[[nodiscard]] bool approximate(const Dae& dae, JacobianSource jacobian);
/// A method whose table depends on the component: lobatto-iiic+iiid.
[[nodiscard]] bool is_strategy(const MethodInfo& info);
/// Detection was asked for and the method can do it, or the method does it by itself.
[[nodiscard]] bool looks_for_stiffness(const Task& task);
/// Names of options as run files have them: "step.max_steps" of the library is their "solver.max_steps".
[[nodiscard]] std::string in_run_file_words(std::string message);

/// Rounded to two decimal digits: absolute tolerances that were chosen are shown and written so.
[[nodiscard]] double two_digits(double value);
/// The tolerances of a task at another rtol: absolute ones that were chosen for it follow in proportion, those given stay.
[[nodiscard]] Tolerances tolerances_at(const Task& task, double rtol);

/// The state at t_end, exact or computed with tight tolerances.
struct ReferenceState {
  Vector x, base;
  std::string origin;  ///< in words
};
[[nodiscard]] Result<ReferenceState> reference_state(const Task& task, double tolerance);

/// "rubato: sentence" to stderr, for every line; returns wrong_input.
int complain(const Error& error);
void note(std::string_view sentence);

}  // namespace rubato::app
