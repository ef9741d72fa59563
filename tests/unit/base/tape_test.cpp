// A tape read backwards gives the same gradients as dual numbers, and over dual numbers the same second derivatives.
#include "rubato/base/tape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "rubato/base/dual.hpp"

namespace rubato {
namespace {

/// Two results that use every elementary function and every operator, with constants on both sides.
template <class S>
std::array<S, 2> pair_of_everything(const S& x, const S& y) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::hypot, std::log,
      std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  const auto [s, c] = sin_cos(x + y);
  S sum = sin(x) * cos(y) + tan(x) / exp(y) - log(x + 2.0) * sqrt(3.0 + y) + asin(0.3 * x) + acos(y / 5.0);
  sum += s * c;
  sum -= y;
  sum *= 2.0 - x;
  sum /= y + 4.0;
  return {sum, atan(x * y) + atan2(x, y + 2.0) + sinh(x) - cosh(y) + tanh(x - y) + abs(x - 5.0) + pow(x + 1.0, 2.5) +
                   hypot(x, y) * 2.0 - (-x) + 1.0 / y - S(3.0) * y + S(7.0)};
}

/// The gradient of 2 f₁ − 3 f₂ at (x, y) by a tape of so many edges; false: too short.
template <class S>
bool gradient(const S& x, const S& y, std::size_t capacity, std::array<S, 2>& out) {
  ScratchMemory memory(Tape<S>::bytes_for(capacity, 2));
  Scratch scratch = memory.scratch();
  Tape<S> tape(scratch, capacity);
  const Taped<S> tx(x, tape), ty(y, tape);
  const auto f = pair_of_everything(tx, ty);
  if (!tape.complete()) return false;
  const auto adjoint = scratch.take<S>(tape.n_nodes());
  adjoint[static_cast<std::size_t>(f[0].node)] += 2.0;
  adjoint[static_cast<std::size_t>(f[1].node)] += -3.0;
  tape.pull_back(adjoint);
  out = {adjoint[0], adjoint[1]};
  return true;
}

TEST(Tape, AgreesWithDualNumbersInFirstAndSecondDerivatives) {
  using D = Dual<double, 2>;
  D x(0.7), y(0.4);
  x.d[0] = 1;
  y.d[1] = 1;
  Dual<D, 2> xx(x), yy(y);
  xx.d[0] = D(1.0);
  yy.d[1] = D(1.0);
  const auto f = pair_of_everything(xx, yy);
  std::array<D, 2> taped;
  ASSERT_TRUE(gradient(x, y, 200, taped));
  for (std::size_t i = 0; i < 2; ++i) {
    const D expected = 2.0 * f[0].d[i] - 3.0 * f[1].d[i];
    EXPECT_NEAR(taped[i].value, expected.value, 1e-14);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(taped[i].d[k], expected.d[k], 1e-13);
  }
}

TEST(Tape, SaysWhenItIsTooShort) {
  std::array<double, 2> out;
  EXPECT_TRUE(gradient(0.7, 0.4, 200, out));
  EXPECT_FALSE(gradient(0.7, 0.4, 10, out));
}

}  // namespace
}  // namespace rubato
