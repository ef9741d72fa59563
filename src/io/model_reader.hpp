#pragma once
/// Between model files and run files: which tables belong to a model, and reading one from a tree.
#include <span>
#include <string>
#include <string_view>

#include "io/toml_tree.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/io/solid_file.hpp"

namespace rubato::io {

/// include, model, parameters, body, joint, coupling, force, shape.
[[nodiscard]] const std::vector<std::string>& model_table_names();
[[nodiscard]] bool is_model_table(std::string_view name);
/// Bodies, or what includes them.
[[nodiscard]] bool holds_model(const TomlNode& root);
/// "parameters.L=2", "model.gravity=[0,0,0]".
[[nodiscard]] bool is_model_override(std::string_view override_text);

/// Tables of a finite element model, which [solid] or [mesh] tells from a mechanism.
[[nodiscard]] const std::vector<std::string>& solid_table_names();
[[nodiscard]] bool is_solid_table(std::string_view name);
[[nodiscard]] bool holds_solid(const TomlNode& root);
/// "parameters.L=2", "solid.threads=1", "mesh.around=24".
[[nodiscard]] bool is_solid_override(std::string_view override_text);

[[nodiscard]] Result<SolidFile> solid_of(const TomlNode& root, std::string_view file,
                                         std::span<const std::string> overrides, const FileText& read);
[[nodiscard]] Result<ModelFile> model_of(const TomlNode& root, std::string_view file,
                                         std::span<const std::string> overrides, const FileText& read);

}  // namespace rubato::io
