#pragma once
/// Rooted trees, elementary weights and B-series of Runge-Kutta methods, for the order theory of tables.
///
/// A tree u = [u_1, …, u_m] has ρ(u) = 1 + Σ ρ(u_i) nodes, the density γ(u) = ρ(u) Π γ(u_i) and
/// α(u) = (ρ−1)! / Π ρ(u_i)! · Π α(u_i) / Π μ_k! monotone labellings, μ_k the multiplicities among the u_i.
/// With φ(u) = Π_k A φ(u_k) (componentwise product) a step is the B-series
///   x₁ = x₀ + Σ_u h^ρ/ρ! α(u) a(u) F(u)(x₀),   a(u) = γ(u) Σ_i b_i φ_i(u);   order p ⇔ a(u) = 1 for ρ(u) ≤ p        (1)
/// It is the exact flow of the modified equation x̃' = Σ_u h^{ρ−1}/ρ! α(u) b(u) F(u), where
///   a(u)/γ(u) = Σ_S 1/γ(u/S) Π_i b(s_i)/γ(s_i)                                                                    (2)
/// over all sets S of edges of u: cutting them leaves the subtrees s_i, contracting each s_i to a node leaves u/S. (This
/// is the sum over partitions with α(u, S) labellings of Hairer, Lubich, Wanner, Geometric Numerical Integration, IX.9,
/// written as a substitution: Chartier, Hairer, Vilmart, Found. Comput. Math. 10 (2010) 407, doi:10.1007/s10208-010-9065-1.)
/// Symplectic: a(v∘w)/γ(v∘w) + a(w∘v)/γ(w∘v) = a(v)a(w)/(γ(v)γ(w)), v∘w: the root of w becomes a child of the root of v. (3)
#include <span>
#include <string>
#include <vector>

#include "rubato/base/views.hpp"

namespace rubato {

class RootedTrees {
 public:
  struct Tree {
    int order;                  ///< ρ
    long density;               ///< γ
    long labellings;            ///< α
    std::vector<int> children;  ///< numbers of the subtrees at the root, increasing
  };
  static constexpr int max_order = 10;  ///< 1205 trees

  /// All trees of at most `highest` nodes, by order; within an order by the number of branches at the root, then by
  /// falling density. Order 5: (α, γ) = (1,120) (1,60) (3,40) (1,20) (4,30) (3,20) (4,15) (6,10) (1,5) are u₁ … u₉.
  explicit RootedTrees(int highest);

  [[nodiscard]] int size() const noexcept { return static_cast<int>(trees_.size()); }
  [[nodiscard]] int highest_order() const noexcept { return static_cast<int>(begin_.size()) - 2; }
  [[nodiscard]] const Tree& operator[](int u) const { return trees_[static_cast<std::size_t>(u)]; }
  /// The trees of order n are begin(n) … end(n) − 1.
  [[nodiscard]] int begin(int n) const { return begin_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] int end(int n) const { return begin_[static_cast<std::size_t>(n) + 1]; }
  /// The tree with these subtrees at its root, −1 where it has too many nodes.
  [[nodiscard]] int find(std::vector<int> children) const;
  /// v∘w, −1 where it has too many nodes.
  [[nodiscard]] int product(int v, int w) const;
  /// "[τ,[τ]]"
  [[nodiscard]] std::string text(int u) const;

  /// One way to cut a tree into subtrees: their numbers, and the tree u/S of their connections.
  struct Partition {
    int skeleton;
    std::vector<int> parts;
  };
  /// All 2^{ρ−1} of them, the uncut tree first.
  [[nodiscard]] std::vector<Partition> partitions(int u) const;

 private:
  std::vector<Tree> trees_;
  std::vector<int> begin_;  ///< begin_[n]: first tree of order n; one more at the end
};

/// Of order RootedTrees::max_order, made at the first call.
[[nodiscard]] const RootedTrees& rooted_trees();

/// Σ_i b_i φ_i(u) for all trees of at most `order` nodes, in the numbering of rooted_trees().
[[nodiscard]] Vector elementary_weights(const Matrix& A, const Vector& b, int order);
/// a(u) of (1).
[[nodiscard]] Vector b_series(const Matrix& A, const Vector& b, int order);
/// b(u) of (2) from a(u), same length.
[[nodiscard]] Vector backward_coefficients(const Vector& a);

/// Conditions on a(u) count as fulfilled below this. Tables in double precision leave up to about 1e-10 (tall trees of
/// order 10, γ = 10!); what does not hold fails by 1e-4 or more.
inline constexpr double tree_tolerance = 1e-8;

/// The largest |a(u) − 1| over the trees with exactly n nodes.
[[nodiscard]] double order_defect(const Vector& a, int n);
/// The largest p ≤ `highest` for which all conditions of order 1 … p hold.
[[nodiscard]] int order_by_trees(const Matrix& A, const Vector& b, int highest = RootedTrees::max_order);

/// The largest defect of (3), times γ(v∘w), over all pairs with ρ(v∘w) = n.
[[nodiscard]] double symplectic_defect(const Vector& a, int n);
/// The largest |b(v∘w)/γ(v∘w) + b(w∘v)/γ(w∘v)| γ(v∘w) with ρ(v∘w) = n: zero if the modified equation is Hamiltonian so far.
[[nodiscard]] double hamiltonian_defect(const Vector& b, int n);

/// One term of the modified Hamiltonian H̃ = Σ coefficient h^{ρ−1} H(u), H(u) = H^{(m)}(F(u_1), …, F(u_m)) for u = [u_1, …, u_m]:
///   coefficient = b(u)/γ(u) / s(u),   s = ρ(u) / Σ_w 1/σ(w) over all w that are u with another root, σ = ρ!/(αγ)     (4)
/// s counts the symmetries of the tree without root: ∇H(u) has a term ±F(w) for every node. H(v∘w) = −H(w∘v), so one choice
/// of the root stands for all, and v∘v has no H. Valid as far as hamiltonian_defect() vanishes; Hairer, Lubich, Wanner,
/// Geometric Numerical Integration, IX.9.
struct HamiltonianTerm {
  int tree;
  double coefficient;
};
[[nodiscard]] std::vector<HamiltonianTerm> modified_hamiltonian(const Vector& b, int order);

}  // namespace rubato
