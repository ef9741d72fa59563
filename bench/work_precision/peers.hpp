#pragma once
/// SUNDIALS as a peer: CVODE (BDF) for B = I, IDA for everything else, dense (IDA also with KLU) with the exact Jacobian.
/// They see the same f, B and J as our methods do, through Dae and Linearisation.
#include <cstdint>
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
  double algebraic_factor = 1;  ///< IDA: atol of algebraic unknowns as a multiple of atol
};

/// What IDA factorises with.
enum class Algebra : std::uint8_t { dense, klu };

/// B = I: an ordinary differential equation as CVODE knows it.
[[nodiscard]] bool is_plain_ode(const InitialValueProblem& problem);
[[nodiscard]] Run run_cvode(const InitialValueProblem& problem, const Accuracy& accuracy);
/// Algebraic unknowns stay out of IDA's error test where the index is 2 or more, as its manual asks. Its own choice of the
/// first step (initial_step = 0) is so small at tight tolerances that rounding spoils the multipliers, and it gives up: a larger
/// first step and a larger `algebraic_factor`, felt by its Newton iteration only, help.
[[nodiscard]] Run run_ida(const InitialValueProblem& problem, const Accuracy& accuracy,
                          Algebra algebra = Algebra::dense);

[[nodiscard]] std::string sundials_version();

}  // namespace rubato::bench
