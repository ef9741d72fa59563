#pragma once
/// What a mechanical motion keeps, watched along a run: the invariants its model declares, and its constraints.
///   ΔI(t) = I(x(t)) − I(x₀),   S_I(t) = max_{τ≤t} |I(x(τ)) − I(x(τ); v = 0)|                                   (1)
///   r(t) = max_j |g_j|/‖G_j‖, a distance                                                                        (2)
/// x₀: the start, or the state after the last event that changed it. S_I of an energy is the largest kinetic energy. A method that is unstable
/// with its steps gains energy without end: then ΔI/S_I tends to one and S_I grows, however small the estimated errors are. Methods that
/// conserve a neighbouring energy let E swing, but not grow; methods that damp lose energy, often on purpose. Hence
///   ΔE > S_E/2 + what 100 tolerances of the state at the start are worth, and S_E 100 times as large as where that was first so:
///                                                                                 the run ends                      (3)
///   |ΔI| > S_I/10 + what one tolerance is worth                                    a note at the end                 (4)
///   r > L/2 + 100 tolerances, or 10⁵ of x₀ where L = max |q₀| is less than a hundred of them:   the run ends          (5)
///   r > 100 tolerances                                                             a note at the end                 (6)
/// Looks are taken after 1, 2, 4, 8 and then every 16 accepted steps, and at the end, each with a few evaluations of g and of the invariants.
#include <string>
#include <vector>

#include "rubato/base/archive.hpp"
#include "rubato/base/scratch.hpp"
#include "rubato/integrate/error_norm.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato::detail {

class MotionWatch {
 public:
  [[nodiscard]] static constexpr bool due(long accepted) noexcept {
    return accepted % 16 == 0 || (accepted < 16 && (accepted & (accepted - 1)) == 0);
  }

  /// Watches nothing where `mechanics` is null, nor constraints that are compliant, of finite elements, or left to a penalty.
  explicit MotionWatch(const FormulatedDae* mechanics);

  [[nodiscard]] bool watches() const noexcept { return !invariants_.empty() || rigid_; }
  /// What the motion keeps from here on: at the start, and where an event changed the state.
  void begin(const At& at, const ErrorNorm& norm);
  /// Why the run should end; empty: go on.
  [[nodiscard]] std::string look(const At& at, const ErrorNorm& norm);
  /// (4) and (6), sentences.
  [[nodiscard]] std::vector<std::string> notes() const;

  void save(ArchiveWriter& out) const;
  void load(ArchiveReader& in);

 private:
  struct Invariant {
    double start = 0, scale = 0;    ///< I(x₀), S_I
    double unit = 0;                ///< what one tolerance of the state at the start is worth
    double worst = 0, t_worst = 0;  ///< ΔI of the largest size
    double scale_at_gain = 0;       ///< S_E where (3) held first; 0: nowhere
  };
  struct Distance {
    double largest = 0, tolerance = 0, t = 0;
    long row = -1;
  };

  [[nodiscard]] bool read(const At& at);
  [[nodiscard]] bool evaluate(std::vector<double>& values);
  void find_lengths();

  const FormulatedDae* mechanics_;
  bool rigid_ = false;
  std::vector<std::string> names_;
  std::vector<Invariant> invariants_;
  Distance drift_;
  double size_ = 0;              ///< L
  double tolerance_ = 0;         ///< of q₀
  std::vector<double> lengths_;  ///< ‖G_j‖
  ScratchMemory memory_;
  MechanicalState state_;
  std::vector<double> values_, at_rest_;
  Vector u_, g_, weights_;
};

}  // namespace rubato::detail
