// The reader of what `rubato tune` writes against libFuzzer (`make fuzz`): any bytes give overrides that a run file takes, or an error.
#include <cstdint>
#include <cstdlib>

#include "rubato/io/run_file.hpp"
#include "rubato/io/tune_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rubato;
  const auto overrides = io::parse_tune({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
  if (!overrides) return overrides.error().message.empty() ? (std::abort(), 0) : 0;
  if (const auto config = io::make_run_config("pendulum", *overrides); !config) std::abort();
  return 0;
}
