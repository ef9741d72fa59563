#include "realtime/step_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/problem/symbolic_equations.hpp"
#include "rubato/realtime/static_lu.hpp"
#include "rubato/realtime/static_qr.hpp"

namespace rubato::realtime {

namespace {

/// A symbol that takes the solvers' tests of pivots for granted and remembers them.
struct Watched {
  Symbol symbol;
  static inline thread_local std::vector<std::pair<Symbol, double>> conditions;

  Watched() = default;
  Watched(double value) : symbol(value) {}
  Watched(const Symbol& s) : symbol(s) {}
  friend Watched operator+(const Watched& a, const Watched& b) { return a.symbol + b.symbol; }
  friend Watched operator-(const Watched& a, const Watched& b) { return a.symbol - b.symbol; }
  friend Watched operator*(const Watched& a, const Watched& b) { return a.symbol * b.symbol; }
  friend Watched operator/(const Watched& a, const Watched& b) { return a.symbol / b.symbol; }
  friend bool operator>(const Watched& a, const Watched& b) {
    if (a.symbol.is_constant()) return a.symbol.value > b.symbol.value;
    conditions.emplace_back(a.symbol, b.symbol.value);
    return true;
  }
};
Watched abs(const Watched& x) { return abs(x.symbol); }
Watched sqrt(const Watched& x) { return sqrt(x.symbol); }
Watched copysign(const Watched& size, const Watched& sign) { return copysign(size.symbol, sign.symbol); }
Watched where_positive(const Watched& x, const Watched& yes, const Watched& no) {
  return Symbol::apply(SymbolOp::positive, x.symbol, yes.symbol, no.symbol);
}

std::vector<int> nodes_of(Recording& recording, std::span<const Symbol> symbols) {
  std::vector<int> nodes;
  for (const Symbol& symbol : symbols) nodes.push_back(recording.node(symbol));
  return nodes;
}

/// Results and conditions become nodes of a graph of their own.
StraightLine program_of(Recording& recording, std::span<const Symbol> values, std::vector<std::string> targets,
                        std::span<const std::pair<Symbol, double>> conditions = {}) {
  std::vector<int> roots = nodes_of(recording, values);
  for (const auto& [symbol, above] : conditions) roots.push_back(recording.node(symbol));
  StraightLine program;
  program.graph = thawed(recording.graph(), roots);
  for (std::size_t i = 0; i < values.size(); ++i) program.results.push_back({roots[i], std::move(targets[i])});
  for (std::size_t i = 0; i < conditions.size(); ++i)
    program.conditions.push_back({roots[values.size() + i], conditions[i].second});
  return program;
}

std::vector<std::string> targets(std::string_view array, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(fmt::format("{}[{}]", array, i));
  return names;
}

SymbolCount minus(SymbolCount a, const SymbolCount& b) {
  a.additions -= b.additions;
  a.multiplications -= b.multiplications;
  a.divisions -= b.divisions;
  a.functions -= b.functions;
  return a;
}

/// What remains of a count when `frozen` is gone.
SymbolCount count(Recording& recording, std::span<const Symbol> values) {
  const StraightLine program = program_of(recording, values, std::vector<std::string>(values.size()));
  std::vector<int> roots;
  for (const auto& result : program.results) roots.push_back(result.node);
  return count_operations(program.graph, roots);
}

/// One number of a recording is not that of the model; one that is not finite may only be the same infinity.
bool differ(In recorded, In model) {
  double size = 0;
  for (const double number : model)
    if (std::isfinite(number)) size = std::max(size, std::abs(number));
  for (std::size_t i = 0; i < model.size(); ++i)
    if (recorded[i] != model[i] && !(std::abs(recorded[i] - model[i]) <= 1e-8 * size)) return true;
  return false;
}

class Recorder {
 public:
  Recorder(const Dae& dae, const Plan& plan, const Sample& start)
      : dae_(dae), plan_(plan), start_(start), matrix_(step_matrix(plan)), scratch_(dae.scratch_bytes()) {
    for (int i = 0; i < dae.size(); ++i) x_.push_back(recording_.variable(i));
    for (int i = 0; i < dae.n_inputs(); ++i) u_.push_back(recording_.variable(dae.size() + i));
    f_.resize(x_.size());
  }

  Result<StepProgram> record(const SymbolicEquations& equations, double largest_solution) {
    const Point<Symbol> at{.t = recording_.variable(dae_.size() + dae_.n_inputs()),
                           .x = x_,
                           .u = u_,
                           .base = {},
                           .mode = 0,
                           .scratch = scratch_.scratch()};
    if (equations.f(at, f_) != EvalStatus::ok) return Error{"export: the model refuses to evaluate over symbols"};
    std::vector<Symbol> y(dae_.output_names().size());
    if (!y.empty() && equations.outputs(at, y) != EvalStatus::ok)
      return Error{"export: the model's outputs are not written over symbols"};
    if (recording_.branched())
      return Error{"export: the model branches on values of its unknowns, inputs or time: no program without branches"};
    const auto jacobians = sampled_jacobians(dae_, plan_.structure, {start_});
    if (!jacobians) return jacobians.error();
    jacobian_ = jacobians->front();
    for (const Symbol& f : f_) step_f_.push_back(plan_.step * f);

    StepProgram program;
    differentiate(program);
    if (const auto same = check(); !same) return same.error();
    std::vector<Symbol> all = step_f_;
    program.equations = count(recording_, all);
    auto names = targets("f", f_.size());
    for (const auto& [place, value] : changing_) {
      all.push_back(value);
      names.push_back(fmt::format("a[{}]", place));
    }
    program.derivatives = minus(count(recording_, all), program.equations);
    program.step = program_of(recording_, all, names);
    if (plan_.operations.weight() <= largest_solution)
      if (const auto solved = solve(program, all, names, largest_solution); !solved) return solved.error();

    std::vector<Symbol> g;
    for (std::size_t i = 0; i < f_.size(); ++i)
      if (plan_.structure.algebraic[i] != 0) g.push_back(f_[i]);
    program.residual = program_of(recording_, g, targets("g", g.size()));
    program.outputs = program_of(recording_, y, targets("y", y.size()));
    return program;
  }

 private:
  /// Entries that change, in the order of elimination that costs least.
  void differentiate(StepProgram& program) {
    const SparsePattern& pattern = plan_.structure.jacobian;
    std::vector<Partial> wanted;
    std::vector<int> places;
    std::vector<double> settled = jacobian_;
    for (int col = 0, p = 0; col < pattern.cols(); ++col)
      for (const int row : pattern.column(col)) {
        if (plan_.keep[p] != 0 && plan_.constant[p] == 0) {
          wanted.push_back({row, col});
          wanted_values_.push_back(jacobian_[p]);
          places.push_back(matrix_.pattern().index_of(row, col));
          settled[p] = 0;
        }
        ++p;
      }
    program.constant.resize(static_cast<std::size_t>(matrix_.pattern().nnz()));
    matrix_.fill(settled, program.constant);
    long best = std::numeric_limits<long>::max();
    for (const auto order : {EliminationOrder::fewest, EliminationOrder::forward, EliminationOrder::reverse}) {
      auto partials = partial_derivatives(recording_, f_, x_, wanted, order);
      std::vector<Symbol> all = f_;
      all.insert(all.end(), partials.begin(), partials.end());
      if (const long cost = count(recording_, all).all(); cost < best) {
        best = cost;
        partials_ = std::move(partials);
      }
    }
    for (std::size_t k = 0; k < places.size(); ++k)
      changing_.emplace_back(places[k], program.constant[places[k]] - plan_.step * partials_[k]);
  }

  /// f and the derivatives of the recording are the model's at the start.
  Result<void> check() {
    std::vector<double> variables(start_.x.data(), start_.x.data() + start_.x.size()), f(f_.size());
    variables.insert(variables.end(), start_.u.data(), start_.u.data() + start_.u.size());
    variables.push_back(start_.t);
    const At at{
        .t = start_.t, .x = view(start_.x), .u = view(start_.u), .base = {}, .mode = 0, .scratch = scratch_.scratch()};
    if (dae_.f(at, f) != EvalStatus::ok) return Error{"export: the model refuses to evaluate at the start"};
    const std::vector<int> f_nodes = nodes_of(recording_, f_), slopes = nodes_of(recording_, partials_);
    const auto values = recording_.graph().evaluate(variables);
    const auto picked = [&](const std::vector<int>& nodes) {
      std::vector<double> numbers;
      numbers.reserve(nodes.size());
      for (const int node : nodes) numbers.push_back(values[static_cast<std::size_t>(node)]);
      return numbers;
    };
    if (differ(picked(f_nodes), f) || differ(picked(slopes), wanted_values_))
      return Error{
          "export: recorded, the equations are not those of the model; does it look at values inside scalars?"};
    return {};
  }

  /// Factorisation and solution over symbols: what is constant is done with.
  Result<void> solve(StepProgram& program, std::vector<Symbol> all, std::vector<std::string> names,
                     double largest_solution) {
    std::vector<Watched> values(program.constant.begin(), program.constant.end()), b(step_f_.begin(), step_f_.end()),
        delta(b.size());
    for (const auto& [place, value] : changing_) values[place] = value;
    Watched::conditions.clear();
    const auto solved = [&] {
      const std::span<const Watched> a(values), rhs(b);
      const std::span<Watched> x(delta);
      if (plan_.back_end == StaticKind::lu) {
        const LuTables tables(matrix_.pattern(), plan_.ordering);
        LuMemory<Watched> memory(tables);
        return lu_solve(tables, a, rhs, x, memory);
      }
      const QrTables tables(matrix_.pattern(), plan_.ordering);
      QrMemory<Watched> memory(tables);
      return qr_solve(tables, a, rhs, x, memory);
    }();
    if (solved != SolveStatus::ok) return Error{"export: the step matrix is singular whatever the state"};
    if (plan_.back_end == StaticKind::qr) {  // only the monitor of LU looks at f and a
      all.clear();
      names.clear();
    }
    const auto before = all.size();
    for (const Watched& value : delta) all.push_back(value.symbol);
    for (auto& name : targets("delta", delta.size())) names.push_back(std::move(name));
    auto whole = program_of(recording_, all, names, Watched::conditions);
    auto symbols = all;
    for (const auto& condition : Watched::conditions) symbols.push_back(condition.first);
    const auto own = before == 0 ? SymbolCount{} : count(recording_, std::span(all).first(before));
    Watched::conditions.clear();
    const SymbolCount total = count(recording_, symbols);
    if (static_cast<double>(total.all()) > largest_solution) return {};
    program.step = std::move(whole);
    program.solves = true;
    program.solution = before == 0 ? minus(minus(total, program.equations), program.derivatives) : minus(total, own);
    return {};
  }

  const Dae& dae_;
  const Plan& plan_;
  const Sample& start_;
  KeptMatrix matrix_;
  ScratchMemory scratch_;
  Recording recording_;
  std::vector<Symbol> x_, u_, f_, step_f_, partials_;
  std::vector<double> jacobian_, wanted_values_;
  std::vector<std::pair<int, Symbol>> changing_;  ///< places of A
};

}  // namespace

Result<StepProgram> record_step(const Dae& dae, const Plan& plan, const Sample& start, double largest_solution) {
  const auto structure = model_structure(dae, start);
  if (!structure) return structure.error();
  if (const auto fine = check_plan(plan, *structure); !fine) return fine.error();
  if (plan.step_numbers != std::vector<int>{1})
    return Error{
        "export: the plan extrapolates; only single steps of the linearly implicit Euler method are written "
        "(--step-numbers 1)"};
  if (plan.drop_below > 0)
    return Error{"export: the plan drops entries in every step, which is not written (--drop-below 0)"};
  if (plan.projections != 0) return Error{"export: the plan projects onto constraints, which is not written"};
  const SymbolicEquations* equations = symbolic_equations(dae);
  if (equations == nullptr || dae.base_size() > 0 || !dae.roots().empty())
    return Error{
        "export: the equations of this model cannot be recorded. It must be a template over its scalar, free of "
        "branches "
        "on values, that says `recordable`; mechanisms from model files are none"};
  return Recorder(dae, plan, start).record(*equations, largest_solution);
}

}  // namespace rubato::realtime
