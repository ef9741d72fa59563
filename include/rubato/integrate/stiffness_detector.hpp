#pragma once
/// Which coordinates are stiff. Their velocities (and accelerations) are tested with one more power of h: their vibrations
/// are damped, not followed.
///
/// Measure `frequencies`. ω_k = √(|K_kk|/M_kk) from the linearisation. A displacement of coordinate k alone is left by the filter
/// (I − hγ₀J)⁻¹ with the part
///   ρ_k(h) = σ_k + (1 − σ_k)/(1 + (γ₀ω_k h)²),   stiff at h: log₁₀ ρ_k(h) < ϑ                                          (1)
/// σ_k: the part that goes with slow motions. 0 for a spring in its own coordinate and for modes; near 1 for a heavy body on whose stiff springs
/// hang light ones (its K_kk is large, its motion slow). From the filter itself: σ_k = (ρ_k − d)/(1 − d), d = 1/(1 + (γ₀ω_k h)²), by one solution
/// per coordinate whenever h has changed by a factor of two; above 1000 coordinates σ = 0.
/// For every m, with the m fastest coordinates taken for stiff, the error norm would be e_m and the step h_m = h · 0.9 e_m^(−1/p). The m with the
/// largest step for which they would be stiff at that step is right: the set justifies the step and the step the set         (2)
/// (the smallest such m, give or take 5 % of the step: what gains nothing is not scaled).
/// A coordinate ceases to be stiff when it would not be so at twice the step and to follow it would cost nothing, or at 20 times. Looked at in every attempt; needs neither a large first step nor a
/// smooth start. In a dense spectrum whose vibrations are all excited no set is right: the fastest that is followed keeps the step small. Then the
/// source's way out serves: a first step much too large, and what is stiff at more than n_ζ/3 attempts, as long as none has met the tolerance,
/// stays so.
///
/// Measure `estimates`, of the source. Δμ: difference to the embedded formula; Δν = (I − hγ₀J)⁻¹ Δμ. For a position that
/// follows a spring of frequency ω = 1/ε
///   ζ = log₁₀(|Δν|/|Δμ|) ≈ 2 log₁₀(ε/(γ₀h))   where ωh ≫ 1,    ζ ≈ 0 otherwise                                       (3)
/// and a coordinate is stiff when ζ < ϑ in more than a third of the first n_ζ attempts. The first steps must be large: the
/// source takes h = 0.1. Δμ at the size of the position's rounding is not looked at.
/// Grouping: the averages of ζ are sorted; a gap above Δϑ whose middle lies below ϑ_g separates stiff from other coordinates.
/// Continuous: an average over about n_ζ attempts; stiff below ϑ, no longer stiff above ϑ/2.
/// ζ follows what the error happens to be: parts that move with a heavy neighbour have ζ ≈ 0 however stiff their springs are, and a small Δν is
/// stiffness or chance. Measure `responses`: the same with ζ = log₁₀ ρ_k(h) of (1).
///
/// Coordinates that constraints determine look infinitely stiff to (3), and are not free to vibrate: no candidates. No
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
    /// ω, rad/s: of (1); of (3), the geometric mean over attempts that say stiff; or as given. 0: not known
    double frequency = 0;
    bool declared = false, frequency_given = false;  ///< the user says that it is stiff, and its ω
    bool candidate = true;
    bool stiff = false;
    double slow_part = 0;  ///< σ of (1)
    bool held = false;     ///< stiff at the attempts before the first that met the tolerance
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

  /// ρ_k of (1) are wanted: of the filter with step h. `take_response` for each coordinate, then `responses_taken`.
  [[nodiscard]] bool wants_responses(double h) const noexcept;
  void take_response(std::size_t k, double response, double h, double gamma0) noexcept;
  void responses_taken(double h) noexcept { h_of_responses_ = h; }

  /// What an attempt whose iteration converged tells.
  struct Observation {
    In mu, nu;
    In x0, x1;  ///< its start and end
    In shares;  ///< r_i of the error norm, with the present powers of h
    double h = 0, gamma0 = 0;
    double scale = 1;  ///< min(1, h/T_ref): what one more power of h does
    int error_order = 1;
    bool accepted = false;
  };
  /// True: the set of stiff coordinates has changed.
  bool observe(const Observation& attempt) noexcept;
  /// The same for steps of fixed size h, which no error chooses: (1) with that h alone and σ = 0. Measure `frequencies`.
  bool observe_fixed_step(double h, double gamma0) noexcept;

  [[nodiscard]] std::span<const Coordinate> coordinates() const noexcept { return coordinates_; }
  /// Nothing more is to be waited for: looked at long enough, or told by the user.
  [[nodiscard]] bool known() const noexcept {
    return !options_.detect || (by_frequencies() ? attempts_ > 0 : decided());
  }
  [[nodiscard]] bool looking() const noexcept {
    return options_.detect && (by_frequencies() || !decided() || options_.continuous);
  }
  /// ω ≈ 10^(−ζ/2)/(γ₀h) of (3).
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
  /// log₁₀ ρ_k(h) of (1).
  [[nodiscard]] double log_response(const Coordinate& q, double gamma0, double h) const noexcept;
  [[nodiscard]] bool stiff_at(const Coordinate& q, double gamma0, double h) const noexcept;
  void search(const Observation& attempt, double mean_square) noexcept;
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
  bool searching_ = true;      ///< no attempt has met the tolerance yet
  double h_of_responses_ = 0;  ///< 0: none yet
};

}  // namespace rubato
