// Rotors: a disc on a flexible shaft of exact beams against Laval's and Jeffcott's formulas.
//   m ẑ'' + c ẑ' + c_i (ẑ' − iΩ ẑ) + k ẑ = m e (Ω² − iα) exp(iφ),  φ' = Ω, φ'' = α                                        (1)
// ẑ = y + iz: the middle of the disc, e: the distance of its centre of mass; c damps against space, c_i inside the shaft.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "rubato/base/function.hpp"
#include "rubato/integrate/recorder.hpp"
#include "rubato/io/model_file.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

/// A problem that begins at this state, made consistent.
struct Prepared {
  std::shared_ptr<const FormulatedDae> dae;
  InitialValueProblem problem;
};
Prepared prepared(const SystemPointer& system, const MechanicalState& guess, double t_end) {
  const auto start = consistent_state(*system, guess);
  EXPECT_TRUE(start.ok()) << (start.ok() ? "" : start.error().message);
  const auto dae = formulate(system, *formulation_by_name("index-3"));
  EXPECT_TRUE(dae.ok());
  Prepared out{.dae = *dae, .problem = {.dae = *dae, .t_end = t_end, .base = (*dae)->base_of(*start)}};
  out.dae->pack(*start, out.problem.x, out.problem.w);
  return out;
}

/// Both ends of a shaft without mass are held in bearings that keep its direction: k = 192 EI/L³. Without damping (1) has the
/// circular whirl ẑ = A exp(iΩt), A = e r²/(1 − r²), r = Ω/√(k/m); the centre of mass runs on the radius e/(1 − r²), on the
/// other side beyond the critical speed. Each bearing carries half of m Ω² e/(1 − r²). Started there, it stays.
TEST(Rotor, WhirlsAsJeffcottSays) {
  const double length = 1, bending = 100, mass = 5, e = 1e-4;
  const double critical = std::sqrt(192 * bending / (length * length * length) / mass);
  for (const double r : {0.5, 0.8, 1.25, 2.0}) {
    const double omega = r * critical, radius = e / (1 - r * r);
    const std::string variables[] = {"t"};
    const auto turning = std::make_shared<Function>(*Expression::parse("omega*t", variables, {{"omega", omega}}));
    const auto body = [&](const char* name, double x, double y, double m, double j) {
      return Body{.name = name,
                  .mass = m,
                  .inertia = {2 * j, j, j},
                  .pose = {.position = {x, y, 0}},
                  .angular_velocity = {omega, 0, 0}};
    };
    const Vector3 along{1, 0, 0};
    const Beam left{.name = "left",
                    .a = {.body = "journal"},
                    .b = marker("disc", {0, -e, 0}),
                    .axial_shear = {1e7, 0, 0},
                    .torsion_bending = {80, bending, bending}};
    Beam right = left;
    right.name = "right";
    right.a = left.b;
    right.b = {.body = "end"};
    for (Marker* m : {&right.a, &right.b}) m->pose.rotation = no_rotation;
    Mechanism m{.bodies = {body("journal", 0, 0, 0.01, 1e-5), body("disc", length / 2, e, mass, 0.02),
                           body("end", length, 0, 0.01, 1e-5)},
                .joints = {{.name = "motor",
                            .type = JointType::revolute,
                            .a = marker("ground", {}, along),
                            .b = marker("journal", {}, along),
                            .drive = Drive::angle,
                            .motion = turning},
                           {.name = "bearing",
                            .type = JointType::cylindrical,
                            .a = marker("ground", {length, 0, 0}, along),
                            .b = marker("end", {}, along)}},
                .forces = {left, right}};
    const auto system = built(m);
    ASSERT_NE(system, nullptr);
    MechanicalState whirl = system->start();
    whirl.q[7] = radius;  // y of the disc
    whirl.v[8] = omega * radius;
    const double t_end = 3.3 * 2 * std::numbers::pi / omega;
    const auto task = prepared(system, whirl, t_end);
    const auto summary = integrate(task.problem, "radau", {.tolerances = {.rtol = 1e-9, .atol = 1e-9}});
    ASSERT_TRUE(summary) << summary.error().message;
    Ending end;
    ScratchMemory memory(task.dae->scratch_bytes());
    ASSERT_EQ(task.dae->unpack({.t = summary->t,
                                .x = view(std::as_const(summary->x)),
                                .u = {},
                                .base = view(std::as_const(summary->base)),
                                .mode = 0,
                                .scratch = memory.scratch()},
                               view(std::as_const(summary->w)), end.state),
              EvalStatus::ok);
    look(*system, end);
    // What (1) leaves out is of the order (A/L)² = 1e-7.
    const double phi = omega * t_end, tolerance = 1e-5 * std::abs(radius);
    EXPECT_NEAR(end["disc.y"], radius * std::cos(phi), tolerance) << "r = " << r;
    EXPECT_NEAR(end["disc.z"], radius * std::sin(phi), tolerance) << "r = " << r;
    const double load = mass * omega * omega * std::abs(radius) / 2;
    EXPECT_NEAR(std::hypot(end["bearing.force.y"], end["bearing.force.z"]), load, 1e-5 * load) << "r = " << r;
  }
}

/// One half of the shaft of the example, loaded by V in the middle where it stays parallel: deflection y(x) from the bearing
/// with its bushing (stiffness k_b, k_θ), with bending and shear.
struct Half {
  double length, bending, shear, k_b, k_theta;
  double moment() const {  // in the middle: no slope there
    return (length * length / (2 * bending) + length / k_theta) / (length / bending + 1 / k_theta);
  }
  double slope() const { return (length - moment()) / k_theta; }  // of the bearing
  double operator()(double x) const {
    return 1 / k_b + slope() * x + (length * x * x / 2 - x * x * x / 6 - moment() * x * x / 2) / bending + x / shear;
  }
};

/// The run-up of examples/rotor.toml against (1) with mass and stiffness by Rayleigh's quotient of the static deflection:
/// below, through and beyond the critical speed.
TEST(Rotor, RunsUpAsJeffcottSays) {
  const auto file = io::read_model_file(RUBATO_EXAMPLES "/rotor.toml");
  ASSERT_TRUE(file) << file.error().message;
  std::map<std::string, double> p(file->parameters.begin(), file->parameters.end());
  const double t_end = 6;
  const auto system = built(file->mechanism);
  ASSERT_NE(system, nullptr);
  const auto task = prepared(system, system->start(), t_end);
  const double every = 1e-3;
  std::vector<double> times;
  for (int i = 0; i <= 6000; ++i) times.push_back(i * every);
  Recorder recorder(task.problem, times);
  Observer* const observers[] = {&recorder};
  const auto summary =
      integrate(task.problem, "radau", {.tolerances = {.rtol = 1e-5, .atol = 1e-6}}, {.observers = observers});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->status, RunStatus::finished) << summary->reason;

  const double k_theta = 5000, c_theta = 5, housing = 1, disc = 5;
  const Half y{.length = p["L"] / 2,
               .bending = p["E"] * p["I"],
               .shear = 0.9 * p["G"] * p["A"],
               .k_b = p["rubber"],
               .k_theta = k_theta};
  const double middle = y(y.length), k = 2 / middle;
  const auto share = [&](double x) { return std::pow(y(x) / middle, 2); };
  const double twist = std::pow(y.slope() / middle, 2);
  const double mass = disc + 2 * (housing + p["m"] / 2) * share(0) + 2 * p["m"] * (share(p["h"]) + share(2 * p["h"]));
  const double c = 2 * p["damper"] * share(0) + 2 * c_theta * twist;
  const double inner = p["loss"] * (k - 2 * p["rubber"] * share(0) - 2 * k_theta * twist);
  const double critical = std::sqrt(k / mass), alpha = p["acceleration"], e = p["unbalance"];
  EXPECT_NEAR(critical, 54.5, 0.1);  // as the example says

  // (1) by the classical Runge-Kutta method; the disc alone is out of balance. The inertia of the housings lets the bearings
  // yield 5 % more than the static deflection does: there is a little more damping than (1) has.
  using Complex = std::complex<double>;
  const Complex i(0, 1);
  const auto acceleration = [&](double t, Complex z, Complex v) {
    const double omega = alpha * t;
    const Complex push = disc * e * (omega * omega - i * alpha) * std::exp(i * (alpha * t * t / 2));
    return (push - c * v - inner * (v - i * omega * z) - k * z) / mass;
  };
  Complex z = 0, v = 0;
  double peak = 0, t_peak = 0, peak_here = 0, t_peak_here = 0, worst = 0;
  std::size_t column_y = 0, column_z = 0;
  for (std::size_t j = 0; j < recorder.names().size(); ++j) {
    if (recorder.names()[j] == "disc.y") column_y = j;
    if (recorder.names()[j] == "disc.z") column_z = j;
  }
  const int inside = 4;
  const double h = every / inside;
  for (std::size_t row = 0; row < recorder.rows(); ++row) {
    const double t0 = times[row];
    const double exact = std::abs(z + e * std::exp(i * (alpha * t0 * t0 / 2)));
    const double here = std::hypot(recorder.row(row)[column_y], recorder.row(row)[column_z]);
    if (exact > peak) {
      peak = exact;
      t_peak = t0;
    }
    if (here > peak_here) {
      peak_here = here;
      t_peak_here = t0;
    }
    worst = std::max(worst, std::abs(exact - here));
    for (int n = 0; n < inside; ++n) {
      const double t = t0 + n * h;
      const Complex k1 = acceleration(t, z, v), v2 = v + h / 2 * k1;
      const Complex k2 = acceleration(t + h / 2, z + h / 2 * v, v2), v3 = v + h / 2 * k2;
      const Complex k3 = acceleration(t + h / 2, z + h / 2 * v2, v3), v4 = v + h * k3;
      const Complex k4 = acceleration(t + h, z + h * v3, v4);
      z += h / 6 * (v + 2.0 * v2 + 2.0 * v3 + v4);
      v += h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
  }
  EXPECT_NEAR(peak_here, peak, 0.02 * peak);
  EXPECT_NEAR(t_peak_here, t_peak, 0.02 * t_peak);
  EXPECT_LT(worst, 0.05 * peak);
  EXPECT_GT(peak, 10 * e) << "otherwise nothing was shown";
}

}  // namespace
}  // namespace rubato::multibody
