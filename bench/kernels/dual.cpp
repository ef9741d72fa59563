// What a gradient by dual numbers costs: the potential of a spring pendulum, its value against its value and gradient.
// Not shown: models large enough to leave the first-level cache.
#include "rubato/base/dual.hpp"

#include <benchmark/benchmark.h>

#include <cmath>

namespace {

template <class T>
T potential(const T& x, const T& y) {
  using std::sqrt;
  const T stretch = sqrt(x * x + y * y) - 1.0;
  return stretch * stretch * 0.5e6 + y * 9.81;
}

void value(benchmark::State& state) {
  double x = 0.6, y = -0.8;
  for (auto _ : state) {
    benchmark::DoNotOptimize(x);
    benchmark::DoNotOptimize(y);
    benchmark::DoNotOptimize(potential(x, y));
  }
}

template <int n>
void value_and_gradient(benchmark::State& state) {
  rubato::Dual<double, n> x(0.6), y(-0.8);
  x.d[0] = 1;
  y.d[1] = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(x);
    benchmark::DoNotOptimize(y);
    benchmark::DoNotOptimize(potential(x, y));
  }
}

}  // namespace

BENCHMARK(value);
BENCHMARK(value_and_gradient<2>);
BENCHMARK(value_and_gradient<8>);
