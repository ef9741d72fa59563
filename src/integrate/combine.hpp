#pragma once
/// Sums of stages, the inner loops of one-step methods.
#include "rubato/base/views.hpp"

namespace rubato::detail {

/// Two sums over the same stages, of n numbers each and one after the other in `u`:
///   x = start + Σ_{j<s} a_j u_j,   y = Σ_{j<s} c_j u_j                                                         (1)
/// in one pass over the memory. Every component is summed in the order of the stages: the result does not depend, not even
/// in its last bit, on how the loop is cut into blocks. start and x may be the same memory; y may be empty.
void combine(In start, int s, const double* u, const double* a, Out x, const double* c, Out y) noexcept;

/// All combinations of s columns of n numbers each: out_i = Σ_{j<s} m_ij z_j, m by rows. out and z are different memory.   (2)
void combine_columns(int s, const double* m, const double* z, double* out, std::ptrdiff_t n) noexcept;

}  // namespace rubato::detail
