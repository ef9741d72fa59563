#include "rubato/realtime/shared_memory_link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace rubato::realtime {

namespace {

class SharedMemoryLink final : public Link {
 public:
  SharedMemoryLink(std::string name, void* memory, std::size_t size, int n_inputs, int n_outputs)
      : name_(std::move(name)),
        size_(size),
        header_(new (memory) SharedHeader),
        received_(static_cast<std::size_t>(n_inputs)) {
    header_->n_inputs = static_cast<std::uint32_t>(n_inputs);
    header_->n_outputs = static_cast<std::uint32_t>(n_outputs);
    outputs_ = reinterpret_cast<double*>(header_ + 1);
    inputs_ = outputs_ + n_outputs;
  }
  ~SharedMemoryLink() override {
    munmap(header_, size_);
    shm_unlink(name_.c_str());
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
      std::copy(received_.begin(), received_.end(), u.begin());
      return;
    }
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

 private:
  std::string name_;
  std::size_t size_;
  SharedHeader* header_;
  double *outputs_ = nullptr, *inputs_ = nullptr;
  std::vector<double> received_;
};

}  // namespace

Result<std::unique_ptr<Link>> shared_memory_link(const std::string& name, int n_inputs, int n_outputs) {
  if (name.empty() || name.find('/') != std::string::npos)
    return Error{fmt::format("shared memory '{}': a name without '/'", name)};
  const std::string path = "/" + name;
  const std::size_t size = sizeof(SharedHeader) + static_cast<std::size_t>(n_inputs + n_outputs) * sizeof(double);
  const auto trouble = [&](const char* what) {
    return Error{fmt::format("shared memory '{}': {}: {}", name, what, std::strerror(errno))};
  };
  const int file = shm_open(path.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
  if (file < 0) return trouble("cannot be made");
  void* memory = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(size)) == 0)
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) {
    auto error = trouble("cannot be mapped");
    shm_unlink(path.c_str());
    return error;
  }
  return std::unique_ptr<Link>(std::make_unique<SharedMemoryLink>(path, memory, size, n_inputs, n_outputs));
}

}  // namespace rubato::realtime
