#pragma once
/// Matrices with the structure of finite elements and of multibody systems, with made-up values: for tests and benchmarks of
/// the linear solvers.
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "rubato/linalg/pattern.hpp"

namespace rubato::test {

struct StructuredMatrix {
  SparsePattern pattern;
  std::vector<double> values;
};

/// Sums of dense element matrices. Symmetric; the unknowns from n_u on are multipliers λ: no entries among themselves (an
/// exact block of zeros), and their rows multiplied by −1, as in step matrices: [K Gᵀ; −G 0].
class Assembly {
 public:
  Assembly(int n_u, int n_lambda) : n_u_(n_u), n_(n_u + n_lambda) {}

  void element(std::vector<int> unknowns) { elements_.push_back(std::move(unknowns)); }

  [[nodiscard]] StructuredMatrix matrix() const {
    std::vector<Entry> entries;
    for (const auto& e : elements_)
      for (const int i : e)
        for (const int j : e)
          if (i < n_u_ || j < n_u_) entries.push_back({i, j});
    StructuredMatrix a{SparsePattern::from_entries(n_, n_, std::move(entries)), {}};
    a.values.assign(static_cast<std::size_t>(a.pattern.nnz()), 0.0);
    std::mt19937 random(17);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const auto& e : elements_)
      for (std::size_t k = 0; k < e.size(); ++k)
        for (std::size_t l = 0; l <= k; ++l) {
          const int i = e[k], j = e[l];
          if (i >= n_u_ && j >= n_u_) continue;
          const double size = i < n_u_ && j < n_u_ ? 100.0 : 1.0;  // stiffness against gradients of constraints
          const double value = i == j ? size * static_cast<double>(e.size()) : size * uniform(random);
          a.values[a.pattern.index_of(i, j)] += i >= n_u_ ? -value : value;
          if (i != j) a.values[a.pattern.index_of(j, i)] += j >= n_u_ ? -value : value;
        }
    return a;
  }

 private:
  int n_u_, n_;
  std::vector<std::vector<int>> elements_;
};

/// Bricks of eight nodes, three displacements each: 27 nodes share an equation. 3 (nx+1)(ny+1)(nz+1) unknowns.
inline StructuredMatrix bricks(int nx, int ny, int nz) {
  const auto node = [&](int x, int y, int z) { return (z * (ny + 1) + y) * (nx + 1) + x; };
  Assembly a(3 * (nx + 1) * (ny + 1) * (nz + 1), 0);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        std::vector<int> unknowns;
        for (int corner = 0; corner < 8; ++corner)
          for (int axis = 0; axis < 3; ++axis)
            unknowns.push_back(3 * node(x + corner % 2, y + corner / 2 % 2, z + corner / 4) + axis);
        a.element(std::move(unknowns));
      }
  return a.matrix();
}

/// nx × ny squares with nine nodes for two displacements and four corners for the pressure (Taylor and Hood's).
inline StructuredMatrix taylor_hood(int nx, int ny) {
  const int n_u = 2 * (2 * nx + 1) * (2 * ny + 1);
  Assembly a(n_u, (nx + 1) * (ny + 1));
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      std::vector<int> unknowns;
      for (int k = 0; k < 18; ++k) unknowns.push_back(2 * ((2 * y + k / 6) * (2 * nx + 1) + 2 * x + k / 2 % 3) + k % 2);
      for (int k = 0; k < 4; ++k) unknowns.push_back(n_u + (y + k / 2) * (nx + 1) + x + k % 2);
      a.element(std::move(unknowns));
    }
  return a.matrix();
}

/// A plane chain of links with three coordinates and a hinge (two multipliers) each, the first to the ground.
inline StructuredMatrix chain(int n_links) {
  Assembly a(3 * n_links, 2 * n_links);
  for (int k = 0; k < n_links; ++k) {
    std::vector<int> unknowns;
    for (int i = 3 * std::max(k - 1, 0); i < 3 * (k + 1); ++i) unknowns.push_back(i);
    for (int i = 0; i < 2; ++i) unknowns.push_back(3 * n_links + 2 * k + i);
    a.element(std::move(unknowns));
  }
  return a.matrix();
}

}  // namespace rubato::test
