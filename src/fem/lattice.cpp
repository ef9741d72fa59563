#include "fem/lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "rubato/base/text.hpp"

namespace rubato::fem {
namespace {

using Half = std::array<int, 3>;  ///< a lattice point, in half cells

/// The corners of the elements a cell is split into, in cells: one box, or Kuhn's simplices, which go from corner 0 to
/// the opposite one along the axes in every order. Odd orders are turned round.
std::vector<std::vector<Cell>> parts_of(const ShapeInfo& s) {
  const int d = s.dimension;
  if (s.corners != d + 1) return {{}};
  std::vector<std::vector<Cell>> parts;
  Cell order{0, 1, 2};
  do {
    std::vector<Cell> corners(1, Cell{});
    for (int k = 0; k < d; ++k) {
      Cell next = corners.back();
      next[order[k]] = 1;
      corners.push_back(next);
    }
    int swaps = 0;
    for (int i = 0; i < d; ++i)
      for (int k = i + 1; k < d; ++k) swaps += order[i] > order[k];
    if (swaps % 2 == 1) std::swap(corners[1], corners[2]);
    parts.push_back(std::move(corners));
  } while (std::next_permutation(order.begin(), order.begin() + d));
  return parts;
}

/// Where the nodes of each part of a cell lie, in half cells from its corner.
std::vector<std::vector<Half>> offsets_of(Shape shape) {
  const ShapeInfo& s = info(shape);
  std::vector<std::vector<Half>> out;
  for (const auto& corners : parts_of(s)) {
    auto& part = out.emplace_back();
    for (const auto& xi : reference_nodes(shape)) {
      Half at{};
      if (corners.empty()) {
        for (int k = 0; k < s.dimension; ++k) at[k] = static_cast<int>(std::lround(xi[k])) + 1;
      } else {
        const ShapeValues v = evaluate(s.linear, xi);
        for (int k = 0; k < s.dimension; ++k) {
          double sum = 0;
          for (std::size_t a = 0; a < corners.size(); ++a) sum += 2 * v.n[a] * corners[a][k];
          at[k] = static_cast<int>(std::lround(sum));
        }
      }
      part.push_back(at);
    }
  }
  return out;
}

/// A number in [−1, 1] that looks random and depends on nothing but its argument: the finaliser of SplitMix64.
double scattered(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-52 - 1;
}

class Builder {
 public:
  explicit Builder(const Lattice& lattice)
      : lattice_(lattice), info_(info(lattice.shape)), d_(info_.dimension), offsets_(offsets_of(lattice.shape)) {
    for (int k = 0; k < 3; ++k) {
      cells_[k] = k < d_ ? lattice.cells[k] : 1;
      size_[k] = k >= d_ ? 1 : lattice.periodic[k] ? 2 * cells_[k] : 2 * cells_[k] + 1;
    }
  }

  Mesh run() {
    mesh_.dimension = d_;
    number_nodes();
    place_nodes();
    for_cells([&](const Cell& cell, const std::string& group) { add_cell(cell, group); });
    for_cells([&](const Cell& cell, const std::string&) { add_sides(cell); });
    return std::move(mesh_);
  }

 private:
  template <class F>
  void for_cells(const F& f) {
    Cell c{};
    for (c[2] = 0; c[2] < cells_[2]; ++c[2])
      for (c[1] = 0; c[1] < cells_[1]; ++c[1])
        for (c[0] = 0; c[0] < cells_[0]; ++c[0])
          if (const std::string group = lattice_.group(c); !group.empty()) f(c, group);
  }

  [[nodiscard]] bool present(Cell c) const {
    for (int k = 0; k < d_; ++k) {
      if (lattice_.periodic[k]) c[k] = (c[k] + cells_[k]) % cells_[k];
      if (c[k] < 0 || c[k] >= cells_[k]) return false;
    }
    return !lattice_.group(c).empty();
  }

  [[nodiscard]] std::size_t index(const Half& p) const {
    std::size_t out = 0;
    for (int k = 2; k >= 0; --k) {
      const int wrapped = lattice_.periodic[k] && k < d_ ? (p[k] + size_[k]) % size_[k] : p[k];
      out = out * static_cast<std::size_t>(size_[k]) + static_cast<std::size_t>(wrapped);
    }
    return out;
  }

  static Half at(const Cell& cell, const Half& offset) {
    return {2 * cell[0] + offset[0], 2 * cell[1] + offset[1], 2 * cell[2] + offset[2]};
  }

  void number_nodes() {
    node_.assign(
        static_cast<std::size_t>(size_[0]) * static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(size_[2]),
        -1);
    for_cells([&](const Cell& cell, const std::string&) {
      for (const auto& part : offsets_)
        for (const Half& offset : part) node_[index(at(cell, offset))] = 0;
    });
    int next = 0;
    for (int& number : node_)
      if (number == 0) number = next++;
  }

  void place_nodes() {
    Half p{};
    for (p[2] = 0; p[2] < size_[2]; ++p[2])
      for (p[1] = 0; p[1] < size_[1]; ++p[1])
        for (p[0] = 0; p[0] < size_[0]; ++p[0])
          if (node_[index(p)] >= 0) {
            const Place x = middle_is_mean(p) ? mean(p) : corner_place(p);
            mesh_.add_point(std::span(x).first(static_cast<std::size_t>(d_)));
          }
  }

  [[nodiscard]] Place mapped(const Half& p) const {
    Place in_cells{};
    for (int k = 0; k < d_; ++k) in_cells[k] = 0.5 * p[k];
    return lattice_.position(in_cells);
  }
  [[nodiscard]] bool middle_is_mean(const Half& p) const {
    return (lattice_.straight || lattice_.distortion > 0) && (p[0] % 2 + p[1] % 2 + p[2] % 2 > 0);
  }

  /// A middle node is the mean of the corners around it; in simplices of the two ends of its edge, which runs along the
  /// diagonal.
  [[nodiscard]] Place mean(const Half& p) const {
    const bool simplex = info_.corners == d_ + 1;
    Place sum{};
    int count = 0;
    for (int bits = 0; bits < 8; ++bits) {
      if (simplex && bits != 0 && bits != 7) continue;
      Half corner = p;
      bool own = true;
      for (int k = 0; k < 3; ++k) {
        const bool high = (bits >> k & 1) == 1;
        if (p[k] % 2 == 1)
          corner[k] += high ? 1 : -1;
        else if (high && !simplex)
          own = false;
      }
      if (!own) continue;
      const Place x = corner_place(corner);
      for (int k = 0; k < 3; ++k) sum[k] += x[k];
      ++count;
    }
    for (double& c : sum) c /= count;
    return sum;
  }

  [[nodiscard]] Place corner_place(const Half& p) const {
    Place x = mapped(p);
    if (!(lattice_.distortion > 0) || !inside(p)) return x;
    double shortest_edge = std::numeric_limits<double>::infinity();
    for (int k = 0; k < d_; ++k)
      for (const int step : {-2, 2}) {
        Half q = p;
        q[k] += step;
        const Place y = mapped(q);
        shortest_edge = std::min(shortest_edge, std::hypot(y[0] - x[0], y[1] - x[1], y[2] - x[2]));
      }
    for (int k = 0; k < d_; ++k)
      x[k] +=
          lattice_.distortion * shortest_edge * scattered(3 * index(p) + static_cast<std::size_t>(k)) / std::sqrt(d_);
    return x;
  }

  /// Whether all cells around a corner are there.
  [[nodiscard]] bool inside(const Half& p) const {
    for (int bits = 0; bits < 1 << d_; ++bits) {
      Cell c{};
      for (int k = 0; k < d_; ++k) c[k] = p[k] / 2 - (bits >> k & 1);
      if (!present(c)) return false;
    }
    return true;
  }

  void add_cell(const Cell& cell, const std::string& group) {
    auto& list = mesh_.group(group, d_).elements;
    std::vector<int> nodes;
    for (const auto& part : offsets_) {
      nodes.clear();
      for (const Half& offset : part) nodes.push_back(node_[index(at(cell, offset))]);
      list.push_back(mesh_.add_element(lattice_.shape, nodes));
    }
  }

  void add_sides(const Cell& cell) {
    for (int axis = 0; axis < d_; ++axis)
      for (const bool high : {false, true}) {
        Cell beyond = cell;
        beyond[axis] += high ? 1 : -1;
        if (present(beyond)) continue;
        const std::string name = lattice_.side(cell, axis, high);
        if (name.empty()) continue;
        auto& list = mesh_.group(name, d_ - 1).elements;
        for (const auto& part : offsets_)
          for (const Facet& facet : facets(lattice_.shape)) {
            const bool here = std::all_of(facet.nodes.begin(), facet.nodes.end(), [&](int a) {
              return part[static_cast<std::size_t>(a)][axis] == (high ? 2 : 0);
            });
            if (!here) continue;
            std::vector<int> nodes;
            for (const int a : facet.nodes) nodes.push_back(node_[index(at(cell, part[static_cast<std::size_t>(a)]))]);
            list.push_back(mesh_.add_element(facet.shape, nodes));
          }
      }
  }

  const Lattice& lattice_;
  const ShapeInfo& info_;
  int d_;
  std::vector<std::vector<Half>> offsets_;
  Cell cells_{}, size_{};  ///< number of cells and of lattice points
  std::vector<int> node_;  ///< of each lattice point, −1: none
  Mesh mesh_;
};

}  // namespace

Mesh make_mesh(const Lattice& lattice) { return Builder(lattice).run(); }

Result<void> check_lattice(std::string_view generator, Shape shape, int dimension, const Cell& cells) {
  if (info(shape).dimension != dimension) {
    std::vector<std::string> allowed;
    for (const ShapeInfo& s : shape_list())
      if (s.dimension == dimension) allowed.emplace_back(s.name);
    return Error{fmt::format("{}: shape {} has dimension {}; allowed: {}", generator, info(shape).name,
                             info(shape).dimension, joined(allowed))};
  }
  constexpr double most = 1e7;  // cells: memory for them and their nodes stays below a few gigabytes
  double total = 1;
  for (int k = 0; k < dimension; ++k) {
    if (cells[k] < 1)
      return Error{fmt::format("{}: {} divisions along axis {}; there must be at least 1", generator, cells[k], k + 1)};
    total *= cells[k];
  }
  if (total > most)
    return Error{fmt::format("{}: {} cells are more than the {} that are allowed", generator, total, most)};
  return {};
}

Result<Mesh> checked(std::string_view generator, Mesh mesh) {
  if (auto fine = check(mesh); !fine) return Error{std::string(generator) + ": " + fine.error().message};
  return mesh;
}

}  // namespace rubato::fem
