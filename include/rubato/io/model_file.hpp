#pragma once
/// Model files: a mechanism as TOML - [parameters], [[body]], [[joint]], [[coupling]], [[force]], [[shape]] - beside the tables
/// of a run file. docs/model-file.md shows every joint and force; `rubato list model-keys` prints the table that drives the reader.
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/multibody/mechanism.hpp"

namespace rubato::io {

struct ModelFile {
  multibody::Mechanism mechanism = {};
  std::string formulation = {};  ///< empty: index-3
  std::vector<std::pair<std::string, double>> parameters = {};
  /// The model with includes and overrides worked in, as TOML; ends within the table [model].
  std::string text = {};
  /// Name of a body, joint, coupling or force → "file:line:column".
  std::map<std::string, std::string, std::less<>> places = {};

  /// The sentence of somebody who knows names only, with the place of the first part it names in quotes.
  [[nodiscard]] Error at_part(std::string_view sentence) const;
};

/// How an included file is read.
using FileText = std::function<Result<std::string>(const std::filesystem::path&)>;

/// Reads the model in a text and applies overrides "parameters.L=2", "model.gravity=[0,0,0]". Every mistake is reported, one line
/// each: "file:line:column: key: value, allowed". Tables of run files are passed over. Includes are relative to `file`.
[[nodiscard]] Result<ModelFile> parse_model_file(std::string_view text, std::string_view file,
                                                 std::span<const std::string> overrides, const FileText& read);
[[nodiscard]] Result<ModelFile> read_model_file(const std::filesystem::path& file,
                                                std::span<const std::string> overrides = {});

/// A key as people look it up.
struct ModelKeyInfo {
  std::string table;    ///< "joint", "force: spring-damper"
  std::string name;     ///< "stiffness"
  std::string allowed;  ///< "a number ≥ 0, in N/m"
  std::string default_text;
  std::string help;
};
[[nodiscard]] std::vector<ModelKeyInfo> model_file_keys();

}  // namespace rubato::io
