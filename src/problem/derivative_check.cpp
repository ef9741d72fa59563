#include "rubato/problem/derivative_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "rubato/base/text.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
std::size_t at_index(int i) { return static_cast<std::size_t>(i); }

/// f(x + h e): false outside the domain.
using Line = std::function<bool(double h, Vector& out)>;

struct Slope {
  bool found = false;
  Vector value, error;     ///< derivative at h = 0 and its error bar, row by row
  Vector left, right;      ///< one-sided slopes over a small h
  std::vector<char> kink;  ///< rows whose one-sided slopes do not meet as h → 0
};

/// Central differences over h = size/20 · 4⁻ᵏ, extrapolated to h = 0 (Richardson, twice). Each row takes the estimate
/// whose change from its neighbours plus its share of round-off, noise/h, is smallest (Ridders, Adv. Eng. Software 4
/// (1982) 75, doi:10.1016/S0141-1195(82)80057-0): no single h suits badly scaled rows.
Slope slope(const Line& f, int rows, double size, const Vector& noise) {
  constexpr int levels = 12;
  Slope s{.value = Vector::Zero(rows),
          .error = Vector::Constant(rows, std::numeric_limits<double>::infinity()),
          .left = Vector::Zero(rows),
          .right = Vector::Zero(rows),
          .kink = std::vector<char>(at_index(rows), 0)};
  Vector centre(rows), plus(rows), minus(rows);
  if (!f(0, centre)) return s;
  std::array<Vector, 3> row, above;  // of the extrapolation table: this level and the one before
  Vector wide_jump = Vector::Zero(rows);
  int valid = 0;
  for (int k = 0; k < levels; ++k) {
    const double h = size / 20 * std::pow(4.0, -k);
    if (!f(h, plus) || !f(-h, minus)) {
      valid = 0;
      continue;
    }
    s.found = true;
    row[0] = (plus - minus) / (2 * h);
    if (valid > 0) row[1] = (16 * row[0] - above[0]) / 15;
    if (valid > 1) row[2] = (256 * row[1] - above[1]) / 255;
    for (int order = 1; order <= std::min(valid, 2); ++order)
      for (int i = 0; i < rows; ++i) {
        const auto m = at_index(order);
        const double change =
            std::max(std::abs(row[m][i] - row[m - 1][i]), std::abs(row[m][i] - above[m - 1][i])) + 2 * noise[i] / h;
        if (change < s.error[i]) {
          s.error[i] = change;
          s.value[i] = row[m][i];
        }
      }
    const Vector jump = (plus - 2 * centre + minus).cwiseAbs() / h;
    if (k == 3) wide_jump = jump;
    if (k == 6) {  // 64 times closer: a smooth function has lost most of its jump in slope
      s.left = (centre - minus) / h;
      s.right = (plus - centre) / h;
      for (int i = 0; i < rows; ++i)
        s.kink[at_index(i)] = jump[i] > 0.5 * wide_jump[i] &&
                              jump[i] > 1e-6 * std::max(std::abs(s.left[i]), std::abs(s.right[i])) + 20 * noise[i] / h;
    }
    above = row;
    ++valid;
  }
  return s;
}

/// How much f moves when its arguments are rounded differently: the noise its differences carry.
Vector noise_of(const std::function<bool(const Vector&, Vector&)>& f, const Vector& x, int rows) {
  Vector centre(rows), moved(rows);
  if (!f(x, centre)) return Vector::Zero(rows);
  Vector noise = eps * centre.cwiseAbs();
  std::mt19937 random(7);
  for (int trial = 0; trial < 3; ++trial) {
    Vector y = x;
    for (auto& yi : y) yi *= 1 + (static_cast<int>(random() % 5) - 2) * eps;
    if (f(y, moved)) noise = noise.cwiseMax((moved - centre).cwiseAbs());
  }
  return noise;
}

class DerivativeCheck {
 public:
  explicit DerivativeCheck(const DerivativeOptions& options) : random(options.seed), options_(options) {}

  using Names = std::function<std::string(int)>;

  /// One column of a matrix: `given` returns value and whether the place is in the pattern.
  void column(const std::string& what, int col, const Slope& slope, double size, const Vector& row_size,
              const Names& rows, const std::string& col_name, const std::function<std::pair<double, bool>(int)>& given,
              bool may_deviate = false, double tolerance = 0) {
    if (!slope.found) {
      report.unresolved += slope.value.size();
      return;
    }
    if (tolerance == 0) tolerance = options_.tolerance;
    for (int i = 0; i < static_cast<int>(slope.value.size()); ++i) {
      const auto [value, present] = given(i);
      if (value == 0 && slope.value[i] == 0) continue;
      ++report.compared;
      double expected = slope.value[i];
      if (slope.kink[at_index(i)] != 0)  // any slope between the two sides is a derivative
        expected = std::clamp(value, std::min(slope.left[i], slope.right[i]), std::max(slope.left[i], slope.right[i]));
      const double largest = std::max(std::abs(value), std::abs(expected));
      const double bar = 10 * slope.error[i];
      const double beyond = std::abs(value - expected) - bar;
      if (bar > tolerance * largest && !(beyond > tolerance * largest)) {
        if (largest * size > negligible * row_size[i]) ++report.unresolved;
        continue;
      }
      if (std::isfinite(value) && !(beyond > 0)) continue;
      if (std::abs(value - expected) * size <= negligible * row_size[i]) continue;  // no weight in its row
      if (std::isfinite(beyond)) report.worst = std::max(report.worst, beyond / largest);
      if (std::isfinite(value) && beyond <= tolerance * largest) continue;
      add({.what = what,
           .row = i,
           .col = col,
           .row_name = rows(i),
           .col_name = col_name,
           .given = value,
           .expected = expected,
           .missing_in_pattern = !present},
          may_deviate && present);
    }
  }

  void add(DerivativeReport::Entry entry, bool allowed = false) {
    if (!allowed) report.ok = false;
    if (seen_.insert({entry.what, entry.row, entry.col}).second) report.wrong.push_back(std::move(entry));
  }

  /// All columns, or a sorted sample of them.
  [[nodiscard]] std::vector<int> columns(int n) {
    std::vector<int> all(at_index(n));
    std::iota(all.begin(), all.end(), 0);
    if (n <= options_.max_columns) return all;
    std::shuffle(all.begin(), all.end(), random);
    all.resize(at_index(std::max(options_.max_columns, 0)));
    std::sort(all.begin(), all.end());
    return all;
  }

  /// F(x) against a matrix given on a pattern; x is varied, the rest of F's world stands still.
  void matrix(const std::string& what, const std::function<bool(const Vector&, Vector&)>& f, const Vector& x,
              const Vector& sizes, const SparsePattern& pattern, In values, const Names& rows, const Names& cols,
              bool may_deviate, double tolerance = 0) {
    const int n_rows = pattern.rows();
    const Vector noise = noise_of(f, x, n_rows);
    Vector row_size = Vector::Zero(n_rows);
    for (int j = 0, p = 0; j < pattern.cols(); ++j)
      for (const int i : pattern.column(j)) {
        const double value = std::abs(values[at_index(p++)]) * sizes[j];
        if (std::isfinite(value)) row_size[i] = std::max(row_size[i], value);
      }
    // A row whose terms cancel exactly (the spin of a symmetric top) shows the round-off of the others.
    if (n_rows > 0) row_size = row_size.cwiseMax(eps / negligible * row_size.maxCoeff());
    Vector y = x;
    for (const int j : columns(pattern.cols())) {
      const auto line = [&](double h, Vector& out) {
        y[j] = x[j] + h;
        const bool good = f(y, out);
        y[j] = x[j];
        return good;
      };
      column(
          what, j, slope(line, n_rows, sizes[j], noise), sizes[j], row_size, rows, cols(j),
          [&](int i) -> std::pair<double, bool> {
            const int p = pattern.index_of(i, j);
            return {p < 0 ? 0.0 : values[at_index(p)], p >= 0};
          },
          may_deviate, tolerance);
    }
  }

  DerivativeReport report;
  std::mt19937 random;
  double negligible = 1e-10;  ///< weight in its row below which an entry does not matter

 private:
  const DerivativeOptions& options_;
  std::set<std::tuple<std::string, int, int>> seen_;
};

bool good(EvalStatus status, const Vector& values) { return status == EvalStatus::ok && values.allFinite(); }

/// |x_i|, a thousandth of the largest in its block, or one.
void fill_sizes(Vector& sizes, const Vector& x, int offset, int n) {
  const double largest = n > 0 ? x.segment(offset, n).cwiseAbs().maxCoeff() : 0.0;
  for (int i = offset; i < offset + n; ++i)
    if (!(sizes[i] > 0)) sizes[i] = largest > 0 ? std::max(std::abs(x[i]), 1e-3 * largest) : 1.0;
}

void check_mass(DerivativeCheck& check, const Dae& dae, const At& at, const Linearisation& linear, const Vector& sizes,
                std::vector<Vector>& at_start, const std::vector<int>& columns) {
  const int n = dae.size();
  const Layout& layout = dae.layout();
  const auto product = [&](const Vector& w) {
    Vector out = Vector::Zero(n);
    static_cast<void>(dae.mass_times(at, view(w), view(out)));
    return out;
  };
  const auto add = [&](const char* what, int row, int col, std::string col_name, double given, double expected,
                       bool missing = false) {
    check.add({.what = what,
               .row = row,
               .col = col,
               .row_name = layout.component_name(row),
               .col_name = std::move(col_name),
               .given = given,
               .expected = expected,
               .missing_in_pattern = missing});
  };
  const bool first = at_start.empty();
  Vector unit = Vector::Zero(n);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int j = columns[k];
    unit[j] = 1;
    const Vector column = product(unit);
    unit[j] = 0;
    for (int i = 0; i < n; ++i) {
      const int p = linear.mass_pattern().index_of(i, j);
      const double given = p < 0 ? 0.0 : linear.mass()[at_index(p)];
      if (given == 0 && column[i] == 0) continue;
      ++check.report.compared;
      const std::string name = layout.component_name(j);
      if (!(std::abs(given - column[i]) <= 1e-12 * std::abs(column[i]))) add("B", i, j, name, given, column[i], p < 0);
      if (layout.kind(i) == Kind::algebraic) add("B of an algebraic row", i, j, name, column[i], 0);
      if (!first && dae.constant_mass() && !(std::abs(column[i] - at_start[k][i]) <= 1e-12 * std::abs(column[i])))
        add("B declared constant", i, j, name, at_start[k][i], column[i]);
    }
    if (first) at_start.push_back(column);
  }
  // Linear in w: B(w₁ + w₂) = B w₁ + B w₂.
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vector w1(n), w2(n);
  for (int i = 0; i < n; ++i) {
    w1[i] = sizes[i] * uniform(check.random);
    w2[i] = sizes[i] * uniform(check.random);
  }
  const Vector together = product(w1 + w2), apart = product(w1) + product(w2);
  const Vector terms = product(w1).cwiseAbs() + product(w2).cwiseAbs() + together.cwiseAbs();
  for (int i = 0; i < n; ++i)
    if (!(std::abs(together[i] - apart[i]) <= 1e-9 * terms[i]))
      add("B w linear in w", i, -1, "w", together[i], apart[i]);
}

}  // namespace

Result<DerivativeReport> check_derivatives(const InitialValueProblem& problem, const DerivativeOptions& options) {
  constexpr const char* caller = "check_derivatives";
  if (!problem.dae) return Error{fmt::format("{}: the problem has no equations", caller)};
  const Dae& dae = *problem.dae;
  const Layout& layout = dae.layout();
  const int n = dae.size();
  if (problem.x.size() != n || problem.base.size() != dae.base_size())
    return Error{fmt::format("{}: the start has {} values and {} base values, the equations need {} and {}", caller,
                             problem.x.size(), problem.base.size(), n, dae.base_size())};
  if (options.scale.size() != 0 && options.scale.size() != n)
    return Error{fmt::format("{}: {} sizes are given for {} unknowns", caller, options.scale.size(), n)};
  const int n_inputs = dae.n_inputs();
  if (n_inputs > 0 && (!problem.input || problem.input->size() != n_inputs))
    return Error{fmt::format("{}: the equations have {} inputs, {} are connected", caller, n_inputs,
                             problem.input ? problem.input->size() : 0)};

  Vector u = Vector::Zero(n_inputs), u_rate = Vector::Zero(n_inputs);
  if (n_inputs > 0) problem.input->at(problem.t_start, view(u), view(u_rate));
  ScratchMemory memory(dae.scratch_bytes());
  At at{.t = problem.t_start,
        .x = view(problem.x),
        .u = view(std::as_const(u)),
        .base = view(problem.base),
        .mode = problem.mode,
        .scratch = memory.scratch()};
  Vector sizes = options.scale.size() > 0 ? options.scale : Vector(Vector::Zero(n));
  for (const Block& block : layout.blocks()) fill_sizes(sizes, problem.x, block.offset, block.size);
  const double interval = problem.t_end - problem.t_start;
  const double time_size = std::max({std::abs(interval), std::abs(problem.t_start), 1e-300});

  Vector w(n), bw(n);
  const auto residual = [&](const At& point, Vector& out) {  // f − B w
    if (!good(dae.f(point, view(out)), out)) return false;
    if (dae.constant_mass()) return true;
    if (!good(dae.mass_times(point, view(std::as_const(w)), view(bw)), bw)) return false;
    out -= bw;
    return true;
  };
  {
    Vector f(n);
    const EvalStatus status = dae.f(at, view(f));
    for (int i = 0; i < n; ++i)
      if (!std::isfinite(f[i]))
        return Error{fmt::format("{}: equation {} gives {} at the start", caller, layout.component_name(i), f[i])};
    if (status != EvalStatus::ok)
      return Error{fmt::format("{}: the model cannot be evaluated at the start ({})", caller, to_string(status))};
  }
  auto created = Linearisation::create(dae, at, options.source);
  if (!created) return Error{fmt::format("{}: {}", caller, created.error().message)};
  Linearisation& linear = **created;

  DerivativeCheck check(options);
  check.report.approximate = !linear.exact();
  const bool differences = linear.source() == JacobianSource::differences;
  const double rough = differences ? std::max(options.tolerance, 1e-4) : options.tolerance;
  if (differences) check.negligible = 1e-6;
  const auto name = [&](int i) { return layout.component_name(i); };
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Vector> mass_at_start;
  const std::vector<int> mass_columns = check.columns(n);

  for (int point = 0; point < std::max(options.points, 1); ++point) {
    Vector x = problem.x, f(n);
    for (int i = 0; i < n; ++i)
      w[i] = (problem.w.size() == n ? problem.w[i] : 0.0) + sizes[i] * uniform(check.random) / time_size;
    if (point > 0) {
      bool inside = false;
      for (double spread = options.spread; spread > 1e-3 * options.spread && !inside; spread /= 4) {
        for (int i = 0; i < n; ++i) x[i] = problem.x[i] + spread * sizes[i] * uniform(check.random);
        at.x = view(std::as_const(x));
        inside = residual(at, f);
      }
      if (!inside) continue;
    }
    at.x = view(std::as_const(x));
    if (!residual(at, f)) continue;
    if (linear.update(at, view(std::as_const(w)), {}, view(std::as_const(sizes))) != EvalStatus::ok)
      return Error{fmt::format("{}: the Jacobian cannot be evaluated at point {}", caller, point)};
    ++check.report.points;

    check.matrix(
        "J",
        [&](const Vector& y, Vector& out) {
          At moved = at;
          moved.x = view(y);
          return residual(moved, out);
        },
        x, sizes, linear.jacobian_pattern(), linear.jacobian(), name, name, check.report.approximate, rough);

    const auto in_time = [&](bool inputs_move) {
      return [&, inputs_move](double h, Vector& out) {
        At moved = at;
        moved.t = at.t + h;
        const Vector u_moved = inputs_move ? Vector(u + h * u_rate) : u;
        moved.u = view(u_moved);
        return residual(moved, out);
      };
    };
    const Vector noise = noise_of([&](const Vector& t, Vector& out) { return in_time(true)(t[0] - at.t, out); },
                                  Vector::Constant(1, at.t), n);
    const Vector no_rows = Vector::Zero(n);
    Vector f_t(n);
    if (linear.time_derivative(at, view(std::as_const(w)), view(std::as_const(u_rate)), {}, 1e-4 * interval,
                               view(f_t)) == EvalStatus::ok) {
      const bool by_duals = dae.dual() != nullptr && !differences;
      // What the largest row rounds away means nothing in the others (moments of forces that cancel).
      const double largest = std::max(f.cwiseAbs().maxCoeff(), f_t.cwiseAbs().maxCoeff() * time_size);
      const Vector weight = by_duals ? Vector(Vector::Constant(n, 4 * eps / check.negligible * largest))
                                     : Vector(f.cwiseAbs() * 1e-4 / check.negligible);  // of one-sided differences
      check.column(
          "df/dt", -1, slope(in_time(true), n, time_size, noise), time_size, weight, name, "t",
          [&](int i) -> std::pair<double, bool> {
            return {f_t[i], true};
          },
          false, by_duals ? 0.0 : std::max(options.tolerance, 1e-4));
    }
    if (dae.autonomous())
      check.column("df/dt of a model declared autonomous", -1, slope(in_time(false), n, time_size, noise), time_size,
                   no_rows, name, "t", [](int) -> std::pair<double, bool> {
                     return {0.0, true};
                   });
    check_mass(check, dae, at, linear, sizes, mass_at_start, mass_columns);
  }

  if (const auto* mechanics = dynamic_cast<const FormulatedDae*>(&dae)) {
    at.x = view(problem.x);
    MechanicalState state;
    if (mechanics->unpack(at, view(problem.w), state) == EvalStatus::ok) {
      DerivativeOptions inner = options;
      inner.scale = {};
      auto inside = check_derivatives(mechanics->system(), state, inner);
      if (!inside) return inside.error();
      check.report.ok = check.report.ok && inside->ok;
      check.report.worst = std::max(check.report.worst, inside->worst);
      check.report.compared += inside->compared;
      check.report.unresolved += inside->unresolved;
      for (auto& entry : inside->wrong) check.add(std::move(entry), true);
    }
  }
  return check.report;
}

Result<DerivativeReport> check_derivatives(const MechanicalSystem& system, const MechanicalState& state,
                                           const DerivativeOptions& options) {
  const MechanicalSizes& n = system.sizes();
  MechanicalState s = state;
  const struct {
    const char* name;
    Vector& x;
    int size;
  } parts[] = {{"q", s.q, n.q},
               {"v", s.v, n.v},
               {"z", s.z, n.z},
               {"lambda", s.lambda, n.lambda},
               {"nu", s.nu, n.nu},
               {"a", s.a, n.v},
               {"base", s.base, system.base_size()}};
  for (const auto& part : parts) {
    if (part.x.size() == 0) part.x = Vector::Zero(part.size);
    if (part.x.size() != part.size || !part.x.allFinite())
      return Error{fmt::format("check_derivatives: {} has {} values (finite: {}), the system needs {}", part.name,
                               part.x.size(), part.x.allFinite(), part.size)};
  }
  DerivativeCheck check(options);
  ScratchMemory memory(system.scratch_bytes());
  const Vector u = Vector::Zero(n.u);
  const auto point = [&] { return point_at(s, memory.scratch(), view(u)); };
  const auto names = [&](std::string_view block) {
    return [given = system.names(block), block = std::string(block)](int i) {
      return at_index(i) < given.size() ? given[at_index(i)] : fmt::format("{}[{}]", block, i);
    };
  };
  const auto sizes_of = [](const Vector& x) {
    Vector sizes = Vector::Zero(x.size());
    fill_sizes(sizes, x, 0, static_cast<int>(x.size()));
    return sizes;
  };
  std::uniform_real_distribution<double> uniform(-1, 1);
  const MechanicalState start = s;
  // Beside the start; multipliers and accelerations that are zero there would hide terms: they get some size.
  const auto shift = [&](Vector& x, bool filled) {
    const Vector sizes = sizes_of(x);
    for (int i = 0; i < static_cast<int>(x.size()); ++i)
      x[i] += (filled && x[i] == 0 ? 1.0 : options.spread) * sizes[i] * uniform(check.random);
  };

  for (int k = 0; k < std::max(options.points, 1); ++k) {
    s = start;
    if (k > 0)
      for (Vector* x : {&s.q, &s.v, &s.z}) shift(*x, false);
    for (Vector* x : {&s.lambda, &s.nu, &s.a}) shift(*x, true);
    Vector probe(n.v);
    if (!good(system.force(point(), view(probe)), probe)) {
      if (k == 0) return Error{"check_derivatives: the mechanical system cannot be evaluated at the start"};
      continue;
    }
    ++check.report.points;
    const Vector q_sizes = sizes_of(s.q), v_sizes = sizes_of(s.v), z_sizes = sizes_of(s.z),
                 lambda_sizes = sizes_of(s.lambda);

    // Gᵀ by reaction(e_k) against ∂g/∂q N, as functions of δ in q = q₀ + N δ.
    const auto from_reactions = [&](int rows, bool rolling) {
      Vector lambda = Vector::Zero(n.lambda), nu = Vector::Zero(n.nu), values(rows * n.v);
      Vector& unit = rolling ? nu : lambda;
      for (int i = 0; i < rows; ++i) {
        unit[i] = 1;
        static_cast<void>(system.reaction(point(), view(std::as_const(lambda)), view(std::as_const(nu)), view(probe)));
        unit[i] = 0;
        for (int j = 0; j < n.v; ++j) values[j * rows + i] = probe[j];
      }
      return values;
    };
    if (n.lambda > 0 && static_cast<double>(n.lambda) * n.v < 1e7) {
      const Vector q = s.q, values = from_reactions(n.lambda, false);
      check.matrix(
          "G",
          [&](const Vector& delta, Vector& out) {
            Vector rate(n.q);
            s.q = q;
            static_cast<void>(system.kinematics(point(), view(delta), view(rate)));
            s.q = q + rate;
            const bool fine = good(system.constraint(point(), view(out)), out);
            s.q = q;
            return fine;
          },
          Vector::Zero(n.v), n.q == n.v ? q_sizes : Vector::Ones(n.v), SparsePattern::dense(n.lambda, n.v),
          view(values), names("lambda"), names(system.plain_coordinates() ? "q" : "v"), false);
    }
    const auto varied = [&](Vector& x, auto&& evaluate) {
      return [&x, evaluate](const Vector& y, Vector& out) {
        const Vector kept = x;
        x = y;
        const bool fine = evaluate(out);
        x = kept;
        return fine;
      };
    };
    if (n.nu > 0 && static_cast<double>(n.nu) * n.v < 1e7) {
      const Vector values = from_reactions(n.nu, true);
      check.matrix("A", varied(s.v, [&](Vector& out) { return good(system.rolling(point(), view(out)), out); }), s.v,
                   v_sizes, SparsePattern::dense(n.nu, n.v), view(values), names("nu"), names("v"), false);
    }

    if (system.tangent_kind() == ModelJacobian::none) continue;
    const ResidualTangentPatterns p = system.tangent_patterns();
    const auto zeros = [](const SparsePattern& pattern) { return Vector(Vector::Zero(pattern.nnz())); };
    Vector K = zeros(p.K), D = zeros(p.D), r_lambda = zeros(p.r_lambda), g_q = zeros(p.g_q),
           g_lambda = zeros(p.g_lambda), r_z = zeros(p.r_z), e_q = zeros(p.e_q), e_z = zeros(p.e_z);
    if (system.tangents(point(), view(std::as_const(s.a)),
                        {.K = view(K),
                         .D = view(D),
                         .r_lambda = view(r_lambda),
                         .g_q = view(g_q),
                         .g_lambda = view(g_lambda),
                         .r_z = view(r_z),
                         .e_q = view(e_q),
                         .e_z = view(e_z)}) != EvalStatus::ok)
      return Error{"check_derivatives: the model's tangents cannot be evaluated"};
    const bool approximate = system.tangent_kind() == ModelJacobian::approximate;
    check.report.approximate = approximate;
    const auto balance = [&](Vector& out) {  // r = M a − f + Gᵀλ + Aᵀν
      Vector ma(n.v), f(n.v), reaction(n.v);
      const auto here = point();
      const bool fine = system.inertia(here, view(std::as_const(s.a)), view(ma)) == EvalStatus::ok &&
                        system.force(here, view(f)) == EvalStatus::ok &&
                        system.reaction(here, here.lambda, here.nu, view(reaction)) == EvalStatus::ok;
      out = ma - f + reaction;
      return fine && out.allFinite();
    };
    const auto g = [&](Vector& out) { return good(system.constraint(point(), view(out)), out); };
    const auto e = [&](Vector& out) { return good(system.auxiliary(point(), view(out)), out); };
    const auto q_names = names("q"), v_names = names("v"), z_names = names("z"), lambda_names = names("lambda");
    const auto compare = [&](const char* what, Vector& x, const Vector& sizes, const SparsePattern& pattern,
                             const Vector& values, auto&& f, const DerivativeCheck::Names& rows,
                             const DerivativeCheck::Names& cols) {
      if (pattern.rows() == 0 || pattern.cols() == 0) return;
      const Vector centre = x;
      check.matrix(what, varied(x, f), centre, sizes, pattern, view(values), rows, cols, approximate);
    };
    compare("K", s.q, q_sizes, p.K, K, balance, v_names, q_names);
    compare("D", s.v, v_sizes, p.D, D, balance, v_names, v_names);
    compare("r_lambda", s.lambda, lambda_sizes, p.r_lambda, r_lambda, balance, v_names, lambda_names);
    compare("g_q", s.q, q_sizes, p.g_q, g_q, g, lambda_names, q_names);
    compare("g_lambda", s.lambda, lambda_sizes, p.g_lambda, g_lambda, g, lambda_names, lambda_names);
    compare("r_z", s.z, z_sizes, p.r_z, r_z, balance, v_names, z_names);
    compare("e_q", s.q, q_sizes, p.e_q, e_q, e, z_names, q_names);
    compare("e_z", s.z, z_sizes, p.e_z, e_z, e, z_names, z_names);
  }
  return check.report;
}

std::string describe(const DerivativeReport& report) {
  std::string text;
  if (report.wrong.empty())
    text = fmt::format("derivatives agree with differences at {} points: {} entries, largest relative deviation {:.1e}",
                       report.points, report.compared, report.worst);
  else
    text = fmt::format("{} of {} entries deviate from differences{}:", report.wrong.size(), report.compared,
                       report.ok ? ", as allowed by a Jacobian declared approximate" : "");
  if (report.unresolved > 0) text += fmt::format(" ({} not resolved by differences)", report.unresolved);
  int lines = 0;
  for (const auto& entry : report.wrong) {
    if (++lines > 20) {
      text += fmt::format("\n  … and {} more", report.wrong.size() - 20);
      break;
    }
    text += fmt::format("\n  {}, row {}, column {}: ", entry.what, entry.row_name, entry.col_name);
    text += entry.missing_in_pattern ? fmt::format("missing in the pattern, differences say {:.9g}", entry.expected)
                                     : fmt::format("{:.9g} given, {:.9g} expected", entry.given, entry.expected);
  }
  return text;
}

}  // namespace rubato
