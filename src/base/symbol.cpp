#include "rubato/base/symbol.hpp"

#include <map>
#include <set>
#include <utility>

#include "rubato/base/assert.hpp"
#include "rubato/base/dual.hpp"

namespace rubato {

namespace {

thread_local Recording* current = nullptr;

using Slopes = Dual<Symbol, 2>;

/// One operation over dual numbers over symbols: its derivatives are those of elementary.hpp.
Slopes differentiated(SymbolOp op, const Slopes& a, const Slopes& b) {
  switch (op) {
    case SymbolOp::negate: return -a;
    case SymbolOp::add: return a + b;
    case SymbolOp::subtract: return a - b;
    case SymbolOp::multiply: return a * b;
    case SymbolOp::divide: return a / b;
    case SymbolOp::sin: return sin(a);
    case SymbolOp::cos: return cos(a);
    case SymbolOp::tan: return tan(a);
    case SymbolOp::asin: return asin(a);
    case SymbolOp::acos: return acos(a);
    case SymbolOp::atan: return atan(a);
    case SymbolOp::atan2: return atan2(a, b);
    case SymbolOp::exp: return exp(a);
    case SymbolOp::log: return log(a);
    case SymbolOp::sqrt: return sqrt(a);
    case SymbolOp::sinh: return sinh(a);
    case SymbolOp::cosh: return cosh(a);
    case SymbolOp::tanh: return tanh(a);
    case SymbolOp::pow: return pow(a, b.value.value);
    case SymbolOp::abs: return chain(a, abs(a.value), Symbol::apply(SymbolOp::sign, a.value));
    case SymbolOp::constant:
    case SymbolOp::variable:
    case SymbolOp::sign:
    case SymbolOp::copysign:
    case SymbolOp::positive:
    case SymbolOp::frozen: break;
  }
  return {};
}

/// dy_s = Σ c_sv dy_v over the vertices that lead from wanted variables to wanted outputs.
class LinearisedGraph {
 public:
  explicit LinearisedGraph(std::size_t size) : from_(size), to_(size) {}

  void add(int s, int v, const Symbol& slope) {
    if (slope.is_constant() && slope.value == 0) return;
    const auto [place, fresh] = from_[static_cast<std::size_t>(s)].try_emplace(v, slope);
    if (fresh)
      to_[static_cast<std::size_t>(v)].insert(s);
    else
      place->second += slope;
  }
  [[nodiscard]] const std::map<int, Symbol>& from(int s) const { return from_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] const std::set<int>& to(int v) const { return to_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] long products(int v) const { return static_cast<long>(from(v).size() * to(v).size()); }

  /// Forgets a vertex without replacing it: nothing that is wanted depends on it.
  void erase(int v) {
    for (const auto& [p, slope] : from(v)) to_[static_cast<std::size_t>(p)].erase(v);
    for (const int s : to(v)) from_[static_cast<std::size_t>(s)].erase(v);
    from_[static_cast<std::size_t>(v)].clear();
    to_[static_cast<std::size_t>(v)].clear();
  }
  /// c_sp ← c_sp + c_sv c_vp.
  void eliminate(int v) {
    for (const int s : std::set<int>(to(v)))
      for (const auto& [p, slope] : std::map<int, Symbol>(from(v))) add(s, p, from(s).at(v) * slope);
    erase(v);
  }

 private:
  std::vector<std::map<int, Symbol>> from_;
  std::vector<std::set<int>> to_;
};

void eliminate_fewest_products_first(LinearisedGraph& linear, std::span<const int> inner) {
  const std::set<int> is_inner(inner.begin(), inner.end());
  std::map<int, long> products;
  std::set<std::pair<long, int>> queue;
  const auto put = [&](int v) {
    if (!is_inner.contains(v)) return;
    if (const auto old = products.find(v); old != products.end()) queue.erase({old->second, v});
    products[v] = linear.products(v);
    queue.insert({linear.products(v), v});
  };
  for (const int v : inner) put(v);
  while (!queue.empty()) {
    const int v = queue.begin()->second;
    queue.erase(queue.begin());
    products.erase(v);
    std::set<int> touched(linear.to(v));
    for (const auto& [p, slope] : linear.from(v)) touched.insert(p);
    linear.eliminate(v);
    for (const int other : touched)
      if (products.contains(other)) put(other);
  }
}

}  // namespace

Symbol Symbol::apply(SymbolOp op, const Symbol& a, const Symbol& b, const Symbol& c) {
  const int n = n_operands(op);
  if (a.is_constant() && (n < 2 || b.is_constant()) && (n < 3 || c.is_constant()))
    return evaluated(op, a.value, b.value, c.value);
  RUBATO_ASSERT(current != nullptr, "a symbol outside its recording");
  return current->symbol(
      current->graph_.apply(op, current->node(a), n < 2 ? -1 : current->node(b), n < 3 ? -1 : current->node(c)));
}

void Symbol::note_branch() {
  RUBATO_ASSERT(current != nullptr, "a symbol outside its recording");
  current->branched_ = true;
}

Recording::Recording() {
  RUBATO_ASSERT(current == nullptr, "one recording at a time");
  current = this;
}
Recording::~Recording() { current = nullptr; }

Symbol Recording::variable(int number) { return symbol(graph_.variable(number)); }

Symbol Recording::symbol(int node) const {
  if (graph_.is_constant(node)) return graph_[node].value;
  Symbol x;
  x.node = node;
  return x;
}

std::vector<Symbol> partial_derivatives(Recording& recording, std::span<const Symbol> outputs,
                                        std::span<const Symbol> variables, std::span<const Partial> wanted,
                                        EliminationOrder order) {
  SymbolGraph& graph = recording.graph();
  // Vertices: the nodes so far, then the outputs, for an output may be an intermediate of another, or a variable.
  const int n_nodes = graph.size();
  const auto vertex_of = [&](int output) { return n_nodes + output; };
  std::vector<char> depends(static_cast<std::size_t>(n_nodes), 0), is_variable(depends), leads(depends),
      is_wanted(outputs.size(), 0);
  for (const auto& [output, variable] : wanted) {
    const Symbol &f = outputs[static_cast<std::size_t>(output)], &x = variables[static_cast<std::size_t>(variable)];
    if (!x.is_constant()) is_variable[static_cast<std::size_t>(x.node)] = depends[static_cast<std::size_t>(x.node)] = 1;
    if (f.is_constant()) continue;
    leads[static_cast<std::size_t>(f.node)] = 1;
    is_wanted[static_cast<std::size_t>(output)] = 1;
  }
  const auto operands = [&](int v) {
    const SymbolNode& node = graph[v];
    return n_operands(node.op) == 0 ? std::pair(-1, -1) : std::pair(node.a, node.b);
  };
  const auto marked = [](const std::vector<char>& marks, int v) {
    return v >= 0 && marks[static_cast<std::size_t>(v)] != 0;
  };
  for (int v = 0; v < n_nodes; ++v) {
    const auto [a, b] = operands(v);
    if (graph[v].op != SymbolOp::frozen && (marked(depends, a) || marked(depends, b)))
      depends[static_cast<std::size_t>(v)] = 1;
  }
  for (int v = n_nodes; v-- > 0;) {
    if (!marked(leads, v)) continue;
    const auto [a, b] = operands(v);
    for (const int operand : {a, b})
      if (marked(depends, operand)) leads[static_cast<std::size_t>(operand)] = 1;
  }

  LinearisedGraph linear(static_cast<std::size_t>(n_nodes) + outputs.size());
  std::vector<int> inner;
  for (int v = 0; v < n_nodes; ++v) {
    if (!marked(leads, v) || !marked(depends, v) || marked(is_variable, v)) continue;
    inner.push_back(v);
    const auto [a, b] = operands(v);
    Slopes left(recording.symbol(a)), right;
    left.d[0] = 1;
    if (b >= 0) {
      right.value = recording.symbol(b);
      right.d[1] = 1;
    }
    const Slopes slopes = differentiated(graph[v].op, left, right);
    if (marked(depends, a)) linear.add(v, a, slopes.d[0]);
    if (marked(depends, b)) linear.add(v, b, slopes.d[1]);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (is_wanted[i] != 0 && marked(depends, outputs[i].node))
      linear.add(vertex_of(static_cast<int>(i)), outputs[i].node, 1);
  for (std::size_t k = inner.size(); k-- > 0;)  // slopes of zero may have cut ways
    if (linear.to(inner[k]).empty()) linear.erase(inner[k]);

  switch (order) {
    case EliminationOrder::forward:
      for (const int v : inner) linear.eliminate(v);
      break;
    case EliminationOrder::reverse:
      for (std::size_t k = inner.size(); k-- > 0;) linear.eliminate(inner[k]);
      break;
    case EliminationOrder::fewest: eliminate_fewest_products_first(linear, inner); break;
  }
  std::vector<Symbol> result;
  for (const auto& [output, variable] : wanted) {
    const Symbol& x = variables[static_cast<std::size_t>(variable)];
    const auto& row = linear.from(vertex_of(output));
    const auto entry = x.is_constant() ? row.end() : row.find(x.node);
    result.push_back(entry == row.end() ? Symbol(0) : entry->second);
  }
  return result;
}

}  // namespace rubato
