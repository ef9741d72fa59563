/// Parallelogram linkage in space: two cranks of length L on the ground, d apart, and a coupler between them, hanging under
/// gravity (−y). Three bodies in absolute coordinates (position and rotation chart, 18 velocities), four revolute joints
/// about z with five equations each: 20 constraints of rank 17, for the planar loop leaves three of them to repetition.
/// The coupler translates on a circle, so the angle θ of the cranks from the downward vertical is a pendulum,
///   (2 J_p + m_c L²) θ'' = −(m L + m_c L) g sin θ,   J_p = m L²/3,
/// released from rest: exact by elliptic functions. θ₀ stays below π/2, where the linkage is flat and may branch.
/// The end, t = 1.7, is no turning point (t = 2 nearly is one: errors vanish there by symmetry).
#include <cmath>

#include "catalogue/elliptic.hpp"
#include "catalogue/problems.hpp"
#include "rubato/problem/rotation.hpp"

namespace rubato::catalogue {

namespace {

constexpr double loop_length = 1, distance = 1.5, crank_mass = 2, coupler_mass = 3, loop_gravity = 9.81;
constexpr std::array<double, 3> masses{crank_mass, coupler_mass, crank_mass};
// Slender rods: crank along its own y, coupler along its own x; a little about the axis itself.
constexpr double crank_inertia = crank_mass * loop_length * loop_length / 12,
                 coupler_inertia = coupler_mass * distance * distance / 12;
constexpr std::array<Three<double>, 3> moments{Three<double>{crank_inertia, 0.01, crank_inertia},
                                               Three<double>{0.01, coupler_inertia, coupler_inertia},
                                               Three<double>{crank_inertia, 0.01, crank_inertia}};
constexpr Three<double> ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};
constexpr Three<double> crank_top{0, loop_length / 2, 0}, crank_end{0, -loop_length / 2, 0};
constexpr Three<double> coupler_left{-distance / 2, 0, 0}, coupler_right{distance / 2, 0, 0};

/// A body's coordinates at a point: (r, δ) and its quaternion.
template <class S>
struct Body {
  Three<S> r, delta;
  In quaternion;
  Body(const MechanicalPoint<S>& p, std::size_t i)
      : r(three(p.q, 6 * i)), delta(three(p.q, 6 * i + 3)), quaternion(p.base.subspan(4 * i, 4)) {}
  [[nodiscard]] Three<S> direction(const Three<double>& e) const { return to_space(quaternion, delta, e); }
  [[nodiscard]] Three<S> point(const Three<double>& e) const {
    const Three<S> d = direction(e);
    return {r[0] + d[0], r[1] + d[1], r[2] + d[2]};
  }
};

struct Loop {
  static constexpr bool constant_mass = true, autonomous = true, rates_near_identity = true;
  MechanicalSizes sizes() const { return {.q = 18, .v = 18, .lambda = 20}; }
  std::vector<std::string> names(std::string_view block) const {
    if (block != "q" && block != "v") return {};
    std::vector<std::string> names;
    for (const char* body : {"left", "coupler", "right"})
      for (const char* c : {"x", "y", "z", "rx", "ry", "rz"})
        names.push_back(std::string(body) + (block == "q" ? "." : ".d_") + c);
    return names;
  }
  int base_size() const { return 12; }
  void rebase(Out q, Out base) const {
    for (std::size_t i = 0; i < 3; ++i) rebase_rotation(q.subspan(6 * i + 3, 3), base.subspan(4 * i, 4));
  }
  void transport(In from, In to, Out q) const {
    for (std::size_t i = 0; i < 3; ++i)
      transport_rotation(from.subspan(4 * i, 4), to.subspan(4 * i, 4), q.subspan(6 * i + 3, 3));
  }
  template <class S>
  EvalStatus kinematics(const MechanicalPoint<S>& p, std::span<const S> v, std::span<S> rate) const {
    EvalStatus status = EvalStatus::ok;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) rate[6 * i + k] = v[6 * i + k];
      const auto one = chart_rate(three(p.q, 6 * i + 3), three(v, 6 * i + 3), rate.subspan(6 * i + 3, 3));
      if (one != EvalStatus::ok) status = one;
    }
    return status;
  }
  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        out[6 * i + k] = masses[i] * a[6 * i + k];
        out[6 * i + 3 + k] = moments[i][k] * a[6 * i + 3 + k];
      }
  }
  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    for (std::size_t i = 0; i < 3; ++i) {
      const Three<S> omega = three(p.v, 6 * i + 3);
      const Three<S> gyration =
          cross(omega, Three<S>{moments[i][0] * omega[0], moments[i][1] * omega[1], moments[i][2] * omega[2]});
      for (std::size_t k = 0; k < 3; ++k) {
        f[6 * i + k] = S(k == 1 ? -masses[i] * loop_gravity : 0.0);
        f[6 * i + 3 + k] = -gyration[k];
      }
    }
  }
  /// Joints: ground-left crank, left crank-coupler, coupler-right crank, right crank-ground. Each: points meet (3), the
  /// second body's z is normal to x and y of the first (2).
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    const Body<S> left(p, 0), coupler(p, 1), right(p, 2);
    const Three<S> z_left = left.direction(ez), z_coupler = coupler.direction(ez), z_right = right.direction(ez);
    const Three<S> o = left.point(crank_top), a = left.point(crank_end), b = coupler.point(coupler_left);
    const Three<S> c = coupler.point(coupler_right), d = right.point(crank_end), e = right.point(crank_top);
    const Three<double> ground_right{distance, 0, 0};
    for (std::size_t k = 0; k < 3; ++k) {
      g[k] = o[k];
      g[5 + k] = b[k] - a[k];
      g[10 + k] = d[k] - c[k];
      g[15 + k] = e[k] - ground_right[k];
    }
    g[3] = z_left[0];
    g[4] = z_left[1];
    g[8] = dot(left.direction(ex), z_coupler);
    g[9] = dot(left.direction(ey), z_coupler);
    g[13] = dot(coupler.direction(ex), z_right);
    g[14] = dot(coupler.direction(ey), z_right);
    g[18] = z_right[0];
    g[19] = z_right[1];
  }
  std::vector<std::string> invariant_names() const { return {"energy"}; }
  void invariants(const MechanicalPoint<double>& p, Out out) const {
    double energy = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      energy += masses[i] * loop_gravity * p.q[6 * i + 1];
      for (std::size_t k = 0; k < 3; ++k)
        energy +=
            (masses[i] * p.v[6 * i + k] * p.v[6 * i + k] + moments[i][k] * p.v[6 * i + 3 + k] * p.v[6 * i + 3 + k]) / 2;
    }
    out[0] = energy;
  }
};

Result<Instance> make_overconstrained_loop(const Parameters& p, std::string_view formulation) {
  const double theta0 = get(p, "theta0"), t_end = get(p, "t_end");
  const double about_pivot = crank_inertia + crank_mass * loop_length * loop_length / 4;
  const double omega2 = (crank_mass + coupler_mass) * loop_length * loop_gravity /
                        (2 * about_pivot + coupler_mass * loop_length * loop_length);
  const auto [theta, rate] = swing(theta0, std::sqrt(omega2), t_end);
  const double s = std::sin(theta), c = std::cos(theta);
  Task task{.t_end = t_end,
            .reference = Reference{.t = t_end,
                                   .components = {"coupler.x", "coupler.y", "coupler.d_x", "coupler.d_y"},
                                   .values = {distance / 2 + loop_length * s, -loop_length * c, loop_length * rate * c,
                                              loop_length * rate * s},
                                   .accuracy = 1e-14,
                                   .origin = "exact"},
            .measure = {.atol = 1,
                        .rtol = 0,
                        .definition = "absolute error of position and velocity of the coupler at t_end"},
            .initial_step = 1e-3};
  const double s0 = std::sin(theta0), c0 = std::cos(theta0), h = loop_length / 2;
  MechanicalState guess{
      .q = Vector::Zero(18), .v = Vector::Zero(18), .lambda = Vector::Zero(20), .base = Vector::Zero(12)};
  guess.q.segment(0, 2) = vector({h * s0, -h * c0});
  guess.q.segment(6, 2) = vector({distance / 2 + loop_length * s0, -loop_length * c0});
  guess.q.segment(12, 2) = vector({distance + h * s0, -h * c0});
  // Cranks turned by θ₀ about z.
  guess.base << std::cos(theta0 / 2), 0, 0, std::sin(theta0 / 2), 1, 0, 0, 0, std::cos(theta0 / 2), 0, 0,
      std::sin(theta0 / 2);
  return mechanical_instance(make_mechanical(Loop{}), guess, formulation.empty() ? "index-2" : formulation,
                             std::move(task));
}

}  // namespace

Entry overconstrained_loop() {
  return {.name = "overconstrained-loop",
          .title = "parallelogram linkage in space: 20 constraints of rank 17",
          .source = "planar loop of four revolute joints in absolute coordinates; exact by elliptic functions",
          .parameters = {{.name = "theta0",
                          .default_value = 1,
                          .unit = "rad",
                          .help = "angle of the cranks at the start, from the downward vertical",
                          .min = -1.5,
                          .max = 1.5},
                         end_time(1.7)},
          .formulations = {"index-3", "index-2", "ggl", "index-1", "semi-explicit", "state-space"},
          .default_formulation = "index-2",
          .t_end = 1.7,
          .make = make_overconstrained_loop};
}

}  // namespace rubato::catalogue
