// The two forms of one body: with pressures and without they agree, for every volumetric law, in forces and energies; kinks of
// prescribed motions; gravity, mass and threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rubato/integrate/integrate.hpp"
#include "rubato/linalg/sparse_product.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/linearisation.hpp"
#include "rubato/problem/state_point.hpp"
#include "solid_support.hpp"

namespace rubato::fem {
namespace {

using test::at_rest;
using test::of_time;

/// A unit square (or cube) that slides along its left and bottom (and back) sides, its right side moved by 0.3 t.
SolidModel stretched(Shape shape, Analysis analysis, const Material& material, PressureSpace pressure, int n = 2) {
  SolidModel model;
  const bool axial = analysis == Analysis::axisymmetric;
  model.mesh = *block(
      {.shape = shape, .divisions = {n, n, n}, .low = {axial ? 1.0 : 0.0, 0, 0}, .high = {axial ? 2.0 : 1.0, 1, 1}});
  model.analysis = analysis;
  model.materials = {material};
  model.regions = {{.group = "body", .material = material.name, .pressure = pressure}};
  const auto hold = [&](const char* side, std::size_t axis, const char* motion) {
    Prescribed condition{.group = side};
    condition.displacement[axis].emplace(of_time(motion));
    model.prescribed.push_back(std::move(condition));
  };
  hold("bottom", 1, "0");
  if (!axial) hold("left", 0, "0");
  if (analysis == Analysis::space) hold("back", 2, "0");
  if (axial)
    hold("top", 1, "0.3*t");
  else
    hold("right", 0, "0.3*t");
  return model;
}

std::vector<Material> form_laws() {
  std::vector<Material> list = {{.name = "linear", .density = 1, .law = LinearElastic{.young = 2, .poisson = 0.4}}};
  for (const auto volume : {VolumetricLaw::quadratic, VolumetricLaw::simo_miehe, VolumetricLaw::ogden})
    list.push_back(
        {.name = "rubber", .density = 1, .law = mooney_rivlin(0.4, 0.1), .volumetric = volume, .bulk = 6, .beta = 4});
  return list;
}

TEST(Forms, WithAndWithoutPressuresAgree) {
  for (const Material& material : form_laws())
    for (const auto& [shape, analysis, pressure] :
         {std::tuple{Shape::quad9, Analysis::plane_strain, PressureSpace::continuous},
          {Shape::quad9, Analysis::plane_strain, PressureSpace::discontinuous},
          {Shape::quad4, Analysis::plane_strain, PressureSpace::discontinuous},
          {Shape::hex27, Analysis::space, PressureSpace::discontinuous},
          {Shape::tet10, Analysis::space, PressureSpace::continuous}}) {
      std::vector<double> results[2];
      double density[2], ratio[2];
      for (const bool mixed : {false, true}) {
        const auto system = build(stretched(shape, analysis, material, mixed ? pressure : PressureSpace::none, 1));
        ASSERT_TRUE(system.ok()) << system.error().message;
        const auto end = static_path(**system, at_rest(**system), {.times = {0.25, 0.5, 1}});
        ASSERT_TRUE(end.ok()) << material.name << ": " << end.error().message;
        ScratchMemory memory((*system)->scratch_bytes());
        std::vector<double> y((*system)->output_names().size());
        ASSERT_EQ((*system)->outputs(point_at(*end, memory.scratch()), view(end->a), y), EvalStatus::ok);
        results[mixed ? 1 : 0] = y;
        const SolidFields fields = (*system)->fields(point_at(*end, memory.scratch()));
        density[mixed ? 1 : 0] = fields.energy_density[0];
        ratio[mixed ? 1 : 0] = fields.volume_ratio[0];
      }
      const std::string what =
          fmt::format("{} {} law {}", material.name, info(shape).name, static_cast<int>(material.volumetric));
      for (std::size_t k = 0; k < results[0].size(); ++k)
        EXPECT_NEAR(results[0][k], results[1][k], 1e-8) << what << ' ' << k;
      EXPECT_NEAR(density[0], density[1], 1e-8) << what;
      EXPECT_NEAR(density[0], results[0][1], 1e-8) << what << ": a homogeneous state in a unit volume";
      EXPECT_NEAR(ratio[0], ratio[1], 1e-8) << what;
      EXPECT_GT(std::abs(ratio[0] - 1), 0.005) << "the volume changes, or h(p) is not seen";
    }
}

/// Entries of f − B w that change with one unknown alone, and are not in the pattern; the number of groups.
std::pair<int, int> entries_missed(const Dae& dae, const At& here, In w) {
  auto linear =
      Linearisation::create(dae, here, JacobianSource::differences, JacobianRows::all, Differences::one_sided);
  EXPECT_TRUE(linear.ok()) << linear.error().message;
  const SparsePattern& pattern = (*linear)->jacobian_pattern();
  const auto n = static_cast<std::size_t>(dae.size());
  std::vector<double> x(here.x.begin(), here.x.end()), f0(n), f(n), bw(n);
  At at = here;
  at.x = x;
  const auto residual = [&](Out out) {
    EXPECT_EQ(dae.f(at, out), EvalStatus::ok);
    EXPECT_EQ(dae.mass_times(at, w, bw), EvalStatus::ok);
    for (std::size_t i = 0; i < n; ++i) out[i] -= bw[i];
  };
  residual(f0);
  int missed = 0;
  for (int j = 0; j < dae.size(); ++j) {
    x[static_cast<std::size_t>(j)] += 1e-3;
    residual(f);
    x[static_cast<std::size_t>(j)] = here.x[static_cast<std::size_t>(j)];
    for (int i = 0; i < dae.size(); ++i)
      if (f[static_cast<std::size_t>(i)] != f0[static_cast<std::size_t>(i)] && pattern.index_of(i, j) < 0) ++missed;
  }
  // B as a sum of its columns: a place that its pattern lacks would be missing.
  std::vector<double> ones(n, 1.0), product(n);
  EXPECT_EQ(dae.mass_times(at, ones, bw), EvalStatus::ok);
  (*linear)->mass_times(ones, product);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(product[i], bw[i], 1e-10);
  return {missed, group_columns(pattern).n_groups};
}

// Formulations whose derivatives come from differences know where entries may be: a full pattern means an evaluation for every unknown.
TEST(Forms, PatternsOfAllFormulationsHoldEveryEntry) {
  const Material soft{.name = "soft", .density = 1, .law = neo_hooke(1), .bulk = 6};
  Material rigid = soft;
  rigid.bulk = std::numeric_limits<double>::infinity();
  int n_forms = 0;
  for (const auto& [material, shape, pressure] : {std::tuple{soft, Shape::quad9, PressureSpace::continuous},
                                                  {soft, Shape::quad4, PressureSpace::discontinuous},
                                                  {rigid, Shape::quad9, PressureSpace::discontinuous}}) {
    const std::shared_ptr<const SolidSystem> system =
        *build(stretched(shape, Analysis::plane_strain, material, pressure, 6));
    for (const auto& info : formulations()) {
      if (info.formulation.level == Level::state_space || info.formulation.kinetics == Kinetics::hamilton) continue;
      const auto dae = formulate(system, info.formulation);
      if (!dae) continue;  // index 1 of compliant constraints, ε²λ of rigid ones
      ++n_forms;
      const int n = (*dae)->size();
      Vector x(n), w(n);
      for (int i = 0; i < n; ++i) x[i] = 0.01 * std::sin(3.0 * i), w[i] = std::cos(2.0 * i);
      ScratchMemory memory((*dae)->scratch_bytes());
      const auto [missed, groups] = entries_missed(
          **dae, {.t = 0.2, .x = view(x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()}, view(w));
      EXPECT_EQ(missed, 0) << info.name;
      EXPECT_LT(groups, n / 2) << info.name;
    }
  }
  EXPECT_GE(n_forms, 12);
  // Pressures that vary within an element are coupled by g_λ: λ_i = −g_i/g_λ,ii would be another material.
  const auto coupled =
      formulate(*build(stretched(Shape::quad9, Analysis::plane_strain, soft, PressureSpace::discontinuous)),
                {.level = Level::penalty});
  ASSERT_FALSE(coupled.ok());
  EXPECT_NE(coupled.error().message.find("g_λ is not diagonal"), std::string::npos);
}

TEST(Forms, PlaneStressIsABlockWithFreeThickness) {
  for (const Material& material : form_laws()) {
    const auto plane = build(stretched(Shape::quad4, Analysis::plane_stress, material, PressureSpace::none, 1));
    const auto space = build(stretched(Shape::hex8, Analysis::space, material, PressureSpace::none, 1));
    std::vector<double> reactions;
    for (const auto& system : {*plane, *space}) {
      const auto end = static_path(*system, at_rest(*system), {.times = {0.5, 1}});
      ASSERT_TRUE(end.ok()) << end.error().message;
      ScratchMemory memory(system->scratch_bytes());
      const auto names = system->output_names();
      std::vector<double> y(names.size());
      ASSERT_EQ(system->outputs(point_at(*end, memory.scratch()), view(end->a), y), EvalStatus::ok);
      reactions.push_back(
          y[static_cast<std::size_t>(std::find(names.begin(), names.end(), "reaction.right.x") - names.begin())]);
    }
    EXPECT_NEAR(reactions[0], reactions[1], 1e-9) << material.name;
    EXPECT_GT(reactions[0], 0.1);
  }
}

/// After a kink of a prescribed motion the state is consistent again: an incompressible body whose side begins to move.
TEST(Forms, KinksOfMotionsAreFollowedByConsistentStates) {
  Material material{.name = "rubber", .density = 1, .law = neo_hooke(1), .bulk = INFINITY};
  SolidModel model = stretched(Shape::quad9, Analysis::plane_strain, material, PressureSpace::discontinuous);
  for (auto& condition : model.prescribed)
    if (condition.group == "right") condition.displacement[0].emplace(of_time("0.2*max(t-0.05,0)"));
  const auto system = build(std::move(model));
  ASSERT_TRUE(system.ok()) << system.error().message;
  const auto start = consistent_state(**system, at_rest(**system));
  ASSERT_TRUE(start.ok()) << start.error().message;
  const auto dae = formulate(*system, {.level = Level::index_3});
  InitialValueProblem problem;
  problem.dae = *dae;
  problem.t_end = 0.06;
  (*dae)->pack(*start, problem.x, problem.w, {});
  problem.base = (*dae)->base_of(*start);
  IntegrateOptions options;
  options.step.fixed_step = 1e-3;
  const auto run = integrate(problem, "generalized-alpha:0.8", options);
  ASSERT_TRUE(run.ok() && run->status == RunStatus::finished);
  const auto n = (*system)->sizes();
  const Vector q = run->x.head(n.q), v = run->x.segment(n.q, n.q);
  Vector rate(n.lambda);
  ScratchMemory memory((*system)->scratch_bytes());
  const MechanicalState end{.t = run->t, .q = q, .v = v, .lambda = run->x.tail(n.lambda), .a = Vector::Zero(n.q)};
  ASSERT_EQ((*system)->constraint_rate(point_at(end, memory.scratch()), view(rate)), EvalStatus::ok);
  EXPECT_LT(rate.cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT(run->x.tail(n.lambda).cwiseAbs().maxCoeff(), 10);
}

TEST(Forms, MassAndGravity) {
  for (const bool lumped : {false, true})
    for (const auto shape : {Shape::tri6, Shape::quad8, Shape::quad9, Shape::tet10, Shape::hex20, Shape::hex27}) {
      SolidModel model;
      model.mesh = *block({.shape = shape, .high = {2, 1, 1}});
      const bool space = model.mesh.dimension == 3;
      model.analysis = space ? Analysis::space : Analysis::plane_strain;
      model.materials = {{.name = "m", .density = 3, .law = LinearElastic{.young = 1, .poisson = 0.3}}};
      model.regions = {{.group = "body", .material = "m"}};
      model.gravity[1] = of_time("-9.81");
      model.lumped_mass = lumped;
      const auto system = build(std::move(model));
      ASSERT_TRUE(system.ok()) << system.error().message;
      const MechanicalState rest = at_rest(**system);
      ScratchMemory memory((*system)->scratch_bytes());
      // A free body falls as a whole: M a = f with a = −9.81 in every node.
      Vector fall = Vector::Zero(rest.q.size()), inertia = fall, force = fall;
      for (int node = 0; node < (*system)->model().mesh.n_nodes(); ++node) fall[(*system)->coordinate(node, 1)] = -9.81;
      ASSERT_EQ((*system)->inertia(point_at(rest, memory.scratch()), view(std::as_const(fall)), view(inertia)),
                EvalStatus::ok);
      ASSERT_EQ((*system)->force(point_at(rest, memory.scratch()), view(force)), EvalStatus::ok);
      EXPECT_LT((inertia - force).cwiseAbs().maxCoeff(), 1e-12) << info(shape).name;
      multiply(*(*system)->inertia_pattern(), (*system)->inertia_values(), view(std::as_const(fall)), view(force));
      EXPECT_LT((inertia - force).cwiseAbs().maxCoeff(), 1e-12) << "the matrix is not what the product says";
      EXPECT_NEAR(force.sum(), -9.81 * 6, 1e-11) << info(shape).name;
      if (lumped) {
        EXPECT_LT((inertia.array() > 0).count(), 1) << "a mass is negative";
      }
    }
}

TEST(Forms, ThreadsDoNotChangeABit) {
  std::vector<Vector> forces;
  std::vector<std::vector<double>> stiffness;
  for (const int threads : {1, 2, 3}) {
    SolidModel model = stretched(Shape::hex8, Analysis::space, form_laws()[1], PressureSpace::none, 17);
    model.threads = threads;
    model.obstacles = {{.name = "ceiling", .slave = "top", .point = {0, 0.9995, 0}, .axis = {0, -1, 0}}};
    const auto system = build(std::move(model));
    ASSERT_TRUE(system.ok());
    MechanicalState state = at_rest(**system);
    for (Eigen::Index i = 0; i < state.q.size(); ++i) state.q[i] = 1e-3 * std::sin(static_cast<double>(i));
    ScratchMemory memory((*system)->scratch_bytes());
    Vector f(state.q.size());
    const auto patterns = (*system)->tangent_patterns();
    std::vector<double> k(patterns.K.nnz()), none;
    ASSERT_EQ((*system)->force(point_at(state, memory.scratch()), view(f)), EvalStatus::ok);
    ASSERT_EQ((*system)->tangents(point_at(state, memory.scratch()), view(state.a),
                                  {.K = k, .D = none, .r_lambda = none, .g_q = none, .g_lambda = none}),
              EvalStatus::ok);
    forces.push_back(f);
    stiffness.push_back(k);
  }
  for (std::size_t k = 1; k < 3; ++k) {
    EXPECT_TRUE(forces[k] == forces[0]);
    EXPECT_TRUE(stiffness[k] == stiffness[0]);
  }
}

TEST(Forms, MistakesAreNamed) {
  const auto message = [](SolidModel model) {
    const auto system = build(std::move(model));
    return system ? std::string() : system.error().message;
  };
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const SolidModel good = stretched(Shape::quad9, Analysis::plane_strain, form_laws()[1], PressureSpace::none);
  EXPECT_EQ(message(good), "");
  SolidModel bad = good;
  bad.regions[0].group = "bodi";
  EXPECT_TRUE(contains(message(bad), "did you mean 'body'")) << message(bad);
  bad = good;
  bad.prescribed[0].group = "lift";
  EXPECT_TRUE(contains(message(bad), "'left'")) << message(bad);
  bad = good;
  bad.materials[0].name = "steel";
  EXPECT_TRUE(contains(message(bad), "known: steel")) << message(bad);
  bad = good;
  bad.gravity[2] = of_time("1");
  EXPECT_TRUE(contains(message(bad), "third axis")) << message(bad);
  bad = good;
  bad.thickness = INFINITY;
  EXPECT_TRUE(contains(message(bad), "thickness")) << message(bad);
  bad = good;
  bad.body_forces = {{.group = "body"}};
  EXPECT_TRUE(contains(message(bad), "pattern")) << message(bad);
  bad = good;
  bad.materials[0].bulk = INFINITY;
  EXPECT_TRUE(contains(message(bad), "incompressible")) << message(bad);
  bad = stretched(Shape::quad9, Analysis::plane_strain,
                  {.name = "foam", .density = 1, .law = LinearElastic{.young = 1, .poisson = -0.2}},
                  PressureSpace::continuous);
  EXPECT_TRUE(contains(message(bad), "Poisson")) << message(bad);
  bad = good;
  std::swap(bad.mesh.nodes[0], bad.mesh.nodes[1]);
  EXPECT_FALSE(message(bad).empty());
}

}  // namespace
}  // namespace rubato::fem
