/// Which of dependent constraint rows to leave out, and when to change one's mind.
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "start.hpp"

namespace rubato {
namespace detail {
namespace {

constexpr double keep_below = 5, worn_above = 10;  ///< apart, so that a choice is not undone by rounding

std::vector<int> others(int m, std::span<const int> left_out) {
  std::vector<int> rest;
  for (int i = 0; i < m; ++i)
    if (std::ranges::find(left_out, i) == left_out.end()) rest.push_back(i);
  return rest;
}

}  // namespace

/// With Aᵀ P = Q R, rows A of norm one and d = |current| of them dependent, those at the last d pivots are F = R₁₁⁻¹R₁₂ times
/// the others, so N = (−Fᵀ, I) Pᵀ has N A = 0. Leaving out the rows D is right where N_D is regular: then C = −N_D⁻¹ N_K.
RowChoice choose_rows(const Sparse& rows, const Vector& column_scale, std::span<const int> current) {
  const ScaledRows scaled = scaled_rows(rows, column_scale);
  const int m = static_cast<int>(rows.rows()), d = static_cast<int>(current.size()), r = m - d;
  Matrix n = Matrix::Zero(d, m);
  {
    const Eigen::ColPivHouseholderQR<Matrix> qr(scaled.a);
    const auto& order = qr.colsPermutation().indices();
    const Matrix f = qr.matrixQR().topLeftCorner(r, r).triangularView<Eigen::Upper>().solve(
        Matrix(qr.matrixQR().topRightCorner(r, d)));
    for (int k = 0; k < d; ++k) {
      n(k, order[r + k]) = 1;
      for (int i = 0; i < r; ++i) n(k, order[i]) = -f(i, k);
    }
  }
  const auto factors = [&n](const std::vector<int>& kept, const std::vector<int>& left_out) -> Matrix {
    return -n(Eigen::all, left_out).eval().fullPivLu().solve(n(Eigen::all, kept).eval());
  };
  RowChoice choice;
  RowRank& best = choice.best;
  best.dependent.assign(current.begin(), current.end());
  best.kept = others(m, current);
  choice.largest_factor = std::numeric_limits<double>::infinity();
  Matrix c = factors(best.kept, best.dependent);
  if (c.allFinite() && n(Eigen::all, best.dependent).eval().fullPivLu().isInvertible())
    choice.largest_factor = r > 0 ? c.cwiseAbs().maxCoeff() : 0.0;
  if (n.allFinite() && !(choice.largest_factor <= keep_below)) {
    const Eigen::ColPivHouseholderQR<Matrix> pivots(n);
    best.dependent.assign(pivots.colsPermutation().indices().data(), pivots.colsPermutation().indices().data() + d);
    std::ranges::sort(best.dependent);
    best.kept = others(m, best.dependent);
    c = factors(best.kept, best.dependent);
  }
  best.combination = Vector(scaled.row_scale(best.dependent)).cwiseInverse().asDiagonal() * c *
                     Vector(scaled.row_scale(best.kept)).asDiagonal();
  return choice;
}

}  // namespace detail

LeftOut left_out_state(const FormulatedDae& dae, const At& at) {
  // Of the rank, far above what a state off the constraints by its tolerance makes of rows that do depend.
  constexpr double clearly = 1e-3;
  const In left_out = dae.left_out(at.base);
  MechanicalState state;
  if (std::ranges::count(left_out, 0.0) == std::ssize(left_out) || dae.unpack(at, {}, state) != EvalStatus::ok)
    return LeftOut::serve;
  detail::Start start(dae.system(), state, {}, "left_out_state");
  if (!start.check()) return LeftOut::serve;
  std::vector<int> current;
  for (std::size_t k = 0; k < start.hard.size(); ++k)
    if (left_out[static_cast<std::size_t>(start.hard[k])] != 0) current.push_back(static_cast<int>(k));
  const auto [rows, scale] = start.hard_rows();
  if (current.empty() || start.status != EvalStatus::ok) return LeftOut::serve;
  if (detail::rank_of_rows(rows, scale, clearly).dependent.size() < current.size()) return LeftOut::independent;
  return detail::choose_rows(rows, scale, current).largest_factor > detail::worn_above ? LeftOut::worn : LeftOut::serve;
}

}  // namespace rubato
