#pragma once
/// Sums of stages, the inner loops of one-step methods. Columns of n numbers each stand one after the other in memory.
///
/// Every component is summed in the order of the stages: the result does not depend, not even in its last bit, on how the
/// loops are cut into pieces.
#include "rubato/base/views.hpp"

namespace rubato::detail {

/// Two sums over the same stages, in one pass over the memory:
///   x = start + Σ_{j<s} a_j u_j,   y = Σ_{j<s} c_j u_j                                                         (1)
/// start and x may be the same memory; y may be empty.
void combine(In start, int s, const double* u, const double* a, Out x, const double* c, Out y) noexcept;

/// Combinations of chosen columns: out_i = Σ_j m_ij z_{chosen_j}, i < rows, m by rows. out and z are different memory.   (2)
void combine_columns(int rows, std::span<const int> chosen, const double* m, const double* z, double* out,
                     std::ptrdiff_t n) noexcept;
/// out = x + Σ_j m_j z_{chosen_j}; out may be the memory of x.   (4)
void add_combined_columns(In x, std::span<const int> chosen, const double* m, const double* z, Out out) noexcept;
/// out_i = x + z_i for all columns of z; out may be the memory of x or z.   (3)
void add_to_columns(In x, In z, Out out) noexcept;

}  // namespace rubato::detail
