// The small problems that prove the interfaces: rotations in a chart, friction states and resets, rolling, jumping inputs,
// variable mass, dependent rows, approximate tangents, sparse systems.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "catalogue/catalogue.hpp"
#include "model_checks.hpp"
#include "rubato/problem/linearisation.hpp"
#include "rubato/problem/rotation.hpp"
#include "unit/catalogue/built.hpp"

namespace rubato::catalogue {
namespace {

TEST(RotationChart, FactorsAreSmoothAcrossTheSwitch) {
  for (const double s : {0.0, 1e-12, 0.3, 0.999999, 1.0, 4.0, 20.0}) {
    const auto f = detail::chart_factors(s);
    const double theta = std::sqrt(s);
    if (s > 1e-3) {
      EXPECT_NEAR(f.a, std::sin(theta) / theta, 1e-15);
      EXPECT_NEAR(f.b, (1 - std::cos(theta)) / s, 2e-14);
      EXPECT_NEAR(f.c, (1 - theta / 2 / std::tan(theta / 2)) / s, 2e-14);
    } else {
      EXPECT_NEAR(f.a, 1, 1e-12);
      EXPECT_NEAR(f.b, 0.5, 1e-12);
      EXPECT_NEAR(f.c, 1.0 / 12, 1e-12);
    }
  }
}

// R(base) exp(δ) is a rotation, its rate along δ' = T⁻¹ω is R ω̃, and a rebase moves it into the base unchanged.
TEST(RotationChart, RateAndRebaseBelongToTheSameRotation) {
  const std::array<double, 4> base{0.5, -0.5, 0.1, std::sqrt(0.49)};
  const Three<double> omega{0.7, -1.1, 2.0}, e{0.2, 0.5, -1.3};
  for (const Three<double>& delta :
       {Three<double>{0, 0, 0}, Three<double>{0.3, -0.2, 0.4}, Three<double>{2, 1, -1.5}}) {
    using D = Dual<double, 1>;
    Three<D> moving;
    std::array<double, 3> rate{};
    EXPECT_EQ(chart_rate<double>(delta, omega, rate), EvalStatus::ok);
    for (std::size_t i = 0; i < 3; ++i) {
      moving[i] = D(delta[i]);
      moving[i].d[0] = rate[i];
    }
    const Three<D> tip = to_space(In(base), moving, e);
    const Three<double> expected = to_space(In(base), delta, rubato::cross(omega, e));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(tip[i].d[0], expected[i], 1e-14);
    std::array<double, 4> moved = base;
    std::array<double, 3> rest{delta[0], delta[1], delta[2]};
    rebase_rotation(rest, moved);
    const Three<double> after = to_space(In(moved), Three<double>{0, 0, 0}, e);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(after[i], tip[i].value, 1e-15 * 4);
  }
  EXPECT_EQ(chart_rate<double>({6, 0, 0}, omega, std::span<double>(std::array<double, 3>{}.data(), 3)),
            EvalStatus::out_of_domain);
}

// Accelerations of the constrained top against Euler's equations about the fixed point:
//   J' ω' = −ω × J'ω + X × Rᵀ m γ,  J' = J + m (|X|² I − X Xᵀ).
TEST(HeavyTop, AcceleratesAsEulerSays) {
  const Instance instance = built("heavy-top");
  const MechanicalState s = start_state(instance);
  const Three<double> omega{0, 150, -4.61538}, j{15.234375, 0.46875, 15.234375};
  const Three<double> spin{j[0] * omega[0], j[1] * omega[1], j[2] * omega[2]}, gyration = rubato::cross(omega, spin);
  const Three<double> moment = rubato::cross(Three<double>{0, 1, 0}, Three<double>{0, 0, -15 * 9.81});
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(s.a[static_cast<Eigen::Index>(3 + i)], (moment[i] - gyration[i]) / j[i], 1e-11);
}

// The references lie on the sphere, with the velocity tangent to it and the energy of the start.
TEST(HeavyTop, ReferencesKeepLengthAndEnergy) {
  for (const double t : {0.1, 1.0, 2.0}) {
    const Instance instance = built("heavy-top", {{"t_end", t}});
    const auto& r = instance.reference->values;
    const Three<double> x{r[0], r[1], r[2]}, v{r[3], r[4], r[5]};
    EXPECT_NEAR(rubato::dot(x, x), 1, 1e-12);
    EXPECT_NEAR(rubato::dot(x, v), 0, 1e-11);
    // ½ (m + J₁) v² + m g z with J₁ = J₃; the spin is constant.
    const double start = 0.5 * 15.234375 * 4.61538 * 4.61538;
    EXPECT_NEAR(0.5 * 15.234375 * rubato::dot(v, v) + 15 * 9.81 * x[2], start, 1e-8);
  }
}

TEST(OverconstrainedLoop, FindsThreeDependentRows) {
  const Instance instance = built("overconstrained-loop");
  ConstraintDiagnosis diagnosis;
  const auto state = consistent_state(*instance.system, start_state(instance), {}, &diagnosis);
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(diagnosis.rank, 17);
  EXPECT_EQ(diagnosis.dependent.size(), 3u);
  // Released from rest the coupler falls as the pendulum says: θ'' = −ω² sin θ₀ along the circle.
  const double omega2 = 5 * 9.81 / (2 * 2.0 / 3 + 3), theta0 = 1;
  EXPECT_NEAR(state->a[6], -omega2 * std::sin(theta0) * std::cos(theta0), 1e-10);
  EXPECT_NEAR(state->a[7], -omega2 * std::sin(theta0) * std::sin(theta0), 1e-10);
}

TEST(RollingDisc, ReferenceRollsAndObeysTheEquations) {
  const double t = 0.8, h = 1e-5;
  const auto at = [&](double time) {
    const auto values = built("rolling-disc", {{"t_end", time}}).reference->values;
    return Vector(map(In(values)));
  };
  const Vector x = at(t), rate = (at(t + h) - at(t - h)) / (2 * h);
  EXPECT_LT((rate.head(4) - x.tail(4)).cwiseAbs().maxCoeff(), 1e-8);
  const Instance instance = built("rolling-disc");
  const auto state =
      consistent_state(*instance.system, {.t = t, .q = x.head(4), .v = x.tail(4), .nu = Vector::Zero(2)});
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_LT((state->v - x.tail(4)).cwiseAbs().maxCoeff(), 1e-14);  // already rolling
  EXPECT_LT((state->a - rate.tail(4)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(LuGreOscillator, ReboundsFromTheStop) {
  const Instance instance = built("lugre-oscillator");
  const auto& dae = *instance.problem.dae;
  ASSERT_EQ(dae.roots().size(), 1u);
  EXPECT_EQ(dae.roots()[0].crossing, Crossing::falling);
  Vector x = instance.problem.x;
  x[0] = 0.4;
  x[1] = -0.3;
  ScratchMemory memory(dae.scratch_bytes());
  Vector root(1);
  EXPECT_EQ(dae.root_values({.t = 0, .x = view(std::as_const(x)), .u = {}, .base = {}, .scratch = memory.scratch()},
                            view(root)),
            EvalStatus::ok);
  EXPECT_EQ(root[0], 0);
  const int fired = 0;
  const EventEffect effect = dae.on_event({.t = 1, .roots = {&fired, 1}, .base = {}, .u = {}}, view(x));
  EXPECT_TRUE(effect.state_changed);
  EXPECT_FALSE(effect.terminate);
  EXPECT_EQ(x[1], 0.15);
  // Where momenta are unknowns they follow the reset velocity: p = m v, m = 1.
  for (const char* formulation : {"momentum", "hamilton"}) {
    const Instance other = built("lugre-oscillator", {}, formulation);
    const Block* p = other.problem.dae->layout().find("p");
    ASSERT_NE(p, nullptr);
    Vector y = other.problem.x;
    y[p->offset] = -0.3;
    if (const Block* v = other.problem.dae->layout().find("v")) y[v->offset] = -0.3;
    EXPECT_TRUE(
        other.problem.dae->on_event({.t = 1, .roots = {&fired, 1}, .base = {}, .u = {}}, view(y)).state_changed);
    EXPECT_NEAR(y[p->offset], 0.15, 1e-16) << formulation;
  }
  // In steady sliding the bristle carries the Stribeck force: z = s(w)/σ₀, z' = 0.
  const MechanicalState sliding{.q = Vector::Zero(1), .v = Vector::Constant(1, -0.1), .z = Vector::Constant(1, 1e-5)};
  PointAt at(*instance.system, sliding);
  Vector e(1), f(1);
  EXPECT_EQ(instance.system->auxiliary(at(), view(e)), EvalStatus::ok);
  EXPECT_EQ(instance.system->force(at(), view(f)), EvalStatus::ok);
  EXPECT_NEAR(e[0], 0, 1e-12);
  EXPECT_NEAR(f[0], 1 + 0.4 * 0.3, 1e-10);
}

TEST(Orifice, NodeIsConsistentAtEveryReference) {
  for (const double t : {0.05, 0.12, 0.2}) {
    Instance instance = built("orifice", {{"t_end", t}});
    EXPECT_LT(algebraic_residual(instance), 1e-12);  // round-off of the flows times β/V₁
    // Just before a jump the old opening still holds.
    instance.problem.x = map(In(instance.reference->values));
    instance.problem.t_start = t - 1e-9;
    EXPECT_LT(algebraic_residual(instance), 1e-9);
    EXPECT_EQ(instance.problem.input->next_break(0), 0.05);
    EXPECT_EQ(instance.problem.input->next_break(0.05), 0.12);
  }
}

TEST(Orifice, TurnsFromTurbulentToLaminar) {
  // Outflow of p₂ alone: p₁ = p₂ stops the flow between them.
  const Instance instance = built("orifice");
  const auto outflow = [&](double p) {
    Vector x(3), f(3), u = Vector::Zero(1);
    x << p, p, p;
    EXPECT_EQ(
        instance.problem.dae->f(
            {.t = 0, .x = view(std::as_const(x)), .u = view(std::as_const(u)), .base = {}, .scratch = {}}, view(f)),
        EvalStatus::ok);
    return -f[1] * 1e-3 / 1.5e9;
  };
  const double k = 0.6 * 3e-6 * std::sqrt(2 / 850.0);
  EXPECT_NEAR(outflow(1e5 + 1e7) / (k * std::sqrt(1e7)), 1, 1e-6);      // turbulent: √d
  EXPECT_NEAR(outflow(1e5 + 10) / (k * 10 / std::sqrt(1e4)), 1, 1e-6);  // laminar: d
  EXPECT_NEAR(outflow(1e5 - 10), -outflow(1e5 + 10), 1e-20);
}

// On the constructed solution f = L(φ) φ'.
TEST(QuasiLinear, ConstructedSolutionSatisfiesTheEquations) {
  for (const double t : {0.0, 0.7, 3.0}) {
    const Instance instance = built("quasi-linear", {{"t_end", t}});
    const Vector x = map(In(instance.reference->values));
    Vector w(3), f(3), bw(3);
    w << -std::sin(t), std::cos(2 * t), 0;
    w[2] = w[0] * x[1] + x[0] * w[1];
    const At at{.t = t, .x = view(x), .u = {}, .base = {}, .scratch = {}};
    EXPECT_EQ(instance.problem.dae->f(at, view(f)), EvalStatus::ok);
    EXPECT_EQ(instance.problem.dae->mass_times(at, view(std::as_const(w)), view(bw)), EvalStatus::ok);
    EXPECT_LT((f - bw).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_FALSE(instance.problem.dae->constant_mass());
  }
}

TEST(DoublePendulum, ReferencesHaveTheEnergyOfTheStart) {
  struct Row {
    double k, printed, q1, q2, t;
  };
  for (const Row& row : {Row{1e4, 0, 3.341901e-4, 1, 10}, Row{1e4, 1, -1.300607e-4, 1, 10}, Row{1e4, 0, 0.02, 1, 10},
                         Row{1e4, 1, 0.02, 1, 10}, Row{0, 0, 1, 1, 2}, Row{0, 0, 1, 1, 5}}) {
    const Instance instance = built(
        "double-pendulum", {{"k", row.k}, {"printed", row.printed}, {"q1", row.q1}, {"q2", row.q2}, {"t_end", row.t}});
    ASSERT_TRUE(instance.reference.has_value());
    const Vector end = map(In(instance.reference->values));
    const MechanicalState start = start_state(instance);
    const auto energy = [&](const Vector& q, const Vector& v) {
      PointAt at(*instance.system, {.q = q, .v = v});
      Vector value(1);
      EXPECT_EQ(instance.system->invariants(at(), view(value)), EvalStatus::ok);
      return value[0];
    };
    EXPECT_NEAR(energy(end.head(2), end.tail(2)), energy(start.q, start.v), 1e-12);
    if (row.k > 0 && row.q1 < 0.01) {
      EXPECT_NEAR(start.a[0], 0, 0.02);  // smooth start: the stiff spring is in balance
    }
  }
}

// The secant of the table is the model's Jacobian, and says that it is approximate.
TEST(TabulatedForce, OffersAnApproximateTangent) {
  const Instance instance = built("tabulated-force");
  const Dae& dae = *instance.problem.dae;
  EXPECT_EQ(dae.model_jacobian(), ModelJacobian::approximate);
  const auto tangent = [&](double x) {
    const MechanicalState s{.q = Vector::Constant(1, x), .v = Vector::Zero(1)};
    PointAt at(*instance.system, s);
    Vector k(1), d(1), a = Vector::Zero(1);
    EXPECT_EQ(instance.system->tangents(at(), view(std::as_const(a)),
                                        {.K = view(k), .D = view(d), .r_lambda = {}, .g_q = {}, .g_lambda = {}}),
              EvalStatus::ok);
    return k[0];
  };
  const auto spring = [&](double x) {
    const MechanicalState s{.q = Vector::Constant(1, x), .v = Vector::Zero(1)};
    PointAt at(*instance.system, s);
    Vector f(1);
    EXPECT_EQ(instance.system->force(at(), view(f)), EvalStatus::ok);
    return 5 - f[0];  // load at t = 0
  };
  EXPECT_NEAR(spring(0.7), 20 * 0.7 + 30 * 0.343, 1e-12);                // a knot
  EXPECT_NEAR(spring(0.75), 20 * 0.75 + 30 * 0.421875, 0.02);            // between
  EXPECT_NEAR(tangent(0.72), (spring(0.8) - spring(0.7)) / 0.1, 1e-10);  // secant
  const double h = 1e-6, exact = (spring(0.72 + h) - spring(0.72 - h)) / (2 * h);
  EXPECT_GT(std::abs(tangent(0.72) - exact), 1);                                                // and not the slope
  EXPECT_NEAR((spring(0.8 + h) - spring(0.8)) / h, (spring(0.8) - spring(0.8 - h)) / h, 1e-3);  // C¹ at a knot
}

// Nine-point sparsity: the Jacobian of the net has a number of entries proportional to n².
TEST(MassSpringLattice, IsSparseAndItsReactionsAreTheGradient) {
  const Instance instance = built("mass-spring-lattice", {{"n", 8}, {"rods", 5}}, "index-3");
  const MechanicalSystem& system = *instance.system;
  MechanicalState s = start_state(instance);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shift(-0.1, 0.1);
  for (auto& q : s.q) q += shift(random);
  PointAt at(system, s);
  // Hand-written Gᵀλ against the rate of g along unit velocities.
  const Vector lambda = Vector::LinSpaced(5, 1, 2);
  Vector reaction(s.q.size());
  EXPECT_EQ(system.reaction(at(), view(lambda), {}, view(reaction)), EvalStatus::ok);
  for (Eigen::Index j = 0; j < s.q.size(); ++j) {
    MechanicalState unit = s;
    unit.v.setZero();
    unit.v[j] = 1;
    PointAt there(system, unit);
    Vector rate(5);
    EXPECT_EQ(system.constraint_rate(there(), view(rate)), EvalStatus::ok);
    EXPECT_NEAR(reaction[j], lambda.dot(rate), 1e-13);
  }
  const auto entries = [](double n) {
    const Instance net = built("mass-spring-lattice", {{"n", n}});
    ScratchMemory memory(net.problem.dae->scratch_bytes());
    auto j = Linearisation::create(*net.problem.dae,
                                   {.t = 0, .x = view(net.problem.x), .u = {}, .base = {}, .scratch = memory.scratch()},
                                   JacobianSource::automatic);
    EXPECT_TRUE(j.ok());
    return (*j)->jacobian_pattern().nnz() / (n * n);
  };
  EXPECT_LT(entries(16), 2 * (2 + 2 * 7));  // q' = v; each coordinate sees seven masses (positions), no velocities
  EXPECT_EQ(make_problem("mass-spring-lattice", {{"n", 4}, {"rods", 4}}).ok(), false);
}

}  // namespace
}  // namespace rubato::catalogue
