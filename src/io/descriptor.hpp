#pragma once
/// A file descriptor that closes itself.
#include <unistd.h>

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

}  // namespace rubato::io
