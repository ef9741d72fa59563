// Viscoelastic materials: tangents and objectivity of every law, relaxation, creep and loss against exact solutions, and what the
// memory costs the solver: nothing in the size of its matrices.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "rubato/integrate/integrate.hpp"
#include "rubato/linalg/condensation.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/derivative_check.hpp"
#include "rubato/problem/state_point.hpp"
#include "solid_support.hpp"

namespace rubato::fem {
namespace {

using test::at_rest;
using test::interpolated;
using test::of_time;
using test::PlaceMap;

const std::vector<PronyTerm> two_terms = {{.g = 0.3, .tau = 0.1}, {.g = 0.2, .tau = 0.7}};

std::vector<Material> prony_laws(const std::vector<PronyTerm>& terms = two_terms) {
  std::vector<Material> list = {
      {.name = "linear", .law = LinearElastic{.young = 2, .poisson = 0.4}},
      {.name = "saint-venant", .law = SaintVenantKirchhoff{.young = 2, .poisson = 0.3}},
      {.name = "mooney", .law = mooney_rivlin(0.4, 0.1), .bulk = 6},
      {.name = "yeoh", .law = yeoh(0.5, -0.05, 0.02), .bulk = 20},
      {.name = "ogden", .law = Ogden{{{.mu = 0.7, .alpha = 1.7}, {.mu = -0.1, .alpha = -2}}}, .bulk = 5}};
  list[2].volumetric = VolumetricLaw::simo_miehe;
  list[4].volumetric = VolumetricLaw::ogden;
  for (Material& m : list) {
    m.density = 1;
    m.prony = terms;
  }
  return list;
}

/// Small in the memory's strains, large in displacements.
MechanicalState disturbed(const SolidSystem& system) {
  MechanicalState state = at_rest(system);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& x : state.q) x = 0.08 * uniform(random);
  for (double& x : state.z) x = 0.2 * uniform(random);
  for (double& x : state.lambda) x = 0.5 * uniform(random);
  return state;
}

SolidModel block_of(Shape shape, Analysis analysis, const Material& material,
                    PressureSpace pressure = PressureSpace::none, int n = 1) {
  SolidModel model;
  const bool axial = analysis == Analysis::axisymmetric;
  model.mesh = *block(
      {.shape = shape, .divisions = {n, n, n}, .low = {axial ? 1.0 : 0.0, 0, 0}, .high = {axial ? 2.0 : 1.0, 1, 1}});
  model.analysis = analysis;
  model.materials = {material};
  model.regions = {{.group = "body", .material = material.name, .pressure = pressure}};
  return model;
}

Prescribed held(const char* side, std::size_t axis, const char* motion) {
  Prescribed condition{.group = side};
  condition.displacement[axis].emplace(of_time(motion));
  return condition;
}

/// u = G(t) X on every side: homogeneous whatever the law.
void drive(SolidModel& model, const std::array<std::array<const char*, 3>, 3>& gradient) {
  for (const char* side : {"left", "right", "bottom", "top", "back", "front"}) {
    if (model.mesh.find_group(side) == nullptr) continue;
    Prescribed all{.group = side};
    for (std::size_t i = 0; i < static_cast<std::size_t>(model.mesh.dimension); ++i)
      all.displacement[i] = FieldFunction([row = gradient[i]](std::span<const double> x) {
        std::string sum = "0";
        for (std::size_t k = 0; k < x.size(); ++k) sum += fmt::format(" + ({})*({:.17g})", row[k], x[k]);
        return of_time(sum);
      });
    model.prescribed.push_back(std::move(all));
  }
}

struct PronyCase {
  Shape shape;
  Analysis analysis;
  PressureSpace pressure;
};
const PronyCase prony_cases[] = {{Shape::quad4, Analysis::plane_strain, PressureSpace::none},
                                 {Shape::quad4, Analysis::plane_strain, PressureSpace::discontinuous},
                                 {Shape::tri3, Analysis::axisymmetric, PressureSpace::none},
                                 {Shape::hex8, Analysis::space, PressureSpace::none},
                                 {Shape::hex8, Analysis::space, PressureSpace::discontinuous}};

/// K, r_λ, g_q, r_z, e_q, e_z of all laws and kinematics, at a state with strains and memory.
TEST(Viscoelastic, TangentsAgreeWithDifferences) {
  for (const Material& material : prony_laws())
    for (const PronyCase& c : prony_cases) {
      if (material.name == "saint-venant" && c.pressure != PressureSpace::none) continue;
      SolidModel model = block_of(c.shape, c.analysis, material, c.pressure);
      model.prescribed = {held("left", 0, "0.1"), held("bottom", 1, "0")};
      const auto system = build(std::move(model));
      ASSERT_TRUE(system.ok()) << system.error().message;
      const auto report = check_derivatives(**system, disturbed(**system), {.points = 1});
      ASSERT_TRUE(report.ok()) << report.error().message;
      EXPECT_TRUE(report->ok) << material.name << ' ' << info(c.shape).name << ": " << describe(*report);
      const auto p = (*system)->tangent_patterns();
      EXPECT_GT(2 * report->compared, p.K.nnz() + p.r_z.nnz() + p.e_q.nnz() + p.e_z.nnz()) << "zeros are not counted";
    }
}

/// Turned as a whole after deformation, a body keeps its memory: the rates of z stay, Cauchy stresses turn with it.
TEST(Viscoelastic, ResponseIsObjective) {
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.8, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  Eigen::Matrix3d f;
  f << 1.2, 0.1, -0.2, 0.05, 0.9, 0.1, 0, 0.15, 1.1;
  for (const Material& material : prony_laws()) {
    if (material.name == "linear") continue;  // small rotations only
    const auto system = build(block_of(Shape::hex8, Analysis::space, material));
    ASSERT_TRUE(system.ok());
    MechanicalState state = disturbed(**system);
    ScratchMemory memory((*system)->scratch_bytes());
    Eigen::Matrix3d stress[2];
    Vector rates[2];
    for (const bool turned : {false, true}) {
      const Eigen::Matrix3d g = (turned ? Eigen::Matrix3d(turn * f) : f) - Eigen::Matrix3d::Identity();
      state.q = interpolated(**system, [&](const Eigen::Vector3d& x) { return Eigen::Vector3d(g * x); });
      const SolidFields fields = (*system)->fields(point_at(state, memory.scratch()));
      const double* const s = fields.stress.data();
      stress[turned ? 1 : 0] << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
      rates[turned ? 1 : 0] = Vector(state.z.size());
      ASSERT_EQ((*system)->auxiliary(point_at(state, memory.scratch()), view(rates[turned ? 1 : 0])), EvalStatus::ok);
    }
    EXPECT_LT((stress[1] - turn * stress[0] * turn.transpose()).norm(), 1e-12 * stress[0].norm()) << material.name;
    EXPECT_LT((rates[1] - rates[0]).norm(), 1e-12 * rates[0].norm()) << material.name;
    EXPECT_GT((stress[1] - stress[0]).norm(), 0.01 * stress[0].norm());
  }
}

/// A run in a quasi-static form; `watch(t, state)` after every step.
void run_slowly(const std::shared_ptr<const SolidSystem>& system, const MechanicalState& start, double t_end,
                const std::function<void(const MechanicalState&)>& watch, double fixed_step = 0) {
  const auto dae = formulate(system, {.level = Level::quasi_static});
  ASSERT_TRUE(dae.ok()) << dae.error().message;
  EXPECT_EQ((*dae)->model_jacobian(), ModelJacobian::exact);
  InitialValueProblem problem{.dae = *dae, .t_end = t_end};
  (*dae)->pack(start, problem.x, problem.w, {});
  struct Watch final : Observer {
    const FormulatedDae* dae = nullptr;
    std::function<void(const MechanicalState&)> watch;
    void on_step(const StepView& step) override {
      const auto& s = dae->system().sizes();
      MechanicalState state;
      state.t = step.t_end;
      state.q = map(step.x.first(static_cast<std::size_t>(s.q)));
      state.z = map(step.x.subspan(static_cast<std::size_t>(s.q), static_cast<std::size_t>(s.z)));
      state.lambda = map(step.x.subspan(static_cast<std::size_t>(s.q + s.z), static_cast<std::size_t>(s.lambda)));
      state.v = state.a = Vector::Zero(s.v);
      watch(state);
    }
  } observer;
  observer.dae = dae->get();
  observer.watch = watch;
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-8, .atol = 1e-9};
  options.step.fixed_step = fixed_step;
  Observer* observers[] = {&observer};
  const auto run = integrate(problem, "rodas4p", options, {.observers = observers});
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_EQ(run->status, RunStatus::finished) << run->reason;
}

double output_of(const SolidSystem& system, const MechanicalState& state, const std::string& name) {
  const auto names = system.output_names();
  std::vector<double> y(names.size());
  ScratchMemory memory(system.scratch_bytes());
  EXPECT_EQ(system.outputs(point_at(state, memory.scratch()), view(state.a), y), EvalStatus::ok);
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return y[static_cast<std::size_t>(found - names.begin())];
}

/// Held at a stretch from t = 0 on, the isochoric stress falls as 1 − Σ g_i (1 − exp(−t/τ_i)), the volumetric stress stays.
TEST(Viscoelastic, StressRelaxesAsThePronySeriesSays) {
  for (const Material& material : prony_laws()) {
    if (std::holds_alternative<SaintVenantKirchhoff>(material.law))
      continue;  // no split into isochoric and volumetric parts
    SolidModel model = block_of(Shape::hex8, Analysis::space, material, PressureSpace::none, 2);
    drive(model, {{{"0.3", "0.2", "0"}, {"0", "-0.1", "0.1"}, {"0", "0", "0.05"}}});
    const auto system = build(std::move(model));
    ASSERT_TRUE(system.ok()) << system.error().message;
    const Tensor f = {1.3, 0.2, 0, 0, 0.9, 0.1, 0, 0, 1.05};
    Material elastic = material, isochoric = material;
    isochoric.bulk = INFINITY;
    Tensor all = evaluate_stress(elastic, f), shape = evaluate_stress(isochoric, f);
    if (std::holds_alternative<LinearElastic>(material.law)) {
      const double mu = shear_modulus(material), trace = 0.3 - 0.1 + 0.05;
      shape = {};
      shape[0] = 2 * mu * (0.3 - trace / 3);
      shape[1] = 2 * mu * 0.1;
    }
    MechanicalState start = at_rest(**system);
    start.q = interpolated(**system, [](const Eigen::Vector3d& x) {
      return Eigen::Vector3d(0.3 * x[0] + 0.2 * x[1], -0.1 * x[1] + 0.1 * x[2], 0.05 * x[2]);
    });
    double worst = 0, last = 0;
    run_slowly(*system, start, 3, [&](const MechanicalState& s) {
      double memory = 0;
      for (const PronyTerm& term : material.prony) memory += term.g * (1 - std::exp(-s.t / term.tau));
      // The sum over the faces x = 1 (edges belong to the later groups): from the field of a node inside instead.
      ScratchMemory scratch((*system)->scratch_bytes());
      const SolidFields fields = (*system)->fields(point_at(s, scratch.scratch()));
      double exact[2] = {};  // σ_xx, σ_xy
      for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t m = 0; m < 3; ++m) {
          const double p = all[m] - memory * shape[m];
          if (material.name == "linear")
            exact[k] += m == k ? p : 0;
          else
            exact[k] += p * f[3 * k + m] / (1.3 * 0.9 * 1.05);
        }
      worst = std::max({worst, std::abs(fields.stress[0] - exact[0]), std::abs(fields.stress[3] - exact[1])});
      last = memory;
    });
    EXPECT_LT(worst, 1e-6) << material.name;
    EXPECT_NEAR(last, 0.5, 0.01) << "nearly relaxed";
  }
}

/// Incompressible and linear a bar under constant tension is the model of springs and a damper of one dimension,
///   ε_D = σ/E₀ (1 − exp(−r t)), ε = (σ + E_M ε_D)/E, r = E_M E₀/(η E), E₀ = E − E_M, E_M/η = 1/τ.
TEST(Viscoelastic, BarCreepsAsThreeElements) {
  const double young = 3, sigma = 0.01, g = 0.4, tau = 0.5;
  MechanicalState start;
  std::shared_ptr<const SolidSystem> systems[2];
  for (const bool viscous : {false, true}) {
    Material material{.name = "bar", .density = 1, .law = LinearElastic{.young = young, .poisson = 0.5}};
    if (viscous) material.prony = {{.g = g, .tau = tau}};
    SolidModel model = block_of(Shape::hex8, Analysis::space, material, PressureSpace::discontinuous);
    model.prescribed = {held("left", 0, "0"), held("bottom", 1, "0"), held("back", 2, "0")};
    Traction traction{.group = "right"};
    traction.stress[0] = of_time("0.01");
    model.tractions = {traction};
    model.probes = {{.name = "end", .nodes = model.mesh.nodes_of(*model.mesh.find_group("right"))}};
    auto system = build(std::move(model));
    ASSERT_TRUE(system.ok()) << system.error().message;
    systems[viscous ? 1 : 0] = *system;
  }
  const auto instant = static_equilibrium(*systems[0], at_rest(*systems[0]));
  ASSERT_TRUE(instant.ok()) << instant.error().message;
  start = *instant;
  start.z = Vector::Zero(systems[1]->sizes().z);
  const double e_m = g * young, e_0 = young - e_m, r = e_0 / (tau * young);
  double worst = 0, last = 0;
  run_slowly(systems[1], start, 5, [&](const MechanicalState& s) {
    const double damper = sigma / e_0 * (1 - std::exp(-r * s.t));
    last = output_of(*systems[1], s, "displacement.end.x");
    worst = std::max(worst, std::abs(last - (sigma + e_m * damper) / young));
  });
  EXPECT_LT(worst, 1e-7 * sigma / young * 100);
  EXPECT_NEAR(last, sigma / e_0, 0.01 * sigma / e_0);
  const auto relaxed = static_equilibrium(*systems[1], at_rest(*systems[1]));
  ASSERT_TRUE(relaxed.ok()) << relaxed.error().message;
  EXPECT_NEAR(output_of(*systems[1], *relaxed, "displacement.end.x"), sigma / e_0, 1e-12);
}

/// Shear γ = γ₀ sin ωt after many periods: the loop of stress over strain has the area π γ₀² G'', G'' = G Σ g ωτ/(1 + ω²τ²) at small
/// strains; at large ones energy is lost as well.
TEST(Viscoelastic, LoopsOfCyclicShearLoseEnergy) {
  const double omega = 4;
  for (Material material : prony_laws()) {
    material.density = 1e-9;  // moving sides would shake the nodes inside
    const double gamma = material.name == "linear" ? 0.1 : 0.6;
    SolidModel model = block_of(Shape::quad4, Analysis::plane_strain, material, PressureSpace::none, 2);
    const std::string motion = fmt::format("{}*sin({}*t)", gamma, omega);
    drive(model, {{{"0", motion.c_str(), "0"}, {"0", "0", "0"}, {"0", "0", "0"}}});
    const auto system = build(std::move(model));
    ASSERT_TRUE(system.ok()) << system.error().message;
    const double period = 2 * M_PI / omega;
    const int per_period = 80, periods = 5;
    double area = 0, g_loss = 0, g_store = 0;
    int samples = 0;
    run_slowly(
        *system, at_rest(**system), periods * period,
        [&](const MechanicalState& s) {
          if (s.t < (periods - 1) * period + 1e-9) return;
          ScratchMemory scratch((*system)->scratch_bytes());
          const double tau_xy = (*system)->fields(point_at(s, scratch.scratch())).stress[3];
          ++samples;
          const double h = period / per_period, phase = omega * s.t;
          area += h * tau_xy * gamma * omega *
                  std::cos(phase);  // ∮ τ dγ; periodic: the trapezoidal rule is exact for small strains
          g_loss += h * tau_xy * std::cos(phase) * omega / (M_PI * gamma);
          g_store += h * tau_xy * std::sin(phase) * omega / (M_PI * gamma);
        },
        period / per_period);
    EXPECT_EQ(samples, per_period);
    EXPECT_GT(area, 0) << material.name;
    if (material.name != "linear") continue;
    double loss = 0, store = 1;
    for (const PronyTerm& term : material.prony) {
      const double x = omega * term.tau;
      loss += term.g * x / (1 + x * x);
      store -= term.g / (1 + x * x);
    }
    const double mu = shear_modulus(material);
    EXPECT_NEAR(g_loss, mu * loss, 1e-4 * mu);
    EXPECT_NEAR(g_store, mu * store, 1e-4 * mu);
    EXPECT_NEAR(area, M_PI * gamma * gamma * mu * loss, 1e-4 * mu * gamma * gamma);
  }
}

/// After all time what is left is the law with 1 − Σ g of its isochoric part.
TEST(Viscoelastic, EquilibriaAreThoseOfTheRelaxedLaw) {
  for (const auto pressure : {PressureSpace::none, PressureSpace::discontinuous}) {
    Material viscous{.name = "m", .density = 1, .law = mooney_rivlin(0.4, 0.1), .bulk = 6, .prony = two_terms};
    Material relaxed{.name = "m", .density = 1, .law = mooney_rivlin(0.2, 0.05), .bulk = 6};
    Vector q[2];
    for (const Material* material : {&viscous, &relaxed}) {
      SolidModel model = block_of(Shape::quad9, Analysis::plane_strain, *material, pressure, 2);
      model.prescribed = {held("left", 0, "0"), held("left", 1, "0"), held("right", 0, "0.4*t"),
                          held("right", 1, "0.2*t")};
      const auto system = build(std::move(model));
      ASSERT_TRUE(system.ok()) << system.error().message;
      const auto end = static_path(**system, at_rest(**system), {.times = {0.25, 0.5, 0.75, 1}});
      ASSERT_TRUE(end.ok()) << end.error().message;
      q[material == &viscous ? 0 : 1] = end->q;
      ScratchMemory memory((*system)->scratch_bytes());
      Vector rate(end->z.size());
      ASSERT_EQ((*system)->auxiliary(point_at(*end, memory.scratch()), view(rate)), EvalStatus::ok);
      if (rate.size() > 0) {
        EXPECT_LT(rate.cwiseAbs().maxCoeff(), 1e-10);
      }
    }
    EXPECT_LT((q[0] - q[1]).norm(), 1e-10 * q[1].norm());
  }
}

/// What is factorised has n_q + n_λ unknowns (less the pressures of single elements) and the pattern of the elastic body.
TEST(Viscoelastic, MemoryDoesNotReachTheFactorisation) {
  for (const PronyCase& c : prony_cases) {
    SparsePattern reduced[2];
    for (const bool viscous : {false, true}) {
      const Material material = prony_laws(viscous ? two_terms : std::vector<PronyTerm>{})[2];
      SolidModel model = block_of(c.shape, c.analysis, material, c.pressure, 2);
      model.prescribed = {held("left", 0, "0"), held("bottom", 1, "0")};
      const auto system = build(std::move(model));
      ASSERT_TRUE(system.ok()) << system.error().message;
      const auto s = (*system)->sizes();
      EXPECT_EQ(s.z > 0, viscous);
      const auto dae = formulate(*system, {.level = Level::eps_lambda}).value();
      std::vector<PivotPosition> local;
      for (const auto& unknown : dae->layout().local_unknowns()) local.push_back({unknown.row, unknown.col});
      const Condensation condensation(united(*dae->mass_pattern(), dae->jacobian_pattern()), local);
      const int local_pressures = static_cast<int>((*system)->local_multipliers().size());
      EXPECT_EQ(condensation.reduced_size(), s.q + s.lambda - local_pressures);
      reduced[viscous ? 1 : 0] = condensation.reduced_pattern();
    }
    EXPECT_EQ(reduced[0], reduced[1]) << info(c.shape).name;
  }
}

InitialValueProblem thrown(const Material& material, PressureSpace pressure) {
  SolidModel model = block_of(Shape::quad4, Analysis::plane_strain, material, pressure, 2);
  model.prescribed = {held("left", 0, "0"), held("left", 1, "0")};
  const auto system = build(std::move(model)).value();
  MechanicalState start = at_rest(*system);
  start.v = interpolated(*system, [](const Eigen::Vector3d& x) { return Eigen::Vector3d(0.1 * x[0], 0.3 * x[0], 0); });
  const auto dae = formulate(system, {.level = Level::eps_lambda}).value();
  InitialValueProblem problem{.dae = dae, .t_end = 0.5};
  const auto consistent = consistent_state(*system, start);
  EXPECT_TRUE(consistent.ok());
  dae->pack(*consistent, problem.x, problem.w, {});
  return problem;
}

/// Order 4 of RODAS4P on a body with memory, neither less nor more.
TEST(Viscoelastic, Rodas4pKeepsItsOrder) {
  const InitialValueProblem problem = thrown(prony_laws()[2], PressureSpace::none);
  std::vector<Vector> ends;
  for (const int steps : {10, 20, 40, 320}) {
    IntegrateOptions options;
    options.step.fixed_step = problem.t_end / steps;
    const auto run = integrate(problem, "rodas4p", options);
    ASSERT_TRUE(run.ok() && run->status == RunStatus::finished);
    ends.push_back(run->x);
  }
  const double coarse = (ends[1] - ends[3]).norm(), fine = (ends[2] - ends[3]).norm();
  EXPECT_NEAR(std::log2(coarse / fine), 4, 0.35);
}

/// Every family of methods reaches the same end.
TEST(Viscoelastic, MethodsAgree) {
  for (const auto pressure : {PressureSpace::none, PressureSpace::discontinuous}) {
    const InitialValueProblem problem = thrown(prony_laws()[2], pressure);
    IntegrateOptions fine;
    fine.tolerances = {.rtol = 1e-8, .atol = 1e-9};
    const auto reference = integrate(problem, "rodas4p", fine);
    ASSERT_TRUE(reference.ok() && reference->status == RunStatus::finished);
    const auto n = problem.dae->layout().find("q")->size;
    for (const char* method : {"ros3p", "rodas4p", "radau", "bdf", "generalized-alpha:0.8"}) {
      IntegrateOptions options;
      options.tolerances = {.rtol = 1e-5, .atol = 1e-6};
      const auto run = integrate(problem, method, options);
      ASSERT_TRUE(run.ok()) << method << ": " << run.error().message;
      ASSERT_EQ(run->status, RunStatus::finished) << method << ": " << run->reason;
      EXPECT_LT((run->x - reference->x).head(n).cwiseAbs().maxCoeff(), 1e-3) << method;
    }
  }
}

TEST(Viscoelastic, MistakesAreNamed) {
  const auto message = [](std::vector<PronyTerm> terms, Analysis analysis = Analysis::plane_strain) {
    const auto system = build(block_of(Shape::quad4, analysis, prony_laws(terms)[2]));
    return system ? std::string() : system.error().message;
  };
  const auto contains = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(message(two_terms), "");
  EXPECT_TRUE(contains(message({{0.6, 1}, {0.4, 2}}), "add up to 1")) << message({{0.6, 1}, {0.4, 2}});
  EXPECT_TRUE(contains(message({{-0.1, 1}}), "material \"mooney\": Prony term")) << message({{-0.1, 1}});
  EXPECT_TRUE(contains(message({{0.1, 0}}), "tau = 0")) << message({{0.1, 0}});
  EXPECT_TRUE(contains(message(std::vector<PronyTerm>(13, {0.01, 1})), "13 Prony terms"));
  EXPECT_TRUE(contains(message(two_terms, Analysis::plane_stress), "plane stress"))
      << message(two_terms, Analysis::plane_stress);
}

}  // namespace
}  // namespace rubato::fem
