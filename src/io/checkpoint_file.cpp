#include "rubato/io/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "rubato/base/archive.hpp"
#include "rubato/io/checksum.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {
constexpr std::array<char, 16> mark = {'r', 'u', 'b', 'a', 't', 'o', ' ', 'r', 'e', 's', 'u', 'm', 'e', ' ', '2', '\n'};
constexpr std::size_t of_version = 14;  ///< where in the mark its number stands
constexpr std::size_t head_bytes = mark.size() + sizeof(std::uint64_t) + sizeof(std::uint32_t);

template <class T>
void put_list(ArchiveWriter& out, const T& list) {
  out.put<std::uint64_t>(list.size());  // for the reader to make room
  out.put(std::span(list.data(), list.size()));
}

/// Room is limited by the size of the file: a damaged length cannot ask for all memory.
template <class T>
bool get_list(ArchiveReader& in, T& list, std::size_t file_size) {
  std::uint64_t n = 0;
  in.get(n, 0, file_size);
  if (!in.ok()) return false;
  list.resize(static_cast<std::size_t>(n));
  in.get(std::span(list.data(), list.size()));
  return in.ok();
}
}  // namespace

std::uint64_t task_number(std::string_view task) noexcept { return std::uint64_t{task.size()} << 32 | checksum(task); }

std::vector<std::byte> checkpoint_bytes(const CheckpointFile& checkpoint) {
  ArchiveWriter body;
  put_list(body, checkpoint.task);
  body.put(checkpoint.t);
  put_list(body, checkpoint.state);
  put_list(body, checkpoint.watched);
  for (const std::uint64_t count :
       {checkpoint.rows.bytes, checkpoint.rows.rows, checkpoint.rows.steps, checkpoint.rows.events})
    body.put(count);
  ArchiveWriter out;
  out.put(mark);
  out.put<std::uint64_t>(body.bytes().size());
  out.put(checksum(body.bytes()));
  std::vector<std::byte> bytes = out.bytes();
  bytes.insert(bytes.end(), body.bytes().begin(), body.bytes().end());
  return bytes;
}

Result<void> write_checkpoint(const std::filesystem::path& file, const CheckpointFile& checkpoint) {
  const auto bytes = checkpoint_bytes(checkpoint);
  return write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<CheckpointFile> parse_checkpoint(std::span<const std::byte> bytes, std::string_view name) {
  const auto refused = [&](std::string_view why) { return Error{fmt::format("{}: {}", name, why)}; };
  ArchiveReader head(bytes);
  auto found = mark;
  std::uint64_t length = 0;
  std::uint32_t sum = 0;
  head.get(found);
  if (!head.ok() || !std::equal(mark.begin(), mark.begin() + of_version, found.begin()))
    return refused("not a checkpoint");
  if (found != mark)
    return refused("a checkpoint of another version of rubato: finish that run with it, or start anew");
  head.get(length);
  head.get(sum);
  if (!head.ok() || length != bytes.size() - head_bytes) return refused(fmt::format("damaged: {} bytes", bytes.size()));
  const auto body = bytes.subspan(head_bytes);
  if (checksum(body) != sum) return refused("damaged: its checksum is another");
  ArchiveReader in(body);
  CheckpointFile checkpoint;
  const bool read = get_list(in, checkpoint.task, bytes.size());
  in.get(checkpoint.t);
  if (!read || !get_list(in, checkpoint.state, bytes.size()) || !get_list(in, checkpoint.watched, bytes.size()))
    return refused("damaged");
  for (std::uint64_t* count :
       {&checkpoint.rows.bytes, &checkpoint.rows.rows, &checkpoint.rows.steps, &checkpoint.rows.events})
    in.get(*count);
  if (!in.at_end()) return refused("damaged");
  return checkpoint;
}

Result<CheckpointFile> read_checkpoint(const std::filesystem::path& file) {
  const auto bytes = read_file(file);
  if (!bytes) return bytes.error();
  return parse_checkpoint(std::as_bytes(std::span(bytes->data(), bytes->size())), file.string());
}

std::string first_difference(const std::string& was, const std::string& is) {
  std::istringstream a(was), b(is);
  std::string line_a, line_b;
  for (;;) {
    const bool more_a = static_cast<bool>(std::getline(a, line_a)), more_b = static_cast<bool>(std::getline(b, line_b));
    if (!more_a && !more_b) return {};
    if (!more_a || !more_b || line_a != line_b)
      return fmt::format("was `{}`, is `{}`", more_a ? line_a : "", more_b ? line_b : "");
  }
}

}  // namespace rubato::io
