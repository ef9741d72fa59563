/// Slider crank with a flexible connecting rod: (φ₁, φ₂, x₃, q₁ … q₄), crank angle φ₁ = Ωt prescribed, 0 ≤ t ≤ 0.1.
/// M v' = f − Gᵀλ as in flexible_crank.hpp, signs of the Test Set;
///   g₁ = l₁ sin φ₁ + (l₂ + q₄) sin φ₂,   g₂ = x₃ − l₁ cos φ₁ − (l₂ + q₄) cos φ₂,   g₃ = φ₁ − Ωt.                    (1)
/// Simeon, Math. Modelling of Systems 2 (1996) 1; Test Set for IVP Solvers, crank.
///
/// Two entries, one text:
///   slider-crank     The Test Set's numbers: a longitudinal mass block without the factor 1/15 of the quadratic element
///                    (1088.7 and 3917.2 Hz), on demand with its π = 3.1415927 (`truncated_pi`). Start S lies on the smooth
///                    motion (the published numbers violate g₂ by 2e-10; here x₃ and φ₂' are set to fit), R is the rigid
///                    motion. References recomputed (index 1, DOP853, rtol 1e-12).
///   slider-crank-15  The mass block with 1/15: 203.19, 812.76, 4216.71 and 15171.35 Hz, as in Schaub & Simeon, ZAMM 83
///                    (2003) 720, who name the elastic coordinates q₄ … q₇. The smooth start is that of the periodic motion
///                    (2π/Ω), the perturbed one the rigid motion. ggl+a is the source's semi-explicit form of 27 unknowns.
///                    References recomputed (index 1, extrapolated midpoint rule of order 18, 64-bit mantissa).
#include "catalogue/flexible_crank.hpp"
#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

struct SliderCrank : FlexibleCrank {
  MechanicalSizes sizes() const { return {.q = 7, .v = 7, .lambda = 3}; }
  std::vector<std::string> names(std::string_view block) const {
    std::vector<std::string> names{"phi1", "phi2", "x3", "q1", "q2", "q3", "q4"};
    if (block == "q") return names;
    if (block != "v" && block != "a" && block != "p") return {};
    for (auto& name : names) name = std::string(block) + "_" + name;
    return names;
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    motion_force(p, f);
    const Four<S> rod = elastic_force(elastic(p.q), elastic(p.v));
    for (std::size_t i = 0; i < 4; ++i) f[3 + i] += rod[i];
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    const auto [s1, c1] = sin_cos(p.q[0]);
    const auto [s2, c2] = sin_cos(p.q[1]);
    const S length = l2 + p.q[6];
    g[0] = l1 * s1 + length * s2;
    g[1] = p.q[2] - l1 * c1 - length * c2;
    g[2] = p.q[0] - speed * p.t;
  }
};

struct SliderCrankRow {
  bool nonlinear, damped;
  int start;
  bool truncated_pi;
  double phi2, x3, q1, q2, q3, q4;
};
enum Start { smooth, rigid };
constexpr SliderCrankRow slider_crank_rows[] = {
    {false, false, smooth, true, -0.33117349882554, 0.16973733263994, 1.8931928430213e-4, 2.3757513204877e-5,
     -5.3238967781710e-6, -8.3633132917074e-6},
    {false, false, smooth, false, -0.33117349882554, 0.16973733263994, 1.8931924677e-4, 2.3757514878e-5,
     -5.3238968072e-6, -8.3633133382e-6},
    {false, false, rigid, false, -0.33117900604, 0.16973225167, -1.4172412557e-4, 2.1625306131e-5, -7.93471239e-6,
     -1.316818733e-5},
    {false, true, smooth, false, -0.33117350256, 0.16973732920, 2.1080321009e-4, 2.3823684016e-5, -5.3324590863e-6,
     -8.3665683478e-6},
    {false, true, rigid, false, -0.33117361823, 0.16973722248, 1.9851627051e-4, 2.3800930727e-5, -5.4019757173e-6,
     -8.4674920248e-6},
    {true, false, smooth, false, -0.33117388762, 0.16973697393, -1.1807513962e-4, 2.3651469116e-5, -5.4750235e-6,
     -8.7025316e-6},
    {true, true, smooth, false, -0.33117368822, 0.16973715791, 8.6755004751e-5, 2.4236707491e-5, -5.4366297558e-6,
     -8.5285523706e-6},
    {true, true, rigid, false, -0.33117389222, 0.16973696969, 9.8464257941e-5, 2.4177072626e-5, -5.5592213298e-6,
     -8.7065449515e-6},
};

constexpr double crank_speed = FlexibleCrank::speed, l1 = FlexibleCrank::l1, l2 = FlexibleCrank::l2;

/// The crank stretched out at t = 0 with a rod of length l₂ + q₄: x₃ and φ₂' follow from (1).
MechanicalState start_with(double q3, double q4) {
  return {.q = vector({0, 0, l1 + l2 + q4, 0, 0, q3, q4}),
          .v = vector({crank_speed, -crank_speed * l1 / (l2 + q4), 0, 0, 0, 0, 0}),
          .lambda = Vector::Zero(3)};
}

Measure measure() {
  return {.atol = 0,
          .rtol = 1,
          .definition = "relative error of phi2, x3, q1 ... q4 at t = 0.1; not below 1e-7 (accuracy of the reference)"};
}

Reference reference(std::vector<double> values, double accuracy) {
  return {.t = 0.1,
          .components = {"phi2", "x3", "q1", "q2", "q3", "q4"},
          .values = std::move(values),
          .accuracy = accuracy,
          .origin = "recomputed"};
}

Result<Instance> make_slider_crank(const Parameters& p, std::string_view formulation) {
  const bool truncated_pi = get(p, "truncated_pi") != 0;
  const SliderCrank model{{.damped = get(p, "damping") != 0,
                           .nonlinear = get(p, "nonlinear") != 0,
                           .pi = truncated_pi ? 3.1415927 : std::numbers::pi}};
  const int start = static_cast<int>(get(p, "start"));
  Task task{.t_end = get(p, "t_end"), .measure = measure(), .initial_step = 1e-5};
  for (const SliderCrankRow& row : slider_crank_rows)
    if (same(task.t_end, 0.1) && row.nonlinear == model.nonlinear && row.damped == model.damped && row.start == start &&
        row.truncated_pi == truncated_pi)
      task.reference = reference({row.phi2, row.x3, row.q1, row.q2, row.q3, row.q4}, 1e-8);
  MechanicalState guess = start_with(0, 0);
  if (start == smooth) {
    guess = start_with(0.103339863e-4, 0.169327969e-4);
    guess.v.tail(5) = vector({-0.268938672e-5, 0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5});
  }
  return mechanical_instance(make_mechanical(model), guess, formulation.empty() ? "semi-explicit" : formulation,
                             std::move(task));
}

Result<Instance> make_15(const Parameters& p, std::string_view formulation) {
  const SliderCrank model{{.axial_mass = 1.0 / 15}};
  const int start = static_cast<int>(get(p, "start"));
  Task task{.t_end = get(p, "t_end"), .measure = measure(), .initial_step = 1e-5};
  if (same(task.t_end, 0.1))
    task.reference = start == smooth ? reference({-0.3311735001678997, 0.1697373314015714, 2.104649856431091e-4,
                                                  2.375180344936298e-5, -5.331560065178900e-6, -8.364484386588846e-6},
                                                 1e-13)
                                     : reference({-0.3311928424912503, 0.169719486851253, -1.388902293426e-4,
                                                  2.075487765225e-5, -1.542974460252e-5, -2.523933120276e-5},
                                                 1e-11);
  MechanicalState guess = start_with(0, 0);
  if (start == smooth) {
    guess = start_with(1.02706772169765e-5, 1.68545583741753e-5);
    guess.v[3] = 0.4731592802023;
    guess.v[4] = 4.63001876e-3;
  }
  return mechanical_instance(make_mechanical(model), guess, formulation.empty() ? "ggl+a" : formulation,
                             std::move(task));
}

}  // namespace

Entry slider_crank() {
  return {
      .name = "slider-crank",
      .title = "slider crank with flexible connecting rod",
      .source = "Simeon, Math. Modelling of Systems 2 (1996) 1; Test Set for IVP Solvers, crank",
      .parameters = {flag("damping", 0, "1: damped rod"), flag("nonlinear", 0, "1: stiffness terms of second order"),
                     flag("start", 0, "0: smooth motion (S), 1: rigid motion (R)"),
                     flag("truncated_pi", 0, "1: pi = 3.1415927 as in the test set's code"), end_time(0.1)},
      .formulations = {"index-3", "index-2", "ggl", "index-1", "semi-explicit", "momentum", "state-space"},
      .default_formulation = "semi-explicit",
      .t_end = 0.1,
      .make = make_slider_crank};
}

Entry slider_crank_15() {
  return {
      .name = "slider-crank-15",
      .title = "slider crank with the longitudinal mass of the quadratic element",
      .source = "Schaub & Simeon, ZAMM 83 (2003) 720; data: Test Set for IVP Solvers, crank",
      .parameters = {flag("start", 0, "0: smooth (periodic) motion, 1: perturbed, the rigid motion"), end_time(0.1)},
      .formulations = {"index-3", "index-2", "ggl", "ggl+a", "index-1", "semi-explicit", "momentum", "state-space"},
      .default_formulation = "ggl+a",
      .t_end = 0.1,
      .make = make_15};
}

}  // namespace rubato::catalogue
