#pragma once
/// A solid taken apart: what `build` finds out once and the equations use in every evaluation.
#include "assembly.hpp"
#include "contacts.hpp"
#include "rubato/linalg/pattern.hpp"

namespace rubato::fem::detail {

/// A displacement that follows a function of time.
struct Driven {
  int place = 0;     ///< node · dimension + axis
  int function = 0;  ///< in SolidParts::functions
};

/// Σ_k s_k(t) F_k: a load pattern over all nodes and its function of time.
struct LoadCase {
  std::vector<double> force = {};
  Function factor = {};
};

struct SolidParts {
  SolidModel model = {};
  Assembly assembly = {};
  std::vector<int> coordinate = {};   ///< [node · dimension + axis]: place in q; −1 prescribed, −2 unused
  std::vector<int> free_places = {};  ///< of each q: node · dimension + axis
  std::vector<Function> functions = {};
  std::vector<Driven> driven = {};
  std::vector<LoadCase> loads = {};
  Contacts contacts = {};
  int n_lambda = 0, n_z = 0;
  bool compliant = false;

  SparsePattern node_pattern = {};        ///< which nodes share an element
  std::vector<double> mass = {};          ///< consistent or lumped, node by node, on node_pattern
  ResidualTangentPatterns patterns = {};  ///< of the blocks over q and λ
  std::vector<double> damping = {};       ///< Rayleigh's D on patterns.K; empty: none
  // β K(undeformed) over all nodes, node · dimension + axis, for forces that prescribed velocities cause; empty: none
  SparsePattern stiffness_damping_pattern = {};
  std::vector<double> stiffness_damping = {};

  struct Supported {
    std::string group;
    std::vector<int> places;  ///< node · dimension + axis: those whose last word this group has
  };
  std::vector<Supported> supports = {};  ///< prescribed groups: their reactions are outputs
};

/// A constant 0: nothing given.
[[nodiscard]] bool is_zero(const Function& f);
/// Of a region that has been checked.
[[nodiscard]] const Material& material_of(const SolidModel& model, const Region& region);

[[nodiscard]] Result<SolidParts> make_parts(SolidModel model);
[[nodiscard]] std::shared_ptr<const SolidSystem> make_system(SolidParts parts);

}  // namespace rubato::fem::detail
