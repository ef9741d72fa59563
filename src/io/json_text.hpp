#pragma once
/// The one door to JSON (nlohmann-json lives behind it, in json.cpp).
#include <optional>
#include <string>

#include "rubato/io/manifest.hpp"
#include "rubato/io/table.hpp"

namespace rubato::io {

/// A list of objects, one per row.
[[nodiscard]] std::string json_of(const Table& table);

[[nodiscard]] std::string manifest_json(const Manifest& manifest);
/// Nothing: not a manifest.
[[nodiscard]] std::optional<Manifest> manifest_from_json(const std::string& text);

}  // namespace rubato::io
