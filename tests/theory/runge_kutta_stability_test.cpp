// Linear analysis of the Runge-Kutta tables (checks A3-A6, A12) and of the Rosenbrock tables, as far as it is the same.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "rubato/integrate/rosenbrock_analysis.hpp"
#include "rubato/integrate/runge_kutta_analysis.hpp"

namespace rubato {
namespace {

using F = RungeKuttaFamily;
using Complex = std::complex<double>;

StabilityFunction R_of(F family, int s = 3, double theta = 0) {
  return stability_function(runge_kutta_table(family, s, theta));
}

// A3. Closed forms of the blends with three stages.
TEST(RungeKuttaStability, ClosedForms) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> in(-6, 6), unit(0, 1);
  for (int i = 0; i < 20; ++i) {
    const Complex z(in(random), in(random)), z2 = z * z, z3 = z2 * z;
    const double t = unit(random);
    const auto expect = [&](F family, Complex exact) {
      EXPECT_LT(std::abs(R_of(family, 3, t)(z) - exact), 1e-13 * (1 + std::abs(exact))) << z << t;
      EXPECT_LT(std::abs(stability_value(runge_kutta_table(family, 3, t), z) - exact), 1e-12 * (1 + std::abs(exact)));
    };
    expect(F::lobatto_iiiac, 2.0 * (12.0 + 3.0 * z + 3 * t * z + t * z2) /
                                 (24.0 - 18.0 * z + 6 * t * z + 6.0 * z2 - 4 * t * z2 - z3 + t * z3));
    expect(F::lobatto_iiidc, (48.0 + 12.0 * z + 12 * t * z + 6 * t * z2 + t * z3) /
                                 (48.0 - 36.0 * z + 12 * t * z + 12.0 * z2 - 6 * t * z2 - 2.0 * z3 + t * z3));
    expect(F::lobatto_iiiabc,
           (192.0 + (48 + 48 * t) * z + (16 * t + 2 * t * t) * z2 + t * t * z3) /
               (192.0 + (48 * t - 144) * z + (48 - 32 * t + 2 * t * t) * z2 - (8 - 8 * t + t * t) * z3));
  }
}

// A3. Reference values.
TEST(RungeKuttaStability, ReferenceValues) {
  const auto at_minus_one = [](F family, double theta) { return R_of(family, 3, theta)(-1).real(); };
  EXPECT_NEAR(at_minus_one(F::lobatto_iiia, 0), 7. / 19, 1e-15);
  EXPECT_NEAR(at_minus_one(F::lobatto_iiic, 0), 18. / 49, 1e-15);
  EXPECT_NEAR(at_minus_one(F::lobatto_iiid, 0), 29. / 79, 1e-15);
  EXPECT_NEAR(at_minus_one(F::lobatto_iiiac, 0.5), 0.36781609195402299, 1e-15);
  EXPECT_NEAR(at_minus_one(F::lobatto_iiidc, 0.5), 0.36723163841807910, 1e-15);
  EXPECT_NEAR(at_minus_one(F::lobatto_iiiabc, 0.5), 0.36774193548387097, 1e-15);
  const auto rho = [](F family, double theta, double chi) { return R_of(family, 3, theta).spectral_radius(chi); };
  const double pi = std::numbers::pi;
  EXPECT_NEAR(rho(F::lobatto_iiic, 0, pi), 0.70146471847300218, 1e-15);
  EXPECT_NEAR(rho(F::lobatto_iiiac, 0.5, pi), 0.89782294736403255, 1e-15);
  EXPECT_NEAR(rho(F::lobatto_iiidc, 0.5, pi), 0.71602814265337159, 1e-15);
  EXPECT_NEAR(rho(F::lobatto_iiiabc, 0.5, pi), 0.88000539348395564, 1e-15);
  EXPECT_NEAR(rho(F::radau_iia, 0, pi), 0.934344, 1e-6);
  EXPECT_NEAR(rho(F::lobatto_iiic, 0, 10), 0.064487468133821217, 1e-15);
  EXPECT_NEAR(rho(F::lobatto_iiiac, 0.5, 10), 0.22931486044109324, 1e-15);
  EXPECT_NEAR(rho(F::lobatto_iiidc, 0.5, 10), 0.27676350813096246, 1e-15);
  EXPECT_NEAR(rho(F::radau_iia, 0, 10), 0.321403, 1e-6);
}

// The polynomials agree with 1 + z bᵀ(I − zA)⁻¹𝟙 for every family and number of stages.
TEST(RungeKuttaStability, PolynomialsAgreeWithTheTable) {
  for (const auto& info : runge_kutta_families())
    for (int s = info.min_stages; s <= max_runge_kutta_stages; ++s) {
      const auto table = runge_kutta_table(info.family, s, 0.37);
      const StabilityFunction R = stability_function(table);
      for (const Complex z : {Complex(-1.3, 0.4), Complex(0, 5), Complex(0.5, -2), Complex(-8, 1)})
        EXPECT_LT(std::abs(R(z) - stability_value(table, z)), 1e-11 * (1 + std::abs(R(z)))) << table.name() << z;
    }
}

// A4. At special θ the blends have the stability functions of Radau IIA and Gauss.
TEST(RungeKuttaStability, SpecialBlendsArePade) {
  for (int s = 2; s <= 6; ++s) {
    const auto ac = R_of(F::lobatto_iiiac, s, s / (2.0 * s - 1)).pade_degrees();
    ASSERT_TRUE(ac) << s;
    EXPECT_EQ(ac->numerator, s - 1);
    EXPECT_EQ(ac->denominator, s);
    const double theta = 2 - 2 / (2.0 * s - 1) * std::sqrt((2.0 * s - 1) * (s - 1));
    const auto abd = R_of(F::lobatto_iiiabd, s, theta).pade_degrees();
    ASSERT_TRUE(abd) << s;
    EXPECT_EQ(abd->numerator, s);
    EXPECT_EQ(abd->denominator, s);
    EXPECT_FALSE(R_of(F::lobatto_iiiac, s, 0.1).pade_degrees());
    EXPECT_FALSE(R_of(F::lobatto_iiiabd, s, 0.1).pade_degrees());
  }
  EXPECT_NEAR(2 - 2. / 5 * std::sqrt(10.), 0.73508893593264827, 1e-15);
}

// The members: Gauss (s,s), Radau (s−1,s), IIIA and IIIB (s−1,s−1), IIIC (s−2,s), IIIC* (s,s−2).
TEST(RungeKuttaStability, MembersArePade) {
  struct Claim {
    F family;
    int k, j;
  };
  for (const Claim claim :
       {Claim{F::gauss, 0, 0}, Claim{F::radau_ia, -1, 0}, Claim{F::radau_iia, -1, 0}, Claim{F::lobatto_iiia, -1, -1},
        Claim{F::lobatto_iiib, -1, -1}, Claim{F::lobatto_iiic, -2, 0}, Claim{F::lobatto_iiic_star, 0, -2}})
    for (int s = 2; s <= max_runge_kutta_stages; ++s) {
      const auto degrees = R_of(claim.family, s).pade_degrees();
      ASSERT_TRUE(degrees) << s;
      EXPECT_EQ(degrees->numerator, s + claim.k);
      EXPECT_EQ(degrees->denominator, s + claim.j);
    }
}

// A5. |R(iχ)| ≤ 1 everywhere; L-stable are IIIAC for θ < 1 and the θ = 0 members only.
TEST(RungeKuttaStability, AStableAndLStable) {
  for (const auto& info : runge_kutta_families()) {
    if (info.family == F::lobatto_iiic_star) continue;
    for (int s = 2; s <= 6; ++s)
      for (const double theta : {0.0, 0.1, 0.37, 0.5, 0.8, 1.0}) {
        const auto table = runge_kutta_table(info.family, s, theta);
        const StabilityFunction R = stability_function(table);
        EXPECT_LE(R.largest_on_imaginary_axis(), 1 + 1e-12) << table.name();
        for (double chi = 0.01; chi < 1e4; chi *= 1.03) EXPECT_LE(R.spectral_radius(chi), 1 + 1e-12) << table.name();
        EXPECT_TRUE(R.a_stable()) << table.name();
        const bool l_stable = info.family == F::radau_ia || info.family == F::radau_iia ||
                              info.family == F::lobatto_iiic || (info.family == F::lobatto_iiiac && theta < 1) ||
                              ((info.family == F::lobatto_iiiabc || info.family == F::lobatto_iiidc) && theta == 0);
        EXPECT_EQ(R.l_stable(), l_stable) << table.name();
      }
  }
  EXPECT_FALSE(R_of(F::lobatto_iiic_star).a_stable());
}

// R(∞) of the blends.
TEST(RungeKuttaStability, AtInfinity) {
  for (int s = 2; s <= 6; ++s)
    for (const double t : {0.0, 0.25, 0.7, 1.0}) {
      const double sign = s % 2 == 0 ? 1 : -1;
      EXPECT_NEAR(R_of(F::lobatto_iiidc, s, t).at_infinity(), sign * t / (2 - t), 1e-13);
      EXPECT_NEAR(R_of(F::lobatto_iiiabc, s, t).at_infinity(), sign * t * t / (t * t - 8 * t + 8), 1e-13);
      EXPECT_NEAR(R_of(F::lobatto_iiiabd, s, t).at_infinity(), sign, 1e-13);
      EXPECT_NEAR(R_of(F::lobatto_iiiac, s, t).at_infinity(), t < 1 ? 0 : -sign, 1e-13);
      EXPECT_NEAR(std::abs(R_of(F::lobatto_iiiab, s, t).at_infinity()), 1, 1e-13);
    }
}

// A6. The series of d_a and d_p − 1 with three stages.
TEST(RungeKuttaStability, SeriesOfAmplitudeAndPhase) {
  for (const double t : {0.0, 0.2, 0.37, 0.8, 1.0}) {
    const auto expect = [&](F family, double a5, double a7, double p4, double p6) {
      const auto c = R_of(family, 3, t).log_series(8);
      EXPECT_NEAR(c[2], 0, 1e-16);
      EXPECT_NEAR(c[3], 0, 1e-16);
      EXPECT_NEAR(c[4], 0, 1e-16);
      EXPECT_NEAR(c[5], p4, 1e-14) << family_info(family).name << t;
      EXPECT_NEAR(c[6], a5, 1e-14) << family_info(family).name << t;
      EXPECT_NEAR(-c[7], p6, 1e-14) << family_info(family).name << t;
      EXPECT_NEAR(-c[8], a7, 1e-14) << family_info(family).name << t;
    };
    const double t2 = t * t, t3 = t2 * t, u = t - 1;
    expect(F::lobatto_iiiac, u * u / 1152, -u * u * (3 * t2 - 2 * t + 3) / 55296, (3 - 5 * t) / 1440,
           (21 * t3 - 49 * t2 + 63 * t - 27) / 96768);
    expect(F::lobatto_iiidc, -u / 1152, u * u * u / 18432, 1. / 480, -(7 * t2 - 14 * t + 9) / 32256);
    expect(F::lobatto_iiiabd, 0, 0, (5 * t2 - 20 * t + 12) / 5760, (7 * t2 * t2 - 56 * t3 + 112 * t2 - 48) / 774144);
    const auto c = R_of(F::lobatto_iiiabc, 3, t).log_series(6);
    EXPECT_NEAR(c[6], (1 - t) * (2 - t) * (2 - t) / 4608, 1e-15);
    EXPECT_NEAR(c[5], (5 * t2 - 20 * t + 12) / 5760, 1e-15);
  }
}

// A6. The values follow the series at small χ: the series is of the same function.
TEST(RungeKuttaStability, ValuesFollowTheSeries) {
  for (const F family : {F::radau_iia, F::lobatto_iiic, F::lobatto_iiiac, F::lobatto_iiidc, F::lobatto_iiiabc})
    for (int s = 2; s <= 4; ++s) {
      const StabilityFunction R = R_of(family, s, 0.37);
      const auto dissipation = R.dissipation(), dispersion = R.dispersion();
      const double chi = s == 2 ? 0.02 : 0.1;
      EXPECT_NEAR(R.amplitude_error(chi) / (dissipation.constant * std::pow(chi, dissipation.order)), 1, 0.01);
      EXPECT_NEAR(R.phase_error(chi) / (dispersion.constant * std::pow(chi, dispersion.order)), 1, 0.01);
    }
}

// A6. Orders of dispersion and dissipation; 0 is infinite.
TEST(RungeKuttaStability, OrdersOfDispersionAndDissipation) {
  for (int s = 2; s <= max_runge_kutta_stages; ++s) {
    const auto expect = [&](F family, double theta, int dispersion, int dissipation) {
      const StabilityFunction R = R_of(family, s, theta);
      EXPECT_EQ(R.dispersion().order, dispersion) << family_info(family).name << s;
      EXPECT_EQ(R.dissipation().order, dissipation) << family_info(family).name << s;
    };
    expect(F::lobatto_iiiac, 0.37, 2 * s - 2, 2 * s - 1);
    expect(F::lobatto_iiiac, s / (2.0 * s - 1), 2 * s, 2 * s - 1);
    expect(F::lobatto_iiiac, 1, 2 * s - 2, 0);
    expect(F::lobatto_iiidc, 0.37, 2 * s - 2, 2 * s - 1);
    expect(F::lobatto_iiidc, 1, 2 * s - 2, 0);
    expect(F::lobatto_iiiabd, 0.37, 2 * s - 2, 0);
    expect(F::lobatto_iiiabd, 2 - 2 / (2.0 * s - 1) * std::sqrt((2.0 * s - 1) * (s - 1)), 2 * s, 0);
    expect(F::gauss, 0, 2 * s, 0);
    expect(F::radau_iia, 0, 2 * s, 2 * s - 1);
  }
}

// T5. The phase is followed through all its turns: R(iχ) = exp((−d_a + i d_p) χ), and d_p χ has no jumps.
TEST(RungeKuttaStability, PhaseIsUnwrapped) {
  for (const auto& info : runge_kutta_families()) {
    const StabilityFunction R = R_of(info.family, 5, 0.37);
    double before = 0;
    for (double chi = 0.01; chi < 60; chi += 0.01) {
      const double phase = R.phase_factor(chi) * chi;
      EXPECT_LT(std::abs(phase - before), 0.1) << info.name << chi;
      before = phase;
      const Complex value = std::exp(Complex(-R.amplitude_error(chi) * chi, phase));
      EXPECT_LT(std::abs(value - R({0, chi})), 1e-10 * (1 + std::abs(value))) << info.name << chi;
    }
    if (info.family != F::lobatto_iiic_star) {
      EXPECT_GT(before, 2 * std::numbers::pi) << info.name;
    }
  }
}

// Damping falls with θ (a text says it grows), the period error follows from d_p.
TEST(RungeKuttaStability, DampingRatioFallsWithTheta) {
  double before = 1;
  for (const double theta : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const StabilityFunction R = R_of(F::lobatto_iiidc, 3, theta);
    EXPECT_LT(R.damping_ratio(1.5), before);
    before = R.damping_ratio(1.5);
    EXPECT_NEAR(R.period_error(1.5), 1 / R.phase_factor(1.5) - 1, 1e-16);
  }
  EXPECT_NEAR(before, 0, 1e-15);
}

// The order star has r + 1 arms at the origin: five for general θ, six at θ = 3/5.
TEST(RungeKuttaStability, OrderStar) {
  const auto arms = [](const StabilityFunction& R, double radius) {
    int changes = 0;
    constexpr int n = 2000;
    for (int i = 0; i < n; ++i) {
      const auto above = [&](int k) {
        return R.order_star(std::polar(radius, 2 * std::numbers::pi * (k + 0.31) / n)) > 0;
      };
      changes += above(i) != above(i + 1) ? 1 : 0;
    }
    return changes / 2;
  };
  EXPECT_EQ(arms(R_of(F::lobatto_iiiac, 3, 0.3), 0.3), 5);
  EXPECT_EQ(arms(R_of(F::lobatto_iiiac, 3, 0.6), 0.3), 6);
  EXPECT_EQ(arms(R_of(F::lobatto_iiidc, 3, 0.5), 0.3), 5);
  EXPECT_EQ(arms(R_of(F::gauss), 0.3), 7);
  EXPECT_EQ(arms(R_of(F::gauss, 9), 0.3), 19);
  EXPECT_EQ(arms(R_of(F::radau_iia, 6), 5), 12);
  const StabilityFunction blend = R_of(F::lobatto_iiiac, 3, 0.3), edge = R_of(F::lobatto_iiic);
  EXPECT_EQ(blend.poles().size() + blend.zeros().size(), edge.poles().size() + edge.zeros().size() + 1);
}

// A12. θ(χ) of maximum damping: the formula against a search.
TEST(RungeKuttaStability, MaximumDamping) {
  double largest = 0, where = 0;
  for (double chi = 0.5; chi < 40; chi += 0.37)
    EXPECT_NEAR(maximum_damping_theta(chi), maximum_damping_theta(F::lobatto_iiidc, 3, chi), 1e-4) << chi;
  for (double chi = 4; chi < 4.5; chi += 1e-6)
    if (maximum_damping_theta(chi) > largest) largest = maximum_damping_theta(where = chi);
  EXPECT_NEAR(largest, 0.4126401260142145, 1e-10);
  EXPECT_NEAR(where, 4.2242132198547, 1e-5);
  const double begin = std::sqrt(std::sqrt(105.0) - 3);
  EXPECT_NEAR(begin, 2.6920161154717478, 1e-15);
  EXPECT_EQ(maximum_damping_theta(begin - 1e-6), 0);
  EXPECT_GT(maximum_damping_theta(begin + 1e-6), 0);
  EXPECT_EQ(maximum_damping_theta(0), 0);
  EXPECT_NEAR(maximum_damping_theta(1e3) * 1e6, 12, 0.01);
  const double table[][3] = {{std::numbers::pi, .7015, .6920},
                             {4, .4685, .3954},
                             {5, .2938, .1819},
                             {6, .1964, .0918},
                             {10, .0645, .0149},
                             {20, .0153, .0016}};
  for (const auto& [chi, plain, damped] : table) {
    EXPECT_NEAR(R_of(F::lobatto_iiic).spectral_radius(chi), plain, 6e-5);
    EXPECT_NEAR(R_of(F::lobatto_iiidc, 3, maximum_damping_theta(chi)).spectral_radius(chi), damped, 6e-5);
  }
}

// Rosenbrock methods share the class: same values as their own formula, same linear order.
TEST(RosenbrockStability, PolynomialsAgreeWithTheTable) {
  for (const auto& table : rosenbrock_tables()) {
    const StabilityFunction R = stability_function(table);
    for (const Complex z : {Complex(-1.3, 0.4), Complex(0, 5), Complex(0.5, -2), Complex(-8, 1)})
      EXPECT_LT(std::abs(R(z) - stability_function(table, table.b, z)), 1e-11) << table.name() << z;
    const auto dispersion = R.dispersion(), dissipation = R.dissipation();
    EXPECT_GE(std::min(dispersion.order, dissipation.order == 0 ? 99 : dissipation.order), table.order())
        << table.name();
    EXPECT_EQ(R.a_stable(), rosenbrock_properties(table).main.a_stable) << table.name();
  }
}

}  // namespace
}  // namespace rubato
