#include "rubato/io/run_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rubato::io {
namespace {

constexpr std::string_view good = R"(title = "Swing"
[problem]
name = "stiff-spring-pendulum"
formulation = "eps-lambda"
[problem.parameters]
eps = 1e-6
[solver]
method = "ros3p"
rtol = 1e-5
atol = 1e-7
atol_of = { lambda = 1e-3 }
controller = "digital-filter"
max_steps = 2e4
condense = false
h_power_of = { "v[1]" = 2 }
estimate = "plain"
[newton]
max_iterations = 12
norm = "h-norm"
[stiffness]
detect = true
attempts = 3
candidates = ["q[0]"]
[time]
end = 10
[output]
every = 0.01
formats = ["csv"]
plot = ["q[0]", "lambda[0]"]
)";

std::string message_of(std::string_view text, std::vector<std::string> overrides = {}) {
  const auto parsed = parse_run_file(text, "run.toml", overrides);
  return parsed ? "accepted" : parsed.error().message;
}

TEST(RunFile, EveryValueArrivesWhereItBelongs) {
  const auto c = parse_run_file(good, "run.toml");
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_EQ(c->title, "Swing");
  EXPECT_EQ(c->problem, "stiff-spring-pendulum");
  EXPECT_EQ(c->formulation, "eps-lambda");
  EXPECT_EQ(c->parameters, (NamedValues{{"eps", 1e-6}}));
  EXPECT_EQ(c->method, "ros3p");
  EXPECT_EQ(c->options.tolerances.rtol, 1e-5);
  EXPECT_EQ(c->options.tolerances.atol_of, (NamedValues{{"lambda", 1e-3}}));
  EXPECT_EQ(c->options.step.controller, Controller::digital_filter);
  EXPECT_EQ(c->options.step.max_steps, 20000);  // 2e4 is a whole number
  EXPECT_FALSE(c->options.linear.condense);
  EXPECT_EQ(c->options.linear.scaling, ScalingMode::lambda_and_v);  // not named: the default
  EXPECT_EQ(c->options.step.h_power_of, (NamedValues{{"v[1]", 2}}));
  EXPECT_EQ(c->options.runge_kutta.estimate, ErrorEstimate::plain);
  EXPECT_EQ(c->options.newton.max_iterations, 12);
  EXPECT_EQ(c->options.newton.norm, NewtonNorm::h_norm);
  EXPECT_TRUE(c->options.stiffness.detect);
  EXPECT_EQ(c->options.stiffness.attempts, 3);
  EXPECT_EQ(c->options.stiffness.candidates, (std::vector<std::string>{"q[0]"}));
  EXPECT_EQ(c->t_end, 10.0);  // an integer is a number, too
  EXPECT_FALSE(c->t_start.has_value());
  EXPECT_EQ(c->output.plot, (std::vector<std::string>{"q[0]", "lambda[0]"}));
  EXPECT_EQ(c->output.checkpoint_every, -1);  // chosen by those who know the size of the model
  EXPECT_EQ(c->options.checkpoint_every, 0);
}

// A message names the place, the key, the value and what is allowed: one line per kind of mistake.
TEST(RunFile, EveryMistakeIsNamedWithItsPlace) {
  const std::string head = "[problem]\nname = \"x\"\n";
  const struct {
    std::string text, expected;
  } cases[] = {
      {head + "[solver]\nrtoll = 1e-4\n", "run.toml:4:1: solver.rtoll: unknown key; did you mean 'rtol'?"},
      {head + "[solver]\nend = 1\n", "did you mean 'time.end'?"},
      {head + "[sovler]\nrtol = 1e-4\n", "run.toml:3:2: sovler: unknown key or table; did you mean 'solver'?"},
      {head + "[obstacel]\nname = \"f\"\n", "run.toml:3:2: obstacel: unknown key or table; did you mean 'obstacle'?"},
      {head + "[solver]\nrtol = \"small\"\n",
       "run.toml:4:8: solver.rtol: \"small\" is a text; allowed: a number ≥ 0 and ≤ 1"},
      {head + "[solver]\nrtol = -1e-4\n", "run.toml:4:8: solver.rtol: -0.0001 is not allowed"},
      {head + "[solver]\natol = nan\n", "run.toml:4:8: solver.atol: nan is not allowed"},
      {head + "[solver]\natol = inf\n", "run.toml:4:8: solver.atol: inf is not allowed"},
      {head + "[solver]\natol_of = { q = -1 }\n", "solver.atol_of.q: -1 is not allowed"},
      {head + "[solver]\nmax_steps = 1.5\n", "solver.max_steps: 1.5 is not allowed; allowed: a whole number"},
      {head + "[solver]\nnorm = \"rsm\"\n", "'rsm' is not allowed; did you mean 'rms'?; allowed: one of rms"},
      {head + "[solver]\ncondense = 1\n", "solver.condense: 1 is a whole number; allowed: true or false"},
      {head + "[problem.parameters]\neps = \"tiny\"\n", "run.toml:4:7: problem.parameters.eps: \"tiny\" is a text"},
      {head + "[problem.parameters]\neps = nan\n", "problem.parameters.eps: nan is not allowed"},
      {head + "solver = 3\n", "problem.solver: unknown key"},
      {"solver = 3\n", "run.toml:1:10: solver: 3 is a whole number; a table is expected: [solver]"},
      {"[problem\nname = \"x\"\n", "run.toml:1:9: not TOML:"},
      {head + "name = \"y\"\n", "run.toml:3:"},
      {"title = \"no problem\"\n", "run.toml: problem.name: missing"},
      {head + "[solver]\nrtol = 0\natol = 0\n", "run.toml:5:8: solver.atol: rtol and atol are both 0"},
      {head + "[time]\nstart = 2\nend = 1\n", "run.toml:5:7: time.end: 1 is not after time.start = 2"},
      {head + "[output]\nevery = 0.1\ntimes = [1]\n", "choose one of"},
      {head + "[output]\ntimes = [1, 0.5]\n", "run.toml:4:9: output.times: 1 is followed by 0.5"},
      {head + "[output]\nformats = [\"xls\"]\n", "run.toml:4:12: output.formats: 'xls' is not allowed"},
      {head + "[newton]\nmax_iterations = 2.5\n",
       "run.toml:4:18: newton.max_iterations: 2.5 is not allowed; allowed: a whole number ≥ 0 and ≤ 1000"},
      {head + "[newton]\nnorm = \"h_norm\"\n",
       "run.toml:4:8: newton.norm: 'h_norm' is not allowed; did you mean 'h-norm'?"},
      {head + "[solver]\nnewton.norm = \"plain\"\n", "did you mean '[newton]'?"},
      {head + "[solver]\nh_power_of = { v = 8 }\n",
       "run.toml:4:20: solver.h_power_of.v: 8 is not allowed; allowed: a finite number ≥ 0 and ≤ 7"},
      {head + "[stiffness]\nthreshold = 0.4\n",
       "run.toml:4:13: stiffness.threshold: 0.4 is not allowed; allowed: a number ≤ 0"},
      {head + "[stiffness]\ncandidates = \"q\"\n",
       "run.toml:4:14: stiffness.candidates: \"q\" is a text; allowed: a list of texts"},
      {head + "[output]\nevery = 0\n", "output.every: 0 is not allowed; allowed: a number > 0, in s"},
  };
  for (const auto& c : cases) {
    const std::string message = message_of(c.text);
    EXPECT_NE(message.find(c.expected), std::string::npos)
        << c.text << "\nexpected: " << c.expected << "\ngot:      " << message;
  }
}

TEST(RunFile, AllMistakesAreReportedAtOnceFromTopToBottom) {
  const std::string message = message_of("[solver]\nrtol = -1\n[problem]\nnaem = \"x\"\n");
  const auto first = message.find("run.toml:2:8"), second = message.find("run.toml:4:1");
  EXPECT_LT(first, second);
  EXPECT_NE(second, std::string::npos);
}

TEST(RunFile, OverridesComeLastAndNameTheirPlace) {
  const auto c = parse_run_file(good, "run.toml",
                                std::vector<std::string>{"solver.rtol=1e-9", "solver.method=rodas4p", "eps=0.5",
                                                         "problem.parameters.g = 9.81", "output.times=[1,2]"});
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_EQ(c->options.tolerances.rtol, 1e-9);
  EXPECT_EQ(c->method, "rodas4p");  // a bare word is a text
  EXPECT_EQ(c->parameters, (NamedValues{{"eps", 0.5}, {"g", 9.81}}));
  EXPECT_EQ(c->output.every, 0);  // times replaces every
  EXPECT_EQ(c->output.times, (std::vector<double>{1, 2}));

  EXPECT_EQ(message_of(good, {"solver.rtol=-1"}),
            "--set solver.rtol: -1 is not allowed; allowed: a number ≥ 0 and ≤ 1");
  EXPECT_EQ(message_of(good, {"method=ros3p"}), "--set method: unknown key; did you mean 'solver.method'?");
  EXPECT_EQ(message_of(good, {"nonsense"}), "--set nonsense: expected key=value, e.g. --set solver.rtol=1e-6");
  EXPECT_NE(message_of(good, {"solver.rtol=abc"}).find("--set solver.rtol: \"abc\" is a text"), std::string::npos);
  EXPECT_NE(message_of(good, {"solver.rtoll=1"}).find("did you mean 'rtol'"), std::string::npos);
}

TEST(RunFile, LaterMessagesFindThePlaceOfAKey) {
  const auto c = parse_run_file(good, "run.toml", std::vector<std::string>{"eps=1"});
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->at("problem.name", "unknown").message, "run.toml:3:8: problem.name: unknown");
  EXPECT_EQ(c->at("problem.parameters.eps", "no").message, "--set eps: no");
  EXPECT_EQ(c->at("time.start", "no").message, "run.toml: time.start: no");
}

// `start` is a key of the table `time` and a parameter of the slider crank: a number without a table is a parameter, and
// the problem says whether it has one.
TEST(RunFile, ANumberWithoutATableIsAParameter) {
  const auto c = parse_run_file(good, "run.toml", std::vector<std::string>{"start=0"});
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_EQ(c->parameters, (NamedValues{{"eps", 1e-6}, {"start", 0}}));
  EXPECT_FALSE(c->t_start.has_value());
  EXPECT_EQ(key_ending_in("start"), find_key("time.start"));
  EXPECT_EQ(key_ending_in("tart"), nullptr);
}

// Results carry the options as a run file: reading it gives the same options, and writing those the same text.
TEST(RunFile, EffectiveOptionsReadBack) {
  const auto c = parse_run_file(good, "run.toml");
  ASSERT_TRUE(c.ok());
  const std::string text = to_toml(*c);
  const auto again = parse_run_file(text, "again.toml");
  ASSERT_TRUE(again.ok()) << again.error().message << "\n" << text;
  EXPECT_EQ(to_toml(*again), text);
  EXPECT_EQ(again->options.tolerances.atol_of, c->options.tolerances.atol_of);
  EXPECT_TRUE(std::isinf(again->options.step.max_step));
}

TEST(RunFile, EveryKeyHasWordsForPeople) {
  for (const auto& key : run_file_keys()) {
    EXPECT_FALSE(key.help.empty()) << key.name;
    EXPECT_FALSE(allowed_values(key).empty()) << key.name;
    EXPECT_FALSE(default_value(key).empty()) << key.name;
  }
}

TEST(RunFile, AMissingFileIsNamed) {
  const auto missing = read_run_file("/nonexistent/run.toml");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("/nonexistent/run.toml: cannot be read"), std::string::npos);
}

TEST(OutputTimes, AreMultiplesAndEndAtTheEnd) {
  EXPECT_EQ(output_times({.every = 0.1}, 0, 1).size(), 11U);
  EXPECT_EQ(output_times({.every = 0.1}, 0, 1)[3], 3 * 0.1);  // not the sum 0.1 + 0.1 + 0.1
  EXPECT_EQ(output_times({.every = 0.4}, 0, 1), (std::vector<double>{0, 0.4, 0.8, 1}));
  EXPECT_TRUE(output_times({}, 0, 1).empty());
}

TEST(OutputTimes, AreBoundedByTheInterval) {
  const auto words = [](const char* key, double t_end) {
    const auto config = parse_run_file("[problem]\nname = \"pendulum\"\n", "a.toml", std::vector<std::string>{key});
    EXPECT_TRUE(config.ok());
    const auto fine = checked_times(*config, 0, t_end);
    return fine ? std::string{} : fine.error().message;
  };
  EXPECT_EQ(words("output.every=1e-6", 1), "");
  EXPECT_NE(words("output.every=1e-300", 1).find("output.every: 1e-300 would give 1e+300 rows"), std::string::npos);
  EXPECT_NE(words("output.animation_every=1e-6", 1).find("would give 1e+06 frames"), std::string::npos);
  EXPECT_NE(words("solver.fixed_step=1e-10", 1).find("would need 1e+10 steps"), std::string::npos);
  EXPECT_NE(words("output.times=[2]", 1).find("2 is outside the run"), std::string::npos);
  EXPECT_NE(words("output.every=1", 1e-320).find("at least 1e-200 s are allowed"), std::string::npos);
}

}  // namespace
}  // namespace rubato::io
