#include "rubato/realtime/spectral_blocks.hpp"

namespace rubato::realtime {

namespace {

struct Orderings {
  SchurPair top;     ///< (1) the set on top
  SchurPair bottom;  ///< (2) the set at the bottom
};

std::optional<Orderings> orderings(const SchurPair& form, const Flags& set) {
  Orderings made{form, {}};
  Flags flags = set;
  if (!move_to_top(made.top, flags)) return std::nullopt;
  made.bottom = made.top;
  for (auto& flag : flags) flag = flag == 0;
  if (!move_to_top(made.bottom, flags)) return std::nullopt;
  return made;
}

/// The block with Z(:, 1..k) of `upper` and the last k columns of Q of `lower`:
///   Yᴴ A X = Yᴴ Q A_T Zᴴ X = (Yᴴ Q(:, 1..k)) A_T(1..k, 1..k), a product of triangular matrices.
SpectralBlock block_of(const SchurPair& upper, const SchurPair& lower, std::vector<int> members) {
  const auto k = static_cast<Eigen::Index>(members.size());
  SpectralBlock block{std::move(members), upper.z.leftCols(k), lower.q.rightCols(k), {}, {}};
  const ComplexMatrix w = block.y.adjoint() * upper.q.leftCols(k);
  block.a = (w * upper.a.topLeftCorner(k, k)).triangularView<Eigen::Upper>();
  block.b = (w * upper.b.topLeftCorner(k, k)).triangularView<Eigen::Upper>();
  return block;
}

}  // namespace

std::optional<TwoBlocks> two_blocks(const SchurPair& form, const Flags& set) {
  const auto made = orderings(form, set);
  if (!made) return std::nullopt;
  std::vector<int> in, out;
  for (int i = 0; i < form.size(); ++i) (set[static_cast<std::size_t>(i)] != 0 ? in : out).push_back(i);
  return TwoBlocks{block_of(made->top, made->bottom, std::move(in)), block_of(made->bottom, made->top, std::move(out))};
}

std::optional<std::vector<SpectralBlock>> spectral_blocks(const SchurPair& form,
                                                          const std::vector<std::vector<int>>& clusters) {
  std::vector<SpectralBlock> blocks;
  for (const std::vector<int>& cluster : clusters) {
    Flags set(static_cast<std::size_t>(form.size()), 0);
    for (const int i : cluster) set[static_cast<std::size_t>(i)] = 1;
    const auto made = orderings(form, set);
    if (!made) return std::nullopt;
    blocks.push_back(block_of(made->top, made->bottom, cluster));
  }
  return blocks;
}

}  // namespace rubato::realtime
