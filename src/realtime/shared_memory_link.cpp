#include "rubato/realtime/shared_memory_link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "realtime/mapped_memory.hpp"

namespace rubato::realtime {

namespace {

class SharedMemoryLink final : public Link {
 public:
  SharedMemoryLink(std::string path, std::unique_ptr<MappedMemory> memory, int n_inputs, int n_outputs)
      : path_(std::move(path)),
        memory_(std::move(memory)),
        header_(new (memory_->data()) SharedHeader),
        received_(static_cast<std::size_t>(n_inputs)) {
    header_->n_inputs = static_cast<std::uint32_t>(n_inputs);
    header_->n_outputs = static_cast<std::uint32_t>(n_outputs);
    outputs_ = reinterpret_cast<double*>(header_ + 1);
    inputs_ = outputs_ + n_outputs;
  }
  ~SharedMemoryLink() override {
    struct stat status {};
    const bool named = fstat(memory_->descriptor(), &status) == 0 && status.st_nlink > 0;
    if (named) shm_unlink(path_.c_str());  // else another may have the name
  }
  SharedMemoryLink(const SharedMemoryLink&) = delete;
  SharedMemoryLink& operator=(const SharedMemoryLink&) = delete;

  /// A message that is being written is not waited for: the last whole one stays.
  void read(long /*n*/, double /*t*/, Out u) noexcept override {
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::uint64_t before = header_->input_sequence.load(std::memory_order_acquire);
      if (before == 0 || before % 2 != 0) continue;
      std::memcpy(received_.data(), inputs_, received_.size() * sizeof(double));
      std::atomic_thread_fence(std::memory_order_acquire);
      if (header_->input_sequence.load(std::memory_order_relaxed) != before) continue;
      if (memory_->lost()) break;  // what was read may be no message
      const bool fine = usable(received_);
      if (std::exchange(last_message_, before) != before) ++(fine ? report_.messages : report_.not_finite);
      if (fine) std::copy(received_.begin(), received_.end(), u.begin());
      break;
    }
    lost_ = lost_ || memory_->lost();
  }
  void write(long n, double t, RealtimeStatus status, In y) noexcept override {
    const std::uint64_t sequence = header_->output_sequence.load(std::memory_order_relaxed);
    header_->output_sequence.store(sequence + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    header_->step = n;
    header_->time = t;
    header_->status = static_cast<std::uint64_t>(status);
    std::memcpy(outputs_, y.data(), y.size() * sizeof(double));
    header_->output_sequence.store(sequence + 2, std::memory_order_release);
  }
  const char* ended() const noexcept override {
    return lost_ ? "the shared memory was shortened by another process" : nullptr;
  }
  LinkReport report() const noexcept override { return report_; }

 private:
  std::string path_;
  std::unique_ptr<MappedMemory> memory_;
  SharedHeader* header_;
  double *outputs_ = nullptr, *inputs_ = nullptr;
  std::vector<double> received_;
  std::uint64_t last_message_ = 0;
  bool lost_ = false;
  LinkReport report_;
};

/// Memory that a killed run left is ours: it begins as ours does, or is still empty.
bool left_by_a_run(int file, off_t size) {
  if (size == 0) return true;
  std::uint64_t magic = 0;
  return pread(file, &magic, sizeof magic, 0) == sizeof magic && magic == SharedHeader::magic_number;
}

}  // namespace

// The run that owns the memory holds a lock on it, which the system releases when the run ends in whatever way.
Result<std::unique_ptr<Link>> shared_memory_link(const std::string& name, int n_inputs, int n_outputs) {
  if (name.empty() || name.find('/') != std::string::npos)
    return Error{fmt::format("shared memory '{}': a name without '/'", name)};
  const std::string path = "/" + name;
  const std::size_t size = sizeof(SharedHeader) +
                           (static_cast<std::size_t>(n_inputs) + static_cast<std::size_t>(n_outputs)) * sizeof(double);
  const auto refuse = [&](std::string_view why) { return Error{fmt::format("shared memory '{}': {}", name, why)}; };
  const auto trouble = [&](const char* what) { return refuse(fmt::format("{}: {}", what, std::strerror(errno))); };
  for (int attempt = 0; attempt < 100; ++attempt) {
    const int file = shm_open(path.c_str(), O_CREAT | O_RDWR, 0600);
    if (file < 0) return trouble("cannot be made");
    const auto give_up = [&](const Error& error) {
      close(file);
      return error;
    };
    if (flock(file, LOCK_EX | LOCK_NB) != 0)
      return give_up(errno == EWOULDBLOCK ? refuse("is in use by another run") : trouble("cannot be locked"));
    struct stat status {};
    if (fstat(file, &status) != 0) return give_up(trouble("cannot be looked at"));
    if (status.st_nlink == 0) {  // its owner ended between the two calls
      close(file);
      continue;
    }
    if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || !left_by_a_run(file, status.st_size))
      return give_up(refuse(fmt::format("/dev/shm{} is there and was not made by a run; take another name", path)));
    // A controller that still looks at it sees a sequence that begins anew.
    if (ftruncate(file, static_cast<off_t>(size)) != 0) return give_up(trouble("cannot be sized"));
    auto memory = MappedMemory::of(file, size);
    if (memory == nullptr) {
      auto error = trouble("cannot be mapped");
      shm_unlink(path.c_str());
      return error;
    }
    return std::unique_ptr<Link>(std::make_unique<SharedMemoryLink>(path, std::move(memory), n_inputs, n_outputs));
  }
  return refuse("comes and goes; is another run started again and again?");
}

}  // namespace rubato::realtime
