#pragma once
/// Which entries of a Jacobian the linearly implicit Euler method needs: off line, from samples along a run.
///
/// Every eigenvalue λ_i of the method with the whole Jacobian may move by r_i = max(ρ (1 − |λ_i|), ρ_m) when entries are left out, at every sample
/// (the largest |λ_i − λ̃_i| / r_i of the best pairing is at most one), and none may grow beyond 1 + growth.
/// Schiela, Sparsing in Real Time Simulation, TU München (2002), chapters 4 and 5; the search is ours.
#include <functional>
#include <optional>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/realtime/step_pencil.hpp"

namespace rubato::realtime {

struct SparsingProgress {
  long evaluations, budget;  ///< used, allowed
  int nnz;                   ///< of L − τJ with the best structure so far
};

struct SparsingOptions {
  double rho = 0.1;
  std::optional<double> rho_m = {};  ///< none: ρ/100
  double growth = 1e-4;              ///< |λ̃| ≤ 1 + growth: over a thousand steps a factor of 1.1
  double cluster_tolerance = 1e-5;   ///< eigenvalues closer than this share a block
  bool keep_algebraic = false;       ///< J₂₂ stays whole: extrapolation needs it
  bool columns = false;              ///< whole columns stay or go: each unknown is implicit or explicit (mixed mode)
  Keep minimum = {};                 ///< entries that must stay; empty: none
  Keep start = {};     ///< a structure accepted for a smaller ρ: the result has no more entries. Empty: none
  long budget = 4000;  ///< spectra to compute, at most (and at least one for each sample)
  /// Asked last, where all eigenvalues pass, and counted as a spectrum: eigenvalues do not see chains of entries that delay an unknown
  /// step after step (a run does, trial.hpp). None: eigenvalues decide alone.
  std::function<bool(const Keep&)> also = {};
  std::function<void(const SparsingProgress&)> progress = {};
};

struct SampleMargin {
  double ratio;   ///< the largest |λ_i − λ̃_i| / r_i
  double radius;  ///< the largest |λ̃|
};

struct Sparsing {
  Keep keep;
  int nnz = 0, nnz_whole = 0;  ///< of L − τJ, and of L − τDf
  long evaluations = 0;        ///< spectra computed
  bool exhausted = false;      ///< the budget ended the search
  std::vector<SampleMargin> margins = {};
};

/// Refuses, with the reason: sizes that disagree, an index above 1, a step that is unstable even with the whole Jacobian, and a model
/// of which nothing can be left out.
[[nodiscard]] Result<Sparsing> find_sparsing(const SparsePattern& jacobian,
                                             const std::vector<std::vector<double>>& samples, const SparsePattern& mass,
                                             In mass_values, double step, const SparsingOptions& options);

}  // namespace rubato::realtime
