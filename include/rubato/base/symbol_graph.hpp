#pragma once
/// Expressions as a graph: every operation stands there once, however often it is asked for.
///
/// Folded where they are made: operations on constants, 0 + x, 1 x, 0 x, x − x, signs and c₁ (c₂ x). A quotient is a product with an inverse,
/// as dual numbers have it. Sums and products know their operands in either order. Nothing else is rearranged: what is computed from a
/// graph differs from the text it came from by the rounding of these only.
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace rubato {

enum class SymbolOp : std::uint8_t {
  constant,
  variable,
  negate,
  add,
  subtract,
  multiply,
  divide,  ///< 1 / b
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,  ///< (y, x)
  exp,
  log,
  sqrt,
  sinh,
  cosh,
  tanh,
  pow,       ///< the second operand is a constant
  abs,       ///< derivative sign(x)
  sign,      ///< −1 below 0, else 1; derivative 0
  copysign,  ///< size of the first, sign of the second operand; not differentiated
  positive,  ///< a > 0 ? b : c; not differentiated
  frozen     ///< x, derivative 0
};

/// Operands are nodes made before; −1: none. A variable has its number in `a`, a constant its value.
struct SymbolNode {
  SymbolOp op = SymbolOp::constant;
  int a = -1, b = -1, c = -1;
  double value = 0;
};

/// The number an operation makes of numbers; operands beyond those it has do not count.
[[nodiscard]] double evaluated(SymbolOp op, double a, double b = 0, double c = 0);
/// 0 … 3.
[[nodiscard]] int n_operands(SymbolOp op) noexcept;

class SymbolGraph {
 public:
  [[nodiscard]] int constant(double value);
  [[nodiscard]] int variable(int number);
  [[nodiscard]] int apply(SymbolOp op, int a, int b = -1, int c = -1);

  [[nodiscard]] const SymbolNode& operator[](int node) const noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] bool is_constant(int node) const noexcept { return (*this)[node].op == SymbolOp::constant; }

  /// Every node at these values of the variables.
  [[nodiscard]] std::vector<double> evaluate(std::span<const double> variables) const;

 private:
  [[nodiscard]] bool is(int node, double value) const noexcept {
    return is_constant(node) && (*this)[node].value == value;
  }
  [[nodiscard]] bool is(int node, SymbolOp op) const noexcept { return node >= 0 && (*this)[node].op == op; }
  [[nodiscard]] int negated(int a);
  [[nodiscard]] int sum(int a, int b);
  [[nodiscard]] int difference(int a, int b);
  [[nodiscard]] int product(int a, int b);
  [[nodiscard]] int quotient(int a, int b);
  [[nodiscard]] int insert(const SymbolNode& node);

  struct Hash {
    std::size_t operator()(const SymbolNode& node) const noexcept;
  };
  struct Same {
    bool operator()(const SymbolNode& a, const SymbolNode& b) const noexcept;
  };
  std::vector<SymbolNode> nodes_;
  std::unordered_map<SymbolNode, int, Hash, Same> known_;
};

/// Operations that nodes stand for: sums with differences and signs, products, quotients, and all functions.
struct SymbolCount {
  long additions = 0, multiplications = 0, divisions = 0, functions = 0;
  [[nodiscard]] long all() const noexcept { return additions + multiplications + divisions + functions; }
};

/// 1 for every node that one of the roots needs, else 0.
[[nodiscard]] std::vector<char> needed_nodes(const SymbolGraph& graph, std::span<const int> roots);
[[nodiscard]] SymbolCount count_operations(const SymbolGraph& graph, std::span<const int> roots);

/// What the roots need, without `frozen`: values alone, to be computed. Roots become those of the new graph.
[[nodiscard]] SymbolGraph thawed(const SymbolGraph& graph, std::span<int> roots);

}  // namespace rubato
