#include "rubato/realtime/schur.hpp"

#include <algorithm>
#include <limits>

#include "realtime/lapack.hpp"
#include "rubato/base/assert.hpp"

namespace rubato::realtime {

std::optional<SchurPair> schur_form(const ComplexMatrix& a, const ComplexMatrix& b) {
  const int n = static_cast<int>(a.rows());
  RUBATO_ASSERT(a.cols() == n && b.rows() == n && b.cols() == n, "two square matrices of one size");
  SchurPair form{a, b, ComplexMatrix(n, n), ComplexMatrix(n, n)};
  if (n == 0) return form;
  const auto size = static_cast<std::size_t>(n);
  std::vector<Complex> alpha(size), beta(size);
  std::vector<double> real_work(8 * size);
  std::vector<int> bwork(size);
  int sdim = 0, info = 0;
  const auto call = [&](Complex* work, int length) {
    zgges_("V", "V", "N", nullptr, &n, form.a.data(), &n, form.b.data(), &n, &sdim, alpha.data(), beta.data(),
           form.q.data(), &n, form.z.data(), &n, work, &length, real_work.data(), bwork.data(), &info, 1, 1, 1);
  };
  Complex wanted;
  call(&wanted, -1);
  std::vector<Complex> work(std::max<std::size_t>(static_cast<std::size_t>(wanted.real()), 2 * size));
  call(work.data(), static_cast<int>(work.size()));
  if (info != 0) return std::nullopt;
  return form;
}

namespace {

/// The unitary G with (G v)₂ = 0:  [v̄₁ v̄₂; −v₂ v₁] / ‖v‖.
Eigen::Matrix2cd rotation(const Eigen::Vector2cd& v) {
  Eigen::Matrix2cd g;
  g << std::conj(v(0)), std::conj(v(1)), -v(1), v(0);
  return g / v.norm();
}

}  // namespace

bool exchange(SchurPair& form, int k) {
  const int n = form.size();
  ComplexMatrix &at = form.a, &bt = form.b;
  const Complex alpha1 = at(k, k), alpha2 = at(k + 1, k + 1), a = at(k, k + 1);
  const Complex beta1 = bt(k, k), beta2 = bt(k + 1, k + 1), b = bt(k, k + 1);
  // A_T x = α₂ y,  B_T x = β₂ y.
  const Complex det = alpha1 * beta2 - alpha2 * beta1;
  const Eigen::Vector2cd x(alpha2 * b - beta2 * a, det), y(alpha1 * b - beta1 * a, det);
  const double size_a = std::abs(alpha1) + std::abs(alpha2), size_b = std::abs(beta1) + std::abs(beta2);
  if (!(std::abs(det) > 4 * std::numeric_limits<double>::epsilon() * size_a * size_b)) return false;

  const Eigen::Matrix2cd g = rotation(x), h = rotation(y);
  const auto rows = [&](ComplexMatrix& m) {
    auto part = m.block(k, k, 2, n - k);
    for (int j = 0; j < n - k; ++j) part.col(j) = (h * Eigen::Vector2cd(part.col(j))).eval();
  };
  const Eigen::Matrix2cd gh = g.adjoint(), hh = h.adjoint();
  const auto columns = [&](ComplexMatrix& m, const Eigen::Matrix2cd& r, int count) {
    for (int i = 0; i < count; ++i) {
      const Complex first = m(i, k), second = m(i, k + 1);
      m(i, k) = first * r(0, 0) + second * r(1, 0);
      m(i, k + 1) = first * r(0, 1) + second * r(1, 1);
    }
  };
  rows(at);
  rows(bt);
  columns(at, gh, k + 2);
  columns(bt, gh, k + 2);
  columns(form.z, gh, n);
  columns(form.q, hh, n);
  at(k + 1, k) = bt(k + 1, k) = 0;
  return true;
}

bool move_to_top(SchurPair& form, Flags& set) {
  const int n = form.size();
  RUBATO_ASSERT(static_cast<int>(set.size()) == n, "one flag for every eigenvalue");
  int top = 0;  // so many members have arrived
  for (int i = 0; i < n; ++i) {
    if (set[static_cast<std::size_t>(i)] == 0) continue;
    for (int k = i - 1; k >= top; --k) {
      if (!exchange(form, k)) return false;
      std::swap(set[static_cast<std::size_t>(k)], set[static_cast<std::size_t>(k) + 1]);
    }
    ++top;
  }
  return true;
}

}  // namespace rubato::realtime
