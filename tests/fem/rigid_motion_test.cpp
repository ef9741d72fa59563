// Rigid regions in motion: what a body in free flight keeps, orders of methods, prescribed motions against those of the nodes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rigid_support.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato::fem {
namespace {

using namespace test;

std::shared_ptr<const SolidSystem> made_system(SolidModel model) {
  auto system = build(std::move(model));
  EXPECT_TRUE(system.ok()) << system.error().message;
  return *system;
}

/// From rest (or another start) to `end` in the formulation that is the default.
MechanicalState run_rigid(const std::shared_ptr<const SolidSystem>& system, const MechanicalState& guess,
                          std::string_view method, double end, int steps) {
  const auto start = consistent_state(*system, guess, {.minimum_norm = false});
  EXPECT_TRUE(start.ok()) << start.error().message;
  const auto dae = formulate(system, {.level = system->compliant() ? Level::eps_lambda : Level::index_3});
  EXPECT_TRUE(dae.ok()) << dae.error().message;
  InitialValueProblem problem;
  problem.dae = *dae;
  problem.t_end = end;
  (*dae)->pack(*start, problem.x, problem.w);
  problem.base = (*dae)->base_of(*start);
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-9, .atol = 1e-9};
  options.step.fixed_step = end / steps;
  const auto done = integrate(problem, method, options);
  EXPECT_TRUE(done.ok()) << method << ": " << done.error().message;
  EXPECT_EQ(done->status, RunStatus::finished) << method << ": " << done->reason;
  MechanicalState state;
  ScratchMemory memory((*dae)->scratch_bytes());
  const At at{
      .t = done->t, .x = view(done->x), .u = {}, .base = view(done->base), .mode = 0, .scratch = memory.scratch()};
  EXPECT_EQ((*dae)->unpack(at, view(done->w), state), EvalStatus::ok);
  state.t = done->t;
  return state;
}

struct Kept {
  double energy = 0, spin = 0;
  Eigen::Vector2d momentum = Eigen::Vector2d::Zero();
};
/// Energy, momentum and angular momentum about the origin of a plane body without supports: the products of M v with the velocity
/// fields of a translation and of a rotation, δu = ẑ × x.
Kept kept(const SolidSystem& system, const MechanicalState& state) {
  const Mesh& mesh = system.model().mesh;
  ScratchMemory memory(system.scratch_bytes());
  const auto p = point_at(state, memory.scratch());
  Kept out;
  EXPECT_EQ(system.invariants(p, Out(&out.energy, 1)), EvalStatus::ok);
  Vector momentum(state.v.size()), field(state.v.size());
  EXPECT_EQ(system.inertia(p, view(state.v), view(momentum)), EvalStatus::ok);
  const auto u = system.displacements(state.t, view(state.q));
  // The rigid part: d at places, h = L × columns. The mesh gives d and L by the displacements that unit coordinates cause.
  const auto product = [&](const std::function<Eigen::Vector2d(const Eigen::Vector2d&)>& velocity) {
    field.setZero();
    for (int node = 0; node < mesh.n_nodes(); ++node)
      for (int i = 0; i < 2; ++i)
        if (const int k = system.coordinate(node, i); k >= 0)
          field[k] = velocity({mesh.point(node)[0] + u[node * 2], mesh.point(node)[1] + u[node * 2 + 1]})[i];
    // The part's six coordinates are the last: its field is affine, so three nodes of it give them by least squares.
    const auto nodes = mesh.nodes_of(*mesh.find_group(system.model().rigid[0].group));
    const Eigen::Index n = state.q.size() - 6;
    Eigen::MatrixXd columns(2 * nodes.size(), 6);
    Eigen::VectorXd wanted(2 * nodes.size());
    for (int c = 0; c < 6; ++c) {
      Vector unit = Vector::Zero(state.q.size());
      unit[n + c] = 1;
      const auto moved = system.displacements(state.t, view(unit));
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (int i = 0; i < 2; ++i) columns(2 * static_cast<Eigen::Index>(a) + i, c) = moved[nodes[a] * 2 + i];
    }
    for (std::size_t a = 0; a < nodes.size(); ++a)
      wanted.segment<2>(2 * static_cast<Eigen::Index>(a)) =
          velocity({mesh.point(nodes[a])[0] + u[nodes[a] * 2], mesh.point(nodes[a])[1] + u[nodes[a] * 2 + 1]});
    field.tail(6) = columns.colPivHouseholderQr().solve(wanted);
    return momentum.dot(field);
  };
  out.momentum = {product([](const auto&) { return Eigen::Vector2d(1, 0); }),
                  product([](const auto&) { return Eigen::Vector2d(0, 1); })};
  out.spin = product([](const auto& x) { return Eigen::Vector2d(-x[1], x[0]); });
  return out;
}

/// A ring of rubber on a rigid core, thrown while it spins and wobbles: energy and momenta stay. With exact rigidity (index 3) and
/// with a finite modulus.
TEST(RigidMotion, FreeFlightKeepsEnergyAndMomenta) {
  for (const double stiffness : {0.0, static_cast<double>(INFINITY)}) {
    SolidModel model = bushing(Shape::quad4, PressureSpace::none, 5, {});
    model.prescribed.clear();
    model.rigid_stiffness = stiffness;
    const auto system = made_system(std::move(model));
    EXPECT_EQ(system->compliant(), stiffness == 0);
    ASSERT_EQ(system->invariant_names().size(), 1u);
    MechanicalState start = at_rest(*system);
    const Mesh& mesh = system->model().mesh;
    for (int node = 0; node < mesh.n_nodes(); ++node)
      for (int i = 0; i < 2; ++i)
        if (const int k = system->coordinate(node, i); k >= 0)
          start.v[k] = 0.3 * (i == 0 ? 1 - mesh.point(node)[1] : 0.5 + mesh.point(node)[0]) +
                       0.1 * mesh.point(node)[0] * mesh.point(node)[1];
    struct Case {
      const char* method;
      int steps;
      double energy, spin;  // what it may lose
    };
    for (const Case& c : {Case{"rodas4p", 400, 1e-4, 1e-5},
                          {"radau", 200, 1e-5, 1e-6},
                          {"generalized-alpha:0.9", 1000, 1e-2, 1e-3},
                          {"bdf2", 1000, 1e-2, 1e-3}}) {
      if (stiffness > 0 && std::string_view(c.method) == "rodas4p") continue;  // not for index 3
      const auto first = consistent_state(*system, start, {.minimum_norm = false});
      ASSERT_TRUE(first.ok()) << first.error().message;
      const Kept before = kept(*system, *first);
      const Kept after = kept(*system, run_rigid(system, start, c.method, 4, c.steps));
      const std::string what = fmt::format("{} E = {}", c.method, stiffness);
      EXPECT_GT(std::abs(before.spin), 1) << what;
      EXPECT_NEAR(after.energy / before.energy, 1, c.energy) << what;
      EXPECT_NEAR(after.spin / before.spin, 1, c.spin) << what;
      EXPECT_LT((after.momentum - before.momentum).norm(), 1e-9 * before.momentum.norm()) << what;
    }
  }
}

/// Shaken by a force and a moment at the reference: errors in q fall with the order of the method, in the formulation that is the
/// default of such models.
TEST(RigidMotion, OrdersOfMethods) {
  RigidRegion plate{.force = {of_time("0.2*sin(3*t)"), Function(), Function()},
                    .moment = {Function(), Function(), of_time("0.1*sin(2*t)")},
                    .mass = 1,
                    .inertia = {0, 0, 0.5}};
  for (const bool mixed : {false, true}) {
    const auto system = made_system(column(mixed ? Shape::quad9 : Shape::quad4, plate, 2,
                                           mixed ? PressureSpace::continuous : PressureSpace::none, mixed ? 1000 : 20));
    ASSERT_TRUE(system->compliant());
    const MechanicalState rest = at_rest(*system);
    const Vector exact = run_rigid(system, rest, "rodas5p", 1, 640).q;
    for (const auto& [method, order] : {std::pair{"rodas4p", 4.0}, {"ros3p", 3.0}}) {
      const int steps = mixed ? 10 : 40;  // smaller errors drown in the vibration of the volume, 1e-8
      const double coarse = (run_rigid(system, rest, method, 1, steps).q - exact).norm(),
                   fine = (run_rigid(system, rest, method, 1, 2 * steps).q - exact).norm();
      EXPECT_GT(std::log2(coarse / fine), order - (mixed ? 0.8 : 0.5)) << method << (mixed ? " mixed" : "");
    }
  }
}

/// A plate that is turned and pushed in time, as a rigid region and node by node: the same motion and the same reactions, inertia of
/// the prescribed nodes included.
TEST(RigidMotion, PrescribedMotionsAreThoseOfTheNodes) {
  RigidRegion plate{
      .reference = {{0.5, 1, 0}}, .displacement = hold({"0.1*sin(3*t)", "0"}), .rotation = hold({"", "", "0.5*t^2"})};
  const auto rigid = made_system(column(Shape::quad9, plate));
  SolidModel direct = column(Shape::quad9, {});
  direct.rigid.clear();
  Prescribed top{.group = "top"};
  top.displacement[0].emplace(
      [](std::span<const double> x) { return of_time(fmt::format("0.1*sin(3*t) + {}*(cos(0.5*t^2)-1)", x[0] - 0.5)); });
  top.displacement[1].emplace(
      [](std::span<const double> x) { return of_time(fmt::format("{}*sin(0.5*t^2)", x[0] - 0.5)); });
  direct.prescribed.push_back(std::move(top));
  const auto nodes = made_system(std::move(direct));
  EXPECT_EQ(rigid->sizes().q, nodes->sizes().q);
  const MechanicalState a = run_rigid(rigid, at_rest(*rigid), "rodas4p", 1, 50),
                        b = run_rigid(nodes, at_rest(*nodes), "rodas4p", 1, 50);
  EXPECT_LT((a.q - b.q).norm(), 1e-9 * b.q.norm());
  const auto reaction = [](const SolidSystem& system, const MechanicalState& state) {
    ScratchMemory memory(system.scratch_bytes());
    const auto names = system.output_names();
    std::vector<double> y(names.size());
    EXPECT_EQ(system.outputs(point_at(state, memory.scratch()), view(state.a), y), EvalStatus::ok);
    return y[static_cast<std::size_t>(std::find(names.begin(), names.end(), "reaction.top.x") - names.begin())];
  };
  EXPECT_NEAR(reaction(*rigid, a), reaction(*nodes, b), 1e-8);
  EXPECT_GT(std::abs(reaction(*rigid, a)), 0.01);
}

}  // namespace
}  // namespace rubato::fem
