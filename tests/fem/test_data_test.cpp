// Files of material tests: what they may hold, what is refused and where, and the material written for model files.
#include "rubato/io/test_data.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rubato::io {
namespace {

using fem::TestMode;

std::string csv_error(std::string_view text) {
  const auto data = test_data_from_csv(text, "t.csv");
  return data ? "" : data.error().message;
}
std::string toml_error(std::string_view text) {
  const auto data = test_data_from_toml(text, "t.toml");
  return data ? "" : data.error().message;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(TestData, InCsvAndTomlMeanTheSame) {
  const auto csv = test_data_from_csv(
      "# a comment\n\"mode\" , stress [N/mm^2], stretch\n\nuniaxial,0.5,1.5\r\nsimple-shear, 2e-1 "
      ",0.25\nuniaxial,1,2\n",
      "t.csv");
  const auto toml = test_data_from_toml(R"(
[[test]]
mode = "uniaxial"
unit = "MPa"
points = [[1.5, 0.5], [2, 1]]
[[test]]
mode = "simple-shear"
unit = "kPa"
weight = 2
points = [[0.25, 200]]
)",
                                        "t.toml");
  ASSERT_TRUE(csv.ok()) << csv.error().message;
  ASSERT_TRUE(toml.ok()) << toml.error().message;
  ASSERT_EQ(csv->size(), 2U);
  ASSERT_EQ(toml->size(), 2U);
  EXPECT_EQ((*toml)[1].weight, 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto &a = (*csv)[k], &b = (*toml)[k];
    EXPECT_EQ(a.mode, b.mode);
    ASSERT_EQ(a.points.size(), b.points.size());
    for (std::size_t i = 0; i < a.points.size(); ++i) {
      EXPECT_DOUBLE_EQ(a.points[i].stretch, b.points[i].stretch);
      EXPECT_DOUBLE_EQ(a.points[i].stress, b.points[i].stress);
    }
  }
  EXPECT_EQ((*csv)[0].points[1].stress, 1e6);
}

/// Strains count from the undeformed length, shears from none.
TEST(TestData, MayHoldStrains) {
  const auto data = test_data_from_csv("mode,strain [%],stress [kPa]\nuniaxial,50,300\nsimple-shear,50,200\n", "t.csv");
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_DOUBLE_EQ((*data)[0].points[0].stretch, 1.5);
  EXPECT_DOUBLE_EQ((*data)[1].points[0].stretch, 0.5);
}

TEST(TestData, InCsvNamesLineAndValueOfMistakes) {
  const std::string head = "mode,stretch,stress [MPa]\n";
  EXPECT_TRUE(has(csv_error(head + "uniaxal,1,2\n"), "t.csv:2: unknown mode 'uniaxal'; did you mean 'uniaxial'?"));
  EXPECT_TRUE(has(csv_error(head + "\nuniaxial,1.x,2\n"), "t.csv:3: '1.x' is no number"));
  EXPECT_TRUE(has(csv_error(head + "uniaxial,,2\n"), "t.csv:2: '' is no number"));
  EXPECT_TRUE(has(csv_error(head + "uniaxial,1\n"), "t.csv:2: 2 values; the first line names 3 columns"));
  EXPECT_TRUE(has(csv_error(head + "uniaxial,1,5,2\n"), "t.csv:2: 4 values"));
  EXPECT_TRUE(has(csv_error(head + "uniaxial,0,2\n"), "t.csv:2: stretch 0 is not possible, from 0.01 to 100"));
  EXPECT_TRUE(
      has(csv_error(head + "simple-shear,-101,2\n"), "t.csv:2: stretch -101 is not possible, from -100 to 100"));
  EXPECT_TRUE(has(csv_error(head + "uniaxial,nan,2\n"), "t.csv:2: stretch nan"));
  EXPECT_TRUE(has(csv_error("mode,strain,stress [MPa]\nuniaxial,-1.5,2\n"), "t.csv:2: stretch -0.5"));
  EXPECT_TRUE(has(csv_error("mode,stretch,stress\n"), "t.csv:1: column 'stress': its unit is missing"));
  EXPECT_TRUE(
      has(csv_error("mode,stretch,stress [mm]\n"), "t.csv:1: column 'stress': 'mm' is no unit of this quantity"));
  EXPECT_TRUE(has(csv_error("mode,stretch,stress [MPa\n"), "] is missing"));
  EXPECT_TRUE(has(csv_error("mode,stretch,stress [Mpa]\n"), "unknown unit 'Mpa'"));
  EXPECT_TRUE(has(csv_error("mode,stretch,strss [MPa]\n"), "unknown column 'strss'; did you mean 'stress'?"));
  EXPECT_TRUE(has(csv_error("mode,mode,stress [MPa]\n"), "column 'mode' stands there twice"));
  EXPECT_TRUE(has(csv_error("mode,stress [MPa]\n"), "the columns must be mode, stretch (or strain) and stress"));
  EXPECT_TRUE(has(csv_error("mode,stretch,strain,stress [MPa]\n"), "the columns must be"));
  EXPECT_TRUE(has(csv_error(head), "t.csv: no tests in it"));
  EXPECT_TRUE(has(csv_error(""), "t.csv: no tests in it"));
}

TEST(TestData, InTomlNamesPlaceAndValueOfMistakes) {
  const std::string head = "[[test]]\nmode = \"uniaxial\"\nunit = \"MPa\"\n";
  EXPECT_TRUE(has(toml_error(head + "points = [[1, 2], [3]]\n"), "t.toml:4:19: test.points: [3] is no point"));
  EXPECT_TRUE(has(toml_error(head + "points = [[-1, 2]]\n"), "t.toml:4:11: test.points: stretch -1 is not possible"));
  EXPECT_TRUE(has(toml_error(head + "points = 3\n"), "t.toml:4:10: test.points: a list of points is needed"));
  EXPECT_TRUE(has(toml_error(head), "t.toml:1:1: test.points: a list of points"));
  EXPECT_TRUE(has(toml_error(head + "weight = 0\npoints = [[1, 2]]\n"), "t.toml:4:10: test.weight: 0 is not allowed"));
  EXPECT_TRUE(has(toml_error(head + "wieght = 2\npoints = [[1, 2]]\n"),
                  "t.toml:4:1: test.wieght: unknown key 'wieght'; did you mean 'weight'?"));
  EXPECT_TRUE(has(toml_error("[[test]]\nmode = 3\n"), "t.toml:2:8: test.mode: 3 is a whole number; a text is needed"));
  EXPECT_TRUE(has(toml_error("[[test]]\nmode = \"shear\"\n"), "t.toml:2:8: test.mode: unknown mode 'shear'"));
  EXPECT_TRUE(has(toml_error("[[test]]\nmode = \"uniaxial\"\npoints = [[1, 2]]\n"), "test.unit: missing"));
  EXPECT_TRUE(has(toml_error("[[test]]\nunit = \"s\"\n"), "test.unit: 's' is no unit of this quantity; one like MPa"));
  EXPECT_TRUE(has(toml_error("[tests]\n"), "t.toml:1:2: 'tests' has no meaning here"));
  EXPECT_TRUE(has(toml_error("test = [1]\n"), "t.toml:1:9: test: 1 is a whole number"));
  EXPECT_TRUE(has(toml_error(""), "t.toml: no [[test]] in it"));
  EXPECT_TRUE(has(toml_error("[[test"), "not TOML"));
}

/// Every digit is kept.
TEST(MaterialToml, HoldsTheConstantsOfTheLaw) {
  const auto written = [](const char* law, fem::Material material) {
    return material_toml({.form = *fem::law_form(law), .material = std::move(material)}, "rub\"ber", {"of tests"});
  };
  const std::string ogden = written("ogden:2", {.law = fem::Ogden{{{1e5 / 3, 4}, {-2, -1.5}}}, .bulk = INFINITY});
  EXPECT_TRUE(has(ogden, "# of tests\n[[material]]\nname = \"rub\\\"ber\"\nlaw = \"ogden\"\n"));
  EXPECT_TRUE(has(ogden, "mu = [33333.333333333336, -2.0]  # Pa\nalpha = [4.0, -1.5]\nbulk = inf"));
  EXPECT_TRUE(has(written("neo-hooke", {.law = fem::neo_hooke(4e5)}), "law = \"neo-hooke\"\nmu = 400000.0  # Pa\n"));
  EXPECT_TRUE(has(written("polynomial:c10,c02", {.law = fem::Polynomial{{{1, 0, 7}, {0, 2, 8}}}}),
                  "law = \"polynomial\"\nc10 = 7.0  # Pa\nc02 = 8.0  # Pa\n"));
}

}  // namespace
}  // namespace rubato::io
