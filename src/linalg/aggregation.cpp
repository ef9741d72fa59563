#include "aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace rubato::detail {

namespace {

std::span<const int> columns(const RowMatrix& a, int row) {
  const int* const starts = a.outerIndexPtr();
  return {a.innerIndexPtr() + starts[row], static_cast<std::size_t>(starts[row + 1] - starts[row])};
}

/// ‖A_ij‖²_F of the blocks of nodes: node by node, j ascending.
RowMatrix squares_of_blocks(const RowMatrix& a, const std::vector<int>& nodes) {
  const int n = static_cast<int>(nodes.size()) - 1;
  std::vector<int> node_of(static_cast<std::size_t>(a.rows()));
  for (int i = 0; i < n; ++i) std::fill(node_of.begin() + nodes[i], node_of.begin() + nodes[i + 1], i);
  RowMatrix squares(n, n);
  std::vector<int> seen(static_cast<std::size_t>(n), -1), found;
  std::vector<double> sum(static_cast<std::size_t>(n), 0.0);
  for (int i = 0; i < n; ++i) {
    found.clear();
    for (int row = nodes[i]; row < nodes[i + 1]; ++row)
      for (RowMatrix::InnerIterator entry(a, row); entry; ++entry) {
        const int j = node_of[entry.col()];
        if (seen[j] != i) {
          seen[j] = i;
          sum[j] = 0;
          found.push_back(j);
        }
        sum[j] += entry.value() * entry.value();
      }
    std::sort(found.begin(), found.end());
    squares.startVec(i);
    for (const int j : found) squares.insertBack(i, j) = sum[j];
  }
  squares.finalize();
  return squares;
}

/// λ_max(D⁻¹A), a little above rather than below.
double largest_eigenvalue(const RowMatrix& a, const Vector& inverse_diagonal) {
  constexpr int sweeps = 12;
  constexpr double margin = 1.1;
  Vector x(a.rows()), y(a.rows());
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = 1 + 0.5 * std::sin(static_cast<double>(7 * i + 1));
  double value = 1;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    x /= x.norm();
    y = inverse_diagonal.cwiseProduct(a * x);
    value = y.norm();
    x.swap(y);
  }
  return margin * value;
}

}  // namespace

std::vector<int> nodes_of(const RowMatrix& a) {
  constexpr int most = 6;
  std::vector<int> nodes;
  for (int row = 0; row < a.rows(); ++row)
    if (nodes.empty() || row - nodes.back() == most || !std::ranges::equal(columns(a, row - 1), columns(a, row)))
      nodes.push_back(row);
  nodes.push_back(static_cast<int>(a.rows()));
  return nodes;
}

Aggregates aggregates_of(const RowMatrix& a, const std::vector<int>& nodes, double theta) {
  const RowMatrix squares = squares_of_blocks(a, nodes);
  const int n = static_cast<int>(squares.rows());
  Vector strongest = Vector::Zero(n);  // max_k ‖A_ik‖; 0: nothing but A_ii is in the rows of i, unknowns that are given
  for (int i = 0; i < n; ++i)
    for (RowMatrix::InnerIterator entry(squares, i); entry; ++entry)
      if (entry.col() != i) strongest[i] = std::max(strongest[i], std::sqrt(entry.value()));
  // (1); f(j, ‖A_ij‖²) of the strong neighbours of i until it returns false.
  const auto all_of_neighbours = [&](int i, auto&& f) {
    for (RowMatrix::InnerIterator entry(squares, i); entry; ++entry) {
      const int j = static_cast<int>(entry.col());
      const bool strong = j != i && strongest[j] > 0 && entry.value() > theta * theta * strongest[i] * strongest[j];
      if (strong && !f(j, entry.value())) return false;
    }
    return true;
  };
  constexpr int none = -1;
  Aggregates result{.of_node = std::vector<int>(static_cast<std::size_t>(n), none)};
  std::vector<int>& of = result.of_node;
  const auto is_free = [&](int j, double) { return of[j] == none; };
  const auto has_neighbours = [&](int i) { return !all_of_neighbours(i, [](int, double) { return false; }); };
  for (int i = 0; i < n; ++i) {  // whole neighbourhoods
    if (of[i] != none || !has_neighbours(i) || !all_of_neighbours(i, is_free)) continue;
    of[i] = result.count;
    static_cast<void>(all_of_neighbours(i, [&](int j, double) { return of[j] = result.count, true; }));
    ++result.count;
  }
  const std::vector<int> first = of;
  for (int i = 0; i < n; ++i) {  // what touches them, to the strongest
    if (of[i] != none) continue;
    double largest = 0;
    static_cast<void>(all_of_neighbours(i, [&](int j, double square) {
      if (first[j] != none && square > largest) {
        largest = square;
        of[i] = first[j];
      }
      return true;
    }));
  }
  for (int i = 0; i < n; ++i) {  // the rest
    if (of[i] != none || !has_neighbours(i)) continue;
    of[i] = result.count;
    static_cast<void>(all_of_neighbours(i, [&](int j, double) {
      if (of[j] == none) of[j] = result.count;
      return true;
    }));
    ++result.count;
  }
  return result;
}

Coarsening coarsened(const RowMatrix& a, const Vector& inverse_diagonal, const std::vector<int>& nodes,
                     const Aggregates& aggregates, const Matrix& vectors) {
  constexpr double dependent = 1e-8;
  const int n_vectors = static_cast<int>(vectors.cols());
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(aggregates.count));
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i)
    if (const int own = aggregates.of_node[i]; own >= 0)
      for (int row = nodes[i]; row < nodes[i + 1]; ++row) rows[own].push_back(row);

  // Q_a and R_a, twice orthogonalised; vectors that depend on those before have no coarse unknown here.
  Coarsening result;
  std::vector<Eigen::Triplet<double>> entries;
  Matrix r(static_cast<Eigen::Index>(aggregates.count) * n_vectors, n_vectors);
  r.setZero();
  int n_coarse = 0;
  for (const std::vector<int>& own : rows) {
    const auto size = static_cast<Eigen::Index>(own.size());
    Matrix q(size, n_vectors);
    for (Eigen::Index k = 0; k < size; ++k) q.row(k) = vectors.row(own[k]);
    result.nodes.push_back(n_coarse);
    int kept = 0;
    for (int j = 0; j < n_vectors; ++j) {
      Vector v = q.col(j);
      const double before = v.norm();
      for (int twice = 0; twice < 2; ++twice)
        for (int i = 0; i < kept; ++i) {
          const double along = q.col(i).dot(v);
          r(n_coarse + i, j) += along;
          v -= along * q.col(i);
        }
      const double rest = v.norm();
      if (kept == size || !(rest > dependent * before)) continue;
      r(n_coarse + kept, j) = rest;
      q.col(kept) = v / rest;  // column j ≥ kept is not needed any more
      for (Eigen::Index k = 0; k < size; ++k) entries.emplace_back(own[k], n_coarse + kept, q(k, kept));
      ++kept;
    }
    n_coarse += kept;
  }
  result.nodes.push_back(n_coarse);
  result.vectors = r.topRows(n_coarse);
  RowMatrix tentative(a.rows(), n_coarse);
  tentative.setFromTriplets(entries.begin(), entries.end());

  const double omega = 4.0 / 3 / largest_eigenvalue(a, inverse_diagonal);
  const RowMatrix image = a * tentative;
  result.prolongation = tentative - omega * inverse_diagonal.asDiagonal() * image;
  const RowMatrix coarse_image = a * result.prolongation;
  result.matrix = RowMatrix(result.prolongation.transpose()) * coarse_image;
  return result;
}

}  // namespace rubato::detail
