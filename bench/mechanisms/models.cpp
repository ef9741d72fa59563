#include "models.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "rubato/multibody/geometry.hpp"
#include "rubato/multibody/system.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato::bench {

using multibody::Vector3;

namespace {

multibody::Body rod(std::string name, double mass, const Vector3& from, const Vector3& to) {
  const double x = to[0] - from[0], y = to[1] - from[1];
  return {.name = std::move(name),
          .kind = multibody::BodyKind::planar,
          .mass = mass,
          .inertia = multibody::rod_inertia_x(mass, std::hypot(x, y)),
          .pose = {.position = {(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, 0},
                   .rotation = multibody::from_axis_angle({0, 0, 1}, std::atan2(y, x))}};
}

multibody::Joint pin(std::string name, std::string a, std::string b, const Vector3& at) {
  return {.name = std::move(name),
          .type = multibody::JointType::revolute,
          .a = multibody::marker_at(std::move(a), at),
          .b = multibody::marker_at(std::move(b), at)};
}

}  // namespace

multibody::Mechanism four_bar() {
  const double crank = 0.2, coupler = 0.5, rocker = 0.4, angle = std::numbers::pi / 3;
  const Vector3 a{}, b{crank * std::cos(angle), crank * std::sin(angle), 0}, d{0.6, 0, 0};
  // c: `coupler` from b, `rocker` from d.
  const double dx = d[0] - b[0], dy = d[1] - b[1], l = std::hypot(dx, dy),
               along = (coupler * coupler - rocker * rocker + l * l) / (2 * l),
               up = std::sqrt(coupler * coupler - along * along);
  const Vector3 c{b[0] + (along * dx - up * dy) / l, b[1] + (along * dy + up * dx) / l, 0};
  return {.bodies = {rod("crank", 0.4, a, b), rod("coupler", 1, b, c), rod("rocker", 0.8, d, c)},
          .joints = {pin("a", "ground", "crank", a), pin("b", "crank", "coupler", b), pin("c", "coupler", "rocker", c),
                     pin("d", "ground", "rocker", d)},
          .gravity = {0, -9.81, 0}};
}

multibody::Mechanism rod_chain(int links) {
  multibody::Mechanism chain{.gravity = {0, -9.81, 0}};
  const double share = 1.0 / links;
  std::string before = "ground";
  for (int i = 0; i < links; ++i) {
    const Vector3 from{i * share, 0, 0}, to{(i + 1) * share, 0, 0};
    const std::string name = "link" + std::to_string(i + 1);
    chain.bodies.push_back(rod(name, share, from, to));
    chain.joints.push_back(pin("pin" + std::to_string(i + 1), before, name, from));
    before = name;
  }
  return chain;
}

Result<InitialValueProblem> problem_of(const multibody::Mechanism& mechanism, std::string_view formulation,
                                       double t_end) {
  const auto system = multibody::build(mechanism);
  if (!system) return system.error();
  const auto wanted = formulation_by_name(formulation);
  if (!wanted) return wanted.error();
  ConstraintDiagnosis diagnosis;
  const auto start = consistent_state(**system, (*system)->start(), {.minimum_norm = false}, &diagnosis);
  if (!start) return start.error();
  const auto dae = formulate(*system, *wanted, diagnosis.dependent);
  if (!dae) return dae.error();
  InitialValueProblem problem;
  problem.dae = *dae;
  problem.t_end = t_end;
  problem.base = (*dae)->base_of(*start);
  (*dae)->pack(*start, problem.x, problem.w);
  return problem;
}

}  // namespace rubato::bench
