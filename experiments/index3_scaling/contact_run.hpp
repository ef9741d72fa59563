#pragma once
/// The impact of `cam-impact` with multipliers measured in s = k_ave + m_ave/h² (28): one-step method, Newton iteration and
/// step control as small as they can be, so that what fails, fails by the scaling.
///
/// Generalised α, ρ∞ = 0 (α_m = −1, α_f = 0, β = 1, γ = 3/2), unknowns (q₁, z₁, λ̂₁), λ = s λ̂:
///   a₁ = (q₁ − q₀ − h v₀)/(βh²) − (½ − β)/β a₀,   v₁ = v₀ + h((1 − γ) a₀ + γ a₁),   v̇₁ = 2a₁ − a₀               (1)
///   (M v̇₁ − f + s Gᵀλ̂₁)/s = 0,   z₁ = z₀ + h e(t₁, …),   g(t₁, q₁) = 0                                             (2)
/// Newton: exact tangent, converged when the root mean square of the correction of all unknowns is below `tolerance`, after
/// 12 iterations h/4, the end below h = 1e-12. Steps: h = 0.01 until 0.4 s, then by e = |β − 1/6| h² rms(a₁ − a₀) over
/// translations, accepted if e ≤ ε_loc, h ← h clamp(0.9 (ε_loc/e)^(1/3), 0.2, 2), at most 0.01.
/// The publication used an energy-decaying scheme and estimate of its own: Bauchau & Bottasso and colleagues; see its [10].
#include <atomic>
#include <string>
#include <vector>

#include "catalogue/catalogue.hpp"

namespace rubato::experiments::scaling {

struct ContactRun {
  double eps_loc = 1e-7;
  double k_ave = 1e3, m_ave = 1;
  double tolerance = 1e-12;
  bool friction = false;
  double offset = 0.05, t_end = 1, damping = 1e-3;
  const std::atomic<bool>* stop = nullptr;
};

struct ContactStep {
  double t, h, s, normal_force, residual;  ///< residual: largest |g| after the step
};

struct ContactResult {
  std::string trouble = {};  ///< empty: t_end was reached
  double t = 0;
  long steps = 0, rejected = 0, newton_failures = 0, iterations = 0;
  double first_contact = 0, first_release = 0, second_contact = 0;  ///< s; 0: not met
  double peak_force = 0;                                            ///< N, of the first contact
  double y_T = 0, y_P = 0, joint_angle = 0;                         ///< at t; body P: its centre
  double smallest_s = 0, largest_s = 0;  ///< after the first contact, without the last (trimmed) step
  double largest_residual = 0;
  std::vector<ContactStep> history = {};
  [[nodiscard]] double iterations_per_step() const {
    return static_cast<double>(iterations) / static_cast<double>(std::max(1L, steps + rejected));
  }
};
[[nodiscard]] Result<ContactResult> run_contact(const ContactRun& run);

/// The same integrator on any start: energies of the steps (kinetic and potential), fixed step.
struct EnergyStep {
  double t, energy, normal_force;
};
[[nodiscard]] Result<std::vector<EnergyStep>> contact_energies(const catalogue::Instance& instance, double h,
                                                               int steps);

}  // namespace rubato::experiments::scaling
