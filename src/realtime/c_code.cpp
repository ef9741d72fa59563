#include "realtime/c_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rubato/base/text.hpp"

namespace rubato::realtime {

namespace {

/// Items with commas, in lines of at most 118 characters.
std::string listed(std::span<const std::string> items) {
  std::string text, line = "   ";
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = " " + items[i] + (i + 1 < items.size() ? "," : "");
    if (line.size() + item.size() > 118) {
      text += line + "\n";
      line = "   ";
    }
    line += item;
  }
  return text + line + "\n";
}

/// Statements of a program in an order in which they can be made: operands before operations, results as soon as they are there.
struct Statement {
  int node;
  const StraightLine::Result* result = nullptr;  ///< null: the node itself
};

std::vector<Statement> statements_of(const StraightLine& program) {
  const SymbolGraph& graph = program.graph;
  std::vector<char> made(static_cast<std::size_t>(graph.size()), 0);
  std::vector<Statement> statements;
  std::vector<int> waiting;
  const auto make = [&](int root) {
    waiting.push_back(root);
    while (!waiting.empty()) {
      const int node = waiting.back();
      bool ready = made[static_cast<std::size_t>(node)] == 0 && n_operands(graph[node].op) > 0;
      if (!ready) {
        waiting.pop_back();
        continue;
      }
      for (const int operand : {graph[node].c, graph[node].b, graph[node].a})
        if (operand >= 0 && made[static_cast<std::size_t>(operand)] == 0 && n_operands(graph[operand].op) > 0) {
          waiting.push_back(operand);
          ready = false;
        }
      if (!ready) continue;
      waiting.pop_back();
      made[static_cast<std::size_t>(node)] = 1;
      statements.push_back({node});
    }
  };
  for (const auto& result : program.results) {
    make(result.node);
    statements.push_back({result.node, &result});
  }
  for (const auto& condition : program.conditions) make(condition.node);
  return statements;
}

class Writer {
 public:
  Writer(const StraightLine& program, const CContext& context) : graph_(program.graph), context_(context) {
    for (const auto& condition : program.conditions) {
      const auto [place, fresh] = bounds_.try_emplace(condition.node, condition.above);
      if (!fresh) place->second = std::max(place->second, condition.above);
    }
  }

  [[nodiscard]] std::string operand(int node) const {
    const SymbolNode& at = graph_[node];
    if (at.op == SymbolOp::constant) return at.value < 0 ? "(" + c_number(at.value) + ")" : c_number(at.value);
    if (at.op != SymbolOp::variable) return fmt::format("v{}", node);
    if (at.a < context_.n_unknowns) return fmt::format("s->{}[{}]", context_.unknowns, at.a);
    if (at.a < context_.n_unknowns + context_.n_inputs) return fmt::format("s->u[{}]", at.a - context_.n_unknowns);
    return "s->t";
  }

  [[nodiscard]] std::string operation(int node) const {
    const SymbolNode& at = graph_[node];
    std::string a = operand(at.a);
    const std::string b = at.b < 0 ? "" : operand(at.b), c = at.c < 0 ? "" : operand(at.c);
    switch (at.op) {
      case SymbolOp::negate: return "-" + a;
      case SymbolOp::add: return a + " + " + b;
      case SymbolOp::subtract: return a + " - " + b;
      case SymbolOp::multiply: return a + " * " + b;
      case SymbolOp::divide: return a + " / " + b;
      case SymbolOp::sin: return "sin(" + a + ")";
      case SymbolOp::cos: return "cos(" + a + ")";
      case SymbolOp::tan: return "tan(" + a + ")";
      case SymbolOp::asin: return "asin(" + a + ")";
      case SymbolOp::acos: return "acos(" + a + ")";
      case SymbolOp::atan: return "atan(" + a + ")";
      case SymbolOp::atan2: return "atan2(" + a + ", " + b + ")";
      case SymbolOp::exp: return "exp(" + a + ")";
      case SymbolOp::log: return "log(" + a + ")";
      case SymbolOp::sqrt: return "sqrt(" + a + ")";
      case SymbolOp::sinh: return "sinh(" + a + ")";
      case SymbolOp::cosh: return "cosh(" + a + ")";
      case SymbolOp::tanh: return "tanh(" + a + ")";
      case SymbolOp::pow: return "pow(" + a + ", " + b + ")";
      case SymbolOp::abs: return "fabs(" + a + ")";
      case SymbolOp::sign: return a + " < 0.0 ? -1.0 : 1.0";
      case SymbolOp::copysign: return "copysign(" + a + ", " + b + ")";
      case SymbolOp::positive: return a + " > 0.0 ? " + b + " : " + c;
      case SymbolOp::constant:
      case SymbolOp::variable:
      case SymbolOp::frozen: break;
    }
    return a;
  }

  [[nodiscard]] std::string statement(const Statement& it) const {
    if (it.result != nullptr) return fmt::format("  s->{} = {};\n", it.result->target, operand(it.node));
    std::string text = fmt::format("  const double v{} = {};\n", it.node, operation(it.node));
    if (const auto bound = bounds_.find(it.node); bound != bounds_.end())
      text += fmt::format("  if (v{} <= {}) s->regular = 0;\n", it.node, c_number(bound->second));
    return text;
  }

  /// Nodes that a statement reads and that have statements of their own.
  [[nodiscard]] std::vector<int> reads(const Statement& it) const {
    std::vector<int> nodes;
    const SymbolNode& at = graph_[it.node];
    const auto add = [&](int node) {
      if (node >= 0 && n_operands(graph_[node].op) > 0) nodes.push_back(node);
    };
    if (it.result != nullptr)
      add(it.node);
    else
      for (const int operand : {at.a, at.b, at.c}) add(operand);
    return nodes;
  }

 private:
  const SymbolGraph& graph_;
  const CContext& context_;
  std::map<int, double> bounds_;
};

}  // namespace

std::string c_number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::string text = shortest(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string c_table(std::string_view name, std::span<const int> values) {
  std::vector<std::string> items;
  for (const int value : values) items.push_back(fmt::to_string(value));
  if (items.empty()) items.emplace_back("0");
  const bool is_short = std::all_of(values.begin(), values.end(), [](int value) { return value < 65536; });
  return fmt::format("static const {} {}[{}] = {{\n{}}};\n", is_short ? "unsigned short" : "int", name, items.size(),
                     listed(items));
}

std::string c_table(std::string_view name, std::span<const double> values) {
  std::vector<std::string> items;
  for (const double value : values) items.push_back(c_number(value));
  if (items.empty()) items.emplace_back("0.0");
  return fmt::format("static const double {}[{}] = {{\n{}}};\n", name, items.size(), listed(items));
}

std::string c_names(std::string_view name, std::span<const std::string> texts) {
  std::vector<std::string> items;
  for (const auto& text : texts) {
    std::string quoted;
    for (const char c : text) {
      if (c == '"' || c == '\\' || c == '?') quoted += '\\';  // ??( would be a trigraph
      quoted += c;
    }
    items.push_back("\"" + quoted + "\"");
  }
  return fmt::format("const char *const {}[{}] = {{\n{}}};\n", name, items.size(), listed(items));
}

CProgram c_program(const StraightLine& program, std::string_view name, const CContext& context, int largest_function) {
  const Writer writer(program, context);
  const auto statements = statements_of(program);
  const auto part_of = [&](std::size_t i) { return i / static_cast<std::size_t>(largest_function); };
  std::map<int, std::size_t> made_in;
  std::map<int, int> slots;  // of nodes that other parts need
  for (std::size_t i = 0; i < statements.size(); ++i) {
    for (const int node : writer.reads(statements[i]))
      if (made_in.at(node) != part_of(i)) slots.try_emplace(node, static_cast<int>(slots.size()));
    if (statements[i].result == nullptr) made_in[statements[i].node] = part_of(i);
  }
  CProgram made{.text = {}, .n_shared = static_cast<int>(slots.size())};
  const std::size_t n_parts = statements.empty() ? 0 : part_of(statements.size() - 1) + 1;
  for (std::size_t part = 0; part < n_parts; ++part) {
    made.text += fmt::format("static void {}_{}({} *s)\n{{\n", name, part + 1, context.type);
    std::set<int> loaded;
    for (std::size_t i = part * static_cast<std::size_t>(largest_function); i < statements.size() && part_of(i) == part;
         ++i) {
      const Statement& it = statements[i];
      for (const int node : writer.reads(it))
        if (made_in.at(node) != part && loaded.insert(node).second)
          made.text += fmt::format("  const double v{} = s->w[{}];\n", node, slots.at(node));
      made.text += writer.statement(it);
      if (const auto slot = slots.find(it.node); it.result == nullptr && slot != slots.end())
        made.text += fmt::format("  s->w[{}] = v{};\n", slot->second, it.node);
    }
    made.text += "}\n\n";
  }
  made.text += fmt::format("static void {}({} *s)\n{{\n", name, context.type);
  for (std::size_t part = 0; part < n_parts; ++part) made.text += fmt::format("  {}_{}(s);\n", name, part + 1);
  if (n_parts == 0) made.text += "  (void)s;\n";
  made.text += "}\n\n";
  return made;
}

}  // namespace rubato::realtime
