#include "rubato/realtime/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "linalg/blas_turn.hpp"
#include "realtime/lapack.hpp"
#include "realtime/sparse_evolution.hpp"
#include "rubato/realtime/deflation.hpp"

namespace rubato::realtime {

namespace {

/// Eigenvalues of a matrix, balanced first (LAPACK does so). Empty where they are not found.
std::optional<Eigen::VectorXcd> eigenvalues(Matrix m) {
  const int n = static_cast<int>(m.rows()), one = 1;
  Eigen::VectorXcd lambda(n);
  if (n == 0) return lambda;
  if (!m.allFinite()) return std::nullopt;
  Vector re(n), im(n);
  int info = 0;
  const auto call = [&](double* work, int length) {
    dgeev_("N", "N", &n, m.data(), &n, re.data(), im.data(), nullptr, &one, nullptr, &one, work, &length, &info, 1, 1);
  };
  double wanted = 0;
  call(&wanted, -1);
  std::vector<double> work(std::max<std::size_t>(static_cast<std::size_t>(wanted), 3 * static_cast<std::size_t>(n)));
  call(work.data(), static_cast<int>(work.size()));
  if (info != 0) return std::nullopt;
  for (int i = 0; i < n; ++i) lambda(i) = {re(i), im(i)};
  return lambda;
}

/// M has the eigenvalues that are not zero by structure.
std::optional<StepSpectrum> spectrum_of(std::optional<Matrix> m, Eigen::Index n) {
  if (!m) return std::nullopt;
  const auto found = eigenvalues(std::move(*m));
  if (!found) return std::nullopt;
  StepSpectrum spectrum{Eigen::VectorXcd::Zero(n), static_cast<int>(n - found->size())};
  spectrum.lambda.head(found->size()) = *found;
  return spectrum;
}

}  // namespace

std::optional<StepSpectrum> step_spectrum(const StepPair& pair) { return spectrum_of(evolution(pair), pair.a.rows()); }

std::optional<StepSpectrum> step_spectrum(const StepPencil& pencil, In jacobian_values, const Keep& keep) {
  return spectrum_of(sparse_evolution(pencil, jacobian_values, keep), pencil.size());
}

Result<std::vector<StepSpectrum>> sample_spectra(const StepPencil& pencil, const Keep& keep,
                                                 const std::vector<std::vector<double>>& samples) {
  if (!detail::BlasTurn::room()) return Error{detail::BlasTurn::no_room};
  const detail::BlasTurn turn;
  std::vector<StepSpectrum> spectra;
  for (const auto& values : samples) {
    auto spectrum = step_spectrum(pencil, values, keep);
    if (!spectrum)
      return Error{fmt::format("real time: at sample {} the step matrix is singular for a step of {} s",
                               spectra.size() + 1, pencil.step())};
    spectra.push_back(std::move(*spectrum));
  }
  return spectra;
}

}  // namespace rubato::realtime
