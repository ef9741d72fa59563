// The reader of row files against libFuzzer (`make fuzz`): any bytes, and any payloads in blocks whose checksums are right, give rows or an
// error; every pass finds what the first one counted.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "io/row_format.hpp"
#include "rubato/io/row_file.hpp"

namespace {

using namespace rubato;

void append_block(std::string& file, std::uint32_t type, std::string_view payload) {
  io::RowBlockHead head{.type = type, .length = static_cast<std::uint32_t>(payload.size())};
  head.sum = head.sum_with(std::as_bytes(std::span(payload.data(), payload.size())));
  file.append(reinterpret_cast<const char*>(&head), sizeof head);
  file.append(payload);
}

/// A header for some channels, then blocks {type, length, payload} from the bytes.
std::string sealed(std::string_view bytes) {
  std::string file(io::row_file_mark.begin(), io::row_file_mark.end());
  const std::uint32_t channels = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]) % 4U;
  bytes.remove_prefix(bytes.empty() ? 0 : 1);
  std::string header(8, '\0');
  for (int list = 0; list < 2; ++list) {
    header.append(reinterpret_cast<const char*>(&channels), sizeof channels);
    header.append(channels * sizeof(std::uint32_t), '\0');  // texts of no length
  }
  append_block(file, io::block_header, header);
  while (bytes.size() >= 2) {
    const std::size_t length = std::min<std::size_t>(static_cast<unsigned char>(bytes[1]), bytes.size() - 2);
    append_block(file, static_cast<unsigned char>(bytes[0]) % 5U, bytes.substr(2, length));
    bytes.remove_prefix(2 + length);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::string text(bytes.substr(size > 0 ? 1 : 0));
  if (size > 0 && data[0] % 4 != 0) text = sealed(text);
  if (size > 0 && data[0] % 4 == 1 && text.size() > 40) text[40 + data[0] % (text.size() - 40)] ^= 0x20;

  static const int descriptor = memfd_create("rows", 0);
  static const std::string name = "/proc/self/fd/" + std::to_string(descriptor);
  if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, text.data(), text.size(), 0) != std::ssize(text)) return 0;
  const auto rows = io::RowFile::open(name);
  if (!rows) {
    if (rows.error().message.empty()) std::abort();
    return 0;
  }
  if (rows->end().bytes > text.size() || rows->names.size() != rows->units.size()) std::abort();
  std::size_t n_rows = 0, n_steps = 0;
  const auto read_rows = rows->each_row([&](double, In values) {
    if (values.size() != rows->channels()) std::abort();
    return ++n_rows > 0;
  });
  const auto read_steps = rows->each_step([&](double, double) { return ++n_steps > 0; });
  if (!read_rows || !read_steps || n_rows != rows->n_rows || n_steps != rows->n_steps) std::abort();
  return 0;
}
