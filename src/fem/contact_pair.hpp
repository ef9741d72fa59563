#pragma once
/// Contact between two surfaces, or of one with itself.
///
/// A point x of the slave surface with undeformed area W that meets y on a master face at the gap g (contact_search.hpp, weight w) feels
///   T = −W w(ξ) p(−g) (n + μ ψ(v_x − v_y)),   and the master face −T at y                                                     (1)
/// handed to nodes by the shape functions of both faces. Forces cancel exactly; x − y is parallel to n, so that moments of the pressure
/// cancel as well, those of friction up to μ p g.
///
/// Penetration is felt up to the height of the lower of the two elements behind and, of a body with itself, to half the way through it
/// where its opposite side belongs to the master surface, too. A state with more than a quarter of that height, or half of that way, is
/// refused (out_of_domain), so that a step that would go through is tried again smaller.
///
/// Bodies that do not touch yet feel nothing of each other, and a step may jump over all depths that are felt. signed_gaps() sees that:
/// for each body of the slave surface the smallest distance to faces of others, ahead of its faces or, negative, behind them, however far.
/// Steps end where it passes zero; the next one begins with the surfaces touching. Not watched are faces that have faces of other bodies
/// behind them when undeformed, and those that have turned by more than 60°.
#include <optional>

#include "contact_parts.hpp"
#include "contact_search.hpp"
#include "contact_tree.hpp"

namespace rubato::fem::detail {

class ContactPair {
 public:
  [[nodiscard]] static Result<ContactPair> make(const SolidModel& model, const Contact& contact);

  /// Nodes of each face with each other, those of slave and master faces within reach of each other: (a, b) and (b, a).
  void couple(std::vector<std::vector<int>>& beside) const;
  [[nodiscard]] bool has_friction() const noexcept { return law_.friction > 0; }
  [[nodiscard]] std::size_t scratch_bytes() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// force −= T: f is what the body's inside resists with.
  [[nodiscard]] EvalStatus subtract_force(const ContactState& state, Scratch scratch, Out force) const noexcept;
  /// K −= ∂T/∂q, D −= ∂T/∂v; D may be empty.
  [[nodiscard]] EvalStatus subtract_tangents(const ContactState& state, const NodePlaces& places, Scratch scratch,
                                             Out k, Out d) const noexcept;
  [[nodiscard]] EvalStatus energy(const ContactState& state, Scratch scratch, double& sum) const noexcept;
  [[nodiscard]] EvalStatus summarise(const ContactState& state, Scratch scratch, ContactSummary& out) const noexcept;

  /// How many bodies are watched, and their gaps.
  [[nodiscard]] int n_watched() const noexcept { return n_watched_; }
  void signed_gaps(const ContactState& state, Scratch scratch, Out gaps) const noexcept;

 private:
  struct Watched {
    int face = 0, body = 0;  ///< of the slave surface; place in signed_gaps
    std::array<double, 3> normal = {};
  };
  template <int d>
  struct Touch;
  template <int d, class Visit>
  [[nodiscard]] EvalStatus for_touching(const ContactState& state, Scratch scratch, Visit&& visit) const noexcept;
  template <int d>
  void add_force(const Touch<d>& touch, Out force) const noexcept;
  template <int d>
  void add_tangents(const ContactState& state, const Touch<d>& touch, const NodePlaces& places, Out k,
                    Out damping) const noexcept;
  template <int d>
  [[nodiscard]] double smallest_gap(const ContactState& state) const noexcept;
  [[nodiscard]] bool shares_node(const ContactFace& a, const ContactFace& b) const noexcept;
  [[nodiscard]] Result<void> find_candidates(const Mesh& mesh, double reach);
  template <int d>
  void limit_depths(In undeformed);
  template <int d>
  void watch(In undeformed);
  template <int d>
  [[nodiscard]] Result<void> check_overlap(const Mesh& mesh) const;
  /// Refused beyond, on slave face s against master face m.
  [[nodiscard]] double allowed_depth(std::size_t s, int m) const noexcept {
    return std::min(0.25 * std::min(slave_.faces[s].height, master().faces[at(m)].height), 0.5 * depth_limits_[s]);
  }

  std::string name_ = {};
  int dimension_ = 3;
  bool self_ = false;
  ContactLaw law_ = {};
  ContactSurface slave_ = {};
  std::optional<ContactSurface> other_ = {};  ///< empty: the surface touches itself
  FaceTree tree_ = {};                        ///< of the master surface
  std::vector<FaceBox> boxes_ = {};           ///< of the tree, undeformed
  double deepest_ = 0, reach_ = 0, farthest_ = 0;
  int n_watched_ = 0;
  std::vector<Watched> watched_ = {};
  std::vector<double> depth_limits_ = {};  ///< of each slave face
  std::vector<int> candidate_starts_ = {0},
                   candidates_ = {};  ///< of each slave face: master faces within reach, ascending

  [[nodiscard]] const ContactSurface& master() const noexcept { return other_ ? *other_ : slave_; }
};

}  // namespace rubato::fem::detail
