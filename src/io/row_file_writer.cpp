#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "io/descriptor.hpp"
#include "io/row_format.hpp"
#include "rubato/io/row_file.hpp"

namespace rubato::io {

namespace {
constexpr std::size_t buffer_bytes = 1 << 18;

/// All of a record goes in, or (where there is no memory) nothing: room first. It grows by factors, as the vector itself would.
void make_room(std::vector<std::byte>& in, std::size_t bytes) {
  if (in.capacity() - in.size() < bytes) in.reserve(std::max(2 * in.capacity(), in.size() + bytes));
}

/// 0, or why not all was written.
const char* write_at(int descriptor, std::span<const std::byte> rest, std::uint64_t at) {
  while (!rest.empty()) {
    const ssize_t n = ::pwrite(descriptor, rest.data(), rest.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? std::strerror(errno) : "nothing is taken";
    at += static_cast<std::uint64_t>(n);
    rest = rest.subspan(static_cast<std::size_t>(n));
  }
  return nullptr;
}

/// The first bytes of one file to another; the same.
const char* copy_bytes(int from, int to, std::uint64_t bytes) {
  std::vector<std::byte> piece(std::min<std::uint64_t>(bytes, buffer_bytes));
  for (std::uint64_t at = 0; at < bytes;) {
    const ssize_t n =
        ::pread(from, piece.data(), std::min<std::uint64_t>(piece.size(), bytes - at), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? std::strerror(errno) : "its rows so far have gone";
    if (const char* what = write_at(to, std::span(piece).first(static_cast<std::size_t>(n)), at)) return what;
    at += static_cast<std::uint64_t>(n);
  }
  return nullptr;
}

template <class T>
void append_bytes(std::vector<std::byte>& to, const T* values, std::size_t n) {
  const auto bytes = std::as_bytes(std::span(values, n));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_texts(std::vector<std::byte>& to, const std::vector<std::string>& texts) {
  const auto append_size = [&](std::size_t n) {
    const auto size = static_cast<std::uint32_t>(n);
    append_bytes(to, &size, 1);
  };
  append_size(texts.size());
  for (const auto& text : texts) {
    append_size(text.size());
    append_bytes(to, text.data(), text.size());
  }
}
}  // namespace

RowFileWriter::RowFileWriter(std::filesystem::path file, int descriptor, const RowFilePlace& place)
    : file_(std::move(file)), descriptor_(descriptor), place_(place), on_disk_(place.bytes) {}

RowFileWriter::~RowFileWriter() {
  try {
    flush();
  } catch (const std::bad_alloc&) {  // whole blocks stand in the file
  }
  ::close(descriptor_);
}

Result<std::unique_ptr<RowFileWriter>> RowFileWriter::create(const std::filesystem::path& file,
                                                             const RowFileHeader& header) {
  // Made anew: an old file may be a link to elsewhere.
  if (::unlink(file.c_str()) != 0 && errno != ENOENT)
    return Error{fmt::format("{}: cannot be replaced: {}", file.string(), std::strerror(errno))};
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) return Error{fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno))};
  std::unique_ptr<RowFileWriter> writer(new RowFileWriter(file, descriptor, {}));
  append_bytes(writer->out_, row_file_mark.data(), row_file_mark.size());
  writer->place_.bytes = writer->out_.size();
  std::vector<std::byte> payload;
  append_bytes(payload, &header.task, 1);
  append_texts(payload, header.names);
  append_texts(payload, header.units);
  writer->frame(block_header, payload);
  if (!writer->flush()) return *writer->trouble_;
  return writer;
}

Result<std::unique_ptr<RowFileWriter>> RowFileWriter::append(const std::filesystem::path& file, std::uint64_t task,
                                                             const RowFilePlace& place) {
  const auto old = RowFile::open(file, place.bytes);
  if (!old) return old.error();
  if (old->task() != task || old->end() != place)
    return Error{fmt::format("{}: does not belong to the checkpoint beside it: {} of {} rows, {} of {} bytes",
                             file.string(), old->end().rows, place.rows, old->end().bytes, place.bytes)};
  const int descriptor = ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return Error{fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno))};
  std::unique_ptr<RowFileWriter> writer(new RowFileWriter(file, descriptor, place));
  if (::ftruncate(descriptor, static_cast<off_t>(place.bytes)) != 0)
    return Error{fmt::format("{}: cannot be cut back: {}", file.string(), std::strerror(errno))};
  return writer;
}

void RowFileWriter::row(double t, In values) {
  if (trouble_) return;
  make_room(rows_, sizeof t + values.size_bytes());
  append_bytes(rows_, &t, 1);
  append_bytes(rows_, values.data(), values.size());
  ++place_.rows;
  if (waiting() >= buffer_bytes) (void)cut();
}

void RowFileWriter::step(double t, double h) {
  if (trouble_) return;
  const double pair[] = {t, h};
  make_room(steps_, sizeof pair);
  append_bytes(steps_, pair, 2);
  ++place_.steps;
  if (waiting() >= buffer_bytes) (void)cut();
  if (Clock::now() - written_ >= std::chrono::seconds(1)) flush();
}

void RowFileWriter::event(const EventRecord& event) {
  if (trouble_) return;
  const std::int32_t head[] = {event.mode_before, event.mode_after, static_cast<std::int32_t>(event.roots.size())};
  make_room(events_, sizeof event.t + sizeof head + std::span(event.roots).size_bytes());
  append_bytes(events_, &event.t, 1);
  append_bytes(events_, head, 3);
  append_bytes(events_, event.roots.data(), event.roots.size());
  ++place_.events;
}

RowFilePlace RowFileWriter::cut() {
  frame(block_rows, rows_);
  frame(block_steps, steps_);
  frame(block_events, events_);
  if (out_.size() >= buffer_bytes) write();
  return place_;
}

bool RowFileWriter::flush() {
  (void)cut();
  write();
  return !trouble_;
}

bool RowFileWriter::sync() {
  if (!flush()) return false;
  if (!in_place()) restore();
  while (!trouble_ && ::fsync(descriptor_) != 0)
    if (errno != EINTR) {
      fail(std::strerror(errno));
      break;
    }
  return !trouble_;
}

std::filesystem::path RowFileWriter::readable() const {
  return in_place() ? file_ : std::filesystem::path(fmt::format("/proc/self/fd/{}", descriptor_));
}

bool RowFileWriter::in_place() const noexcept { return same_file(descriptor_, file_); }

/// What stands there now is not replaced: it is of somebody else.
void RowFileWriter::restore() {
  int made = ::open(file_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (made < 0) return fail(std::strerror(errno));
  const char* what = copy_bytes(descriptor_, made, on_disk_);
  if (what == nullptr) std::swap(descriptor_, made);
  ::close(made);
  if (what == nullptr) return;
  fail(what);
  ::unlink(file_.c_str());
}

void RowFileWriter::frame(std::uint32_t type, std::vector<std::byte>& payload) {
  if (payload.empty() || trouble_) return;
  RowBlockHead head{.type = type, .length = static_cast<std::uint32_t>(payload.size())};
  head.sum = head.sum_with(payload);
  make_room(out_, sizeof head + payload.size());
  append_bytes(out_, &head, 1);
  out_.insert(out_.end(), payload.begin(), payload.end());
  place_.bytes += sizeof head + payload.size();
  payload.clear();
}

void RowFileWriter::write() {
  written_ = Clock::now();
  if (trouble_) return;
  if (const char* what = write_at(descriptor_, out_, on_disk_)) return fail(what);
  on_disk_ += out_.size();
  out_.clear();
}

void RowFileWriter::fail(const std::string& what) {
  trouble_ = Error{fmt::format("{}: cannot be written: {}", file_.string(), what)};
  for (auto* buffer : {&rows_, &steps_, &events_, &out_}) buffer->clear();
  (void)!::ftruncate(descriptor_, static_cast<off_t>(on_disk_));  // half a block would end the file all the same
  if (on_trouble) on_trouble();
}

}  // namespace rubato::io
