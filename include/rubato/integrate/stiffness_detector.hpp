#pragma once
/// Which coordinates are stiff. Their velocities (and accelerations) are tested with one more power of h: their vibrations
/// are damped, not followed.
///
/// Measure `frequencies`. ω_k = √(|K_kk|/M_kk) from the linearisation. For every m, with the m fastest coordinates taken for
/// stiff, the error norm would be e_m and the step h_m = h · 0.9 e_m^(−1/p). The m with the largest step for which they would
/// be stiff at that step, −log₁₀(1 + (γ₀ ω_m h_m)²) < ϑ, is right: the set justifies the step and the step the set         (1)
/// (the smallest such m, give or take 5 % of the step: what gains nothing is not scaled).
/// A coordinate ceases to be stiff when γ₀ ω h has fallen below half of that bound. Looked at in every attempt; needs neither
/// a large first step nor a smooth start.
///
/// Measure `estimates`, of the source. Δμ: difference to the embedded formula; Δν = (I − hγ₀J)⁻¹ Δμ. For a position that
/// follows a spring of frequency ω = 1/ε
///   ζ = log₁₀(|Δν|/|Δμ|) ≈ 2 log₁₀(ε/(γ₀h))   where ωh ≫ 1,    ζ ≈ 0 otherwise                                       (2)
/// and a coordinate is stiff when ζ < ϑ in more than a third of the first n_ζ attempts. The first steps must be large: the
/// source takes h = 0.1.
/// Grouping: the averages of ζ are sorted; a gap above Δϑ whose middle lies below ϑ_g separates stiff from other coordinates.
/// Continuous: an average over about n_ζ attempts; stiff below ϑ, no longer stiff above ϑ/2.
///
/// Coordinates that constraints determine look infinitely stiff to (2), and are not free to vibrate: no candidates. Neither
/// measure is invariant under changes of coordinates: meant for springs in their own coordinates, or for modal ones.
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

  /// One coordinate: where it, its derivatives and its momentum stand among the unknowns (−1: not an unknown).
  struct Coordinate {
    int position = -1, velocity = -1, momentum = -1, acceleration = -1;
    /// ω, rad/s: of (1); of (2), the geometric mean over attempts that say stiff; or as given. 0: not known
    double frequency = 0;
    bool declared = false, frequency_given = false;  ///< the user says that it is stiff, and its ω
    bool candidate = true;
    bool stiff = false;
    long hits = 0, seen = 0;
    double zeta = 0;     ///< of the last observation
    double average = 0;  ///< of ζ: over all observations, or over about the last n_ζ (continuous)
  };
  /// The coordinates of a layout: the k-th position has the k-th velocity, momentum and acceleration.
  [[nodiscard]] static std::vector<Coordinate> coordinates_of(const Layout& layout);

  /// At starts: takes out the coordinates that the constraints determine, for each constraint row the one with the largest
  /// |G_ij|/√s_j among those not taken yet, s_j = c² m_j + k_j from the diagonals, c = 1/h; unless candidates were named.
  void choose_candidates(const SparsePattern& jacobian, In j_values, const SparsePattern& mass, In b_values, double c);
  /// After every linearisation: frequencies; never allocates.
  void linearised(const SparsePattern& jacobian, In j_values, const SparsePattern& mass, In b_values);

  /// What an attempt whose iteration converged tells.
  struct Observation {
    In mu, nu;
    In shares;  ///< r_i of the error norm, with the present powers of h
    double h = 0, gamma0 = 0;
    double scale = 1;  ///< min(1, h/T_ref): what one more power of h does
    int error_order = 1;
    bool accepted = false;
  };
  /// True: the set of stiff coordinates has changed.
  bool observe(const Observation& attempt) noexcept;
  /// The same for steps of fixed size h, which no error chooses: (1) with that h alone. Measure `frequencies`.
  bool observe_fixed_step(double h, double gamma0) noexcept;

  [[nodiscard]] std::span<const Coordinate> coordinates() const noexcept { return coordinates_; }
  /// Nothing more is to be waited for: looked at long enough, or told by the user.
  [[nodiscard]] bool known() const noexcept {
    return !options_.detect || (by_frequencies() ? attempts_ > 0 : decided());
  }
  [[nodiscard]] bool looking() const noexcept {
    return options_.detect && (by_frequencies() || !decided() || options_.continuous);
  }
  /// ω ≈ 10^(−ζ/2)/(γ₀h) of (2).
  [[nodiscard]] static double frequency(double zeta, double gamma0, double h) noexcept;

  void save(ArchiveWriter& out) const;
  void load(ArchiveReader& in);

 private:
  [[nodiscard]] bool by_frequencies() const noexcept { return options_.measure == StiffnessMeasure::frequencies; }
  /// The first n_ζ attempts are over.
  [[nodiscard]] bool decided() const noexcept { return attempts_ >= options_.attempts; }
  struct Diagonal {
    double mass, stiffness;
  };
  [[nodiscard]] Diagonal diagonal(std::size_t k, const SparsePattern& jacobian, In j_values, const SparsePattern& mass,
                                  In b_values) const noexcept;
  [[nodiscard]] double bound() const noexcept;  ///< on γ₀ωh
  [[nodiscard]] bool observe_frequencies(const Observation& attempt) noexcept;
  [[nodiscard]] bool observe_estimates(const Observation& attempt) noexcept;
  void decide() noexcept;
  void decide_by_gaps() noexcept;
  bool follow() noexcept;

  StiffnessOptions options_;
  std::vector<ScaledUnknown> unknowns_;
  std::vector<ScaledEquation> equations_;
  std::vector<Coordinate> coordinates_;
  std::vector<int> dynamic_rows_;
  std::vector<int> sorted_;
  bool named_ = false;
  long attempts_ = 0;
};

}  // namespace rubato
