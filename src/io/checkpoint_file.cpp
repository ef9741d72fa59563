#include "rubato/io/checkpoint_file.hpp"

#include <fmt/format.h>

#include <array>
#include <sstream>

#include "rubato/base/archive.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {
constexpr std::array<char, 16> mark = {'r', 'u', 'b', 'a', 't', 'o', ' ', 'r', 'e', 's', 'u', 'm', 'e', ' ', '1', '\n'};

template <class T>
void put_list(ArchiveWriter& out, const T& list) {
  out.put<std::uint64_t>(list.size());  // for the reader to make room
  out.put(std::span(list.data(), list.size()));
}

/// Room is limited by the size of the file: a damaged length cannot ask for all memory.
template <class T>
bool get_list(ArchiveReader& in, T& list, std::size_t file_size) {
  std::uint64_t n = 0;
  in.get(n);
  if (!in.ok() || n > file_size) return false;
  list.resize(static_cast<std::size_t>(n));
  in.get(std::span(list.data(), list.size()));
  return in.ok();
}

bool get_texts(ArchiveReader& in, std::vector<std::string>& texts, std::size_t file_size) {
  std::uint64_t n = 0;
  in.get(n);
  if (!in.ok() || n > file_size) return false;
  texts.resize(static_cast<std::size_t>(n));
  for (auto& text : texts)
    if (!get_list(in, text, file_size)) return false;
  return true;
}
}  // namespace

Result<void> write_checkpoint(const std::filesystem::path& file, const CheckpointFile& checkpoint) {
  ArchiveWriter out;
  out.put(mark);
  put_list(out, checkpoint.options);
  out.put(checkpoint.t);
  put_list(out, checkpoint.state);
  const Trajectory& x = checkpoint.trajectory;
  for (const auto* texts : {&x.names, &x.units}) {
    out.put<std::uint64_t>(texts->size());
    for (const auto& text : *texts) put_list(out, text);
  }
  for (const auto* list : {&x.times, &x.values, &x.step_times, &x.step_sizes}) put_list(out, *list);
  out.put<std::uint64_t>(x.events.size());
  for (const auto& event : x.events) {
    out.put(event.t);
    put_list(out, event.roots);
    out.put(event.mode_before);
    out.put(event.mode_after);
  }
  return write_file(file, {reinterpret_cast<const char*>(out.bytes().data()), out.bytes().size()});
}

Result<CheckpointFile> read_checkpoint(const std::filesystem::path& file) {
  const auto bytes = read_file(file);
  if (!bytes) return bytes.error();
  const Error damaged{fmt::format("{}: not a checkpoint of this version, or damaged", file.string())};
  ArchiveReader in(std::as_bytes(std::span(bytes->data(), bytes->size())));
  auto found = mark;
  in.get(found);
  if (!in.ok() || found != mark) return damaged;
  CheckpointFile checkpoint;
  Trajectory& x = checkpoint.trajectory;
  const std::size_t size = bytes->size();
  if (!get_list(in, checkpoint.options, size)) return damaged;
  in.get(checkpoint.t);
  if (!get_list(in, checkpoint.state, size)) return damaged;
  for (auto* texts : {&x.names, &x.units})
    if (!get_texts(in, *texts, size)) return damaged;
  for (auto* list : {&x.times, &x.values, &x.step_times, &x.step_sizes})
    if (!get_list(in, *list, size)) return damaged;
  std::uint64_t n_events = 0;
  in.get(n_events);
  if (!in.ok() || n_events > size) return damaged;
  x.events.resize(static_cast<std::size_t>(n_events));
  for (auto& event : x.events) {
    in.get(event.t);
    if (!get_list(in, event.roots, size)) return damaged;
    in.get(event.mode_before);
    in.get(event.mode_after);
  }
  if (!in.at_end() || x.values.size() != x.rows() * x.channels() || x.units.size() != x.channels() ||
      x.step_sizes.size() != x.step_times.size())
    return damaged;
  return checkpoint;
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
