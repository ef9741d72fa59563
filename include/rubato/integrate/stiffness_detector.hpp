#pragma once
/// Which coordinates are stiff, from two error estimates that a step has anyway.
///
/// Δμ: difference to the embedded formula; Δν = (I − hγ₀J)⁻¹ Δμ. For a position that follows a spring of frequency ω = 1/ε
///   ζ = log₁₀(|Δν|/|Δμ|) ≈ 2 log₁₀(ε/(γ₀h))   where ωh ≫ 1,    ζ ≈ 0 otherwise                                       (1)
/// A coordinate is stiff when ζ < ϑ in more than a third of the first n_ζ attempts. Its velocity (and acceleration) is then
/// tested with one more power of h: its vibration is damped, not followed.
/// Grouping: the averages of ζ are sorted; a gap above Δϑ whose middle lies below ϑ_g separates stiff from other coordinates.
/// Continuous: an average over about n_ζ attempts; stiff below ϑ, no longer stiff above ϑ/2.
/// Coordinates that constraints determine look infinitely stiff, the filter removes them: they are no candidates. Not
/// invariant under changes of coordinates: meant for springs in their own coordinates, or for modal ones.
/// Schaub & Simeon, Automatic h-scaling for the efficient time integration of stiff mechanical systems, Multibody Syst. Dyn.
/// 8 (2002) 329.
#include <span>
#include <vector>

#include "rubato/base/archive.hpp"
#include "rubato/base/views.hpp"
#include "rubato/integrate/options.hpp"
#include "rubato/linalg/pattern.hpp"
#include "rubato/problem/layout.hpp"

namespace rubato {

class StiffnessDetector {
 public:
  StiffnessDetector(const StiffnessOptions& options, const Layout& layout);

  /// One coordinate: where it and its derivatives stand among the unknowns (−1: not an unknown).
  struct Coordinate {
    int position = -1, velocity = -1, acceleration = -1;
    bool candidate = true;
    bool stiff = false;
    long hits = 0, seen = 0;
    double zeta = 0;     ///< of the last observation
    double average = 0;  ///< of ζ: over all observations, or over about the last n_ζ (continuous)
  };

  /// Takes out the coordinates that the constraints determine: for each constraint row the one with the largest
  /// |G_ij|/√s_j among those not taken yet, s_j = |c² m_j + k_j| from the diagonals of J and B. Unless candidates were named.
  void exclude_determined(const SparsePattern& jacobian, In j_values, const SparsePattern& mass, In b_values, double c);

  /// An attempt whose iteration converged. True: the set of stiff coordinates has changed.
  bool observe(In mu, In nu, bool accepted) noexcept;

  [[nodiscard]] std::span<const Coordinate> coordinates() const noexcept { return coordinates_; }
  /// The first n_ζ attempts are over.
  [[nodiscard]] bool decided() const noexcept { return attempts_ >= options_.attempts; }
  [[nodiscard]] bool looking() const noexcept { return options_.detect && (!decided() || options_.continuous); }
  /// ω ≈ 10^(−ζ/2)/(γ₀h) of (1).
  [[nodiscard]] static double frequency(double zeta, double gamma0, double h) noexcept;

  void save(ArchiveWriter& out) const;
  void load(ArchiveReader& in);

 private:
  void decide() noexcept;
  void decide_by_gaps() noexcept;
  bool follow() noexcept;

  StiffnessOptions options_;
  std::vector<ScaledUnknown> unknowns_;
  std::vector<ScaledEquation> equations_;
  std::vector<Coordinate> coordinates_;
  std::vector<int> sorted_;
  bool named_ = false;
  long attempts_ = 0;
};

}  // namespace rubato
