#include "rubato/io/checksum.hpp"

#include <zlib.h>

namespace rubato::io {

std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  if (bytes.empty()) return before;  // to zlib a null pointer means "begin anew"
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace rubato::io
