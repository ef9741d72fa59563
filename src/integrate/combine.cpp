#include "combine.hpp"

#include "base/pairs.hpp"
#include "rubato/base/assert.hpp"

namespace rubato::detail {

namespace {

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

/// (2) with numbers of columns and rows that the compiler knows: a piece of each column stays in a register. Not
/// inlined: together with its sisters it would save the registers of all of them.
template <int rows, int columns, class Offset>
[[gnu::noinline]] void combine_known(Offset offset, const double* m, const double* z, double* out,
                                     std::ptrdiff_t n) noexcept {
  in_pairs(n, [&]<int width>(std::ptrdiff_t i) {
    Piece<width> column[columns];
    for (int j = 0; j < columns; ++j) column[j] = piece<width>(z + offset(j) + i);
    for (int row = 0; row < rows; ++row) {
      Piece<width> sum = m[row * columns] * column[0];
      for (int j = 1; j < columns; ++j) sum += m[row * columns + j] * column[j];
      piece<width>(out + row * n + i) = sum;
    }
  });
}

template <class Offset>
void combine_any(int rows, int columns, Offset offset, const double* m, const double* z, double* out,
                 std::ptrdiff_t n) noexcept {
  for (int row = 0; row < rows; ++row, m += columns, out += n)
    in_pairs(n, [&]<int width>(std::ptrdiff_t i) {
      Piece<width> sum = m[0] * piece<width>(z + offset(0) + i);
      for (int j = 1; j < columns; ++j) sum += m[j] * piece<width>(z + offset(j) + i);
      piece<width>(out + i) = sum;
    });
}

}  // namespace

void combine_columns(int rows, std::span<const int> chosen, const double* m, const double* z, double* out,
                     std::ptrdiff_t n) noexcept {
  const int* const column = chosen.data();
  const auto offset = [n, column](int j) { return column[j] * n; };
  const auto columns = static_cast<int>(chosen.size());
  if (columns == 3 && rows == 3) return combine_known<3, 3>(offset, m, z, out, n);  // three stages: the usual number
  if (columns == 3 && rows == 1) return combine_known<1, 3>(offset, m, z, out, n);
  combine_any(rows, columns, offset, m, z, out, n);
}

void add_combined_columns(In x, std::span<const int> chosen, const double* m, const double* z, Out out) noexcept {
  RUBATO_ASSERT(x.size() == out.size(), "sizes disagree");
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  in_pairs(n, [&]<int width>(std::ptrdiff_t i) {
    Piece<width> sum = piece<width>(x.data() + i);
    const double* weight = m;
    for (const int column : chosen) sum += *weight++ * piece<width>(z + column * n + i);
    piece<width>(out.data() + i) = sum;
  });
}

void add_to_columns(In x, In z, Out out) noexcept {
  RUBATO_ASSERT(z.size() == out.size() && (x.empty() || z.size() % x.size() == 0), "whole columns");
  const double* const start = x.data();
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  const double* from = z.data();
  double* to = out.data();
  for (const double* const end = from + z.size(); from != end; from += n, to += n)
    in_pairs(n, [&]<int width>(std::ptrdiff_t i) {
      piece<width>(to + i) = piece<width>(start + i) + piece<width>(from + i);
    });
}

void combine(In start, int s, const double* u, const double* a, Out x, const double* c, Out y) noexcept {
  RUBATO_ASSERT(start.size() == x.size() && (y.empty() || y.size() == x.size()), "sizes disagree");
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  std::ptrdiff_t i = 0;
  const auto next = [&]<int width>() {
    combine_piece<width>(start.data() + i, s, u + i, n, a, x.data() + i, c, y.data() + i);
    i += width;
  };
  if (y.empty()) {
    map(x) = map(start);
    for (int j = 0; j < s; ++j, u += n) map(x) += a[j] * map(In(u, x.size()));
    return;
  }
  while (i + 8 <= n) next.template operator()<8>();
  while (i + 2 <= n) next.template operator()<2>();
  if (i < n) next.template operator()<1>();
}

}  // namespace rubato::detail
