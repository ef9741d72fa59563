#pragma once
/// Contact of a surface with a rigid obstacle.
///
/// g(x) is the distance from the obstacle, m = ∇g its outward normal. A point x with undeformed area W feels
///   T = W p(−g) (m − μ ψ(v_x − v_obstacle))                                                                              (1)
/// Without friction, T is the gradient of an energy: an obstacle that does not move conserves it.
#include "contact_parts.hpp"
#include "contact_surface.hpp"
#include "rubato/base/scratch.hpp"

namespace rubato::fem::detail {

class ContactObstacle {
 public:
  [[nodiscard]] static Result<ContactObstacle> make(const SolidModel& model, const Obstacle& obstacle);

  [[nodiscard]] bool has_friction() const noexcept { return obstacle_.law.friction > 0; }
  [[nodiscard]] bool moves() const noexcept { return moves_; }
  [[nodiscard]] const std::string& name() const noexcept { return obstacle_.name; }

  /// As in ContactPair.
  void couple(std::vector<std::vector<int>>& beside) const;
  [[nodiscard]] EvalStatus subtract_force(const ContactState& state, Scratch, Out force) const noexcept;
  [[nodiscard]] EvalStatus subtract_tangents(const ContactState& state, const NodePlaces& places, Scratch, Out k,
                                             Out d) const noexcept;
  [[nodiscard]] EvalStatus energy(const ContactState& state, Scratch, double& sum) const noexcept;
  [[nodiscard]] EvalStatus summarise(const ContactState& state, Scratch, ContactSummary& out) const noexcept;

 private:
  template <int d>
  struct Touch;
  template <int d, class Visit>
  [[nodiscard]] EvalStatus for_points(const ContactState& state, bool open, Visit&& visit) const noexcept;
  template <int d>
  void add_tangents(const Touch<d>& touch, const NodePlaces& places, Out k, Out damping) const noexcept;

  int dimension_ = 3;
  bool moves_ = false;
  Obstacle obstacle_ = {};
  ContactSurface slave_ = {};
};

}  // namespace rubato::fem::detail
