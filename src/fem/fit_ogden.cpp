// Ogden's law: linear in μ, not in α. For given α the best μ is a linear least squares problem (non-negative where asked), so
// what is left is a search over α alone (variable projection; Golub & Pereyra, SIAM J. Numer. Anal. 10 (1973) 413,
// doi:10.1137/0710036, with Kaufman's Jacobian, BIT 15 (1975) 49, doi:10.1007/BF01932995):
//   r(α) = Φ(α) μ(α) − b,   ∂r/∂α_i ≈ (I − Φ Φ⁺) ∂Φ/∂α_i μ,
// by Levenberg's and Marquardt's damped steps from the best of a fixed grid of exponents.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "fit_rows.hpp"
#include "least_squares.hpp"

namespace rubato::fem::detail {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Below |α| = 0.01 a term is a logarithm for all practical purposes; beyond 30 λ^α of a test is a wall.
constexpr double least_alpha = 0.01, most_alpha = 30;
constexpr double grid[] = {2, 1.3, 4, -2, 0.6, 3, 6, -4, 8.5, -1.2, -0.6, 12, -7, 18, -12, 25};
constexpr std::size_t most_starts = 12;
constexpr int most_iterations = 300;

double allowed(double alpha) {
  if (std::abs(alpha) < least_alpha) return std::copysign(least_alpha, alpha);
  return std::clamp(alpha, -most_alpha, most_alpha);
}

VectorXd column(const FitRows& rows, double alpha) {
  return rows.predicted({.law = Ogden{.terms = {{.mu = 1, .alpha = alpha}}}, .bulk = INFINITY});
}

/// ∂Φ/∂α by fourth order differences: h = 10⁻³ leaves errors of about 10⁻¹².
VectorXd column_slope(const FitRows& rows, double alpha) {
  const double h = 1e-3;
  return (8 * (column(rows, alpha + h) - column(rows, alpha - h)) -
          (column(rows, alpha + 2 * h) - column(rows, alpha - 2 * h))) /
         (12 * h);
}

VectorXd best_mu(const MatrixXd& phi, const VectorXd& b, bool non_negative) {
  // Columns of one size: λ^α spans many powers of ten.
  const VectorXd size = phi.colwise().norm().transpose();
  const MatrixXd scaled = phi * size.cwiseInverse().asDiagonal();
  const VectorXd x = non_negative ? non_negative_least_squares(scaled, b)
                                  : VectorXd(scaled.completeOrthogonalDecomposition().solve(b));
  return x.cwiseQuotient(size);
}

struct Candidate {
  std::vector<std::size_t> members;  ///< of the grid
  double cost = 0;
};

/// All sets of exponents of the grid, best first. One QR of the grid's columns leaves a small triangle for all of them.
std::vector<Candidate> ranked_starts(const FitRows& rows, std::size_t terms, bool non_negative) {
  constexpr std::size_t n = std::size(grid);
  MatrixXd all(rows.measured.size(), n + 1);
  for (std::size_t k = 0; k < n; ++k) all.col(static_cast<Eigen::Index>(k)) = column(rows, grid[k]);
  all.col(n) = rows.measured;
  if (all.rows() > all.cols()) {
    const Eigen::HouseholderQR<MatrixXd> qr(all);
    all = MatrixXd(qr.matrixQR().topRows(all.cols()).triangularView<Eigen::Upper>());
  }
  const VectorXd target = all.col(n);
  std::vector<Candidate> list;
  std::vector<std::size_t> chosen(terms);
  for (std::size_t k = 0; k < terms; ++k) chosen[k] = k;
  while (true) {
    const MatrixXd phi = all(Eigen::all, chosen);
    list.push_back({chosen, (phi * best_mu(phi, target, non_negative) - target).squaredNorm()});
    std::size_t k = terms;  // the next combination
    while (k > 0 && chosen[k - 1] == n - terms + k - 1) --k;
    if (k == 0) break;
    ++chosen[k - 1];
    for (; k < terms; ++k) chosen[k] = chosen[k - 1] + 1;
  }
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return list;
}

/// The best starts of which no two share all exponents but one.
std::vector<VectorXd> starts(const FitRows& rows, std::size_t terms, bool non_negative) {
  std::vector<Candidate> kept;
  for (auto& candidate : ranked_starts(rows, terms, non_negative)) {
    const auto alike = [&](const Candidate& other) {
      std::vector<std::size_t> common;
      std::set_intersection(candidate.members.begin(), candidate.members.end(), other.members.begin(),
                            other.members.end(), std::back_inserter(common));
      return common.size() + 1 >= terms && terms > 1;
    };
    if (std::any_of(kept.begin(), kept.end(), alike)) continue;
    kept.push_back(std::move(candidate));
    if (kept.size() == most_starts) break;
  }
  std::vector<VectorXd> list;
  for (const auto& candidate : kept) {
    VectorXd alpha(static_cast<Eigen::Index>(terms));
    for (std::size_t k = 0; k < terms; ++k) alpha[static_cast<Eigen::Index>(k)] = grid[candidate.members[k]];
    list.push_back(std::move(alpha));
  }
  return list;
}

/// One state of the search.
struct Trial {
  VectorXd alpha, mu, residual;
  MatrixXd phi;
  double cost = 0;
};

Trial trial_at(const FitRows& rows, const VectorXd& alpha, bool non_negative) {
  Trial t{.alpha = alpha, .mu = {}, .residual = {}, .phi = MatrixXd(rows.measured.size(), alpha.size())};
  for (Eigen::Index k = 0; k < alpha.size(); ++k) t.phi.col(k) = column(rows, alpha[k]);
  t.mu = best_mu(t.phi, rows.measured, non_negative);
  t.residual = t.phi * t.mu - rows.measured;
  t.cost = t.residual.squaredNorm();
  return t;
}

/// Kaufman's Jacobian. Exponents of terms that are not there do not matter.
MatrixXd jacobian(const FitRows& rows, const Trial& t) {
  MatrixXd j = MatrixXd::Zero(t.phi.rows(), t.alpha.size());
  std::vector<Eigen::Index> there;
  for (Eigen::Index k = 0; k < t.alpha.size(); ++k)
    if (t.mu[k] != 0) there.push_back(k);
  if (there.empty()) return j;
  for (const auto k : there) j.col(k) = t.mu[k] * column_slope(rows, t.alpha[k]);
  MatrixXd span = t.phi(Eigen::all, there);
  span.colwise().normalize();
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(span);
  const MatrixXd q = qr.householderQ() * MatrixXd::Identity(span.rows(), qr.rank());
  return j - q * (q.transpose() * j);
}

/// Below it a cost is rounding.
double exact_cost(const FitRows& rows) { return 1e-26 * rows.measured.squaredNorm(); }

struct Search {
  Trial at;
  bool converged = false;
};

Search refine(const FitRows& rows, const VectorXd& start, bool non_negative) {
  Search s{.at = trial_at(rows, start, non_negative)};
  double damping = 1e-2;
  const double exact = exact_cost(rows);
  for (int iteration = 0; iteration < most_iterations && !s.converged; ++iteration) {
    const MatrixXd j = jacobian(rows, s.at);
    const VectorXd gradient = j.transpose() * s.at.residual;
    const MatrixXd normal = j.transpose() * j;
    const double floor = 1e-12 * normal.diagonal().maxCoeff();
    if (s.at.cost <= exact || !(floor > 0)) {
      s.converged = true;
      break;
    }
    while (true) {
      MatrixXd damped = normal;
      damped.diagonal() += damping * normal.diagonal().cwiseMax(floor);
      VectorXd next = s.at.alpha - damped.ldlt().solve(gradient);
      for (double& alpha : next) alpha = allowed(alpha);
      const double moved = (next - s.at.alpha).lpNorm<Eigen::Infinity>();
      if (!(moved > 1e-11) || damping > 1e15) {
        s.converged = true;  // no way down that double precision could see
        break;
      }
      Trial trial = trial_at(rows, next, non_negative);
      if (trial.cost < s.at.cost) {
        s.converged = s.at.cost - trial.cost <= 1e-13 * s.at.cost && moved < 1e-6;
        s.at = std::move(trial);
        damping = std::max(0.1 * damping, 1e-12);
        break;
      }
      damping *= 10;
    }
  }
  return s;
}

}  // namespace

OgdenFit fit_ogden(const FitRows& rows, int terms, bool non_negative) {
  Search best;
  bool any = false;
  for (const VectorXd& start : starts(rows, static_cast<std::size_t>(terms), non_negative)) {
    Search found = refine(rows, start, non_negative);
    // Equal up to rounding: the earlier one, whose start was better.
    if (any && !(found.at.cost < best.at.cost * (1 - 1e-9))) continue;
    best = std::move(found);
    any = true;
    if (best.at.cost <= exact_cost(rows)) break;
  }
  OgdenFit out{.converged = best.converged};
  for (Eigen::Index k = 0; k < best.at.alpha.size(); ++k)
    if (best.at.mu[k] != 0) out.terms.push_back({.mu = best.at.mu[k], .alpha = best.at.alpha[k]});
  std::sort(out.terms.begin(), out.terms.end(), [](const auto& a, const auto& b) { return a.alpha > b.alpha; });
  return out;
}

}  // namespace rubato::fem::detail
