#pragma once
/// Publications whose numbers we can be held against: one driver each, made of parts, one per table or figure.
///
/// A part runs the published set-up with this library and puts the published counters beside ours. Nothing here decides
/// whether we are right: it shows both, and says in words why they differ.
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/io/svg_plot.hpp"
#include "rubato/io/table.hpp"

namespace rubato::experiments {

/// NSTEPS, NACCPT, NREJCT, NCTF: attempts, accepted, rejected by the error test, failures of Newton's iteration. What a
/// publication does not print is negative.
struct Counters {
  long steps = -1, accepted = -1, rejected = -1, failed = -1;
};

/// Largest errors at the end of a run; NaN where no reference is known, or no coordinate is of this kind.
struct Errors {
  double q_stiff, q_other, v_stiff, v_other;
};

/// One row of a published table and our run of it.
struct Comparison {
  std::string run;                      ///< in words: what distinguishes it from the other rows
  std::optional<Counters> published{};  ///< nothing: a run the publication does not have
  std::string rerun = {};  ///< NSTEPS/NACCPT/… of other codes on the same set-up, where the specification has them
  std::optional<Counters> ours{};
  std::string trouble = {};  ///< why there is no number of ours, or what it is worth
  std::optional<Errors> errors{};
  long f_calls = 0;
  std::vector<std::string> stiff = {};  ///< coordinates that were found stiff
};

struct Picture {
  std::string name;     ///< of the file, without ending
  std::string caption;  ///< one sentence
  io::Figure figure;
};

/// What a part found. `runs` and `values` are alternatives.
struct Section {
  std::string setting = {};  ///< problem, method, options
  std::vector<Comparison> runs = {};
  io::Table values = {};
  std::string difference = {};  ///< why our numbers are not the published ones
  std::vector<Picture> pictures = {};
};

/// What the caller may say to a running part, and what it may say back.
struct Control {
  const std::atomic<bool>* stop = nullptr;           ///< set: the run ends, the part returns what it has
  std::function<void(const std::string&)> say = {};  ///< progress, one line
  [[nodiscard]] bool stopped() const noexcept { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

struct Part {
  std::string name;   ///< "table-5.1", "figure-3.2"
  std::string title;  ///< one line
  std::function<Section(const Control&)> make = {};
  bool pictures_only = false;  ///< nothing to print: a figure
};

struct Experiment {
  std::string name;   ///< of `rubato reproduce NAME`
  std::string title;  ///< one line
  std::string source;
  std::string introduction;  ///< of the report
  std::vector<Part> parts;
  std::string missing = {};  ///< what the publication has and the parts do not
};

/// The one list: command line, help and tests derive from it.
[[nodiscard]] std::span<const Experiment> experiments();
[[nodiscard]] std::vector<std::string> experiment_names();
/// The error names the nearest known experiment.
[[nodiscard]] Result<const Experiment*> experiment_by_name(std::string_view name);
/// Parts by name, or by number: "5.4" is table 5.4 and figure 5.4. Nothing asked for: all. The error names the nearest.
[[nodiscard]] Result<std::vector<const Part*>> chosen_parts(const Experiment& experiment,
                                                            std::span<const std::string> only);

/// The runs or values of a section. For people counters stand together ("266/215/51"), for programs in a column each.
[[nodiscard]] io::Table table_of(const Section& section, io::TableFormat format);

/// A part with what it found.
struct Finding {
  const Part* part = nullptr;
  Section section;
};
/// The report as Markdown; pictures are linked as FOLDER/NAME.svg.
[[nodiscard]] std::string markdown(const Experiment& experiment, std::span<const Finding> findings,
                                   std::string_view picture_folder);

}  // namespace rubato::experiments
