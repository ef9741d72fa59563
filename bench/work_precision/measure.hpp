#pragma once
/// Time against error: what every program that compares solvers needs.
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "peers.hpp"
#include "rubato/integrate/method.hpp"

namespace rubato::bench {

/// One solver at one tolerance. The rows of a solver follow each other, tolerances falling.
struct Row {
  std::string solver = {};
  double tolerance = 0;
  double digits = 0;
  Run run = {};
  double seconds = std::numeric_limits<double>::infinity();
  bool lost = false;  ///< did not finish or reached no digit
  bool hopeless =
      false;  ///< takes too many steps or seconds, here or at a larger tolerance: tighter ones are not tried
};

/// CPU time of this thread.
[[nodiscard]] double cpu_seconds() noexcept;

[[nodiscard]] Run run_rubato(const InitialValueProblem& problem, const Method& method, const Accuracy& accuracy,
                             long max_steps);

struct Judgement {
  double digits = 0;
  bool hopeless = false;
};
/// Every run of every row, repeated in turns so that a disturbance of the machine meets all alike; `judge` looks at the
/// first run that a row completed.
void measure_in_turns(std::vector<Row>& rows, const std::vector<std::function<Run()>>& runs, int repeats,
                      const std::function<Judgement(const Row&)>& judge);

/// What it takes a solver to reach so many digits: counters and time, interpolated (logarithmically) between two of its
/// tolerances. A tolerance counts for the least digits of it and all tighter ones: no solver is praised for a lucky run.
struct Cost {
  double steps = 0, f_calls = 0, jacobians = 0, factorisations = 0, seconds = 0;
};
[[nodiscard]] std::optional<Cost> cost_of(const std::vector<Row>& rows, const std::string& solver, double digits);

[[nodiscard]] std::vector<std::string> solvers_of(const std::vector<Row>& rows);

/// Machine, compiler, commit and peers, as lines of text.
[[nodiscard]] std::string circumstances();

}  // namespace rubato::bench
