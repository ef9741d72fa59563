// A controller in the loop with the robot of examples/robot.toml: `examples/hil/run.sh` starts both.
//
//   rubato_hil_controller --shared-memory NAME     beside   rubato realtime run plan.toml --shared-memory NAME
//   rubato_hil_controller --udp OUT:IN             beside   rubato realtime run plan.toml --udp IN:OUT
//
// The robot tells its joint angles q and speeds q' after every step; it is told six reference accelerations a. A planner moves every joint
// from where it is by a given angle, without jerks at the ends, and a feedback pulls back what went astray:
//   q*(t) = q₀ + Δ s(t/T),   s(x) = x³ (10 − 15 x + 6 x²)                                                              (1)
//   a = q*'' + k_v (q*' − q') + k_p (q* − q)                                                                           (2)
// The drives of the robot follow within 0.1 s; k_p = 4 s⁻², k_v = 4 s⁻¹ are slow against that.
//
// Nothing of Rubato is included: what is below is all that a controller must know (docs/realtime.md).
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace {

constexpr int n_axes = 6, least_outputs = 2 * n_axes;  // q and q' come first
using Six = std::array<double, n_axes>;
using namespace std::chrono_literals;

struct Measured {
  std::int64_t step = -1;
  double time = 0;
  Six q{}, speed{};
};

struct Transport {
  virtual ~Transport() = default;
  virtual bool connect() = 0;                  // false: not there yet
  virtual bool receive(Measured& latest) = 0;  // true: something newer than the step in `latest`
  virtual void send(const Six& acceleration) = 0;
};

// The memory begins with this; then the outputs, then the inputs. A writer makes its sequence odd, writes, and makes it even.
struct SharedHeader {
  std::uint64_t magic;
  std::uint32_t n_outputs, n_inputs;
  std::atomic<std::uint64_t> output_sequence;
  std::int64_t step;
  double time;
  std::uint64_t status;
  std::atomic<std::uint64_t> input_sequence;
};
static_assert(sizeof(SharedHeader) == 56);

class SharedMemory final : public Transport {
 public:
  explicit SharedMemory(const char* name) : name_(std::string("/") + name) {}
  ~SharedMemory() override {
    if (header_ != nullptr) munmap(header_, size_);
  }
  bool connect() override {
    const int file = shm_open(name_.c_str(), O_RDWR, 0);
    if (file < 0) return false;
    struct stat info {};
    void* memory = MAP_FAILED;
    if (fstat(file, &info) == 0 && info.st_size > static_cast<off_t>(sizeof(SharedHeader)))
      memory =
          mmap(nullptr, size_ = static_cast<std::size_t>(info.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) return false;
    header_ = static_cast<SharedHeader*>(memory);
    const bool ready = header_->magic == 0x3154525f54425552 && header_->n_outputs > 0;  // "RUBT_RT1"
    if (!ready) {                                                                       // not yet written
      munmap(std::exchange(header_, nullptr), size_);
      return false;
    }
    if (header_->n_inputs != n_axes || header_->n_outputs < least_outputs) {
      std::fprintf(stderr, "controller: %u inputs and %u outputs; 6 and at least 12 are needed\n", header_->n_inputs,
                   header_->n_outputs);
      std::exit(2);
    }
    outputs_ = reinterpret_cast<double*>(header_ + 1);
    inputs_ = outputs_ + header_->n_outputs;
    return true;
  }
  bool receive(Measured& latest) override {
    const std::uint64_t before = header_->output_sequence.load(std::memory_order_acquire);
    if (before % 2 != 0) return false;
    Measured fresh{header_->step, header_->time, {}, {}};
    std::copy_n(outputs_, n_axes, fresh.q.begin());
    std::copy_n(outputs_ + n_axes, n_axes, fresh.speed.begin());
    std::atomic_thread_fence(std::memory_order_acquire);
    if (header_->output_sequence.load(std::memory_order_relaxed) != before || fresh.step <= latest.step) return false;
    latest = fresh;
    return true;
  }
  void send(const Six& acceleration) override {
    const std::uint64_t sequence = header_->input_sequence.load(std::memory_order_relaxed);
    header_->input_sequence.store(sequence + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    std::copy(acceleration.begin(), acceleration.end(), inputs_);
    header_->input_sequence.store(sequence + 2, std::memory_order_release);
  }

 private:
  std::string name_;
  std::size_t size_ = 0;
  SharedHeader* header_ = nullptr;
  double *outputs_ = nullptr, *inputs_ = nullptr;
};

// A datagram begins with this; then `count` numbers.
struct DatagramHeader {
  std::uint64_t magic = 0x3150445f54425552;  // "RUBT_DP1"
  std::int64_t step = 0;
  double time = 0;
  std::uint32_t status = 0, count = n_axes;
};
static_assert(sizeof(DatagramHeader) == 32);

class Datagrams final : public Transport {
 public:
  Datagrams(int from, int to) : to_(address(to)), socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
    const sockaddr_in here = address(from);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) {
      std::perror("controller: bind");
      std::exit(2);
    }
  }
  ~Datagrams() override { close(socket_); }
  bool connect() override { return true; }
  bool receive(Measured& latest) override {
    bool newer = false;
    std::array<unsigned char, 65536> bytes;
    for (ssize_t size = 0; (size = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT)) >= 0;) {
      DatagramHeader header;
      if (size < static_cast<ssize_t>(sizeof header + least_outputs * sizeof(double))) continue;
      std::memcpy(&header, bytes.data(), sizeof header);
      if (header.magic != DatagramHeader{}.magic || header.step <= latest.step) continue;
      latest.step = header.step;
      latest.time = header.time;
      std::memcpy(latest.q.data(), bytes.data() + sizeof header, sizeof latest.q);
      std::memcpy(latest.speed.data(), bytes.data() + sizeof header + sizeof latest.q, sizeof latest.speed);
      newer = true;
    }
    return newer;
  }
  void send(const Six& acceleration) override {
    std::array<unsigned char, sizeof(DatagramHeader) + sizeof(Six)> bytes;
    const DatagramHeader header{.step = ++sent_};  // so that one overtaken on the way does not count
    std::memcpy(bytes.data(), &header, sizeof header);
    std::memcpy(bytes.data() + sizeof header, acceleration.data(), sizeof acceleration);
    (void)sendto(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&to_), sizeof to_);
  }

 private:
  static sockaddr_in address(int port) {
    sockaddr_in made{};
    made.sin_family = AF_INET;
    made.sin_port = htons(static_cast<std::uint16_t>(port));
    made.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return made;
  }
  std::int64_t sent_ = 0;
  sockaddr_in to_;
  int socket_;
};

struct Wanted {
  double q, speed, acceleration;
};
/// (1)
Wanted planned(double q0, double delta, double t, double duration) {
  const double x = std::clamp(t / duration, 0.0, 1.0);
  return {q0 + delta * x * x * x * (10 - 15 * x + 6 * x * x), delta * 30 * x * x * (1 - x) * (1 - x) / duration,
          delta * 60 * x * (1 - x) * (1 - 2 * x) / (duration * duration)};
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<Transport> robot;
  int from = 0, to = 0;
  if (argc == 3 && std::strcmp(argv[1], "--shared-memory") == 0)
    robot = std::make_unique<SharedMemory>(argv[2]);
  else if (argc == 3 && std::strcmp(argv[1], "--udp") == 0 && std::sscanf(argv[2], "%d:%d", &from, &to) == 2)
    robot = std::make_unique<Datagrams>(from, to);
  if (robot == nullptr) {
    std::fprintf(stderr, "usage: rubato_hil_controller --shared-memory NAME | --udp OUT:IN\n");
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + 30s;  // a plan may take its time to load
  while (!robot->connect()) {
    if (Clock::now() > give_up) {
      std::fprintf(stderr, "controller: no robot within 30 s\n");
      return 1;
    }
    std::this_thread::sleep_for(1ms);
  }

  constexpr Six moves = {0.5, -0.3, -0.4, 0.4, 0.6, -0.5};  // rad
  constexpr double duration = 0.8, k_p = 4, k_v = 4;        // s, 1/s², 1/s
  Measured now;
  Six start{}, acceleration{};
  double first_time = 0, largest = 0, last = 0;
  long answered = 0, lost = 0;
  auto heard = Clock::now();
  while (Clock::now() - heard < (answered > 0 ? 1s : 30s)) {
    const std::int64_t before = now.step;
    if (!robot->receive(now)) {
      std::this_thread::sleep_for(50us);
      continue;
    }
    heard = Clock::now();
    if (answered == 0) {
      start = now.q;
      first_time = now.time;
    } else {
      lost += now.step - before - 1;
    }
    last = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const Wanted wanted = planned(start[i], moves[i], now.time - first_time, duration);
      acceleration[i] = wanted.acceleration + k_v * (wanted.speed - now.speed[i]) + k_p * (wanted.q - now.q[i]);  // (2)
      last = std::max(last, std::abs(wanted.q - now.q[i]));
    }
    robot->send(acceleration);
    largest = std::max(largest, last);
    ++answered;
  }
  std::printf("controller: %ld steps answered, %ld not seen in time\n", answered, lost);
  std::printf("controller: tracking error %.4f rad at most, %.4f rad at t = %.3f s\n", largest, last, now.time);
  return answered > 0 ? 0 : 1;
}
