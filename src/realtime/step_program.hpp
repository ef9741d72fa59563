#pragma once
/// A real-time step as programs without loops and branches, recorded from the model.
#include <string>
#include <vector>

#include "rubato/base/symbol_graph.hpp"
#include "rubato/realtime/plan.hpp"

namespace rubato::realtime {

/// Variables are x_0 … x_{n−1}, then the inputs, then t.
struct StraightLine {
  struct Result {
    int node;
    std::string target;  ///< "f[3]"
  };
  struct Condition {
    int node;
    double above;  ///< what the node must be larger than
  };
  SymbolGraph graph;
  std::vector<Result> results;
  std::vector<Condition> conditions;
};

struct StepProgram {
  StraightLine step;      ///< f = τ f, a: entries of L − τ J that change; delta, where the solution is part of it
  StraightLine residual;  ///< g: the algebraic equations
  StraightLine outputs;   ///< y; empty where the state is the output
  std::vector<double> constant;  ///< a, with L alone in the places that change
  bool solves = false;
  SymbolCount equations, derivatives, solution;  ///< what each adds to the ones before
};

/// The solution is recorded where it is not dearer than this in OperationCount::weight() and then in operations.
/// Refuses a model that is no template over its scalar, that branches on values, or whose recorded equations are not the model's.
[[nodiscard]] Result<StepProgram> record_step(const Dae& dae, const Plan& plan, const Sample& start,
                                              double largest_solution);

}  // namespace rubato::realtime
