#pragma once
/// The loop over all elements: gathers what kernels read, adds what they return.
#include <span>
#include <vector>

#include "element_set.hpp"
#include "rubato/base/scratch.hpp"
#include "rubato/base/status.hpp"
#include "rubato/base/views.hpp"

namespace rubato::fem::detail {

/// What to assemble at which state. Vectors over nodes have `dimension` numbers per node, prescribed ones included.
struct AssemblyTask {
  In u = {};                                    ///< displacements of all nodes
  In rate = {}, rate2 = {};                     ///< u', u'': asks for g' or g'' instead of g
  In lambda = {};                               ///< pressures; empty: none
  bool law = true;                              ///< the part of the materials in force and stiffness
  bool pressure = true;                         ///< the part of the pressures
  Out force = {};                               ///< ∫ P : ∇φ of all nodes
  Out stiffness = {};                           ///< values of K
  Out reaction = {}, constraint_gradient = {};  ///< values of Bᵀ and B
  Out constraint = {};                          ///< g, g' or g''
  Out compliance = {};                          ///< values of g_λ = −∫ ψ ψ h'
  double* energy = nullptr;                     ///< strain energy
};

class Assembly {
 public:
  std::vector<ElementSet> sets = {};
  int n_nodes = 0, dimension = 3;

  [[nodiscard]] std::size_t scratch_bytes() const noexcept;
  /// Every result is overwritten. `inverted`: the first element turned inside out, which makes the result out_of_domain.
  [[nodiscard]] EvalStatus run(const AssemblyTask& task, Scratch scratch, int* inverted = nullptr) const noexcept;

 private:
  struct Workspace;
  [[nodiscard]] Workspace workspace(const ElementSet& set, Scratch& scratch) const noexcept;
};

}  // namespace rubato::fem::detail
