#pragma once
/// The routines of LAPACK that the off-line analysis calls, with Fortran's calling convention (lengths of characters last).
#include <complex>
#include <cstddef>

extern "C" {

void zgges_(const char* jobvsl, const char* jobvsr, const char* sort, void* select, const int* n,
            std::complex<double>* a, const int* lda, std::complex<double>* b, const int* ldb, int* sdim,
            std::complex<double>* alpha, std::complex<double>* beta, std::complex<double>* vsl, const int* ldvsl,
            std::complex<double>* vsr, const int* ldvsr, std::complex<double>* work, const int* lwork, double* rwork,
            int* bwork, int* info, std::size_t, std::size_t, std::size_t);

void ztgsyl_(const char* trans, const int* ijob, const int* m, const int* n, const std::complex<double>* a,
             const int* lda, const std::complex<double>* b, const int* ldb, std::complex<double>* c, const int* ldc,
             const std::complex<double>* d, const int* ldd, const std::complex<double>* e, const int* lde,
             std::complex<double>* f, const int* ldf, double* scale, double* dif, std::complex<double>* work,
             const int* lwork, int* iwork, int* info, std::size_t);

void dgeev_(const char* jobvl, const char* jobvr, const int* n, double* a, const int* lda, double* wr, double* wi,
            double* vl, const int* ldvl, double* vr, const int* ldvr, double* work, const int* lwork, int* info,
            std::size_t, std::size_t);

void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void dgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda, const int* pivots,
             double* b, const int* ldb, int* info, std::size_t);
void dgecon_(const char* norm, const int* n, const double* a, const int* lda, const double* anorm, double* rcond,
             double* work, int* iwork, int* info, std::size_t);
}
