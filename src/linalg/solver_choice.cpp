#include "rubato/linalg/solver_choice.hpp"

#include <algorithm>

namespace rubato {

namespace {
constexpr double likely_dimension = 8;    // of a preconditioned space: who begins
constexpr int patience = 4;               // steps before the mean is believed
constexpr double much_smaller = 1.0 / 3;  // steps at which spaces are tried again
}  // namespace

SolverChoice::SolverChoice(const FactorWork& work, int n, double product_entries, const SolverRates& rates)
    : work_(work), n_(n), product_entries_(product_entries), rates_(rates) {
  krylov_ = krylov_seconds(likely_dimension, likely_dimension) < direct_seconds(1);
}

double SolverChoice::direct_seconds(int solves) const noexcept {
  return work_.flops / rates_.factor_flops + solves * work_.entries / rates_.solve_entries;
}

double SolverChoice::krylov_seconds(double products, double mean_dimension) const noexcept {
  return products * (product_entries_ / rates_.product_entries + 4 * n_ * mean_dimension / rates_.vector_numbers);
}

bool SolverChoice::krylov(double h) noexcept {
  if (!krylov_ && too_much_ > 0 && h < much_smaller * too_much_) change(true, h);
  return krylov_;
}

void SolverChoice::took(double h, int solves, long products, double mean_dimension, bool converged) noexcept {
  if (!converged) return change(false, h);
  const double ratio = krylov_seconds(static_cast<double>(products), mean_dimension) / direct_seconds(solves);
  ratio_ += (ratio - ratio_) / std::min(++steps_, patience);
  if (steps_ >= patience && ratio_ > 1) change(false, h);
}

void SolverChoice::change(bool krylov, double h) noexcept {
  if (krylov != krylov_) ++changes_;
  krylov_ = krylov;
  if (!krylov) too_much_ = h;
  ratio_ = 0;
  steps_ = 0;
}

}  // namespace rubato
