/// Robertson's chemical reaction, as an ODE and with the conservation of mass in place of the third equation:
///   y₁' = −k₁ y₁ + k₃ y₂ y₃,   y₂' = k₁ y₁ − k₃ y₂ y₃ − k₂ y₂²,   y₃' = k₂ y₂²   |   0 = y₁ + y₂ + y₃ − 1
/// k₁ = 0.04, k₂ = 3e7, k₃ = 1e4, y(0) = (1, 0, 0). Robertson 1966; Hairer & Wanner, Solving ODEs II, (IV.1.3).
/// y(1e11) is that of the Test Set for IVP Solvers (rober). The earlier ones were recomputed with a
/// Taylor series of order 30 in 113-bit arithmetic.
#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double k1 = 0.04, k2 = 3e7, k3 = 1e4;

template <bool conserve>
struct Robertson {
  static constexpr bool autonomous = true, recordable = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    const S y1 = at.x[0], y2 = at.x[1], y3 = at.x[2];
    out[0] = -k1 * y1 + k3 * y2 * y3;
    out[1] = k1 * y1 - k3 * y2 * y3 - k2 * y2 * y2;
    out[2] = conserve ? y1 + y2 + y3 - 1.0 : k2 * y2 * y2;
  }
  std::vector<std::string> invariant_names() const { return {"mass"}; }
  template <class S>
  void invariants(const Point<S>& at, std::span<S> out) const {
    out[0] = at.x[0] + at.x[1] + at.x[2];
  }
};

struct RobertsonRow {
  double t, y1, y2, y3, accuracy;
  const char* origin;
};
constexpr RobertsonRow robertson_rows[] = {
    {0.4, 0.985172113860989862, 3.38639537897490414e-05, 1.47940221852203885e-02, 1e-15, "recomputed"},
    {40, 0.715827068719405091, 9.18553476455776390e-06, 0.284163745745830352, 1e-15, "recomputed"},
    {400, 0.450518668471102425, 3.22290144167461130e-06, 0.549478108627455901, 1e-15, "recomputed"},
    {1e11, 0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050, 1e-11, "published"},
};

template <bool conserve>
Result<Instance> make_robertson(const Parameters& p, std::string_view /*formulation*/) {
  const double t_end = get(p, "t_end");
  Task task{.t_end = t_end,
            .measure = {.atol = 0,
                        .rtol = 1,
                        .definition = "relative error of all three concentrations at t_end (scd of the Test Set); "
                                      "atol = 1e-6 rtol (y2 falls to 1e-13), first step 1e-6",
                        .atol_per_rtol = 1e-6},
            .initial_step = 1e-6};
  for (const RobertsonRow& row : robertson_rows)
    if (same(row.t, t_end))
      task.reference = {.t = t_end,
                        .components = {"y1", "y2", "y3"},
                        .values = {row.y1, row.y2, row.y3},
                        .accuracy = row.accuracy,
                        .origin = row.origin};
  Layout layout = conserve ? Layout{{.name = "y", .size = 2, .components = {"y1", "y2"}},
                                    {.name = "y3", .size = 1, .kind = Kind::algebraic, .components = {"y3"}}}
                           : Layout{{.name = "y", .size = 3, .components = {"y1", "y2", "y3"}}};
  return dae_instance(make_dae(Robertson<conserve>{}, std::move(layout)), vector({1, 0, 0}), std::move(task));
}

template <bool conserve>
Entry entry() {
  return {
      .name = conserve ? "robertson-dae" : "robertson",
      .title = conserve ? "Robertson's reaction with conservation of mass, index 1" : "Robertson's chemical reaction",
      .source = "Robertson 1966; Hairer & Wanner, Solving ODEs II (1996) IV.1; Test Set for IVP Solvers, rober",
      .parameters = {end_time(1e11)},
      .t_end = 1e11,
      .make = make_robertson<conserve>};
}

}  // namespace

Entry robertson() { return entry<false>(); }
Entry robertson_dae() { return entry<true>(); }

}  // namespace rubato::catalogue
