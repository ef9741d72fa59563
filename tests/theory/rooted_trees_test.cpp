// Rooted trees, order conditions, B-series and backward analysis of the Runge-Kutta tables (checks A1, A2, A9).
#include "rubato/integrate/rooted_trees.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "rubato/integrate/runge_kutta_analysis.hpp"

namespace rubato {
namespace {

using F = RungeKuttaFamily;

// Cayley's numbers of rooted trees, and Σ α = (ρ − 1)! labellings altogether.
TEST(TreesOfRungeKutta, AreAllThereOnce) {
  const RootedTrees& trees = rooted_trees();
  const int cayley[] = {1, 1, 2, 4, 9, 20, 48, 115, 286, 719};
  long factorial = 1;
  for (int n = 1; n <= RootedTrees::max_order; ++n) {
    EXPECT_EQ(trees.end(n) - trees.begin(n), cayley[n - 1]);
    if (n > 1) factorial *= n - 1;
    long labellings = 0;
    for (int u = trees.begin(n); u < trees.end(n); ++u) labellings += trees[u].labellings;
    EXPECT_EQ(labellings, factorial);
  }
}

TEST(TreesOfRungeKutta, OrderFiveIsNumberedAsInTheLiterature) {
  const RootedTrees& trees = rooted_trees();
  const long alpha_gamma[9][2] = {{1, 120}, {1, 60}, {3, 40}, {1, 20}, {4, 30}, {3, 20}, {4, 15}, {6, 10}, {1, 5}};
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(trees[trees.begin(5) + i].labellings, alpha_gamma[i][0]);
    EXPECT_EQ(trees[trees.begin(5) + i].density, alpha_gamma[i][1]);
  }
  EXPECT_EQ(trees.text(trees.begin(5) + 2), "[[τ,[τ]]]");
  EXPECT_EQ(trees.text(trees.begin(5) + 5), "[[τ],[τ]]");
  const int tau = 0, cherry = trees.find({tau, tau});
  EXPECT_EQ(trees.product(cherry, tau), trees.find({tau, tau, tau}));
  EXPECT_EQ(trees.product(tau, cherry), trees.find({cherry}));
}

// A1. B(ξ), C(η), D(ζ) of every member, two-sided.
TEST(RungeKuttaOrder, SimplifyingAssumptions) {
  struct Claim {
    F family;
    int xi, eta, zeta;  // + 2s, + s, + s
  };
  for (const Claim& claim :
       {Claim{F::gauss, 0, 0, 0}, Claim{F::radau_ia, -1, -1, 0}, Claim{F::radau_iia, -1, 0, -1},
        Claim{F::lobatto_iiia, -2, 0, -2}, Claim{F::lobatto_iiib, -2, -2, 0}, Claim{F::lobatto_iiic, -2, -1, -1},
        Claim{F::lobatto_iiid, -2, -1, -1}, Claim{F::lobatto_iiic_star, -2, -1, -1}})
    for (int s = 2; s <= max_runge_kutta_stages; ++s) {
      const auto table = runge_kutta_table(claim.family, s);
      const SimplifyingOrders found = simplifying_orders(table);
      EXPECT_EQ(found.B, 2 * s + claim.xi) << table.name();
      EXPECT_EQ(found.C, s + claim.eta) << table.name();
      EXPECT_EQ(found.D, s + claim.zeta) << table.name();
      // What counts as fulfilled is rounding, what does not is far from it.
      for (int k = 1; k <= found.B; ++k) EXPECT_LT(b_residual(table, k), 1e-14) << table.name();
      for (int k = 1; k <= found.C; ++k) EXPECT_LT(c_residual(table, k), 1e-14) << table.name();
      for (int k = 1; k <= found.D; ++k) EXPECT_LT(d_residual(table, k), 1e-14) << table.name();
      EXPECT_GT(b_residual(table, found.B + 1), 1e-12) << table.name();
      EXPECT_GT(c_residual(table, found.C + 1), 1e-8) << table.name();
      EXPECT_GT(d_residual(table, found.D + 1), 1e-8) << table.name();
    }
}

// Radau IIA is stiffly accurate, not Radau IA, as a misprinted table has it.
TEST(RungeKuttaOrder, StiffAccuracy) {
  for (int s = 2; s <= max_runge_kutta_stages; ++s)
    for (const auto& info : runge_kutta_families()) {
      const bool claimed = info.family == F::radau_iia || info.family == F::lobatto_iiia ||
                           info.family == F::lobatto_iiic || info.family == F::lobatto_iiiac;
      EXPECT_EQ(runge_kutta_table(info.family, s, 0.37).stiffly_accurate(), claimed) << info.name << " " << s;
    }
  EXPECT_FALSE(runge_kutta_table(F::radau_ia, 3).stiffly_accurate());
}

// A2. All conditions of all trees: blends keep the order 2s − 2 of their members, neither less nor more.
TEST(RungeKuttaOrder, BlendsFulfilAllTreeConditions) {
  for (int s = 2; s <= 5; ++s)
    for (const auto& info : runge_kutta_families()) {
      if (!info.blended) continue;
      for (const double theta : {0.0, 0.37, 0.6, 1.0}) {
        const auto table = runge_kutta_table(info.family, s, theta);
        const Vector a = b_series(table.A, table.b, 2 * s - 1);
        for (int n = 1; n <= 2 * s - 2; ++n) EXPECT_LT(order_defect(a, n), 1e-11) << table.name() << " order " << n;
        EXPECT_GT(order_defect(a, 2 * s - 1), 1e-3) << table.name();
        const OrderFound found = classical_order(table);
        EXPECT_EQ(found.order, 2 * s - 2) << table.name();
        EXPECT_TRUE(found.by_trees);
      }
    }
}

// Beyond order 9 the theorem of B, C, D takes over; where both can speak they agree.
TEST(RungeKuttaOrder, OfManyStages) {
  for (int s = 2; s <= max_runge_kutta_stages; ++s)
    for (const auto& info : runge_kutta_families()) {
      const int order = info.family == F::gauss                                     ? 2 * s
                        : info.family == F::radau_ia || info.family == F::radau_iia ? 2 * s - 1
                                                                                    : 2 * s - 2;
      const OrderFound found = classical_order(runge_kutta_table(info.family, s, 0.37));
      EXPECT_EQ(found.order, order) << info.name << " " << s;
      EXPECT_EQ(found.by_trees, order < 10);
    }
}

// One wrong digit is seen.
TEST(RungeKuttaOrder, AWrongCoefficientIsNoticed) {
  auto table = runge_kutta_table(F::lobatto_iiidc, 4, 0.3);
  table.A(1, 2) += 1e-6;
  EXPECT_LT(classical_order(table).order, 6);
  EXPECT_LT(simplifying_orders(table).C, 3);
  auto symplectic = runge_kutta_table(F::lobatto_iiid, 3);
  symplectic.A(0, 1) += 1e-6;
  EXPECT_LT(symplectic_order(symplectic).order, 4);
}

// The first formulas of backward analysis: a(τ) = b, a([τ]) = b + b(τ)², a([τ,τ]) = b + 3/2 b([τ])b(τ) + b(τ)³,
// a([[τ]]) = b + 3 b([τ])b(τ) + b(τ)³ with arbitrary b.
TEST(BackwardAnalysis, FirstFormulas) {
  Vector b(4), a(4);
  b << 0.7, -1.3, 0.4, 2.1;
  a << b[0], b[1] + b[0] * b[0], 0, 0;
  const RootedTrees& trees = rooted_trees();
  const int cherry = trees.find({0, 0}), tall = trees.find({1});
  a[cherry] = b[cherry] + 1.5 * b[1] * b[0] + b[0] * b[0] * b[0];
  a[tall] = b[tall] + 3 * b[1] * b[0] + b[0] * b[0] * b[0];
  EXPECT_LT((backward_coefficients(a) - b).cwiseAbs().maxCoeff(), 1e-15);
}

// Explicit Euler: b([τ]) = −1, b([τ,τ]) = ½, b([[τ]]) = 2.
TEST(BackwardAnalysis, ExplicitEuler) {
  const Vector b = backward_coefficients(b_series(Matrix::Zero(1, 1), Vector::Ones(1), 3));
  const RootedTrees& trees = rooted_trees();
  EXPECT_NEAR(b[0], 1, 1e-15);
  EXPECT_NEAR(b[1], -1, 1e-15);
  EXPECT_NEAR(b[trees.find({0, 0})], 0.5, 1e-15);
  EXPECT_NEAR(b[trees.find({1})], 2, 1e-15);
}

/// One use of the Lie derivative, in the normalisation a/γ: (∂_b c)(u) = Σ over subtrees w of u with its root removed from u,
/// b(w) c(u \ w), and c(∅) b(u) (Hairer, Lubich, Wanner, lemma IX.9.1). Removing: one child or something below a child.
double cut_once(const Vector& b, const Vector& c, int u) {
  const RootedTrees& trees = rooted_trees();
  double sum = 0;
  const auto gamma = [&](int v) { return static_cast<double>(trees[v].density); };
  // All pairs (what remains of the tree, what was cut off), one cut each.
  const std::function<std::vector<std::pair<int, int>>(int)> cuts = [&](int v) {
    std::vector<std::pair<int, int>> all;
    for (std::size_t k = 0; k < trees[v].children.size(); ++k) {
      std::vector<int> rest = trees[v].children;
      const int child = rest[k];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      all.emplace_back(trees.find(rest), child);
      for (const auto& [remains, cut] : cuts(child)) {
        auto children = rest;
        children.push_back(remains);
        all.emplace_back(trees.find(children), cut);
      }
    }
    return all;
  };
  for (const auto& [remains, cut] : cuts(u)) sum += c[remains] / gamma(remains) * b[cut] / gamma(cut);
  return sum * gamma(u);
}

// A second way: the flow of the modified equation is a = Σ_j 1/j! ∂_b^{j−1} b.
TEST(BackwardAnalysis, AgreesWithLieDerivatives) {
  const auto table = runge_kutta_table(F::lobatto_iiic, 2);
  constexpr int order = 7;
  const Vector a = b_series(table.A, table.b, order), b = backward_coefficients(a);
  Vector term = b, flow = b;
  double factor = 1;
  for (int j = 2; j <= order; ++j) {
    Vector next(term.size());
    for (int u = 0; u < next.size(); ++u) next[u] = cut_once(b, term, u);
    term = next;
    factor /= j;
    flow += factor * term;
  }
  EXPECT_LT((flow - a).cwiseAbs().maxCoeff(), 1e-11 * a.cwiseAbs().maxCoeff());
}

// Order p: b(τ) = 1, b = 0 for 2 ≤ ρ ≤ p, b = a − 1 for ρ = p + 1.
TEST(BackwardAnalysis, OrderShowsInTheModifiedEquation) {
  const RootedTrees& trees = rooted_trees();
  for (const F family : {F::radau_iia, F::lobatto_iiic, F::lobatto_iiiac, F::lobatto_iiiabc}) {
    const auto table = runge_kutta_table(family, 3, 0.37);
    const int p = classical_order(table).order;
    const Vector a = b_series(table.A, table.b, p + 1), b = backward_coefficients(a);
    EXPECT_NEAR(b[0], 1, 1e-14);
    for (int u = 1; u < trees.end(p); ++u) EXPECT_NEAR(b[u], 0, 1e-12) << trees.text(u);
    for (int u = trees.begin(p + 1); u < trees.end(p + 1); ++u) EXPECT_NEAR(b[u], a[u] - 1, 1e-12) << trees.text(u);
  }
}

// A9. a(u₁ … u₉) of IIIDC for every θ.
TEST(BackwardAnalysis, CoefficientsOfOrderFive) {
  const double expected[9] = {5. / 4, 5. / 4, 5. / 6, 5. / 6, 15. / 16, 25. / 24, 15. / 16, 25. / 24, 25. / 24};
  for (const double theta : {0.0, 0.2, 0.37, 0.6, 1.0}) {
    const auto table = runge_kutta_table(F::lobatto_iiidc, 3, theta);
    const Vector a = b_series(table.A, table.b, 5);
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(a[rooted_trees().begin(5) + i], expected[i], 1e-13) << theta << " " << i;
  }
}

// A9. σ: p + 1 for IIIC, IIIABC, IIIDC; p for IIIA, IIIB, IIIAC, Radau; infinite for the symplectic ones.
TEST(BackwardAnalysis, SymplecticOrder) {
  const auto sigma = [](F family, double theta, int s = 3) {
    const SymplecticOrder found = symplectic_order(runge_kutta_table(family, s, theta));
    EXPECT_FALSE(found.lower_bound);
    return found.order;
  };
  for (const double theta : {0.2, 0.37, 0.8}) {
    EXPECT_EQ(sigma(F::lobatto_iiidc, theta), 5);
    EXPECT_EQ(sigma(F::lobatto_iiiabc, theta), 5);
    EXPECT_EQ(sigma(F::lobatto_iiiac, theta), 4);
    EXPECT_EQ(sigma(F::lobatto_iiiabd, theta), 0);  // infinite
    EXPECT_EQ(sigma(F::lobatto_iiidc, theta, 4), 7);
  }
  EXPECT_EQ(sigma(F::lobatto_iiic, 0), 5);
  EXPECT_EQ(sigma(F::lobatto_iiia, 0), 4);
  EXPECT_EQ(sigma(F::lobatto_iiib, 0), 4);
  EXPECT_EQ(sigma(F::lobatto_iiid, 0), 0);
  EXPECT_EQ(sigma(F::lobatto_iiiab, 0.5), 0);
  EXPECT_EQ(sigma(F::lobatto_iiiab, 0.4), 4);
  EXPECT_EQ(sigma(F::radau_iia, 0), 5);
  EXPECT_EQ(sigma(F::gauss, 0), 0);
}

// The modified equation is Hamiltonian exactly as far as the method is symplectic.
TEST(BackwardAnalysis, HamiltonianAsFarAsSymplectic) {
  const auto defects = [](F family, double theta, int n) {
    const auto table = runge_kutta_table(family, 3, theta);
    const Vector a = b_series(table.A, table.b, n);
    return std::pair(symplectic_defect(a, n), hamiltonian_defect(backward_coefficients(a), n));
  };
  for (int n = 2; n <= 8; ++n) {
    const auto [symplectic, hamiltonian] = defects(F::lobatto_iiid, 0, n);
    EXPECT_LT(symplectic, 1e-10);
    EXPECT_LT(hamiltonian, 1e-10);
    const auto [s5, h5] = defects(F::lobatto_iiidc, 0.37, n);
    EXPECT_EQ(s5 < 1e-10, n <= 5);
    EXPECT_EQ(h5 < 1e-10, n <= 5);
    const auto [s4, h4] = defects(F::lobatto_iiiac, 0.37, n);
    EXPECT_EQ(s4 < 1e-10, n <= 4);
    EXPECT_EQ(h4 < 1e-10, n <= 4);
  }
}

/// The pendulum H = p²/2 − cos q: f^{(m)}(v_1, …, v_m) and H^{(m)}(v_1, …, v_m), all in two components.
struct Pendulum {
  double q, p;
  using State = std::array<double, 2>;
  [[nodiscard]] double potential(int m) const {  // m-th derivative of −cos q
    const double values[4] = {-std::cos(q), std::sin(q), std::cos(q), -std::sin(q)};
    return values[m % 4];
  }
  [[nodiscard]] State F(int u) const {
    const auto& children = rooted_trees()[u].children;
    const int m = static_cast<int>(children.size());
    double product = 1, velocity = m == 0 ? p : 0;
    for (const int child : children) {
      const State v = F(child);
      product *= v[0];
      if (m == 1) velocity = v[1];
    }
    return {velocity, -potential(m + 1) * product};
  }
  [[nodiscard]] double H(int u) const {
    const auto& children = rooted_trees()[u].children;
    const int m = static_cast<int>(children.size());
    double position = 1, momentum = m == 0 ? p * p / 2 : m == 1 ? p : m == 2 ? 1 : 0;
    for (const int child : children) {
      const State v = F(child);
      position *= v[0];
      momentum *= v[1];
    }
    return potential(m) * position + momentum;
  }
};

// The modified Hamiltonian of the midpoint rule, up to h⁴, is kept to O(h⁶) although H itself moves by O(h²).
TEST(BackwardAnalysis, ModifiedHamiltonianIsKept) {
  const auto table = runge_kutta_table(F::gauss, 1);
  const Vector b = backward_coefficients(b_series(table.A, table.b, 6));
  const auto terms = modified_hamiltonian(b, 6);
  const RootedTrees& trees = rooted_trees();
  int counts[7]{};
  for (const auto& term : terms) ++counts[trees[term.tree].order];
  // Free trees without those of the form v∘v.
  EXPECT_EQ(counts[1], 1);
  EXPECT_EQ(counts[2], 0);
  EXPECT_EQ(counts[3], 1);
  EXPECT_EQ(counts[4], 1);
  EXPECT_EQ(counts[5], 3);
  EXPECT_EQ(counts[6], 4);
  const auto drift = [&](double h, int order) {
    Pendulum state{1.0, 0.3};
    const auto energy = [&] {
      double sum = 0;
      for (const auto& term : terms)
        if (trees[term.tree].order <= order)
          sum += term.coefficient * std::pow(h, trees[term.tree].order - 1) * state.H(term.tree);
      return sum;
    };
    const double start = energy();
    double worst = 0;
    for (int step = 0; step < static_cast<int>(std::lround(4 / h)); ++step) {
      double q = state.q, p = state.p;  // midpoint, by iteration
      for (int i = 0; i < 60; ++i) {
        const double q_next = state.q + h / 2 * p, p_next = state.p - h / 2 * std::sin(q);
        q = q_next;
        p = p_next;
      }
      state = {2 * q - state.q, 2 * p - state.p};
      worst = std::max(worst, std::abs(energy() - start));
    }
    return worst;
  };
  for (const int order : {1, 3, 5}) {
    const double slope = std::log2(drift(0.2, order) / drift(0.1, order));
    EXPECT_NEAR(slope, order + 1, 0.15) << order;
  }
}

}  // namespace
}  // namespace rubato
