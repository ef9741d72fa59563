#include "rigid_body.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "rubato/problem/rotation.hpp"

namespace rubato::fem::detail {
namespace {

using Second = Dual<Dual<double, 1>, 1>;  // value, first and second derivative

Second variable(double t) {
  Second x{Dual<double, 1>{t}};
  x.value.d[0] = 1;
  x.d[0] = Dual<double, 1>{1.0};
  return x;
}
double derivative(const Second& x, int n) { return n == 0 ? x.value.value : n == 1 ? x.value.d[0] : x.d[0].d[0]; }

}  // namespace

std::vector<Function> RigidBody::motions() const {
  std::vector<Function> out;
  for (const auto* list : {&data.displacement, &data.rotation})
    for (const auto& f : *list)
      if (f) out.push_back(*f);
  return out;
}
std::vector<Function> RigidBody::loads() const {
  std::vector<Function> out;
  for (const auto* list : {&data.force, &data.moment}) out.insert(out.end(), list->begin(), list->end());
  return out;
}

RigidBody::Components RigidBody::take(In q) const noexcept {
  Components c{};
  for (int k = 0; k < components(); ++k)
    if (coordinate[at(k)] >= 0) c[at(k)] = q[at(coordinate[at(k)])];
  return c;
}

void RigidBody::add_known(double t, int n, Components& c) const noexcept {
  if (n > 0 && still) return;
  const int d = dimension;
  for (int i = 0; i < d; ++i)
    if (const auto& f = data.displacement[at(i)]) c[at(i)] += derivatives(*f, t)[at(n)];
  if (!turns) return;
  const Second time = variable(t);
  Three<Second> angle{};
  for (std::size_t i = 0; i < 3; ++i)
    if (data.rotation[i]) angle[i] = (*data.rotation[i])(time);
  const Rotation<Second> r = rotation_by(angle);
  for (int k = 0; k < d; ++k)
    for (int i = 0; i < d; ++i)
      c[at((k + 1) * d + i)] += length * (derivative(r[at(i)][at(k)], n) - (i == k && n == 0 ? 1 : 0));
}

void RigidBody::put(const Components& f, double factor, Out out) const noexcept {
  for (int k = 0; k < components(); ++k)
    if (coordinate[at(k)] >= 0) out[at(coordinate[at(k)])] += factor * f[at(k)];
}

RigidBody::Components RigidBody::times_mass(const Components& a) const noexcept {
  Components out{};
  const int d = dimension;
  for (int k = 0; k <= d; ++k)
    for (int l = 0; l <= d; ++l)
      for (int i = 0; i < d; ++i) out[at(k * d + i)] += mass[at(k)][at(l)] * a[at(l * d + i)];
  return out;
}

std::array<double, 3> RigidBody::column(const Components& c, int k, bool rate) const noexcept {
  std::array<double, 3> f{};
  for (int i = 0; i < dimension; ++i) f[at(i)] = c[at((k + 1) * dimension + i)] / length + (i == k && !rate ? 1 : 0);
  return f;
}

double RigidBody::strain(const Pair& ij, const Components& c) const noexcept {
  const auto [i, j] = ij;  // F_i·F_j − δ_ij = (h_i·e_j + h_j·e_i)/L + h_i·h_j/L²
  const auto hi = column(c, i, true), hj = column(c, j, true);
  return volume * (hi[at(j)] + hj[at(i)] + dot(hi, hj)) * (i == j ? 0.5 : 1);
}
double RigidBody::strain_rate(const Pair& ij, const Components& c, const Components& rate) const noexcept {
  const auto [i, j] = ij;
  const double sum = dot(column(c, i), column(rate, j, true)) + dot(column(rate, i, true), column(c, j));
  return volume * sum * (i == j ? 0.5 : 1);
}
double RigidBody::strain_curvature(const Pair& ij, const Components& rate) const noexcept {
  const auto [i, j] = ij;
  return volume * dot(column(rate, i, true), column(rate, j, true)) * (i == j ? 1 : 2);
}

RigidBody::Components RigidBody::stress_forces(const Components& c, In lambda) const noexcept {
  Components f{};
  const int d = dimension;
  for (std::size_t s = 0; s < strains.size(); ++s) {
    const double force = volume / length * lambda[at(first_row) + s];
    const auto [i, j] = strains[s];
    const auto fi = column(c, i), fj = column(c, j);
    for (int x = 0; x < d; ++x) {
      f[at((i + 1) * d + x)] += force * fj[at(x)];
      if (i != j) f[at((j + 1) * d + x)] += force * fi[at(x)];
    }
  }
  return f;
}

RigidBody::Components RigidBody::applied(double t, const Components& c) const noexcept {
  Components out{};
  std::array<double, 3> m{};
  for (std::size_t i = 0; i < 3; ++i) m[i] = data.moment[i](t);
  for (int i = 0; i < dimension; ++i) out[at(i)] = data.force[at(i)](t);
  for (int k = 0; k < dimension; ++k) {
    const auto f = cross(m, column(c, k));
    for (int i = 0; i < dimension; ++i) out[at((k + 1) * dimension + i)] = 0.5 * f[at(i)] / length;
  }
  return out;
}

std::array<double, 3> RigidBody::rotation(const Components& c) const noexcept {
  Eigen::Matrix3d f = Eigen::Matrix3d::Identity();
  for (int k = 0; k < dimension; ++k) {
    const auto x = column(c, k);
    for (int i = 0; i < dimension; ++i) f(i, k) = x[at(i)];
  }
  if (dimension == 2) return {0, 0, std::atan2(f(1, 0) - f(0, 1), f(0, 0) + f(1, 1))};
  for (int i = 0; i < 4; ++i)
    f = (0.5 * (f + f.inverse().transpose())).eval();  // the rotation of the polar decomposition
  const Eigen::AngleAxisd turn(f);
  const Eigen::Vector3d x = turn.angle() * turn.axis();
  return {x[0], x[1], x[2]};
}

std::array<double, 3> RigidBody::angular_velocity(const Components& c, const Components& rate) const noexcept {
  std::array<double, 3> out{};  // Σ_k F_k × (ω × F_k) = 2 ω, in the plane as well
  for (int k = 0; k < dimension; ++k) {
    const auto x = cross(column(c, k), column(rate, k, true));
    for (std::size_t i = 0; i < 3; ++i) out[i] += 0.5 * x[i];
  }
  return out;
}

std::array<double, 3> RigidBody::moment(const Components& c, const Components& f) const noexcept {
  std::array<double, 3> out{};
  for (int k = 0; k < dimension; ++k) {
    std::array<double, 3> force{};
    for (int i = 0; i < dimension; ++i) force[at(i)] = f[at((k + 1) * dimension + i)];
    const auto x = cross(column(c, k), force);
    for (std::size_t i = 0; i < 3; ++i) out[i] += length * x[i];
  }
  return out;
}

}  // namespace rubato::fem::detail
