// The readers of material tests against libFuzzer (`make fuzz`): any bytes give tests with finite numbers, or an error. As CSV and as TOML.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "rubato/io/test_data.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rubato;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& sets : {io::test_data_from_csv(text, "fuzz.csv"), io::test_data_from_toml(text, "fuzz.toml")}) {
    if (!sets) {
      if (sets.error().message.empty()) std::abort();
      continue;
    }
    if (sets->empty()) std::abort();
    for (const auto& set : *sets)
      for (const auto& point : set.points)
        if (!std::isfinite(point.stretch) || !std::isfinite(point.stress)) std::abort();
  }
  return 0;
}
