#include "small_sweep.hpp"

#include <algorithm>
#include <array>

#include "base/pairs.hpp"
#include "linalg/small_lu.hpp"

namespace rubato {

namespace {

using Complex = std::complex<double>;
constexpr int largest_small = 4;

template <class T, int N>
const detail::SmallLu<T, N>* small_lu(const LinearSolver<T>* solver) noexcept {
  const auto* const found = dynamic_cast<const detail::KeepsSmallLu<T, N>*>(solver);
  return found == nullptr ? nullptr : &found->lu;
}

/// S stages, R real modes, N unknowns.
template <int S, int R, int N>
class Sweep final : public SmallSweep {
 public:
  explicit Sweep(const StageScheme& scheme) {
    std::copy_n(scheme.inverse.data(), S * S, inverse_.begin());
    std::copy_n(scheme.to_modes.data(), S * S, to_modes_.begin());
    std::copy_n(scheme.from_modes.data(), S * S, from_modes_.begin());
  }

  bool attach(const SteppedSystem& system) noexcept override {
    bool all = true;
    for (int k = 0; k < R; ++k) all = (real_[k] = small_lu<double, N>(system.plain_solver(k))) != nullptr && all;
    for (int k = 0; k < P; ++k)
      all = (pairs_[k] = small_lu<Complex, N>(system.plain_complex_solver(k))) != nullptr && all;
    return all;
  }

  void begin(const double* x, const double* z, double* __restrict stages) const noexcept override {
    for (int j = 0; j < S; ++j)
      for (int i = 0; i < N; ++i) stages[j * N + i] = x[i] + z[j * N + i];
  }

  double advance(double a, const double* x, const double* r, const double* weights, double* __restrict dz,
                 double* __restrict z, double* __restrict stages) const noexcept override {
    double real[R + 1][N];
    Complex pair[P][N];
    for (int i = 0; i < N; ++i) {
      double stage[S], residual[S];
      for (int j = 0; j < S; ++j) stage[j] = z[j * N + i];
      for (int j = 0; j < S; ++j) residual[j] = detail::alone(r + j * N + i) - a * sum(inverse_, j, stage);
      for (int m = 0; m < R; ++m) real[m][i] = sum(to_modes_, m, residual);
      for (int p = 0; p < P; ++p)
        pair[p][i] = {sum(to_modes_, R + 2 * p, residual), sum(to_modes_, R + 2 * p + 1, residual)};
    }
    for (int m = 0; m < R; ++m) real_[m]->solve(real[m]);
    for (int p = 0; p < P; ++p) pairs_[p]->solve(pair[p]);
    double squares[N + 1] = {};
    for (int i = 0; i < N; ++i) {
      double mode[S];
      for (int m = 0; m < R; ++m) mode[m] = real[m][i];
      for (int p = 0; p < P; ++p) {
        mode[R + 2 * p] = pair[p][i].real();
        mode[R + 2 * p + 1] = pair[p][i].imag();
      }
      for (int j = 0; j < S; ++j) {
        const double correction = sum(from_modes_, j, mode), weighted = weights[i] * correction;
        dz[j * N + i] = correction;
        z[j * N + i] += correction;
        stages[j * N + i] = x[i] + z[j * N + i];
        squares[i] += weighted * weighted;
      }
    }
    double total = 0;
    for (int i = 0; i < N; i += 2) total += squares[i] + squares[i + 1];  // in pairs, as stage_kernels.cpp
    return total;
  }

 private:
  static constexpr int P = (S - R) / 2;
  using Table = std::array<double, static_cast<std::size_t>(S) * S>;  // by rows

  static double sum(const Table& table, int row, const double (&column)[S]) noexcept {
    const double* const t = table.data() + row * S;
    double result = t[0] * column[0];
    for (int j = 1; j < S; ++j) result += t[j] * column[j];
    return result;
  }

  Table inverse_, to_modes_, from_modes_;
  std::array<const detail::SmallLu<double, N>*, R> real_{};
  std::array<const detail::SmallLu<Complex, N>*, P> pairs_{};
};

template <int S, int R, int N = 1>
std::unique_ptr<SmallSweep> of_size(const StageScheme& scheme, int n) {
  if (n == N) return std::make_unique<Sweep<S, R, N>>(scheme);
  if constexpr (N < largest_small) return of_size<S, R, N + 1>(scheme, n);
  return nullptr;
}

}  // namespace

std::unique_ptr<SmallSweep> SmallSweep::create(const StageScheme& scheme, int n) {
  if (static_cast<int>(scheme.real.size()) != scheme.s % 2) return nullptr;
  switch (scheme.s) {  // those of Radau IIA
    case 2: return of_size<2, 0>(scheme, n);
    case 3: return of_size<3, 1>(scheme, n);
    case 5: return of_size<5, 1>(scheme, n);
    case 7: return of_size<7, 1>(scheme, n);
    default: return nullptr;
  }
}

}  // namespace rubato
