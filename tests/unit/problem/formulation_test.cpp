// Every formulation says the same about one motion, and its Jacobian is the derivative of what it says.
#include "rubato/problem/formulation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rubato/problem/linearisation.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato {
namespace {

/// A small system that has everything: state dependent mass, a rheonomic constraint, a rolling constraint, a bristle,
/// an input, forces that depend on all of them.
struct Everything {
  MechanicalSizes sizes() const { return {.q = 4, .v = 4, .z = 1, .lambda = 1, .nu = 1, .u = 1}; }
  template <class S>
  void inertia(const MechanicalPoint<S>& p, std::span<const S> a, std::span<S> out) const {
    using std::cos;
    const S coupling = 0.3 * cos(p.q[0] - p.q[1]);
    out[0] = 2.0 * a[0] + coupling * a[1];
    out[1] = coupling * a[0] + (1.5 + 0.1 * p.q[2] * p.q[2]) * a[1];
    out[2] = 1.2 * a[2];
    out[3] = (1.0 + 0.2 * p.q[0] * p.q[0]) * a[3];
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::sin;
    f[0] = -3.0 * p.q[0] - 0.4 * p.v[0] + p.u[0];
    f[1] = -sin(p.q[1]) + 0.2 * p.v[0] * p.v[3] + 0.1 * p.t;
    f[2] = -5.0 * p.z[0] - p.q[2] * p.q[2] * p.q[2];
    f[3] = -p.q[3] * p.q[0] - 0.1 * p.v[3];
  }
  template <class S>
  void auxiliary(const MechanicalPoint<S>& p, std::span<S> e) const {
    e[0] = p.v[2] - 0.7 * p.z[0] * p.v[0];
  }
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    using std::sin;
    g[0] = p.q[0] * p.q[0] + p.q[1] * p.q[2] - 1.0 - 0.1 * sin(p.t);
  }
  template <class S>
  void rolling(const MechanicalPoint<S>& p, std::span<S> r) const {
    using std::cos;
    r[0] = cos(p.q[0]) * p.v[3] - p.q[1] * p.v[2] + 0.05 * p.t;
  }
};

/// Dense copy of values on a pattern.
Matrix dense(const SparsePattern& pattern, In values) {
  Matrix m = Matrix::Zero(pattern.rows(), pattern.cols());
  for (int j = 0; j < pattern.cols(); ++j)
    for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
      m(pattern.row_indices()[p], j) = values[p];
  return m;
}

struct Bench {
  std::shared_ptr<const MechanicalSystem> system = make_mechanical(Everything{});
  MechanicalState state;
  Vector u = Vector::Constant(1, 0.0);

  Bench() {
    // Positions on g = 0 at t = 0: q0² + q1 q2 = 1; velocities on 2 q0 v0 + v1 q2 + q1 v2 = 0.1 cos 0 and on the
    // rolling row cos(q0) v3 = q1 v2.
    state.q = Vector(4);
    state.q << 0.6, 0.8, 0.8, 0.3;
    const double v0 = 0.2, v2 = -0.4;
    state.v = Vector(4);
    state.v << v0, (0.1 - 2 * 0.6 * v0 - 0.8 * v2) / 0.8, v2, 0.8 * v2 / std::cos(0.6);
    state.z = Vector::Constant(1, 0.25);
    state.lambda = Vector::Zero(1);
    state.nu = Vector::Zero(1);
    state.a = Vector::Zero(4);
  }

  /// Accelerations and multipliers from the state-space form, which solves the whole KKT system.
  void complete() {
    const auto dae = formulate(system, {.level = Level::state_space}).value();
    Vector x, w;
    dae->pack(state, x, w);
    ScratchMemory memory(dae->scratch_bytes());
    const At at{.t = 0, .x = view(x), .u = view(u), .base = {}, .mode = 0, .scratch = memory.scratch()};
    ASSERT_EQ(dae->unpack(at, view(w), state), EvalStatus::ok);
  }
};

std::vector<Formulation> applicable() {
  std::vector<Formulation> all;
  for (const Level level : {Level::index_3, Level::index_2, Level::ggl})
    for (const Kinetics kinetics :
         {Kinetics::velocity, Kinetics::accelerations, Kinetics::momentum, Kinetics::hamilton})
      all.push_back({.level = level, .kinetics = kinetics});
  all.push_back({.level = Level::index_1});
  all.push_back({.level = Level::index_1, .baumgarte_alpha = 3, .baumgarte_beta = 4});
  all.push_back({.level = Level::state_space});
  return all;
}

TEST(Formulation, EveryFormulationAgreesOnTheMotion) {
  Bench bench;
  bench.complete();
  for (const auto& form : applicable()) {
    SCOPED_TRACE(name_of(form));
    const auto dae = formulate(bench.system, form).value();
    Vector x, w;
    dae->pack(bench.state, x, w);
    ScratchMemory memory(dae->scratch_bytes());
    const At at{.t = 0, .x = view(x), .u = view(bench.u), .base = {}, .mode = 0, .scratch = memory.scratch()};
    Vector f(x.size()), bw(x.size());
    ASSERT_EQ(dae->f(at, view(f)), EvalStatus::ok);
    ASSERT_EQ(dae->mass_times(at, view(w), view(bw)), EvalStatus::ok);
    EXPECT_LT((f - bw).cwiseAbs().maxCoeff(), 1e-13);  // a few operations on numbers of order one
  }
}

TEST(Formulation, JacobiansAreTheDerivativesOfTheRows) {
  Bench bench;
  bench.complete();
  for (const auto& form : applicable()) {
    SCOPED_TRACE(name_of(form));
    const auto dae = formulate(bench.system, form).value();
    Vector x, w;
    dae->pack(bench.state, x, w);
    for (int i = 0; i < x.size(); ++i) x[i] += 0.01 * std::sin(3.0 * i);  // nothing special about this point
    ScratchMemory memory(dae->scratch_bytes());
    const At at{.t = 0.3, .x = view(x), .u = view(bench.u), .base = {}, .mode = 0, .scratch = memory.scratch()};
    auto exact = Linearisation::create(*dae, at, JacobianSource::dual);
    auto differences = Linearisation::create(*dae, at, JacobianSource::differences);
    ASSERT_TRUE(exact.ok() && differences.ok());
    ASSERT_EQ((*exact)->update(at, view(w)), EvalStatus::ok);
    ASSERT_EQ((*differences)->update(at, view(w)), EvalStatus::ok);
    EXPECT_EQ((*exact)->jacobian_pattern(), (*differences)->jacobian_pattern());
    const Matrix a = dense((*exact)->jacobian_pattern(), (*exact)->jacobian());
    const Matrix b = dense((*differences)->jacobian_pattern(), (*differences)->jacobian());
    // One-sided differences with √eps: about 1e-7 of the size of the entries.
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 2e-6 * a.cwiseAbs().maxCoeff());

    // The pattern is complete: a dense difference of the whole row finds nothing outside it.
    Vector f0(x.size()), f1(x.size());
    ASSERT_EQ(dae->f(at, view(f0)), EvalStatus::ok);
    if (!dae->constant_mass()) continue;  // then J has the part −∂(B w)/∂x besides
    for (int j = 0; j < x.size(); ++j) {
      Vector y = x;
      y[j] += 1e-6;
      At moved = at;
      moved.x = view(y);
      ASSERT_EQ(dae->f(moved, view(f1)), EvalStatus::ok);
      EXPECT_LT((f1 - f0 - 1e-6 * a.col(j)).cwiseAbs().maxCoeff(), 1e-9) << "column " << j;
    }
  }
}

TEST(Formulation, TimeDerivativeIsTotal) {
  Bench bench;
  bench.complete();
  const auto dae = formulate(bench.system, {.level = Level::index_2}).value();
  Vector x, w;
  dae->pack(bench.state, x, w);
  ScratchMemory memory(dae->scratch_bytes());
  const At at{.t = 0.4, .x = view(x), .u = view(bench.u), .base = {}, .mode = 0, .scratch = memory.scratch()};
  Vector rate = Vector::Constant(1, 2.5), exact(x.size()), approximate(x.size());
  auto dual = Linearisation::create(*dae, at, JacobianSource::dual).value().release();
  std::unique_ptr<Linearisation> keep(dual);
  auto differences = Linearisation::create(*dae, at, JacobianSource::differences);
  ASSERT_EQ(dual->time_derivative(at, view(w), view(rate), {}, 0.1, view(exact)), EvalStatus::ok);
  ASSERT_EQ((*differences)->time_derivative(at, view(w), view(rate), {}, 0.1, view(approximate)), EvalStatus::ok);
  EXPECT_LT((exact - approximate).cwiseAbs().maxCoeff(), 1e-7);  // of order 2 over 10⁻⁴
  EXPECT_NEAR(exact[4], 2.5, 1e-12);                             // the input enters f[0] with factor one

  Matrix by_duals, by_differences;
  ASSERT_EQ(dual->input_jacobian(at, view(w), by_duals), EvalStatus::ok);
  ASSERT_EQ((*differences)->input_jacobian(at, view(w), by_differences), EvalStatus::ok);
  EXPECT_EQ(by_duals(4, 0), 1);
  EXPECT_LT((by_duals - by_differences).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(Formulation, RefusesWhatMakesNoSense) {
  const auto system = make_mechanical(Everything{});
  const auto penalty = formulate(system, {.level = Level::penalty});
  ASSERT_FALSE(penalty.ok());
  EXPECT_NE(penalty.error().message.find("rigid"), std::string::npos);
  EXPECT_FALSE(formulate(system, {.level = Level::index_1, .kinetics = Kinetics::hamilton}).ok());
  EXPECT_FALSE(formulate(system, {.level = Level::index_1, .baumgarte_alpha = -1}).ok());
  const auto name = formulation_by_name("indx-3");
  ASSERT_FALSE(name.ok());
  EXPECT_NE(name.error().message.find("did you mean 'index-3'"), std::string::npos);
}

TEST(Formulation, NamesReadBack) {
  for (const auto& info : formulations()) {
    const auto form = formulation_by_name(info.name);
    ASSERT_TRUE(form.ok()) << info.name;
    EXPECT_EQ(name_of(*form), info.name);
  }
  EXPECT_EQ(name_of(formulation_by_name("ggl+a").value()), "ggl+a");
  const auto held = formulation_by_name("index-1:alpha=100,beta=1e-1");
  ASSERT_TRUE(held.ok()) << held.error().message;
  EXPECT_EQ(held->baumgarte_alpha, 100);
  EXPECT_EQ(held->baumgarte_beta, 0.1);
  EXPECT_EQ(name_of(*held), "index-1:alpha=100,beta=0.1");
  for (const char* wrong : {"index-3:alpha=1", "index-1:", "index-1:gamma=1", "index-1:alpha", "index-1:alpha=-1",
                            "index-1:alpha=1x", "index-1:alpha=1,", "index-1:beta=inf"})
    EXPECT_FALSE(formulation_by_name(wrong).ok()) << wrong;
}

TEST(Formulation, CondensesToPositionsAndMultipliers) {
  const auto system = make_mechanical(Everything{});
  const auto dae = formulate(system, {.level = Level::index_3, .kinetics = Kinetics::accelerations}).value();
  // q, v, z, λ, ν, a with a and v local: 4 + 1 + 1 + 1 remain.
  EXPECT_EQ(dae->size() - static_cast<int>(dae->layout().local_unknowns().size()), 7);
  EXPECT_EQ(dae->layout().index(), 3);
}

}  // namespace
}  // namespace rubato
