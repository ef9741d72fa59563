// Fits of material constants: exact recovery, Treloar's rubber against published constants, stability, refusals.
#include "rubato/fem/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "rubato/io/test_data.hpp"
#include "support/numbers.hpp"

namespace rubato::fem {
namespace {

Material rubber(std::variant<LinearElastic, SaintVenantKirchhoff, Polynomial, Ogden> law) {
  return {.name = "rubber", .density = 1, .law = std::move(law), .bulk = infinity};
}

/// What the material would show in all four modes, tension and compression.
std::vector<TestSet> synthetic(const Material& material) {
  std::vector<TestSet> data;
  for (const TestMode mode : test_modes) {
    TestSet set{.mode = mode};
    for (int k = 0; k <= 14; ++k) {
      const double x = mode == TestMode::simple_shear ? 0.15 * k : 0.7 + 0.15 * k;
      set.points.push_back({x, nominal_stress(material, mode, x)});
    }
    data.push_back(std::move(set));
  }
  return data;
}

std::vector<TestSet> treloar() {
  auto data = io::read_test_data(RUBATO_EXAMPLES "/treloar.csv");
  EXPECT_TRUE(data.ok());
  return data ? *data : std::vector<TestSet>{};
}

std::vector<double> values(const Fit& fit) {
  std::vector<double> list;
  for (const auto& constant : constants(fit)) list.push_back(constant.value);
  return list;
}

std::string error_of(const std::string& law, const std::vector<TestSet>& data, const FitOptions& options = {}) {
  const auto form = law_form(law);
  if (!form) return form.error().message;
  const auto result = fit(*form, data, options);
  return result ? "" : result.error().message;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Σ r² of any constants, written down a second time from the definition in fit.hpp.
double cost_of(const Material& material, const std::vector<TestSet>& data, Residuals residuals) {
  double all = 0, sum = 0;
  for (const auto& set : data)
    for (const auto& p : set.points) all = std::max(all, std::abs(p.stress));
  for (const auto& set : data) {
    double largest = 0;
    for (const auto& p : set.points) largest = std::max(largest, std::abs(p.stress));
    for (const auto& p : set.points) {
      const double s = residuals == Residuals::absolute ? all : std::max(std::abs(p.stress), 0.01 * largest);
      const double r = (nominal_stress(material, set.mode, p.stretch) - p.stress) / s;
      sum += set.weight * r * r;
    }
  }
  return sum;
}

/// Data without errors give the constants back, for every law, weighting and constraint: 10⁻⁷ leaves room for the condition of four
/// exponents.
TEST(Fit, RecoversTheConstantsOfEveryLaw) {
  const std::vector<std::pair<std::string, Material>> laws = {
      {"neo-hooke", rubber(neo_hooke(4e5))},
      {"mooney-rivlin", rubber(mooney_rivlin(2e5, 3e4))},
      {"yeoh", rubber(yeoh(2e5, -1e3, 4e1))},
      {"polynomial:2", rubber(Polynomial{{{1, 0, 2e5}, {0, 1, 3e4}, {2, 0, 2e3}, {1, 1, 5e2}, {0, 2, 1e2}}})},
      {"polynomial:c01,c10,c30", rubber(Polynomial{{{0, 1, 3e4}, {1, 0, 2e5}, {3, 0, 40}}})},
      {"polynomial:3", rubber(Polynomial{{{1, 0, 2e5},
                                          {0, 1, 3e4},
                                          {2, 0, 2e3},
                                          {1, 1, 5e2},
                                          {0, 2, 1e2},
                                          {3, 0, 40},
                                          {2, 1, 10},
                                          {1, 2, 3},
                                          {0, 3, 1}}})},
      {"ogden:1", rubber(Ogden{{{3e5, 2.7}}})},
      {"ogden:2", rubber(Ogden{{{1e4, 4.4}, {3.8e5, -0.5}}})},
      {"ogden:3", rubber(Ogden{{{3e3, 5}, {4.1e5, 1.3}, {1e4, -2}}})},
      {"ogden:4", rubber(Ogden{{{1, 11}, {3e3, 5}, {4.1e5, 1.3}, {1e4, -2.5}}})},
  };
  for (const auto& [name, material] : laws)
    for (const auto residuals : {Residuals::relative, Residuals::absolute})
      for (const bool stable : {false, true}) {
        const auto form = law_form(name);
        ASSERT_TRUE(form.ok()) << name;
        const auto found = fit(*form, synthetic(material), {.residuals = residuals, .stable = stable});
        ASSERT_TRUE(found.ok()) << name << found.error().message;
        const auto expected = values(Fit{.form = *form, .material = material}), got = values(*found);
        ASSERT_EQ(got.size(), expected.size()) << name;
        for (std::size_t k = 0; k < got.size(); ++k)
          EXPECT_NEAR(got[k], expected[k], 1e-7 * std::abs(expected[k])) << name << ' ' << k << ' ' << stable;
        for (const auto& set : found->sets) EXPECT_NEAR(set.r2, 1, 1e-12) << name;
        EXPECT_TRUE(found->stable()) << name;
        EXPECT_TRUE(found->converged) << name;
      }
}

/// Terms are sorted: neither the order of the tests nor that of the points changes the constants.
TEST(Fit, OfOgdensLawDoesNotDependOnTheOrderOfTheData) {
  auto data = treloar();
  const auto form = *law_form("ogden:3");
  const auto first = fit(form, data);
  std::reverse(data.begin(), data.end());
  for (auto& set : data) std::reverse(set.points.begin(), set.points.end());
  const auto second = fit(form, data);
  ASSERT_TRUE(first.ok() && second.ok());
  const auto& terms = std::get<Ogden>(first->material.law).terms;
  EXPECT_TRUE(terms[0].alpha > terms[1].alpha && terms[1].alpha > terms[2].alpha);
  const auto a = values(*first), b = values(*second);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5 * std::abs(a[k]));
}

/// Treloar gave 0.39 MPa for the modulus of the Gaussian theory (neo-Hooke) from the same tests: relative residuals find it, absolute
/// ones are ruled by the last points. Ogden's three terms, in our convention μ_i α_i/2, are the mark for his law.
TEST(Fit, OfTreloarsRubberIsAsGoodAsThePublishedOnes) {
  const auto data = treloar();
  std::size_t points = 0;
  for (const auto& set : data) points += set.points.size();
  EXPECT_EQ(points, 53U);
  const auto neo = fit(*law_form("neo-hooke"), data);
  ASSERT_TRUE(neo.ok());
  EXPECT_NEAR(shear_modulus(neo->material), 0.39e6, 0.01e6);
  EXPECT_GT(shear_modulus(fit(*law_form("neo-hooke"), data, {.residuals = Residuals::absolute})->material), 0.5e6);
  const Material classical = rubber(Ogden{{{0.63e6 * 1.3 / 2, 1.3}, {0.0012e6 * 5.0 / 2, 5}, {0.01e6 * 2.0 / 2, -2}}});
  for (const auto residuals : {Residuals::relative, Residuals::absolute}) {
    const auto ogden = fit(*law_form("ogden:3"), data, {.residuals = residuals});
    ASSERT_TRUE(ogden.ok());
    EXPECT_NEAR(ogden->cost, cost_of(ogden->material, data, residuals), 1e-12);
    EXPECT_LT(ogden->cost, (residuals == Residuals::relative ? 0.85 : 0.1) * cost_of(classical, data, residuals));
    EXPECT_TRUE(ogden->stable() && ogden->converged);
    // A minimum: no constant can be changed for the better.
    for (std::size_t k = 0; k < 3; ++k)
      for (const double factor : {0.998, 1.002})
        for (const bool exponent : {false, true}) {
          Material other = ogden->material;
          auto& term = std::get<Ogden>(other.law).terms[k];
          (exponent ? term.alpha : term.mu) *= factor;
          EXPECT_GT(cost_of(other, data, residuals), ogden->cost);
        }
  }
  // With relative residuals Ogden's own constants are nearly found again.
  const auto ogden = fit(*law_form("ogden:3"), data);
  const auto& terms = std::get<Ogden>(ogden->material.law).terms;
  EXPECT_NEAR(terms[0].alpha, 5, 0.2);
  EXPECT_NEAR(terms[1].alpha, 1.3, 0.1);
  EXPECT_NEAR(terms[2].alpha, -2, 0.2);
}

/// The complete polynomial of degree two bends down inside Treloar's data. Constrained it does not, costs more than before, and less
/// than Mooney-Rivlin, which it contains.
TEST(Fit, WarnsOfInstabilityAndAvoidsItWhenAsked) {
  const auto data = treloar();
  const auto free = fit(*law_form("polynomial:2"), data), mooney = fit(*law_form("mooney-rivlin"), data);
  ASSERT_TRUE(free.ok() && mooney.ok());
  EXPECT_FALSE(free->stable());
  EXPECT_TRUE(mooney->stable());
  EXPECT_LT(free->stability[1].stable.high, 4.0);  // equibiaxial; the data go to 4.45
  const auto stable = fit(*law_form("polynomial:2"), data, {.stable = true});
  ASSERT_TRUE(stable.ok());
  EXPECT_TRUE(stable->stable());
  EXPECT_GT(stable->cost, free->cost);
  EXPECT_LT(stable->cost, mooney->cost);
  // What is stable anyway stays as it is.
  const auto yeoh = fit(*law_form("yeoh"), data), yeoh_stable = fit(*law_form("yeoh"), data, {.stable = true});
  EXPECT_EQ(values(*yeoh), values(*yeoh_stable));
}

/// A material that is unstable by itself: without constraint its constants come back, with the constraint no μ is negative.
TEST(Fit, OfOgdensLawMayBeKeptFromNegativeTerms) {
  const auto data = synthetic(rubber(Ogden{{{-1e4, 6}, {4e5, 2}}}));
  const auto free = fit(*law_form("ogden:2"), data), stable = fit(*law_form("ogden:2"), data, {.stable = true});
  ASSERT_TRUE(free.ok() && stable.ok());
  EXPECT_FALSE(free->stable());
  EXPECT_NEAR(std::get<Ogden>(free->material.law).terms[0].mu, -1e4, 1e-2);
  EXPECT_TRUE(stable->stable());
  for (const auto& term : std::get<Ogden>(stable->material.law).terms) EXPECT_GT(term.mu, 0);
}

/// Weights draw the law towards a test. Modes that nobody tested must be stable up to the Ī₁ of the data.
TEST(Fit, HeedsWeightsAndTheModesWithoutTests) {
  auto data = treloar();
  const auto even = fit(*law_form("mooney-rivlin"), data);
  data[1].weight = 100;
  const auto drawn = fit(*law_form("mooney-rivlin"), data);
  EXPECT_LT(drawn->sets[1].relative_rms, 0.95 * even->sets[1].relative_rms);
  EXPECT_GT(drawn->sets[0].relative_rms, even->sets[0].relative_rms);
  const std::vector<TestSet> uniaxial = {data[0]};
  EXPECT_EQ(needed_range(TestMode::uniaxial, uniaxial).high, 7.6);
  const double high = needed_range(TestMode::equibiaxial, uniaxial).high;
  EXPECT_NEAR(2 * high * high + std::pow(high, -4), 7.6 * 7.6 + 2 / 7.6, 1e-9);
}

/// Noise of 2 % on Mooney-Rivlin: laws with more constants fit better, the criterion still asks for Mooney-Rivlin.
TEST(Fit, IsRecommendedForWhatTheDataCanCarry) {
  auto data = synthetic(rubber(mooney_rivlin(2e5, 5e4)));
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.02);
  for (auto& set : data)
    for (auto& point : set.points) point.stress *= 1 + noise(random);
  std::vector<Fit> fits;
  for (const auto& form : usual_law_forms()) fits.push_back(*fit(form, data));
  const std::size_t best = recommended(fits);
  EXPECT_EQ(fits[best].form.name, "mooney-rivlin");
  EXPECT_LT(fits[4].cost, fits[best].cost);  // polynomial:3 contains it
  // On Treloar's rubber an unstable law is not recommended, however good.
  std::vector<Fit> two = {*fit(*law_form("yeoh"), treloar()), *fit(*law_form("polynomial:3"), treloar())};
  EXPECT_LT(two[1].aicc, two[0].aicc);
  EXPECT_EQ(recommended(two), 0U);
}

TEST(Fit, RefusesWhatCannotBeFitted) {
  const auto data = treloar();
  const std::vector<TestSet> shear = {data[2]};
  EXPECT_TRUE(has(error_of("mooney-rivlin", shear), "these tests cannot tell c"));
  EXPECT_EQ(error_of("neo-hooke", shear), "");
  const std::vector<TestSet> few = {{.mode = TestMode::uniaxial, .points = {{1.1, 1e5}, {1.2, 2e5}}}};
  EXPECT_TRUE(has(error_of("yeoh", few), "yeoh has 3 constants, but the data have 2 points only"));
  EXPECT_TRUE(has(error_of("ogden:2", few), "ogden:2 has 4 constants"));
  EXPECT_TRUE(has(error_of("neo-hooke", {}), "the data have 0 points"));
  EXPECT_TRUE(has(error_of("neo-hooke", {{.points = {{-1, 1e5}}}}), "stretch -1"));
  EXPECT_TRUE(has(error_of("neo-hooke", {{.points = {{1e200, 1e5}}}}), "stretches from 0.01 to 100 are possible"));
  EXPECT_TRUE(has(error_of("neo-hooke", {{.points = {{2, NAN}}}}), "stress nan"));
  EXPECT_TRUE(has(error_of("neo-hooke", {{.points = {{2, 1}}, .weight = 0}}), "weight of the uniaxial test is 0"));
  EXPECT_TRUE(has(error_of("neo-hooke", {{.points = {{2, 0}}}}), "the largest stress in the data is 0 Pa"));
  EXPECT_TRUE(has(error_of("neo-hooke", {{.points = {{1, 1e5}}}}), "no deformed state"));
  EXPECT_TRUE(has(error_of("ogden:1", {{.points = {{1, 1e5}, {1, 2e5}}}}), "no deformed state"));
  EXPECT_TRUE(has(error_of("ogden:5", data), "ogden:1 to ogden:4"));
  EXPECT_TRUE(has(error_of("ogden", data), "the number of terms is missing"));
  EXPECT_TRUE(has(error_of("mooney", data), "unknown law 'mooney'"));
  EXPECT_TRUE(has(error_of("polynomial", data), "a degree from 1 to 3"));
  EXPECT_TRUE(has(error_of("polynomial:c10,c40", data), "1 <= I + J <= 3"));
  EXPECT_TRUE(has(error_of("polynomial:c10,c10", data), "different constants"));
  EXPECT_TRUE(has(error_of("polynomial:c10,", data), "different constants"));
  EXPECT_TRUE(has(error_of("polynomial:c20,c11", data), "no stiffness at small strains"));
}

}  // namespace
}  // namespace rubato::fem
