#pragma once
/// How far the first order of the criterion may be trusted: bounds for a pair (A + E, B + F) in two blocks of its spectrum.
/// Stewart and Sun, Matrix Perturbation Theory (1990), chapter VI.
#include <optional>

#include "rubato/realtime/spectral_blocks.hpp"

namespace rubato::realtime {

/// A lower bound, good to a factor of two, of
///   dif = inf ‖(Q A₁ + A₂ P, Q B₁ + B₂ P)‖ over ‖(P, Q)‖ = 1,   ‖(P, Q)‖ = max(‖P‖_F, ‖Q‖_F):
/// the smallest singular value of the map divided by √2. Positive exactly where the spectra are disjoint. Work grows like (m₁m₂)³: for analysis.
[[nodiscard]] double separation(const TwoBlocks& blocks);

struct PerturbationBound {
  double gamma, eta;  ///< ‖(E₂₁, F₂₁)‖, ‖(E₁₂, F₁₂)‖
  double delta;       ///< dif − max(‖E₁₁‖ + ‖E₂₂‖, ‖F₁₁‖ + ‖F₂₂‖)
  bool valid;         ///< δ > 0 and ηγ/δ² < 1/4
  double bound;       ///< 2γ / (δ + √(δ² − 4γη)), of ‖(P, Q)‖ below, where valid
};
[[nodiscard]] PerturbationBound perturbation_bound(const TwoBlocks& blocks, const ComplexMatrix& e,
                                                   const ComplexMatrix& f);

/// P and Q with [I 0; Q I] (A + E) [I 0; P I] block upper triangular, and the same for B + F: the perturbed blocks are A₁ + E₁₁ + E₁₂ P and
/// A₂ + E₂₂ + Q E₁₂. By a generalised Sylvester equation for each step of an iteration; empty where it does not converge.
struct Decoupling {
  ComplexMatrix p, q;
};
[[nodiscard]] std::optional<Decoupling> decouple(const TwoBlocks& blocks, const ComplexMatrix& e,
                                                 const ComplexMatrix& f);

}  // namespace rubato::realtime
