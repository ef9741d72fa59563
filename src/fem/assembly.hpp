#pragma once
/// The loop over all elements: gathers what kernels read, adds what they return.
#include <memory>
#include <span>
#include <vector>

#include "element_set.hpp"
#include "rubato/base/scratch.hpp"
#include "rubato/base/status.hpp"
#include "rubato/base/views.hpp"
#include "rubato/base/workers.hpp"

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
  In z = {};                                    ///< memory; empty: none
  Out memory_rate = {};                         ///< e
  Out memory_force = {}, memory_gradient = {};  ///< values of r_z and e_q
};

/// Elements are taken in blocks of neighbours. Blocks of one colour share no node, so threads may add their contributions at once;
/// the order in which a node receives its sums is that of the colours, whatever the number of threads.
class Assembly {
 public:
  std::vector<ElementSet> sets = {};
  int n_nodes = 0, dimension = 3;

  /// Blocks and colours, once the sets are complete. threads < 1: those of the machine.
  void make_blocks(int threads);
  [[nodiscard]] std::size_t scratch_bytes() const noexcept;
  /// Every result is overwritten. `inverted`: an element turned inside out, which makes the result out_of_domain.
  [[nodiscard]] EvalStatus run(const AssemblyTask& task, Scratch scratch, int* inverted = nullptr) const noexcept;

 private:
  struct Workspace;
  struct Block {
    int set = 0, first = 0, last = 0;  ///< packs
  };
  struct Outcome {  ///< of a block
    double energy = 0;
    int inverted = -1;
  };
  static Workspace workspace(const ElementSet& set, double* memory) noexcept;
  [[nodiscard]] static Outcome run(const AssemblyTask& task, const ElementSet& set, const Block& block,
                                   double* memory) noexcept;

  std::vector<Block> blocks_ = {};        // colour by colour
  std::vector<int> colour_starts_ = {0};  // in blocks_
  std::unique_ptr<Workers> workers_ = {};
  std::size_t workspace_ = 0;  // doubles per thread
};

}  // namespace rubato::fem::detail
