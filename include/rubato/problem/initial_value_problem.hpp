#pragma once
/// Everything an integrator needs to know of a task: equations, inputs, interval, start.
#include <memory>

#include "rubato/problem/dae.hpp"
#include "rubato/problem/signal.hpp"

namespace rubato {

struct InitialValueProblem {
  std::shared_ptr<const Dae> dae;
  std::shared_ptr<const InputSignal> input = {};  ///< null when the model has no inputs
  double t_start = 0;
  double t_end = 1;
  Vector x = {};  ///< consistent unless the driver is asked to make it so
  Vector w = {};  ///< x' where known (residual tangents at the start); empty: zero
  Vector base = {};
  int mode = 0;
};

}  // namespace rubato
