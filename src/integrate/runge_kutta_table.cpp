#include "rubato/integrate/runge_kutta_table.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include "rubato/base/assert.hpp"
#include "rubato/base/text.hpp"

namespace rubato {

namespace {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using F = RungeKuttaFamily;

constexpr std::array<RungeKuttaFamilyInfo, 13> families{{
    {F::gauss, "gauss", "Gauss: order 2s, symplectic", false, 1},
    {F::radau_ia, "radau-ia", "Radau IA: order 2s-1, L-stable", false, 1},
    {F::radau_iia, "radau-iia", "Radau IIA: order 2s-1, L-stable, stiffly accurate", false, 1},
    {F::lobatto_iiia, "lobatto-iiia", "Lobatto IIIA: order 2s-2, stiffly accurate, undamped, singular A", false, 2},
    {F::lobatto_iiib, "lobatto-iiib", "Lobatto IIIB: order 2s-2, undamped, singular A", false, 2},
    {F::lobatto_iiic, "lobatto-iiic", "Lobatto IIIC: order 2s-2, L-stable, stiffly accurate", false, 2},
    {F::lobatto_iiid, "lobatto-iiid", "Lobatto IIID: order 2s-2, symplectic", false, 2},
    {F::lobatto_iiic_star, "lobatto-iiic-star", "Lobatto IIIC*: order 2s-2, explicit first and last stage", false, 2},
    {F::lobatto_iiiab, "lobatto-iiiab", "blend of IIIA and IIIB; theta = 1/2 is symplectic", true, 2},
    {F::lobatto_iiiac, "lobatto-iiiac", "blend of IIIA and IIIC: damping dial for linear systems", true, 2},
    {F::lobatto_iiiabc, "lobatto-iiiabc", "blend of IIIAB(1/2) and IIIC, B-stable", true, 2},
    {F::lobatto_iiidc, "lobatto-iiidc", "blend of IIID and IIIC, B-stable: damping dial for nonlinear systems", true,
     2},
    {F::lobatto_iiiabd, "lobatto-iiiabd", "blend of IIIAB(1/2) and IIID, symplectic", true, 2},
}};

/// P_k(x) and its derivative.
struct Legendre {
  Real value, slope;
};
Legendre legendre(int k, Real x) {
  Real before = 0, now = 1, slope_before = 0, slope = 0;
  for (int j = 1; j <= k; ++j) {
    const Real next = ((2 * j - 1) * x * now - (j - 1) * before) / j;
    const Real slope_next = slope_before + (2 * j - 1) * now;  // P'_j = P'_{j−2} + (2j − 1) P_{j−1}
    before = now;
    slope_before = slope;
    now = next;
    slope = slope_next;
  }
  return {now, slope};
}

/// Nodes on [0, 1]: zeros of P_s (Gauss), P_s ± P_{s−1} (Radau: + left, − right), P_s − P_{s−2} (Lobatto), found one by one
/// by Newton's method with the known zeros divided out.
enum class Nodes : std::uint8_t { gauss, radau_left, radau_right, lobatto };
RealVector nodes(Nodes kind, int s) {
  const auto evaluate = [&](Real x) {
    const Legendre p = legendre(s, x);
    if (kind == Nodes::gauss) return p;
    const Legendre q = legendre(kind == Nodes::lobatto ? s - 2 : s - 1, x);
    const Real sign = kind == Nodes::radau_left ? 1 : -1;
    return Legendre{p.value + sign * q.value, p.slope + sign * q.slope};
  };
  std::vector<Real> zeros;
  if (kind == Nodes::radau_left || kind == Nodes::lobatto) zeros.push_back(-1);
  if (kind == Nodes::radau_right || kind == Nodes::lobatto) zeros.push_back(1);
  for (int k = 0; static_cast<int>(zeros.size()) < s; ++k) {
    Real x = std::cos(std::numbers::pi_v<Real> * (4 * k + 3) / (4 * s + 2));  // Gauss' zeros, nearly
    for (int iteration = 0; iteration < 100; ++iteration) {
      const Legendre p = evaluate(x);
      Real deflation = 0;
      for (const Real zero : zeros) deflation += 1 / (x - zero);
      const Real step = p.value / (p.slope - p.value * deflation);
      x -= step;
      if (std::abs(step) < 1e-18L) break;
    }
    zeros.push_back(x);
  }
  std::sort(zeros.begin(), zeros.end());
  RealVector c(s);
  for (int i = 0; i < s; ++i) c[i] = (1 + zeros[static_cast<std::size_t>(i)]) / 2;
  if (kind == Nodes::radau_left || kind == Nodes::lobatto) c[0] = 0;
  if (kind == Nodes::radau_right || kind == Nodes::lobatto) c[s - 1] = 1;
  return c;
}

Nodes nodes_of(F family) {
  switch (family) {
    case F::gauss: return Nodes::gauss;
    case F::radau_ia: return Nodes::radau_left;
    case F::radau_iia: return Nodes::radau_right;
    default: return Nodes::lobatto;
  }
}

}  // namespace

std::span<const RungeKuttaFamilyInfo> runge_kutta_families() noexcept { return families; }

const RungeKuttaFamilyInfo& family_info(RungeKuttaFamily family) noexcept {
  return families[static_cast<std::size_t>(family)];
}

LobattoCorner lobatto_corner(RungeKuttaFamily family, double theta) noexcept {
  switch (family) {
    case F::lobatto_iiia: return {0, 1, 0};
    case F::lobatto_iiib: return {1, 0, 0};
    case F::lobatto_iiid: return {1, 1, 0};
    case F::lobatto_iiic_star: return {1, 1, -1};
    case F::lobatto_iiiab: return {1 - theta, theta, 0};
    case F::lobatto_iiiac: return {1 - theta, 1, 1 - theta};
    case F::lobatto_iiiabc: return {1 - theta / 2, 1 - theta / 2, 1 - theta};
    case F::lobatto_iiidc: return {1, 1, 1 - theta};
    case F::lobatto_iiiabd: return {1 - theta / 2, 1 - theta / 2, 0};
    default: return {1, 1, 1};  // IIIC
  }
}

std::string RungeKuttaTable::name() const {
  return info().blended ? fmt::format("{}-{}:{}", info().name, s, shortest(theta))
                        : fmt::format("{}-{}", info().name, s);
}

bool RungeKuttaTable::stiffly_accurate() const noexcept {
  return (A.row(s - 1).transpose() - b).cwiseAbs().maxCoeff() < 1e-14;
}

bool RungeKuttaTable::invertible() const noexcept {
  return std::abs(X.determinant()) > 1e-12 * std::pow(0.5, s);  // 1/det X grows like s^s at most
}

RungeKuttaTable runge_kutta_table(RungeKuttaFamily family, int s, double theta) {
  RUBATO_ASSERT(s >= family_info(family).min_stages && s <= max_runge_kutta_stages, "number of stages");
  RUBATO_ASSERT(theta >= 0 && theta <= 1, "theta in [0, 1]");
  const RealVector c = nodes(nodes_of(family), s);
  RealMatrix W(s, s), X = RealMatrix::Zero(s, s);
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) W(i, j) = std::sqrt(Real(2 * j + 1)) * legendre(j, 2 * c[i] - 1).value;
  const auto xi = [](int k) { return 1 / (2 * std::sqrt(Real(4 * k * k - 1))); };
  X(0, 0) = 0.5L;
  for (int k = 1; k < s; ++k) {
    X(k, k - 1) = xi(k);
    X(k - 1, k) = -xi(k);
  }
  switch (nodes_of(family)) {
    case Nodes::gauss: break;
    case Nodes::radau_left:
    case Nodes::radau_right: X(s - 1, s - 1) = s == 1 ? Real(1) : 1 / Real(4 * s - 2); break;
    case Nodes::lobatto: {
      const LobattoCorner corner = lobatto_corner(family, theta);
      X(s - 2, s - 1) = -Real(corner.beta) * xi(s - 1) * Real(2 * s - 1) / Real(s - 1);
      X(s - 1, s - 2) = Real(corner.alpha) * xi(s - 1);
      X(s - 1, s - 1) = Real(corner.delta) / Real(2 * s - 2);
    }
  }
  const RealMatrix inverse = W.fullPivLu().inverse();
  // bᵀ W = (1, 0, …, 0): the weights integrate the polynomials exactly.
  const RealVector b = inverse.row(0).transpose();
  RungeKuttaTable table;
  table.family = family;
  table.s = s;
  table.theta = family_info(family).blended ? theta : 0;
  table.A = (W * X * inverse).cast<double>();
  table.b = b.cast<double>();
  table.c = c.cast<double>();
  table.W = W.cast<double>();
  table.W_inverse = inverse.cast<double>();
  table.X = X.cast<double>();
  return table;
}

Result<RungeKuttaTable> runge_kutta_by_name(std::string_view name) {
  const auto colon = name.find(':');
  std::string_view stem = name.substr(0, colon);
  int s = 3;
  if (const auto dash = stem.rfind('-'); dash != std::string_view::npos) {
    const std::string_view digits = stem.substr(dash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), s);
    if (error == std::errc{} && end == digits.data() + digits.size())
      stem = stem.substr(0, dash);
    else
      s = 3;
  }
  for (const auto& info : families) {
    if (info.name != stem) continue;
    if (s < info.min_stages || s > max_runge_kutta_stages)
      return Error{fmt::format("method {}: {} stages are not allowed; {} to {}", name, s, info.min_stages,
                               max_runge_kutta_stages)};
    double theta = 0;
    if (colon != std::string_view::npos) {
      const std::string_view text = name.substr(colon + 1);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), theta);
      if (error != std::errc{} || end != text.data() + text.size() || !(theta >= 0 && theta <= 1))
        return Error{fmt::format("method {}: theta = '{}' is not allowed; a number in [0, 1]", name, text)};
      if (!info.blended)
        return Error{
            fmt::format("method {}: {} has no theta; blends have: lobatto-iiiab, -iiiac, -iiiabc, -iiidc, "
                        "-iiiabd",
                        name, info.name)};
    }
    return runge_kutta_table(info.family, s, theta);
  }
  std::vector<std::string> names;
  for (const auto& info : families) names.emplace_back(info.name);
  return Error{unknown_name("Runge-Kutta family", stem, names)};
}

}  // namespace rubato
