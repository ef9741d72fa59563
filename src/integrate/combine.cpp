#include "combine.hpp"

#include <Eigen/Core>

#include "rubato/base/assert.hpp"

namespace rubato::detail {

namespace {

template <int width>
using Piece = Eigen::Array<double, width, 1>;

template <int width>
inline void combine_piece(const double* start, int s, const double* u, std::ptrdiff_t n, const double* a, double* x,
                          const double* c, double* y) noexcept {
  Piece<width> x_sum = Eigen::Map<const Piece<width>>(start), y_sum = Piece<width>::Zero();
  for (int j = 0; j < s; ++j, u += n) {
    const Piece<width> uj = Eigen::Map<const Piece<width>>(u);
    x_sum += a[j] * uj;  // (1)
    y_sum += c[j] * uj;
  }
  Eigen::Map<Piece<width>> x_piece(x), y_piece(y);
  x_piece = x_sum;
  y_piece = y_sum;
}

/// (2) with a number of columns that the compiler knows: for few unknowns the loops over stages are the cost.
template <int s>
void combine_known(const double* m, const double* z, double* out, std::ptrdiff_t n) noexcept {
  for (std::ptrdiff_t c = 0; c < n; ++c) {
    double column[s];
    for (int j = 0; j < s; ++j) column[j] = z[j * n + c];
    for (int i = 0; i < s; ++i) {
      double sum = m[i * s] * column[0];
      for (int j = 1; j < s; ++j) sum += m[i * s + j] * column[j];
      out[i * n + c] = sum;
    }
  }
}

}  // namespace

void combine_columns(int s, const double* m, const double* z, double* out, std::ptrdiff_t n) noexcept {
  switch (s) {
    case 2: return combine_known<2>(m, z, out, n);
    case 3: return combine_known<3>(m, z, out, n);
    case 5: return combine_known<5>(m, z, out, n);
    case 7: return combine_known<7>(m, z, out, n);
    default: break;
  }
  for (int i = 0; i < s; ++i)
    for (std::ptrdiff_t c = 0; c < n; ++c) {
      double sum = m[i * s] * z[c];
      for (int j = 1; j < s; ++j) sum += m[i * s + j] * z[j * n + c];
      out[i * n + c] = sum;
    }
}

void combine(In start, int s, const double* u, const double* a, Out x, const double* c, Out y) noexcept {
  RUBATO_ASSERT(start.size() == x.size() && (y.empty() || y.size() == x.size()), "sizes disagree");
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  std::ptrdiff_t i = 0;
  const auto piece = [&]<int width>() {
    combine_piece<width>(start.data() + i, s, u + i, n, a, x.data() + i, c, y.data() + i);
    i += width;
  };
  if (y.empty()) {
    map(x) = map(start);
    for (int j = 0; j < s; ++j, u += n) map(x) += a[j] * map(In(u, x.size()));
    return;
  }
  while (i + 8 <= n) piece.template operator()<8>();
  while (i + 2 <= n) piece.template operator()<2>();
  if (i < n) piece.template operator()<1>();
}

}  // namespace rubato::detail
