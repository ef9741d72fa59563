// Expressions are read as people write them, give exact derivatives, and say what is wrong with a column.
#include "rubato/base/expression.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numbers>
#include <random>

#include "rubato/base/function.hpp"
#include "support/allocation_counter.hpp"

namespace rubato {
namespace {

using First = Dual<double, 1>;
using Second = Dual<First, 1>;
const std::vector<std::string> t_only{"t"};

Expression parsed(std::string_view text, std::span<const std::string> variables = t_only,
                  const Expression::Constants& constants = {}) {
  auto result = Expression::parse(text, variables, constants);
  EXPECT_TRUE(result) << text << ": " << result.error().message;
  return result ? *result : Expression();
}
double value(std::string_view text, double t = 0) { return parsed(text).evaluate(std::span<const double>(&t, 1)); }
std::string mistake(std::string_view text, const Expression::Constants& constants = {}) {
  const auto result = Expression::parse(text, t_only, constants);
  return result ? "accepted" : result.error().message;
}
/// f, f', f'' by nested duals.
std::array<double, 3> derivatives_of(const Function& f, double x) {
  First inner(x);
  inner.d[0] = 1;
  Second xx(inner);
  xx.d[0] = First(1.0);
  const Second y = f(xx);
  return {y.value.value, y.d[0].value, y.d[0].d[0]};
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("2 - 3 - 4"), -5);
  EXPECT_EQ(value("24/4/2"), 3);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2*-t", 3), -6);
  EXPECT_EQ(value("--t", 3), 3);
  EXPECT_EQ(value("1.5e3 + .5"), 1500.5);
  EXPECT_EQ(value("cos(pi) + log(e)"), 0);
  EXPECT_EQ(value("min(3, t, 1) + max(t, 5)", 2), 6);
  EXPECT_EQ(value("if(t > 1 && t <= 2 || t == 7, 10, 20)", 2), 10);
  EXPECT_EQ(value("if(t > 1 && t <= 2 || t == 7, 10, 20)", 3), 20);
  EXPECT_EQ(value("if(t > 1 && t <= 2 || t == 7, 10, 20)", 7), 10);
  EXPECT_EQ(value("atan2(1, -1)"), 0.75 * std::numbers::pi);
  EXPECT_EQ(value("sign(t) + abs(t)", -3), 2);
  EXPECT_EQ(value("(-t)^3", 2), -8);
  EXPECT_EQ(value("if(t > 0, 1/t, 4)", 0), 4);  // the branch not taken may be infinite
}

TEST(Expression, StepIsLevelOutsideAndHalfwayInTheMiddle) {
  EXPECT_EQ(value("step(t, 1, 10, 3, 20)", 0), 10);
  EXPECT_EQ(value("step(t, 1, 10, 3, 20)", 2), 15);
  EXPECT_EQ(value("step(t, 1, 10, 3, 20)", 4), 20);
  EXPECT_EQ(value("step(t, 1, 10, 1, 20)", 1), 20);  // a jump
  for (const double end : {1 + 1e-9, 3 - 1e-9}) {    // u² and u remain of the derivatives
    const auto y = derivatives_of(parsed("step(t, 1, 10, 3, 20)"), end);
    EXPECT_NEAR(y[1], 0, 1e-6);
    EXPECT_NEAR(y[2], 0, 1e-6);
  }
}

TEST(Expression, DerivativesAreExact) {
  struct Case {
    const char* text;
    double (*f)(double), (*df)(double), (*ddf)(double);
  };
  using std::cos, std::cosh, std::exp, std::log, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  const double ln10 = std::numbers::ln10;
  static const double k = 1 / ln10;
  const Case cases[] = {
      {"0.5*sin(3*t)", [](double t) { return 0.5 * sin(3 * t); }, [](double t) { return 1.5 * cos(3 * t); },
       [](double t) { return -4.5 * sin(3 * t); }},
      {"t^3", [](double t) { return t * t * t; }, [](double t) { return 3 * t * t; }, [](double t) { return 6 * t; }},
      {"t^-2", [](double t) { return 1 / t / t; }, [](double t) { return -2 * pow(t, -3); },
       [](double t) { return 6 * pow(t, -4); }},
      {"t^2.5", [](double t) { return pow(t, 2.5); }, [](double t) { return 2.5 * pow(t, 1.5); },
       [](double t) { return 3.75 * sqrt(t); }},
      {"t^t", [](double t) { return pow(t, t); }, [](double t) { return pow(t, t) * (log(t) + 1); },
       [](double t) { return pow(t, t) * ((log(t) + 1) * (log(t) + 1) + 1 / t); }},
      {"2^t", [](double t) { return pow(2, t); }, [](double t) { return log(2) * pow(2, t); },
       [](double t) { return log(2) * log(2) * pow(2, t); }},
      {"exp(-t)*t", [](double t) { return exp(-t) * t; }, [](double t) { return exp(-t) * (1 - t); },
       [](double t) { return exp(-t) * (t - 2); }},
      {"log10(t)", [](double t) { return std::log10(t); }, [](double t) { return k / t; },
       [](double t) { return -k / t / t; }},
      {"sqrt(t)/t", [](double t) { return 1 / sqrt(t); }, [](double t) { return -0.5 * pow(t, -1.5); },
       [](double t) { return 0.75 * pow(t, -2.5); }},
      {"tanh(t) + sinh(t) - cosh(t)", [](double t) { return tanh(t) - exp(-t); },
       [](double t) { return 1 - tanh(t) * tanh(t) + exp(-t); },
       [](double t) { return -2 * tanh(t) * (1 - tanh(t) * tanh(t)) - exp(-t); }},
      {"atan2(t, 1) - atan(t)", [](double) { return 0.0; }, [](double) { return 0.0; }, [](double) { return 0.0; }},
      {"asin(t/2) + acos(t/2)", [](double) { return std::numbers::pi / 2; }, [](double) { return 0.0; },
       [](double) { return 0.0; }},
      {"abs(-t) + min(t, 9) + max(t, 9) + sign(t)", [](double t) { return 2 * t + 10; }, [](double) { return 2.0; },
       [](double) { return 0.0; }},
      {"step(t, 0, 0, 1, 1)", [](double t) { return t * t * t * (10 - 15 * t + 6 * t * t); },
       [](double t) { return 30 * t * t * (1 - t) * (1 - t); },
       [](double t) { return 60 * t * (1 - t) * (1 - 2 * t); }},
      {"if(t < 5, t*t, 0)", [](double t) { return t * t; }, [](double t) { return 2 * t; }, [](double) { return 2.0; }},
      {"tan(t)", [](double t) { return tan(t); }, [](double t) { return 1 + tan(t) * tan(t); },
       [](double t) { return 2 * tan(t) * (1 + tan(t) * tan(t)); }},
  };
  for (const auto& c : cases)
    for (const double t : {0.2, 0.5, 0.9}) {
      const auto y = derivatives_of(parsed(c.text), t);
      const double eps = 2e-14;  // a few roundings of numbers up to 4e3 (t^-4)
      EXPECT_NEAR(y[0], c.f(t), eps * (1 + std::abs(c.f(t)))) << c.text;
      EXPECT_NEAR(y[1], c.df(t), eps * (1 + std::abs(c.df(t)))) << c.text;
      EXPECT_NEAR(y[2], c.ddf(t), eps * (4 + std::abs(c.ddf(t)))) << c.text;
    }
}

TEST(Expression, WholePowersAreSmoothAtZero) {
  for (const auto* text : {"t^2", "t^3", "(t - 0)^2*1"}) {
    const auto y = derivatives_of(parsed(text), 0);
    EXPECT_EQ(y[1], 0) << text;
    EXPECT_TRUE(std::isfinite(y[2])) << text;
  }
  EXPECT_EQ(derivatives_of(parsed("t^2"), 0)[2], 2);
}

TEST(Expression, TheTracerSeesEveryBranch) {
  Tracing tracing;
  const std::vector<std::string> names{"x", "y", "z"};
  const std::array<Tracer, 3> xyz{tracing.variable(1, 0), tracing.variable(2, 1), tracing.variable(3, 2)};
  const auto set = [&](std::string_view text) {
    const Tracer value = parsed(text, names).evaluate(std::span<const Tracer>(xyz));
    const auto d = tracing.dependencies(value);
    return std::vector<int>(d.begin(), d.end());
  };
  EXPECT_EQ(set("if(x > 5, y, z)"), (std::vector<int>{1, 2}));
  EXPECT_EQ(set("min(x, y)"), (std::vector<int>{0, 1}));
  EXPECT_EQ(set("step(x, 5, 0, 6, 1)*z"), (std::vector<int>{0, 2}));
  EXPECT_EQ(set("x^y + 0*z"), (std::vector<int>{0, 1}));
}

TEST(Expression, ConstantsAreFoldedAndParametersKnown) {
  EXPECT_TRUE(parsed("2*pi*L + sin(0)", t_only, {{"L", 3}}).is_constant());
  EXPECT_EQ(parsed("2*3*L + 4^0.5", t_only, {{"L", 3}}).c99(t_only), "20.0");
  EXPECT_EQ(parsed("2*3*t + (1 + 1)").c99(t_only), "(6.0 * t) + 2.0");
  EXPECT_EQ(parsed("e", t_only, {{"e", 0.5}}).c99(t_only), "0.5");  // a parameter goes before the number e
}

double rubato_sign(double x) { return (x > 0) - (x < 0); }

TEST(Expression, PrintsC99ThatComputesTheSame) {
  const double t = 0.7;
// The text of the code, and the code itself compiled here.
#define PRINTS(text, code)                    \
  EXPECT_EQ(parsed(text).c99(t_only), #code); \
  EXPECT_DOUBLE_EQ(value(text, t), (code)) << text
  using std::atan2, std::cos, std::exp, std::fabs, std::fmax, std::fmin, std::pow, std::sin;
  PRINTS("0.5*sin(2*t)", 0.5 * sin(2.0 * t));
  PRINTS("t/(3 - t)/-t", (t / (3.0 - t)) / (-t));
  PRINTS("-t^2 + (1 + t)^0.5", (-pow(t, 2.0)) + pow(1.0 + t, 0.5));
  PRINTS("if(t < 1 && t >= 0, abs(t), -5)", ((t < 1.0) && (t >= 0.0)) ? fabs(t) : (-5.0));
  PRINTS("max(t, 1, exp(t)) - min(t, atan2(t, 2))", fmax(fmax(t, 1.0), exp(t)) - fmin(t, atan2(t, 2.0)));
  PRINTS("sign(t)*cos(t)^t", rubato_sign(t) * pow(cos(t), t));
#undef PRINTS
  EXPECT_EQ(parsed("step(t, 0, 1, 2, 3)").c99(t_only), "rubato_step(t, 0.0, 1.0, 2.0, 3.0)");
  EXPECT_NE(Expression::c99_helpers().find("rubato_step"), std::string_view::npos);
}

TEST(Expression, MistakesNameColumnAndRemedy) {
  EXPECT_EQ(mistake(""), "column 1: the expression ends; expected a number, a name or (");
  EXPECT_EQ(mistake("2*"), "column 3: the expression ends; expected a number, a name or (");
  EXPECT_EQ(mistake("2 mm"), "column 3: 'mm' stands here; expected an operator or the end");
  EXPECT_EQ(mistake("2t"), "column 1: '2t' is no number; products are written with *");
  EXPECT_EQ(mistake("(t + 1"), "column 7: the expression ends; expected an operator or )");
  EXPECT_EQ(mistake("t + 1)"), "column 6: ')' stands here; expected an operator or the end");
  EXPECT_EQ(mistake("t**2"), "column 2: '*' stands here; expected an operator; powers are written x^y");
  EXPECT_EQ(mistake("sin t"), "column 1: 'sin' is a function: sin(x)");
  EXPECT_EQ(mistake("t(2)"), "column 1: 't' is not a function; products are written with *");
  EXPECT_EQ(mistake("atan2(t)"),
            "column 1: 'atan2' with 1 value; it takes 2: atan2(y, x): the angle of the point (x, y)");
  EXPECT_EQ(mistake("max(t)"), "column 1: 'max' with 1 value; it takes at least 2: max(x, y, …)");
  EXPECT_EQ(mistake("1 < t < 2"),
            "column 7: '<' stands here; expected && or || between two comparisons, as in a < b && b < c");
  EXPECT_EQ(mistake("1e999"), "column 1: 1e999 is too large or too small");
  EXPECT_EQ(mistake("2·t"), "column 2: '·' stands here; expected an operator or the end");
  EXPECT_EQ(mistake("·"), "column 1: '·' stands here; expected a number, a name or (");
  EXPECT_EQ(mistake("1/0"), "'1/0' is inf; a finite number is needed");
  EXPECT_EQ(mistake("sqrt(-1)").find("'sqrt(-1)' is "), 0U);
  const std::string unknown = mistake("2*lenght", {{"length", 1}});
  EXPECT_EQ(unknown.find("column 3: unknown name 'lenght'; did you mean 'length'?; known: t, length, pi, e, sin"), 0U)
      << unknown;
}

TEST(Expression, DepthAndLengthAreBounded) {
  const auto repeated = [](std::string_view part, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += part;
    return text;
  };
  EXPECT_NE(mistake(repeated("(", 100000)).find("at most 8192"), std::string::npos);
  EXPECT_NE(mistake(repeated("(", 5000)).find("nested more than 100 deep"), std::string::npos);
  EXPECT_NE(mistake(repeated("-", 5000) + "t").find("nested more than 100 deep"), std::string::npos);
  EXPECT_NE(mistake(repeated("t^", 3000) + "t").find("nested"), std::string::npos);
  EXPECT_NE(mistake(repeated("t+(", 50) + "t" + repeated(")", 50)).find("more than 32 values"), std::string::npos);
  EXPECT_EQ(value(repeated("t+", 2000) + "t", 1), 2001);
  EXPECT_EQ(value(repeated("t+(", 30) + "t" + repeated(")", 30), 1), 31);
}

/// Random trees: the text read back gives the value of the tree, and no text of random tokens does harm.
struct Tree {
  std::string text;
  double value;
};
Tree random_tree(std::mt19937& random, int depth, double t) {
  const auto die = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) return die(2) == 0 ? Tree{"t", t} : Tree{std::to_string(die(9) + 1), 0};
  Tree a = random_tree(random, depth - 1, t);
  if (a.value == 0) a.value = std::stod(a.text);
  Tree b = random_tree(random, depth - 1, t);
  if (b.value == 0) b.value = std::stod(b.text);
  switch (die(7)) {
    case 0: return {"(" + a.text + " + " + b.text + ")", a.value + b.value};
    case 1: return {"(" + a.text + "*" + b.text + ")", a.value * b.value};
    case 2: return {"(" + a.text + "/(1 + abs(" + b.text + ")))", a.value / (1 + std::abs(b.value))};
    case 3: return {"sin(" + a.text + ")", std::sin(a.value)};
    case 4: return {"if(" + a.text + " < " + b.text + ", 2, " + b.text + ")", a.value < b.value ? 2 : b.value};
    case 5: return {"max(" + a.text + ", " + b.text + ")", std::max(a.value, b.value)};
    default: return {"atan2(" + a.text + ", 2)", std::atan2(a.value, 2)};
  }
}
TEST(Expression, RandomTreesHaveTheValueOfTheirText) {
  std::mt19937 random(1);
  for (int n = 0; n < 500; ++n) {
    const double t = 0.1 + 0.01 * n;
    const Tree tree = random_tree(random, 1 + n % 5, t);
    EXPECT_DOUBLE_EQ(value(tree.text, t), tree.value) << tree.text;
  }
}

TEST(Expression, RandomTokensAreReadOrRefused) {
  const char* const tokens[] = {"(",   ")",   "+",     "-",    "*",  "/",  "^",  ",",     "t",   "L",
                                "sin", "if(", "step(", "max(", "<",  "==", "&&", "1",     "2.5", "1e300",
                                "0",   ".",   "e",     "é",    "\0", "**", " ",  "min(t,"};
  std::mt19937 random(2);
  int accepted = 0;
  for (int n = 0; n < 10000; ++n) {
    std::string text;
    for (auto length = 1 + random() % 12; length > 0; --length) text += tokens[random() % std::size(tokens)];
    const auto result = Expression::parse(text, t_only, {{"L", 2}});
    if (!result) {
      EXPECT_FALSE(result.error().message.empty());
      continue;
    }
    ++accepted;
    const auto y = derivatives_of(*result, 0.3);
    const double t = 0.3, plain = result->evaluate(std::span<const double>(&t, 1));
    EXPECT_TRUE(y[0] == plain || std::abs(y[0] - plain) < 1e-9 * std::abs(plain) || std::isnan(plain)) << text;
    EXPECT_FALSE(result->c99(t_only).empty());
  }
  EXPECT_GT(accepted, 100);
}

TEST(Expression, EvaluationNeverAllocates) {
  const Expression f = parsed("step(t, 0, 1, 2, 3) + if(t > 1, t^2.5, atan2(t, 3)) + t^t");
  const double t = 0.7;
  const test::AllocationScope scope;
  double sum = f.evaluate(std::span<const double>(&t, 1));
  const Second x(First(0.7));
  sum += value_of(f.evaluate(std::span<const Second>(&x, 1)));
  EXPECT_EQ(scope.count(), 0);
  EXPECT_GT(sum, 0);
}

/// Where conditions on a·t + b and on waves change: what a step must not pass over.
TEST(ExpressionBreaks, AreFoundInTheText) {
  const double pi = std::numbers::pi, never = std::numeric_limits<double>::infinity();
  struct Case {
    const char* text;
    std::vector<double> breaks;  ///< all between 0 and 1
  };
  const Case cases[] = {
      {"t^2 + sin(t)", {}},
      {"if(t < 0.2, 1, 2)", {0.2}},
      {"(t >= 0.3) * (t < 0.3001)", {0.3, 0.3001}},
      {"(t > 0.25 && t < 0.75) * 4", {0.25, 0.75}},
      {"if(2 - 4*t > 0, t, 1)", {0.5}},
      {"step(t, 0.1, 0, 0.4, 1)", {0.1, 0.4}},
      {"step(2*t + c, 0.3, 0, 0.5, 1)", {0.1, 0.2}},
      {"abs(t - 0.5) + max(0, t/2 - 0.35) + sign(0.9 - t)", {0.5, 0.7, 0.9}},
      {"min(t, 1 - t, 0.25)", {0.5}},  // and where t² … : the third is compared with min(t, 1 - t), which is no line
      {"abs(sin(4*pi*t))", {0.25, 0.5, 0.75}},
      {"cos(2*pi*t) > 0.5", {1.0 / 6, 5.0 / 6}},
      {"sin(t) > 2", {}},
      {"exp(t) > 1.5", {}},
      {"if(t - 0.6, 1, 2)", {0.6}},
  };
  for (const Case& c : cases) {
    const auto f = Expression::parse(c.text, std::array{std::string("t")}, {{"c", 0.1}});
    ASSERT_TRUE(f.ok()) << c.text;
    double t = 1e-9;
    for (const double expected : c.breaks) {
      const double next = f->next_break(t);
      EXPECT_GT(next, t) << c.text;
      EXPECT_NEAR(next, expected, 4e-15) << c.text;
      t = next;
    }
    EXPECT_GE(f->next_break(t), 1 - 1e-9) << c.text << " after " << t;
  }
  // A break lies where the jump has happened, whatever rounding does to the comparison.
  for (const char* text : {"t < 0.2", "t <= 0.2", "3*t < 0.6", "0.6 >= 3*t", "t/7 < 0.2/7", "t - 0.2 <= 0"}) {
    const auto f = Expression::parse(text, std::array{std::string("t")});
    const double after = f->next_break(0), before = after - 4 * (std::nextafter(after, 1) - after);
    EXPECT_EQ(f->evaluate(std::span<const double>(&after, 1)), 0) << text;
    EXPECT_EQ(f->evaluate(std::span<const double>(&before, 1)), 1) << text;
    EXPECT_EQ(f->next_break(after), never) << text;
  }
  // Every zero of a wave once, for a long time.
  const auto wave = Expression::parse("sign(sin(100*pi*t + 1))", std::array{std::string("t")});
  double t = 0;
  for (int n = 0; n < 20000; ++n) {
    t = wave->next_break(t);
    ASSERT_NEAR(t, (pi * (n + 1) - 1) / (100 * pi), 1e-12) << n;
  }
  EXPECT_EQ(Expression::parse("sign(sin(1e300*t))", std::array{std::string("t")})->next_break(1), never);
}

}  // namespace
}  // namespace rubato
