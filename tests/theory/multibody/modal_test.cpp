// Flexible bodies in the floating frame of reference against beam theory, exact beams, conservation laws and the literature.
#include "rubato/multibody/modal.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "catalogue/catalogue.hpp"
#include "rubato/base/function.hpp"
#include "support/mechanism_checks.hpp"
#include "support/numbers.hpp"

namespace rubato::multibody {
namespace {

Body flexible(std::string name, const ModalBody& data) {
  return {.name = std::move(name), .flexible = std::make_shared<const ModalBody>(data)};
}
ModalBody made(const ModalBeam& beam) {
  const auto body = modal_beam(beam);
  EXPECT_TRUE(body.ok()) << (body.ok() ? "" : body.error().message);
  return body.ok() ? *body : ModalBody{};
}
std::shared_ptr<const Function> of_time(const std::string& text) {
  const std::string variables[] = {"t"};
  return std::make_shared<Function>(*Expression::parse(text, variables, {}));
}

const ModalBeam rod{.length = 1.3,
                    .mass_per_length = 0.7,
                    .inertia_per_length = {1e-4, 0, 0},
                    .torsion_bending = {0, 0, 20},
                    .modes = 3};

/// Bending: ω = (βL)² √(EI/(ρA L⁴)), βL the roots of cosh x cos x = −1 (clamped-free), sin x = 0 (pinned), cosh x cos x = 1
/// (free, clamped); bars and shafts: ω = κ √(EA/ρA)/L, κ = π/2, 3π/2 (clamped-free), π, 2π (free, clamped).
TEST(ModalBeam, HasTheFrequenciesOfBeamTheory) {
  struct Case {
    BeamEnds ends;
    std::array<double, 3> beta;
    std::array<double, 2> kappa;
  };
  for (const Case& c : {Case{BeamEnds::clamped_free, {1.875104069, 4.694091133, 7.854757438}, {pi / 2, 3 * pi / 2}},
                        Case{BeamEnds::pinned_pinned, {pi, 2 * pi, 3 * pi}, {pi / 2, 3 * pi / 2}},
                        Case{BeamEnds::free_free, {4.730040745, 7.853204624, 10.99560784}, {pi, 2 * pi}},
                        Case{BeamEnds::clamped_clamped, {4.730040745, 7.853204624, 10.99560784}, {pi, 2 * pi}}}) {
    ModalBeam beam = rod;
    beam.ends = c.ends;
    const double scale = std::sqrt(20 / (0.7 * std::pow(1.3, 4))) / (2 * pi);
    const ModalBody bending = made(beam);
    for (std::size_t i = 0; i < 3; ++i)  // order 4 of Simpson's weights: 20 elements, mode i has i waves
      EXPECT_NEAR(bending.modes[i].frequency_hz / (c.beta[i] * c.beta[i] * scale), 1, 2e-3) << i;
    // Errors fall by about 2⁴.
    beam.elements = 40;
    const ModalBody finer = made(beam);
    const double coarse = bending.modes[0].frequency_hz / (c.beta[0] * c.beta[0] * scale) - 1,
                 fine = finer.modes[0].frequency_hz / (c.beta[0] * c.beta[0] * scale) - 1;
    EXPECT_LT(std::abs(coarse), 2e-4);
    EXPECT_NEAR(std::log2(coarse / fine), 4, 0.5) << coarse << " " << fine;
    for (const bool torsion : {false, true}) {
      beam = rod;
      beam.ends = c.ends;
      beam.modes = 2;
      beam.torsion_bending = {torsion ? 3.0 : 0.0, 0, 0};
      beam.axial = torsion ? 0 : 500;
      const ModalBody bar = made(beam);
      const double wave = std::sqrt(torsion ? 3 / 1e-4 : 500 / 0.7) / 1.3 / (2 * pi);
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(bar.modes[i].frequency_hz / (c.kappa[i] * wave), 1, 1e-2) << i;
    }
  }
}

/// Clamped at the root, nothing but η moves: η_i = a cos ω_i t, for as long as one likes; with damping ratio ζ it decays with
/// ζω. Deflections of the tip, of its marker and the strain energy follow.
TEST(ModalBody, AClampedBeamVibratesAsItsModes) {
  for (const double ratio : {0.0, 0.05}) {
    ModalBeam beam = rod;
    beam.damping_ratio = ratio;
    const ModalBody data = made(beam);
    Body blade = flexible("blade", data);
    blade.deformation = {0.1, 0, 0.01};
    const auto system =
        built({.bodies = {blade},
               .joints = {{.name = "clamp", .b = {.body = "blade", .node = "a"}}},
               .forces = {SpringDamper{
                   .name = "probe", .a = {.pose = {.position = {0, 5, 0}}}, .b = {.body = "blade", .node = "b"}}}});
    ASSERT_NE(system, nullptr);
    const double t = 3;
    const auto end = run(system, {.t_end = t, .rtol = 1e-10});
    double tip = 0;
    for (const auto& [i, a] : {std::pair{std::size_t{0}, 0.1}, {std::size_t{2}, 0.01}}) {
      const double omega = 2 * pi * data.modes[i].frequency_hz, damped = omega * std::sqrt(1 - ratio * ratio);
      const double eta = a * std::exp(-ratio * omega * t) *
                         (std::cos(damped * t) + ratio / std::sqrt(1 - ratio * ratio) * std::sin(damped * t));
      EXPECT_NEAR(end["blade.eta" + std::to_string(i + 1)], eta, 1e-6 * a) << i;
      tip += eta * data.modes[i].shape.back()[1];
    }
    EXPECT_NEAR(end["blade.eta2"], 0, 1e-9);
    EXPECT_NEAR(end["blade.b.uy"], tip, 2e-7);
    EXPECT_NEAR(end["blade.b.y"], tip, 2e-7);
    EXPECT_NEAR(end["probe.length"], std::hypot(1.3, 5 - tip), 2e-7);
    if (ratio == 0) {
      EXPECT_NEAR(end["energy.total"],
                  0.5 * (0.01 * 20 * std::pow(1.875104069, 4) / (4 * std::pow(1.3, 3)) +
                         1e-4 * 20 * std::pow(7.854757438, 4) / (4 * std::pow(1.3, 3))),
                  2e-3);  // modal stiffness k = (βL)⁴ EI/(4 L³) of a mode with tip deflection 1
    }
  }
}

/// Modes of a free body keep its centre of mass and do not turn it: vibrating in space, without a joint, it keeps its
/// frequency, and its frame stays but for terms of second order.
TEST(ModalBody, AFreeBodyKeepsItsFrequencies) {
  ModalBeam beam = rod;
  beam.ends = BeamEnds::free_free;
  const ModalBody data = made(beam);
  Body body = flexible("body", data);
  const double a = 1e-3;
  body.deformation = {a, 0, 0};
  body.velocity = {1, 2, 3};
  const auto end = run(built({.bodies = {body}}), {.t_end = 1, .formulation = "semi-explicit"});
  EXPECT_NEAR(end["body.eta1"], a * std::cos(2 * pi * data.modes[0].frequency_hz), 1e-7 * a + a * a * a);
  EXPECT_NEAR(end["body.x"], 1, a * a);
  EXPECT_NEAR(end["body.y"], 2, a * a);
  EXPECT_NEAR(end["body.qz"], 0, a * a);
}

/// Momentum and angular momentum about the origin, of the nodes: Σ m x', Σ m x × x' (they have no inertia of their own here).
struct Momenta {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
};
Momenta momenta(const MultibodySystem& system, const ModalBody& data, const MechanicalState& s) {
  Momenta sum;
  for (std::size_t k = 0; k < data.nodes.size(); ++k) {
    const Vector3 x = system.pose(1 + k, view(s.q), view(s.base)).position;
    const Vector3 v = system.velocity(1 + k, view(s.q), view(s.v), view(s.base)).linear;
    const Eigen::Vector3d place(x[0], x[1], x[2]), speed(v[0], v[1], v[2]);
    sum.linear += data.nodes[k].mass * speed;
    sum.angular += data.nodes[k].mass * place.cross(speed);
  }
  return sum;
}

/// A frame of bars that bends in two planes tumbles: strongly coupled, far from small deflections. Its momenta and its energy
/// stay, whichever modes describe it.
TEST(ModalBody, ATumblingBodyConservesMomentumAndEnergy) {
  ModalBody data;
  for (int k = 0; k < 9; ++k) {
    const double x = -1 + 0.25 * k;
    data.nodes.push_back({.position = {x, 0.3 * (k % 3), 0.2 * (k % 2)}, .mass = 0.2 + 0.05 * (k % 4)});
  }
  for (int i = 0; i < 3; ++i) {
    Mode mode{.stiffness = 3.0 + 2 * i};
    for (const ModalNode& node : data.nodes) {
      const double x = node.position[0];
      mode.shape.push_back({0.1 * (i == 2) * x, (i != 1) * x * x, (i != 0) * std::sin(3 * x) * 0.5});
    }
    data.modes.push_back(mode);
  }
  Body body = flexible("body", data);
  body.velocity = {0.3, -0.2, 0.1};
  body.angular_velocity = {2, 1, -1.5};
  body.deformation = {0.2, 0.1, -0.1};
  body.deformation_rate = {0.5, -1, 0.3};
  const auto system = built({.bodies = {body}});
  ASSERT_NE(system, nullptr);
  const auto start = run(system, {.t_end = 0});
  const Momenta before = momenta(*system, data, start.state);
  for (const char* formulation : {"index-3", "momentum", "semi-explicit"}) {
    const auto end = run(system, {.t_end = 4, .rtol = 1e-9, .formulation = formulation});
    const Momenta after = momenta(*system, data, end.state);
    EXPECT_LT((after.linear - before.linear).norm(), 1e-7) << formulation;
    EXPECT_LT((after.angular - before.angular).norm(), 1e-7) << formulation;
    EXPECT_NEAR(end["energy.total"], start["energy.total"], 1e-7) << formulation;
    EXPECT_GT(std::abs(end["energy.kinetic"] - start["energy.kinetic"]), 0.01) << "otherwise nothing was exchanged";
    EXPECT_GT(std::abs(end["body.eta1"] - start["body.eta1"]), 0.03);
  }
}

/// As the stiffness grows the body becomes the rigid one of its nodes: a pendulum in space on a spherical joint, whose place
/// after 1 s differs by what the deflection is, of order 1/k.
TEST(ModalBody, StiffBodiesAreRigid) {
  ModalBeam beam{.length = 1,
                 .mass_per_length = 2,
                 .inertia_per_length = {0.01, 0, 0},
                 .ends = BeamEnds::clamped_free,
                 .modes = 4,
                 .elements = 10};
  const Vector3 gravity{0, -9.81, -2}, spin{1, 0.5, 2};
  const auto hinge = [](Marker b) { return Joint{.name = "ball", .type = JointType::spherical, .b = std::move(b)}; };
  const auto exact = run(built({.bodies = {{.name = "rod",
                                            .mass = 2,
                                            .inertia = {0.01, 2.0 / 12, 2.0 / 12},
                                            .pose = {.position = {0.5, 0, 0}},
                                            .velocity = {0, 1, -0.25},
                                            .angular_velocity = spin}},
                                .joints = {hinge(marker("rod", {-0.5, 0, 0}))},
                                .gravity = gravity}),
                         {.t_end = 1});
  std::array<double, 2> gap{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double ei = i == 0 ? 4e3 : 4e5;
    beam.torsion_bending = {0, ei, ei};
    beam.damping_ratio = 1;  // vibrations of the start die away
    Body body = flexible("rod", made(beam));
    body.angular_velocity = spin;
    const auto end = run(built({.bodies = {body}, .joints = {hinge({.body = "rod", .node = "a"})}, .gravity = gravity}),
                         {.t_end = 1, .rtol = 1e-8});
    double square = 0;
    for (const char* c : {"x", "y", "z"})
      square += std::pow(end[std::string("rod.b.") + c] - 2 * exact["rod." + std::string(c)], 2);
    gap[i] = std::sqrt(square);
    const double turned = std::hypot(end["rod.wy"] - exact["rod.wy"], end["rod.wz"] - exact["rod.wz"]);
    EXPECT_LT(turned, 20 / ei) << ei;
  }
  EXPECT_LT(gap[1], 1e-4);
  EXPECT_NEAR(gap[0] / gap[1], 100, 30);
}

/// A slender arm, clamped to a hub that turns by a right angle in a second: the modal body against a chain of geometrically
/// exact beams with the same masses at the same nodes. What the modal body leaves out, stiffening by tension and the shortening
/// of a bent arm, is to its deflection as (Ω/ω₁)² and the slope of its end are to one: ten times the stiffness, a tenth.
TEST(ModalBody, ASlewingArmFollowsExactBeams) {
  const double length = 1, per_length = 0.8;
  const auto motion = of_time("step(t, 0, 0, 1, pi/2)");
  const auto drive = [&](Marker b) {
    return Joint{
        .name = "hub", .type = JointType::revolute, .b = std::move(b), .drive = Drive::angle, .motion = motion};
  };
  const auto difference = [&](double ei, double& largest) {
    const ModalBody data = made({.length = length,
                                 .mass_per_length = per_length,
                                 .inertia_per_length = {1e-4, 0, 0},
                                 .axial = 1e6,
                                 .torsion_bending = {10, ei, ei},
                                 .modes = 5,
                                 .elements = 10});
    Mechanism chain;
    for (std::size_t k = 0; k < data.nodes.size(); ++k) {
      const ModalNode& node = data.nodes[k];
      const std::string name = "n" + std::to_string(k);
      // Nodes of the chain need a little inertia; the modal beam has none.
      chain.bodies.push_back({.name = name,
                              .mass = node.mass,
                              .inertia = {node.inertia[0], 0.7 * node.inertia[0], 0.7 * node.inertia[0]},
                              .pose = {.position = node.position}});
      if (k == 0) continue;
      chain.forces.push_back(Beam{.name = "b" + std::to_string(k),
                                  .a = {.body = "n" + std::to_string(k - 1)},
                                  .b = {.body = name},
                                  .axial_shear = {1e6, 0, 0},
                                  .torsion_bending = {10, ei, ei}});
    }
    chain.joints = {drive({.body = "n0"})};
    const Mechanism modal{.bodies = {flexible("arm", data)}, .joints = {drive({.body = "arm", .node = "a"})}};
    double worst = 0;
    largest = 0;
    for (const double t : {0.3, 0.7, 1.0}) {
      const auto exact = run(built(chain), {.t_end = t, .rtol = 1e-7}),
                 fast = run(built(modal), {.t_end = t, .rtol = 1e-8});
      const double turn = (*motion)(t);
      largest = std::max(
          largest, std::hypot(exact["n10.x"] - length * std::cos(turn), exact["n10.y"] - length * std::sin(turn)));
      worst = std::max(worst, std::hypot(fast["arm.b.x"] - exact["n10.x"], fast["arm.b.y"] - exact["n10.y"]));
    }
    return worst / largest;
  };
  double soft = 0, stiff = 0;
  const double of_soft = difference(12, soft), of_stiff = difference(120, stiff);
  EXPECT_NEAR(soft, 0.1, 0.03);
  EXPECT_NEAR(stiff, 0.005, 0.002);
  EXPECT_LT(of_soft, 0.15);
  EXPECT_LT(of_stiff, 0.015);
}

/// The slider crank of the catalogue with the mass of the quadratic element: its rod has the lateral shapes sin πξ, sin 2πξ and
/// the longitudinal ones 4ξ(1−ξ), ξ(2ξ−1), in a frame through both ends. Built here of a crank, a flexible rod in space and a
/// slider, it ends where the catalogue does, started at rest relative to the rigid motion and on the smooth motion.
TEST(ModalBody, TheSliderCrankAgreesWithTheCatalogue) {
  const double l1 = 0.15, l2 = 0.3, rho = 7870, section = 6.4e-5, side = 0.008, young = 0.2e12, speed = 150;
  // Longitudinal: K = EA/l [16/3 −8/3; −8/3 7/3], M = ρAl/15 [8 1; 1 2] in (middle, end); here in their eigenvectors.
  Eigen::Matrix2d k, m;
  k << 16.0 / 3, -8.0 / 3, -8.0 / 3, 7.0 / 3;
  m << 8, 1, 1, 2;
  k *= young * section / l2;
  m *= rho * section * l2 / 15;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix2d> axial(k, m);
  ModalBody data;
  // Gauss's three points on 24 parts integrate all products of the shapes to rounding.
  const int parts = 24;
  std::vector<double> xi{0}, weight{0};
  for (int i = 0; i < parts; ++i)
    for (const auto& [x, w] : {std::pair{-std::sqrt(0.6), 5.0 / 18}, {0.0, 8.0 / 18}, {std::sqrt(0.6), 5.0 / 18}}) {
      xi.push_back((i + 0.5 + 0.5 * x) / parts);
      weight.push_back(w / parts);
    }
  xi.push_back(0.5);
  xi.push_back(1);
  weight.insert(weight.end(), 2, 0.0);
  const double mass = rho * section * l2;
  for (std::size_t i = 0; i < xi.size(); ++i)
    data.nodes.push_back({.position = {l2 * xi[i], 0, 0},
                          .mass = mass * weight[i],
                          .inertia = {mass * weight[i] * side * side / 6, mass * weight[i] * side * side / 12,
                                      mass * weight[i] * side * side / 12}});
  data.nodes.front().name = "a";
  data.nodes[xi.size() - 2].name = "middle";
  data.nodes.back().name = "b";
  for (const int j : {1, 2}) {
    Mode mode{.stiffness = young * section / l2 * std::pow(side / l2, 2) * std::pow(pi * j, 4) / 24};
    for (const double x : xi) mode.shape.push_back({0, std::sin(j * pi * x), 0});
    data.modes.push_back(mode);
  }
  for (const int j : {0, 1}) {
    const Eigen::Vector2d phi = axial.eigenvectors().col(j);
    Mode mode{.stiffness = phi.dot(k * phi)};
    for (const double x : xi) mode.shape.push_back({phi[0] * 4 * x * (1 - x) + phi[1] * x * (2 * x - 1), 0, 0});
    data.modes.push_back(mode);
  }
  const auto axial_of = [&](double q3, double q4) {
    return Eigen::Vector2d(axial.eigenvectors().inverse() * Eigen::Vector2d(q3, q4));
  };
  struct Start {
    double parameter, q3, q4, v1, v2;
  };
  for (const Start& s :
       {Start{1, 0, 0, 0, 0}, Start{0, 1.02706772169765e-5, 1.68545583741753e-5, 0.4731592802023, 4.63001876e-3}}) {
    const Eigen::Vector2d stretch = axial_of(s.q3, s.q4);
    Body rod_body = flexible("rod", data);
    rod_body.pose.position = {l1, 0, 0};
    rod_body.velocity = {0, speed * l1, 0};
    rod_body.angular_velocity = {0, 0, -speed * l1 / (l2 + s.q4)};
    rod_body.deformation = {0, 0, stretch[0], stretch[1]};
    rod_body.deformation_rate = {s.v1, s.v2, 0, 0};
    const double x3 = l1 + l2 + s.q4;
    const Mechanism crank{.bodies = {{.name = "crank",
                                      .kind = BodyKind::planar,
                                      .mass = 0.1,
                                      .inertia = {0, 0, 0.002727},
                                      .angular_velocity = {0, 0, speed}},
                                     rod_body,
                                     {.name = "slider",
                                      .kind = BodyKind::planar,
                                      .mass = 0.075552,
                                      .inertia = {0, 0, 1e-4},
                                      .pose = {.position = {x3, 0, 0}}}},
                          .joints = {{.name = "main",
                                      .type = JointType::revolute,
                                      .b = {.body = "crank"},
                                      .drive = Drive::angle,
                                      .motion = of_time("150*t")},
                                     {.name = "big_end",
                                      .type = JointType::revolute,
                                      .a = marker("crank", {l1, 0, 0}),
                                      .b = {.body = "rod", .node = "a"}},
                                     {.name = "pin",
                                      .type = JointType::point_on_line,
                                      .a = {.body = "slider"},
                                      .b = {.body = "rod", .node = "b"}},
                                     {.name = "guide",
                                      .type = JointType::prismatic,
                                      .a = marker("ground", {}, {1, 0, 0}),
                                      .b = marker("slider", {}, {1, 0, 0})}}};
    const auto end = run(built(crank), {.t_end = 0.1, .rtol = 1e-11});
    const auto entry = catalogue::make_problem("slider-crank-15", {{"start", s.parameter}});
    ASSERT_TRUE(entry) << entry.error().message;
    ASSERT_TRUE(entry->reference);
    const auto& expected = entry->reference->values;  // phi2, x3, q1 … q4
    EXPECT_NEAR(2 * std::atan2(end["rod.qz"], end["rod.qw"]), expected[0], 1e-8);
    EXPECT_NEAR(end["slider.x"], expected[1], 1e-8);
    EXPECT_NEAR(end["rod.eta1"], expected[2], 1e-8);
    EXPECT_NEAR(end["rod.eta2"], expected[3], 1e-8);
    EXPECT_NEAR(end["rod.middle.ux"], expected[4], 1e-9);
    EXPECT_NEAR(end["rod.b.ux"], expected[5], 1e-9);
  }
}

}  // namespace
}  // namespace rubato::multibody
