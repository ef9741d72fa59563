// The tables of run files against libFuzzer (`make fuzz`): any bytes give options or an error, and the options of a run read back as the same.
// Files that models name are none of this machine.
#include <cstdint>
#include <cstdlib>

#include "rubato/io/run_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rubato;
  const auto config = io::parse_run_file({reinterpret_cast<const char*>(data), size}, "/nowhere/fuzz.toml");
  if (!config) return config.error().message.empty() ? (std::abort(), 0) : 0;
  const std::string text = io::to_toml(*config);
  const auto again = io::parse_run_file(text, "/nowhere/fuzz.toml");
  if (!again || io::to_toml(*again) != text) std::abort();
  return 0;
}
