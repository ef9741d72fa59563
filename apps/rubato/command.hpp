#pragma once
/// What main.cpp understood of the command line, and the commands that do it. CLI11 is seen by main.cpp only.
#include <optional>
#include <string>
#include <vector>

namespace rubato::app {

/// not_written: results or output could not be written; what was saved is said.
enum ExitCode : int { done = 0, numerical_failure = 1, wrong_input = 2, not_written = 3, interrupted = 130 };

struct RunArguments {
  std::string file;
  std::string folder;  ///< empty: results/NAME
  std::string method;  ///< empty: the file's
  std::vector<std::string> set;
  std::string tune;  ///< a file of rates; empty: none
  bool resume = false;
};
[[nodiscard]] int run(const RunArguments& arguments);

struct ListArguments {
  std::string what;
  std::string format = "text";
};
[[nodiscard]] int list(const ListArguments& arguments);
[[nodiscard]] std::vector<std::string> list_topics();

struct CheckArguments {
  std::string what;  ///< a run file, a problem, or a folder of results
  std::vector<std::string> set;
};
[[nodiscard]] int check(const CheckArguments& arguments);

struct StaticArguments {
  std::string file;
  std::string folder;  ///< empty: no files
  std::string format = "text";
  std::vector<std::string> set;
};
[[nodiscard]] int equilibria(const StaticArguments& arguments);

struct AnalyseArguments {
  std::string method;  ///< a Runge-Kutta family with stages and theta, or a Rosenbrock method
  std::string folder;  ///< empty: no pictures
  std::string format = "text";
};
[[nodiscard]] int analyse(const AnalyseArguments& arguments);

/// converge and compare.
struct StudyArguments {
  std::string problem;
  std::string formulation;
  std::vector<std::string> methods;  ///< empty: all that suit the problem
  std::vector<long> steps;
  std::vector<double> tolerances;
  double reference_tolerance = 1e-12;
  std::string folder;  ///< empty: no files
  std::string format = "text";
  std::vector<std::string> set;
};
[[nodiscard]] int converge(const StudyArguments& arguments);
[[nodiscard]] int compare(const StudyArguments& arguments);

struct ReproduceArguments {
  std::string name;
  bool list = false;              ///< show what there is instead
  std::vector<std::string> only;  ///< tables and figures; empty: all
  std::string folder;             ///< empty: tables to stdout, no pictures
  std::string format = "text";
};
[[nodiscard]] int reproduce(const ReproduceArguments& arguments);

struct FitArguments {
  std::string file;
  std::vector<std::string> laws;  ///< empty or "all": the usual ones, compared
  std::string residuals = "relative";
  std::vector<std::string> weights;  ///< MODE=NUMBER
  bool stable = false;
  std::string folder;  ///< empty: no files
  std::string format = "text";
};
[[nodiscard]] int fit(const FitArguments& arguments);

struct TuneArguments {
  std::string file = "tune.toml";
};
[[nodiscard]] int tune(const TuneArguments& arguments);

/// rubato realtime analyse.
struct PlanArguments {
  std::string model;  ///< a file or a problem
  std::string formulation;
  std::vector<std::string> set;
  std::string step;  ///< with its unit
  double rho = 0.1;
  double rho_m = 0;  ///< 0: a hundredth of rho
  double growth = 1e-4;
  int samples = 13;
  long budget = 4000;
  bool whole = false, keep_algebraic = false, columns = false;
  std::vector<std::string> keep;  ///< EQUATION:UNKNOWN
  double deviation = 0;           ///< % of the range, from the whole Jacobian; 0: eigenvalues decide alone
  std::vector<std::string> watch;
  std::string back_end = "auto";
  std::string time = "start";
  bool damping = false;
  std::vector<int> step_numbers = {1};  ///< of extrapolation
  double drop_below = 0;                ///< in every step
  int projections = 0;                  ///< onto the constraints of a mechanism, per step
  double rtol = 1, atol = 1;            ///< of the error estimate
  std::string file = "plan.toml";       ///< or a folder: plan.toml in it, and the pictures
  std::string pictures;                 ///< a folder; empty: none
  std::string format = "text";
};
[[nodiscard]] int realtime_analyse(const PlanArguments& arguments);

/// rubato realtime run.
struct RealtimeRunArguments {
  std::string plan;
  std::vector<std::string> set;
  std::string duration;       ///< with its unit; empty: the model's
  std::optional<long> steps;  ///< none: by the duration
  std::optional<long> every;  ///< steps between rows; none: chosen
  std::vector<std::string> channels;
  bool free_run = false, lock_memory = false, continue_on_failure = false;
  std::optional<int> cpu, priority;
  std::string shared_memory, udp;    ///< NAME, IN:OUT
  std::optional<int> udp_from;       ///< the only port that inputs come from
  std::vector<double> first_inputs;  ///< until the controller has others; one for all; empty: the model's
  std::string folder;                ///< empty: results/PLAN
};
[[nodiscard]] int realtime_run(const RealtimeRunArguments& arguments);

/// rubato realtime export.
struct RealtimeExportArguments {
  std::string plan;
  std::string folder;
  std::string name;  ///< of files and functions; empty: the model's
  std::string factorisation = "auto";
};
[[nodiscard]] int realtime_export(const RealtimeExportArguments& arguments);

}  // namespace rubato::app
