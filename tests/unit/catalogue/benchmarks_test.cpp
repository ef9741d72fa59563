// The equations of the benchmark mechanisms against what their sources print.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <complex>

#include "catalogue/catalogue.hpp"
#include "model_checks.hpp"

namespace rubato::catalogue {
namespace {

Vector vec(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), std::ssize(values));
}

/// [M Gᵀ; G 0] (w, λ) = (f, −γ) solved densely with the model's own products: nothing is projected.
struct Accelerations {
  Vector w, lambda, g, g_rate, gamma;
  Accelerations(const MechanicalSystem& system, double t, const Vector& q, const Vector& v) {
    const auto n = q.size(), m = static_cast<Eigen::Index>(system.sizes().lambda);
    MechanicalState state{.t = t, .q = q, .v = v, .lambda = Vector::Zero(m)};
    PointAt at(system, state);
    Matrix k = Matrix::Zero(n + m, n + m);
    Vector right(n + m), column(n), unit = Vector::Zero(n), f(n);
    g.resize(m), g_rate.resize(m), gamma.resize(m);
    for (Eigen::Index j = 0; j < n; ++j) {
      unit[j] = 1;
      EXPECT_EQ(system.inertia(at(), view(std::as_const(unit)), view(column)), EvalStatus::ok);
      k.col(j).head(n) = column;
      unit[j] = 0;
    }
    Vector row = Vector::Zero(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      row[i] = 1;
      EXPECT_EQ(system.reaction(at(), view(std::as_const(row)), {}, view(column)), EvalStatus::ok);
      k.row(n + i).head(n) = column.transpose();
      k.col(n + i).head(n) = column;
      row[i] = 0;
    }
    EXPECT_EQ(system.force(at(), view(f)), EvalStatus::ok);
    EXPECT_EQ(system.constraint(at(), view(g)), EvalStatus::ok);
    EXPECT_EQ(system.constraint_rate(at(), view(g_rate)), EvalStatus::ok);
    EXPECT_EQ(system.constraint_acceleration(at(), view(std::as_const(unit)), view(gamma)), EvalStatus::ok);
    right << f, -gamma;
    const Vector x = k.fullPivLu().solve(right);
    w = x.head(n);
    lambda = x.tail(m);
  }
};

/// Largest difference relative to 1 + |b|.
double difference(const Vector& a, const Vector& b) {
  return ((a - b).cwiseAbs().array() / (1 + b.cwiseAbs().array())).maxCoeff();
}

TEST(Andrews, StartsWithThePublishedAccelerationsAndReactions) {
  const auto instance = make_problem("andrews");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const MechanicalState start = start_state(*instance);
  const Vector w0 = vec({14222.4439199541138706, -10666.8329399655854029, 0, 0, 0, 0, 0});
  const Vector lambda0 = vec({98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0});
  EXPECT_LT(difference(start.a, w0), 1e-9);
  EXPECT_LT(difference(start.lambda, lambda0), 1e-11);
  const Accelerations here(*instance->system, 0, start.q, start.v);
  EXPECT_LT(here.g.cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT(difference(here.w, w0), 1e-9);
}

// γ from nested dual numbers against the formulas printed for γ₁ … γ₆, at the end of the motion where all terms count.
TEST(Andrews, AccelerationLevelTermsAreThePrintedOnes) {
  const auto instance = make_problem("andrews");
  const Vector q = vec({15.81077119515, -15.75637105841, 0.04082224011962, -0.5347301163421, 0.5244099658799,
                        0.5347301163421, 1.048080741042});
  const Vector v = vec({1139.920302259, -1424.379295177, 11.03291191077, 19.29337410529, 0.5735699148377,
                        -19.29337410529, 0.3231791492521});
  const double d = 0.028, e = 0.02, rr = 0.007, ss = 0.035, zt = 0.04, zf = 0.02, u = 0.04;
  const auto sq = [](double x) { return x * x; };
  const double bt = q[0] + q[1], pd = q[3] + q[4], oe = q[5] + q[6];
  const double xc = -rr * std::cos(q[0]) * sq(v[0]) + d * std::cos(bt) * sq(v[0] + v[1]);
  const double yc = -rr * std::sin(q[0]) * sq(v[0]) + d * std::sin(bt) * sq(v[0] + v[1]);
  const Vector gamma = vec({xc + ss * std::sin(q[2]) * sq(v[2]), yc - ss * std::cos(q[2]) * sq(v[2]),
                            xc + e * std::sin(pd) * sq(v[3] + v[4]) + zt * std::cos(q[4]) * sq(v[4]),
                            yc - e * std::cos(pd) * sq(v[3] + v[4]) + zt * std::sin(q[4]) * sq(v[4]),
                            xc + zf * std::cos(oe) * sq(v[5] + v[6]) + u * std::sin(q[6]) * sq(v[6]),
                            yc + zf * std::sin(oe) * sq(v[5] + v[6]) - u * std::cos(q[6]) * sq(v[6])});
  const Accelerations end(*instance->system, 0.03, q, v);
  EXPECT_LT(difference(end.gamma, gamma), 1e-13);
  // The recomputed end values are consistent with each other at all levels (12 and 10 digits are printed).
  EXPECT_LT(end.g.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(end.g_rate.cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(difference(end.w, vec({-24631.76312340, 51850.31963728, 324102.6007075, 566749.4220009, 16743.63541835,
                                   -566749.4220009, 9826.507801524})),
            1e-7);
  EXPECT_LT(difference(end.lambda, vec({199.1753481045, -29.75530997501, 23.06654361162, 31.45272527578, 22.64249478639,
                                        11.61739235259})),
            1e-7);
}

// The published end values: good to 1e-10 (q), 5e-8 (v), 1e-6 (w, λ), as the source's own residuals show.
TEST(Andrews, PublishedEndValuesAgreeWithinTheirAccuracy) {
  const auto instance = make_problem("andrews");
  const Vector q = vec({15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                        0.5244099658805304, 0.5347301163226948, 1.048080741042263});
  const Vector v = vec({1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808,
                        -19.29337464421385, 0.3231791658026955});
  const Accelerations end(*instance->system, 0.03, q, v);
  EXPECT_LT(difference(map(In(instance->reference->values)), q), 2e-10);
  EXPECT_LT(end.g.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(end.g_rate.cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(difference(end.w, vec({-24631.76316945196, 51850.37701610329, 324102.5686413781, 566749.3645176213,
                                   16743.62929479361, -566749.3645176222, 9826.520791458422})),
            5e-6);
  EXPECT_LT(difference(end.lambda, vec({199.1753333731910, -29.75531228015052, 23.06654119098399, 31.45271365475927,
                                        22.64249232082739, 11.61740700019673})),
            5e-6);
  const Vector x = map(In(instance->reference->values));
  EXPECT_EQ(x[3], -x[5]);  // the mechanism's symmetry Ω = −Φ
}

TEST(SliderCrank, StartsWithThePublishedAccelerationsAndReactions) {
  const auto smooth = make_problem("slider-crank", {{"truncated_pi", 1}});
  ASSERT_TRUE(smooth.ok()) << smooth.error().message;
  // The published start itself (9 digits, slightly off the constraints): w and λ to the same accuracy.
  const Vector p = vec({0, 0, 0.450016933, 0, 0, 0.103339863e-4, 0.169327969e-4});
  const Vector v =
      vec({150, -74.9957670, -0.268938672e-5, 0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5});
  const Accelerations s(*smooth->system, 0, p, v);
  const Vector w_s = vec({0, -1.344541576008661e-3, -5062.194923138079, -6.833142732779555e-5, 1.449382650173157e-8,
                          -4.268463211410861, 0.2098334687947376});
  const Vector lambda_s = vec({-6.397251492537153e-8, 382.4589508329281, -4.376060460948886e-9});
  EXPECT_LT((s.w - w_s).cwiseAbs().maxCoeff(), 1e-8 * 5062);
  EXPECT_LT((s.lambda - lambda_s).cwiseAbs().maxCoeff(), 1e-8 * 382);
  const MechanicalState consistent = start_state(*smooth);
  EXPECT_NEAR(consistent.q[2], 0.4500169327969, 1e-15);
  EXPECT_NEAR(consistent.v[1], -74.99576703969453, 1e-12);
  const auto rigid = make_problem("slider-crank", {{"start", 1}});
  const MechanicalState r = start_state(*rigid);
  EXPECT_LT(difference(r.a, vec({0, 0, -3789.473684210526, 0, 0, 192.4342105263158, 1273.026315789474})), 1e-12);
  EXPECT_LT(difference(r.lambda, vec({0, 286.3023157894737, 0})), 1e-12);
}

TEST(SliderCrank15, StartsOnThePeriodicMotion) {
  const auto instance = make_problem("slider-crank-15");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  const MechanicalState s = start_state(*instance);
  EXPECT_NEAR(s.a[2], -5062.927360696, 1e-5);
  EXPECT_NEAR(s.a[5], -0.346265046, 1e-5);
  EXPECT_NEAR(s.a[6], -0.522162261, 1e-5);
  EXPECT_NEAR(s.lambda[1], 382.5142879553, 1e-6);
}

// End values: γ as printed; constraints hold; w and λ follow from (p, v). Digits as printed.
TEST(SliderCrank, EndValuesAreConsistent) {
  const auto instance = make_problem("slider-crank", {{"truncated_pi", 1}});
  const Vector p = vec({15, -0.33117349882554, 0.16973733263994, 1.8931928430213e-4, 2.3757513204877e-5,
                        -5.3238967781710e-6, -8.3633132917074e-6});
  const Vector v = vec(
      {150, 60.253467551297, -8.7531163267288, -3.0055411709e-2, -5.5004306460e-3, 4.9741116671e-4, 1.1055599709e-3});
  const Accelerations end(*instance->system, 0.1, p, v);
  EXPECT_LT(end.g.cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT(end.g_rate.cwiseAbs().maxCoeff(), 1e-9);
  const double l1 = 0.15, length = 0.30 + p[6], s1 = std::sin(p[0]), c1 = std::cos(p[0]), s2 = std::sin(p[1]),
               c2 = std::cos(p[1]);
  const Vector gamma = vec({-l1 * s1 * v[0] * v[0] - length * s2 * v[1] * v[1] + 2 * v[1] * v[6] * c2,
                            l1 * c1 * v[0] * v[0] + length * c2 * v[1] * v[1] + 2 * v[1] * v[6] * s2, 0});
  EXPECT_LT(difference(end.gamma, gamma), 1e-14);
  EXPECT_LT(
      difference(end.w, vec({0, 6488.7375415, 2167.9386296, 33.911379779, 0.17149508125, -1.4224491622, 1.0039465413})),
      1e-6);
  EXPECT_LT(difference(end.lambda, vec({-62.329359279, -163.79209935, 25.298579488})), 1e-8);
  // The published set belongs to a start that violates g₂ by 2e-10, which index 2 keeps.
  const Vector published = vec({15.00000000000104, -0.3311734988256260, 0.1697373328427860, 1.893192899613509e-4,
                                2.375751249879174e-5, -5.323896770569702e-6, -8.363313279112129e-6});
  const Accelerations there(*instance->system, 0.1, published,
                            vec({150, 60.25346755138369, -8.753116326670527, -3.005541400289738e-2,
                                 -5.500431812571696e-3, 4.974111734266989e-4, 1.105560003626645e-3}));
  EXPECT_NEAR(there.g[1], 2e-10, 5e-11);
  EXPECT_LT(difference(there.w, vec({0, 6488.737541276957, 2167.938629509884, 33.91137060286523, 0.1715134772216488,
                                     -1.422449408912512, 1.003946428124810})),
            1e-6);
  EXPECT_LT(difference(there.lambda, vec({-62.32935833287916, -163.7920993367306, 25.29857947066878})), 1e-8);
  for (Eigen::Index i = 1; i < 7; ++i)
    EXPECT_NEAR(instance->reference->values[static_cast<std::size_t>(i - 1)] / published[i], 1, 1e-7);
}

// Every tabulated end position lies on the constraints: φ₂, x₃ and q₄ belong together.
TEST(SliderCrank, TabulatedEndPositionsLieOnTheConstraints) {
  int rows = 0;
  for (const double nonlinear : {0, 1})
    for (const double damping : {0, 1})
      for (const double start : {0, 1})
        for (const double truncated : {0, 1}) {
          const auto instance = make_problem(
              "slider-crank",
              {{"nonlinear", nonlinear}, {"damping", damping}, {"start", start}, {"truncated_pi", truncated}});
          ASSERT_TRUE(instance.ok());
          if (!instance->reference) continue;
          ++rows;
          const auto& r = instance->reference->values;
          const Vector p = vec({15, r[0], r[1], r[2], r[3], r[4], r[5]});
          const Accelerations end(*instance->system, 0.1, p, Vector::Zero(7));
          EXPECT_LT(end.g.cwiseAbs().maxCoeff(), 1e-11) << nonlinear << damping << start;
        }
  EXPECT_EQ(rows, 8);
}

// Stiffness: eigenvalues of the index-1 ODE at the smooth start, by central differences of the accelerations.
TEST(SliderCrank, HasThePrintedFrequencies) {
  struct Case {
    double damping;
    std::vector<std::complex<double>> expected;
  };
  const Case cases[] = {{0, {{0, 1274.476}, {0, 5106.195}, {0, 6617.568}, {0, 22605.948}}},
                        {1, {{-33.09, 1274.05}, {-165.45, 5103.51}, {-36.45, 6617.72}, {-353.35, 22602.34}}}};
  for (const auto& [damping, expected] : cases) {
    const auto instance = make_problem("slider-crank", {{"damping", damping}});
    const MechanicalState s = start_state(*instance);
    Matrix j = Matrix::Zero(14, 14);
    j.topRightCorner(7, 7).setIdentity();
    for (Eigen::Index i = 0; i < 14; ++i) {
      const double h = 1e-6;
      Vector qp = s.q, qm = s.q, vp = s.v, vm = s.v;
      (i < 7 ? qp[i] : vp[i - 7]) += h;
      (i < 7 ? qm[i] : vm[i - 7]) -= h;
      j.col(i).tail(7) =
          (Accelerations(*instance->system, 0, qp, vp).w - Accelerations(*instance->system, 0, qm, vm).w) / (2 * h);
    }
    const Eigen::VectorXcd eigenvalues = j.eigenvalues();
    for (const auto& value : expected) {
      const double nearest = (eigenvalues.array() - value).abs().minCoeff();
      EXPECT_LT(nearest, 0.02) << value;
    }
  }
}

// The tables of the pendulum: P1 (period 2) and P2.
TEST(Pendulum, ReferenceMeetsTheTable) {
  struct Row {
    double theta0, g, t, x, y, u, w, lambda;
  };
  const double p1 = 13.750371636040745, right = std::acos(-1.0) / 2;
  const Row rows[] = {
      {right, p1, 0.25, 0.910179721124, -0.414213562373, -1.398004881616, -3.071931507963, 8.543385628978},
      {right, p1, 0.30, 0.819064681702, -0.573701182837, -2.278771786710, -3.253368729208, 11.832906708072},
      {right, p1, 0.70, -0.819064681702, -0.573701182837, -2.278771786710, 3.253368729208, 11.832906708072},
      {right, p1, 2, 1, 0, 0, 0, 0},
      {right, p1, 10, 1, 0, 0, 0, 0},
      {1, 9.81, 1, -0.830534685203, -0.556966908061, -0.318475750347, 0.474902823186, 2.895402431555},
      {1, 9.81, 5, -0.505833096844, -0.862631368626, -2.169324299253, 1.272056718850, 7.393254968760}};
  for (const Row& r : rows) {
    const auto instance = make_problem("pendulum", {{"theta0", r.theta0}, {"g", r.g}, {"t_end", r.t}});
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    const Vector values = map(In(instance->reference->values));
    EXPECT_LT((values - vec({r.x, r.y, r.u, r.w})).cwiseAbs().maxCoeff(), 2e-12) << r.t;
    const Accelerations at(*instance->system, r.t, values.head(2), values.tail(2));
    EXPECT_NEAR(at.lambda[0], r.lambda, 1e-11) << r.t;
  }
  EXPECT_NEAR(start_state(*make_problem("pendulum", {{"theta0", 1}, {"g", 9.81}})).lambda[0], 2.650182810283, 1e-12);
}

// Rows of the stiff spring pendulum: energy of the end equals that of the start, r − 1 and λ as tabulated.
TEST(StiffSpringPendulum, ReferencesHaveTheEnergyOfTheStart) {
  struct Row {
    double eps, offset, g, t, stretch, lambda_source, digits;
  };
  const Row rows[] = {{1e-1, 0, 1, 10, 2.196078e-2, 0, 1e-13},
                      {1e-1, 0.1, 1, 10, 2.832973e-2, 0, 1e-13},
                      {1e-2, 0, 1, 10, 1.757317e-4, 0, 1e-13},
                      {1e-2, 0.1, 1, 10, 6.121798e-4, 0, 1e-13},
                      {1e-3, 0, 1, 10, 1.752739e-6, 0, 2e-12},
                      {1e-3, 0.1, 1, 10, -9.30076e-5, 0, 2e-12},
                      {1e-4, 0, 1, 10, 1.7527e-8, 0, 2e-12},
                      {1e-4, 0.1, 1, 10, -9.977e-6, 0, 2e-11},
                      {1e-1, 0, 13.7503716, 3.7, 0, -9.49227110092, 1e-9},
                      {1e-2, 0, 13.7503716, 3.7, 0, 24.8217475617, 1e-7},
                      {1e-3, 0, 13.7503716, 3.7, 0, 23.6773448501, 1e-5}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.eps);
    const Parameters parameters{{"eps", row.eps}, {"offset", row.offset}, {"g", row.g}, {"t_end", row.t}};
    const auto instance = make_problem("stiff-spring-pendulum", parameters);
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    ASSERT_TRUE(instance->reference.has_value());
    const Vector end = map(In(instance->reference->values));
    const double stretch = std::hypot(end[0], end[1]) - 1;
    if (row.stretch != 0) {
      EXPECT_NEAR(stretch, row.stretch, 1e-8);  // eight digits are printed
    } else {
      EXPECT_NEAR(stretch / (1 + stretch), row.eps * row.eps * row.lambda_source, 2e-12);
    }
    const auto energy = [&](const Vector& q, const Vector& v) {
      const double force = (std::hypot(q[0], q[1]) - 1) / (row.eps * row.eps);  // the law of the spring
      PointAt at(*instance->system, {.q = q, .v = v, .lambda = vec({force})});
      Vector value(1);
      EXPECT_EQ(instance->system->invariants(at(), view(value)), EvalStatus::ok);
      return value[0];
    };
    const MechanicalState start = start_state(*instance);
    EXPECT_NEAR(energy(end.head(2), end.tail(2)), energy(start.q, start.v), row.digits * row.g);
    // The source's own form has the same reference, λ_s = λ/r at the start.
    const auto source = make_problem("stiff-spring-pendulum-source", parameters);
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(source->reference->values, instance->reference->values);
    EXPECT_NEAR(source->problem.x[4], start.lambda[0] / start.q[0], 1e-9 * std::abs(start.lambda[0]));
  }
}

// The smooth motion differs from the rigid one by O(ε²), to the next order ε⁴: a ratio of 100 within two per cent.
TEST(StiffSpringPendulum, ReferencesTendToTheRigidPendulum) {
  const auto end = [](double eps) {
    return Vector(map(In(make_problem("stiff-spring-pendulum", {{"eps", eps}})->reference->values)));
  };
  const Vector limit = end(0);
  for (const double eps : {1e-2, 1e-3})
    EXPECT_NEAR((end(eps) - limit).head(2).norm() / (end(eps / 10) - limit).head(2).norm(), 100, 2) << eps;
}

// What the studies of it integrate: standard form (q, v), the algebraic and the differentiated form in (q, v, λ).
TEST(StiffSpringPendulum, OffersTheFormsOfTheSource) {
  for (const double eps : {1e-2, 1e-3, 1e-4}) {
    const auto size = [&](const char* formulation) {
      const auto instance = make_problem("stiff-spring-pendulum", {{"eps", eps}}, formulation);
      EXPECT_TRUE(instance.ok()) << formulation;
      EXPECT_TRUE(instance->reference.has_value());
      return std::pair{instance->problem.dae->size(), instance->problem.dae->layout().index()};
    };
    EXPECT_EQ(size("penalty"), std::pair(4, 0));
    EXPECT_EQ(size("eps-lambda"), std::pair(5, 1));
    EXPECT_EQ(size("eps-lambda-rate"), std::pair(5, 0));
  }
}

TEST(StiffSpringPendulum, LimitIsTheRigidPendulum) {
  const auto ten = make_problem("stiff-spring-pendulum", {{"eps", 0}});
  ASSERT_TRUE(ten.ok()) << ten.error().message;
  EXPECT_EQ(ten->formulation, "index-3");
  const Vector x = map(In(ten->reference->values));
  EXPECT_LT((x - vec({-0.8115864462, -0.5842323513, -0.6315291491, 0.8772887988})).cwiseAbs().maxCoeff(), 6e-11);
  EXPECT_NEAR(Accelerations(*ten->system, 10, x.head(2), x.tail(2)).lambda[0] / 2, 0.8763485270, 1e-10);
  const auto swing = make_problem("stiff-spring-pendulum", {{"eps", 0}, {"g", 13.7503716}, {"t_end", 3.7}});
  const Vector y = map(In(swing->reference->values));
  EXPECT_LT((y - vec({0.81906467, -0.5737012, 2.27877188, 3.25336873})).cwiseAbs().maxCoeff(), 5e-8);
  EXPECT_NEAR(Accelerations(*swing->system, 3.7, y.head(2), y.tail(2)).lambda[0], 23.665814, 1e-6);
}

// A state on the exact solution is accelerated along it.
TEST(LinearDae, ExactSolutionSatisfiesTheEquations) {
  const double drive = 20;
  for (const double t : {0.0, 0.3, 1.7}) {
    const auto instance = make_problem("linear-dae", {{"t_end", t}});
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    const Vector x = map(In(instance->reference->values));
    const Accelerations at(*instance->system, t, x.head(3), x.tail(3));
    EXPECT_LT(difference(at.w, -drive * drive * x.head(3)), 1e-10);
    EXPECT_NEAR(at.lambda[0], -2 * drive * drive * std::cos(drive * t), 1e-9);
  }
}

// The source's standard and semi-explicit forms: λ, μ (and a) are variables of index 2, what error norms call κ = 1.
TEST(LinearDae, OffersTheFormsOfTheSource) {
  for (const auto& [formulation, size] : {std::pair{"ggl", 8}, std::pair{"ggl+a", 11}}) {
    const auto consistent = make_problem("linear-dae", {}, formulation),
               printed = make_problem("linear-dae", {{"printed_start", 1}}, formulation);
    ASSERT_TRUE(consistent.ok() && printed.ok()) << formulation;
    const Layout& layout = consistent->problem.dae->layout();
    EXPECT_EQ(layout.size(), size);
    EXPECT_EQ(layout.index(), 2);
    for (const char* block : {"q", "v"}) EXPECT_EQ(layout.find(block)->h_power, 0);
    for (const char* block : {"lambda", "mu"}) EXPECT_EQ(layout.find(block)->h_power, 1);
    if (size == 11) {
      EXPECT_EQ(layout.find("a")->h_power, 1);
    }
    const int lambda = layout.find("lambda")->offset;
    EXPECT_NEAR(consistent->problem.x[lambda], -800, 1e-9);
    Vector x = consistent->problem.x;
    x[lambda] = 0;
    if (size == 11) x.segment(layout.find("a")->offset, 3).setZero();
    EXPECT_EQ(printed->problem.x, x);
  }
}

// Accelerations on the exact motions: of the oscillator, mild and stiff, and of Prothero and Robinson's at another drive.
TEST(Oscillator, ExactSolutionSatisfiesTheEquations) {
  for (const double omega : {1.0, 1e3}) {
    const auto at = [&](double t) {
      return make_problem("oscillator", {{"omega", omega}, {"drive", 1.5}, {"gamma0", 0.1}, {"t_end", t}});
    };
    const double t = 0.7, h = 1e-4 / omega;
    const auto here = at(t);
    ASSERT_TRUE(here.ok()) << here.error().message;
    const auto& r = here->reference->values;
    const Accelerations a(*here->system, t, vec({r[0]}), vec({r[1]}));
    const auto before = at(t - h)->reference->values, after = at(t + h)->reference->values;
    EXPECT_NEAR((after[1] - before[1]) / (2 * h), a.w[0], 1e-6 * omega * omega);
    EXPECT_NEAR((after[0] - before[0]) / (2 * h), r[1], 1e-6 * omega);
  }
}

TEST(ProtheroRobinson, DriveIsAChoice) {
  const auto instance = make_problem("prothero-robinson-2", {{"eps", 1e-6}, {"drive", 2}, {"t_end", 1}}, "penalty");
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  EXPECT_DOUBLE_EQ(instance->reference->values[0], std::cos(2.0));
  EXPECT_DOUBLE_EQ(instance->reference->values[1], -2 * std::sin(2.0));
  EXPECT_DOUBLE_EQ(instance->problem.w[1], -4);  // φ''(0)
}

TEST(ProtheroRobinson, ExactSolutionsSatisfyTheEquations) {
  // (2): q'' = φ'' − (q − φ)/ε² by central differences of the reference velocity.
  const double h = 1e-5, t = 0.7, eps = 0.1;
  const auto at = [&](double time) {
    return make_problem("prothero-robinson-2", {{"eps", eps}, {"gamma0", 0.01}, {"eta", 0.2}, {"t_end", time}})
        ->reference->values;
  };
  const double phi = std::cos(6 * t), q = at(t)[0];
  EXPECT_NEAR((at(t + h)[1] - at(t - h)[1]) / (2 * h), -36 * phi - (q - phi) / (eps * eps), 1e-6);
  EXPECT_NEAR((at(t + h)[0] - at(t - h)[0]) / (2 * h), at(t)[1], 1e-7);
  // (1)
  const auto x = [&](double time) {
    return make_problem("prothero-robinson", {{"lambda", -3}, {"omega", 2}, {"gamma0", 0.5}, {"t_end", time}})
        ->reference->values[0];
  };
  const auto instance = make_problem("prothero-robinson", {{"lambda", -3}, {"omega", 2}, {"gamma0", 0.5}});
  Vector state(1), f(1);
  state[0] = x(t);
  EXPECT_EQ(
      instance->problem.dae->f({.t = t, .x = view(std::as_const(state)), .u = {}, .base = {}, .scratch = {}}, view(f)),
      EvalStatus::ok);
  EXPECT_NEAR((x(t + h) - x(t - h)) / (2 * h), f[0], 1e-8);
}

}  // namespace
}  // namespace rubato::catalogue
