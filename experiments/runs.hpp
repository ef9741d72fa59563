#pragma once
/// Running a set-up of the literature and keeping what tables and pictures need.
#include <string>
#include <string_view>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "experiments/experiment.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato::experiments {

struct Setup {
  std::string problem;
  catalogue::Parameters parameters = {};
  std::string formulation = {};
  std::string method = "radau5";
  IntegrateOptions options = {};
};

/// RADAU5: its method, error weights from the start of a step, tolerances mapped as it does, its controller, its κ of Newton's iteration.
[[nodiscard]] IntegrateOptions radau5_mode(double tolerance, double initial_step);
/// SPARK3 as far as it is known: tolerances as given, elementary controller.
[[nodiscard]] IntegrateOptions spark3_mode(double tolerance, double initial_step);
/// The same with other powers of h for single components: h-scaling by hand.
[[nodiscard]] IntegrateOptions scaled(IntegrateOptions options, std::vector<std::pair<std::string, double>> powers);
/// The same with stiff coordinates to be found.
[[nodiscard]] IntegrateOptions detecting(IntegrateOptions options, StiffnessOptions stiffness);

struct Outcome {
  std::string trouble = {};  ///< empty: the run reached its end
  catalogue::Instance instance = {};
  RunSummary summary = {};
  bool ran = false;  ///< the counters mean something
  // Every accepted step, where asked for.
  std::vector<std::string> names = {};
  std::vector<double> times = {};
  std::vector<std::vector<double>> columns = {};  ///< one per name
  std::vector<double> step_times = {}, step_sizes = {};
  std::vector<std::string> stiff = {};

  [[nodiscard]] const std::vector<double>& column(std::string_view name) const;
};

enum class Keep : std::uint8_t { end, steps };
/// `times`: the solution is kept at these instead of at the steps.
[[nodiscard]] Outcome execute(const Setup& setup, const Control& control, Keep keep = Keep::end,
                              std::vector<double> times = {});

/// Against the catalogue's reference at the end; `stiff` names positions.
[[nodiscard]] Errors end_errors(const Outcome& outcome, const std::vector<std::string>& stiff);

/// Runs and compares. `stiff`: positions whose errors are shown apart.
[[nodiscard]] Comparison compared(const std::string& run, std::optional<Counters> published, std::string rerun,
                                  const Setup& setup, const Control& control,
                                  const std::vector<std::string>& stiff = {});

/// Step sizes as a staircase would be too many points: one per accepted step, at its end.
[[nodiscard]] io::Series step_series(const std::string& name, const Outcome& outcome);

/// low … high in n steps, equidistant, or in equal ratios.
[[nodiscard]] std::vector<double> spaced(double low, double high, int n, bool logarithmic = false);

template <class Function>
[[nodiscard]] io::Series curve(const std::string& name, const std::vector<double>& x, const Function& f) {
  io::Series series{.name = name, .x = x};
  for (const double v : x) series.y.push_back(f(v));
  return series;
}

}  // namespace rubato::experiments
