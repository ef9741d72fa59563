#pragma once
/// Arithmetic expressions: "0.5*sin(2*pi*t)" read once, evaluated many times on double, dual numbers or the tracer, with exact
/// derivatives.
///
///   auto x = Expression::parse("A*sin(omega*t)", std::array{std::string("t")}, {{"A", 0.1}, {"omega", 20}});
///   double now = x->evaluate(std::span<const double>(&t, 1));
///
/// Operators, loosest first:  ||  &&  < <= > >= == !=  + -  * /  unary -  ^ (from the right); comparisons give 1 or 0.
/// Functions: see `expression_functions`. Constants: pi, e, and those given by name.
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/dual.hpp"
#include "rubato/base/result.hpp"
#include "rubato/base/tape.hpp"
#include "rubato/base/tracer.hpp"

namespace rubato {

enum class ExpressionOp : std::uint8_t {
  constant,        ///< pushes `value`
  variable,        ///< pushes variable `index`
  integer_power,   ///< top^index
  constant_power,  ///< top^value
  // one value
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  abs,
  sign,
  // two values
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  min,
  max,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  both,
  either,
  // three and five values
  choose,
  step
};

/// A function by its name in expressions.
struct ExpressionFunction {
  std::string_view name;
  ExpressionOp op;
  int n_arguments;  ///< min and max: at least
  std::string_view help;
};
[[nodiscard]] std::span<const ExpressionFunction> expression_functions();

namespace detail {
/// One of two values. Patterns hold for every branch.
template <class S>
S select(bool first, const S& a, const S& b) {
  return first ? a : b;
}
inline Tracer select(bool first, const Tracer& a, const Tracer& b) {
  return {first ? a.value : b.value, Tracer::united(a.set, b.set)};
}
/// x^y: d = y x^(y−1) dx + x^y ln x dy, without the second part where y does not vary (x may then be negative or 0).
inline double power(double x, double y) { return std::pow(x, y); }
inline Tracer power(const Tracer& x, const Tracer& y) {
  return {std::pow(x.value, y.value), Tracer::united(x.set, y.set)};
}
template <class T, int N>
Dual<T, N> power(const Dual<T, N>& x, const Dual<T, N>& y) {
  using std::log;
  const T f = power(x.value, y.value), by_x = y.value * power(x.value, T(y.value - T(1.0)));
  Dual<T, N> r(f);
  for (int i = 0; i < N; ++i) {
    r.d[i] = by_x * x.d[i];
    if (!(y.d[i] == T(0.0))) r.d[i] += f * log(x.value) * y.d[i];
  }
  return r;
}
template <class S>
Taped<S> power(const Taped<S>& x, const Taped<S>& y) {
  using std::log;
  const S f = power(x.value, y.value), by_x = y.value * power(x.value, S(y.value - S(1.0)));
  return y.tape ? chain(x, y, f, by_x, f * log(x.value)) : chain(x, f, by_x);
}
inline double common_log(double x) { return std::log10(x); }
template <class S>
S common_log(const S& x) {
  return log(x) * S(0.4342944819032518277);  // 1/ln 10
}
template <class S>
S integer_power(S x, int n) {
  if (n < 0) return S(1.0) / integer_power(x, -n);
  if (n == 0) return S(1.0);
  while ((n & 1) == 0) {
    x = x * x;
    n >>= 1;
  }
  S product = x;
  while ((n >>= 1) != 0) {
    x = x * x;
    if ((n & 1) != 0) product = product * x;
  }
  return product;
}
/// From y₀ at x ≤ x₀ to y₁ at x ≥ x₁ with u³(10 − 15u + 6u²): first and second derivatives are continuous.
template <class S>
S smooth_step(const S& x, const S& x0, const S& y0, const S& x1, const S& y1) {
  const S u = (x - x0) / (x1 - x0);
  const S between = y0 + (y1 - y0) * (u * u * u * (S(10.0) + u * (u * S(6.0) - S(15.0))));
  if (value_of(x1) == value_of(x0)) return select(value_of(x) < value_of(x0), y0, y1);
  // Outside (also where x₁ < x₀) u is beyond [0, 1]; select keeps the dependencies of all branches.
  return select(value_of(u) <= 0, y0, select(value_of(u) >= 1, y1, between));
}
}  // namespace detail

class Expression {
 public:
  static constexpr int max_stack = 32;             ///< values an evaluation may have waiting
  static constexpr int max_depth = 100;            ///< of nesting while reading
  static constexpr std::size_t max_length = 8192;  ///< characters

  using Constants = std::map<std::string, double, std::less<>>;

  /// The number 0.
  Expression();

  /// Reads `text`. Mistakes name the column, what stands there and what is allowed. An expression without variables must be
  /// finite.
  [[nodiscard]] static Result<Expression> parse(std::string_view text, std::span<const std::string> variables,
                                                const Constants& constants = {});

  /// The value; `variables` in the order given to parse. Never allocates; outside the domain of a function: NaN.
  template <class S>
  [[nodiscard]] S evaluate(std::span<const S> variables) const noexcept {
    return stack_ <= 8 ? run<S, 8>(variables) : run<S, max_stack>(variables);
  }

  [[nodiscard]] bool is_constant() const noexcept;
  /// The next value after x of the (first) variable where the expression has a kink or jumps: comparisons, abs, sign, min,
  /// max, if and step of arguments a·x + b or c + A sin(a·x + b). Infinity: none known.
  [[nodiscard]] double next_break(double x) const noexcept;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// As C99 with these names of the variables; uses <math.h> and `c99_helpers`.
  [[nodiscard]] std::string c99(std::span<const std::string> variables) const;
  [[nodiscard]] static std::string_view c99_helpers();

 private:
  friend class ExpressionParser;
  struct Instruction {
    ExpressionOp op = ExpressionOp::constant;
    int index = 0;
    double value = 0;
  };
  template <class S, int depth>
  [[nodiscard]] S run(std::span<const S> variables) const noexcept;
  template <class S>
  static S one(ExpressionOp op, const S& x) noexcept;
  template <class S>
  static S two(ExpressionOp op, const S& x, const S& y) noexcept;

  std::vector<Instruction> code_;  // postfix
  int stack_ = 1;
  std::string text_;
};

template <class S>
S Expression::one(ExpressionOp op, const S& x) noexcept {
  using std::abs, std::acos, std::asin, std::atan, std::cos, std::cosh, std::exp, std::log, std::sin, std::sinh,
      std::sqrt, std::tan, std::tanh;
  switch (op) {
    case ExpressionOp::negate: return -x;
    case ExpressionOp::sin: return sin(x);
    case ExpressionOp::cos: return cos(x);
    case ExpressionOp::tan: return tan(x);
    case ExpressionOp::asin: return asin(x);
    case ExpressionOp::acos: return acos(x);
    case ExpressionOp::atan: return atan(x);
    case ExpressionOp::sinh: return sinh(x);
    case ExpressionOp::cosh: return cosh(x);
    case ExpressionOp::tanh: return tanh(x);
    case ExpressionOp::exp: return exp(x);
    case ExpressionOp::log: return log(x);
    case ExpressionOp::log10: return detail::common_log(x);
    case ExpressionOp::sqrt: return sqrt(x);
    case ExpressionOp::abs: return abs(x);
    case ExpressionOp::sign: return S(static_cast<double>((value_of(x) > 0) - (value_of(x) < 0)));
    default: return x;
  }
}

template <class S>
S Expression::two(ExpressionOp op, const S& x, const S& y) noexcept {
  using std::atan2;
  const double a = value_of(x), b = value_of(y);
  const auto truth = [](bool holds) { return S(holds ? 1.0 : 0.0); };
  switch (op) {
    case ExpressionOp::add: return x + y;
    case ExpressionOp::subtract: return x - y;
    case ExpressionOp::multiply: return x * y;
    case ExpressionOp::divide: return x / y;
    case ExpressionOp::power: return detail::power(x, y);
    case ExpressionOp::atan2: return atan2(x, y);
    case ExpressionOp::min: return detail::select(a <= b, x, y);
    case ExpressionOp::max: return detail::select(a >= b, x, y);
    case ExpressionOp::less: return truth(a < b);
    case ExpressionOp::less_equal: return truth(a <= b);
    case ExpressionOp::greater: return truth(a > b);
    case ExpressionOp::greater_equal: return truth(a >= b);
    case ExpressionOp::equal: return truth(a == b);
    case ExpressionOp::not_equal: return truth(a != b);
    case ExpressionOp::both: return truth(a != 0 && b != 0);
    case ExpressionOp::either: return truth(a != 0 || b != 0);
    default: return x;
  }
}

template <class S, int depth>
S Expression::run(std::span<const S> variables) const noexcept {
  using std::pow;
  std::array<S, depth> stack;
  int top = -1;  // parse has made sure that 0 ≤ top < depth
  for (const Instruction& i : code_) {
    switch (i.op) {
      case ExpressionOp::constant: stack[++top] = S(i.value); break;
      case ExpressionOp::variable: stack[++top] = variables[i.index]; break;
      case ExpressionOp::integer_power: stack[top] = detail::integer_power(stack[top], i.index); break;
      case ExpressionOp::constant_power: stack[top] = pow(stack[top], i.value); break;
      case ExpressionOp::choose:
        top -= 2;
        stack[top] = detail::select(value_of(stack[top]) != 0, stack[top + 1], stack[top + 2]);
        break;
      case ExpressionOp::step:
        top -= 4;
        stack[top] = detail::smooth_step(stack[top], stack[top + 1], stack[top + 2], stack[top + 3], stack[top + 4]);
        break;
      default:
        if (i.op < ExpressionOp::add) {
          stack[top] = one(i.op, stack[top]);
        } else {
          --top;
          stack[top] = two(i.op, stack[top], stack[top + 1]);
        }
    }
  }
  return stack[0];
}

}  // namespace rubato
