// Every Rosenbrock method sits the same exam: what its paper claims must hold, and what it does not claim must fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "rubato/integrate/rosenbrock_analysis.hpp"
#include "rubato/integrate/rosenbrock_conditions.hpp"
#include "rubato/integrate/rosenbrock_table.hpp"
#include "rubato/integrate/rosenbrock_two_stage.hpp"

namespace rubato {
namespace {

using std::numbers::sqrt2, std::numbers::sqrt3;

const RosenbrockTable& table(std::string_view name) {
  const auto found = find_rosenbrock_table(name);
  EXPECT_TRUE(found.ok()) << name;
  return **found;
}

TEST(RootedTrees, AreAllThereOnce) {
  // 1, 1, 2, 4, 9 rooted trees; their densities are in every textbook.
  const std::vector<std::vector<int>> known{{1}, {2}, {3, 6}, {4, 8, 12, 24}, {5, 10, 15, 20, 20, 30, 40, 60, 120}};
  for (int n = 1; n <= max_tree_nodes; ++n) {
    std::vector<int> densities;
    RootedTree tree = RootedTree::first(n);
    do densities.push_back(tree.density());
    while (tree.next());
    std::ranges::sort(densities);
    EXPECT_EQ(densities, known[static_cast<std::size_t>(n - 1)]) << n << " nodes";
  }
}

struct Claim {
  std::string_view name;
  int s, n_f_calls, order, embedded_order;
  bool z2, z3a, z3b, z3c, x4, stiffly_accurate;
  double r_infinity, r_hat_infinity;
  int scholz_order;  // conditions i = 2 … scholz_order − 1 hold
};
constexpr bool yes = true, no_ = false;
// Becker 2012, tables 4.4 and 4.5, with the corrections of our own check: ROWDA3 is not stiffly accurate, the printed
// embedded weights of RO2 have R̂(∞) = 1. R̂(∞) of LIE (b̂ = 0) is 1.
const Claim claims[] = {
    {"lie", 1, 1, 1, 0, no_, no_, no_, no_, no_, no_, 0, 1, 2},
    {"ro2a", 2, 2, 2, 1, yes, yes, no_, no_, no_, yes, 0, 0.5, 2},
    {"ro2b", 2, 2, 2, 1, yes, yes, no_, no_, no_, yes, 0, 0.5, 2},
    {"ro2-source", 2, 2, 2, 1, yes, yes, no_, no_, no_, yes, 0, 1, 2},
    {"ro2p", 2, 2, 2, 2, yes, yes, yes, no_, no_, no_, -1, -1, 3},
    {"ros3p", 3, 2, 3, 2, yes, yes, no_, no_, no_, no_, 1 - sqrt3, 1 - sqrt3, 3},
    {"ros3pl", 4, 3, 3, 2, yes, yes, no_, no_, no_, yes, 0, -0.25, 3},
    {"rowda3", 3, 2, 3, 2, yes, no_, no_, no_, no_, no_, 0, -0.957, 2},
    {"rowdaind2", 4, 3, 3, 2, yes, yes, no_, no_, no_, yes, 0, 0, 2},
    {"rodas3", 4, 3, 3, 2, yes, yes, yes, yes, no_, yes, 0, 0, 2},
    {"rodas4", 6, 6, 4, 3, yes, yes, yes, yes, yes, yes, 0, 0, 2},
    {"rodas4p", 6, 6, 4, 3, yes, yes, yes, yes, yes, yes, 0, 0, 4},
    {"rodas5p", 8, 8, 5, 4, yes, yes, yes, yes, yes, yes, 0, 0, 4},
    {"grk4t", 4, 3, 4, 3, no_, no_, no_, no_, no_, no_, 0.45357190993806584, 2.60228028896171, 2},
};

TEST(RosenbrockTables, ListIsTheClaims) {
  std::vector<std::string_view> listed, claimed;
  for (const auto& t : rosenbrock_tables()) listed.push_back(t.name());
  for (const auto& c : claims) claimed.push_back(c.name);
  EXPECT_EQ(listed, claimed);
  EXPECT_EQ(table("ro2").name(), "ro2a");
  const auto unknown = find_rosenbrock_table("rodas17");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("rodas5p"), std::string::npos);  // names the known ones
}

/// A claimed condition holds to the precision of its coefficients, an unclaimed one fails visibly.
void expect_condition(bool claimed, double defect, std::string_view what, const Claim& claim) {
  // Sums of terms up to 10² with coefficients rounded to 2⁻⁵³ (RODAS5P: printed u-form, c up to 165).
  const double tolerance = claim.name == "rodas5p" ? 2e-13 : 1e-13;
  if (claimed)
    EXPECT_LT(std::abs(defect), tolerance) << claim.name << ' ' << what;
  else
    EXPECT_GT(std::abs(defect), 1e-5) << claim.name << ' ' << what;
}

TEST(RosenbrockTables, VerificationMatrix) {
  for (const Claim& claim : claims) {
    SCOPED_TRACE(claim.name);
    const RosenbrockTable& t = table(claim.name);
    const RosenbrockProperties p = rosenbrock_properties(t);
    EXPECT_EQ(t.s, claim.s);
    EXPECT_EQ(p.n_f_calls, claim.n_f_calls);
    EXPECT_EQ(p.main.order, claim.order);
    EXPECT_EQ(p.embedded.order, claim.embedded_order);
    EXPECT_EQ(t.order(), claim.order);
    EXPECT_EQ(t.embedded_order(), claim.embedded_order);
    for (int n = 1; n <= max_tree_nodes; ++n) {
      if (n <= claim.order + 1) expect_condition(n <= claim.order, order_defect(t, t.b, n), "order", claim);
      if (n <= claim.embedded_order + 1)
        expect_condition(n <= claim.embedded_order, order_defect(t, t.b_hat, n), "embedded order", claim);
    }
    expect_condition(claim.z2, p.main.index1.z2, "z2", claim);
    expect_condition(claim.z3a, p.main.index1.z3a, "z3a", claim);
    expect_condition(claim.z3b, p.main.index1.z3b, "z3b", claim);
    expect_condition(claim.z3c, p.main.index1.z3c, "z3c", claim);
    expect_condition(claim.x4, p.main.index1.x4, "x4", claim);
    EXPECT_EQ(p.stiffly_accurate, claim.stiffly_accurate);
    for (int i = 2; i <= std::min(4, claim.scholz_order); ++i)
      expect_condition(i < claim.scholz_order, p.main.scholz[i - 2], "Scholz", claim);
    EXPECT_EQ(p.main.scholz_order, claim.scholz_order);
    EXPECT_NEAR(p.main.r_infinity, claim.r_infinity, 1e-12);
    EXPECT_NEAR(p.embedded.r_infinity, claim.r_hat_infinity, claim.name == "rowda3" ? 5e-4 : 1e-12);  // 3 digits known
    EXPECT_EQ(p.main.a_stable, claim.name != "grk4t") << p.main.max_r_imaginary;  // GRK4T: A(89.3°)
  }
  EXPECT_EQ(rosenbrock_properties(table("rodas4p")).embedded.scholz_order, 4);  // no order reduction in the estimate
  EXPECT_NEAR(rosenbrock_properties(table("rodas4")).main.scholz[0], 1.4e-4, 0.05e-4);
}

TEST(RosenbrockTables, SharedArgumentsAreFound) {
  const auto sources = [](std::string_view name) {
    const RosenbrockTable& t = table(name);
    return std::vector<int>(t.f_source, t.f_source + t.s);
  };
  EXPECT_EQ(sources("ros3p"), (std::vector{0, 1, 1}));
  EXPECT_EQ(sources("rodas3"), (std::vector{0, 0, 2, 3}));
  EXPECT_EQ(sources("ros3pl"), (std::vector{0, 1, 2, 2}));
  EXPECT_EQ(sources("rodas4"), (std::vector{0, 1, 2, 3, 4, 5}));
}

TEST(RosenbrockTables, StabilityOnTheImaginaryAxis) {
  struct Row {
    std::string_view name;
    double modulus[5];
  };
  // |R(iy)| at y = 1, 2, 5, 10, 100; figure 4.3 of Becker 2012, re-computed.
  const Row rows[] = {{"ro2a", {.668, .390, .164, .083, .008}},     {"ro2b", {.997, .967, .731, .445, .048}},
                      {"ros3p", {.965, .874, .768, .742, .732}},    {"ros3pl", {.982, .876, .516, .279, .029}},
                      {"rowda3", {.982, .876, .516, .279, .029}},   {"rowdaind2", {.991, .911, .480, .170, .003}},
                      {"rodas3", {.983, .870, .492, .261, .027}},   {"rodas4", {.9999, .998, .945, .715, .088}},
                      {"rodas4p", {1.000, .9996, .965, .745, .093}}};
  const double y[] = {1, 2, 5, 10, 100};
  for (const Row& row : rows)
    for (int i = 0; i < 5; ++i) {
      const RosenbrockTable& t = table(row.name);
      EXPECT_NEAR(std::abs(stability_function(t, t.b, {0, y[i]})), row.modulus[i], 5.1e-4) << row.name << " y " << y[i];
    }
  // ROS3PL and ROWDA3 have the same R, not only to three digits.
  for (double yi : y)
    EXPECT_LT(std::abs(stability_function(table("ros3pl"), table("ros3pl").b, {0, yi}) -
                       stability_function(table("rowda3"), table("rowda3").b, {0, yi})),
              1e-13);
}

TEST(RosenbrockTables, StabilityFunctionReproducesItsLimits) {
  for (const RosenbrockTable& t : rosenbrock_tables()) {
    // R(z) − R(∞) = O(1/z), constant of order 10 in these tables.
    EXPECT_NEAR(stability_function(t, t.b, {-1e9, 0}).real(), stability_at_infinity(t, t.b), 1e-6) << t.name();
    // R(z) = eᶻ + C z^{p+1}: halving z divides the difference by 2^{p+1}. z such that rounding stays below 1 %.
    const double z = t.order() >= 4 ? 0.2 : 0.02;
    const auto gap = [&](double x) { return stability_function(t, t.b, {-x, 0}).real() - std::exp(-x); };
    EXPECT_GT(std::log2(gap(z) / gap(z / 2)), t.order() + 0.7) << t.name();
  }
}

TEST(RosenbrockTables, StiffLimitsOfTheVelocity) {
  const auto zeta2 = [](std::string_view name) { return rosenbrock_properties(table(name)).main.zeta2; };
  const auto zeta3 = [](std::string_view name) { return rosenbrock_properties(table(name)).main.zeta3; };
  EXPECT_NEAR(zeta2("lie"), -1, 1e-15);
  EXPECT_NEAR(zeta2("ro2a"), -sqrt2 / 2, 1e-14);
  EXPECT_NEAR(zeta2("ro2b"), sqrt2 / 2, 1e-14);
  EXPECT_NEAR(zeta2("rowda3"), 0.417, 5e-4);
  EXPECT_NEAR(zeta2("rodas3"), 1.0 / 3, 1e-14);
  EXPECT_NEAR(zeta2("rodas4"), 0.0205, 5e-5);
  for (const auto* name : {"ro2p", "ros3p", "ros3pl", "rowdaind2", "rodas4p", "rodas5p"})
    EXPECT_NEAR(zeta2(name), 0, 1e-12) << name;
  EXPECT_NEAR(zeta3("ros3p"), -1.0 / 3, 1e-14);
  EXPECT_NEAR(zeta3("ros3pl"), -0.048, 5e-4);
  EXPECT_NEAR(zeta3("rodas4p"), 0, 1e-12);
}

struct PrintedUForm {
  std::string_view name;
  RosenbrockUForm<double> u;
};
// What codes print, digit by digit; our tables are α, Γ, b and know nothing of these numbers (except RODAS5P).
const PrintedUForm printed[] = {
    {"ro2a",
     {.a = {{}, {2 - sqrt2}}, .c = {{}, {-(2 - sqrt2)}}, .m = {2 - sqrt2, 1}, .m_hat = {2 - sqrt2, (1 - sqrt2) / 2}}},
    {"ro2p", {.a = {{}, {2}}, .c = {{}, {-4}}, .m = {3, 1}, .m_hat = {2, 0}}},
    {"ros3p",
     {.a = {{}, {1.2679491924311227065}, {1.2679491924311227065, 0}},
      .c = {{}, {-1.6076951545867362388}, {-3.4641016151377545871, -1.7320508075688772935}},
      .m = {2, 0.57735026918962576451, 0.42264973081037423549},
      .m_hat = {2.1132486540518711775, 1, 0.42264973081037423549}}},
    {"rodas3",
     {.a = {{}, {0}, {2, 0}, {2, 0, 1}},
      .c = {{}, {4}, {1, -1}, {1, -1, -8.0 / 3}},
      .m = {2, 0, 1, 1},
      .m_hat = {2, 0, 1, 0}}},
    {"rowdaind2",
     {.a = {{}, {5.0 / 3}, {1.8307692307692307692, 2.4}, {1.8307692307692307692, 2.4, 0}},
      .c = {{},
            {-1.2464387464387464387},
            {12.267806267806267806, -42.666666666666666667},
            {-0.058246280468502690725, -3.2592592592592592593, 0.37037037037037037037}},
      .m = {1.8307692307692307692, 2.4, 0, 1},
      .m_hat = {2.21443365049676094, 1.8311863943719691278, 0.0082644628099173553719, 0}}},
    {"rowda3",
     {.a = {{}, {1.6059962521953292039}, {1.6059962521953292039, 0}},
      .c = {{}, {0.88740444106578327774}, {23.987479716350360433, 5.2637223715621294749}},
      .m = {2.236727045296590212, 2.2500677309696442165, -0.2092514044390319716},
      .m_hat = {2.0593561676459404391, 0.16940143193465277414, 0}}},
    {"ros3pl",
     {.a = {{},
            {1.1471401801395208599},
            {2.4630707730300532286, 1.1471401801395208599},
            {2.4630707730300532286, 1.1471401801395208599, 0}},
      .c = {{},
            {-2.6318611857810647374},
            {-1.3023641581130951373, 2.7694320222513035446},
            {-1.5525689587323999747, 2.5877435012151524935, -1.4169932983520201407}},
      .m = {2.4630707730300532286, 1.1471401801395208599, 0, 1},
      .m_hat = {2.3469476835136653039, 0.45653056945189542501, 0.056949243945494330413, 0.73868493616622446454}}},
    {"rodas4",
     {.a = {{},
            {1.544},
            {0.9466785280815826, 0.2557011698983284},
            {3.314825187068521, 2.896124015972201, 0.9986419139977817},
            {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
            {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}},
      .c = {{},
            {-5.6688},
            {-2.430093356833875, -0.2063599157091915},
            {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
            {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
            {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}},
      .m = {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1, 1},
      .m_hat = {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1, 0}}},
    {"rodas4p",
     {.a = {{},
            {3},
            {1.831036793486759, 0.4955183967433795},
            {2.304376582692669, -0.05249275245743001, -1.176798761832782},
            {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401},
            {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1}},
      .c = {{},
            {-12},
            {-8.791795173947035, -2.207865586973518},
            {10.81793056857153, 6.780270611428266, 19.53485944642410},
            {34.19095006749676, 15.49671153725963, 54.74760875964130, 14.16005392148534},
            {34.62605830930532, 15.30084976114473, 56.99955578662667, 18.40807009793095, -40.0 / 7}},
      .m = {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1, 1},
      .m_hat = {-7.170454962423024, -4.741636671481785, -16.31002631330971, -1.062004044111401, 1, 0}}},
};

TEST(RosenbrockTables, UFormIsThePrintedOne) {
  for (const PrintedUForm& print : printed) {
    SCOPED_TRACE(print.name);
    const RosenbrockTable& t = table(print.name);
    const auto expect_same = [](double ours, double theirs) {
      EXPECT_NEAR(ours, theirs, 1e-13 * (1 + std::abs(theirs)));  // the printed digits
    };
    for (int i = 0; i < t.s; ++i) {
      for (int j = 0; j < t.s; ++j) {
        expect_same(t.u.a[i][j], print.u.a[i][j]);
        expect_same(t.u.c[i][j], print.u.c[i][j]);
      }
      expect_same(t.u.m[i], print.u.m[i]);
      expect_same(t.u.m_hat[i], print.u.m_hat[i]);
      expect_same(t.m_error[i], print.u.m[i] - print.u.m_hat[i]);
    }
  }
}

TEST(RosenbrockTables, UFormInvertsToTheTable) {
  for (const RosenbrockTable& t : rosenbrock_tables()) {
    const RosenbrockCoefficients<double> back = from_u_form(t.s, t.diagonal, t.u);
    for (int i = 0; i < t.s; ++i) {
      for (int j = 0; j < t.s; ++j) {
        EXPECT_NEAR(back.alpha[i][j], t.alpha[i][j], 1e-12) << t.name();
        EXPECT_NEAR(back.gamma[i][j], t.gamma[i][j], 1e-12) << t.name();
      }
      EXPECT_NEAR(back.b[i], t.b[i], 1e-12) << t.name();
      EXPECT_NEAR(back.b_hat[i], t.b_hat[i], 1e-12) << t.name();
    }
  }
}

// ---- one step on a nonlinear, non-autonomous problem, in both forms ---------------------------------------------------

/// x' = −g(t) x², g = 1 + sin t, with the solution 1/(1 + ∫g): uses the Jacobian −2gx and the time derivative −x² cos t.
struct Riccati {
  static double f(double t, double x) { return -(1 + std::sin(t)) * x * x; }
  static double f_x(double t, double x) { return -2 * (1 + std::sin(t)) * x; }
  static double f_t(double t, double x) { return -std::cos(t) * x * x; }
  static double exact(double t) { return 1 / (2 + t - std::cos(t)); }
};

/// (1) of rosenbrock_table.hpp, literally: naive, without sharing.
double step_k_form(const RosenbrockTable& m, double t, double x, double h, const double (&weights)[8]) {
  double k[8]{}, sum = x;
  for (int i = 0; i < m.s; ++i) {
    double argument = x, coupled = 0;
    for (int j = 0; j < i; ++j) {
      argument += m.alpha[i][j] * k[j];
      coupled += m.gamma[i][j] * k[j];
    }
    const double j0 = Riccati::f_x(t, x);
    k[i] = (h * Riccati::f(t + m.alpha_sum[i] * h, argument) + h * j0 * coupled +
            h * h * m.gamma_sum[i] * Riccati::f_t(t, x)) /
           (1 - h * m.diagonal * j0);
    sum += weights[i] * k[i];
  }
  return sum;
}

/// (3) and (5), with sharing; the increments u are returned for the dense output.
double step_u_form(const RosenbrockTable& m, double t, double x, double h, double (&u)[8]) {
  double f[8]{}, sum = x;
  for (int i = 0; i < m.s; ++i) {
    double argument = x, coupled = 0;
    for (int j = 0; j < i; ++j) {
      argument += m.u.a[i][j] * u[j];
      coupled += m.u.c[i][j] * u[j];
    }
    f[i] = m.evaluates_at_stage(i) ? Riccati::f(t + m.alpha_sum[i] * h, argument) : f[m.f_source[i]];
    u[i] = (f[i] + coupled / h + h * m.gamma_sum[i] * Riccati::f_t(t, x)) / (1 / (h * m.diagonal) - Riccati::f_x(t, x));
    sum += m.u.m[i] * u[i];
  }
  return sum;
}

/// Exponent of the local error |step(h) − exact|, measured between h and h/2.
template <class LocalError>
double observed_exponent(const LocalError& error, double h) {
  return std::log2(std::abs(error(h)) / std::abs(error(h / 2)));
}

TEST(RosenbrockTables, BothFormsAgreeAndConvergeWithTheirOrder) {
  const double t0 = 0.4, x0 = Riccati::exact(t0);
  for (const RosenbrockTable& m : rosenbrock_tables()) {
    SCOPED_TRACE(m.name());
    double u[8]{};
    EXPECT_NEAR(step_u_form(m, t0, x0, 0.1, u), step_k_form(m, t0, x0, 0.1, m.b), 1e-14);
    double embedded = x0;
    for (int j = 0; j < m.s; ++j) embedded += m.u.m_hat[j] * u[j];
    EXPECT_NEAR(embedded, step_k_form(m, t0, x0, 0.1, m.b_hat), 1e-14);

    const auto main_error = [&](double h) { return step_k_form(m, t0, x0, h, m.b) - Riccati::exact(t0 + h); };
    const auto embedded_error = [&](double h) { return step_k_form(m, t0, x0, h, m.b_hat) - Riccati::exact(t0 + h); };
    // Local errors are O(h^{p+1}); h is chosen so that the next term is below 15 % and rounding invisible.
    const double h = m.order() == 5 ? 0.05 : m.order() == 4 ? 0.02 : 0.004;
    EXPECT_NEAR(observed_exponent(main_error, h), m.order() + 1, 0.25);
    EXPECT_NEAR(observed_exponent(embedded_error, h), m.embedded_order() + 1, 0.25);
  }
}

// ---- dense output -----------------------------------------------------------------------------------------------------

TEST(RosenbrockDense, OrdersAreTwoSided) {
  struct Row {
    std::string_view name;
    int order;
    bool index1;
  };
  // RO2P: β = ½𝟙 makes order 2 inside the step impossible (bᵀ(θ)β = ½Σb(θ) = θ/2).
  const Row rows[] = {{"lie", 1, false},      {"ro2a", 2, false},  {"ro2b", 2, false},  {"ro2-source", 2, false},
                      {"ro2p", 1, false},     {"ros3p", 2, true},  {"ros3pl", 3, true}, {"rowda3", 2, true},
                      {"rowdaind2", 2, true}, {"rodas3", 2, true}, {"rodas4", 3, true}, {"rodas4p", 3, true},
                      {"rodas5p", 4, true}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const RosenbrockTable& t = table(row.name);
    const RosenbrockProperties p = rosenbrock_properties(t);
    EXPECT_EQ(t.dense_order, row.order);
    EXPECT_EQ(p.dense_order, row.order);
    EXPECT_EQ(p.dense_index1, row.index1);
    EXPECT_GE(p.dense_order, t.order() - 1);
    for (int n = 1; n <= row.order; ++n) EXPECT_LT(dense_order_defect(t, n), 1e-12);
    EXPECT_GT(dense_order_defect(t, row.order + 1), 1e-3);
    // Infinitely stiff components stay between the ends of the step, or at least do not grow.
    EXPECT_LE(p.dense_r_max, 1 + 1e-12);
    EXPECT_GE(p.dense_r_min, -1 - 1e-12);
  }
  for (const auto* name : {"rodas4p", "rodas5p", "rowdaind2"})  // straight line from 1 to 0
    EXPECT_GE(rosenbrock_properties(table(name)).dense_r_min, -1e-12) << name;
}

TEST(RosenbrockDense, JoinsTheEndsAndConverges) {
  const double t0 = 0.4, x0 = Riccati::exact(t0);
  for (const RosenbrockTable& m : rosenbrock_tables()) {
    SCOPED_TRACE(m.name());
    double weights[8]{};
    m.dense_weights(0, weights);
    for (int j = 0; j < m.s; ++j) EXPECT_EQ(weights[j], 0);
    m.dense_weights(1, weights);
    for (int j = 0; j < m.s; ++j) EXPECT_NEAR(weights[j], m.u.m[j], 1e-11 * (1 + std::abs(m.u.m[j])));

    for (double theta : {0.25, 0.6}) {
      const auto error = [&](double h) {
        double u[8]{};
        (void)step_u_form(m, t0, x0, h, u);
        m.dense_weights(theta, weights);
        double x = x0;
        for (int j = 0; j < m.s; ++j) x += weights[j] * u[j];
        return x - Riccati::exact(t0 + theta * h);
      };
      // Local error O(h^{q+1}); a small leading coefficient may let the next power through.
      EXPECT_GT(observed_exponent(error, m.dense_order >= 4 ? 0.05 : 0.01), m.dense_order + 0.75) << theta;
    }
  }
}

TEST(RosenbrockDense, IsAtLeastAsGoodAsThePrintedOnes) {
  // x(θ) = x₀ + Σ m_j(θ) u_j with m(θ) = θ m + θ(1−θ)(h_1 + θ h_2 + θ² h_3); rows h as distributed with the methods.
  struct Print {
    std::string_view name;
    int order, n_rows;
    double h[3][8];
    double r_min;  // of R(θ, ∞), as measured
  };
  const Print prints[] = {
      {"rodas4",
       3,
       2,
       {{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662},
        {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872}},
       -0.945},
      {"rodas4p",
       3,
       2,
       {{25.09876703708589, 11.62013104361867, 28.49148307714626, -5.664021568594133, 0},
        {1.638054557396973, -0.7373619806678748, 8.477918219238990, 15.99253148779520, -1.882352941176471}},
       -1.184},
      {"rodas5p",
       4,
       3,
       {{25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073,
         1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
        {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044,
         15.98066361424651, -6.789040303419874, -6.710236069923372},
        {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654,
         -59.78993625266729, -0.15582684282751913, 4.883087185713722}},
       -0.398}};
  for (const Print& print : prints) {
    SCOPED_TRACE(print.name);
    const RosenbrockTable& built = table(print.name);
    RosenbrockTable other = built;
    other.dense_degree = print.n_rows + 1;
    for (int j = 0; j < other.s; ++j) {
      std::ranges::fill(other.m_theta[j], 0);
      std::ranges::fill(other.b_theta[j], 0);
      other.m_theta[j][1] = other.u.m[j];
      for (int l = 0; l < print.n_rows; ++l) {
        other.m_theta[j][1 + l] += print.h[l][j];
        other.m_theta[j][2 + l] -= print.h[l][j];
      }
    }
    for (int k = 1; k <= other.dense_degree; ++k)
      for (int j = 0; j < other.s; ++j)
        for (int i = j; i < other.s; ++i) other.b_theta[j][k] += other.m_theta[i][k] * other.gamma[i][j];  // b = mΓ
    const RosenbrockProperties ours = rosenbrock_properties(built), theirs = rosenbrock_properties(other);
    EXPECT_EQ(theirs.dense_order, print.order);
    EXPECT_TRUE(theirs.dense_index1);
    EXPECT_EQ(ours.dense_order, print.order);
    EXPECT_NEAR(theirs.dense_r_min, print.r_min, 5e-3);  // sampled
    EXPECT_GE(ours.dense_r_min, theirs.dense_r_min - 1e-12);
    // Leading error term: not more than a twentieth above the printed one (RODAS4 and RODAS4P: less than half).
    EXPECT_LT(dense_order_defect(built, print.order + 1), 1.05 * dense_order_defect(other, print.order + 1));
  }
}

// ---- constructive tool ------------------------------------------------------------------------------------------------

TEST(TwoStageConstruction, FindsAllMethodsOfOrderTwo) {
  for (int sign : {+1, -1}) {
    const double gamma = rosenbrock::two_stage_gamma<double>(sign);
    EXPECT_NEAR(gamma, 1 + sign * sqrt2 / 2, 4e-16);
    for (double r_hat : {-0.9, -0.25, 0.5, 1.0}) {
      const auto method = rosenbrock::two_stage_stiffly_accurate(gamma, r_hat);
      EXPECT_EQ(classical_order(method, method.b), 2);
      EXPECT_EQ(classical_order(method, method.b_hat), 1);
      EXPECT_NEAR(stability_at_infinity(method, method.b), 0, 1e-15);
      EXPECT_NEAR(stability_at_infinity(method, method.b_hat), r_hat, 1e-14);
      EXPECT_NEAR(index1_defects(method, method.b).z2, 0, 1e-14);
      EXPECT_TRUE(make_rosenbrock_table({}, method).stiffly_accurate);
    }
    // R̂(∞) = 0 forces b̂ = b: no estimate. The printed b̂ of RO2 belongs to R̂(∞) = 1.
    const auto none = rosenbrock::two_stage_stiffly_accurate(gamma, 0.0);
    EXPECT_EQ(none.b_hat[1], none.b[1]);
  }
  const auto source = rosenbrock::two_stage_stiffly_accurate(1 + sqrt2 / 2, 1.0);
  EXPECT_NEAR(source.b_hat[1], -1 - sqrt2, 1e-14);
  // Any other γ leaves order 1.
  for (double gamma : {0.25, 0.5, 0.8, 1.3}) {
    const auto other = rosenbrock::two_stage_stiffly_accurate(gamma, 0.5);
    EXPECT_EQ(classical_order(other, other.b), 1) << gamma;
  }
}

// ---- can these tests fail? ----------------------------------------------------------------------------------------------

/// The largest defect among everything a method claims.
double claimed_defect(const RosenbrockCoefficients<double>& m, const Claim& claim) {
  double worst = std::abs(stability_at_infinity(m, m.b) - claim.r_infinity);
  for (int n = 1; n <= claim.order; ++n) worst = std::max(worst, order_defect(m, m.b, n));
  for (int n = 1; n <= claim.embedded_order; ++n) worst = std::max(worst, order_defect(m, m.b_hat, n));
  for (int i = 2; i < claim.scholz_order; ++i) worst = std::max(worst, scholz_defect(m, m.b, i));
  const auto d = index1_defects(m, m.b);
  if (claim.z2) worst = std::max(worst, std::abs(d.z2));
  if (claim.z3a) worst = std::max(worst, std::abs(d.z3a));
  if (claim.z3b) worst = std::max(worst, std::abs(d.z3b));
  if (claim.z3c) worst = std::max(worst, std::abs(d.z3c));
  if (claim.x4) worst = std::max(worst, std::abs(d.x4));
  if (claim.stiffly_accurate)
    for (int j = 0; j < m.s; ++j) worst = std::max(worst, std::abs(m.beta(m.s - 1, j) - m.b[j]));
  return worst;
}

TEST(RosenbrockTables, EveryCoefficientMatters) {
  // Change one coefficient by 1e-6: some claim must break, and by far more than the tolerance 2e-13 of the matrix above.
  for (const Claim& claim : claims) {
    const RosenbrockCoefficients<double> m = table(claim.name);
    const auto expect_break = [&](double& entry, const RosenbrockCoefficients<double>& changed, std::string what) {
      const double kept = entry;
      entry += 1e-6;
      EXPECT_GT(claimed_defect(changed, claim), 1e-9) << claim.name << ' ' << what;
      entry = kept;
    };
    RosenbrockCoefficients<double> changed = m;
    for (int i = 0; i < m.s; ++i) {
      const std::string row = std::to_string(i + 1);
      for (int j = 0; j < i; ++j) {
        expect_break(changed.alpha[i][j], changed, "alpha " + row + std::to_string(j + 1));
        expect_break(changed.gamma[i][j], changed, "gamma " + row + std::to_string(j + 1));
      }
      expect_break(changed.gamma[i][i], changed, "gamma " + row + row);
      expect_break(changed.b[i], changed, "b " + row);
      if (claim.embedded_order > 0) expect_break(changed.b_hat[i], changed, "b_hat " + row);
    }
  }
}

}  // namespace
}  // namespace rubato
