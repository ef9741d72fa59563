/// Oil behind orifices, flow s(d) = sign(d) √|d| made smooth at zero: s(d) = d / (d² + δ²)^¼. Pressures between orifices without a volume are
/// algebraic, and where little flows Newton's method jumps over their solution: k s(p) = 0 takes p to −p. All quantities without unit.
///   hydraulic-orifices: one volume, two pressures before it, flow Q(t) as input that jumps
///     0.2 p_c' = 0.7 s(p₂ − p_c) − 0.5 s(p_c),   0 = Q − s(p₁ − p₂),   0 = s(p₁ − p₂) − 0.7 s(p₂ − p_c)                (1)
///   hydraulic-gearbox: a pump and n clutches behind a valve and an orifice each; inputs are the flow Q(t) of the pump and the opening
///   a(t) of the valves of even clutches, those of odd ones are open by 1 − a: a gear is changed at t = 0.5 and back at 1.2
///     0 = Q − Σ a_i k_i s(p − n_i),   0 = a_i k_i s(p − n_i) − 0.7 s(n_i − v_i),   c_i v_i' = 0.7 s(n_i − v_i) − 0.2 s(v_i)   (2)
/// Equations and data (1): replacement of the hydraulic gear box in Schiela, Sparsing in Real Time Simulation (TU München 2002), which gives
/// none; (2) written for this catalogue. Reference values recomputed.
#include <cmath>
#include <string>

#include "catalogue/problems.hpp"
#include "rubato/problem/stacked_signal.hpp"

namespace rubato::catalogue {

namespace {

template <class S>
S flow(const S& difference, double smooth) {
  using std::sqrt;
  return difference / sqrt(sqrt(difference * difference + smooth * smooth));
}

struct Orifices {
  static constexpr bool autonomous = true, recordable = true;
  double smooth;
  static int n_inputs() { return 1; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const S in = flow(S(at.x[1] - at.x[2]), smooth), on = 0.7 * flow(S(at.x[2] - at.x[0]), smooth);
    out[0] = 5.0 * (on - 0.5 * flow(at.x[0], smooth));  // (1)
    out[1] = at.u[0] - in;
    out[2] = in - on;
  }
  static std::vector<std::string> output_names() { return {"flow into the volume"}; }
  template <class S>
  void outputs(const Point<S>& at, std::span<S> y) const {
    y[0] = 0.7 * flow(S(at.x[2] - at.x[0]), smooth);
  }
};

struct Gearbox {
  static constexpr bool autonomous = true, recordable = true;
  double smooth;
  std::size_t n;
  static int n_inputs() { return 2; }
  /// Unknowns: v_1 … v_n, n_1 … n_n, p.
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const S& line = at.x[2 * n];
    S rest = at.u[0];
    for (std::size_t i = 0; i < n; ++i) {
      const S &clutch = at.x[i], &node = at.x[n + i];
      const double index = static_cast<double>(i);
      const S opening = i % 2 == 0 ? S(at.u[1]) : S(1.0 - at.u[1]);
      const S in = opening * (0.4 + 0.02 * index) * flow(S(line - node), smooth);
      const S on = 0.7 * flow(S(node - clutch), smooth);
      out[i] = (on - 0.2 * flow(clutch, smooth)) / (0.1 + 0.02 * index);  // (2)
      out[n + i] = in - on;
      rest -= in;
    }
    out[2 * n] = rest;
  }
};

/// Values from these times on, the first from the start.
Result<std::shared_ptr<const TableSignal>> steps(std::initializer_list<std::pair<double, double>> phases) {
  std::vector<double> times, values;
  for (const auto& [t, value] : phases) {
    if (!values.empty()) {
      times.push_back(t);
      values.push_back(values.back());
    }
    times.push_back(t);
    values.push_back(value);
  }
  return TableSignal::create(std::move(times), std::move(values));
}

Task task_until(double t_end) {
  return {.t_end = t_end,
          .measure = {.atol = 1, .rtol = 0, .definition = "absolute error of all pressures at t_end"},
          .initial_step = 1e-4};
}

Result<Instance> consistent(std::shared_ptr<const Dae> dae, Vector x, Task task) {
  Instance instance = dae_instance(std::move(dae), std::move(x), std::move(task));
  if (const auto done = make_consistent(instance.problem); !done) return done.error();
  return instance;
}

Result<Instance> make_orifices(const Parameters& p, std::string_view /*formulation*/) {
  const double t_end = get(p, "t_end"), smooth = get(p, "smooth");
  Task task = task_until(t_end);
  // Differences of pressures as small as 2.5e-5 decide on which side of a root Newton's iteration begins.
  task.measure.atol_per_rtol = 1e-2;
  const auto input = steps({{0, 0.6}, {0.25, 0.01}, {1, 0.4}, {1.5, -0.005}});
  if (!input) return input.error();
  task.input = *input;
  if (same(t_end, 2) && same(smooth, 1e-12))
    task.reference = {.t = t_end,
                      .components = {"p_c", "p1", "p2"},
                      .values = {-9.54804e-5, -1.715008e-4, -1.465008e-4},
                      .accuracy = 1e-9,
                      .origin = "recomputed"};
  // Q = 0.6 at the start.
  const double p2 = 1 + 36.0 / 49;
  return consistent(
      make_dae(Orifices{smooth}, {{.name = "p_c", .size = 1, .components = {"p_c"}},
                                  {.name = "p", .size = 2, .kind = Kind::algebraic, .components = {"p1", "p2"}}}),
      vector({1, p2 + 0.36, p2}), std::move(task));
}

Result<Instance> make_gearbox(const Parameters& p, std::string_view /*formulation*/) {
  const double t_end = get(p, "t_end"), smooth = get(p, "smooth");
  const auto n = static_cast<Eigen::Index>(get(p, "n"));
  Task task = task_until(t_end);
  const double pump = 0.15 * static_cast<double>(n);
  const auto q = steps({{0, pump}, {0.8, 0.02 * pump}, {1.2, pump}});
  const auto opening = steps({{0, 0.9}, {0.5, 0.1}, {1.2, 0.9}});
  if (!q) return q.error();
  if (!opening) return opening.error();
  task.input = std::make_shared<const StackedSignal>(std::vector<std::shared_ptr<const InputSignal>>{*q, *opening});
  if (n == 10 && same(t_end, 2) && same(smooth, 1e-6))
    task.reference = {.t = t_end,
                      .components = {"clutch[0]", "clutch[1]", "clutch[9]", "node[9]", "line"},
                      .values = {0.7302536152, 0.0511247459, 0.1171928637, 0.1243266187, 1.1634288549},
                      .accuracy = 1e-9,
                      .origin = "recomputed"};
  Vector x(2 * n + 1);  // falling pressures from the pump to the clutches
  x << Vector::Constant(n, 0.2), Vector::Constant(n, 0.4), 0.8;
  const int size = static_cast<int>(n);
  return consistent(make_dae(Gearbox{smooth, static_cast<std::size_t>(n)},
                             {{.name = "clutch", .size = size},
                              {.name = "node", .size = size, .kind = Kind::algebraic},
                              {.name = "line", .size = 1, .kind = Kind::algebraic, .components = {"line"}}}),
                    std::move(x), std::move(task));
}

Parameter smoothing(double value) {
  return {.name = "smooth",
          .default_value = value,
          .help = "pressure difference below which flow is laminar",
          .min = 1e-14,
          .max = 1};
}

}  // namespace

Entry hydraulic_orifices() {
  return {.name = "hydraulic-orifices",
          .title = "oil volume behind two orifices, pressures that oscillate in undamped Newton steps",
          .source = "Schiela (2002), data of this catalogue; reference values recomputed",
          .parameters = {smoothing(1e-12), end_time(2)},
          .t_end = 2,
          .make = make_orifices};
}

Entry hydraulic_gearbox() {
  return {
      .name = "hydraulic-gearbox",
      .title = "clutches behind valves and orifices, change of gears: n volumes, 2 n orifices",
      .source = "written for this catalogue after Schiela (2002)",
      .parameters = {{.name = "n", .default_value = 10, .help = "clutches", .min = 2, .max = 10000, .integer = true},
                     smoothing(1e-6),
                     end_time(2)},
      .t_end = 2,
      .make = make_gearbox};
}

}  // namespace rubato::catalogue
