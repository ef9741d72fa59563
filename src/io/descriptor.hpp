#pragma once
/// A file descriptor that closes itself, and whether a name still stands for the file behind one.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace rubato::io {

class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] bool ok() const noexcept { return number_ >= 0; }
  operator int() const noexcept { return number_; }

 private:
  int number_;
};

/// The name still stands for the open file.
[[nodiscard]] inline bool same_file(int descriptor, const std::filesystem::path& name) noexcept {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::lstat(name.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace rubato::io
