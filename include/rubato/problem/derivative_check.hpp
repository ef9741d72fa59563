#pragma once
/// Compares the derivatives an integrator would use with differences of the equations, and names the wrong entry.
#include <string>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/problem/initial_value_problem.hpp"
#include "rubato/problem/linearisation.hpp"
#include "rubato/problem/mechanical.hpp"

namespace rubato {

struct DerivativeOptions {
  int points = 3;           ///< the start and points beside it
  double spread = 1e-2;     ///< how far beside, relative to the size of the unknowns
  double tolerance = 1e-6;  ///< relative deviation that counts as wrong, beyond the error bars of the differences
  int max_columns = 500;    ///< of a larger matrix a seeded sample of columns is checked
  unsigned seed = 1;
  JacobianSource source = JacobianSource::automatic;
  /// Typical sizes of the unknowns; where empty or zero: |x_i|, a thousandth of the block's largest entry, or one.
  Vector scale = {};
};

struct DerivativeReport {
  struct Entry {
    std::string what = {};  ///< "J", "df/dt", "B", "G", "K", …
    int row = 0, col = 0;
    std::string row_name = {}, col_name = {};
    double given = 0, expected = 0;
    bool missing_in_pattern = false;
  };
  bool ok = true;            ///< nothing wrong; a Jacobian declared approximate may deviate, but not in its pattern
  bool approximate = false;  ///< the model says so of its Jacobian
  double worst = 0;          ///< largest relative deviation beyond the error bars
  int points = 0;            ///< at which the model could be evaluated
  long compared = 0;         ///< entries
  long unresolved = 0;       ///< entries the differences cannot resolve to the tolerance (noise, edges of the domain)
  std::vector<Entry> wrong = {};  ///< each entry once, at the first point where it is seen
};

/// J = ∂(f − B w)/∂x and its pattern, d/dt (f − B w), B (linear in w, constant if declared so, zero in algebraic rows).
/// A mechanical system behind the Dae is checked as well. An error where the start cannot be evaluated.
[[nodiscard]] Result<DerivativeReport> check_derivatives(const InitialValueProblem& problem,
                                                         const DerivativeOptions& options = {});

/// Constraint forces written by hand (Gᵀλ against ∂g/∂q N, Aᵀν against ∂(A v + b)/∂v) and tangents of the residual.
[[nodiscard]] Result<DerivativeReport> check_derivatives(const MechanicalSystem& system, const MechanicalState& state,
                                                         const DerivativeOptions& options = {});

/// A sentence, and one line per wrong entry.
[[nodiscard]] std::string describe(const DerivativeReport& report);

}  // namespace rubato
