// Auxiliary states that relax each on its own: their tangents reach the Jacobian of every form that uses them, they leave the
// matrix that is factorised, and equilibria are those after all time.
#include <gtest/gtest.h>

#include "rubato/linalg/step_matrix.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/derivative_check.hpp"
#include "rubato/problem/linearisation.hpp"
#include "unit/problem/models.hpp"

namespace rubato {
namespace {

using models::vec;

/// Two masses on springs s_i = q_i + q_i³ (and one between them); z_i follows s_i and takes g (1 + q₂) of it off again. A third
/// coordinate hangs on the constraint q₃ = q₁². Tangents by hand; the mistakes are for the tests.
struct Relaxing {
  static constexpr bool constant_mass = true;
  double load = 2, g = 0.4;
  std::array<double, 2> tau = {0.5, 3};
  double r_z_factor = 1, e_q_factor = 1, e_z_factor = 1;
  bool local = true;

  MechanicalSizes sizes() const { return {.q = 3, .v = 3, .z = 2, .lambda = 1}; }
  bool z_is_local() const { return local; }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < 3; ++i) out[i] = 2.0 * a[i];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    const auto& q = p.q;
    f[0] = load - q[0] - q[0] * q[0] * q[0] - 0.3 * (q[0] - q[1]) + g * (1.0 + q[1]) * p.z[0];
    f[1] = -q[1] - q[1] * q[1] * q[1] + 0.3 * (q[0] - q[1]) + g * (1.0 + q[1]) * p.z[1];
    f[2] = S(-1.0);
  }
  template <class S>
  void auxiliary(const MechanicalPoint<S>& p, std::span<S> e) const {
    for (std::size_t i = 0; i < 2; ++i) e[i] = (p.q[i] + p.q[i] * p.q[i] * p.q[i] - p.z[i]) / tau[i];
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> c) const {
    c[0] = p.q[2] - p.q[0] * p.q[0];
  }
  ModelJacobian tangent_kind() const { return ModelJacobian::exact; }
  ResidualTangentPatterns tangent_patterns() const {
    return {.K = SparsePattern::from_entries(3, 3, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
            .D = SparsePattern::from_entries(3, 3, {}),
            .r_lambda = SparsePattern::from_entries(3, 1, {{0, 0}, {2, 0}}),
            .g_q = SparsePattern::from_entries(1, 3, {{0, 0}, {0, 2}}),
            .g_lambda = SparsePattern::from_entries(1, 1, {}),
            .r_z = SparsePattern::from_entries(3, 2, {{0, 0}, {1, 1}}),
            .e_q = SparsePattern::from_entries(2, 3, {{0, 0}, {1, 1}}),
            .e_z = SparsePattern::identity(2)};
  }
  void tangents(const MechanicalPoint<double>& p, In, const ResidualTangents& out) const {
    const auto& q = p.q;
    out.K[0] = 1.3 + 3 * q[0] * q[0] - 2 * p.lambda[0];  // by columns
    out.K[1] = -0.3;
    out.K[2] = -0.3 - g * p.z[0];
    out.K[3] = 1.3 + 3 * q[1] * q[1] - g * p.z[1];
    out.r_lambda[0] = out.g_q[0] = -2 * q[0];
    out.r_lambda[1] = out.g_q[1] = 1;
    if (out.r_z.empty()) return;
    for (std::size_t i = 0; i < 2; ++i) {
      out.r_z[i] = -g * (1 + q[1]) * r_z_factor;
      out.e_q[i] = (1 + 3 * q[i] * q[i]) / tau[i] * e_q_factor;
      out.e_z[i] = -1 / tau[i] * e_z_factor;
    }
  }
};

MechanicalState somewhere() {
  return {.q = vec({0.5, 0.3, 0.25}), .v = vec({0.1, 0.2, 0.1}), .z = vec({0.4, 0.2}), .lambda = vec({0.7})};
}

std::string first_mistake(const Relaxing& model) {
  const auto report = check_derivatives(*make_mechanical(model), somewhere());
  if (!report.ok()) return report.error().message;
  return report->wrong.empty() ? "" : report->wrong.front().what;
}

TEST(Relaxing, TangentsAreComparedWithDifferences) {
  EXPECT_EQ(first_mistake({}), "");
  EXPECT_EQ(first_mistake({.r_z_factor = 1.01}), "r_z");
  EXPECT_EQ(first_mistake({.e_q_factor = 1.01}), "e_q");
  EXPECT_EQ(first_mistake({.e_z_factor = 1.01}), "e_z");
}

/// The Jacobian put together from tangents is that of dual numbers; the z never reach the factorisation, and the solution is the
/// one without elimination.
TEST(Relaxing, StatesAreEliminatedBeforeFactorisation) {
  const auto system = make_mechanical(Relaxing{});
  for (const Level level : {Level::index_3, Level::quasi_static}) {
    const auto dae = formulate(system, {.level = level}).value();
    const int n = dae->size();
    ASSERT_EQ(dae->model_jacobian(), ModelJacobian::exact);
    EXPECT_EQ(n, level == Level::quasi_static ? 6 : 9);
    Vector x, w;
    MechanicalState state = somewhere();
    state.a = vec({0.3, -0.2, 0.1});
    dae->pack(state, x, w, {});
    ScratchMemory memory(dae->scratch_bytes());
    const At at{.t = 0, .x = view(x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()};
    Vector f0(n);
    ASSERT_EQ(dae->f(at, view(f0)), EvalStatus::ok);
    Matrix jacobians[2];
    for (const auto source : {JacobianSource::model, JacobianSource::dual}) {
      const auto linear = Linearisation::create(*dae, at, source).value();
      ASSERT_EQ(linear->update(at, view(w), view(f0)), EvalStatus::ok);
      const SparsePattern& pattern = linear->jacobian_pattern();
      Matrix& j = jacobians[source == JacobianSource::model ? 0 : 1];
      j = Matrix::Zero(n, n);
      for (int col = 0, p = 0; col < n; ++col)
        for (const int row : pattern.column(col)) j(row, col) = linear->jacobian()[static_cast<std::size_t>(p++)];
      if (source != JacobianSource::model) continue;

      Vector solutions[2];
      for (const bool condense : {false, true}) {
        std::vector<PivotPosition> local;
        for (const auto& unknown : dae->layout().local_unknowns()) local.push_back({unknown.row, unknown.col});
        StepMatrix matrix(linear->mass_pattern(), pattern, local, {.condense = condense});
        if (condense) {
          EXPECT_EQ(matrix.condensed_size(), 4) << "three positions and a multiplier";
        }
        matrix.linearise(linear->mass(), linear->jacobian());
        ASSERT_EQ(matrix.factor(7.0), FactorStatus::ok);
        Vector& solution = solutions[condense ? 1 : 0];
        solution = Vector::LinSpaced(n, 1, 2);
        matrix.solve(view(std::as_const(solution)), view(solution));
      }
      EXPECT_LT((solutions[0] - solutions[1]).norm(), 1e-13 * solutions[0].norm());
    }
    EXPECT_LT((jacobians[0] - jacobians[1]).cwiseAbs().maxCoeff(), 1e-14) << name_of({.level = level});
  }
}

/// At rest z is what it follows, and the spring between has kept its stiffness: eliminated or not, the same state.
TEST(Relaxing, EquilibriaAreThoseAfterAllTime) {
  std::vector<MechanicalState> found;
  for (const bool local : {false, true}) {
    Relaxing model;
    model.local = local;
    const auto s = static_equilibrium(*make_mechanical(model), {.q = vec({0, 0, 0}), .v = vec({0, 0, 0})});
    ASSERT_TRUE(s.ok()) << s.error().message;
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(s->z[i], s->q[i] + s->q[i] * s->q[i] * s->q[i], 1e-12);
    EXPECT_NEAR(s->lambda[0], -1, 1e-12);
    found.push_back(*s);
  }
  EXPECT_LT((found[0].q - found[1].q).norm(), 1e-12);
  const Vector& q = found[0].q;
  const double spring = q[0] + q[0] * q[0] * q[0];
  EXPECT_NEAR(2 - spring * (1 - 0.4 * (1 + q[1])) - 0.3 * (q[0] - q[1]) - 2 * q[0], 0, 1e-11);
}

}  // namespace
}  // namespace rubato
