// Orders of convergence by a manufactured solution, for every pair with pressures and for pure displacements, at large strains; with
// pressures the errors do not depend on the bulk modulus, up to exact incompressibility: no locking.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fem/solid_support.hpp"
#include "rubato/problem/consistent.hpp"
#include "solid_support.hpp"

namespace rubato::fem {
namespace {

using test::place;
using Vec3 = Eigen::Vector3d;
using test::Mat3, test::tensor;

/// Two shears one after the other: the volume of every part stays, J = 1, so that the same motion serves all bulk moduli.
Vec3 moved(const Vec3& x, bool space) {
  const double a = x[0] + 0.15 * std::sin(2 * x[1] + (space ? x[2] : 0));
  const double b = x[1] + 0.1 * std::sin(2 * a);
  const double c = space ? x[2] + 0.1 * std::sin(a + 2 * b) : x[2];
  return {a, b, c};
}
Mat3 gradient(const Vec3& x, bool space) {
  const double step = 1e-4;  // five points: an error of 1e-13
  Mat3 f = Mat3::Identity();
  for (int k = 0; k < (space ? 3 : 2); ++k) {
    const auto at = [&](double s) {
      Vec3 y = x;
      y[k] += s * step;
      return moved(y, space);
    };
    f.col(k) = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
  }
  return f;
}

/// −Div P of the isochoric part: the pressure is zero.
std::array<double, 3> body_force(const Material& law, std::span<const double> at, bool space) {
  const double step = 1e-3;
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < (space ? 3 : 2); ++k) {
    const auto stress = [&](double s) {
      Vec3 y = place(at);
      y[k] += s * step;
      const Tensor p = evaluate(law, tensor(gradient(y, space))).stress;
      return Vec3(p[static_cast<std::size_t>(k)], p[static_cast<std::size_t>(3 + k)],
                  p[static_cast<std::size_t>(6 + k)]);
    };
    sum -= (8 * (stress(1) - stress(-1)) - (stress(2) - stress(-2))) / (12 * step);
  }
  return {sum[0], sum[1], sum[2]};
}

struct Errors {
  double l2 = 0, h1 = 0, pressure = 0;
};

Errors errors_of(Shape shape, PressureSpace pressure, double bulk, int n) {
  const bool space = info(shape).dimension == 3;
  SolidModel model;
  model.mesh = *block({.shape = shape, .divisions = {n, n, n}, .map = [space](const Place& x) {
                         const double bend =
                             0.06 * std::sin(3 * x[0] + 1) * std::sin(3 * x[1]) * (space ? 1 + x[2] : 1) * (1 - x[0]);
                         return Place{x[0] + bend, x[1] - bend, x[2] + (space ? 0.5 * bend : 0)};
                       }});
  model.analysis = space ? Analysis::space : Analysis::plane_strain;
  const Material material{.name = "rubber", .density = 1, .law = mooney_rivlin(0.4, 0.1), .bulk = bulk};
  Material isochoric = material;
  isochoric.bulk = INFINITY;
  model.materials = {material};
  model.regions = {{.group = "body", .material = "rubber", .pressure = pressure}};
  const auto exact = [space](const Vec3& x) { return Vec3(moved(x, space) - x); };
  // The right side, flat, is loaded: were all of the boundary held, its volume as the mesh has it would not fit an incompressible body.
  for (const char* side : {"left", "bottom", "top", "back", "front"})
    if (model.mesh.find_group(side) != nullptr) model.prescribed.push_back(test::prescribed(model.mesh, side, exact));
  const auto on_the_right = [=](std::span<const double> x) {
    const Tensor p = evaluate(isochoric, tensor(gradient(place(x), space))).stress;
    return std::array{p[0], p[3], p[6]};
  };
  model.tractions = {{.group = "right", .varying = {.pattern = on_the_right, .factor = test::of_time("1")}}};
  model.body_forces = {{.group = "body",
                        .force = {.pattern = [=](std::span<const double> x) { return body_force(isochoric, x, space); },
                                  .factor = test::of_time("1")}}};
  const auto system = build(std::move(model));
  EXPECT_TRUE(system.ok()) << system.error().message;
  MechanicalState guess = test::at_rest(**system);
  guess.q = test::interpolated(**system, exact);
  const auto state = static_equilibrium(**system, guess);
  EXPECT_TRUE(state.ok()) << state.error().message;
  if (!state) return {};

  const Mesh& mesh = (*system)->model().mesh;
  const auto u = (*system)->displacements(0, view(state->q));
  const int d = mesh.dimension;
  Errors sum;
  for (const int e : mesh.find_group("body")->elements) {
    const auto nodes = mesh.element(e);
    const auto numbers = (*system)->pressures(e);
    for (const auto& q : quadrature(shape, info(shape).corners == d + 1 ? 6 : 7)) {
      const ShapeValues s = evaluate(shape, q.xi);
      Mat3 jacobian = Mat3::Identity();
      jacobian.topLeftCorner(d, d).setZero();
      Vec3 x = Vec3::Zero(), uh = Vec3::Zero();
      for (std::size_t a = 0; a < nodes.size(); ++a)
        for (int i = 0; i < d; ++i) {
          x[i] += s.n[a] * mesh.point(nodes[a])[static_cast<std::size_t>(i)];
          uh[i] += s.n[a] * u[static_cast<std::size_t>(nodes[a] * d + i)];
          for (int k = 0; k < d; ++k)
            jacobian(i, k) += mesh.point(nodes[a])[static_cast<std::size_t>(i)] * s.dn[a][static_cast<std::size_t>(k)];
        }
      const Mat3 inverse = jacobian.inverse();
      Mat3 gradient_h = Mat3::Zero();
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const Vec3 dn = inverse.transpose() * Vec3(s.dn[a][0], s.dn[a][1], s.dn[a][2]);
        for (int i = 0; i < d; ++i) gradient_h.row(i) += u[static_cast<std::size_t>(nodes[a] * d + i)] * dn.transpose();
      }
      const double w = q.weight * jacobian.determinant();
      sum.l2 += w * (uh - exact(x)).squaredNorm();
      sum.h1 += w * (gradient_h - (gradient(x, space) - Mat3::Identity())).squaredNorm();
      if (numbers.empty()) continue;
      std::array<double, 27> psi{};
      if (pressure == PressureSpace::continuous)
        psi = evaluate(info(shape).linear, q.xi).n;
      else
        psi = {1, q.xi[0], q.xi[1], q.xi[2]};
      double p = 0;
      for (std::size_t k = 0; k < numbers.size(); ++k) p += psi[k] * state->lambda[numbers[k]];
      sum.pressure += w * p * p;
    }
  }
  return {std::sqrt(sum.l2), std::sqrt(sum.h1), std::sqrt(sum.pressure)};
}

struct Expected {
  Shape shape;
  PressureSpace pressure;
  double l2, h1, p;
};

TEST(Convergence, HasTheOrdersOfTheory) {
  const auto none = PressureSpace::none, continuous = PressureSpace::continuous,
             discontinuous = PressureSpace::discontinuous;
  for (const Expected& c : {Expected{Shape::tri3, none, 2, 1, 0},
                            {Shape::tri6, none, 3, 2, 0},
                            {Shape::quad4, none, 2, 1, 0},
                            {Shape::quad8, none, 3, 2, 0},
                            {Shape::quad9, none, 3, 2, 0},
                            {Shape::tri6, continuous, 3, 2, 2},
                            {Shape::quad9, continuous, 3, 2, 2},
                            {Shape::quad9, discontinuous, 3, 2, 2},
                            {Shape::hex8, none, 2, 1, 0},
                            {Shape::hex20, none, 3, 2, 0},
                            {Shape::hex27, none, 3, 2, 0},
                            {Shape::tet4, none, 2, 1, 0},
                            {Shape::tet10, none, 3, 2, 0},
                            {Shape::tet10, continuous, 3, 2, 2},
                            {Shape::hex27, continuous, 3, 2, 2},
                            {Shape::hex27, discontinuous, 3, 2, 2}}) {
    const bool space = info(c.shape).dimension == 3, quadratic = info(c.shape).degree == 2;
    const int n = space ? (quadratic ? 2 : 4) : (quadratic ? 6 : 16);
    const Errors coarse = errors_of(c.shape, c.pressure, 30, n), fine = errors_of(c.shape, c.pressure, 30, 2 * n);
    const auto order = [](double a, double b) { return std::log2(a / b); };
    const std::string what = fmt::format("{} pressure {}", info(c.shape).name, static_cast<int>(c.pressure));
    const double slack = space ? 0.5 : 0.3;
    EXPECT_GT(order(coarse.l2, fine.l2), c.l2 - slack) << what;
    EXPECT_GT(order(coarse.h1, fine.h1), c.h1 - slack) << what;
    EXPECT_LT(order(coarse.h1, fine.h1), c.h1 + 0.6) << what;
    if (c.p > 0) {
      EXPECT_GT(order(coarse.pressure, fine.pressure), c.p - slack) << what;
    }
  }
}

TEST(Convergence, WithPressuresDoesNotDependOnTheBulkModulus) {
  for (const auto& [shape, pressure] : {std::pair{Shape::tri6, PressureSpace::continuous},
                                        {Shape::quad9, PressureSpace::continuous},
                                        {Shape::quad9, PressureSpace::discontinuous},
                                        {Shape::hex27, PressureSpace::discontinuous},
                                        {Shape::tet10, PressureSpace::continuous}}) {
    const int n = info(shape).dimension == 3 ? 2 : 6;
    const Errors soft = errors_of(shape, pressure, 30, n);
    for (const double bulk : {3e5, 3e8, static_cast<double>(INFINITY)}) {
      const Errors hard = errors_of(shape, pressure, bulk, n);
      EXPECT_LT(hard.h1, 1.1 * soft.h1) << info(shape).name << ' ' << bulk;
      EXPECT_LT(hard.l2, 1.15 * soft.l2) << info(shape).name << ' ' << bulk;
      EXPECT_LT(hard.pressure, 3 * soft.pressure + 1e-9) << info(shape).name << ' ' << bulk;
    }
  }
}

}  // namespace
}  // namespace rubato::fem
