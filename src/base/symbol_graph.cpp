#include "rubato/base/symbol_graph.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "rubato/base/assert.hpp"

namespace rubato {

double evaluated(SymbolOp op, double a, double b, double c) {
  switch (op) {
    case SymbolOp::negate: return -a;
    case SymbolOp::add: return a + b;
    case SymbolOp::subtract: return a - b;
    case SymbolOp::multiply: return a * b;
    case SymbolOp::divide: return a / b;
    case SymbolOp::sin: return std::sin(a);
    case SymbolOp::cos: return std::cos(a);
    case SymbolOp::tan: return std::tan(a);
    case SymbolOp::asin: return std::asin(a);
    case SymbolOp::acos: return std::acos(a);
    case SymbolOp::atan: return std::atan(a);
    case SymbolOp::atan2: return std::atan2(a, b);
    case SymbolOp::exp: return std::exp(a);
    case SymbolOp::log: return std::log(a);
    case SymbolOp::sqrt: return std::sqrt(a);
    case SymbolOp::sinh: return std::sinh(a);
    case SymbolOp::cosh: return std::cosh(a);
    case SymbolOp::tanh: return std::tanh(a);
    case SymbolOp::pow: return std::pow(a, b);
    case SymbolOp::abs: return std::abs(a);
    case SymbolOp::sign: return a < 0 ? -1 : 1;
    case SymbolOp::copysign: return std::copysign(a, b);
    case SymbolOp::positive: return a > 0 ? b : c;
    case SymbolOp::frozen: return a;
    case SymbolOp::constant:
    case SymbolOp::variable: break;
  }
  return 0;
}

int n_operands(SymbolOp op) noexcept {
  switch (op) {
    case SymbolOp::constant:
    case SymbolOp::variable: return 0;
    case SymbolOp::add:
    case SymbolOp::subtract:
    case SymbolOp::multiply:
    case SymbolOp::divide:
    case SymbolOp::atan2:
    case SymbolOp::pow:
    case SymbolOp::copysign: return 2;
    case SymbolOp::positive: return 3;
    default: return 1;
  }
}

std::size_t SymbolGraph::Hash::operator()(const SymbolNode& node) const noexcept {
  std::uint64_t hash = static_cast<std::uint64_t>(node.op);
  for (const std::uint64_t part : {static_cast<std::uint64_t>(node.a), static_cast<std::uint64_t>(node.b),
                                   static_cast<std::uint64_t>(node.c), std::bit_cast<std::uint64_t>(node.value)})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15 ^ (hash >> 29);
  return hash;
}

bool SymbolGraph::Same::operator()(const SymbolNode& a, const SymbolNode& b) const noexcept {
  return a.op == b.op && a.a == b.a && a.b == b.b && a.c == b.c &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

int SymbolGraph::insert(const SymbolNode& node) {
  const auto [place, fresh] = known_.try_emplace(node, size());
  if (fresh) nodes_.push_back(node);
  return place->second;
}

int SymbolGraph::constant(double value) {
  return insert({.op = SymbolOp::constant, .value = value == 0 ? 0.0 : value});  // one zero
}
int SymbolGraph::variable(int number) { return insert({.op = SymbolOp::variable, .a = number}); }

int SymbolGraph::apply(SymbolOp op, int a, int b, int c) {
  const auto fixed = [this](int node) { return node < 0 || is_constant(node); };
  if (fixed(a) && fixed(b) && fixed(c)) {
    const auto value = [this](int node) { return node < 0 ? 0 : (*this)[node].value; };
    return constant(evaluated(op, value(a), value(b), value(c)));
  }
  switch (op) {
    case SymbolOp::negate: return negated(a);
    case SymbolOp::add: return sum(a, b);
    case SymbolOp::subtract: return difference(a, b);
    case SymbolOp::multiply: return product(a, b);
    case SymbolOp::divide: return quotient(a, b);
    case SymbolOp::positive:
      if (is_constant(a)) return (*this)[a].value > 0 ? b : c;
      if (b == c) return b;
      break;
    default: break;
  }
  return insert({.op = op, .a = a, .b = b, .c = c});
}

int SymbolGraph::negated(int a) {
  const SymbolNode node = (*this)[a];
  if (node.op == SymbolOp::negate) return node.a;
  if (node.op == SymbolOp::subtract) return difference(node.b, node.a);
  if (node.op == SymbolOp::multiply && is_constant(node.a)) return product(constant(-(*this)[node.a].value), node.b);
  return insert({.op = SymbolOp::negate, .a = a});
}

int SymbolGraph::sum(int a, int b) {
  if (is(a, 0.0)) return b;
  if (is(b, 0.0)) return a;
  if (is(b, SymbolOp::negate)) return difference(a, (*this)[b].a);
  if (is(a, SymbolOp::negate)) return difference(b, (*this)[a].a);
  if (a > b) std::swap(a, b);
  return insert({.op = SymbolOp::add, .a = a, .b = b});
}

int SymbolGraph::difference(int a, int b) {
  if (a == b) return constant(0);
  if (is(a, 0.0)) return negated(b);
  if (is(b, 0.0)) return a;
  if (is(b, SymbolOp::negate)) return sum(a, (*this)[b].a);
  if (is(a, SymbolOp::negate)) return negated(sum((*this)[a].a, b));
  return insert({.op = SymbolOp::subtract, .a = a, .b = b});
}

/// A constant factor stands first.
int SymbolGraph::product(int a, int b) {
  if (is_constant(b)) std::swap(a, b);
  if (is(a, 0.0)) return a;
  if (is(a, 1.0)) return b;
  if (is(a, -1.0)) return negated(b);
  if (is_constant(a)) {
    const double factor = (*this)[a].value;
    const SymbolNode other = (*this)[b];
    if (other.op == SymbolOp::negate) return product(constant(-factor), other.a);
    if (other.op == SymbolOp::multiply && is_constant(other.a))
      return product(constant(factor * (*this)[other.a].value), other.b);
    return insert({.op = SymbolOp::multiply, .a = a, .b = b});
  }
  if (is(a, SymbolOp::negate)) return negated(product((*this)[a].a, b));
  if (is(b, SymbolOp::negate)) return negated(product(a, (*this)[b].a));
  if (a > b) std::swap(a, b);
  return insert({.op = SymbolOp::multiply, .a = a, .b = b});
}

int SymbolGraph::quotient(int a, int b) {
  if (is(a, 0.0)) return a;
  if (is_constant(b)) return product(constant(1.0 / (*this)[b].value), a);
  const int one = constant(1);
  const int inverse = is(b, SymbolOp::negate) ? negated(insert({.op = SymbolOp::divide, .a = one, .b = (*this)[b].a}))
                                              : insert({.op = SymbolOp::divide, .a = one, .b = b});
  return product(a, inverse);
}

std::vector<double> SymbolGraph::evaluate(std::span<const double> variables) const {
  std::vector<double> values;
  values.reserve(nodes_.size());
  const auto at = [&](int node) { return node < 0 ? 0 : values[static_cast<std::size_t>(node)]; };
  for (const SymbolNode& node : nodes_) {
    if (node.op == SymbolOp::constant)
      values.push_back(node.value);
    else if (node.op == SymbolOp::variable)
      values.push_back(variables[static_cast<std::size_t>(node.a)]);
    else
      values.push_back(evaluated(node.op, at(node.a), at(node.b), at(node.c)));
  }
  return values;
}

std::vector<char> needed_nodes(const SymbolGraph& graph, std::span<const int> roots) {
  std::vector<char> needed(static_cast<std::size_t>(graph.size()), 0);
  for (const int root : roots) needed[static_cast<std::size_t>(root)] = 1;
  for (int node = graph.size(); node-- > 0;) {
    if (needed[static_cast<std::size_t>(node)] == 0 || graph[node].op == SymbolOp::variable) continue;
    for (const int operand : {graph[node].a, graph[node].b, graph[node].c})
      if (operand >= 0) needed[static_cast<std::size_t>(operand)] = 1;
  }
  return needed;
}

SymbolCount count_operations(const SymbolGraph& graph, std::span<const int> roots) {
  SymbolCount count;
  const auto needed = needed_nodes(graph, roots);
  for (int node = 0; node < graph.size(); ++node) {
    if (needed[static_cast<std::size_t>(node)] == 0) continue;
    switch (graph[node].op) {
      case SymbolOp::constant:
      case SymbolOp::variable:
      case SymbolOp::frozen: break;
      case SymbolOp::negate:
      case SymbolOp::add:
      case SymbolOp::subtract: ++count.additions; break;
      case SymbolOp::multiply: ++count.multiplications; break;
      case SymbolOp::divide: ++count.divisions; break;
      default: ++count.functions;
    }
  }
  return count;
}

SymbolGraph thawed(const SymbolGraph& graph, std::span<int> roots) {
  SymbolGraph result;
  const auto needed = needed_nodes(graph, roots);
  std::vector<int> place(needed.size(), -1);
  const auto moved = [&](int node) { return node < 0 ? -1 : place[static_cast<std::size_t>(node)]; };
  for (int node = 0; node < graph.size(); ++node) {
    if (needed[static_cast<std::size_t>(node)] == 0) continue;
    const SymbolNode& old = graph[node];
    int& to = place[static_cast<std::size_t>(node)];
    switch (old.op) {
      case SymbolOp::constant: to = result.constant(old.value); break;
      case SymbolOp::variable: to = result.variable(old.a); break;
      case SymbolOp::frozen: to = moved(old.a); break;
      default: to = result.apply(old.op, moved(old.a), moved(old.b), moved(old.c));
    }
  }
  for (int& root : roots) root = moved(root);
  return result;
}

}  // namespace rubato
