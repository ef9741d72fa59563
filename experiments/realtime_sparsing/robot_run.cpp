#include "experiments/realtime_sparsing/robot_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "rubato/base/assert.hpp"
#include "rubato/realtime/qr_structure.hpp"
#include "rubato/realtime/samples.hpp"
#include "rubato/realtime/static_lu.hpp"

namespace rubato::experiments::sparsing {

using namespace realtime;

namespace {

constexpr int n_samples = 13;

int component(const Robot& robot, std::string_view name) {
  const auto names = robot.instance.problem.dae->layout().component_names();
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <class T>
T taken(Result<T> result, [[maybe_unused]] const char* what) {
  RUBATO_ASSERT(result.ok(), what);
  return std::move(*result);
}

/// What finite differences through an inner iteration make of the rows of accelerations: entries of 1e-8 of the largest where there
/// are none, for every unknown.
void declare_dense(Robot& robot) {
  const SparsePattern clean = robot.structure.jacobian;
  std::vector<int> rows;
  for (int axis = 1; axis <= 6; ++axis) rows.push_back(component(robot, fmt::format("axis{}.qd", axis)));
  for (int axis = 1; axis <= 3; ++axis) rows.push_back(component(robot, fmt::format("axis{}.wr", axis)));
  std::vector<Entry> entries;
  for (int col = 0; col < clean.cols(); ++col)
    for (const int row : rows) entries.push_back({row, col});
  robot.structure.jacobian = united(clean, SparsePattern::from_entries(clean.rows(), clean.cols(), entries));
  const SparsePattern& dense = robot.structure.jacobian;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-1e-8, 1e-8);
  for (auto& values : robot.jacobians) {
    std::vector<double> largest(static_cast<std::size_t>(clean.rows()), 0.0), there;
    const std::vector<double> before = values;
    for (int col = 0, at = 0; col < clean.cols(); ++col)
      for (const int row : clean.column(col)) {
        auto& size = largest[static_cast<std::size_t>(row)];
        size = std::max(size, std::abs(before[static_cast<std::size_t>(at++)]));
      }
    for (int col = 0; col < dense.cols(); ++col)
      for (const int row : dense.column(col)) {
        const int at = clean.index_of(row, col);
        there.push_back(at >= 0 ? before[static_cast<std::size_t>(at)]
                                : noise(random) * largest[static_cast<std::size_t>(row)]);
      }
    values = std::move(there);
  }
}

Robot made(std::string_view form) {
  Robot robot;
  robot.instance = taken(catalogue::make_problem("robot-r3", {}, form == noisy ? ode : form), "the robot");
  const InitialValueProblem& problem = robot.instance.problem;
  robot.structure = taken(model_structure(*problem.dae, start_of(problem)), "its structure");
  std::vector<double> times;
  for (int k = 0; k <= 2 * (n_samples - 1); ++k) times.push_back(0.5 * k / (n_samples - 1));
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-6, .atol = 1e-6};
  const auto states = taken(sample_run(problem, times, "radau", options), "states along the run");
  auto jacobians = taken(sampled_jacobians(*problem.dae, robot.structure, states), "Jacobians");
  for (std::size_t k = 0; k < states.size(); ++k) {
    if (k % 2 == 0) robot.samples.push_back(states[k]);
    (k % 2 == 0 ? robot.jacobians : robot.jacobians_between).push_back(std::move(jacobians[k]));
  }
  if (form == noisy) declare_dense(robot);
  return robot;
}

/// A structure of the dense rows for the model without them.
realtime::Keep cleaned(const realtime::Keep& keep) {
  const SparsePattern &dense = robot(noisy).structure.jacobian, &clean = robot(ode).structure.jacobian;
  realtime::Keep result;
  for (const int at : positions_in(clean, dense)) result.push_back(keep[static_cast<std::size_t>(at)]);
  return result;
}

}  // namespace

const Robot& robot(std::string_view form) {
  static std::map<std::string, Robot, std::less<>> known;
  const auto found = known.find(form);
  return found != known.end() ? found->second : known.emplace(form, made(form)).first->second;
}

std::shared_ptr<const Trial> trial(std::string_view form, double step) {
  static std::map<std::pair<std::string, double>, std::shared_ptr<const Trial>> known;
  auto& found = known[{std::string(form), step}];
  const Robot& model = robot(form);
  if (!found)
    found = taken(Trial::create(model.instance.problem, model.structure, {.step = step}, {component(model, "axis1.s")}),
                  "a run");
  return found;
}

std::vector<double> tabulated_rho() { return {0.01, 0.05, 0.1, 0.5, 1}; }

namespace {
/// The next smaller ρ of the tables: all five at 1 ms, 0.1 and 1 with other steps. 0: none. What a search finds depends on where it starts, so
/// that must not depend on which parts were asked for before.
double searched_before(double step, double rho) {
  double before = 0;
  for (const double smaller : step == 1e-3 ? tabulated_rho() : std::vector<double>{0.1, 1})
    if (smaller < rho) before = smaller;
  return before;
}
}  // namespace

const Sparsing& sparsed(std::string_view form, double step, double rho, const Control& control, Judge judge) {
  static std::map<std::tuple<std::string, double, Judge, double>, Sparsing> known;
  const std::tuple key(std::string(form), step, judge, rho);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const Robot& model = robot(form);
  SparsingOptions options{.rho = rho};
  if (judge == Judge::run && step >= 1e-3) {
    options.also = deviation_at_most(trial(form == noisy ? ode : form, step), largest_deviation);
    if (form == noisy)
      options.also = [passes = options.also](const realtime::Keep& keep) { return passes(cleaned(keep)); };
  }
  if (const double smaller = searched_before(step, rho); smaller > 0)
    options.start = sparsed(form, step, smaller, control).keep;
  if (control.say) control.say(fmt::format("robot, {}, step {} s, rho = {}", form, step, rho));
  auto found = taken(find_sparsing(model.structure.jacobian, model.jacobians, model.structure.mass,
                                   model.structure.mass_values, step, options),
                     "a structure");
  return known.emplace(key, std::move(found)).first->second;
}

StaticFacts facts(const Robot& robot, const realtime::Keep& keep, double step, StaticKind kind) {
  const KeptMatrix matrix(robot.structure.jacobian, keep, robot.structure.mass, robot.structure.mass_values, step);
  Ordering ordering;
  if (kind == StaticKind::qr) {
    ordering = qr_ordering(matrix.pattern());
  } else {
    std::vector<std::vector<double>> values;
    for (const auto& jacobian : robot.jacobians) {
      values.emplace_back(static_cast<std::size_t>(matrix.pattern().nnz()));
      matrix.fill(jacobian, values.back());
    }
    ordering = taken(lu_ordering(matrix.pattern(), values), "pivots").ordering;
  }
  return taken(make_static_solver(kind, matrix.pattern(), ordering), "a solver")->facts();
}

}  // namespace rubato::experiments::sparsing
