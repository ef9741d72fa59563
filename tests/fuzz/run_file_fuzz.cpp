// The tables of run files against libFuzzer (`make fuzz`): any bytes give options or an error, and the options of a run read back as the same.
// Files that models name are none of this machine. Meshes are not generated: millions of elements are allowed, and take their time.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "rubato/io/run_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rubato;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.find("generator") != std::string_view::npos) return 0;
  const auto config = io::parse_run_file(bytes, "/nowhere/fuzz.toml");
  if (!config) return config.error().message.empty() ? (std::abort(), 0) : 0;
  const std::string text = io::to_toml(*config);
  const auto again = io::parse_run_file(text, "/nowhere/fuzz.toml");
  if (!again || io::to_toml(*again) != text) std::abort();
  return 0;
}
