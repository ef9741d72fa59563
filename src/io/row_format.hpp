#pragma once
/// What the writer and the reader of row files share (row_file.hpp).
#include <array>
#include <cstdint>
#include <span>

#include "rubato/io/checksum.hpp"

namespace rubato::io {

inline constexpr std::array<char, 16> row_file_mark = {'r', 'u', 'b', 'a', 't', 'o', ' ',
                                                       'r', 'o', 'w', 's', ' ', '1', '\n'};

enum RowBlock : std::uint32_t { block_header = 0, block_rows = 1, block_steps = 2, block_events = 3 };

struct RowBlockHead {
  std::uint32_t type = 0, length = 0, sum = 0;

  [[nodiscard]] std::uint32_t sum_with(std::span<const std::byte> payload) const noexcept {
    const std::array<std::uint32_t, 2> words = {type, length};
    return checksum(payload, checksum(std::as_bytes(std::span(words))));
  }
};
static_assert(sizeof(RowBlockHead) == 12);

}  // namespace rubato::io
