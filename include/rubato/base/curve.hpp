#pragma once
/// A function given by points (x_i, y_i): linear or smooth between them.
///
/// On [x_i, x_{i+1}) with u = x − x_i:  y = c₀ + c₁u + c₂u² + c₃u³. Outside the points the curve goes on with the slope at its
/// end, or holds its last value.
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rubato/base/dual.hpp"
#include "rubato/base/result.hpp"
#include "rubato/base/tracer.hpp"

namespace rubato {

enum class Interpolation : std::uint8_t {
  linear,
  monotone,  ///< C¹ cubic without overshoot: Fritsch & Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300, doi:10.1137/0905021
  spline  ///< natural cubic spline, C²
};
enum class Outside : std::uint8_t { extend, hold };

class Curve {
 public:
  using Points = std::span<const std::array<double, 2>>;
  static constexpr std::size_t max_points = 1'000'000;

  /// At least two points, finite, x increasing.
  [[nodiscard]] static Result<Curve> make(Points points, Interpolation interpolation = Interpolation::linear,
                                          Outside outside = Outside::extend);

  template <class S>
  [[nodiscard]] S operator()(const S& x) const noexcept {
    const Piece& p = pieces_[piece_of(value_of(x))];
    const S u = x - S(p.x);
    const S y = S(p.c[0]) + u * (S(p.c[1]) + u * (S(p.c[2]) + u * S(p.c[3])));
    if constexpr (std::same_as<S, Tracer>)
      return Tracer(y.value, x.set);  // also where this piece is level
    else
      return y;
  }

  /// The next x at which a derivative up to the second jumps; infinity: none.
  [[nodiscard]] double next_break(double x) const noexcept;

 private:
  struct Piece {
    double x = 0;  ///< origin of u
    std::array<double, 4> c{};
  };
  [[nodiscard]] std::size_t piece_of(double x) const noexcept;

  std::vector<double> knots_;
  std::vector<Piece> pieces_;  // before the first knot, between knots, after the last
  std::vector<double> breaks_;
};

}  // namespace rubato
