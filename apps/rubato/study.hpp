#pragma once
/// What converge and compare share: several methods on one problem against one reference.
#include <initializer_list>

#include "command.hpp"
#include "output_folder.hpp"
#include "rubato/io/svg_plot.hpp"
#include "rubato/io/table.hpp"
#include "task.hpp"

namespace rubato::app {

struct Study {
  std::vector<Task> tasks;  ///< one per method
  ReferenceState reference;
  io::TableFormat format = io::TableFormat::text;
};

/// Every method checked before anything runs; the reference computed once, for the first method's formulation (methods
/// that need another one get the same motion written in theirs). `own_keys` are the study's to choose: refused in --set.
[[nodiscard]] Result<Study> make_study(const StudyArguments& arguments,
                                       std::initializer_list<std::string_view> own_keys);
[[nodiscard]] Result<ReferenceState> reference_for(const Study& study, const Task& task, double tolerance);

/// One run, quiet unless it is long; counts as interrupted after Ctrl-C.
[[nodiscard]] Result<RunSummary> run_quietly(const Task& task, const IntegrateOptions& options);

/// The table to stdout; with a folder also NAME.csv and NAME.svg there.
[[nodiscard]] int show(OutputFolder& folder, const Study& study, std::string_view name, const io::Table& table,
                       const io::Figure& figure);

}  // namespace rubato::app
