#include "rubato/io/realtime_report.hpp"

#include <gtest/gtest.h>

#include "rubato/io/duration.hpp"
#include "rubato/io/progress.hpp"
#include "rubato/realtime/stability.hpp"

namespace rubato::io {
namespace {

TEST(Duration, KnowsUnitsOfTime) {
  for (const char* text : {"1ms", "1 ms", "1e-3", "0.001", "1000us", "0.001 s", "1e-3s"}) {
    const auto seconds = parse_duration(text);
    ASSERT_TRUE(seconds.ok()) << text << ": " << seconds.error().message;
    EXPECT_DOUBLE_EQ(*seconds, 1e-3) << text;
  }
  EXPECT_DOUBLE_EQ(*parse_duration("2 min"), 120);
  for (const char* text : {"", "ms", "1 kg", "1 m", "0", "-1ms", "nan", "inf", "1e400", "1 ms ms"})
    EXPECT_FALSE(parse_duration(text).ok()) << text;
}

TEST(RealtimeReport, ListsMissedDeadlines) {
  realtime::RunnerReport report;
  report.misses = {{4, 1500}, {9, 250000}};
  // Step 4, the fifth, is due five steps after the start.
  EXPECT_EQ(missed_csv(report, 2, 0.5), "step,due [s],late [us]\n4,4.5,1.5\n9,7,250\n");
}

/// Nanoseconds stand in timing.json only; the summary is the same whatever the clock said.
TEST(RealtimeReport, KeepsTimesApart) {
  realtime::Plan plan;
  plan.model = "m";
  plan.step = 1e-3;
  realtime::RunnerReport quick, slow;
  quick.steps = slow.steps = 1;
  quick.times.record(10'000);
  slow.times.record(20'000'000);
  slow.missed = 1;
  slow.not_got = {"memory is not locked"};
  const RealtimeResult result{.plan = "plan.toml", .status = "finished", .t = 1e-3, .version = "1"};
  EXPECT_EQ(realtime_summary_json(plan, result, quick), realtime_summary_json(plan, result, slow));
  const std::string timing = realtime_timing_json(slow);
  for (const char* part : {"\"missed_deadlines\": 1", "\"longest\": 20000000", "memory is not locked"})
    EXPECT_NE(timing.find(part), std::string::npos) << timing;
  EXPECT_NE(timing, realtime_timing_json(quick));
}

TEST(Progress, ShowsCounts) {
  EXPECT_NE(count_line(50, 200, "spectra", 80).find(" 50/200 · spectra"), std::string::npos);
  EXPECT_EQ(count_line(50, 200, "spectra", 34).find("spectra"), std::string::npos);  // no room
  EXPECT_EQ(count_line(50, 200, "spectra", 10), "50/200");
}

/// x' = μ x: kept, λ = 1/(1 − τμ); left out, the explicit Euler method, λ = 1 + τμ.
TEST(SampleSpectra, AreThoseOfImplicitAndExplicitEuler) {
  const SparsePattern one = SparsePattern::dense(1, 1);
  const std::vector<double> mass = {1};
  const realtime::StepPencil pencil(one, one, mass, 0.5);
  const std::vector<std::vector<double>> samples = {{-1}, {-8}};
  const auto kept = realtime::sample_spectra(pencil, {1}, samples),
             left_out = realtime::sample_spectra(pencil, {0}, samples);
  ASSERT_TRUE(kept.ok() && left_out.ok());
  EXPECT_DOUBLE_EQ((*kept)[0].radius(), 1 / 1.5);
  EXPECT_DOUBLE_EQ((*kept)[1].radius(), 1 / 5.0);
  EXPECT_DOUBLE_EQ((*left_out)[0].radius(), 0.5);
  EXPECT_DOUBLE_EQ((*left_out)[1].radius(), 3);
  EXPECT_FALSE(realtime::sample_spectra(pencil, {1}, {{2}}).ok());  // 1 − τμ = 0
}

}  // namespace
}  // namespace rubato::io
