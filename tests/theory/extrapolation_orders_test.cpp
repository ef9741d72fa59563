// Orders of the extrapolated linearly implicit Euler method where blocks of the Jacobian are inexact, in ninety digits: every entry of the
// tableau has the exponent the theory says, neither more nor less.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <numeric>
#include <random>

#include "rubato/base/dual.hpp"
#include "rubato/integrate/extrapolation_tableau.hpp"

namespace rubato {
namespace {

using Real90 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<90>, boost::multiprecision::et_off>;
template <class S>
using SquareOf = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using ColumnOf = Eigen::Matrix<S, Eigen::Dynamic, 1>;

constexpr int n = 5, n_x = 3;  // unknowns, and how many of them are differential

/// x₁ = t, x₂ = cos t, x₃ = ½ + sin t, y₁ = ½ + sin t cos t, y₂ = cos 2t − sin t: the solution of everything below.
template <class S>
std::array<S, n> solution(const S& t) {
  using std::cos, std::sin;
  const S s = sin(t), c = cos(t);
  return {t, c, s + 0.5, s * c + 0.5, c * c - s * s - s};
}
template <class S>
std::array<S, n> order_slope(const S& t) {
  using std::cos, std::sin;
  const S s = sin(t), c = cos(t);
  return {S(1.0), -s, c, c * c - s * s, -4.0 * (s * c) - c};
}

/// Terms of the equations, nonlinear in all unknowns.
template <class S>
std::array<S, n> terms(const std::array<S, n>& x) {
  return {S(0.0), x[1] * x[1] * x[3] + x[2] * x[4], x[1] * x[2] - x[3] * x[3] + x[4] * x[1],
          2.0 * x[3] + x[3] * x[4] + x[1] * x[1], 3.0 * x[4] + 0.5 * (x[3] * x[3]) + x[1] * x[2]};
}

/// x' = f(x, y), 0 = g(x, y), autonomous: time is the first unknown.
template <class S>
std::array<S, n> order_dae(const std::array<S, n>& x) {
  const auto here = terms(x), there = terms(solution(x[0])), rate = order_slope(x[0]);
  std::array<S, n> out;
  for (int i = 0; i < n; ++i) out[i] = here[i] - there[i] + (i < n_x ? rate[i] : S(0.0));
  return out;
}
/// The same terms for ordinary equations.
template <class S>
std::array<S, n> order_ode(const std::array<S, n>& x) {
  const auto here = terms(x), there = terms(solution(x[0])), rate = order_slope(x[0]);
  std::array<S, n> out;
  for (int i = 0; i < n; ++i) out[i] = here[i] - there[i] + rate[i];
  return out;
}

/// L(x) of a quasi-linear system: as many equations are algebraic, but derivatives of y appear in the others.
template <class S>
std::array<S, n> mass_times(const std::array<S, n>& x, const std::array<S, n>& w) {
  return {w[0], (1.0 + 0.5 * (x[2] * x[2])) * w[1] + 0.25 * (x[1] * w[3]),
          (2.0 + x[1] * x[3]) * w[2] + 0.5 * (x[4] * w[4]) + x[3] * w[1], S(0.0), S(0.0)};
}
template <class S>
std::array<S, n> quasi_linear(const std::array<S, n>& x) {
  const auto there = solution(x[0]);
  const auto here = terms(x), right = terms(there), rates = mass_times(there, order_slope(x[0]));
  std::array<S, n> out;
  for (int i = 0; i < n; ++i) out[i] = here[i] - right[i] + rates[i];
  return out;
}

/// f at x, or at x and the end of a step of size τ where f wants to know it.
template <class S, class F>
ColumnOf<S> value(const F& f, std::span<const S> x, const S& tau) {
  std::array<S, n> in;
  std::copy(x.begin(), x.end(), in.begin());
  std::array<S, n> out;
  if constexpr (std::is_invocable_v<F, const std::array<S, n>&, const S&>)
    out = f(in, tau);
  else
    out = f(in);
  return Eigen::Map<const ColumnOf<S>>(out.data(), n);
}
template <class S, class F>
SquareOf<S> jacobian(const F& f, std::span<const S> x) {
  std::array<Dual<S, n>, n> in;
  for (int i = 0; i < n; ++i) {
    in[i] = Dual<S, n>(x[static_cast<std::size_t>(i)]);
    in[i].d[static_cast<std::size_t>(i)] = S(1.0);
  }
  const auto out = f(in);
  SquareOf<S> j(n, n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) j(i, k) = out[i].d[static_cast<std::size_t>(k)];
  return j;
}

template <class S>
ColumnOf<S> at(double t) {
  const auto x = solution(S(t));
  return Eigen::Map<const ColumnOf<S>>(x.data(), n);
}
template <class S>
SquareOf<S> constant_mass(int differential) {
  SquareOf<S> l = SquareOf<S>::Zero(n, n);
  for (int i = 0; i < differential; ++i) l(i, i) = S(1.0);
  return l;
}

/// Entries between 0.1 and 0.3 in size.
template <class S>
SquareOf<S> perturbation(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> size(0.1, 0.3);
  SquareOf<S> d(n, n);
  for (auto& x : d.reshaped()) x = S(random() % 2 == 0 ? size(random) : -size(random));
  return d;
}

using Table = std::vector<std::vector<double>>;
struct Exponents {
  Table x, y;  ///< of the local errors of X_jk and Y_jk
};

/// log₂ of what halving H does to errors of the first step, with H so small that they are whole numbers up to 1e-5.
/// `run(H)` returns the columns X_j1 … X_jj of every row.
template <class Run>
Exponents exponents(const Run& run, double order_t0) {
  using std::log2;
  const double big = std::ldexp(1.0, -20);
  const auto coarse = run(big), fine = run(big / 2);
  const auto exact_coarse = at<Real90>(order_t0 + big), exact_fine = at<Real90>(order_t0 + big / 2);
  Exponents result;
  for (std::size_t j = 0; j < coarse.size(); ++j) {
    result.x.emplace_back();
    result.y.emplace_back();
    for (Eigen::Index k = 0; k < coarse[j].cols(); ++k) {
      const ColumnOf<Real90> e = coarse[j].col(k) - exact_coarse, half = fine[j].col(k) - exact_fine;
      const auto ratio = [&](int first, int size) {
        return static_cast<double>(log2(Real90(e.segment(first, size).template lpNorm<Eigen::Infinity>() /
                                               half.segment(first, size).template lpNorm<Eigen::Infinity>())));
      };
      result.x.back().push_back(ratio(0, n_x));
      result.y.back().push_back(ratio(n_x, n - n_x));
    }
  }
  return result;
}

constexpr double order_t0 = 0.25;

/// The tableau of L(x) x' = f(x); `matrix(x, τ)` is that of a step.
template <class S, class F, class M>
std::vector<SquareOf<S>> tableau_of(const F& f, const M& matrix, std::span<const int> numbers, double big) {
  SquareOf<S> columns(n, static_cast<Eigen::Index>(numbers.size()));
  std::vector<SquareOf<S>> rows;
  ColumnOf<S> delta(n);
  for (std::size_t row = 1; row <= numbers.size(); ++row) {
    const S tau = S(big) / S(numbers[row - 1]);
    ColumnOf<S> x = at<S>(order_t0);
    EXPECT_TRUE(euler_steps<S>(numbers[row - 1], {x.data(), n}, {delta.data(), n},
                               [&](int, std::span<const S> from, std::span<S> to) {
                                 const ColumnOf<S> solved = matrix(from, tau).lu().solve(tau * value<S>(f, from, tau));
                                 std::copy(solved.data(), solved.data() + n, to.begin());
                                 return true;
                               }));
    columns.col(static_cast<Eigen::Index>(row) - 1) = x;
    extend_tableau<S>(numbers, row, {columns.data(), n * row});
    rows.push_back(columns.leftCols(static_cast<Eigen::Index>(row)));
  }
  return rows;
}
/// The same with constant L and J.
template <class S, class F>
std::vector<SquareOf<S>> tableau(const F& f, const SquareOf<S>& mass, const SquareOf<S>& j,
                                 std::span<const int> numbers, double big) {
  const auto matrix = [&](std::span<const S>, const S& tau) { return SquareOf<S>(mass - tau * j); };
  return tableau_of<S>(f, matrix, numbers, big);
}

std::vector<int> numbers_from(int first, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Which blocks of J are inexact.
struct Inexact {
  bool j11 = false, j12 = false, j21 = false, j22 = false;
};

Exponents dae_exponents(const Inexact& inexact, int first, int count) {
  const auto f = [](const auto& x) { return order_dae(x); };
  const ColumnOf<Real90> start = at<Real90>(order_t0);
  SquareOf<Real90> j = jacobian(f, std::span<const Real90>(start.data(), n));
  const auto d = perturbation<Real90>(5);
  constexpr int n_y = n - n_x;
  if (inexact.j11) j.topLeftCorner(n_x, n_x) += d.topLeftCorner(n_x, n_x);
  if (inexact.j12) j.topRightCorner(n_x, n_y) += d.topRightCorner(n_x, n_y);
  if (inexact.j21) j.bottomLeftCorner(n_y, n_x) += d.bottomLeftCorner(n_y, n_x);
  if (inexact.j22) j.bottomRightCorner(n_y, n_y) += d.bottomRightCorner(n_y, n_y);
  const auto numbers = numbers_from(first, count);
  return exponents([&](double big) { return tableau<Real90>(f, constant_mass<Real90>(n_x), j, numbers, big); },
                   order_t0);
}

/// x: local errors O(H^{r+1}); y: O(H^s).
void expect_orders(const Exponents& found, const Table& r, const Table& s) {
  const auto compare = [](const Table& table, const Table& orders, int shift, const char* what) {
    for (std::size_t j = 0; j < orders.size(); ++j)
      for (std::size_t k = 0; k < orders[j].size(); ++k)
        EXPECT_NEAR(table[j][k], orders[j][k] + shift, 0.05) << what << " " << j + 1 << ", " << k + 1;
  };
  compare(found.x, r, 1, "r");
  compare(found.y, s, 0, "s");
}

const Table r_exact{{1},
                    {1, 2},
                    {1, 2, 3},
                    {1, 2, 3, 4},
                    {1, 2, 3, 4, 4},
                    {1, 2, 3, 4, 4, 5},
                    {1, 2, 3, 4, 4, 5, 5},
                    {1, 2, 3, 4, 4, 5, 6, 5}};
const Table r_12{{1},
                 {1, 2},
                 {1, 2, 2},
                 {1, 2, 2, 3},
                 {1, 2, 2, 3, 4},
                 {1, 2, 2, 3, 4, 4},
                 {1, 2, 2, 3, 4, 5, 4},
                 {1, 2, 2, 3, 4, 5, 5, 4}};
const Table r_21{{1},
                 {1, 2},
                 {1, 2, 2},
                 {1, 2, 2, 3},
                 {1, 2, 2, 3, 3},
                 {1, 2, 2, 3, 4, 3},
                 {1, 2, 2, 3, 4, 4, 3},
                 {1, 2, 2, 3, 4, 5, 4, 3}};
const Table r_12_21{{1},
                    {1, 1},
                    {1, 1, 2},
                    {1, 1, 2, 2},
                    {1, 1, 2, 3, 2},
                    {1, 1, 2, 3, 3, 2},
                    {1, 1, 2, 3, 4, 3, 2},
                    {1, 1, 2, 3, 4, 4, 3, 2}};
const Table s_exact{{2},
                    {2, 2},
                    {2, 2, 3},
                    {2, 2, 3, 4},
                    {2, 2, 3, 4, 4},
                    {2, 2, 3, 4, 5, 4},
                    {2, 2, 3, 4, 5, 5, 4},
                    {2, 2, 3, 4, 5, 6, 5, 4}};
const Table s_21{{1},
                 {1, 2},
                 {1, 2, 2},
                 {1, 2, 3, 2},
                 {1, 2, 3, 3, 2},
                 {1, 2, 3, 4, 3, 2},
                 {1, 2, 3, 4, 4, 3, 2},
                 {1, 2, 3, 4, 5, 4, 3, 2}};

TEST(ExtrapolationOrders, HarmonicNumbers) {
  expect_orders(dae_exponents({}, 1, 8), r_exact, s_exact);
  expect_orders(dae_exponents({.j11 = true}, 1, 8), r_exact, s_exact);
  expect_orders(dae_exponents({.j11 = true, .j12 = true}, 1, 8), r_12, s_exact);
  expect_orders(dae_exponents({.j11 = true, .j21 = true}, 1, 8), r_21, s_21);
  // Schiela's table 3.9 prints 2 in the second column of r; its own table 3.5, and this, say 1.
  expect_orders(dae_exponents({.j11 = true, .j12 = true, .j21 = true}, 1, 8), r_12_21, s_21);
}

/// An inexact J₂₂ leaves order 1 everywhere: extrapolation gains nothing.
TEST(ExtrapolationOrders, AnInexactAlgebraicBlockLeavesOrderOne) {
  for (const bool all : {false, true}) {
    const Exponents found = dae_exponents({.j11 = all, .j12 = all, .j21 = all, .j22 = true}, 1, 6);
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k <= j; ++k) {
        EXPECT_NEAR(found.x[j][k], 2, 0.05);
        EXPECT_NEAR(found.y[j][k], 1, 0.05);
      }
  }
}

/// The bounds of the subdiagonals move by one.
TEST(ExtrapolationOrders, NumbersFromTwoOn) {
  const Table r{{1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 4}, {1, 2, 3, 4, 4, 5}, {1, 2, 3, 4, 4, 5, 6}},
      s{{2}, {2, 2}, {2, 2, 3}, {2, 2, 3, 4}, {2, 2, 3, 4, 5}, {2, 2, 3, 4, 5, 5}, {2, 2, 3, 4, 5, 6, 5}};
  expect_orders(dae_exponents({}, 2, 7), r, s);
  const Table r_inexact{{1}, {1, 1}, {1, 1, 2}, {1, 1, 2, 3}, {1, 1, 2, 3, 3}, {1, 1, 2, 3, 4, 3}},
      s_inexact{{1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 3}, {1, 2, 3, 4, 3}, {1, 2, 3, 4, 4, 3}};
  expect_orders(dae_exponents({.j11 = true, .j12 = true, .j21 = true}, 2, 6), r_inexact, s_inexact);
}

/// Ordinary equations: column k has order k for any J.
TEST(ExtrapolationOrders, OrdinaryEquationsAllowAnyJacobian) {
  const auto f = [](const auto& x) { return order_ode(x); };
  const auto numbers = numbers_from(1, 6);
  for (const double size : {0.0, 5.0}) {
    const SquareOf<Real90> j = perturbation<Real90>(9) * Real90(size);
    const Exponents found =
        exponents([&](double big) { return tableau<Real90>(f, constant_mass<Real90>(n), j, numbers, big); }, order_t0);
    for (std::size_t row = 0; row < 6; ++row)
      for (std::size_t k = 0; k <= row; ++k) {
        EXPECT_NEAR(found.x[row][k], static_cast<double>(k) + 2, 0.05);
        EXPECT_NEAR(found.y[row][k], static_cast<double>(k) + 2, 0.05);
      }
  }
}

/// Time that is no unknown: f(x_i, t_{i+1}), J without the column of t. The orders of an exact J, from equations whose time derivative
/// nobody asks for. With f(x_i, t_i) the column left out is an inexact J₁₁ and J₂₁: algebraic equations lag by a step.
TEST(ExtrapolationOrders, TimeAtTheEndOfTheSteps) {
  const ColumnOf<Real90> start = at<Real90>(order_t0);
  const auto autonomous = [](const auto& x) { return order_dae(x); };
  SquareOf<Real90> j = jacobian(autonomous, std::span<const Real90>(start.data(), n));
  j.col(0).setZero();
  const auto at_end = [](std::array<Real90, n> x, const Real90& tau) {
    x[0] += tau;
    return order_dae(x);
  };
  const auto numbers = numbers_from(1, 8);
  const auto mass = constant_mass<Real90>(n_x);
  expect_orders(exponents([&](double big) { return tableau<Real90>(at_end, mass, j, numbers, big); }, order_t0),
                r_exact, s_exact);
  expect_orders(exponents([&](double big) { return tableau<Real90>(autonomous, mass, j, numbers, big); }, order_t0),
                r_21, s_21);
}

/// L(x) x' = f(x), (L(x_i) − τA) Δ = τ f(x_i), A = ∂/∂x [f(x) − L(x) x'₀] at the start of the big step. An inexact A perturbs algebraic
/// equations as well: errors O(H) in all columns, and no convergence. Hence static sparsing is refused for L(x).
TEST(ExtrapolationOrders, QuasiLinearSystemsNeedAnExactMatrix) {
  const auto f = [](const auto& x) { return quasi_linear(x); };
  const ColumnOf<Real90> start = at<Real90>(order_t0);
  const auto rate = order_slope(Real90(order_t0));
  const auto defect = [&](const auto& x) {
    using S = typename std::decay_t<decltype(x)>::value_type;
    std::array<S, n> w;
    for (int i = 0; i < n; ++i) w[i] = S(rate[i]);
    auto out = quasi_linear(x);
    const auto moved = mass_times(x, w);
    for (int i = 0; i < n; ++i) out[i] = out[i] - moved[i];
    return out;
  };
  const SquareOf<Real90> exact = jacobian(defect, std::span<const Real90>(start.data(), n));
  const auto numbers = numbers_from(1, 4);
  for (const bool inexact : {false, true}) {
    const SquareOf<Real90> a = inexact ? SquareOf<Real90>(exact + perturbation<Real90>(5)) : exact;
    const auto matrix = [&](std::span<const Real90> x, const Real90& tau) {
      std::array<Real90, n> point;
      std::copy(x.begin(), x.end(), point.begin());
      SquareOf<Real90> l(n, n);
      for (int k = 0; k < n; ++k) {
        std::array<Real90, n> unit{};
        unit[k] = 1;
        const auto column = mass_times(point, unit);
        for (int i = 0; i < n; ++i) l(i, k) = column[i];
      }
      return SquareOf<Real90>(l - tau * a);
    };
    const Exponents found =
        exponents([&](double big) { return tableau_of<Real90>(f, matrix, numbers, big); }, order_t0);
    for (std::size_t k = 0; k < 4; ++k) {
      const double worst = std::min(found.x[3][k], found.y[3][k]);
      EXPECT_NEAR(worst, inexact ? 1 : std::max(2.0, static_cast<double>(k) + 1), 0.05);
    }
  }
}

/// J₂₂ = θ g_y: errors of y are multiplied by 1 − 1/θ from step to step. Order 1 where that is below 1, that is θ > ½; else none.
TEST(ExtrapolationOrders, TheAlgebraicBlockMayBeScaledByMoreThanAHalf) {
  const auto f = [](const auto& x) { return order_dae(x); };
  const auto error = [&](double theta, int steps) {
    ColumnOf<double> x = at<double>(0), delta(n);
    const double tau = 1.0 / steps;
    const bool done = euler_steps<double>(
        steps, {x.data(), n}, {delta.data(), n}, [&](int, std::span<const double> from, std::span<double> to) {
          SquareOf<double> j = jacobian(f, from);
          j.bottomRightCorner(n - n_x, n - n_x) *= theta;
          const ColumnOf<double> solved =
              SquareOf<double>(constant_mass<double>(n_x) - tau * j).lu().solve(tau * value<double>(f, from, tau));
          std::copy(solved.data(), solved.data() + n, to.begin());
          return true;
        });
    EXPECT_TRUE(done);
    return (x - at<double>(1)).norm();
  };
  for (const double theta : {0.55, 0.8, 1.0, 2.0, 5.0})
    EXPECT_NEAR(std::log2(error(theta, 2000) / error(theta, 4000)), 1, 0.05) << theta;
  EXPECT_FALSE(error(0.4, 4000) < 1);
}

}  // namespace
}  // namespace rubato
