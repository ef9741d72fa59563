// The checker finds a planted mistake by name, and nothing where there is nothing to find.
#include "rubato/problem/derivative_check.hpp"

#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "rubato/problem/template_dae.hpp"
#include "unit/problem/models.hpp"

namespace rubato {
namespace {

using models::vec;

std::string first(const Result<DerivativeReport>& report) {
  if (!report) return report.error().message;
  if (report->wrong.empty()) return describe(*report);
  const auto& e = report->wrong.front();
  return e.what + "(" + e.row_name + ", " + e.col_name + ")" + (e.missing_in_pattern ? " missing" : "");
}

/// A reaction network with a Jacobian by hand; concentrations of any size s (x = s ξ keeps the equations alike).
/// 0: u' = −k u w/s + sin t, 1: w' = k u w/s − w, 2: 0 = u + w + exp(p/s) s − 4 s.
class Network final : public Dae {
 public:
  enum Mistake { none, wrong_value, missing_entry, not_finite, small_error };
  Network(double scale, Mistake mistake, bool approximate = false)
      : Dae({{.name = "c", .size = 2, .components = {"u", "w"}}, {.name = "p", .size = 1, .kind = Kind::algebraic}}),
        s_(scale),
        mistake_(mistake),
        approximate_(approximate) {}
  EvalStatus f(const At& at, Out out) const noexcept override {
    const double u = at.x[0], w = at.x[1], p = at.x[2];
    out[0] = -3 * u * w / s_ + s_ * std::sin(at.t);
    out[1] = 3 * u * w / s_ - w;
    out[2] = u + w + std::exp(p / s_) * s_ - 4 * s_;
    return EvalStatus::ok;
  }
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    out[0] = w[0];
    out[1] = w[1];
    out[2] = 0;
    return EvalStatus::ok;
  }
  ModelJacobian model_jacobian() const noexcept override {
    return approximate_ ? ModelJacobian::approximate : ModelJacobian::exact;
  }
  SparsePattern jacobian_pattern() const override {
    std::vector<Entry> entries = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}};
    if (mistake_ == missing_entry) entries.erase(entries.begin() + 2);
    return SparsePattern::from_entries(3, 3, entries);
  }
  EvalStatus jacobian(const At& at, In, Out values) const noexcept override {
    const double u = at.x[0], w = at.x[1], p = at.x[2];
    const double j[3][3] = {{-3 * w / s_, -3 * u / s_, 0}, {3 * w / s_, 3 * u / s_ - 1, 0}, {1, 1, std::exp(p / s_)}};
    const SparsePattern pattern = jacobian_pattern();
    for (int c = 0, k = 0; c < 3; ++c)
      for (const int r : pattern.column(c)) {
        double value = j[r][c];
        if (r == 1 && c == 1 && mistake_ == wrong_value) value = 3 * u / s_ + 1;
        if (r == 1 && c == 1 && mistake_ == small_error) value *= 1 + 1e-5;
        if (r == 2 && c == 2 && mistake_ == not_finite) value = std::nan("");
        values[static_cast<std::size_t>(k++)] = value;
      }
    return EvalStatus::ok;
  }

 private:
  double s_;
  Mistake mistake_;
  bool approximate_;
};

InitialValueProblem network(double scale, Network::Mistake mistake, bool approximate = false) {
  return {
      .dae = std::make_shared<Network>(scale, mistake, approximate), .t_start = 0.3, .x = scale * vec({1, 0.5, 0.7})};
}

TEST(DerivativeCheck, PassesACorrectJacobianOfAnyScale) {
  for (const double scale : {1.0, 1e-9, 1e9}) {
    const auto report = check_derivatives(network(scale, Network::none));
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_TRUE(report->ok) << describe(*report);
    EXPECT_LT(report->worst, 1e-7);
    EXPECT_EQ(report->points, 3);
    EXPECT_EQ(report->unresolved, 0) << scale;
  }
}

TEST(DerivativeCheck, NamesTheWrongEntryAtAnyScale) {
  for (const double scale : {1.0, 1e-9, 1e9}) {
    EXPECT_EQ(first(check_derivatives(network(scale, Network::missing_entry))), "J(w, u) missing");
    EXPECT_EQ(first(check_derivatives(network(scale, Network::small_error))), "J(w, w)");
    EXPECT_EQ(first(check_derivatives(network(scale, Network::not_finite))), "J(p, p)");
    const auto report = check_derivatives(network(scale, Network::wrong_value));
    ASSERT_TRUE(report.ok());
    EXPECT_FALSE(report->ok);
    ASSERT_EQ(report->wrong.size(), 1u) << describe(*report);
    EXPECT_EQ(first(report), "J(w, w)");
    EXPECT_NEAR(report->wrong[0].given, 4, 1e-12);
    EXPECT_NEAR(report->wrong[0].expected, 2, 1e-7);
  }
  EXPECT_EQ(describe(*check_derivatives(network(1, Network::wrong_value), {.points = 1})),
            "1 of 10 entries deviate from differences:\n  J, row w, column w: 4 given, 2 expected");
  EXPECT_EQ(
      describe(*check_derivatives(network(1, Network::missing_entry), {.points = 1})),
      "1 of 10 entries deviate from differences:\n  J, row w, column u: missing in the pattern, differences say 1.5");
}

TEST(DerivativeCheck, AllowsADeclaredApproximationButNotAMissingEntry) {
  const auto report = check_derivatives(network(1, Network::wrong_value, true));
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->ok);
  EXPECT_TRUE(report->approximate);
  EXPECT_EQ(report->wrong.size(), 1u);
  EXPECT_FALSE(check_derivatives(network(1, Network::missing_entry, true))->ok);
}

/// Unknowns and equations of very different sizes, hidden cancellation, a kink at the start, and an input.
struct Badly {
  int n_inputs() const { return 1; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::abs, std::exp, std::sin, std::sqrt;
    const S &tiny = at.x[0], &huge = at.x[1], &kinked = at.x[2];
    out[0] = 1e-9 * sin(1e9 * tiny) + 1e-18 * huge + at.u[0] * at.u[0] * 1e-9;
    out[1] = sqrt(huge) * exp(1e9 * tiny) + 1e9 * abs(kinked) + 1e6 * sin(300.0 * at.t);
    out[2] = (1e6 + kinked) - 1e6 + 1e-9 * huge;
  }
};

TEST(DerivativeCheck, DealsWithBadScalesKinksAndInputs) {
  const auto ramp = TableSignal::create({0, 1}, {1, 4});
  InitialValueProblem problem{
      .dae =
          make_dae(Badly{}, {{.name = "tiny", .size = 1}, {.name = "huge", .size = 1}, {.name = "kinked", .size = 1}}),
      .input = *ramp,
      .x = vec({1.3e-9, 2e9, 0})};
  for (const auto source : {JacobianSource::automatic, JacobianSource::differences}) {
    const auto report = check_derivatives(problem, {.source = source});
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_TRUE(report->ok) << describe(*report);
  }
}

/// Declared autonomous, constant and linear, but none of it; and B has an entry in an algebraic row.
struct Liar {
  static constexpr bool autonomous = true, constant_mass = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = at.t * at.x[0];
    out[1] = at.x[0] - at.x[1];
  }
  template <class S>
  void mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const {
    out[0] = at.x[0] * w[0] + w[0] * w[0];
    out[1] = 1e-3 * w[0];
  }
};

TEST(DerivativeCheck, SeesThroughDeclarations) {
  const InitialValueProblem problem{
      .dae = make_dae(Liar{}, {{.name = "x", .size = 1}, {.name = "y", .size = 1, .kind = Kind::algebraic}}),
      .t_start = 0.5,
      .x = vec({2, 2})};
  const auto report = check_derivatives(problem);
  ASSERT_TRUE(report.ok()) << report.error().message;
  std::vector<std::string> found;
  for (const auto& e : report->wrong) found.push_back(e.what + "(" + e.row_name + ", " + e.col_name + ")");
  const auto has = [&](const char* what) { return std::find(found.begin(), found.end(), what) != found.end(); };
  EXPECT_TRUE(has("df/dt of a model declared autonomous(x, t)"));
  EXPECT_TRUE(has("B declared constant(x, x)"));
  EXPECT_TRUE(has("B of an algebraic row(y, x)"));
  EXPECT_TRUE(has("B w linear in w(x, w)"));
}

/// A pendulum with its constraint force and tangents by hand; the mistakes are the usual ones.
struct HandMade : models::Pendulum {
  double factor = 2;     // ∂(x² + y²) = 2 x: forgetting the 2 is the classic
  double stiffness = 2;  // K = ∂(Gᵀλ)/∂q = 2 λ I
  template <class S>
  void reaction(const MechanicalPoint<S>& p, std::span<const S> lambda, std::span<const S>, std::span<S> out) const {
    out[0] = 2.0 * p.q[0] * lambda[0];
    out[1] = factor * p.q[1] * lambda[0];
  }
  ModelJacobian tangent_kind() const { return ModelJacobian::exact; }
  ResidualTangentPatterns tangent_patterns() const {
    return {.K = SparsePattern::identity(2),
            .D = SparsePattern::from_entries(2, 2, {}),
            .r_lambda = SparsePattern::dense(2, 1),
            .g_q = SparsePattern::dense(1, 2),
            .g_lambda = SparsePattern::from_entries(1, 1, {})};
  }
  void tangents(const MechanicalPoint<double>& p, In, const ResidualTangents& out) const {
    out.K[0] = 2 * p.lambda[0];
    out.K[1] = stiffness * p.lambda[0];
    for (std::size_t i = 0; i < 2; ++i) out.r_lambda[i] = out.g_q[i] = 2 * p.q[i];
  }
};

TEST(DerivativeCheck, FindsMistakesInConstraintForcesAndTangents) {
  const MechanicalState state{.q = vec({0.6, -0.8}), .v = vec({0, 0})};
  const auto good = check_derivatives(*make_mechanical(HandMade{}), state);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(good->ok) << describe(*good);
  EXPECT_EQ(good->unresolved, 0);
  HandMade forgot, stiff;
  forgot.factor = 1;
  stiff.stiffness = 3;
  EXPECT_EQ(first(check_derivatives(*make_mechanical(forgot), state)), "G(lambda[0], q[1])");
  EXPECT_EQ(first(check_derivatives(*make_mechanical(stiff), state)), "K(v[1], q[1])");

  // Seen through a formulation as well.
  const auto dae = formulate(make_mechanical(forgot), {.level = Level::index_2});
  ASSERT_TRUE(dae.ok());
  InitialValueProblem problem{.dae = *dae, .x = Vector::Zero((*dae)->size())};
  problem.x.head(2) = state.q;
  const auto report = check_derivatives(problem);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->ok);
  EXPECT_EQ(first(report), "G(lambda[0], q[1])");
}

TEST(DerivativeCheck, ChartsAndRollingPass) {
  const auto top = check_derivatives(
      *make_mechanical(models::HeavyTop{}),
      {.q = vec({0, 1, 0, 0.1, 0.2, -0.1}), .v = vec({1, 2, 3, 4, 5, 6}), .base = vec({1, 0, 0, 0, 1, 0, 0, 0, 1})});
  ASSERT_TRUE(top.ok());
  EXPECT_TRUE(top->ok) << describe(*top);
  const auto disc =
      check_derivatives(*make_mechanical(models::RollingDisc{}), {.q = vec({0, 0, 0.4, 0}), .v = vec({0, 0, 1.5, 2})});
  ASSERT_TRUE(disc.ok());
  EXPECT_TRUE(disc->ok) << describe(*disc);
}

// Every catalogue problem, as shipped.
TEST(DerivativeCheck, TheCatalogueIsRight) {
  for (const auto& entry : catalogue::problems()) {
    if (entry.large) continue;
    const auto instance = catalogue::make_problem(entry.name);
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    const auto report = check_derivatives(instance->problem);
    ASSERT_TRUE(report.ok()) << entry.name << ": " << report.error().message;
    EXPECT_TRUE(report->ok) << entry.name << ": " << describe(*report);
    if (!report->approximate) {
      EXPECT_LT(report->worst, 1e-6) << entry.name;
    }
  }
}

}  // namespace
}  // namespace rubato
