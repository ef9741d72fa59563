#pragma once
/// What real-time steps need to know of a model beforehand, and which models they cannot take.
#include <cstdint>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/problem/dae.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato::realtime {

/// A point of an off-line run.
struct Sample {
  double t = 0;
  Vector x, u;
  Vector base = {};  ///< of the charts, and which dependent constraint rows are left out
};

/// Where a model is evaluated for a sample. A model that reads its mode off the state (contacts, end stops) is in that of the sample.
[[nodiscard]] At point_of(const Dae& dae, const Sample& sample, Scratch scratch);

/// The start of a problem, with its inputs there.
[[nodiscard]] Sample start_of(const InitialValueProblem& problem);

/// L x' = f(t, x, u), L constant.
struct ModelStructure {
  SparsePattern jacobian;           ///< of Df
  SparsePattern mass;               ///< of L
  std::vector<double> mass_values;  ///< of L, in the order of its pattern
  std::vector<char> algebraic;      ///< per equation
  std::vector<int> left_out = {};  ///< dependent constraint rows whose multipliers are held at zero; they stay the same
  int n_inputs = 0;
  /// A number for all of the above: plans are made for it.
  [[nodiscard]] std::uint64_t hash() const noexcept;
};

/// Refuses, with the reason: an index above 1, an L that is not constant, events that do more than choose the branch of a force, a model
/// that is no template over its scalar.
[[nodiscard]] Result<ModelStructure> model_structure(const Dae& dae, const Sample& start);

/// Df on its pattern at every sample. Refuses samples where the model cannot be evaluated or depends on more than the structure says.
[[nodiscard]] Result<std::vector<std::vector<double>>> sampled_jacobians(const Dae& dae,
                                                                         const ModelStructure& structure,
                                                                         const std::vector<Sample>& samples);

/// Entries that are the same, to the last bit, in all of these: 1, else 0. Evaluated once, before the first step.
[[nodiscard]] std::vector<unsigned char> constant_entries(const std::vector<std::vector<double>>& jacobians);

/// Samples beside the given ones: unknowns, inputs and time a little moved, so that what is equal along a run by chance differs.
[[nodiscard]] std::vector<Sample> with_neighbours(const std::vector<Sample>& samples);

}  // namespace rubato::realtime
