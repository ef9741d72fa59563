#pragma once
/// A controller in another process, on the same machine: inputs and outputs in POSIX shared memory. docs/realtime.md draws the layout.
#include <atomic>
#include <memory>
#include <string>

#include "rubato/base/result.hpp"
#include "rubato/realtime/runner.hpp"

namespace rubato::realtime {

/// The beginning of the memory; then the outputs y, then the inputs u, 8 bytes each. All integers in the order of the machine.
/// A writer makes its sequence odd, writes, and makes it even: a reader that meets an odd or changed one has seen half a message.
struct SharedHeader {
  static constexpr std::uint64_t magic_number = 0x3154525f54425552;  ///< "RUBT_RT1"
  std::uint64_t magic = magic_number;
  std::uint32_t n_outputs = 0, n_inputs = 0;
  std::atomic<std::uint64_t> output_sequence = 0;  ///< written by the simulation
  std::int64_t step = -1;                          ///< number of the step that led to y
  double time = 0;                                 ///< s
  std::uint64_t status = 0;                        ///< 0: ok
  std::atomic<std::uint64_t> input_sequence = 0;   ///< written by the controller
};
static_assert(sizeof(SharedHeader) == 56 && std::atomic<std::uint64_t>::is_always_lock_free);

/// Makes /dev/shm/NAME; gone with the link. What a killed run left under the name is taken over; a name that a run uses, or that is
/// something else, is refused. Messages with numbers that are not usable() are left aside. Memory that another process shortens
/// ends the link.
[[nodiscard]] Result<std::unique_ptr<Link>> shared_memory_link(const std::string& name, int n_inputs, int n_outputs);

}  // namespace rubato::realtime
