#pragma once
/// Between model files and run files: which tables belong to a model, and reading one from a tree.
#include <span>
#include <string>
#include <string_view>

#include "io/toml_tree.hpp"
#include "rubato/io/model_file.hpp"

namespace rubato::io {

/// include, model, parameters, body, joint, coupling, force, shape.
[[nodiscard]] bool is_model_table(std::string_view name);
/// Bodies, or what includes them.
[[nodiscard]] bool holds_model(const TomlNode& root);
/// "parameters.L=2", "model.gravity=[0,0,0]".
[[nodiscard]] bool is_model_override(std::string_view override_text);

[[nodiscard]] Result<ModelFile> model_of(const TomlNode& root, std::string_view file,
                                         std::span<const std::string> overrides, const FileText& read);

}  // namespace rubato::io
