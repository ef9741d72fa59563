#pragma once
/// What each back end's file offers to the list in back_ends.cpp.
#include <complex>
#include <memory>

#include "rubato/linalg/linear_solver.hpp"

namespace rubato::detail {

template <class T>
std::unique_ptr<LinearSolver<T>> make_dense_solver(const SparsePattern& pattern);
template <class T>
std::unique_ptr<LinearSolver<T>> make_klu_solver(const SparsePattern& pattern);
template <class T>
std::unique_ptr<LinearSolver<T>> make_mumps_solver(const SparsePattern& pattern);

/// The share of the n² places that L + U would occupy, as KLU's ordering predicts it for diagonal pivots.
double klu_factor_density(const SparsePattern& pattern);

}  // namespace rubato::detail
