// The reader of real-time plans against libFuzzer (`make fuzz`): any bytes give a plan or an error, and the text of a plan reads back as the
// same plan. The checksum, which hardly any change would pass, is made right first.
#include <cstdint>
#include <cstdlib>

#include "rubato/io/plan_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rubato;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto plan = io::parse_plan(text, "fuzz.toml");
  if (!plan) {
    const std::string& words = plan.error().message;
    if (words.empty()) std::abort();
    // "… hash: A is not that of …, B: damaged": B in place of A, once for the structure and once for the whole.
    for (const char* key : {"structure.hash: ", "plan.checksum: "}) {
      if (plan) break;
      const std::string said = plan.error().message;
      const auto at = said.find(key), last = said.find(": damaged");
      if (at == std::string::npos || last == std::string::npos || last < 16) continue;
      const auto begin = at + std::char_traits<char>::length(key), end = said.find(" is not that", begin);
      if (end == std::string::npos || end == begin) continue;
      const auto place = text.find(said.substr(begin, end - begin));
      if (place == std::string::npos) continue;
      text.replace(place, end - begin, said.substr(last - 16, 16));
      plan = io::parse_plan(text, "fuzz.toml");
    }
  }
  if (!plan) return plan.error().message.empty() ? (std::abort(), 0) : 0;
  const std::string written = io::plan_text(*plan);
  const auto again = io::parse_plan(written, "fuzz.toml");
  if (!again || io::plan_text(*again) != written) std::abort();
  return 0;
}
