#include "rubato/integrate/stability_function.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/assert.hpp"

namespace rubato {

namespace {

using Real = long double;
using Complex = std::complex<double>;
using Polynomial = std::vector<Real>;  ///< coefficients of 1, z, z², …

Polynomial sum(Polynomial a, const Polynomial& b, Real factor = 1) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t k = 0; k < b.size(); ++k) a[k] += factor * b[k];
  return a;
}
Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial c(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
  return c;
}
Polynomial shifted(Polynomial a) {  // z a(z)
  a.insert(a.begin(), 0);
  return a;
}

Complex horner(const std::vector<double>& p, Complex z) {
  Complex value = 0;
  for (std::size_t k = p.size(); k-- > 0;) value = value * z + p[k];
  return value;
}

/// Eigenvalues of the companion matrix, the variable scaled so that first and last coefficient have the same size.
std::vector<Complex> roots(const std::vector<double>& p) {
  const auto n = static_cast<Eigen::Index>(p.size()) - 1;
  std::vector<Complex> found;
  if (n < 1) return found;
  const double scale = std::pow(std::abs(p.front() / p.back()), 1.0 / static_cast<double>(n));
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    companion(k, n - 1) = -p[static_cast<std::size_t>(k)] / p.back() * std::pow(scale, static_cast<double>(k - n));
    if (k > 0) companion(k, k - 1) = 1;
  }
  for (const Complex& z : companion.eigenvalues()) found.push_back(scale * z);
  std::sort(found.begin(), found.end(), [](const Complex& a, const Complex& b) {
    return std::abs(a.real() - b.real()) > 1e-9 * std::abs(a) ? a.real() < b.real() : a.imag() < b.imag();
  });
  return found;
}

/// p(iχ) p(−iχ) as a polynomial in χ², and the sum of the magnitudes of its terms.
struct Square {
  Polynomial value, magnitude;
};
Square squared(const std::vector<double>& p) {
  Square square{Polynomial(p.size()), Polynomial(p.size())};
  for (std::size_t k = 0; k < p.size(); ++k)
    for (std::size_t l = k % 2; l < p.size(); l += 2) {
      const Real term = static_cast<Real>(p[k]) * p[l];
      const bool minus = (k > l ? k - l : l - k) % 4 == 2;  // i^k (−i)^l
      square.value[(k + l) / 2] += minus ? -term : term;
      square.magnitude[(k + l) / 2] += std::abs(term);
    }
  return square;
}

/// det(I − zT) for tridiagonal T, by the recurrence over its leading minors; the same with magnitudes says how large
/// rounding errors are, and what lies below them is zero.
std::vector<double> determinant(const Matrix& T) {
  const auto run = [&](bool magnitudes) {
    const auto entry = [&](Eigen::Index i, Eigen::Index j) -> Real { return magnitudes ? std::abs(T(i, j)) : T(i, j); };
    const Real sign = magnitudes ? 1 : -1;
    Polynomial before = {1}, now = {1, sign * entry(0, 0)};
    for (Eigen::Index k = 1; k < T.rows(); ++k) {
      Polynomial next = sum(product(now, {1, sign * entry(k, k)}), shifted(shifted(before)),
                            sign * entry(k, k - 1) * entry(k - 1, k));
      before = std::move(now);
      now = std::move(next);
    }
    return now;
  };
  const Polynomial value = run(false), size = run(true);
  std::vector<double> p(value.size());
  for (std::size_t k = 0; k < p.size(); ++k)
    p[k] = std::abs(value[k]) > 1e-13L * size[k] ? static_cast<double>(value[k]) : 0;
  return p;
}

/// Coefficients of ln p(z), p(0) = 1: k l_k = k p_k − Σ_{0<j<k} j l_j p_{k−j}.
Polynomial logarithm(const std::vector<double>& p, int n) {
  Polynomial l(static_cast<std::size_t>(n) + 1);
  const auto at = [&](std::size_t k) -> Real { return k < p.size() ? p[k] : 0; };
  for (std::size_t k = 1; k < l.size(); ++k) {
    Real rest = static_cast<Real>(k) * at(k);
    for (std::size_t j = 1; j < k; ++j) rest -= static_cast<Real>(j) * l[j] * at(k - j);
    l[k] = rest / static_cast<Real>(k);
  }
  return l;
}

}  // namespace

StabilityFunction::StabilityFunction(std::vector<double> numerator, std::vector<double> denominator)
    : numerator_(std::move(numerator)), denominator_(std::move(denominator)) {
  for (auto* p : {&numerator_, &denominator_})
    while (p->size() > 1 && p->back() == 0) p->pop_back();
  zeros_ = roots(numerator_);
  poles_ = roots(denominator_);
  near_ = std::numeric_limits<double>::max();
  for (const auto* set : {&zeros_, &poles_})
    for (const Complex& z : *set) near_ = std::min(near_, std::abs(z) / 2);
  series_ = log_series(80);  // 2⁻⁸⁰ at the rim
  const Square p = squared(numerator_), q = squared(denominator_);
  const Polynomial difference = sum(q.value, p.value, -1), size = sum(q.magnitude, p.magnitude);
  for (std::size_t k = 0; k < difference.size(); ++k)
    damping_.push_back(std::abs(difference[k]) > 1e-12L * size[k] ? static_cast<double>(difference[k]) : 0);
}

std::complex<double> StabilityFunction::operator()(std::complex<double> z) const {
  return horner(numerator_, z) / horner(denominator_, z);
}

double StabilityFunction::at_infinity() const noexcept {
  if (numerator_.size() < denominator_.size()) return 0;
  const double quotient = numerator_.back() / denominator_.back();
  return numerator_.size() == denominator_.size() ? quotient
                                                  : std::copysign(std::numeric_limits<double>::infinity(), quotient);
}

double StabilityFunction::spectral_radius(double chi) const { return std::abs((*this)({0, chi})); }

double StabilityFunction::largest_on_imaginary_axis() const {
  constexpr int per_decade = 40, decades = 9;
  double worst = std::abs(at_infinity());
  for (int i = 0; i <= per_decade * decades; ++i)
    worst = std::max(worst, spectral_radius(std::pow(10.0, -3 + static_cast<double>(i) / per_decade)));
  return worst;
}

bool StabilityFunction::a_stable() const {
  return largest_on_imaginary_axis() <= 1 + 1e-12 &&
         std::all_of(poles_.begin(), poles_.end(), [](const Complex& z) { return z.real() > 0; });
}

bool StabilityFunction::l_stable() const { return a_stable() && at_infinity() == 0; }

double StabilityFunction::amplitude_error(double chi) const {
  double difference = 0;
  for (std::size_t k = damping_.size(); k-- > 0;) difference = difference * chi * chi + damping_[k];
  return -std::log1p(-difference / std::norm(horner(denominator_, {0, chi}))) / (2 * chi);
}

std::complex<double> StabilityFunction::log_error(std::complex<double> z) const { return horner(series_, z); }

double StabilityFunction::phase_error(double chi) const {
  if (chi < near_) return log_error({0, chi}).imag() / chi;
  // 1 − iχ/z leaves 1 into the upper or the lower half plane and stays there: its principal argument is continuous.
  double phase = 0;
  for (const Complex& z : zeros_) phase += std::arg(1.0 - Complex(0, chi) / z);
  for (const Complex& z : poles_) phase -= std::arg(1.0 - Complex(0, chi) / z);
  return phase / chi - 1;
}

std::vector<double> StabilityFunction::log_series(int n) const {
  const Polynomial p = logarithm(numerator_, n), q = logarithm(denominator_, n);
  std::vector<double> c(static_cast<std::size_t>(n) + 1);
  for (std::size_t k = 1; k < c.size(); ++k) {
    Real value = p[k] - q[k] - (k == 1 ? 1 : 0), size = k == 1 ? 1 : 0;
    for (const auto* set : {&zeros_, &poles_})  // ln(1 − z/z₁) = −Σ (z/z₁)^k/k: the size of what cancels
      for (const Complex& z : *set)
        size += static_cast<Real>(std::pow(std::abs(z), -static_cast<double>(k))) / static_cast<Real>(k);
    c[k] = std::abs(value) > 1e-9L * size ? static_cast<double>(value) : 0;
  }
  return c;
}

namespace {
/// The first non-zero c_k of this parity, with the sign of (2).
StabilityFunction::Leading leading(const std::vector<double>& c, std::size_t parity) {
  for (std::size_t k = 2 + parity; k < c.size(); k += 2) {
    if (c[k] == 0) continue;
    const bool minus = k / 2 % 2 == 1;
    const double sign = parity == 0 ? (minus ? 1 : -1) : (minus ? -1 : 1);
    return {static_cast<int>(k) - 1, sign * c[k]};
  }
  return {};
}
}  // namespace

StabilityFunction::Leading StabilityFunction::dissipation() const {
  if (std::all_of(damping_.begin(), damping_.end(), [](double x) { return x == 0; })) return {};
  return leading(log_series(static_cast<int>(2 * damping_.size()) + 2), 0);
}

StabilityFunction::Leading StabilityFunction::dispersion() const {
  return leading(log_series(static_cast<int>(numerator_.size() + denominator_.size()) + 3), 1);
}

std::optional<StabilityFunction::Degrees> StabilityFunction::pade_degrees() const {
  const Degrees degrees{static_cast<int>(numerator_.size()) - 1, static_cast<int>(denominator_.size()) - 1};
  const StabilityFunction exact = pade(degrees.numerator, degrees.denominator);
  const auto close = [](const std::vector<double>& x, const std::vector<double>& y) {
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!(std::abs(x[k] - y[k]) <= 1e-11 * std::abs(y[k]))) return false;
    return true;
  };
  if (!close(numerator_, exact.numerator_) || !close(denominator_, exact.denominator_)) return std::nullopt;
  return degrees;
}

double StabilityFunction::order_star(std::complex<double> z) const {
  return std::abs(z) < near_ ? log_error(z).real() : std::log(std::abs((*this)(z))) - z.real();
}

StabilityFunction pade(int k, int j) {
  const auto coefficients = [&](int degree, double sign) {
    std::vector<double> p = {1};
    Real c = 1;
    for (int i = 0; i < degree; ++i) {
      c *= static_cast<Real>(degree - i) / static_cast<Real>((k + j - i) * (i + 1)) * sign;
      p.push_back(static_cast<double>(c));
    }
    return p;
  };
  return {coefficients(k, 1), coefficients(j, -1)};
}

StabilityFunction stability_function(const RungeKuttaTable& table) {
  Matrix reduced = table.X;
  reduced(0, 0) -= 1;  // W⁻¹ 𝟙 bᵀ W = e₁e₁ᵀ
  return {determinant(reduced), determinant(table.X)};
}

StabilityFunction stability_function(const RosenbrockCoefficients<double>& method) {
  // With d = 1 − γz and y_i = d^i x_i, i = 1 … s: y_i = d^{i−1} + z Σ_{j<i} β_ij d^{i−1−j} y_j, R = 1 + z Σ b_i y_i / d^i.
  const int s = method.s;
  std::vector<Polynomial> powers = {{1}}, y;
  for (int i = 1; i <= s; ++i) powers.push_back(product(powers.back(), {1, -static_cast<Real>(method.beta(0, 0))}));
  const auto power = [&](int i) -> const Polynomial& { return powers[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < s; ++i) {
    Polynomial next = power(i);
    for (int j = 0; j < i; ++j)
      next = sum(next, shifted(product(power(i - 1 - j), y[static_cast<std::size_t>(j)])), method.beta(i, j));
    y.push_back(std::move(next));
  }
  Polynomial numerator = power(s);
  for (int i = 0; i < s; ++i)
    numerator = sum(numerator, shifted(product(power(s - 1 - i), y[static_cast<std::size_t>(i)])), method.b[i]);
  std::vector<double> p, q;
  for (std::size_t k = 0; k < numerator.size(); ++k)  // published coefficients have up to sixteen digits
    p.push_back(std::abs(numerator[k]) > 1e-11L * std::abs(power(s)[k]) ? static_cast<double>(numerator[k]) : 0);
  for (const Real c : power(s)) q.push_back(static_cast<double>(c));
  return {p, q};
}

std::complex<double> stability_value(const RungeKuttaTable& table, std::complex<double> z) {
  const Eigen::MatrixXcd matrix = Eigen::MatrixXcd::Identity(table.s, table.s) - z * table.A.cast<Complex>();
  const Eigen::VectorXcd x = matrix.fullPivLu().solve(Eigen::VectorXcd::Ones(table.s));
  return 1.0 + z * table.b.cast<Complex>().dot(x);  // (1); b is real
}

}  // namespace rubato
