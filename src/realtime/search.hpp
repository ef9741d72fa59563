#pragma once
/// The search for few entries that pass the acceptance test. What stays or goes at once is a unit: an entry, or a column.
#include <functional>
#include <optional>
#include <vector>

#include "realtime/acceptance.hpp"
#include "rubato/base/views.hpp"

namespace rubato::realtime {

struct Units {
  std::vector<std::vector<int>> places;  ///< of each unit, in the order of the values of Df
  std::vector<unsigned char> required;   ///< stays
  std::size_t n_places = 0;

  [[nodiscard]] Keep keep(const std::vector<unsigned char>& chosen) const;
};

/// Which units are chosen, one value for each.
using Choice = std::vector<unsigned char>;

/// What leaving out a unit does to each block of eigenvalues at one sample.
struct BlockCriteria {
  Matrix changes;               ///< blocks × units, absolute values
  std::vector<double> allowed;  ///< the smallest r_i of each block
  std::vector<int> block;       ///< of each eigenvalue of the sample's spectrum
};

/// One sample: units whose weighted criteria reach one are kept, Σ_k w_k C_k ≥ 1; weights are found block by block by bisection, for a larger
/// weight keeps more and moves its eigenvalues less. `base` is kept in any case. Empty where nothing smaller than everything was found.
/// The first rounds only look for any structure that passes: where the wrong block is blamed (an outlier is often matched to a zero
/// eigenvalue, and entries of J₁₂ and J₂₁ do not count in the algebraic block) all weights rise.
[[nodiscard]] std::optional<Choice> search_weights(Acceptance& acceptance, const SampleCase& sample, const Units& units,
                                                   const BlockCriteria& criteria, const Choice& base);

/// Removes units from a choice that passes at all samples, the least important first, as long as it still passes: many at once while that goes
/// well, one by one else, pass after pass until a pass removes nothing or the budget ends. Told after every removal.
void remove_greedily(Acceptance& acceptance, const Units& units, const std::vector<double>& importance, Choice& choice,
                     const std::function<void(const Choice&)>& removed);

}  // namespace rubato::realtime
