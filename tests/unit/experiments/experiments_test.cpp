// The list of experiments is what the command line offers: complete, without doubles, found by name and by number.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/experiment.hpp"

namespace rubato::experiments {
namespace {

TEST(Experiments, EveryEntryIsComplete) {
  std::set<std::string> names;
  for (const auto& experiment : experiments()) {
    EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name << " twice";
    EXPECT_FALSE(experiment.title.empty() || experiment.source.empty()) << experiment.name;
    ASSERT_FALSE(experiment.parts.empty()) << experiment.name;
    std::set<std::string> parts;
    for (const auto& part : experiment.parts) {
      EXPECT_TRUE(parts.insert(part.name).second) << part.name << " twice";
      EXPECT_TRUE(part.name.starts_with("table-") || part.name.starts_with("figure-")) << part.name;
      EXPECT_FALSE(part.title.empty()) << part.name;
      EXPECT_NE(part.make, nullptr) << part.name;
    }
    const auto found = experiment_by_name(experiment.name);
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)->name, experiment.name);
  }
  EXPECT_FALSE(experiment_by_name("nothing"));
}

TEST(Experiments, StiffIrkHasThePublishedTablesAndFigures) {
  const auto experiment = experiment_by_name("stiff-irk");
  ASSERT_TRUE(experiment);
  for (const char* name :
       {"table-3.4",  "table-5.1",  "table-5.2",   "table-5.3",   "table-5.4",   "table-5.5",  "table-5.6",
        "table-5.7",  "table-5.8",  "figure-5.10", "figure-5.13", "figure-5.14", "figure-3.1", "figure-3.2",
        "figure-3.3", "figure-3.4", "figure-4.1",  "figure-4.2",  "figure-4.3",  "figure-5.1", "figure-5.2",
        "figure-5.3", "figure-5.4", "figure-5.6",  "figure-5.7"}) {
    const std::string wanted[] = {name};
    EXPECT_TRUE(chosen_parts(**experiment, wanted)) << name;
  }
  EXPECT_FALSE((*experiment)->missing.empty()) << "what is not reproduced is said";
}

TEST(Experiments, PartsAreChosenByNameOrNumberInTheirOrder) {
  const Experiment experiment{
      .name = "paper",
      .title = "",
      .source = "",
      .introduction = "",
      .parts = {{"table-1.1", "", nullptr}, {"figure-1.1", "", nullptr}, {"table-1.2", "", nullptr}}};
  const std::string by_number[] = {"1.2", "1.1"}, by_name[] = {"figure-1.1"}, wrong[] = {"table-1.3"};
  ASSERT_TRUE(chosen_parts(experiment, by_number));
  EXPECT_EQ(chosen_parts(experiment, by_number)->size(), 3U);
  EXPECT_EQ(chosen_parts(experiment, by_number)->front()->name, "table-1.1");
  EXPECT_EQ(chosen_parts(experiment, by_name)->size(), 1U);
  EXPECT_EQ(chosen_parts(experiment, {})->size(), 3U);
  ASSERT_FALSE(chosen_parts(experiment, wrong));
  EXPECT_NE(chosen_parts(experiment, wrong).error().message.find("table-1.2"), std::string::npos);
}

TEST(Experiments, CountersStandTogetherForPeopleAndApartForPrograms) {
  const Section section{.runs = {{.run = "a", .published = Counters{200, 150, 50}, .ours = Counters{100, 90, 7, 3}},
                                 {.run = "b", .published = Counters{10, 9, 1}, .trouble = "not available"}}};
  const std::string text = io::render(table_of(section, io::TableFormat::text), io::TableFormat::text);
  for (const char* words : {"200/150/50", "100/90/7/3", "0.50", "not available"})
    EXPECT_NE(text.find(words), std::string::npos) << words << " in\n" << text;
  EXPECT_EQ(text.find("rerun"), std::string::npos) << "an empty column is not shown";
  const std::string csv = io::render(table_of(section, io::TableFormat::csv), io::TableFormat::csv);
  EXPECT_NE(csv.find("\na,200,150,50,,,100,90,7,3,,0.5,"), std::string::npos) << csv;
}

TEST(Experiments, ReportHoldsTablesAndPictures) {
  const Experiment experiment{.name = "paper", .title = "A paper", .source = "", .introduction = "", .parts = {}};
  const Part part{"table-1.1", "steps", nullptr};
  const Finding findings[] = {{&part,
                               {.runs = {{.run = "a", .published = Counters{200, 150, 50}}},
                                .difference = "because",
                                .pictures = {{"figure-1.1", "a caption", {.title = "A picture"}}}}}};
  const std::string page = markdown(experiment, findings, "paper");
  for (const char* words : {"# A paper", "## Table 1.1: steps", "| a | 200/150/50 |", "because",
                            "![A picture](paper/figure-1.1.svg)", "a caption"})
    EXPECT_NE(page.find(words), std::string::npos) << words << " in\n" << page;
}

}  // namespace
}  // namespace rubato::experiments
