#pragma once
/// Eigen's dense kernels and factorisations for double, compiled once (eigen_instances.cpp) instead of in every unit that
/// multiplies two matrices: they were half of the code that compilers made of this library. It is part of the precompiled
/// header of our own targets (src/precompiled.hpp) and never installed: a user's flags may ask for other kernels.
/// Without precompiled headers every unit makes its own, with the same results.
///
/// Listed are members that do the work: to instantiate whole classes takes twice as long.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#ifndef RUBATO_INSTANCE
#define RUBATO_INSTANCE extern template
#endif

namespace Eigen {

RUBATO_INSTANCE void FullPivLU<MatrixXd>::computeInPlace();
RUBATO_INSTANCE void FullPivLU<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
RUBATO_INSTANCE void PartialPivLU<MatrixXd>::compute();
RUBATO_INSTANCE LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
RUBATO_INSTANCE LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
RUBATO_INSTANCE void HouseholderQR<MatrixXd>::computeInPlace();
RUBATO_INSTANCE void ColPivHouseholderQR<MatrixXd>::computeInPlace();
RUBATO_INSTANCE void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
RUBATO_INSTANCE EigenSolver<MatrixXd>& EigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, bool);
RUBATO_INSTANCE SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&,
                                                                                            int);
RUBATO_INSTANCE GeneralizedSelfAdjointEigenSolver<MatrixXd>& GeneralizedSelfAdjointEigenSolver<MatrixXd>::compute(
    const MatrixXd&, const MatrixXd&, int);
/// H₁ H₂ … as a matrix: what Q of a factorisation is made of.
RUBATO_INSTANCE void HouseholderSequence<MatrixXd, VectorXd, OnTheLeft>::evalTo(MatrixXd&, VectorXd&) const;

namespace internal {

using Gebp = gebp_traits<double, double>;
template <int order>
using Factor = const_blas_data_mapper<double, Index, order>;

RUBATO_INSTANCE struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor, Unaligned, 1>,
                                   Gebp::mr, Gebp::nr, false, false>;

#define RUBATO_PACKED(order)                                                                                           \
  RUBATO_INSTANCE struct gemm_pack_lhs<double, Index, Factor<order>, Gebp::mr, Gebp::LhsProgress,                      \
                                       Gebp::LhsPacket4Packing, order, false, false>;                                  \
  RUBATO_INSTANCE struct gemm_pack_rhs<double, Index, Factor<order>, Gebp::nr, order, false, false>;                   \
  RUBATO_INSTANCE struct general_matrix_matrix_product<Index, double, order, false, double, ColMajor, false, ColMajor, \
                                                       1>;                                                             \
  RUBATO_INSTANCE struct general_matrix_matrix_product<Index, double, order, false, double, RowMajor, false, ColMajor, \
                                                       1>;                                                             \
  RUBATO_INSTANCE struct general_matrix_vector_product<Index, double, Factor<order>, order, false, double,             \
                                                       Factor<ColMajor>, false, 0>;                                    \
  RUBATO_INSTANCE struct general_matrix_vector_product<Index, double, Factor<order>, order, false, double,             \
                                                       Factor<RowMajor>, false, 0>;
RUBATO_PACKED(ColMajor)
RUBATO_PACKED(RowMajor)
#undef RUBATO_PACKED

#define RUBATO_TRIANGLE(mode)                                                                                   \
  RUBATO_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, mode, false, ColMajor, ColMajor, 1>; \
  RUBATO_INSTANCE struct triangular_solve_vector<double, double, Index, OnTheLeft, mode, false, ColMajor>;      \
  RUBATO_INSTANCE struct triangular_solve_vector<double, double, Index, OnTheLeft, mode, false, RowMajor>;
RUBATO_TRIANGLE(Lower)
RUBATO_TRIANGLE(Upper)
RUBATO_TRIANGLE(UnitLower)
RUBATO_TRIANGLE(UnitUpper)
#undef RUBATO_TRIANGLE

}  // namespace internal
}  // namespace Eigen
