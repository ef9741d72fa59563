#include "io/hdf5_driver.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace rubato::io {

namespace {

/// What HDF5 holds of an open file. Its own part comes first.
struct OpenFile {
  H5FD_t of_library;
  Hdf5Disk* disk;
  haddr_t allocated;  ///< "end of address": how far HDF5 has given space away
};
OpenFile& file_of(const H5FD_t* file) {
  return *reinterpret_cast<OpenFile*>(const_cast<H5FD_t*>(file));  // the interface of C has it both ways
}

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* disk = static_cast<Hdf5Disk* const*>(H5Pget_driver_info(access));
  auto* file = disk != nullptr ? new (std::nothrow) OpenFile{.of_library = {}, .disk = *disk, .allocated = 0} : nullptr;
  return file != nullptr ? &file->of_library : nullptr;
}
herr_t close_file(H5FD_t* file) {
  delete &file_of(file);
  return 0;
}
/// As of HDF5's usual driver: the same bytes.
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}
haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return file_of(file).allocated; }
herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  file_of(file).allocated = end;
  return 0;
}
haddr_t written(const H5FD_t* file, H5FD_mem_t) { return file_of(file).disk->size(); }
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t n, void* bytes) {
  file_of(file).disk->read(at, bytes, n);
  return 0;
}
herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, size_t n, const void* bytes) {
  file_of(file).disk->write(at, bytes, n);
  return 0;
}
herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  file_of(file).disk->truncate(file_of(file).allocated);
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "rubato";
  driver.maxaddr = HADDR_MAX / 4;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Hdf5Disk*);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = written;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
  std::ranges::copy(map, driver.fl_map);
  return driver;
}

}  // namespace

Hdf5Disk::Hdf5Disk(const std::filesystem::path& file) noexcept
    : descriptor_(::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC)) {
  if (descriptor_ < 0) trouble_ = errno;
}

Hdf5Disk::~Hdf5Disk() {
  if (driver_ >= 0) H5FDunregister(driver_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Hdf5Disk::serve(hid_t access_properties) {
  static const H5FD_class_t driver = driver_class();
  driver_ = H5FDregister(&driver);
  Hdf5Disk* const self = this;
  return driver_ >= 0 && H5Pset_driver(access_properties, driver_, &self) >= 0;
}

void Hdf5Disk::write(haddr_t at, const void* bytes, std::size_t n) {
  const char* from = static_cast<const char*>(bytes);
  size_ = std::max(size_, at + n);
  if (trouble_ == 0) {
    while (n > 0) {
      const ssize_t written = ::pwrite(descriptor_, from, n, static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        trouble_ = written < 0 ? errno : ENOSPC;
        break;
      }
      from += written;
      at += static_cast<haddr_t>(written);
      n -= static_cast<std::size_t>(written);
    }
  }
  if (n > 0) unwritten_.emplace_back(at, std::vector<char>(from, from + n));
}

void Hdf5Disk::read(haddr_t at, void* bytes, std::size_t n) {
  char* const to = static_cast<char*>(bytes);
  std::memset(to, 0, n);  // what was never written
  for (std::size_t done = 0; done < n;) {
    const ssize_t taken = ::pread(descriptor_, to + done, n - done, static_cast<off_t>(at + done));
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0 && trouble_ == 0) trouble_ = errno;
    if (taken <= 0) break;
    done += static_cast<std::size_t>(taken);
  }
  for (const auto& [begin, kept] : unwritten_) {
    const haddr_t first = std::max(begin, at), last = std::min<haddr_t>(begin + kept.size(), at + n);
    if (first < last) std::memcpy(to + (first - at), kept.data() + (first - begin), last - first);
  }
}

void Hdf5Disk::truncate(haddr_t size) noexcept {
  if (trouble_ == 0 && size != size_ && ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) trouble_ = errno;
  size_ = size;
}

}  // namespace rubato::io
