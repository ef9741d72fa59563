#pragma once
/// The one door to JSON (nlohmann-json lives behind it, in json.cpp).
#include <string>

#include "rubato/io/table.hpp"

namespace rubato::io {

/// A list of objects, one per row.
[[nodiscard]] std::string json_of(const Table& table);

}  // namespace rubato::io
