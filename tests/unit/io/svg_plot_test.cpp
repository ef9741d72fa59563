#include "rubato/io/svg_plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rubato/io/progress.hpp"
#include "rubato/io/table.hpp"

namespace rubato::io {
namespace {

/// Every element closed in the right order, every attribute quoted, no bare & or <: enough for what we write.
::testing::AssertionResult well_formed(const std::string& xml) {
  std::vector<std::string> open;
  std::size_t at = 0;
  const auto fail = [&](const std::string& why) {
    return ::testing::AssertionFailure() << why << " near: " << xml.substr(at, 60);
  };
  while (at < xml.size()) {
    if (xml[at] == '&') {
      const auto end = xml.find(';', at);
      if (end == std::string::npos || end - at > 6) return fail("bare &");
      at = end + 1;
    } else if (xml[at] == '<') {
      if (xml.compare(at, 2, "<?") == 0) {
        at = xml.find("?>", at) + 2;
        continue;
      }
      bool quoted = false;
      std::size_t end = at + 1;
      for (; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
        if (xml[end] == '"') quoted = !quoted;
        if (xml[end] == '<') return fail("< inside an element");
      }
      if (end == xml.size()) return fail("element does not end");
      const std::string inside = xml.substr(at + 1, end - at - 1);
      const std::string name = inside.substr(0, inside.find_first_of(" /"));
      if (inside.starts_with('/')) {
        if (open.empty() || "/" + open.back() != inside) return fail("closes what is not open");
        open.pop_back();
      } else if (!inside.ends_with('/')) {
        open.push_back(name);
      }
      at = end + 1;
    } else {
      ++at;
    }
  }
  return open.empty() ? ::testing::AssertionSuccess() : fail("left open: " + open.back());
}

TEST(NiceTicks, AreRoundAndInside) {
  EXPECT_EQ(nice_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(nice_ticks(-1, 1, 4), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  for (const double scale : {1e-9, 1.0, 3.7e8})
    for (const double low : {-7.3, 0.0, 2.9}) {
      const auto ticks = nice_ticks(low * scale, (low + 4.4) * scale, 6);
      EXPECT_GE(ticks.size(), 3U);
      EXPECT_LE(ticks.size(), 8U);
      EXPECT_GE(ticks.front(), (low - 1e-8) * scale);
      EXPECT_LE(ticks.back(), (low + 4.4 + 1e-8) * scale);
    }
}

// Multiples of a step that is lost beside the numbers are all the same: counting them would not end.
TEST(NiceTicks, AreFewWhateverTheRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double high : {3e14 + 0.0625, std::nextafter(3e14, infinity), 1e308, infinity}) {
    EXPECT_LE(nice_ticks(3e14, high, 6).size(), 12U) << high;
    EXPECT_LE(log_ticks(3e14, high, 6).size(), 12U) << high;
  }
  EXPECT_LE(nice_ticks(-1.7e308, 1.7e308, 6).size(), 12U);
  EXPECT_LE(nice_ticks(0, 5e-324, 6).size(), 12U);
  EXPECT_LE(log_ticks(0, 1, 6).size(), 12U);
}

TEST(LogTicks, ArePowersOfTenOrFinerOverShortRanges) {
  EXPECT_EQ(log_ticks(1e-4, 1, 6).size(), 5U);
  EXPECT_LE(log_ticks(1e-300, 1e300, 6).size(), 8U);
  EXPECT_EQ(log_ticks(0.9, 6, 6), (std::vector<double>{1, 2, 5}));
}

Figure difficult() {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  return {.title = "a < b & \"c\" > d",
          .subtitle = "non-finite values, zeros, constants, nothing at all",
          .x_label = "h [s]",
          .x_scale = Scale::logarithmic,
          .panels = {{.y_label = "error",
                      .y_scale = Scale::logarithmic,
                      .series = {{.name = "q & v", .x = {1e-3, 1e-2, 0, 1}, .y = {1e-6, nan, 1, inf}, .markers = true}},
                      .slopes = {{.slope = 2, .x = 1e-2, .y = 1e-4, .label = "order 2"}},
                      .marks = {0.1, -1}},
                     {.y_label = "constant", .series = {{.name = "one", .x = {1e-3, 1}, .y = {1, 1}}}},
                     {.y_label = "empty", .series = {}}}};
}

TEST(Svg, IsWellFormedWhateverTheData) {
  EXPECT_TRUE(well_formed(to_svg(difficult())));
  EXPECT_TRUE(well_formed(to_svg(Figure{})));
  const std::string svg = to_svg({.panels = difficult().panels});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Svg, TheSameDataGiveTheSameBytes) { EXPECT_EQ(to_svg(difficult()), to_svg(difficult())); }

// A million points would make a file no browser opens; a thinned curve keeps every extreme.
TEST(Svg, LongCurvesAreThinnedButKeepTheirSpikes) {
  Series s{.name = "long"};
  for (int i = 0; i < 1'000'000; ++i) {
    s.x.push_back(i);
    s.y.push_back(i == 123'456 ? 100 : std::sin(1e-4 * i));
  }
  const std::string svg = to_svg({.panels = {{.series = {s}}}});
  EXPECT_LT(svg.size(), 200'000U);
  s.y[123'456] = 0;
  EXPECT_NE(svg, to_svg({.panels = {{.series = {s}}}}));
}

TEST(ProgressLine, FitsTheTerminalAndSaysTheMostImportantFirst) {
  const ProgressState state{.t_end = 10, .t = 4.2, .h = 1.3e-3, .accepted = 372, .rejected = 3, .elapsed = 21};
  for (const int width : {4, 20, 40, 60, 80, 120}) {
    EXPECT_LE(display_width(progress_line(state, width)), static_cast<std::size_t>(width));
    EXPECT_NE(progress_line(state, width).find("42 %"), std::string::npos);
  }
  EXPECT_NE(progress_line(state, 120).find("29 s left"), std::string::npos);
  EXPECT_NE(progress_line(state, 120).find("3 rejected"), std::string::npos);
}

TEST(DurationWords, ArePlain) {
  EXPECT_EQ(duration_words(3.14), "3.1 s");
  EXPECT_EQ(duration_words(125), "2 min 05 s");
  EXPECT_EQ(duration_words(4800), "1 h 20 min");
}

// A pipe or a file is not a terminal: nothing is written to it.
TEST(Progress, IsQuietInPipes) {
  std::FILE* pipe = std::tmpfile();
  ASSERT_NE(pipe, nullptr);
  {
    Progress progress(0, 1, pipe);
    StepView step;
    step.t_end = 0.5;
    for (int i = 0; i < 10; ++i) progress.on_step(step);
  }
  EXPECT_EQ(std::ftell(pipe), 0);
  std::fclose(pipe);
}

TEST(Svg, AreasAndEqualUnits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Figure figure{
      .panels =
          {{.series = {{.name = "area", .x = {0, 1, 1, nan, 2, 3, 3}, .y = {0, 0, 1, nan, 0, 0, 1}, .filled = true}},
            .y_extent = {-1, 1}}},
      .x_extent = {-4, 4},
      .equal_units = true};
  const std::string svg = to_svg(figure);
  EXPECT_NE(svg.find("fill-rule=\"evenodd\""), std::string::npos);
  EXPECT_EQ(std::count(svg.begin(), svg.end(), 'Z'), 2) << "two loops, both closed";
  EXPECT_EQ(svg.find("<polyline"), std::string::npos) << "an area has no line of its own";
  // The clip rectangle is four times as wide as high.
  const auto number_after = [&](const std::string& key) {
    return std::stod(svg.substr(svg.find(key, svg.find("<clipPath")) + key.size()));
  };
  EXPECT_NEAR(number_after("width=\""), 4 * number_after("height=\""), 0.05);
}

}  // namespace
}  // namespace rubato::io
