#pragma once
/// The keys of run files as data.
#include <vector>

#include "rubato/io/run_file.hpp"

namespace rubato::io {

[[nodiscard]] std::vector<Key> all_run_file_keys();

}  // namespace rubato::io
