// The beam against the exact theory of rods: free of stress in rigid motions, forces from its potential, deflections of the
// cantilever from one element, a full circle under an end couple, the first frequency within the error of lumped masses.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <numbers>

#include "rubato/base/function.hpp"
#include "rubato/problem/rotation.hpp"
#include "support/mechanism_checks.hpp"

namespace rubato::multibody {
namespace {

/// Nothing is along the axes of space.
const Quaternion tilt = from_axis_angle({1, -2, 0.5}, 1.1);
Vector3 tilted(const Vector3& x) { return rotated(tilt, x); }
Vector3 straightened(const Vector3& x) { return rotated({tilt[0], -tilt[1], -tilt[2], -tilt[3]}, x); }

struct Section {
  Vector3 axial_shear{3000, 0, 0}, torsion_bending{5, 7, 4};
  double damping = 0;
};
constexpr double tiny = 1e-200;

/// A place on the line of the beam.
Marker on_line(std::string body, double x) {
  return {.body = std::move(body), .pose = {.position = tilted({x, 0, 0}), .rotation = tilt}, .in_space = true};
}
Beam beam_of(const Section& section, const Marker& a, const Marker& b) {
  return {.name = "beam" + b.body,
          .a = a,
          .b = b,
          .axial_shear = section.axial_shear,
          .torsion_bending = section.torsion_bending,
          .damping = section.damping};
}

/// Two bodies off the line, turned somehow, joined by a beam of length 0.8.
Mechanism pair(const Section& section) {
  return {.bodies = {{.name = "first",
                      .mass = 2,
                      .inertia = {0.3, 0.4, 0.5},
                      .pose = {.position = {0.1, 0.2, -0.1}, .rotation = from_axis_angle({1, 2, -1}, 0.8)}},
                     {.name = "second",
                      .mass = 1.5,
                      .inertia = {0.2, 0.2, 0.3},
                      .pose = {.position = {0.5, -0.4, 0.7}, .rotation = from_axis_angle({-1, 0.3, 2}, 0.9)}}},
          .forces = {beam_of(section, on_line("first", 0.2), on_line("second", 1))}};
}

std::shared_ptr<const Function> growing(double slope) {
  const std::string variables[] = {"t"};
  auto expression = Expression::parse(std::to_string(1e6 * slope) + "*1e-6*t", variables);
  EXPECT_TRUE(expression.ok());
  return std::make_shared<const Function>(*expression);
}

/// n elements from the ground to x = length, masses of a rod of `density` per length, a load at the tip growing with t.
Mechanism cantilever(int n, double length, const Section& section, const Vector3& force = {},
                     const Vector3& couple = {}, double density = 1) {
  Mechanism m;
  Marker last = on_line("ground", 0);
  const double h = length / n;
  for (int i = 1; i <= n; ++i) {
    const double mass = density * h * (i == n ? 0.5 : 1.0), inertia = 1e-6 * mass * h * h;
    Body node{.name = std::to_string(i), .mass = mass, .inertia = {inertia, inertia, inertia}};
    node.pose = {.position = tilted({i * h, 0, 0}), .rotation = tilt};
    m.bodies.push_back(node);
    const Marker next{.body = node.name};
    m.forces.push_back(beam_of(section, last, next));
    last = next;
  }
  const Vector3 f = tilted(force), c = tilted(couple);
  AppliedForce load{.name = "load", .at = last};
  for (std::size_t k = 0; k < 3; ++k) {
    load.force[k] = growing(f[k]);
    load.torque[k] = growing(c[k]);
  }
  m.forces.push_back(load);
  return m;
}

/// f and −∂f/∂q by dual numbers, at rest and δ = 0, where the increments of the chart are those of the virtual work.
Eigen::MatrixXd stiffness(const MultibodySystem& system, const MechanicalState& s, Vector& force) {
  const Eigen::Index size = s.v.size();
  Eigen::MatrixXd out(size, size);
  force.resize(size);
  ScratchMemory memory(system.scratch_bytes());
  std::vector<Dual8> q(static_cast<std::size_t>(size)), v(q.size()), f(q.size());
  for (Eigen::Index first = 0; first < size; first += 8) {
    const Eigen::Index columns = std::min<Eigen::Index>(8, size - first);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = Dual8(s.q[static_cast<Eigen::Index>(i)]);
    for (Eigen::Index k = 0; k < columns; ++k)
      q[static_cast<std::size_t>(first + k)].d[static_cast<std::size_t>(k)] = 1;
    MechanicalPoint<Dual8> p;
    p.t = Dual8(s.t);
    p.q = q;
    p.v = v;
    p.base = view(s.base);
    p.scratch = memory.scratch();
    EXPECT_EQ(system.dual()->force(p, f), EvalStatus::ok);
    for (Eigen::Index i = 0; i < size; ++i) {
      const Dual8& row = f[static_cast<std::size_t>(i)];
      force[i] = value_of(row);
      for (Eigen::Index k = 0; k < columns; ++k) out(i, first + k) = -row.d[static_cast<std::size_t>(k)];
    }
  }
  return out;
}

/// Equilibrium under the full load (t = 1), approached in steps by Newton's method; charts follow every iteration.
MechanicalState at_rest(const MultibodySystem& system, int steps) {
  MechanicalState s = system.start();
  Vector force;
  for (int i = 1; i <= steps; ++i) {
    s.t = static_cast<double>(i) / steps;
    double last = 1;
    for (int iteration = 0; iteration < 40 && last > 1e-12; ++iteration) {
      const Vector step = stiffness(system, s, force).partialPivLu().solve(force);
      last = step.norm();
      s.q += step;
      system.rebase(view(s.q), view(s.base));
    }
    EXPECT_LE(last, 1e-12) << "load step " << i;
  }
  return s;
}
/// Where a node is and how it has turned, in the axes the cantilever had at the start.
Vector3 place_of(const MultibodySystem& system, const MechanicalState& s, std::size_t body) {
  return straightened(system.pose(body, view(s.q), view(s.base)).position);
}
Quaternion turn_of(const MultibodySystem& system, const MechanicalState& s, std::size_t body) {
  const Quaternion back{tilt[0], -tilt[1], -tilt[2], -tilt[3]};
  return product(back, system.pose(body, view(s.q), view(s.base)).rotation);
}

double energy(const MultibodySystem& system, const MechanicalState& s) {
  StatePoint at(system, s);
  double out = 0;
  EXPECT_EQ(system.part_energy(2, at(), out), EvalStatus::ok);
  return out;
}
/// dU/dt along the motion, by dual numbers.
double energy_rate(const MultibodySystem& system, const MechanicalState& s) {
  StatePoint at(system, s);
  Vector rate(s.q.size());
  EXPECT_EQ(system.kinematics(at(), view(s.v), view(rate)), EvalStatus::ok);
  std::vector<Dual8> q(static_cast<std::size_t>(s.q.size())), v(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    q[i] = Dual8(s.q[static_cast<Eigen::Index>(i)]);
    q[i].d[0] = rate[static_cast<Eigen::Index>(i)];
  }
  ScratchMemory memory(system.scratch_bytes());
  MechanicalPoint<Dual8> p;
  p.q = q;
  p.v = v;
  p.base = view(s.base);
  p.scratch = memory.scratch();
  Dual8 out;
  EXPECT_EQ(system.dual()->part_energy(2, p, out), EvalStatus::ok);
  return out.d[0];
}

/// Both bodies turned by `turn` about the origin, then shifted, velocities likewise.
void move_rigidly(MechanicalState& s, const Quaternion& turn, const Vector3& shift) {
  for (Eigen::Index body = 0; body < 2; ++body) {
    const Vector3 r = rotated(turn, {s.q[6 * body], s.q[6 * body + 1], s.q[6 * body + 2]}),
                  v = rotated(turn, {s.v[6 * body], s.v[6 * body + 1], s.v[6 * body + 2]});
    const Quaternion base =
        product(turn, {s.base[4 * body], s.base[4 * body + 1], s.base[4 * body + 2], s.base[4 * body + 3]});
    for (Eigen::Index k = 0; k < 3; ++k) {
      s.q[6 * body + k] = r[static_cast<std::size_t>(k)] + shift[static_cast<std::size_t>(k)];
      s.v[6 * body + k] = v[static_cast<std::size_t>(k)];
    }
    for (Eigen::Index k = 0; k < 4; ++k) s.base[4 * body + k] = base[static_cast<std::size_t>(k)];
  }
}

const Section general{.axial_shear = {300, 80, 0}, .torsion_bending = {5, 7, 4}};
const Quaternion far_turn = from_axis_angle({0.3, 1, -2}, 2.9);
constexpr Vector3 far_shift{5, -7, 11};

// No stress at the start, nor wherever and however fast the whole is moved: damping sees strain rates only.
TEST(MultibodyBeam, RestsInRigidMotion) {
  Section damped = general;
  damped.damping = 0.1;
  const auto system = built(pair(damped));
  ASSERT_NE(system, nullptr);
  MechanicalState s = system->start();
  EXPECT_LT(element_force(*system, s).norm(), 1e-12);
  move_rigidly(s, far_turn, far_shift);
  const Three<double> spin{2, -3, 1.5}, drift{1, 2, 3};
  for (std::size_t body = 0; body < 2; ++body) {
    const Pose pose = system->pose(body, view(s.q), view(s.base));
    const Quaternion& q = pose.rotation;
    const Three<double> v = cross(spin, pose.position), w = rotated({q[0], -q[1], -q[2], -q[3]}, spin);
    for (std::size_t k = 0; k < 3; ++k) {
      s.v[static_cast<Eigen::Index>(6 * body + k)] = v[k] + drift[k];
      s.v[static_cast<Eigen::Index>(6 * body + 3 + k)] = w[k];
    }
  }
  EXPECT_LT(element_force(*system, s).norm(), 1e-11);
  EXPECT_LT(energy(*system, s), 1e-24);
}

// A bent and moving beam carried elsewhere exerts the same, carried along.
TEST(MultibodyBeam, DoesNotSeeRigidMotion) {
  Section damped = general;
  damped.damping = 0.1;
  const auto system = built(pair(damped));
  ASSERT_NE(system, nullptr);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    MechanicalState s = shaken(*system, seed, 0.5);
    const Vector f = element_force(*system, s);
    const double u = energy(*system, s);
    move_rigidly(s, far_turn, far_shift);
    const Vector moved = element_force(*system, s);
    EXPECT_NEAR(energy(*system, s), u, 1e-12 * u);
    for (Eigen::Index i : {0, 6}) {
      const Vector3 push = rotated(far_turn, {f[i], f[i + 1], f[i + 2]});
      for (Eigen::Index k = 0; k < 3; ++k) {
        EXPECT_NEAR(moved[i + k], push[static_cast<std::size_t>(k)], 1e-12 * f.norm());
        EXPECT_NEAR(moved[i + 3 + k], f[i + 3 + k], 1e-12 * f.norm());
      }
    }
  }
}

// f·v = −dU/dt at any state, at small and large bending.
TEST(MultibodyBeam, ForcesFollowFromThePotential) {
  const auto system = built(pair(general));
  ASSERT_NE(system, nullptr);
  for (const double size : {1e-3, 0.3, 0.7})
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const MechanicalState s = shaken(*system, seed, size);
      const Vector f = element_force(*system, s);
      EXPECT_NEAR(f.dot(s.v), -energy_rate(*system, s), 1e-13 * f.norm() * (1 + s.v.norm()));
      // The same by differences of the energy, which know nothing of dual numbers.
      StatePoint at(*system, s);
      Vector rate(s.q.size());
      ASSERT_EQ(system->kinematics(at(), view(s.v), view(rate)), EvalStatus::ok);
      MechanicalState plus = s, minus = s;
      const double h = 1e-5;
      plus.q += h * rate;
      minus.q -= h * rate;
      EXPECT_NEAR(f.dot(s.v), (energy(*system, minus) - energy(*system, plus)) / (2 * h), 1e-7 * (1 + f.norm()));
    }
}

// Forces between the nodes neither push nor turn both together, damped or not.
TEST(MultibodyBeam, ActsAndReacts) {
  Section damped = general;
  damped.damping = 0.3;
  const auto system = built(pair(damped));
  ASSERT_NE(system, nullptr);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const MechanicalState s = shaken(*system, seed, 0.6);
    const Vector f = element_force(*system, s);
    expect_balance(*system, s, f, 1e-13 * f.norm(), 1e-13 * f.norm());
  }
}

// Of one strain ε alone U = L C ε²/2, so U' = L C ε ε' and damping takes d L C ε'² = d U'²/(2 U): for all six of them.
// Shear comes with the bending that softens it; what bending takes and keeps is subtracted.
TEST(MultibodyBeam, DampingTakesWhatStrainRatesSay) {
  struct Values {
    double u, u_rate, lost;
  };
  const auto values = [](Section section, unsigned seed) {
    const auto free = built(pair(section));
    section.damping = 0.25;
    const auto damped = built(pair(section));
    EXPECT_TRUE(damped->invariant_names().empty());
    const MechanicalState s = shaken(*free, seed, 0.5);
    return Values{energy(*free, s), energy_rate(*free, s),
                  (element_force(*free, s) - element_force(*damped, s)).dot(s.v)};
  };
  for (unsigned seed = 1; seed <= 4; ++seed)
    for (std::size_t strain = 0; strain < 6; ++strain) {
      Section only{.axial_shear = {tiny, tiny, tiny}, .torsion_bending = {tiny, tiny, tiny}};
      (strain < 3 ? only.axial_shear[strain] : only.torsion_bending[strain - 3]) = 10;
      Values found{};
      if (strain == 1 || strain == 2) {
        only.torsion_bending[3 - strain] = 10;
        found = values(only, seed);
        only.axial_shear[strain] = tiny;
        const Values bending = values(only, seed);
        found.u -= bending.u;
        found.u_rate -= bending.u_rate;
        found.lost -= bending.lost;
      } else {
        found = values(only, seed);
      }
      EXPECT_GT(found.lost, 0);
      EXPECT_NEAR(found.lost, 0.25 * found.u_rate * found.u_rate / (2 * found.u), 1e-9 * found.lost) << strain;
    }
}

// Nodal deflections of one element are those of the exact (Timoshenko) beam, however many elements there are.
TEST(MultibodyBeam, BendsAsTheExactBeam) {
  const double l = 1.3, load = 1e-4;
  for (const double ga : {0.0, 50.0})
    for (const int n : {1, 3}) {
      const Section section{.axial_shear = {3000, ga, 2 * ga}, .torsion_bending = {5, 7, 4}};
      const double ea = 3000, gj = 5, ei_y = 7, ei_z = 4;
      const double soft_y = ga > 0 ? l / ga : 0, soft_z = ga > 0 ? l / (2 * ga) : 0;
      struct Case {
        Vector3 force, couple, moved, turned;
      };
      const Case cases[] = {{{1, 0, 0}, {}, {l / ea, 0, 0}, {}},
                            {{0, 1, 0}, {}, {0, l * l * l / (3 * ei_z) + soft_y, 0}, {0, 0, l * l / (2 * ei_z)}},
                            {{0, 0, 1}, {}, {0, 0, l * l * l / (3 * ei_y) + soft_z}, {0, -l * l / (2 * ei_y), 0}},
                            {{}, {1, 0, 0}, {}, {l / gj, 0, 0}},
                            {{}, {0, 1, 0}, {0, 0, -l * l / (2 * ei_y)}, {0, l / ei_y, 0}},
                            {{}, {0, 0, 1}, {0, l * l / (2 * ei_z), 0}, {0, 0, l / ei_z}}};
      for (const Case& c : cases) {
        const auto scaled = [&](const Vector3& x) { return Vector3{load * x[0], load * x[1], load * x[2]}; };
        const auto system = built(cantilever(n, l, section, scaled(c.force), scaled(c.couple)));
        ASSERT_NE(system, nullptr);
        const MechanicalState s = at_rest(*system, 1);
        const auto tip = static_cast<std::size_t>(n - 1);
        const Vector3 at = place_of(*system, s, tip);
        const Quaternion turn = turn_of(*system, s, tip);
        for (std::size_t k = 0; k < 3; ++k) {  // the linear theory is wrong by about (load l²/EI)² = 2e-9
          EXPECT_NEAR((at[k] - (k == 0 ? l : 0)) / load, c.moved[k], 1e-4 * (k == 0 ? 1 : 0.01)) << n << " " << k;
          EXPECT_NEAR(2 * turn[k + 1] / load, c.turned[k], 1e-6) << n << " " << k;
        }
      }
    }
}

// An end couple M = 2π EI/L rolls the cantilever into a full circle: n elements are the sides of a regular polygon, which
// closes exactly; its height over the root is L/π + O(1/n²).
TEST(MultibodyBeam, RollsUpIntoACircle) {
  const double l = 2;
  std::vector<double> errors;
  for (const int n : {6, 12, 24}) {
    const auto system = built(cantilever(n, l, {}, {}, {0, 0, 2 * std::numbers::pi * 4 / l}));
    ASSERT_NE(system, nullptr);
    const MechanicalState s = at_rest(*system, 16);
    const auto tip = static_cast<std::size_t>(n - 1);
    const Vector3 end = place_of(*system, s, tip);
    for (const double x : end) EXPECT_NEAR(x, 0, 1e-10) << n;
    const Quaternion turn = turn_of(*system, s, tip);
    EXPECT_NEAR(std::abs(turn[0]), 1, 1e-9);
    const Vector3 half_way = place_of(*system, s, tip / 2);
    EXPECT_GT(half_way[1], 0);
    errors.push_back(std::abs(std::hypot(half_way[0], half_way[1]) - l / std::numbers::pi));
    EXPECT_LT(std::abs(std::hypot(half_way[0], half_way[1]) - l / n / std::sin(std::numbers::pi / n)), 1e-6) << n;
  }
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.3);
  EXPECT_NEAR(errors[1] / errors[2], 4, 0.1);
}

// The same found by static_equilibrium from the straight beam, in the plane and (about a slanted axis) in space: half a circle
// and nearly a full one. A plain Newton iteration goes astray.
TEST(MultibodyBeam, StaticsBendsItFar) {
  const double l = 2;
  const Section round{.axial_shear = {3000, 0, 0}, .torsion_bending = {4, 4, 4}};
  for (const double turns : {0.25, 0.5, 0.95})
    for (const double slant : {0.0, 0.8}) {
      const double couple = 2 * std::numbers::pi * turns * 4 / l;
      const auto system = built(cantilever(12, l, round, {}, {0, couple * std::sin(slant), couple * std::cos(slant)}));
      MechanicalState guess = system->start();
      guess.t = 1;  // the load is there
      const auto rest = static_equilibrium(*system, guess);
      ASSERT_TRUE(rest.ok()) << rest.error().message;
      // A polygon of chords 2 r sin(φ/2n) … with nodes on a circle: across, the tip is at r (1 − cos φ), r = chord/(2 sin(φ/2n)).
      const double phi = 2 * std::numbers::pi * turns;
      const Vector3 end = place_of(*system, *rest, 11);
      const double chord = l / 12, r = chord / (2 * std::sin(phi / 24));
      EXPECT_NEAR(std::hypot(end[1], end[2]), std::abs(r * (1 - std::cos(phi))), 1e-6) << turns << " " << slant;
      EXPECT_NEAR(end[0], r * std::sin(phi), 1e-6) << turns << " " << slant;
    }
}

// Against ω = 1.8751² √(EI/(ρA L⁴)), about the softer axis: lumped masses leave an error of order 1/n².
TEST(MultibodyBeam, VibratesAsTheExactBeam) {
  const double l = 1.5, density = 0.6, exact = 1.875104068711961 * 1.875104068711961 * std::sqrt(4 / density) / (l * l);
  std::vector<double> errors;
  for (const int n : {8, 16}) {
    const auto system = built(cantilever(n, l, {.axial_shear = {1e5, 0, 0}}, {}, {}, density));
    ASSERT_NE(system, nullptr);
    const MechanicalState s = system->start();
    const Eigen::Index size = s.v.size();
    Vector force;
    const Eigen::MatrixXd k = stiffness(*system, s, force);
    Eigen::MatrixXd mass(size, size);
    for (Eigen::Index j = 0; j < size; ++j) {
      StatePoint at(*system, s);
      const Vector unit = Vector::Unit(size, j);
      Vector column(size);
      ASSERT_EQ(system->inertia(at(), view(unit), view(column)), EvalStatus::ok);
      mass.col(j) = column;
    }
    EXPECT_LT((k - k.transpose()).norm(), 1e-12 * k.norm());
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(k, mass, Eigen::EigenvaluesOnly);
    const double omega = std::sqrt(modes.eigenvalues()[0]);
    errors.push_back(omega / exact - 1);
  }
  EXPECT_LT(std::abs(errors[0]), 0.01) << errors[0];
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.2) << errors[0] << " " << errors[1];
}

// Undamped, energy is kept through large bending; damped, the beam comes to rest where statics says.
TEST(MultibodyBeam, KeepsItsEnergyAndComesToRest) {
  Mechanism m = cantilever(2, 1, {});
  m.forces.pop_back();
  m.bodies[1].velocity = tilted({0, 1.5, 1});
  for (Body& body : m.bodies) body.inertia = {0.01, 0.01, 0.01};
  const auto free = built(m);
  ASSERT_NE(free, nullptr);
  const auto total = [&](const MechanicalState& s) {
    StatePoint at(*free, s);
    Vector p(s.v.size());
    EXPECT_EQ(free->inertia(at(), view(s.v), view(p)), EvalStatus::ok);
    double sum = 0.5 * p.dot(s.v);
    for (int part = 2; part < 4; ++part) {
      double one = 0;
      EXPECT_EQ(free->part_energy(part, at(), one), EvalStatus::ok);
      sum += one;
    }
    return sum;
  };
  const double start = total(free->start());
  EXPECT_NEAR(total(run(free, {.t_end = 0.5, .rtol = 1e-9}).state), start, 1e-6 * start);

  m.gravity = tilted({0, -9.81, 0});
  for (ForceElement& force : m.forces) std::get<Beam>(force).damping = 0.05;
  const auto damped = built(m);
  ASSERT_NE(damped, nullptr);
  const auto statics = static_equilibrium(*damped, damped->start());
  ASSERT_TRUE(statics.ok());
  const Ending end = run(damped, {.t_end = 20, .rtol = 1e-8});
  const Vector3 expected = place_of(*damped, *statics, 1), found = place_of(*damped, end.state, 1);
  EXPECT_LT(expected[1], -0.1);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], 1e-6);
}

TEST(MultibodyBeam, MistakesAreNamed) {
  struct Mistake {
    std::function<void(Mechanism&, Beam&)> make;
    std::vector<std::string> words;
  };
  const Mistake mistakes[] = {
      {[](Mechanism&, Beam& b) { b.axial_shear[0] = 0; }, {"EA = 0", "positive"}},
      {[](Mechanism&, Beam& b) { b.axial_shear[1] = -1; }, {"GA_y = -1", "rigid in shear"}},
      {[](Mechanism&, Beam& b) { b.torsion_bending[0] = 0; }, {"GJ = 0", "positive"}},
      {[](Mechanism&, Beam& b) { b.torsion_bending[2] = NAN; }, {"EI_z = nan", "positive"}},
      {[](Mechanism&, Beam& b) { b.damping = -1; }, {"damping = -1"}},
      {[](Mechanism&, Beam& b) { b.b.body = b.a.body; }, {"both frames"}},
      {[](Mechanism&, Beam& b) { b.b.pose.position = b.a.pose.position; }, {"no length"}},
      {[](Mechanism&, Beam& b) { std::swap(b.a.pose, b.b.pose); }, {"x of frame a", "from a to b"}},
      {[](Mechanism&, Beam& b) { b.b.pose.rotation = no_rotation; }, {"x of frame b"}},
      {[](Mechanism&, Beam& b) {
         b.b.pose.rotation = product(tilt, from_axis_angle({1, 0, 0}, 0.1));
       },
       {"twisted"}},
      {[](Mechanism& m, Beam&) { m.bodies[0] = {.name = "first", .kind = BodyKind::point, .mass = 1}; },
       {"'first'", "spatial body"}}};
  for (const Mistake& mistake : mistakes) {
    Mechanism m = pair(general);
    mistake.make(m, std::get<Beam>(m.forces[0]));
    const auto system = build(m);
    ASSERT_FALSE(system.ok()) << mistake.words[0];
    EXPECT_NE(system.error().message.find("beam 'beamsecond'"), std::string::npos) << system.error().message;
    for (const std::string& word : mistake.words)
      EXPECT_NE(system.error().message.find(word), std::string::npos) << word << " in: " << system.error().message;
  }
}

}  // namespace
}  // namespace rubato::multibody
