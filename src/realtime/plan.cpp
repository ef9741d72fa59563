#include "rubato/realtime/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "rubato/base/text.hpp"
#include "rubato/realtime/magnitude.hpp"
#include "rubato/realtime/projection.hpp"
#include "rubato/realtime/qr_structure.hpp"
#include "rubato/realtime/static_lu.hpp"

namespace rubato::realtime {

namespace {

/// Multipliers may grow to a thousand, and the solution of every sample must be as good as rounding allows.
constexpr double least_ratio = 1e-3, largest_sample_error = 1e-12;

constexpr int largest_number = 64;
constexpr std::size_t most_columns = 12;

struct Candidate {
  StaticKind kind;
  Ordering ordering;
  StaticFacts facts;
};

/// One factorisation per number; n solutions with it.
OperationCount step_operations(const StaticFacts& facts, const std::vector<int>& numbers) {
  OperationCount count;
  for (const int n : numbers) {
    count += facts.operations;
    for (int i = 1; i < n; ++i) count += facts.again;
  }
  return count;
}

Result<void> check_numbers(const Plan& plan) {
  const auto& numbers = plan.step_numbers;
  const bool increasing = std::ranges::adjacent_find(numbers, std::greater_equal{}) == numbers.end();
  if (numbers.empty() || numbers.size() > most_columns || !increasing || numbers.front() < 1 ||
      numbers.back() > largest_number)
    return Error{fmt::format("real time: step_numbers [{}] are not 1 to {} increasing numbers from 1 to {}",
                             fmt::join(numbers, ", "), most_columns, largest_number)};
  if (plan.damping && numbers != std::vector{1})
    return Error{fmt::format(
        "real time: damping of algebraic unknowns is for single steps, not for step_numbers [{}]: damped unknowns have "
        "no expansion in the step",
        fmt::join(numbers, ", "))};
  if (numbers.size() == 1) return {};
  const SparsePattern& pattern = plan.structure.jacobian;
  int place = 0;
  for (int col = 0; col < pattern.cols(); ++col)
    for (const int row : pattern.column(col)) {
      if (plan.keep[place++] == 0 && plan.structure.algebraic[row] != 0 && plan.structure.algebraic[col] != 0)
        return Error{fmt::format(
            "real time: step_numbers [{}] need all entries of algebraic equations for algebraic unknowns, and that of "
            "equation {} and unknown {} is left out: all columns of the tableau would have order 1; keep these entries "
            "(SparsingOptions::keep_algebraic) or take single steps",
            fmt::join(numbers, ", "), row + 1, col + 1)};
    }
  return {};
}

/// Refuses a kind that does not solve all samples: matrices of one sample follow each other, one for each number.
Result<Candidate> candidate(StaticKind kind, const SparsePattern& pattern,
                            const std::vector<std::vector<double>>& samples, const std::vector<int>& numbers) {
  Candidate made{.kind = kind, .ordering = {}, .facts = {}};
  if (const BlockTriangular form = block_triangular(pattern); !form.nonsingular())
    return Error{fmt::format("the step matrix of {} unknowns is singular for any values: its structure has rank {}",
                             pattern.cols(), form.structural_rank)};
  if (kind == StaticKind::qr) {
    made.ordering = qr_ordering(pattern);
  } else {
    auto pivots = lu_ordering(pattern, samples);
    if (!pivots) return pivots.error();
    if (pivots->worst_ratio < least_ratio)
      return Error{
          fmt::format("pivots chosen off line are as small as {:.1e} of the largest entry of their column; at "
                      "least {:.0e}: use qr",
                      pivots->worst_ratio, least_ratio)};
    made.ordering = std::move(pivots->ordering);
  }
  auto solver = make_static_solver(kind, pattern, made.ordering);
  if (!solver) return solver.error();
  made.facts = (*solver)->facts();
  ResidualMonitor monitor(pattern);
  const std::vector<double> b(static_cast<std::size_t>(pattern.rows()), 1.0);
  std::vector<double> x(b.size());
  for (std::size_t s = 0; s < samples.size(); ++s) {
    if ((*solver)->solve(samples[s], b, x) != SolveStatus::ok)
      return Error{fmt::format("the step matrix is singular at sample {}", s / numbers.size() + 1)};
    if (const double error = monitor.backward_error(samples[s], b, x);
        kind == StaticKind::lu && !(error <= largest_sample_error))
      return Error{fmt::format("{} leaves a relative residual of {:.1e} at sample {}; at most {:.0e}", to_string(kind),
                               error, s / numbers.size() + 1, largest_sample_error)};
  }
  return made;
}

Result<Candidate> chosen(std::optional<StaticKind> kind, const SparsePattern& pattern,
                         const std::vector<std::vector<double>>& samples, const std::vector<int>& numbers) {
  if (kind) return candidate(*kind, pattern, samples, numbers);
  auto qr = candidate(StaticKind::qr, pattern, samples, numbers),
       lu = candidate(StaticKind::lu, pattern, samples, numbers);
  if (!qr || !lu) return qr ? std::move(qr) : std::move(lu);
  const bool cheaper = step_operations(lu->facts, numbers).weight() < step_operations(qr->facts, numbers).weight();
  return cheaper ? std::move(lu) : std::move(qr);
}

}  // namespace

std::string_view to_string(StepTime time) noexcept { return time == StepTime::start ? "start" : "end"; }

KeptMatrix step_matrix(const Plan& plan) {
  return {plan.structure.jacobian, plan.keep, plan.structure.mass, plan.structure.mass_values, plan.step};
}

Result<Plan> make_plan(const Dae& dae, ModelStructure structure, Keep keep, const std::vector<Sample>& samples,
                       const PlanOptions& options) {
  if (!(options.step > 0 && std::isfinite(options.step)))
    return Error{fmt::format("real time: the step {} s must be > 0", options.step)};
  if (samples.empty()) return Error{"real time: a plan needs at least one sample"};
  if (!(options.drop_below >= 0 && std::isfinite(options.drop_below)))
    return Error{fmt::format("real time: entries below {} are to be dropped; a number ≥ 0", options.drop_below)};
  const bool one_sided = !dae.roots().empty();
  if (one_sided && (options.drop_below > 0 || std::ranges::count(keep, 0) > 0))
    return Error{
        "real time: the model has forces that act on one side only: which entries of its Jacobian matter depends on "
        "those that act, so none can be left out"};
  const auto jacobians = sampled_jacobians(dae, structure, samples);
  if (!jacobians) return jacobians.error();
  // Contacts that are open at all samples would make entries look constant.
  const auto neighbours = sampled_jacobians(dae, structure, with_neighbours(samples));
  Plan plan;
  plan.structure = std::move(structure);
  plan.step = options.step;
  plan.keep = std::move(keep);
  plan.constant =
      neighbours && !one_sided ? constant_entries(*neighbours) : std::vector<unsigned char>(plan.keep.size(), 0);
  plan.time = options.time;
  plan.damping = options.damping;
  plan.step_numbers = options.step_numbers;
  plan.projections = options.projections;
  plan.drop_below = options.drop_below;
  if (plan.drop_below > 0) plan.sizes = options.sizes.empty() ? sizes_at(samples) : options.sizes;
  if (const auto fine = check_numbers(plan); !fine) return fine.error();
  // Pivots are to serve with and without the entries that are dropped in a step.
  std::vector<std::vector<double>> met = *jacobians;
  if (plan.drop_below > 0) {
    const auto limits = drop_limits(plan.structure, plan.step, plan.drop_below, plan.sizes);
    for (auto values : *jacobians) {
      for (std::size_t p = 0; p < values.size(); ++p)
        if (std::abs(values[p]) < limits[p]) values[p] = 0;
      met.push_back(std::move(values));
    }
  }
  const KeptMatrix matrix = step_matrix(plan);
  std::vector<std::vector<double>> matrices;
  for (const auto& values : met)
    for (const int n : plan.step_numbers) {
      matrices.emplace_back(static_cast<std::size_t>(matrix.pattern().nnz()));
      matrix.fill(values, plan.step / n, matrices.back());
    }
  // The directions of constraints turn with the bodies: pivots that serve at the samples may vanish in between.
  const bool mechanism = dynamic_cast<const FormulatedDae*>(&dae) != nullptr;
  const auto kind = mechanism && !options.back_end ? std::optional(StaticKind::qr) : options.back_end;
  auto made = chosen(kind, matrix.pattern(), matrices, plan.step_numbers);
  if (!made) return Error{"real time: " + made.error().message};
  plan.back_end = made->kind;
  plan.ordering = std::move(made->ordering);
  plan.operations = step_operations(made->facts, plan.step_numbers);
  if (plan.projections != 0) {
    const auto projection = ConstraintProjection::create(dae, plan.structure, plan.projections);
    if (!projection) return projection.error();
    plan.operations += (*projection)->operations();
  }
  return plan;
}

Result<void> check_plan(const Plan& plan, const ModelStructure& model) {
  const auto refuse = [](const std::string& why) { return Error{"the plan does not fit the model: " + why}; };
  const SparsePattern& pattern = plan.structure.jacobian;
  if (pattern.cols() != model.jacobian.cols())
    return refuse(fmt::format("{} unknowns in the plan, {} in the model", pattern.cols(), model.jacobian.cols()));
  if (plan.structure.n_inputs != model.n_inputs)
    return refuse(fmt::format("{} inputs in the plan, {} in the model", plan.structure.n_inputs, model.n_inputs));
  if (plan.structure.hash() != model.hash())
    return refuse(
        fmt::format("the structure of its Jacobian or its mass matrix differs (hash {:016x} in the plan, "
                    "{:016x} of the model)",
                    plan.structure.hash(), model.hash()));
  if (!(plan.step > 0 && std::isfinite(plan.step))) return refuse(fmt::format("a step of {} s", plan.step));
  const auto entries = static_cast<std::size_t>(pattern.nnz());
  if (plan.keep.size() != entries || plan.constant.size() != entries)
    return refuse(fmt::format("{} entries of the Jacobian, choices for {}", entries, plan.keep.size()));
  const bool sized = plan.sizes.size() == plan.structure.algebraic.size() &&
                     std::ranges::all_of(plan.sizes, [](double size) { return size > 0; });
  if (plan.drop_below > 0 ? !sized : !plan.sizes.empty())
    return refuse(plan.drop_below > 0 ? fmt::format("it drops entries and has sizes of {} unknowns", plan.sizes.size())
                                      : "it has sizes of unknowns and drops no entries");
  if (!fits(plan.ordering, step_matrix(plan).pattern()))
    return refuse("orders of rows and columns are none of its matrix");
  return check_numbers(plan);
}

}  // namespace rubato::realtime
