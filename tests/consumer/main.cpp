// What a user writes against the installed package: find_package(Rubato), link rubato::rubato, include.
#include <cmath>
#include <cstdio>
#include <string>

#include "rubato/base/dual.hpp"
#include "rubato/base/result.hpp"
#include "rubato/base/text.hpp"

namespace {

// The potential of a stiff spring of rest length 1, as a template over the scalar.
template <class T>
T potential(const T& x, const T& y) {
  using std::sqrt;
  const T stretch = sqrt(x * x + y * y) - 1.0;
  return stretch * stretch * 0.5;
}

rubato::Result<double> force(double x, double y) {
  if (!(x * x + y * y > 0)) return rubato::Error{"the spring has no direction at x = y = 0"};
  rubato::Dual<double, 1> moved(x);
  moved.d[0] = 1;
  return -potential(moved, rubato::Dual<double, 1>(y)).d[0];
}

}  // namespace

int main() {
  const auto stretched = force(3, 4);  // −(5 − 1)·3/5
  const auto nowhere = force(0, 0);
  if (!stretched || std::abs(*stretched + 2.4) > 1e-14 || nowhere) return 1;
  // A compiled function, so that the library and what it stands on are linked.
  const std::string number = rubato::shortest(*stretched);
  std::printf("force %s N; otherwise: %s\n", number.c_str(), nowhere.error().message.c_str());
  return 0;
}
