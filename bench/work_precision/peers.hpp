#pragma once
/// SUNDIALS as a peer: CVODE (BDF) for B = I, IDA for everything else, both dense with the exact Jacobian. They see the
/// same f, B and J as our methods do, through Dae and Linearisation.
#include <string>

#include "catalogue/catalogue.hpp"

namespace rubato::bench {

struct Run {
  bool completed = false;
  std::string trouble = {};  ///< why not
  Vector x = {};
  long steps = 0;  ///< attempts, of which
  long rejected = 0;
  long f_calls = 0, jacobians = 0, factorisations = 0;
};

struct Accuracy {
  double rtol = 1e-6, atol = 1e-6, initial_step = 0;
};

/// B = I: an ordinary differential equation as CVODE knows it.
[[nodiscard]] bool is_plain_ode(const InitialValueProblem& problem);
[[nodiscard]] Run run_cvode(const InitialValueProblem& problem, const Accuracy& accuracy);
/// Algebraic unknowns stay out of IDA's error test where the index is 2 or more, as its manual asks; it
/// chooses its first step itself, since derivatives of algebraic unknowns are not known at the start.
[[nodiscard]] Run run_ida(const InitialValueProblem& problem, const Accuracy& accuracy);

[[nodiscard]] std::string sundials_version();

}  // namespace rubato::bench
