#pragma once
/// Runs of the bushing, kept every 3 ms.
#include "experiments/runs.hpp"

namespace rubato::experiments::bushing {

inline constexpr double published_step = 3e-3;

/// One line of set-up: bulk modulus in MPa, method, tolerance (0: fixed steps of 3 ms).
[[nodiscard]] Setup setup(double bulk_mpa, std::string method, double tolerance = 0);

/// The solution every 3 ms as matrices, in mm, mm/s and MPa: a column per time.
struct History {
  Matrix q, v, lambda;
};
[[nodiscard]] std::vector<double> sample_times();
[[nodiscard]] History history(const Outcome& outcome);

/// The largest singular value, by power iteration.
[[nodiscard]] double spectral_norm(const Matrix& x);

}  // namespace rubato::experiments::bushing
