#pragma once
/// A scalar that records what is done with it: running a model on it yields its equations as a graph, from which code is written.
#include <cmath>
#include <compare>
#include <span>
#include <type_traits>
#include <vector>

#include "rubato/base/symbol_graph.hpp"

namespace rubato {

/// A constant, or a node of the thread's recording. Used at set-up only.
/// Comparisons of symbols that are no constants have no answer: the recording notes that it was asked for one, and is of no use then.
struct Symbol {
  double value = 0;  ///< of a constant
  int node = -1;     ///< −1: a constant

  constexpr Symbol() = default;
  template <class A>
  requires std::is_arithmetic_v<A>
  constexpr Symbol(A v) : value(static_cast<double>(v)) {}

  [[nodiscard]] constexpr bool is_constant() const noexcept { return node < 0; }
  /// Without a recording only constants can be worked with.
  [[nodiscard]] static Symbol apply(SymbolOp op, const Symbol& a, const Symbol& b, const Symbol& c);
  [[nodiscard]] static Symbol apply(SymbolOp op, const Symbol& a, const Symbol& b) { return apply(op, a, b, {}); }
  [[nodiscard]] static Symbol apply(SymbolOp op, const Symbol& a) { return apply(op, a, {}, {}); }
  static void note_branch();

  Symbol& operator+=(const Symbol& o) { return *this = *this + o; }
  Symbol& operator-=(const Symbol& o) { return *this = *this - o; }
  Symbol& operator*=(const Symbol& o) { return *this = *this * o; }
  Symbol& operator/=(const Symbol& o) { return *this = *this / o; }

  friend Symbol operator+(const Symbol& a, const Symbol& b) { return apply(SymbolOp::add, a, b); }
  friend Symbol operator-(const Symbol& a, const Symbol& b) { return apply(SymbolOp::subtract, a, b); }
  friend Symbol operator*(const Symbol& a, const Symbol& b) { return apply(SymbolOp::multiply, a, b); }
  friend Symbol operator/(const Symbol& a, const Symbol& b) { return apply(SymbolOp::divide, a, b); }
  friend Symbol operator-(const Symbol& a) { return apply(SymbolOp::negate, a); }
  friend Symbol operator+(const Symbol& a) { return a; }
  friend bool operator==(const Symbol& a, const Symbol& b) { return std::is_eq(a <=> b); }
  friend std::partial_ordering operator<=>(const Symbol& a, const Symbol& b) {
    if (a.is_constant() && b.is_constant()) return a.value <=> b.value;
    note_branch();
    return std::partial_ordering::unordered;
  }
};

inline Symbol sin(const Symbol& x) { return Symbol::apply(SymbolOp::sin, x); }
inline Symbol cos(const Symbol& x) { return Symbol::apply(SymbolOp::cos, x); }
inline Symbol tan(const Symbol& x) { return Symbol::apply(SymbolOp::tan, x); }
inline Symbol asin(const Symbol& x) { return Symbol::apply(SymbolOp::asin, x); }
inline Symbol acos(const Symbol& x) { return Symbol::apply(SymbolOp::acos, x); }
inline Symbol atan(const Symbol& x) { return Symbol::apply(SymbolOp::atan, x); }
inline Symbol atan2(const Symbol& y, const Symbol& x) { return Symbol::apply(SymbolOp::atan2, y, x); }
inline Symbol exp(const Symbol& x) { return Symbol::apply(SymbolOp::exp, x); }
inline Symbol log(const Symbol& x) { return Symbol::apply(SymbolOp::log, x); }
inline Symbol sqrt(const Symbol& x) { return Symbol::apply(SymbolOp::sqrt, x); }
inline Symbol sinh(const Symbol& x) { return Symbol::apply(SymbolOp::sinh, x); }
inline Symbol cosh(const Symbol& x) { return Symbol::apply(SymbolOp::cosh, x); }
inline Symbol tanh(const Symbol& x) { return Symbol::apply(SymbolOp::tanh, x); }
inline Symbol abs(const Symbol& x) { return Symbol::apply(SymbolOp::abs, x); }
inline Symbol pow(const Symbol& x, double p) { return p == 2 ? x * x : Symbol::apply(SymbolOp::pow, x, p); }
inline Symbol hypot(const Symbol& x, const Symbol& y) { return sqrt(x * x + y * y); }
inline Symbol copysign(const Symbol& size, const Symbol& sign) { return Symbol::apply(SymbolOp::copysign, size, sign); }
/// Whoever computes the values looks at them.
constexpr bool isfinite(const Symbol&) noexcept { return true; }
inline Symbol frozen(const Symbol& x) { return x.is_constant() ? x : Symbol::apply(SymbolOp::frozen, x); }

/// Symbols of a thread belong to its recording; one object spans their lives, and there is one at a time.
class Recording {
 public:
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  [[nodiscard]] Symbol variable(int number);
  [[nodiscard]] int node(const Symbol& x) { return x.is_constant() ? graph_.constant(x.value) : x.node; }
  [[nodiscard]] Symbol symbol(int node) const;
  [[nodiscard]] SymbolGraph& graph() noexcept { return graph_; }
  [[nodiscard]] const SymbolGraph& graph() const noexcept { return graph_; }
  /// A comparison was asked for whose answer depends on values.
  [[nodiscard]] bool branched() const noexcept { return branched_; }

 private:
  friend struct Symbol;
  SymbolGraph graph_;
  bool branched_ = false;
};

/// An entry ∂ output / ∂ variable that is wanted.
struct Partial {
  int output, variable;
};

/// How partial derivatives are put together from those of single operations: dy_s = Σ c_sv dy_v, and intermediates v are eliminated one
/// after the other, c_sp ← c_sp + c_sv c_vp. The order decides on the number of products.
enum class EliminationOrder : std::uint8_t {
  forward,  ///< from the variables on: as dual numbers do
  reverse,  ///< from the outputs on: as a tape does
  fewest  ///< always one with the fewest products next (Markowitz): often better than both (Griewank & Walther 2008, chapter 10)
};

/// Entries of the Jacobian of `outputs` by `variables`, both symbols of the recording, in the order asked for.
[[nodiscard]] std::vector<Symbol> partial_derivatives(Recording& recording, std::span<const Symbol> outputs,
                                                      std::span<const Symbol> variables,
                                                      std::span<const Partial> wanted, EliminationOrder order);

}  // namespace rubato
