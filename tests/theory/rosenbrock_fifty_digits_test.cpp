// The coefficients once more, from their defining equations and in fifty digits: the conditions then hold to 1e-45, and the
// tables in double are these numbers rounded. Second transcription, independent of src/integrate/rosenbrock.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

#include "rubato/integrate/rosenbrock_conditions.hpp"
#include "rubato/integrate/rosenbrock_table.hpp"
#include "rubato/integrate/rosenbrock_two_stage.hpp"

namespace rubato {
namespace {

using Real50 = boost::multiprecision::cpp_bin_float_50;
using Coefficients = RosenbrockCoefficients<Real50>;

Real50 ratio(int p, int q) { return Real50(p) / Real50(q); }

/// γ³ − 3γ² + (3/2)γ − 1/6 = 0 by Newton's iteration from 0.4.
Real50 gamma_star() {
  Real50 g = ratio(2, 5);
  for (int i = 0; i < 10; ++i) g -= (((g - 3) * g + ratio(3, 2)) * g - ratio(1, 6)) / ((3 * g - 6) * g + ratio(3, 2));
  return g;
}

using Rows = std::initializer_list<std::initializer_list<Real50>>;

/// Rows from the second on; γ is put on the diagonal of Γ.
Coefficients make(int s, const Real50& gamma, Rows alpha, Rows gamma_rows, std::initializer_list<Real50> b,
                  std::initializer_list<Real50> b_hat) {
  Coefficients m{};
  m.s = s;
  int i = 1;
  for (const auto& row : alpha) std::copy(row.begin(), row.end(), m.alpha[i++]);
  i = 1;
  for (const auto& row : gamma_rows) std::copy(row.begin(), row.end(), m.gamma[i++]);
  for (int k = 0; k < s; ++k) m.gamma[k][k] = gamma;
  std::copy(b.begin(), b.end(), m.b);
  std::copy(b_hat.begin(), b_hat.end(), m.b_hat);
  return m;
}

Coefficients ros3p() {
  const Real50 g = ratio(1, 2) + sqrt(Real50(3)) / 6, third = ratio(1, 3);
  return make(3, g, {{1}, {1, 0}}, {{-1}, {-g, ratio(1, 2) - 2 * g}}, {2 * third, 0, third}, {third, third, third});
}

Coefficients ros3pl() {
  const Real50 g = gamma_star(), half = ratio(1, 2), b3 = ratio(1, 6) - g, kappa = ratio(1, 6) - g + g * g;
  const Real50 beta3 = (half - 2 * g + g * g) / b3;  // order 2
  const Real50 beta32 =                              // Scholz i = 2, j = 1
      4 * (2 * (g * g * g + 3 * g * g * (half - g) + 3 * g * kappa) - g / 3 - g * (ratio(1, 3) - g)) / b3;
  Coefficients m = make(4, g, {{half}, {half, half}, {half, half, 0}},
                        {{-half}, {beta3 - beta32 - half, beta32 - half}, {-ratio(1, 3), ratio(1, 6), b3}},
                        {ratio(1, 6), ratio(2, 3), b3, g}, {});
  // b̂_1 = ½, order 2, R̂(∞) = −¼: one linear equation for b̂_4, found from two trials.
  const auto weights = [&](const Real50& b4) {
    m.b_hat[0] = half;
    m.b_hat[3] = b4;
    m.b_hat[2] = (half - g - b4 * (1 - g)) / beta3;
    m.b_hat[1] = half - m.b_hat[2] - b4;
    return Real50(stability_at_infinity(m, m.b_hat) + ratio(1, 4));
  };
  const Real50 at_0 = weights(0), at_1 = weights(1);
  weights(at_0 / (at_0 - at_1));
  return m;
}

Coefficients rowda3() {
  const Real50 g = gamma_star(), a = ratio(7, 10), b3 = g * (ratio(100, 147) - g / (a * a)), b2 = ratio(100, 147) - b3;
  const Real50 beta21 = (ratio(1, 6) - g + g * g) / b3, beta3 = (ratio(1, 2) - g - b2 * beta21) / b3;
  const Real50 b_hat_2 = (ratio(1, 2) - g) / beta21;  // order 2
  return make(3, g, {{a}, {a, 0}}, {{beta21 - a}, {beta3 - 1 - a, 1}}, {ratio(47, 147), b2, b3},
              {1 - b_hat_2, b_hat_2});
}

Coefficients rowdaind2() {
  const Real50 x = ratio(28, 100), y = ratio(72, 100);
  return make(4, ratio(3, 10), {{ratio(1, 2)}, {x, y}, {x, y, 0}},
              {{-ratio(35, 312)}, {ratio(254, 100), -ratio(384, 100)}, {ratio(29, 75), -y, ratio(1, 30)}},
              {ratio(2, 3), 0, ratio(1, 30), ratio(3, 10)},
              {ratio(351311, 732050), ratio(189462, 366025), ratio(3, 1210)});
}

Coefficients rodas3() {
  return make(4, ratio(1, 2), {{0}, {1, 0}, {ratio(3, 4), -ratio(1, 4), ratio(1, 2)}},
              {{1}, {-ratio(1, 4), -ratio(1, 4)}, {ratio(1, 12), ratio(1, 12), -ratio(2, 3)}},
              {ratio(5, 6), -ratio(1, 6), -ratio(1, 6), ratio(1, 2)}, {ratio(3, 4), -ratio(1, 4), ratio(1, 2)});
}

Coefficients ro2p() { return make(2, ratio(1, 2), {{1}}, {{-1}}, {ratio(1, 2), ratio(1, 2)}, {1, 0}); }

Coefficients rodas4() {
  const auto d = [](const char* digits) { return Real50(digits); };
  const Real50 quarter = ratio(1, 4);
  const Real50 b_hat[] = {d("2.4286337654669871489"), d("-0.38274873376478454649"), d("-1.8557203309295787543"),
                          d("0.55983529922737615189")};
  return make(6, quarter,
              {{d("0.386")},
               {d("0.14607470752541789548"), d("0.06392529247458210452")},
               {d("-0.33081150366773014417"), d("0.71115102516828465745"), d("0.24966047849944548672")},
               {d("-4.552557186318030729"), d("1.7101813632413318227"), d("4.0143473321031726821"),
                d("-0.17197150902647377572")},
               {b_hat[0], b_hat[1], b_hat[2], b_hat[3], quarter}},
              {{d("-0.3543")},
               {d("-0.13360250526817551808"), d("-0.012897494731824481916")},
               {d("1.5268491730064666059"), d("-0.53365628875045719886"), d("-1.279392884256009407")},
               {d("6.9811909517850178779"), d("-2.0929300970061163691"), d("-5.8700676630327514364"),
                d("0.73180680825384992761")},
               {d("-2.080189494180933349"), d("0.59576235567668246752"), d("1.7016177982672591133"),
                d("-0.088514519835879827502"), d("-0.37867613992712840429")}},
              {d("0.34844427128605379991"), d("0.21301362191189792102"), d("-0.15410253266231964103"),
               d("0.47132077939149632439"), d("-0.12867613992712840429"), quarter},
              {b_hat[0], b_hat[1], b_hat[2], b_hat[3], quarter});
}

Coefficients rodas4p() {
  const auto d = [](const char* digits) { return Real50(digits); };
  const Real50 quarter = ratio(1, 4);
  const Real50 b_hat[] = {d("-1.7644376487744849006"), d("-0.47475655720630317494"), d("2.3696918469158047561"),
                          d("0.61950235906498331946")};
  return make(6, quarter,
              {{d("0.75")},
               {d("0.086120400814155075684"), d("0.12387959918584492432")},
               {d("0.77493453550732419624"), d("0.14926515495086966331"), d("-0.29419969045819385955")},
               {d("5.3087466826461451991"), d("1.3308921400372698353"), d("-5.3741378116555646122"),
                d("-0.26550101102785042215")},
               {b_hat[0], b_hat[1], b_hat[2], b_hat[3], quarter}},
              {{d("-0.75")},
               {d("-0.13551240081415507568"), d("-0.13799159918584492432")},
               {d("-1.2569840048950792983"), d("-0.25014471050642521887"), d("1.2209287154015045172")},
               {d("-7.0731843314206300997"), d("-1.8056486972435730102"), d("7.7438296585713693683"),
                d("0.8850033700928337416")},
               {d("1.6840692779853732505"), d("0.41826594361385613871"), d("-1.8814062168730079632"),
                d("-0.11378614758336428317"), -ratio(5, 14)}},
              {d("-0.080368370789111650068"), d("-0.056490613592447036229"), d("0.48828563004279679286"),
               d("0.50571621148161903629"), -ratio(3, 28), quarter},
              {b_hat[0], b_hat[1], b_hat[2], b_hat[3], quarter});
}

/// What holds exactly: everything claimed in rosenbrock_tables_test.cpp.
struct Exam {
  std::string_view name;
  Coefficients method;
  int order, embedded_order;
  int index1;        // 1: z2; 2: z2, z3a; 3: z2, z3a, z3b; 4: all of z; 5: and x4
  int scholz_order;  // conditions i < this hold
  Real50 r_infinity, r_hat_infinity;
  double tolerance;
};

TEST(RosenbrockFiftyDigits, ConditionsHoldExactlyAndTablesAreRounded) {
  const double exact = 1e-45, twenty = 1e-17;  // 20 printed digits, coefficients up to 8
  const Real50 root3 = sqrt(Real50(3)), half = ratio(1, 2);
  const auto ro2 = [&](int sign) {
    return rosenbrock::two_stage_stiffly_accurate<Real50>(rosenbrock::two_stage_gamma<Real50>(sign), half);
  };
  const Coefficients rowda = rowda3();
  const Exam exams[] = {
      {"ro2a", ro2(+1), 2, 1, 2, 2, 0, half, exact},
      {"ro2b", ro2(-1), 2, 1, 2, 2, 0, half, exact},
      {"ro2p", ro2p(), 2, 2, 3, 3, -1, -1, exact},
      {"ros3p", ros3p(), 3, 2, 2, 3, 1 - root3, 1 - root3, exact},
      {"ros3pl", ros3pl(), 3, 2, 2, 3, 0, -ratio(1, 4), exact},
      {"rowda3", rowda, 3, 2, 1, 2, 0, stability_at_infinity(rowda, rowda.b_hat), exact},
      {"rowdaind2", rowdaind2(), 3, 2, 2, 2, 0, 0, exact},
      {"rodas3", rodas3(), 3, 2, 4, 2, 0, 0, exact},
      {"rodas4", rodas4(), 4, 3, 5, 2, 0, 0, twenty},
      {"rodas4p", rodas4p(), 4, 3, 5, 4, 0, 0, twenty},
  };
  for (const Exam& exam : exams) {
    SCOPED_TRACE(exam.name);
    const Coefficients& m = exam.method;
    const auto expect_zero = [&](const Real50& defect, std::string_view what) {
      EXPECT_LT(static_cast<double>(magnitude(defect)), exam.tolerance) << what;
    };
    for (int n = 1; n <= exam.order; ++n) expect_zero(order_defect(m, m.b, n), "order");
    for (int n = 1; n <= exam.embedded_order; ++n) expect_zero(order_defect(m, m.b_hat, n), "embedded order");
    const auto d = index1_defects(m, m.b);
    const Real50 index1[] = {d.z2, d.z3a, d.z3b, d.z3c, d.x4};
    for (int i = 0; i < exam.index1; ++i) expect_zero(index1[i], "index 1");
    for (int i = 2; i < exam.scholz_order; ++i) expect_zero(scholz_defect(m, m.b, i), "Scholz");
    expect_zero(stability_at_infinity(m, m.b) - exam.r_infinity, "R(inf)");
    expect_zero(stability_at_infinity(m, m.b_hat) - exam.r_hat_infinity, "R_hat(inf)");

    const auto found = find_rosenbrock_table(exam.name);
    ASSERT_TRUE(found.ok());
    const RosenbrockTable& t = **found;
    const RosenbrockUForm<Real50> u = u_form(m);
    const auto expect_rounded = [](double ours, const Real50& true_value, double ulps) {
      const double x = static_cast<double>(true_value);
      EXPECT_NEAR(ours, x, ulps * 2.3e-16 * (1 + std::abs(x)));
    };
    for (int i = 0; i < m.s; ++i) {
      for (int j = 0; j < m.s; ++j) {
        expect_rounded(t.alpha[i][j], m.alpha[i][j], 2);
        expect_rounded(t.gamma[i][j], m.gamma[i][j], 2);
        expect_rounded(t.u.a[i][j], u.a[i][j], 200);  // a triangular solve with entries up to 8
        expect_rounded(t.u.c[i][j], u.c[i][j], 200);
      }
      expect_rounded(t.b[i], m.b[i], 4);
      expect_rounded(t.b_hat[i], m.b_hat[i], 4);
      expect_rounded(t.u.m[i], u.m[i], 200);
      expect_rounded(t.u.m_hat[i], u.m_hat[i], 200);
    }
  }
}

TEST(RosenbrockFiftyDigits, Rodas5pIsLimitedByItsPrintedDigitsOnly) {
  // The u-form is printed to sixteen digits with entries up to 165: evaluated without further rounding, the conditions
  // keep a defect of the size of those digits.
  const RosenbrockTable& t = **find_rosenbrock_table("rodas5p");
  RosenbrockUForm<Real50> u{};
  for (int i = 0; i < t.s; ++i) {
    for (int j = 0; j < t.s; ++j) {
      u.a[i][j] = Real50(t.u.a[i][j]);
      u.c[i][j] = Real50(t.u.c[i][j]);
    }
    u.m[i] = Real50(t.u.m[i]);
    u.m_hat[i] = Real50(t.u.m_hat[i]);
  }
  const Coefficients m = from_u_form(t.s, Real50(t.diagonal), u);
  for (int n = 1; n <= 5; ++n) EXPECT_LT(static_cast<double>(order_defect(m, m.b, n)), 1e-13) << n;
  for (int n = 1; n <= 4; ++n) EXPECT_LT(static_cast<double>(order_defect(m, m.b_hat, n)), 1e-13) << n;
  for (int i = 2; i <= 3; ++i) EXPECT_LT(static_cast<double>(scholz_defect(m, m.b, i)), 1e-13) << i;
}

}  // namespace
}  // namespace rubato
