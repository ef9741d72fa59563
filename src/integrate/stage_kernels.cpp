#include "stage_kernels.hpp"

#include "base/pairs.hpp"
#include "stage_scheme.hpp"

namespace rubato {

namespace {

using detail::in_pairs;
using detail::Piece;
using detail::piece;
using Complex = std::complex<double>;

/// Numbers of stages and of real modes that the compiler knows: loops over them vanish, columns stay in registers.
template <int stages, int reals>
struct KnownKernel {
  explicit KnownKernel(const StageScheme&) noexcept {}
  static constexpr int s = stages, real = reals, room = stages;
};
struct Counted {
  explicit Counted(const StageScheme& scheme) noexcept : s(scheme.s), real(static_cast<int>(scheme.real.size())) {}
  int s, real;
  static constexpr int room = max_runge_kutta_stages;
};

template <int width, class Counts>
inline Piece<width> sum(Counts counts, const double* row, const Piece<width>* column) noexcept {
  Piece<width> result = row[0] * column[0];
  for (int j = 1; j < counts.s; ++j) result += row[j] * column[j];
  return result;
}

template <int width, class Counts>
inline void load_modes(Counts counts, std::ptrdiff_t n, std::ptrdiff_t i, const double* real, const Complex* pairs,
                       Piece<width>* mode) noexcept {
  for (int m = 0; m < counts.real; ++m) mode[m] = piece<width>(real + m * n + i);
  for (int m = counts.real; m < counts.s; m += 2, pairs += n)
    for (int l = 0; l < width; ++l) {
      mode[m][l] = pairs[i + l].real();
      mode[m + 1][l] = pairs[i + l].imag();
    }
}

template <class Counts>
void stages_and_slopes(const StageScheme& scheme, std::ptrdiff_t n, const double* x, const double* z, double* stages,
                       double* k) noexcept {
  const Counts counts(scheme);
  const double* const inverse = scheme.inverse.data();
  in_pairs(n, [=]<int width>(std::ptrdiff_t i) {
    Piece<width> column[Counts::room];
    const Piece<width> start = piece<width>(x + i);
    for (int j = 0; j < counts.s; ++j) {
      column[j] = piece<width>(z + j * n + i);
      piece<width>(stages + j * n + i) = start + column[j];
    }
    for (int j = 0; j < counts.s; ++j) piece<width>(k + j * n + i) = sum<width>(counts, inverse + j * counts.s, column);
  });
}

template <class Counts>
void to_modes(const StageScheme& scheme, std::ptrdiff_t n, const double* r, const double* k, double a, double* real,
              Complex* pairs) noexcept {
  const Counts counts(scheme);
  const double* const t = scheme.to_modes.data();
  in_pairs(n, [=]<int width>(std::ptrdiff_t i) {
    Piece<width> column[Counts::room];
    for (int j = 0; j < counts.s; ++j) {
      column[j] = piece<width>(r + j * n + i);
      if (k != nullptr) column[j] -= a * piece<width>(k + j * n + i);
    }
    for (int m = 0; m < counts.real; ++m) piece<width>(real + m * n + i) = sum<width>(counts, t + m * counts.s, column);
    Complex* pair = pairs + i;
    for (int m = counts.real; m < counts.s; m += 2, pair += n) {
      const Piece<width> re = sum<width>(counts, t + m * counts.s, column);
      const Piece<width> im = sum<width>(counts, t + (m + 1) * counts.s, column);
      for (int l = 0; l < width; ++l) pair[l] = {re[l], im[l]};
    }
  });
}

template <class Counts>
void from_modes(const StageScheme& scheme, std::ptrdiff_t n, const double* real, const Complex* pairs,
                double* dz) noexcept {
  const Counts counts(scheme);
  const double* const t = scheme.from_modes.data();
  in_pairs(n, [=]<int width>(std::ptrdiff_t i) {
    Piece<width> mode[Counts::room];
    load_modes<width>(counts, n, i, real, pairs, mode);
    for (int j = 0; j < counts.s; ++j) piece<width>(dz + j * n + i) = sum<width>(counts, t + j * counts.s, mode);
  });
}

template <class Counts>
double add_from_modes(const StageScheme& scheme, std::ptrdiff_t n, const double* real, const Complex* pairs,
                      const double* weights, double* dz, double* z) noexcept {
  const Counts counts(scheme);
  const double* const t = scheme.from_modes.data();
  double squares = 0;
  in_pairs(n, [=, &squares]<int width>(std::ptrdiff_t i) {
    Piece<width> mode[Counts::room];
    load_modes<width>(counts, n, i, real, pairs, mode);
    const Piece<width> weight = piece<width>(weights + i);
    Piece<width> own = Piece<width>::Zero();
    for (int j = 0; j < counts.s; ++j) {
      const Piece<width> correction = sum<width>(counts, t + j * counts.s, mode);
      piece<width>(dz + j * n + i) = correction;
      piece<width>(z + j * n + i) += correction;
      own += (weight * correction).square();
    }
    squares += own.sum();
  });
  return squares;
}

template <class Counts>
constexpr StageKernels kernels{.stages_and_slopes = stages_and_slopes<Counts>,
                               .to_modes = to_modes<Counts>,
                               .from_modes = from_modes<Counts>,
                               .add_from_modes = add_from_modes<Counts>};

}  // namespace

StageKernels stage_kernels(int s, int reals) noexcept {
  if (reals == s % 2) switch (s) {
      case 2: return kernels<KnownKernel<2, 0>>;
      case 3: return kernels<KnownKernel<3, 1>>;
      case 5: return kernels<KnownKernel<5, 1>>;
      case 7: return kernels<KnownKernel<7, 1>>;
      default: break;
    }
  return kernels<Counted>;
}

}  // namespace rubato
