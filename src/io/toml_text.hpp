#pragma once
/// Values as they stand in a TOML file.
#include <string>
#include <string_view>

namespace rubato::io {

[[nodiscard]] std::string toml_text(std::string_view text);  ///< quoted, escaped
[[nodiscard]] std::string toml_text(double value);
[[nodiscard]] std::string toml_key(std::string_view name);  ///< bare where allowed, else quoted

}  // namespace rubato::io
