#pragma once
/// A controller behind a socket of this machine: one datagram per step and direction, on 127.0.0.1. docs/realtime.md draws the layout.
#include <memory>

#include "rubato/base/result.hpp"
#include "rubato/realtime/runner.hpp"

namespace rubato::realtime {

/// The beginning of a datagram in both directions; then `count` numbers of 8 bytes. Integers in the order of the machine.
struct DatagramHeader {
  static constexpr std::uint64_t magic_number = 0x3150445f54425552;  ///< "RUBT_DP1"
  std::uint64_t magic = magic_number;
  std::int64_t step = 0;  ///< outputs: number of the step that led to them; inputs: a number that grows, or 0
  double time = 0;        ///< s
  std::uint32_t status = 0, count = 0;
};
static_assert(sizeof(DatagramHeader) == 32);

/// Listens for inputs at `input_port` and sends outputs to `output_port`. Of several inputs the last one counts. Left aside are datagrams
/// of another size or beginning, from another port than `sender_port` (0: any), with numbers that are not usable(), and those whose step is up
/// to 1000 below the last one: they were overtaken. (A step further back is that of a controller that began again; 0 is no number.)
[[nodiscard]] Result<std::unique_ptr<Link>> udp_link(int input_port, int output_port, int n_inputs, int n_outputs,
                                                     int sender_port = 0);

}  // namespace rubato::realtime
