#include "rubato/problem/layout.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"

namespace rubato {

Layout::Layout(std::initializer_list<Block> blocks) {
  for (const auto& block : blocks) add(block);
}

Layout& Layout::add(Block block) {
  RUBATO_ASSERT(block.size >= 0, "a block of negative size");
  RUBATO_ASSERT(block.components.empty() || static_cast<int>(block.components.size()) == block.size,
                "component names do not match the block's size");
  block.offset = size();
  h_powers_.insert(h_powers_.end(), static_cast<std::size_t>(block.size), block.h_power);
  kinds_.insert(kinds_.end(), static_cast<std::size_t>(block.size), block.kind);
  blocks_.push_back(std::move(block));
  return *this;
}

Layout& Layout::eliminate(std::string_view equation, std::string_view unknown) {
  const Block* rows = find(equation);
  const Block* cols = find(unknown);
  RUBATO_ASSERT(rows && cols && rows->size == cols->size, "eliminate: blocks missing or of different sizes");
  for (int i = 0; i < rows->size; ++i) local_.push_back({.row = rows->offset + i, .col = cols->offset + i});
  return *this;
}

Layout& Layout::eliminate(std::span<const LocalUnknown> unknowns) {
  local_.insert(local_.end(), unknowns.begin(), unknowns.end());
  return *this;
}

Layout& Layout::set_kind(int i, Kind kind) {
  RUBATO_ASSERT(i >= 0 && i < size(), "component outside the layout");
  kinds_[static_cast<std::size_t>(i)] = kind;
  return *this;
}

Layout& Layout::set_index(int index) {
  index_ = index;
  return *this;
}

const Block* Layout::find(std::string_view name) const noexcept {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.name == name; });
  return found == blocks_.end() ? nullptr : &*found;
}

const Block& Layout::block_of(int i) const {
  RUBATO_ASSERT(i >= 0 && i < size(), "component outside the layout");
  auto block = blocks_.begin();
  while (i >= block->offset + block->size) ++block;
  return *block;
}

std::string Layout::component_name(int i) const {
  const Block& block = block_of(i);
  const int local = i - block.offset;
  if (!block.components.empty()) return block.components[static_cast<std::size_t>(local)];
  if (block.size == 1) return block.name;
  return block.name + "[" + std::to_string(local) + "]";
}

std::vector<std::string> Layout::component_names() const {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(size()));
  for (int i = 0; i < size(); ++i) names.push_back(component_name(i));
  return names;
}

const std::string& Layout::unit(int i) const { return block_of(i).unit; }

std::vector<char> Layout::algebraic() const {
  std::vector<char> mask;
  for (const Kind kind : kinds_) mask.push_back(kind == Kind::algebraic ? 1 : 0);
  return mask;
}

bool Layout::has_algebraic() const noexcept {
  return std::find(kinds_.begin(), kinds_.end(), Kind::algebraic) != kinds_.end();
}

int Layout::index() const noexcept {
  if (index_ >= 0) return index_;
  int index = 0;
  for (const auto& block : blocks_)
    if (block.kind == Kind::algebraic && block.size > 0) index = std::max(index, 1 + block.h_power);
  return index;
}

}  // namespace rubato
