#pragma once
/// What each back end's file offers to the list in back_ends.cpp.
#include <complex>
#include <memory>
#include <vector>

#include "rubato/linalg/linear_solver.hpp"

namespace rubato::detail {

template <class T>
std::unique_ptr<LinearSolver<T>> make_dense_solver(const SparsePattern& pattern);
template <class T>
std::unique_ptr<LinearSolver<T>> make_klu_solver(const SparsePattern& pattern);
template <class T>
std::unique_ptr<LinearSolver<T>> make_mumps_solver(const SparsePattern& pattern);
template <class T>
std::unique_ptr<LinearSolver<T>> make_incomplete_solver(const SparsePattern& pattern);
std::unique_ptr<LinearSolver<double>> make_multigrid_solver(const SparsePattern& pattern);

/// Back ends that are loaded when asked for: a shared object librubato_NAME.so with the function
///   extern "C" LinearSolver<double>* rubato_make_solver(const SparsePattern&, const PluginHost&)
struct PluginHost {
  std::unique_ptr<LinearSolver<double>> (*make_mumps)(const SparsePattern& pattern);
  std::vector<int> (*nested_dissection)(const SparsePattern& pattern);
};
struct Plugin {
  LinearSolver<double>* (*make)(const SparsePattern& pattern, const PluginHost& host);
};
Result<Plugin> cholmod_plugin();

/// The share of the n² places that L + U would occupy, as KLU's ordering predicts it for diagonal pivots.
double klu_factor_density(const SparsePattern& pattern);

}  // namespace rubato::detail
