#include "rubato/realtime/runner.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>
#include <thread>

#include "rubato/realtime/shared_memory_link.hpp"
#include "rubato/realtime/udp_link.hpp"
#include "stepper_models.hpp"

namespace rubato::realtime {
namespace {

const Sample start{0, Vector{{1, 0, 0}}, Vector{{0}}};

struct Loop {
  std::shared_ptr<const Dae> dae = test_models::linear();
  std::unique_ptr<RealtimeStepper> stepper;
  explicit Loop(double step) {
    auto plan = test_models::full_plan(*dae, start, {.step = step});
    EXPECT_TRUE(plan.ok());
    plan->atol = 1e3;
    auto made = RealtimeStepper::create(*dae, *plan, start);
    EXPECT_TRUE(made.ok());
    stepper = std::move(*made);
  }
};

TEST(StepTimes, QuantilesAreExactToABin) {
  StepTimes times;
  for (int i = 1; i <= 1000; ++i) times.record(i * 100);
  EXPECT_EQ(times.count(), 1000);
  EXPECT_EQ(times.longest(), 100000);
  EXPECT_DOUBLE_EQ(times.mean(), 50050);
  EXPECT_NEAR(times.quantile(0.5), 50000, 0.045 * 50000);
  EXPECT_NEAR(times.quantile(0.999), 99900, 0.045 * 99900);
  EXPECT_LE(times.quantile(1), 100000);
  times.record(0);
  times.record(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(times.count(), 1002);
}

TEST(StepTimes, RunsAddUp) {
  StepTimes first, second, both;
  for (int k = 1; k <= 100; ++k) {
    (k % 3 == 0 ? first : second).record(k * 1000);
    both.record(k * 1000);
  }
  first += second;
  EXPECT_EQ(first.count(), both.count());
  EXPECT_EQ(first.bins(), both.bins());
  EXPECT_EQ(first.longest(), both.longest());
  EXPECT_DOUBLE_EQ(first.mean(), both.mean());
}

/// Runs for as long as it simulates, and leaves no trace of the steps it warmed up with.
TEST(Runner, KeepsTheClock) {
  Loop loop(2e-3);
  SignalLink link(nullptr, 2e-3);
  const auto before = std::chrono::steady_clock::now();
  const RunnerReport report = run_realtime(*loop.stepper, link, {.n_steps = 50});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  EXPECT_GE(seconds, 50 * 2e-3);
  EXPECT_EQ(report.steps, 50);
  EXPECT_EQ(report.times.count(), 50);
  EXPECT_EQ(report.wake_up.count(), 50);
  EXPECT_NEAR(loop.stepper->time(), 0.1, 1e-12);

  Loop again(2e-3);
  const RunnerReport free = run_realtime(*again.stepper, link, {.n_steps = 50, .free_run = true, .warm_up = 7});
  EXPECT_EQ(free.wake_up.count(), 0);
  EXPECT_EQ(map(again.stepper->state()), map(loop.stepper->state()));
}

/// Inputs that come late make the step late: the monitor names it.
TEST(Runner, ReportsMissedDeadlines) {
  struct LateLink final : Link {
    void read(long n, double, Out) noexcept override {
      if (n == 5) std::this_thread::sleep_for(std::chrono::milliseconds(120));
    }
    void write(long, double, RealtimeStatus, In) noexcept override {}
  } link;
  Loop loop(50e-3);
  const RunnerReport report = run_realtime(*loop.stepper, link, {.n_steps = 10});
  ASSERT_GE(report.missed, 2);  // steps 5 and 6 at least
  EXPECT_EQ(report.misses.front().step, 5);
  EXPECT_NEAR(static_cast<double>(report.misses.front().late_ns), 70e6, 40e6);
}

TEST(Runner, StopsAtFailuresOrGoesOn) {
  struct BadLink final : Link {
    void read(long n, double, Out u) noexcept override { u[0] = n == 3 ? std::nan("") : 0.0; }
    void write(long, double, RealtimeStatus status, In) noexcept override { failed += status != RealtimeStatus::ok; }
    int failed = 0;
  } link;
  Loop loop(1e-3), going_on(1e-3);
  const RunnerReport report = run_realtime(*loop.stepper, link, {.n_steps = 10, .free_run = true});
  EXPECT_EQ(report.steps, 4);
  EXPECT_EQ(report.first_failed_step, 3);
  EXPECT_EQ(report.first_failure.status, RealtimeStatus::not_finite);
  EXPECT_EQ(link.failed, 1);
  EXPECT_EQ(run_realtime(*going_on.stepper, link, {.n_steps = 10, .free_run = true, .stop_at_failure = false}).steps,
            10);
}

/// x' = 1; its output is there up to x = 2.5.
struct Measured {
  template <class S>
  void f(const Point<S>&, std::span<S> out) const {
    out[0] = S(1.0);
  }
  static constexpr bool autonomous = true;
  [[nodiscard]] static std::vector<std::string> output_names() { return {"left"}; }
  template <class S>
  EvalStatus outputs(const Point<S>& at, std::span<S> y) const {
    y[0] = 2.5 - at.x[0];
    return y[0] > 0 ? EvalStatus::ok : EvalStatus::out_of_domain;
  }
};

/// Outputs that the model refuses are not sent as if they were fine: steps of 1 from 0, the third one has none.
TEST(Runner, RefusedOutputsAreAFailure) {
  struct Listener final : Link {
    void read(long, double, Out) noexcept override {}
    void write(long, double, RealtimeStatus status, In) noexcept override { seen.push_back(status); }
    std::vector<RealtimeStatus> seen;
  } link;
  const auto dae = make_dae(Measured{}, {{.name = "x", .size = 1}});
  const Sample zero{0, Vector::Zero(1), Vector()};
  const auto plan = test_models::full_plan(*dae, zero, {.step = 1});
  ASSERT_TRUE(plan.ok());
  const auto stepper = RealtimeStepper::create(*dae, *plan, zero);
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  const RunnerReport report = run_realtime(**stepper, link, {.n_steps = 10, .free_run = true, .warm_up = 0});
  using enum RealtimeStatus;
  EXPECT_EQ(link.seen, (std::vector{ok, ok, refused}));
  EXPECT_EQ(report.first_failed_step, 2);
}

/// A break of the signal at the start of a step belongs to the step, whatever rounding makes of n τ.
TEST(Runner, SignalsJumpWithTheStep) {
  const auto signal = TableSignal::create({0, 0.3, 0.3, 1}, {1, 1, 2, 2});
  ASSERT_TRUE(signal.ok());
  SignalLink link(signal->get(), 0.1);
  double u = 0;
  link.read(3, 3 * 0.1 - 1e-16, {&u, 1});
  EXPECT_EQ(u, 2);
  link.read(2, 0.2, {&u, 1});
  EXPECT_EQ(u, 1);
}

/// What a container refuses is named and does not end the run.
TEST(Runner, SaysWhatItCouldNotGet) {
  Loop loop(1e-3);
  SignalLink link(nullptr, 1e-3);
  const RunnerReport report = run_realtime(*loop.stepper, link, {.n_steps = 2, .free_run = true, .cpu = 1000});
  ASSERT_EQ(report.not_got.size(), 1U);
  EXPECT_NE(report.not_got[0].find("processor 1000"), std::string::npos);
  EXPECT_EQ(report.steps, 2);
}

/// A controller that has said nothing yet: the model goes on with the inputs it starts with.
TEST(Runner, HoldsFirstInputsUntilTheLinkHasOthers) {
  struct SilentLink final : Link {
    void read(long n, double, Out u) noexcept override {
      if (n == 2) u[0] = 5;
      seen.push_back(u[0]);
    }
    void write(long, double, RealtimeStatus, In) noexcept override {}
    std::vector<double> seen;
  } link, other;
  Loop loop(1e-3), zeros(1e-3);
  (void)run_realtime(*loop.stepper, link, {.n_steps = 4, .free_run = true, .warm_up = 0, .first_inputs = {3}});
  EXPECT_EQ(link.seen, (std::vector<double>{3, 3, 3, 5, 5}));  // the first one for warming up
  (void)run_realtime(*zeros.stepper, other, {.n_steps = 1, .free_run = true});
  EXPECT_EQ(other.seen, (std::vector<double>{0, 0}));
}

/// A run of one step of a minute can be stopped within the sleep.
TEST(Runner, StopsWhileItWaits) {
  Loop loop(60);
  SignalLink link(nullptr, 60);
  std::atomic<bool> stop = false;
  std::thread soon([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  const auto before = std::chrono::steady_clock::now();
  const RunnerReport report = run_realtime(*loop.stepper, link, {.n_steps = 1}, &stop);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  soon.join();
  EXPECT_TRUE(report.interrupted);
  EXPECT_EQ(report.steps, 0);
  EXPECT_LT(seconds, 10);  // pieces of 0.1 s; a busy machine may be late
}

TEST(SharedMemoryLink, CarriesInputsAndOutputs) {
  const std::string name = "rubato_test_" + std::to_string(getpid());
  {
    const auto link = shared_memory_link(name, 2, 3);
    ASSERT_TRUE(link.ok()) << link.error().message;
    EXPECT_FALSE(shared_memory_link(name, 2, 3).ok());  // taken
    const int file = shm_open(("/" + name).c_str(), O_RDWR, 0);
    ASSERT_GE(file, 0);
    void* const memory = mmap(nullptr, 56 + 5 * 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ASSERT_NE(memory, MAP_FAILED);
    close(file);
    auto* const header = static_cast<SharedHeader*>(memory);
    auto* const numbers = reinterpret_cast<double*>(header + 1);
    std::vector<double> u = {-1, -1}, y = {4, 5, 6};
    (*link)->read(0, 0, u);
    EXPECT_EQ(u, (std::vector<double>{-1, -1}));  // nobody has written yet
    numbers[3] = 7;
    numbers[4] = 8;
    header->input_sequence = 1;
    (*link)->read(0, 0, u);
    EXPECT_EQ(u, (std::vector<double>{-1, -1}));  // half a message
    header->input_sequence = 2;
    (*link)->read(0, 0, u);
    EXPECT_EQ(u, (std::vector<double>{7, 8}));
    (*link)->write(9, 0.5, RealtimeStatus::ok, y);
    EXPECT_EQ(header->magic, SharedHeader::magic_number);
    EXPECT_EQ(header->n_outputs, 3U);
    EXPECT_EQ(header->output_sequence, 2U);
    EXPECT_EQ(header->step, 9);
    EXPECT_EQ(header->time, 0.5);
    EXPECT_EQ(std::vector<double>(numbers, numbers + 3), y);
    munmap(memory, 56 + 5 * 8);
  }
  EXPECT_LT(shm_open(("/" + name).c_str(), O_RDWR, 0), 0);  // gone with the link
}

// A run that is killed cannot tidy up. Its lock goes with it: the next one takes the memory over, but nothing that is something else.
TEST(SharedMemoryLink, IsTakenOverFromAKilledRun) {
  const std::string name = "rubato_test_left_" + std::to_string(getpid()), path = "/" + name;
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t run = fork();
  if (run == 0) {
    const auto link = shared_memory_link(name, 1, 1);
    const char made = link.ok() ? 'y' : 'n';
    if (::write(ready[1], &made, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char made = 'n';
  ASSERT_EQ(::read(ready[0], &made, 1), 1);
  ASSERT_EQ(made, 'y');
  const auto refused = shared_memory_link(name, 3, 4);
  EXPECT_NE(refused.error().message.find("is in use by another run"), std::string::npos) << refused.error().message;
  kill(run, SIGKILL);
  waitpid(run, nullptr, 0);
  {
    const auto link = shared_memory_link(name, 3, 4);
    ASSERT_TRUE(link.ok()) << link.error().message;
    const int file = shm_open(path.c_str(), O_RDONLY, 0);
    SharedHeader header;
    ASSERT_EQ(::read(file, static_cast<void*>(&header), sizeof header), static_cast<ssize_t>(sizeof header));
    EXPECT_EQ(lseek(file, 0, SEEK_END), 56 + 7 * 8);
    close(file);
    EXPECT_EQ(header.n_inputs, 3U);
    EXPECT_EQ(header.input_sequence, 0U);
  }
  const int other = shm_open(path.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
  ASSERT_EQ(::write(other, "another program's", 17), 17);
  EXPECT_NE(shared_memory_link(name, 1, 1).error().message.find("was not made by a run"), std::string::npos);
  close(other);
  shm_unlink(path.c_str());
  for (const int end : ready) close(end);
}

// Memory that is cut off under a run raises SIGBUS where it is used: the run ends before its next step.
TEST(SharedMemoryLink, EndsWhereItIsShortened) {
  const std::string name = "rubato_test_cut_" + std::to_string(getpid());
  for (const off_t left : {0, 60, 4000}) {
    Loop loop(1e-3);
    const auto link = shared_memory_link(name, 1, 1000);  // two pages
    ASSERT_TRUE(link.ok()) << link.error().message;
    EXPECT_EQ((*link)->ended(), nullptr);
    const int file = shm_open(("/" + name).c_str(), O_RDWR, 0);
    ASSERT_EQ(ftruncate(file, left), 0);
    close(file);
    const std::vector<double> y(1000, 1.0);
    double u = -1;
    (*link)->write(0, 0, RealtimeStatus::ok, y);
    (*link)->read(0, 0, {&u, 1});
    EXPECT_EQ(u, -1);
    ASSERT_NE((*link)->ended(), nullptr) << left;
    const RunnerReport report = run_realtime(*loop.stepper, **link, {.n_steps = 10, .free_run = true});
    EXPECT_EQ(report.steps, 0);
    EXPECT_NE(report.link_ended.find("shortened"), std::string::npos);
  }
}

TEST(SharedMemoryLink, HoldsInputsThatAreNotFinite) {
  const std::string name = "rubato_test_nan_" + std::to_string(getpid());
  const auto link = shared_memory_link(name, 2, 0);
  ASSERT_TRUE(link.ok()) << link.error().message;
  const int file = shm_open(("/" + name).c_str(), O_RDWR, 0);
  std::vector<double> u = {-1, -1};
  std::uint64_t sequence = 0;
  for (const double value : {std::nan(""), 1e300, 5.0}) {
    const double message[] = {3, value};
    sequence += 2;
    ASSERT_EQ(pwrite(file, message, sizeof message, 56), 16);
    ASSERT_EQ(pwrite(file, &sequence, sizeof sequence, 48), 8);
    for (int repeated = 0; repeated < 2; ++repeated) (*link)->read(0, 0, u);
    EXPECT_EQ(u, value == 5 ? (std::vector<double>{3, 5}) : (std::vector<double>{-1, -1}));
  }
  close(file);
  EXPECT_EQ((*link)->report().messages, 1);
  EXPECT_EQ((*link)->report().not_finite, 2);
}

TEST(UdpLink, LooksAtDatagramsBeforeTheStep) {
  const int port = 20000 + (getpid() + 7000) % 20000;
  const auto socket_at = [](int number) {
    const int made = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(number));
    EXPECT_EQ(bind(made, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return made;
  };
  const int controller = socket_at(port), stranger = socket_at(port + 2);
  const auto link = udp_link(port + 1, port, 1, 1, port);
  ASSERT_TRUE(link.ok()) << link.error().message;
  double u = -1;
  const auto after = [&](int from, std::int64_t step, double value, std::size_t size = 40) {
    std::byte datagram[48] = {};
    const DatagramHeader header{.step = step, .count = 1};
    std::memcpy(datagram, &header, sizeof header);
    std::memcpy(datagram + sizeof header, &value, sizeof value);
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    there.sin_port = htons(static_cast<std::uint16_t>(port + 1));
    EXPECT_EQ(sendto(from, datagram, size, 0, reinterpret_cast<sockaddr*>(&there), sizeof there),
              static_cast<ssize_t>(size));
    (*link)->read(0, 0, {&u, 1});
    return u;
  };
  EXPECT_EQ(after(controller, 0, 1), 1);
  EXPECT_EQ(after(controller, 2000, 2), 2);
  EXPECT_EQ(after(controller, 2001, std::nan("")), 2);
  EXPECT_EQ(after(controller, 2001, 1e300), 2);
  EXPECT_EQ(after(controller, 2001, -std::numeric_limits<double>::infinity()), 2);
  EXPECT_EQ(after(stranger, 2002, 3), 2);
  EXPECT_EQ(after(controller, 1999, 4), 2);      // overtaken
  EXPECT_EQ(after(controller, 2001, 5, 48), 2);  // another size
  EXPECT_EQ(after(controller, 2001, 5, 32), 2);
  EXPECT_EQ(after(controller, 2001, 6), 6);
  EXPECT_EQ(after(controller, 1, 7), 7);  // began again
  EXPECT_EQ(after(controller, 0, 8), 8);  // without a number
  EXPECT_EQ(after(controller, 2, 9), 9);
  const LinkReport report = (*link)->report();
  EXPECT_EQ(report.messages, 6);
  EXPECT_EQ(report.not_finite, 3);
  EXPECT_EQ(report.foreign, 1);
  EXPECT_EQ(report.late, 1);
  EXPECT_EQ(report.malformed, 2);
  close(controller);
  close(stranger);
  EXPECT_FALSE(udp_link(port + 1, port, 1, 1, 70000).ok());
}

TEST(UdpLink, CarriesInputsAndOutputs) {
  const int port = 20000 + getpid() % 20000;
  const int controller = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in here{}, there{};
  here.sin_family = there.sin_family = AF_INET;
  here.sin_addr.s_addr = there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  here.sin_port = htons(static_cast<std::uint16_t>(port));
  there.sin_port = htons(static_cast<std::uint16_t>(port + 1));
  ASSERT_EQ(bind(controller, reinterpret_cast<sockaddr*>(&here), sizeof here), 0);
  const auto link = udp_link(port + 1, port, 1, 2);
  ASSERT_TRUE(link.ok()) << link.error().message;

  const auto send = [&](std::uint64_t magic, double value) {
    std::byte datagram[40];
    const DatagramHeader header{.magic = magic, .count = 1};
    std::memcpy(datagram, &header, sizeof header);
    std::memcpy(datagram + sizeof header, &value, sizeof value);
    EXPECT_EQ(sendto(controller, datagram, sizeof datagram, 0, reinterpret_cast<sockaddr*>(&there), sizeof there), 40);
  };
  double u = -1;
  (*link)->read(0, 0, {&u, 1});
  EXPECT_EQ(u, -1);
  send(DatagramHeader::magic_number, 3);
  send(DatagramHeader::magic_number, 4);
  send(1, 5);  // not ours
  (*link)->read(0, 0, {&u, 1});
  EXPECT_EQ(u, 4);

  for (int k = 0; k < 100; ++k) send(DatagramHeader::magic_number, 100 + k);  // a faster controller: the last counts
  (*link)->read(1, 0, {&u, 1});
  EXPECT_EQ(u, 199);

  const std::vector<double> y = {6, 7};
  (*link)->write(11, 0.25, RealtimeStatus::singular, y);
  std::byte datagram[100];
  ASSERT_EQ(recv(controller, datagram, sizeof datagram, 0), 48);
  DatagramHeader header;
  double received[2];
  std::memcpy(&header, datagram, sizeof header);
  std::memcpy(received, datagram + sizeof header, sizeof received);
  EXPECT_EQ(header.step, 11);
  EXPECT_EQ(header.time, 0.25);
  EXPECT_EQ(header.status, static_cast<std::uint32_t>(RealtimeStatus::singular));
  EXPECT_EQ(header.count, 2U);
  EXPECT_EQ(received[1], 7);
  close(controller);
  EXPECT_FALSE(udp_link(0, 1, 1, 1).ok());
  EXPECT_FALSE(udp_link(port + 1, 1, 1, 1).ok());  // in use
}

}  // namespace
}  // namespace rubato::realtime
