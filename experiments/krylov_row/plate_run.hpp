#pragma once
/// Runs of the viscoelastic plate as the publication has them, and its exact solution.
#include "catalogue/catalogue.hpp"
#include "experiments/experiment.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato::experiments::plate {

/// y' = f_y y + f_z z, 0 = g_y y + g_z z − F with constant blocks: by the eigenvectors of f_y − f_z g_z⁻¹ g_y.
class Exact {
 public:
  explicit Exact(const InitialValueProblem& problem);
  [[nodiscard]] Vector at(double t) const;
  /// The eigenvalues, 1/s.
  [[nodiscard]] const Vector& rates() const noexcept { return rates_; }

 private:
  Vector rates_, amplitudes_, rest_y_;
  Matrix modes_, to_z_;
  Vector z_of_zero_;
};

struct Outcome {
  long accepted = 0, solves = 0, products = 0;
  double error = 0;          ///< largest relative error of a component at a step, of those above 1e-7 of the largest
  std::string trouble = {};  ///< why the run did not end
  double t = 0;              ///< where it ended
};

/// RODAS on 10 × 4 elements with the publication's step control, so far as it is known.
[[nodiscard]] Outcome run(double rtol, const KrylovOptions& krylov, long max_steps, const Control& control);

/// The five tolerances 10^{−(22 + 8j)/9}.
[[nodiscard]] std::vector<double> tolerances();

}  // namespace rubato::experiments::plate
