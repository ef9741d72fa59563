// Inline integration: x' = (x_{n+1} − x_n)/τ put into the equations before they are sorted, one nonlinear system per step.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "experiments/realtime_sparsing/realtime_sparsing.hpp"
#include "experiments/realtime_sparsing/robot_run.hpp"
#include "rubato/realtime/block_triangular.hpp"

namespace rubato::experiments::sparsing {

using namespace realtime;

namespace {

/// How many unknowns must be guessed so that the others of a block follow one after the other, each from one equation: vertices whose
/// removal leaves no circle in the graph of equations, each with its unknown on the diagonal. Chosen one by one; a vertex with one
/// neighbour before or behind it is passed through (Levy and Low, J. Algorithms 9 (1988) 470).
int torn_unknowns(const SparsePattern& block) {
  const int n = block.cols();
  std::vector<std::set<int>> before(static_cast<std::size_t>(n)), behind(before);
  for (int col = 0; col < n; ++col)
    for (const int row : block.column(col))
      if (row != col) {
        before[static_cast<std::size_t>(row)].insert(col);
        behind[static_cast<std::size_t>(col)].insert(row);
      }
  std::set<int> left;
  for (int i = 0; i < n; ++i) left.insert(i);
  const auto remove = [&](int i, bool connect) {
    const auto at = static_cast<std::size_t>(i);
    for (const int b : before[at]) behind[static_cast<std::size_t>(b)].erase(i);
    for (const int f : behind[at]) before[static_cast<std::size_t>(f)].erase(i);
    if (connect)
      for (const int b : before[at])
        for (const int f : behind[at]) {
          behind[static_cast<std::size_t>(b)].insert(f);
          before[static_cast<std::size_t>(f)].insert(b);
        }
    left.erase(i);
  };
  int torn = 0;
  while (!left.empty()) {
    const auto degree = [&](int i) {
      return before[static_cast<std::size_t>(i)].size() * behind[static_cast<std::size_t>(i)].size();
    };
    const auto looped =
        std::find_if(left.begin(), left.end(), [&](int i) { return before[static_cast<std::size_t>(i)].count(i) > 0; });
    if (looped != left.end()) {
      const int i = *looped;
      before[static_cast<std::size_t>(i)].erase(i);
      behind[static_cast<std::size_t>(i)].erase(i);
      remove(i, false);
      ++torn;
      continue;
    }
    const auto simple = std::find_if(left.begin(), left.end(), [&](int i) {
      return before[static_cast<std::size_t>(i)].size() <= 1 || behind[static_cast<std::size_t>(i)].size() <= 1;
    });
    if (simple != left.end()) {
      remove(*simple, true);
      continue;
    }
    remove(*std::max_element(left.begin(), left.end(), [&](int a, int b) { return degree(a) < degree(b); }), false);
    ++torn;
  }
  return torn;
}

}  // namespace

Section inline_integration(const Control& control) {
  constexpr double step = 1e-3;
  Section section{.setting =
                      "Implicit Euler inserted into the equations; unknowns of L − τDf are eliminated until a dense "
                      "system of *order* is left. "
                      "*operations*: order + 1 sweeps through the entries for its matrix (two operations each) and 2/3 "
                      "order³ + 2 order² for its "
                      "solution, once: one Newton iteration, as the linearly implicit method does. Beside it static QR "
                      "and LU of this library, whole "
                      "and with ρ = 1, in the same measure.",
                  .values = {{"model", "largest block", "order", "operations inline", "QR whole", "QR ρ = 1",
                              "LU whole", "LU ρ = 1"},
                             {}},
                  .difference =
                      "The publication reports 2.7 s per simulated second for inline integration, 2.5 s of it in one "
                      "system of order 39; its 3700 "
                      "unknowns are not ours. Elimination makes the system small and dense; a sparse factor of the "
                      "larger one is cheaper, and "
                      "much more so with entries left out."};
  for (const std::string_view form : {full, torn, ode}) {
    if (control.stopped()) break;
    const Robot& model = robot(form);
    const SparsePattern pattern = united(model.structure.jacobian, model.structure.mass);
    const Ordering blocks = block_triangular(pattern).ordering;
    int order = 0;
    for (int b = 0; b < blocks.n_blocks(); ++b)
      if (blocks.starts[b + 1] - blocks.starts[b] > 1) order += torn_unknowns(diagonal_block(pattern, blocks, b));
    const double k = order, sweeps = 2 * (k + 1) * pattern.nnz(), dense = 2 * k * k * k / 3 + 2 * k * k;
    std::vector<io::Cell> cells = {std::string(form), blocks.largest_block(), order,
                                   fmt::format("{:.0f}", sweeps + dense)};
    for (const StaticKind kind : {StaticKind::qr, StaticKind::lu}) {
      cells.emplace_back(fmt::format("{:.0f}", facts(model, model.all(), step, kind).operations.weight()));
      cells.emplace_back(
          fmt::format("{:.0f}", facts(model, sparsed(form, step, 1, control).keep, step, kind).operations.weight()));
    }
    section.values.rows.push_back(std::move(cells));
  }
  return section;
}

}  // namespace rubato::experiments::sparsing
