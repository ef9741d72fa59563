#include "rubato/io/row_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "io/regular_file.hpp"
#include "io/row_format.hpp"

namespace rubato::io {

namespace {

struct CloseRows {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

/// Reads block after block up to a number of bytes.
class BlockReader {
 public:
  explicit BlockReader(const std::filesystem::path& file) : file_(file) {}

  /// The mark is there. `most`: where to stop, at the end of the file at the latest.
  [[nodiscard]] Result<void> begin(std::uint64_t most) {
    struct stat status {};
    const auto descriptor = open_regular(file_, status);
    if (!descriptor) return descriptor.error();
    stream_.reset(::fdopen(*descriptor, "rb"));
    if (!stream_) {
      const int reason = errno;
      ::close(*descriptor);
      return Error{fmt::format("{}: cannot be read: {}", file_.string(), std::strerror(reason))};
    }
    end_ = std::min<std::uint64_t>(most, static_cast<std::uint64_t>(status.st_size));
    auto mark = row_file_mark;
    if (end_ < mark.size() || std::fread(mark.data(), 1, mark.size(), stream_.get()) != mark.size() ||
        mark != row_file_mark)
      return Error{fmt::format("{}: not a row file of this version", file_.string())};
    at_ = mark.size();
    return {};
  }
  /// False at the end. Only blocks of the wanted types are read (and their sums checked); ~0: all.
  [[nodiscard]] Result<bool> next(std::uint32_t wanted) {
    for (;;) {
      if (end_ - at_ < sizeof head) return false;
      if (std::fread(&head, sizeof head, 1, stream_.get()) != 1) return unreadable();
      if (head.length > end_ - at_ - sizeof head) return false;  // and no room is made for it
      const std::uint64_t next = at_ + sizeof head + head.length;
      if (wanted != ~0U && head.type != wanted) {
        if (std::fseek(stream_.get(), static_cast<long>(next), SEEK_SET) != 0) return unreadable();
        at_ = next;
        continue;
      }
      payload.resize(head.length);
      if (std::fread(payload.data(), 1, payload.size(), stream_.get()) != payload.size()) return unreadable();
      if (head.sum_with(payload) != head.sum) return damaged();
      at_ = next;
      return true;
    }
  }
  [[nodiscard]] Error damaged() const { return Error{fmt::format("{}: damaged at byte {}", file_.string(), at_)}; }
  [[nodiscard]] std::uint64_t at() const noexcept { return at_; }

  RowBlockHead head;
  std::vector<std::byte> payload;

 private:
  [[nodiscard]] Error unreadable() const {
    return Error{fmt::format("{}: cannot be read at byte {}", file_.string(), at_)};
  }
  const std::filesystem::path& file_;
  std::unique_ptr<std::FILE, CloseRows> stream_;
  std::uint64_t at_ = 0, end_ = 0;
};

/// Values from a payload; what it does not hold leaves ok false.
class PayloadReader {
 public:
  explicit PayloadReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class T>
  T get() {
    T value{};
    if ((ok = ok && rest_.size() >= sizeof(T))) {
      std::memcpy(&value, rest_.data(), sizeof(T));
      rest_ = rest_.subspan(sizeof(T));
    }
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (auto n = get<std::uint32_t>(); ok && n > 0; --n) {
      const auto size = get<std::uint32_t>();
      if (!(ok = ok && size <= rest_.size())) break;
      all.emplace_back(reinterpret_cast<const char*>(rest_.data()), size);
      rest_ = rest_.subspan(size);
    }
    return all;
  }
  [[nodiscard]] bool at_end() const noexcept { return ok && rest_.empty(); }
  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  bool ok = true;

 private:
  std::span<const std::byte> rest_;
};

bool read_events(std::span<const std::byte> payload, std::vector<EventRecord>& events) {
  PayloadReader in(payload);
  while (in.ok && !in.empty()) {
    EventRecord event;
    event.t = in.get<double>();
    event.mode_before = in.get<std::int32_t>();
    event.mode_after = in.get<std::int32_t>();
    for (auto n = in.get<std::int32_t>(); in.ok && n > 0; --n) event.roots.push_back(in.get<std::int32_t>());
    if (in.ok) events.push_back(std::move(event));
  }
  return in.ok;
}

}  // namespace

Result<RowFile> RowFile::open(const std::filesystem::path& file, std::uint64_t most_bytes) {
  BlockReader blocks(file);
  if (const auto begun = blocks.begin(most_bytes); !begun) return begun.error();
  RowFile rows;
  rows.file_ = file;
  const auto first = blocks.next(~0U);
  if (!first) return first.error();
  if (!*first || blocks.head.type != block_header) return blocks.damaged();
  PayloadReader header(blocks.payload);
  rows.task_ = header.get<std::uint64_t>();
  rows.names = header.texts();
  rows.units = header.texts();
  if (!header.at_end() || rows.names.size() != rows.units.size()) return blocks.damaged();
  const std::size_t row_bytes = sizeof(double) * (1 + rows.channels()), step_bytes = 2 * sizeof(double);
  for (;;) {
    rows.end_.bytes = blocks.at();
    const auto more = blocks.next(~0U);
    if (!more) return more.error();
    if (!*more) break;
    const std::size_t length = blocks.payload.size();
    const bool fits = blocks.head.type == block_rows     ? length % row_bytes == 0
                      : blocks.head.type == block_steps  ? length % step_bytes == 0
                      : blocks.head.type == block_events ? read_events(blocks.payload, rows.events)
                                                         : false;
    if (!fits) return blocks.damaged();
    if (blocks.head.type == block_rows) rows.n_rows += length / row_bytes;
    if (blocks.head.type == block_steps) rows.n_steps += length / step_bytes;
  }
  rows.end_.rows = rows.n_rows;
  rows.end_.steps = rows.n_steps;
  rows.end_.events = rows.events.size();
  return rows;
}

namespace {
/// The doubles of all blocks of one type, `width` at a time.
Result<void> each_record(const std::filesystem::path& file, std::uint64_t end, std::uint32_t type, std::size_t width,
                         const std::function<bool(In)>& take) {
  BlockReader blocks(file);
  if (const auto begun = blocks.begin(end); !begun) return begun.error();
  std::vector<double> numbers;
  for (;;) {
    const auto more = blocks.next(type);
    if (!more) return more.error();
    if (!*more) return {};
    if (blocks.payload.size() % (width * sizeof(double)) != 0) return blocks.damaged();
    numbers.resize(blocks.payload.size() / sizeof(double));
    if (!numbers.empty()) std::memcpy(numbers.data(), blocks.payload.data(), blocks.payload.size());
    for (std::size_t i = 0; i < numbers.size(); i += width)
      if (!take(In(numbers).subspan(i, width))) return {};
  }
}
}  // namespace

Result<void> RowFile::each_row(const TakeRow& take) const {
  return each_record(file_, end_.bytes, block_rows, 1 + channels(),
                     [&](In record) { return take(record[0], record.subspan(1)); });
}

Result<void> RowFile::each_step(const TakeStep& take) const {
  return each_record(file_, end_.bytes, block_steps, 2, [&](In record) { return take(record[0], record[1]); });
}

}  // namespace rubato::io
