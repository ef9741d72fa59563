#pragma once
/// What the unknowns of a Dae mean: named blocks with unit, kind and h-power.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/linalg/step_scaling.hpp"

namespace rubato {

enum class Kind : std::uint8_t { differential, algebraic };

/// A run of unknowns. Equation i belongs to unknown i: an algebraic block has zero rows in B.
struct Block {
  std::string name;
  int size = 0;
  std::string unit = {};
  Kind kind = Kind::differential;
  /// κ: error norms multiply the block's error by min(1, h/T_ref)^κ (velocities 1, multipliers 2 in index 3).
  int h_power = 0;
  /// What the unknowns and their equations are in a mechanical system: step matrices are scaled accordingly.
  ScaledUnknown unknown = ScaledUnknown::plain;
  ScaledEquation equation = ScaledEquation::plain;
  std::vector<std::string> components = {};  ///< names of the entries; "name[i]" where empty
  int offset = 0;                            ///< set by Layout
};

/// Unknown `col` that equation `row` determines explicitly (q' = v: row of q, column of v): eliminated before any
/// factorisation, in the order given.
struct LocalUnknown {
  int row = 0;
  int col = 0;
};

class Layout {
 public:
  Layout() = default;
  Layout(std::initializer_list<Block> blocks);

  Layout& add(Block block);
  /// Declares every unknown of `unknown` local, determined by the equation of the same position in `equation`.
  Layout& eliminate(std::string_view equation, std::string_view unknown);
  Layout& eliminate(std::span<const LocalUnknown> unknowns);
  /// Another kind for a single unknown of a mixed block.
  Layout& set_kind(int i, Kind kind);
  /// The differentiation index, where it is not the one derived from kinds and h-powers.
  Layout& set_index(int index);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(h_powers_.size()); }
  [[nodiscard]] std::span<const Block> blocks() const noexcept { return blocks_; }
  [[nodiscard]] const Block* find(std::string_view name) const noexcept;
  [[nodiscard]] std::span<const int> h_powers() const noexcept { return h_powers_; }
  [[nodiscard]] Kind kind(int i) const noexcept { return kinds_[static_cast<std::size_t>(i)]; }
  /// What unknown i is in a mechanical system.
  [[nodiscard]] ScaledUnknown unknown(int i) const { return block_of(i).unknown; }
  [[nodiscard]] std::span<const LocalUnknown> local_unknowns() const noexcept { return local_; }
  [[nodiscard]] std::string component_name(int i) const;
  [[nodiscard]] std::vector<std::string> component_names() const;
  [[nodiscard]] const std::string& unit(int i) const;
  [[nodiscard]] bool has_algebraic() const noexcept;
  /// Of every unknown, whether it is algebraic.
  [[nodiscard]] std::vector<char> algebraic() const;
  /// 0 without algebraic unknowns, else 1 + the largest h-power of an algebraic block, unless set.
  [[nodiscard]] int index() const noexcept;

 private:
  [[nodiscard]] const Block& block_of(int i) const;
  std::vector<Block> blocks_;
  std::vector<int> h_powers_;
  std::vector<Kind> kinds_;
  std::vector<LocalUnknown> local_;
  int index_ = -1;
};

}  // namespace rubato
