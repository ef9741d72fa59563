#pragma once
/// Runs of the parabolic problem with few constraints: how many products all stages of a step need together.
#include "experiments/experiment.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato::experiments::parabolic {

struct Outcome {
  long accepted = 0, solves = 0, products = 0;
  double error = 0;          ///< by the measure of the catalogue
  std::string trouble = {};  ///< why the run did not end
};

/// `reaction-diffusion` with n × n points, rtol = atol = 1e-5, constraints preconditioned; GMRES restarted after so many vectors, 0: never.
[[nodiscard]] Outcome run(const char* method, int n, KrylovProcess process, int restart, KrylovCoupling coupling,
                          const Control& control);

}  // namespace rubato::experiments::parabolic
