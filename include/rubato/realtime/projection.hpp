#pragma once
/// Positions and velocities of a mechanism put back onto its constraints, a fixed number of times after every step:
///   [M Gᵀ Aᵀ; G 0 0; A 0 0] (Δ, ·, ·) = (0, −g(t, q), 0),                 q ← q + N(q) Δ                                   (1)
///   [M Gᵀ Aᵀ; G 0 0; A 0 0] (Δ, ·, ·) = (0, −(G v + g_t), −(A v + b)),    v ← v + Δ                                        (2)
/// at the new time: corrections are as small as possible in the norm of the mass. In the form index-1 the matrix is, but for signs, the
/// block of Df that belongs to (a, λ, ν). It is that of the start of the step, so that one correction leaves O(τ) of what it finds.
#include <memory>
#include <vector>

#include "rubato/problem/formulation.hpp"
#include "rubato/realtime/model_structure.hpp"
#include "rubato/realtime/realtime_status.hpp"
#include "rubato/realtime/static_solver.hpp"

namespace rubato::realtime {

class ConstraintProjection {
 public:
  static constexpr int most = 10;

  /// `count` corrections of positions, then as many of velocities. Refuses models that are no mechanisms in the form index-1.
  [[nodiscard]] static Result<std::unique_ptr<ConstraintProjection>> create(const Dae& dae,
                                                                            const ModelStructure& structure, int count);

  /// Of the entries of Df, those that (1) and (2) use: 1, else 0.
  [[nodiscard]] const std::vector<unsigned char>& needed() const noexcept { return needed_; }
  /// Of all corrections of a step.
  [[nodiscard]] OperationCount operations() const noexcept;

  /// Corrects q and v in x. Unless ok (refused or singular) x is of no use. Never allocates.
  [[nodiscard]] RealtimeStatus project(const At& at, In jacobian_values, Out x) noexcept;

 private:
  ConstraintProjection(const FormulatedDae& dae, const ModelStructure& structure, int count);
  [[nodiscard]] MechanicalPoint<double> point(const At& at, In x) const noexcept;
  [[nodiscard]] bool correction() noexcept;

  const MechanicalSystem& system_;
  MechanicalSizes sizes_;
  int count_;
  int q_ = 0, v_ = 0, z_ = 0, lambda_ = 0, nu_ = 0;  ///< where blocks of x begin
  std::vector<int> place_;                           ///< of the entries of the block, in the values of Df
  std::vector<unsigned char> needed_;
  std::unique_ptr<StaticSolver> solver_;
  std::vector<double> values_, right_, solution_, rows_, rate_;
};

}  // namespace rubato::realtime
