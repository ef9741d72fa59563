#pragma once
/// Do default methods keep their tolerance? Every smooth problem of the catalogue, in every formulation, with the methods users take
/// first and tolerances from 1e-3 to 1e-10. Our own claim, not a publication's.
#include <span>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/tolerances/kept.hpp"

namespace rubato::experiments {

namespace tolerances {

inline const std::vector<std::string> table_methods = {"radau",   "radau5",  "bdf",
                                                       "rodas4p", "rodas5p", "generalized-alpha"};

/// One run of the table.
struct Row {
  std::string problem, formulation, method;
  double tolerance = 0;
  std::string trouble = {};  ///< empty: the run reached its end
  double error = 0;          ///< in the measure of the problem; NaN where the run did not end
  long accepted = 0, rejected = 0, failed = 0;
  double work = 0;  ///< f-equivalents, see work_of
};

struct Selection {
  std::vector<std::string> formulations = {};  ///< empty: all of the problem
  std::vector<std::string> methods = {};       ///< empty: those of the table
  std::vector<double> tolerances = {};         ///< empty: those of the table
};

/// Problems of the table: with a reference, without events and not large.
[[nodiscard]] std::vector<std::string> problems();
/// All runs of one problem, in the order formulation, method, tolerance. Runs are independent and use all threads.
[[nodiscard]] std::vector<Row> rows(const std::string& problem, const Selection& selection, const Control& control);

/// Rows of all tolerances of the table, a line for each formulation and method. Methods that refuse a formulation are left out.
[[nodiscard]] Lines lines_of(const std::vector<Row>& rows);

}  // namespace tolerances

[[nodiscard]] Experiment tolerance_table();

}  // namespace rubato::experiments
