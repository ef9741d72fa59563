#pragma once
/// How far the constraint rows of a formulation are from depending on each other, and whether the motion goes there.
///
/// With A = R J D, J = (G; A) the rows kept, D M D of unit diagonal and rows of norm one by R, let u be the left singular vector
/// of the smallest singular value: σ = |s|, s = Aᵀ u. With u held, s moves along the motion at the rate s', and
///   σ' = s·s'/σ                                                                                               (1)
/// In a singular position that the motion passes σ falls to zero, linearly in time.
#include <Eigen/SparseCore>

#include "rubato/linalg/colouring.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato {

class RankWatch {
 public:
  explicit RankWatch(const FormulatedDae& dae);
  /// False: the formulation has fewer than two rigid rows or none that bind at every time, or they are those of finite elements, whose
  /// J costs as much as their stiffness.
  [[nodiscard]] static bool applies(const FormulatedDae& dae) noexcept;

  struct Margin {
    double sigma = 0;
    double rate = 0;     ///< σ' of (1), 1/s
    double pace = 0;     ///< |s'|: how fast all of it changes
    double turn = 0;     ///< how fast rows turn: the root mean square of their rates of change
    bool known = false;  ///< the model could be evaluated
  };
  /// At the state, without the rows marked in `left_out`.
  [[nodiscard]] Margin look(const MechanicalState& state, In inputs, In left_out);
  /// |v| in the metric of D: of the order of the velocities of the rows' bodies; of momenta, M v. Infinite before a first look.
  [[nodiscard]] double speed(In v, bool momenta) const noexcept;
  /// How many of all rows follow from the others at the state, to a tolerance of the rank-revealing factorisation.
  [[nodiscard]] int dependent_rows(const MechanicalState& state, In inputs, double tolerance);
  /// Results then depend on the state alone, not on earlier looks.
  void forget();
  /// Rows with a large share in what came closest to dependence at the last look, by name.
  [[nodiscard]] std::string names() const;

  /// How far rows are from holding: the largest |g| as distances of the coordinates (rows of J scaled to norm one in them).
  struct Residuals {
    double kept = 0, left_out = 0;
    bool known = false;
  };
  [[nodiscard]] Residuals residuals(const MechanicalState& state, In inputs, In left_out);

 private:
  using Sparse = Eigen::SparseMatrix<double>;
  void find_structure(const MechanicalState& state);
  /// Jᵀ into transposed_, on its pattern.
  [[nodiscard]] bool evaluate(const MechanicalState& state, In inputs);
  [[nodiscard]] double turn_of_rows(const MechanicalState& ahead, In inputs, const Vector& inverse) const;
  [[nodiscard]] Vector inverse_iteration(const Sparse& a) const;

  const MechanicalSystem& system_;
  ScratchMemory memory_;
  Vector u_;                        ///< one entry per row, zero at those left out
  Vector scale_, norms_, lengths_;  ///< D; |rows of J D|; |rows of J|
  SparsePattern pattern_;           ///< of Jᵀ
  ColumnGroups groups_;
  Sparse transposed_;
};

}  // namespace rubato
