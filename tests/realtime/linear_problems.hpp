#pragma once
/// Linear problems L x' = Df x for tests: random, with a seed.
#include <random>

#include "rubato/realtime/deflation.hpp"
#include "rubato/realtime/schur.hpp"
#include "rubato/realtime/step_pencil.hpp"

namespace rubato::realtime::tests {

inline ComplexMatrix random_complex(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  ComplexMatrix m(n, n);
  for (Eigen::Index i = 0; i < m.size(); ++i) {
    const double re = normal(random), im = normal(random);
    m(i) = Complex(re, im);
  }
  return m;
}

/// A dense problem with d differential unknowns in front and L = diag(L₁, 0).
struct LinearProblem {
  SparsePattern jacobian, mass;
  std::vector<double> values, mass_values;
  double step = 0.1;
  int n = 0, d = 0;

  [[nodiscard]] StepPencil pencil() const { return {jacobian, mass, mass_values, step}; }
  [[nodiscard]] MassSplit split() const { return split_mass(mass, mass_values).value(); }
};

inline LinearProblem random_problem(int n, int d, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  LinearProblem p;
  p.n = n;
  p.d = d;
  p.jacobian = SparsePattern::dense(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) p.values.push_back(normal(random) - (i == j ? 4 : 0));
  std::vector<Entry> diagonal;
  for (int i = 0; i < d; ++i) {
    diagonal.push_back({i, i});
    p.mass_values.push_back(1 + 0.1 * i);
  }
  p.mass = SparsePattern::from_entries(n, n, diagonal);
  return p;
}

}  // namespace rubato::realtime::tests
