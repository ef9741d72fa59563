#pragma once
/// All contacts of a model as one part of its forces.
#include <variant>

#include "contact_obstacle.hpp"
#include "contact_pair.hpp"

namespace rubato::fem::detail {

class Contacts {
 public:
  /// Regions and materials of the model have been checked before.
  [[nodiscard]] static Result<Contacts> make(const SolidModel& model);

  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
  [[nodiscard]] bool has_friction() const noexcept;
  /// Forces are gradients of an energy that does not depend on time.
  [[nodiscard]] bool conservative() const noexcept;
  [[nodiscard]] bool moves() const noexcept;
  /// Pairs of nodes that exert forces on each other, added to lists that need not be sorted.
  void couple(std::vector<std::vector<int>>& beside) const;
  [[nodiscard]] std::size_t scratch_bytes() const noexcept;

  [[nodiscard]] EvalStatus subtract_force(const ContactState& state, Scratch scratch, Out force) const noexcept;
  [[nodiscard]] EvalStatus subtract_tangents(const ContactState& state, const NodePlaces& places, Scratch scratch,
                                             Out k, Out d) const noexcept;
  [[nodiscard]] EvalStatus add_energy(const ContactState& state, Scratch scratch, double& sum) const noexcept;

  /// energy.contact; of each contact the force on its slave surface, the smallest gap, the largest pressure, and how many points touch
  /// beyond the reach.
  [[nodiscard]] std::vector<std::string> output_names(int dimension) const;
  [[nodiscard]] EvalStatus outputs(const ContactState& state, int dimension, Scratch scratch, Out y) const noexcept;

  /// Where surfaces of bodies that did not touch pass each other: see ContactPair::signed_gaps.
  [[nodiscard]] std::vector<std::string> root_names() const;
  void root_values(const ContactState& state, Scratch scratch, Out values) const noexcept;

 private:
  std::vector<std::variant<ContactPair, ContactObstacle>> list_ = {};
};

}  // namespace rubato::fem::detail
