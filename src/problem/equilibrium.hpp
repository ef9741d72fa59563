#pragma once
/// The equations of equilibrium F(y) = 0 for y = (δ, λ, z), q = q₀ ⊕ N δ, and their solution.
#include "equilibrium_matrix.hpp"
#include "rubato/problem/equilibrium_solver.hpp"
#include "start.hpp"

namespace rubato::detail {

/// What stays from one equilibrium of a system to the next.
struct EquilibriumWork {
  Sparse jacobian;           ///< of the last linearisation
  EquilibriumMatrix matrix;  ///< analysed; factorised where `serves`
  bool serves = false;       ///< the factor has made corrections that get shorter by themselves
  EquilibriumCounters counters;
};

class Equilibrium {
 public:
  Equilibrium(Start& start, EquilibriumWork& work, const EquilibriumWatch& watch);

  /// By Newton's method; where that fails along load steps, then along pseudo-time.
  [[nodiscard]] Result<void> solve();
  /// y ← y − s A⁻¹F, s halved until the next correction is shorter (natural monotonicity, as in make_consistent). A = J; of large
  /// systems an earlier J as long as its corrections shrink fast.
  [[nodiscard]] bool newton();
  /// The watch wants an end.
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  [[nodiscard]] bool evaluate(Vector& out);
  void move(const Vector& step, double fraction) {
    start_.state.q += start_.kinematics(fraction * step.head(n_.v));
    start_.state.lambda += fraction * step.segment(n_.v, n_.lambda);
    if (e_z_.size() > 0)
      relax();
    else
      start_.state.z += fraction * step.tail(n_.z);
  }
  /// Local z follow at once, e(q, z) = 0 (e is linear in z): linearised they would lag behind large steps of q. What is left is Newton's method for a
  /// model without them.
  void relax() {
    const Vector e = start_.auxiliary();
    if (e_z_.size() > 0 && e.allFinite()) start_.state.z -= e.cwiseQuotient(e_z_);
  }
  void accept() {
    if (start_.system.base_size() > 0) start_.system.rebase(view(start_.state.q), view(start_.state.base));
  }
  [[nodiscard]] Sparse jacobian();
  [[nodiscard]] std::optional<Sparse> model_tangents();
  /// J + M/τ on the rows of forces, rows left out replaced by those of the identity.
  void factor(const Sparse& j, const Sparse* mass, double tau);
  [[nodiscard]] Vector masked(Vector f) const {
    for (int i = 0; i < unknowns_; ++i)
      if (free_[static_cast<std::size_t>(i)] == 0) f[i] = 0;
    return f;
  }
  [[nodiscard]] Vector sizes_of(const Vector& step) const;
  [[nodiscard]] bool load_steps();
  [[nodiscard]] bool pseudo_time();
  /// |F_i| within the tolerance of the terms it is the sum of; `loose` allows unknowns of size one.
  [[nodiscard]] bool balanced(const Vector& f, const Sparse& j, bool loose) const;
  [[nodiscard]] std::string component_name(int i) const;
  /// Says what is being done; false where the search is to end.
  [[nodiscard]] bool go_on(const char* doing, int iteration = 0, double correction = 0);

  Start& start_;
  EquilibriumWork& work_;
  const EquilibriumWatch& watch_;
  const MechanicalSizes n_;
  int unknowns_;
  std::vector<char> free_;
  Vector forces_;
  Vector e_z_;       ///< where the z are local: the diagonal of e_z, once it is known
  Vector first_;     ///< F where load steps begin
  double left_ = 0;  ///< the part of it that is still taken off
  bool stopped_ = false;
};

}  // namespace rubato::detail
