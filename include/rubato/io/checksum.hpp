#pragma once
/// CRC-32 (IEEE 802.3, the checksum of gzip and PNG): finds every damage of up to 32 bits in a row, and lets one in 2³² of all others pass.
/// It guards against accidents, not against intent. Python: `zlib.crc32(bytes)`.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rubato::io {

/// `before`: the checksum of what stands in front, where data come in pieces: checksum(b, checksum(a)) is that of ab.
[[nodiscard]] std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;
[[nodiscard]] inline std::uint32_t checksum(std::string_view text, std::uint32_t before = 0) noexcept {
  return checksum(std::as_bytes(std::span(text.data(), text.size())), before);
}

}  // namespace rubato::io
