#pragma once
/// Run files: a TOML text that says what to run, how, and what to keep.
///
/// One table of keys (`run_file_keys`) drives everything: reading and checking, the text of effective options kept in
/// results, `rubato list keys` and the table in docs/run-file.md. A further key is one line there.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/io/svg_plot.hpp"

namespace rubato::io {

struct ModelFile;  // model_file.hpp
struct SolidFile;  // solid_file.hpp

using NamedValues = std::vector<std::pair<std::string, double>>;

struct OutputConfig {
  double every = 0;                ///< s between rows; 0: not used
  std::vector<double> times = {};  ///< rows at these times
  std::string steps = {};          ///< "all": a row per accepted step, also what happens when nothing is chosen
  std::vector<std::string> formats = {"csv", "hdf5", "svg"};  ///< and "vtu" with a model, unless written down
  double animation_every = 0;              ///< s between the frames of an animation; 0: a hundredth of the run
  std::vector<std::string> channels = {};  ///< kept in the files of the solution; empty: all
  std::vector<std::string> plot = {};      ///< channels of the picture; empty: all unknowns
  Scale time_axis = Scale::linear;         ///< of the pictures
  long checkpoint_every = -1;  ///< accepted steps; 0: none, −1: by the size of the model, checkpoint_every_of
};

/// What a run file says. Names (of problems, parameters, methods, channels) are checked by those who know them, with
/// `RunConfig::at` for the place.
struct RunConfig {
  std::string title = {};
  std::string problem = {};                     ///< of the catalogue; with a model, the name of its file
  std::shared_ptr<const ModelFile> model = {};  ///< of a file with [[body]]
  std::shared_ptr<const SolidFile> solid = {};  ///< of a file with [solid]; neither: a problem of the catalogue
  std::string formulation = {};                 ///< empty: the problem's own choice
  NamedValues parameters = {};
  std::string method = {};  ///< empty: the default, radau
  IntegrateOptions options = {};
  std::optional<double> t_start = {}, t_end = {};  ///< nothing: the problem's own
  OutputConfig output = {};

  std::map<std::string, std::string, std::less<>> places = {};  ///< key → "file:line:column" or "--set key"

  [[nodiscard]] bool has_model() const noexcept { return model != nullptr || solid != nullptr; }
  /// "file:line:column: key: sentence" or "--set key: sentence"; without a place of its own, that of the table or file.
  [[nodiscard]] Error at(std::string_view key, std::string_view sentence) const;
};

/// One of several values of a key.
struct Choice {
  std::string name;
  std::uint8_t value = 0;  ///< the enumerator
  std::string help;
};

/// Where a key's value lives; the alternative is the key's type.
using Field = std::variant<std::string*, double*, std::optional<double>*, long*, int*, bool*, std::uint8_t*,
                           std::vector<double>*, std::vector<std::string>*, NamedValues*>;

struct Key {
  std::string name;  ///< "solver.rtol"
  std::string help;
  std::string unit = {};
  double min = -1e300, max = 1e300;
  bool min_excluded = false;
  bool may_be_infinite = false;
  std::vector<Choice> choices = {};  ///< of a text or of the entries of a list
  std::string default_text = {};     ///< where the default value does not speak for itself
  Field (*field)(RunConfig& config) = nullptr;
};

[[nodiscard]] std::span<const Key> run_file_keys();
[[nodiscard]] const Key* find_key(std::string_view name);
/// The first key of this name in any table: `solver.rtol` where somebody wrote `rtol`; or null.
[[nodiscard]] const Key* key_ending_in(std::string_view last);
/// "a number ≥ 0", "one of rms, maximum, euclidean".
[[nodiscard]] std::string allowed_values(const Key& key);
/// The default as it would stand in a file, or in words.
[[nodiscard]] std::string default_value(const Key& key);
/// The configuration holds the default here, written down or not.
[[nodiscard]] bool is_default(const RunConfig& config, const Key& key);

/// Reads a run file (or a model file with the tables of a run file), then applies overrides "key=value" in order (value: TOML,
/// bare words are texts; a key without a dot is a parameter of the problem, whose names the caller knows). Every mistake is
/// reported, one line each: "file:line:column: key: value, allowed".
[[nodiscard]] Result<RunConfig> read_run_file(const std::filesystem::path& file,
                                              std::span<const std::string> overrides = {});
[[nodiscard]] Result<RunConfig> parse_run_file(std::string_view text, std::string_view file_name,
                                               std::span<const std::string> overrides = {});
/// No file: a named problem and overrides.
[[nodiscard]] Result<RunConfig> make_run_config(std::string_view problem, std::span<const std::string> overrides = {});

/// All options as a run file, defaults included: what results carry. Reading it gives the same configuration.
[[nodiscard]] std::string to_toml(const RunConfig& config);

/// Accepted steps between checkpoints of a model with n unknowns, 3·10⁵/n but 20 to 1000: seldom enough to cost a hundredth of the run (a
/// checkpoint renews J, its pattern and the factors, at the price of a step), often enough that an interruption undoes few steps where
/// steps are dear. (examples/bushing.toml, 6048 unknowns: 49.)
[[nodiscard]] long checkpoint_every_of(int n) noexcept;

/// Refuses what the interval makes of output.every, output.times, output.animation_every and solver.fixed_step: more rows (1e7), frames (1e5)
/// or steps (1e9) than anybody can want, times outside of it; and intervals too short for numbers to divide them.
[[nodiscard]] Result<void> checked_times(const RunConfig& config, double t_start, double t_end);
/// t_start + i · every up to t_end, which is always the last; every: at least 1e-7 of the interval (checked_times).
[[nodiscard]] std::vector<double> regular_times(double every, double t_start, double t_end);
/// The rows of output.every or output.times in [t_start, t_end]; empty: every step.
[[nodiscard]] std::vector<double> output_times(const OutputConfig& output, double t_start, double t_end);

}  // namespace rubato::io
