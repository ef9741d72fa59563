#pragma once
/// How HDF5 reaches the disk: a file driver whose operations never fail.
///
/// HDF5 1.10 does not survive a close that fails, as it does when the disk is full: the memory of the file is freed, its entry in the
/// list of open files stays, and the end of the program closes it once more (H5F__close_cb, SIGSEGV). So a write that fails is remembered
/// and its bytes are kept in memory, where HDF5 finds them should it read them again. Whoever writes asks `trouble()` and ends early; the close
/// then has nothing left to fail at.
#include <hdf5.h>

#include <filesystem>
#include <utility>
#include <vector>

namespace rubato::io {

class Hdf5Disk {
 public:
  /// Opens a file that exists; trouble() says whether that worked.
  explicit Hdf5Disk(const std::filesystem::path& file) noexcept;
  Hdf5Disk(const Hdf5Disk&) = delete;
  Hdf5Disk& operator=(const Hdf5Disk&) = delete;
  ~Hdf5Disk();

  /// The file that is created or opened with these access properties is this one, whatever its name.
  [[nodiscard]] bool serve(hid_t access_properties);
  /// The errno of the first operation that failed; 0: none did.
  [[nodiscard]] int trouble() const noexcept { return trouble_; }

  // For the driver.
  void write(haddr_t at, const void* bytes, std::size_t n);
  void read(haddr_t at, void* bytes, std::size_t n);
  void truncate(haddr_t size) noexcept;
  [[nodiscard]] haddr_t size() const noexcept { return size_; }

 private:
  int descriptor_ = -1, trouble_ = 0;
  hid_t driver_ = -1;
  haddr_t size_ = 0;                                              ///< behind the last byte written
  std::vector<std::pair<haddr_t, std::vector<char>>> unwritten_;  ///< since the trouble began, the latest last
};

}  // namespace rubato::io
