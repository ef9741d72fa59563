// Checkpoints against libFuzzer (`make fuzz`): any bytes as a file, any bytes behind a right checksum, and changes to the states of all
// methods as the driver gets them. A file is read back as it was written or refused; a state gives a run or an error.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/io/checkpoint_file.hpp"
#include "rubato/io/checksum.hpp"

namespace {

using namespace rubato;

struct LastCheckpoint final : Observer {
  std::vector<std::byte> state;
  void on_checkpoint(double, std::span<const std::byte> bytes) override { state.assign(bytes.begin(), bytes.end()); }
};

/// The file holds what was read from it.
void check_file(std::span<const std::byte> bytes) {
  const auto read = io::parse_checkpoint(bytes, "fuzz");
  if (!read && read.error().message.empty()) std::abort();
  if (!read) return;
  const auto again = io::checkpoint_bytes(*read);
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end())) std::abort();
}

/// Groups of {place (16 bits), width, bytes} over the state of a method.
void check_state(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  static const auto problem = [] {
    auto instance = catalogue::make_problem("van-der-pol", {{"eps", 1e-3}});
    instance->problem.t_end = 0.5;
    return instance->problem;
  }();
  const auto all = methods();
  const Method& method = all[std::to_integer<std::size_t>(bytes[0]) % all.size()];
  IntegrateOptions options{.tolerances = {.rtol = 1e-3, .atol = 1e-3}, .checkpoint_every = 3};
  if (method.info.embedded_order == 0) options.step.fixed_step = 1e-2;
  options.step.max_steps = 12;
  static std::map<std::string, std::vector<std::byte>> states;
  auto [state, is_new] = states.try_emplace(method.info.name);
  if (is_new) {
    LastCheckpoint last;
    Observer* observers[] = {&last};
    (void)integrate(problem, method, options, {.observers = observers});
    state->second = last.state;
  }
  auto changed = state->second;
  bytes = bytes.subspan(1);
  while (bytes.size() > 3 && !changed.empty()) {
    const std::size_t place = (std::to_integer<std::size_t>(bytes[0]) << 8) + std::to_integer<std::size_t>(bytes[1]);
    const std::size_t width = std::min(1 + std::to_integer<std::size_t>(bytes[2]) % 8, bytes.size() - 3);
    for (std::size_t k = 0; k < width; ++k) changed[(place + k) % changed.size()] = bytes[3 + k];
    bytes = bytes.subspan(3 + width);
  }
  options.step.max_steps = 40;
  (void)integrate(problem, method, options, {.resume = changed});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  if (size == 0) return 0;
  switch (data[0] % 4) {
    case 0: check_file(bytes.subspan(1)); break;
    case 1: {  // the envelope is right
      constexpr std::size_t head = 28;
      auto sealed = io::checkpoint_bytes({});
      sealed.resize(head);
      sealed.insert(sealed.end(), bytes.begin() + 1, bytes.end());
      const std::uint64_t length = size - 1;
      const std::uint32_t sum = io::checksum(bytes.subspan(1));
      std::memcpy(sealed.data() + 16, &length, sizeof length);
      std::memcpy(sealed.data() + 24, &sum, sizeof sum);
      check_file(sealed);
      break;
    }
    default: check_state(bytes.subspan(1));
  }
  return 0;
}
