#pragma once
/// Finite element models as TOML: [solid], [mesh], [[material]], [[region]], [[prescribed]], [[traction]], [[force]], [[probe]]
/// beside [parameters] and the tables of a run file. docs/solid-file.md describes them; `rubato list solid-keys` prints the table
/// that drives the reader.
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rubato/fem/solid.hpp"
#include "rubato/io/model_file.hpp"

namespace rubato::io {

struct SolidFile {
  fem::SolidModel model = {};    ///< materials, groups and mesh have passed their checks
  std::string formulation = {};  ///< empty: chosen by the materials
  bool start_in_equilibrium = false;
  std::vector<std::pair<std::string, double>> parameters = {};
  /// The model with includes and overrides worked in, as TOML; ends within the table [solid].
  std::string text = {};
  std::vector<std::string> notes = {};  ///< what was found out while reading, a sentence each
  /// "region NAME", "material NAME", "mesh" … → "file:line:column".
  std::map<std::string, std::string, std::less<>> places = {};

  /// The sentence of somebody who knows names only, with the place of the part it names.
  [[nodiscard]] Error at_part(std::string_view sentence) const;
};

/// Reads the model in a text and applies overrides "parameters.L=2", "solid.threads=1", "mesh.around=24". Every mistake is reported,
/// one line each: "file:line:column: key: value, allowed". Tables of run files are passed over. Included files and meshes are
/// relative to `file` and read by `read`.
[[nodiscard]] Result<SolidFile> parse_solid_file(std::string_view text, std::string_view file,
                                                 std::span<const std::string> overrides, const FileText& read);
[[nodiscard]] Result<SolidFile> read_solid_file(const std::filesystem::path& file,
                                                std::span<const std::string> overrides = {});

[[nodiscard]] std::vector<ModelKeyInfo> solid_file_keys();

}  // namespace rubato::io
