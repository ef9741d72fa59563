#pragma once
/// Coarse unknowns for multigrid by smoothed aggregation, from a matrix alone.
///
/// Unknowns of one node (consecutive rows with the same columns) stay together. Nodes i and j are strongly connected where the blocks
///   ‖A_ij‖² > θ² max_k≠i ‖A_ik‖ max_k≠j ‖A_jk‖   (Frobenius)                                                        (1)
/// that is, as strongly as others: stretched elements are coarsened across their short sides first. An aggregate is a node with all its strong neighbours. The vectors that multigrid must not have to smooth, the columns of V, are cut into
/// pieces, one for each aggregate a, and orthonormalised there: V_a = Q_a R_a. Then
///   T = diag Q_a,   V = T R,   P = (I − ω D⁻¹A) T,   ω = 4/(3 λ_max(D⁻¹A)),   A_coarse = PᵀAP                          (2)
/// and the columns of R are the vectors of the coarse level.
/// Vaněk, Mandel, Brezina, Computing 56 (1996) 179, doi:10.1007/BF02238511.
#include <Eigen/SparseCore>
#include <vector>

#include "rubato/base/views.hpp"

namespace rubato::detail {

/// Compressed rows.
using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// Where the nodes begin, and the number of rows at the end: runs of at most six rows with the same columns.
[[nodiscard]] std::vector<int> nodes_of(const RowMatrix& a);

/// Of every node the number of its aggregate, −1 where nothing is strongly connected to it (an unknown that is given, say): smoothing does all
/// for these. Walks in the order of the rows, so that the same matrix has the same aggregates.
struct Aggregates {
  std::vector<int> of_node;
  int count = 0;
};
[[nodiscard]] Aggregates aggregates_of(const RowMatrix& a, const std::vector<int>& nodes, double theta);

/// (2).
struct Coarsening {
  RowMatrix prolongation, matrix;
  Matrix vectors;
  std::vector<int> nodes;  ///< of the coarse level: a coarse node is an aggregate
};
[[nodiscard]] Coarsening coarsened(const RowMatrix& a, const Vector& inverse_diagonal, const std::vector<int>& nodes,
                                   const Aggregates& aggregates, const Matrix& vectors);

}  // namespace rubato::detail
