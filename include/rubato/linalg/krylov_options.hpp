#pragma once
/// What may be chosen about Krylov spaces for linear systems; krylov_matrix.hpp says what it means.
#include "rubato/linalg/linear_solver.hpp"

namespace rubato {

enum class KrylovProcess : unsigned char {
  gmres,            ///< a space of its own for every right-hand side
  multiple_arnoldi  ///< one space for all right-hand sides of a step (krylov_space.hpp)
};
enum class KrylovConstraints : unsigned char { whole, eliminated };
enum class KrylovPreconditioner : unsigned char {
  none,
  diagonal,
  constraint,
  factor  ///< a factor of the whole matrix, made some steps ago
};

/// What stands for an inverse: in preconditioners, and inside the iteration that solves for eliminated constraints.
enum class KrylovFactors : unsigned char {
  exact,
  incomplete,  ///< LU with a threshold
  multigrid    ///< a V-cycle
};

/// What makes them; exact ones by the given back end.
[[nodiscard]] constexpr BackEnd back_end_of(KrylovFactors factors, BackEnd exact) noexcept {
  return factors == KrylovFactors::incomplete  ? BackEnd::incomplete
         : factors == KrylovFactors::multigrid ? BackEnd::multigrid
                                               : exact;
}

struct KrylovMatrixOptions {
  KrylovProcess process = KrylovProcess::gmres;
  KrylovConstraints constraints = KrylovConstraints::whole;
  KrylovPreconditioner preconditioner = KrylovPreconditioner::none;
  int max_dimension = 100;                ///< of the space; of GMRES that restarts, the number of products
  int restart = 0;                        ///< GMRES begins anew after so many vectors; 0: never
  BackEnd back_end = BackEnd::automatic;  ///< of g_z
  KrylovFactors factors = KrylovFactors::exact;
};

}  // namespace rubato
