#pragma once
/// The generalised Schur form of a regular pair, and the exchange of its eigenvalues.
///   Qᴴ A Z = A_T,  Qᴴ B Z = B_T,  both upper triangular,  λᵢ = (A_T)ᵢᵢ / (B_T)ᵢᵢ.
/// The first k columns of Z span a right, the last k columns of Q a left deflating subspace.
#include <Eigen/Core>
#include <complex>
#include <optional>
#include <vector>

namespace rubato::realtime {

using Complex = std::complex<double>;
using ComplexMatrix = Eigen::MatrixXcd;

/// One value per eigenvalue: 1 belongs to the set.
using Flags = std::vector<unsigned char>;

struct SchurPair {
  ComplexMatrix a, b;  ///< A_T, B_T
  ComplexMatrix q, z;

  [[nodiscard]] int size() const noexcept { return static_cast<int>(a.rows()); }
  [[nodiscard]] Complex eigenvalue(int i) const noexcept { return a(i, i) / b(i, i); }
};

/// By the complex QZ algorithm: no 2 × 2 blocks, so that conjugate pairs need no care. Empty where it does not converge.
[[nodiscard]] std::optional<SchurPair> schur_form(const ComplexMatrix& a, const ComplexMatrix& b);

/// Exchanges the eigenvalues k and k + 1 by two rotations (Van Dooren). False, and nothing changed, where they are too close: such
/// eigenvalues belong to one cluster.
[[nodiscard]] bool exchange(SchurPair& form, int k);

/// Moves the eigenvalues of the set to the top. Members keep their order and are never rotated against each other, so
/// that what is triangular between them stays so. The flags move along. False where two eigenvalues are too close.
[[nodiscard]] bool move_to_top(SchurPair& form, Flags& set);

}  // namespace rubato::realtime
