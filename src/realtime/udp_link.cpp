#include "rubato/realtime/udp_link.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rubato::realtime {

namespace {

constexpr int most_datagrams = 1024;  // looked at per step: a faster sender shall not leave ever older ones behind
constexpr std::size_t largest_datagram = 65000;
constexpr std::uint64_t most_overtaken = 1000;  // steps by which a datagram may come late

sockaddr_in local_port(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

std::size_t datagram_size(int count) {
  return sizeof(DatagramHeader) + static_cast<std::size_t>(count) * sizeof(double);
}

class UdpLink final : public Link {
 public:
  UdpLink(int socket, int output_port, int n_inputs, int n_outputs, int sender_port)
      : socket_(socket),
        to_(local_port(output_port)),
        sender_(local_port(sender_port)),
        received_(datagram_size(n_inputs) + 1),
        sent_(datagram_size(n_outputs)),
        numbers_(static_cast<std::size_t>(n_inputs)) {}
  ~UdpLink() override { close(socket_); }
  UdpLink(const UdpLink&) = delete;
  UdpLink& operator=(const UdpLink&) = delete;

  void read(long /*n*/, double /*t*/, Out u) noexcept override {
    for (int k = 0; k < most_datagrams; ++k) {
      sockaddr_in from{};
      socklen_t length = sizeof from;
      const ssize_t size = recvfrom(socket_, received_.data(), received_.size(), MSG_DONTWAIT,
                                    reinterpret_cast<sockaddr*>(&from), &length);
      if (size < 0) return;
      take(static_cast<std::size_t>(size), from, u);
    }
  }
  void write(long n, double t, RealtimeStatus status, In y) noexcept override {
    const DatagramHeader header{.step = n,
                                .time = t,
                                .status = static_cast<std::uint32_t>(status),
                                .count = static_cast<std::uint32_t>(y.size())};
    std::memcpy(sent_.data(), &header, sizeof header);
    std::memcpy(sent_.data() + sizeof header, y.data(), y.size() * sizeof(double));
    // Nobody listening is no failure: the controller may come later.
    (void)sendto(socket_, sent_.data(), sent_.size(), MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to_),
                 sizeof to_);
  }
  LinkReport report() const noexcept override { return report_; }

 private:
  /// The datagram in received_, before a step sees anything of it.
  void take(std::size_t size, const sockaddr_in& from, Out u) noexcept {
    if (sender_.sin_port != 0 &&
        (from.sin_port != sender_.sin_port || from.sin_addr.s_addr != sender_.sin_addr.s_addr)) {
      ++report_.foreign;
      return;
    }
    DatagramHeader header;
    if (size == sizeof header + u.size() * sizeof(double)) std::memcpy(&header, received_.data(), sizeof header);
    if (size != sizeof header + u.size() * sizeof(double) || header.magic != DatagramHeader::magic_number ||
        header.count != u.size()) {
      ++report_.malformed;
      return;
    }
    const std::uint64_t behind = static_cast<std::uint64_t>(last_step_) - static_cast<std::uint64_t>(header.step);
    if (header.step != 0 && last_step_ != 0 && behind > 0 && behind <= most_overtaken) {
      ++report_.late;
      return;
    }
    std::memcpy(numbers_.data(), received_.data() + sizeof header, numbers_.size() * sizeof(double));
    if (!usable(numbers_)) {
      ++report_.not_finite;
      return;
    }
    if (header.step != 0) last_step_ = header.step;
    ++report_.messages;
    std::copy(numbers_.begin(), numbers_.end(), u.begin());
  }

  int socket_;
  sockaddr_in to_, sender_;
  std::vector<std::byte> received_, sent_;
  std::vector<double> numbers_;
  std::int64_t last_step_ = 0;  ///< 0: none yet
  LinkReport report_;
};

}  // namespace

Result<std::unique_ptr<Link>> udp_link(int input_port, int output_port, int n_inputs, int n_outputs, int sender_port) {
  if (sender_port < 0 || sender_port > 65535)
    return Error{fmt::format("udp: the port of the sender, {}, is outside 1 … 65535", sender_port)};
  for (const int port : {input_port, output_port})
    if (port < 1 || port > 65535) return Error{fmt::format("udp: port {} is outside 1 … 65535", port)};
  if (datagram_size(std::max(n_inputs, n_outputs)) > largest_datagram)
    return Error{fmt::format("udp: {} inputs and {} outputs do not fit into a datagram of {} bytes; use shared memory",
                             n_inputs, n_outputs, largest_datagram)};
  const int made = socket(AF_INET, SOCK_DGRAM, 0);
  if (made < 0) return Error{fmt::format("udp: no socket: {}", std::strerror(errno))};
  const sockaddr_in address = local_port(input_port);
  if (bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const Error error{fmt::format("udp: port {} of 127.0.0.1: {}", input_port, std::strerror(errno))};
    close(made);
    return error;
  }
  return std::unique_ptr<Link>(std::make_unique<UdpLink>(made, output_port, n_inputs, n_outputs, sender_port));
}

}  // namespace rubato::realtime
