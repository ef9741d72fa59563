#include "rubato/base/symbol.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rubato/base/dual.hpp"

namespace rubato {
namespace {

using Op = SymbolOp;

/// What needs no operation makes no node.
TEST(Symbol, FoldsWhatIsKnown) {
  Recording recording;
  const Symbol x = recording.variable(0), y = recording.variable(1), zero = 0, one = 1;
  const auto same = [](const Symbol& a, const Symbol& b) { return a.node == b.node && a.value == b.value; };
  EXPECT_TRUE(same(x + zero, x));
  EXPECT_TRUE(same(zero + x, x));
  EXPECT_TRUE(same(x - zero, x));
  EXPECT_TRUE(same(one * x, x));
  EXPECT_TRUE(same(x * one, x));
  EXPECT_TRUE(same(x / one, x));
  EXPECT_TRUE(same(-(-x), x));
  EXPECT_TRUE(same(x * zero, zero));
  EXPECT_TRUE(same(zero / x, zero));
  EXPECT_TRUE(same(x - x, zero));
  EXPECT_TRUE(same(Symbol(2) * Symbol(3) + 4, 10));
  EXPECT_TRUE(same(sqrt(Symbol(16)), 4));
  EXPECT_TRUE(same(zero - x, -x));
  EXPECT_TRUE(same(x + (-y), x - y));
  EXPECT_TRUE(same(x - (-y), x + y));
  EXPECT_TRUE(same((-x) - y, -(x + y)));
  EXPECT_TRUE(same(-(x - y), y - x));
  EXPECT_TRUE(same((-x) * (-y), x * y));
  EXPECT_TRUE(same(2.0 * (4.0 * x), 8.0 * x));
  EXPECT_TRUE(same(x / 4.0, 0.25 * x));
  EXPECT_TRUE(same(frozen(Symbol(3)), 3));
  EXPECT_FALSE(recording.branched());
}

/// The same operation on the same operands is one node, in either order where that does not matter.
TEST(Symbol, MakesEveryOperationOnce) {
  Recording recording;
  const Symbol x = recording.variable(0), y = recording.variable(1);
  const Symbol f = sin(x * y) + cos(y * x), before = f;
  const int size = recording.graph().size();
  EXPECT_EQ((sin(y * x) + cos(x * y)).node, before.node);
  EXPECT_EQ(recording.graph().size(), size);
  EXPECT_NE((x - y).node, (y - x).node);
  EXPECT_NE((x / y).node, (y / x).node);
  const int roots[] = {f.node};
  const SymbolCount count = count_operations(recording.graph(), roots);
  EXPECT_EQ(count.all(), 4);  // x y, sin, cos, +
}

/// There is no answer to x < y; constants have one.
TEST(Symbol, NotesBranches) {
  Recording recording;
  const Symbol x = recording.variable(0);
  EXPECT_TRUE(Symbol(1) < Symbol(2));
  EXPECT_FALSE(Symbol(1) == Symbol(2));
  EXPECT_FALSE(recording.branched());
  EXPECT_FALSE(x < 1.0);
  EXPECT_TRUE(recording.branched());
}

/// A random expression over any scalar: the same seed, the same expression.
template <class S>
std::vector<S> random_functions(unsigned seed, std::span<const S> x) {
  using std::abs, std::atan, std::atan2, std::cos, std::exp, std::hypot, std::log, std::pow, std::sin, std::sqrt,
      std::tanh;
  std::mt19937 random(seed);
  std::vector<S> values(x.begin(), x.end());
  const auto any = [&]() -> const S& { return values[random() % values.size()]; };
  for (int k = 0; k < 40; ++k) {
    const S a = any(), b = any();
    switch (random() % 16) {
      case 0: values.push_back(a + b); break;
      case 1: values.push_back(a - b); break;
      case 2:
      case 3: values.push_back(S(0.5 * a) * b); break;
      case 4: values.push_back(a / (2.0 + b * b)); break;
      case 5: values.push_back(sin(a)); break;
      case 6: values.push_back(cos(a) - 0.3); break;
      case 7: values.push_back(tanh(a)); break;
      case 8: values.push_back(exp(S(-(a * a)))); break;
      case 9: values.push_back(sqrt(S(1.0 + a * a))); break;
      case 10: values.push_back(log(S(1.5 + b * b))); break;
      case 11: values.push_back(abs(a)); break;
      case 12: values.push_back(hypot(S(a + 3.0), b)); break;
      case 13: values.push_back(atan2(a, S(b * b + 1.0))); break;
      case 14: values.push_back(pow(S(a * a + 1.0), 1.5)); break;
      default: values.push_back(-atan(a)); break;
    }
  }
  return {values.end() - 6, values.end()};
}

/// Values are those of double, derivatives those of dual numbers, whatever the order of elimination: each adds up the same terms, a few
/// dozen roundings at the most.
TEST(Symbol, DifferentiatesAsDualNumbersDo) {
  constexpr int n = 4;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1.5, 1.5);
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::vector<double> point(n);
    for (double& value : point) value = number(random);
    std::vector<Dual<double, n>> duals(point.begin(), point.end());
    for (int i = 0; i < n; ++i) duals[i].d[i] = 1;
    const auto values = random_functions<double>(seed, point);
    const auto expected = random_functions<Dual<double, n>>(seed, duals);

    Recording recording;
    std::vector<Symbol> x;
    for (int i = 0; i < n; ++i) x.push_back(recording.variable(i));
    const auto f = random_functions<Symbol>(seed, x);
    ASSERT_FALSE(recording.branched());
    std::vector<Partial> wanted;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < n; ++j) wanted.push_back({i, j});
    for (const auto order : {EliminationOrder::forward, EliminationOrder::reverse, EliminationOrder::fewest}) {
      auto all = partial_derivatives(recording, f, x, wanted, order);
      all.insert(all.end(), f.begin(), f.end());
      std::vector<int> roots;
      for (const Symbol& symbol : all) roots.push_back(recording.node(symbol));
      const SymbolGraph graph = thawed(recording.graph(), roots);
      const auto numbers = graph.evaluate(point);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const double exact = expected[wanted[k].output].d[wanted[k].variable];
        EXPECT_NEAR(numbers[roots[k]], exact, 1e-12 * (1 + std::abs(exact))) << seed << ' ' << k;
      }
      for (std::size_t i = 0; i < 6; ++i)
        EXPECT_NEAR(numbers[roots[wanted.size() + i]], values[i], 1e-13 * (1 + std::abs(values[i]))) << seed;
    }
  }
}

/// n variables, a chain of operations on their sum, m outputs. Forward carries n derivatives along the chain, reverse m, and the order of
/// fewest products first makes one number of the chain.
TEST(Symbol, TheOrderOfEliminationDecidesOnTheCost) {
  const auto cost = [](int n, int m, EliminationOrder order) {
    Recording recording;
    std::vector<Symbol> x, f;
    std::vector<Partial> wanted;
    Symbol middle = 0;
    for (int i = 0; i < n; ++i) {
      x.push_back(recording.variable(i));
      middle += exp(x.back());
    }
    for (int k = 0; k < 8; ++k) middle = sin(middle);
    for (int i = 0; i < m; ++i) {
      f.push_back(sin(middle * (2.0 + i)));
      for (int j = 0; j < n; ++j) wanted.push_back({i, j});
    }
    std::vector<int> roots;
    for (const Symbol& partial : partial_derivatives(recording, f, x, wanted, order))
      roots.push_back(recording.node(partial));
    return count_operations(recording.graph(), roots).multiplications;
  };
  EXPECT_LT(cost(3, 9, EliminationOrder::forward), cost(3, 9, EliminationOrder::reverse));
  EXPECT_LT(cost(9, 3, EliminationOrder::reverse), cost(9, 3, EliminationOrder::forward));
  for (const auto order : {EliminationOrder::forward, EliminationOrder::reverse}) {
    EXPECT_LT(cost(3, 9, EliminationOrder::fewest), cost(3, 9, order));
    EXPECT_LT(cost(9, 3, EliminationOrder::fewest), cost(9, 3, order));
  }
}

/// frozen(x) counts with its value and not with its derivative, and is gone from what is computed.
TEST(Symbol, FrozenSymbolsHaveNoDerivative) {
  Recording recording;
  const Symbol x[] = {recording.variable(0)};
  const Symbol f[] = {frozen(sin(x[0])) * sin(x[0])};
  const Partial wanted[] = {{0, 0}};
  const Symbol slope = partial_derivatives(recording, f, x, wanted, EliminationOrder::fewest)[0];
  int roots[] = {f[0].node, slope.node};
  const SymbolGraph graph = thawed(recording.graph(), roots);
  const double point[] = {0.7};
  const auto values = graph.evaluate(point);
  EXPECT_DOUBLE_EQ(values[roots[0]], std::sin(0.7) * std::sin(0.7));
  EXPECT_DOUBLE_EQ(values[roots[1]], std::sin(0.7) * std::cos(0.7));
  EXPECT_EQ(count_operations(graph, roots).all(), 4);  // sin, cos, two products
}

}  // namespace
}  // namespace rubato
