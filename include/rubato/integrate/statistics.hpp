#pragma once
/// The work a run has done. Counters are deterministic; seconds go to stderr and timing.json only.

namespace rubato {

struct Statistics {
  long steps = 0;  ///< attempts
  long accepted = 0;
  long rejected = 0;          ///< by the error estimate
  long failed = 0;            ///< attempts that could not be completed (domain, singular, non-finite)
  long f_calls = 0;           ///< evaluations of f by the method itself
  long f_calls_jacobian = 0;  ///< evaluations spent on differences for J and ∂f/∂t
  long jacobians = 0;
  long factorisations = 0;       ///< all, of which
  long full_factorisations = 0;  ///< with a new pivot search (these may allocate inside the library)
  long solves = 0;
  long newton_iterations = 0;
  long krylov_products = 0;  ///< with the step matrix, where it is not factorised
  long events = 0;
  long root_calls = 0;
  long library_allocations = 0;
  long pattern_extensions = 0;  ///< branches of the model that opened during the run and enlarged the sparsity pattern
  long jacobian_checks = 0;     ///< steps in which the error of a J by differences was measured, of which
  long jacobian_errors_seen = 0;  ///< with effects of a tenth of the tolerance or more
  struct Seconds {
    double total = 0, f = 0, jacobian = 0, factor = 0, solve = 0;
  } seconds;
};

}  // namespace rubato
