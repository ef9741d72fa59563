/// Washing machine, planar, 19 coordinates: housing H and tub W (x, y, φ), drum angle φ_D, and on each side a damper made of
/// a cylinder C and a piston P (x, y, φ).
///
///   H stands on two feet; W hangs from H by two springs and is damped by C and P, which slide in each other with the
///   friction 60 tanh(v/0.01) + 100 v. C is pinned to W and does not turn against P: six constraints
///     0 = (r_C + R_C s) − (r_W + R_W p),   0 = φ_C − φ_P        (one triple per side)                              (1)
///   or, regularised, springs of 1e8 N/m and 1e6 Nm/rad: λ = k g, g_λ = −1/k. P is held in H by a stiff bushing and in C by
///   a stiff lateral guide; the drum follows ψ(t) by a stiff torsion spring. An unbalance m r turns with ψ' = ω:
///     F = m r (ω² cos ψ + ω' sin ψ, ω² sin ψ − ω' cos ψ),   ω = 20π s(t/4), s(x) = x³ (10 − 15x + 6x²) up to x = 1.   (2)
/// Seven modes from 1.3 to 65 Hz, twelve from 560 to 4100 Hz. Starts at rest in static equilibrium.
/// A replacement of the size and character of the industrial model (19 degrees of freedom, 6 constraints) in Schaub & Simeon,
/// Multibody Syst. Dyn. 8 (2002) 329, table 5.8 of Schaub's thesis, whose equations are not published.
#include <array>
#include <cmath>
#include <numbers>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double washer_gravity = 9.81;
constexpr double drum_inertia = 0.6, drum_stiffness = 1e5, drum_damping = 100;
constexpr double unbalance = 0.5 * 0.22;                     // kg m
constexpr double pin_stiffness = 1e8, turn_stiffness = 1e6;  // the constraints, regularised
constexpr double foot_kx = 2e5, foot_ky = 4e5, foot_d = 200;
constexpr double suspension_k = 6000, suspension_d = 20;
constexpr double bushing_k = 5e6, bushing_d = 500, guide_k = 1e7, guide_d = 500;

using Two = std::array<double, 2>;
constexpr Two housing_start{0, 0.42}, tub_start{0, 0.45};

// Positions in q, per side s = 0 (left), 1 (right).
constexpr std::size_t housing = 0, tub = 3, drum = 6;
constexpr std::size_t cylinder(std::size_t s) { return 7 + 6 * s; }
constexpr std::size_t piston(std::size_t s) { return 10 + 6 * s; }
struct Inertia {
  std::size_t body;
  double mass, moment;
};
constexpr std::array<Inertia, 6> bodies{{{housing, 35, 4},
                                         {tub, 42.5, 1.8},
                                         {cylinder(0), 0.6, 0.004},
                                         {piston(0), 0.4, 0.003},
                                         {cylinder(1), 0.6, 0.004},
                                         {piston(1), 0.4, 0.003}}};
constexpr double side_sign(std::size_t s) { return s == 0 ? -1 : 1; }

/// A point of a body and its velocity.
template <class S>
struct Spot {
  S x, y, vx, vy;
  std::size_t body;
  S arm_x, arm_y;  ///< from the centre, in space
};
template <class S>
Spot<S> spot(const MechanicalPoint<S>& p, std::size_t body, Two at) {
  using std::cos, std::sin;
  const S c = cos(p.q[body + 2]), s = sin(p.q[body + 2]);
  const S ax = c * at[0] - s * at[1], ay = s * at[0] + c * at[1];
  return {p.q[body] + ax,
          p.q[body + 1] + ay,
          p.v[body] - p.v[body + 2] * ay,
          p.v[body + 1] + p.v[body + 2] * ax,
          body,
          ax,
          ay};
}
/// A force on a body at a spot.
template <class S>
void push(std::span<S> f, const Spot<S>& at, const S& fx, const S& fy) {
  f[at.body] += fx;
  f[at.body + 1] += fy;
  f[at.body + 2] += at.arm_x * fy - at.arm_y * fx;
}
template <class S>
void push_apart(std::span<S> f, const Spot<S>& a, const Spot<S>& b, const S& fx, const S& fy) {
  push(f, a, fx, fy);
  push(f, b, S(-fx), S(-fy));
}

/// Angle, speed and acceleration of the drum by (2).
template <class S>
std::array<S, 3> spin(const S& t, double compression) {
  constexpr double top = 20 * std::numbers::pi, ramp = 4;
  const S x = t * (compression / ramp);
  const double seconds = ramp / compression;
  if (value_of(x) >= 1) return {top * (seconds / 2 + (t - seconds)), S(top), S(0.0)};
  const S x2 = x * x, x3 = x2 * x;
  return {top * seconds * (x2 * x2 * (2.5 - 3.0 * x + x2)), top * (x3 * (10.0 - 15.0 * x + 6.0 * x2)),
          (top / seconds) * (30.0 * x2 * (1.0 - 2.0 * x + x2))};
}

struct WashingMachine {
  static constexpr bool constant_mass = true;
  double eps = 1;          ///< compliance of (1) as a multiple ε² of the printed one; 0: rigid
  double compression = 1;  ///< of the time axis of ω

  bool is_compliant() const { return eps > 0; }
  MechanicalSizes sizes() const { return {.q = 19, .v = 19, .lambda = 6}; }
  std::vector<std::string> names(std::string_view block) const {
    if (block == "lambda" || block == "mu") {
      std::vector<std::string> names;
      for (const char* row : {"left.pin.x", "left.pin.y", "left.turn", "right.pin.x", "right.pin.y", "right.turn"})
        names.push_back(std::string(block) + "." + row);
      return names;
    }
    const std::string prefix = block == "q" ? "" : std::string(block) + ".";
    if (block != "q" && block != "v" && block != "a") return {};
    std::vector<std::string> names;
    const auto add = [&](const std::string& body) {
      for (const char* c : {"x", "y", "phi"}) names.push_back(prefix + body + "." + c);
    };
    add("housing");
    add("tub");
    names.push_back(prefix + "drum.phi");
    for (const std::string side : {"left", "right"}) {
      add(side + ".cylinder");
      add(side + ".piston");
    }
    return names;
  }

  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    for (const Inertia& b : bodies) {
      out[b.body] = b.mass * a[b.body];
      out[b.body + 1] = b.mass * a[b.body + 1];
      out[b.body + 2] = b.moment * a[b.body + 2];
    }
    out[drum] = drum_inertia * a[drum];
  }

  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    for (auto& x : f) x = S(0.0);
    for (const Inertia& b : bodies) f[b.body + 1] = S(-b.mass * washer_gravity);
    turning(p, f);
    for (std::size_t s = 0; s < 2; ++s) {
      foot(p, f, s);
      suspension(p, f, s);
      damper(p, f, s);
    }
  }

  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    for (std::size_t s = 0; s < 2; ++s) {
      const Spot<S> a = spot(p, cylinder(s), {0, cylinder_arm}), b = spot(p, tub, tub_pin(s));
      const std::size_t row = 3 * s;
      g[row] = a.x - b.x;
      g[row + 1] = a.y - b.y;
      g[row + 2] = p.q[cylinder(s) + 2] - p.q[piston(s) + 2];
      if (eps == 0) continue;
      g[row] -= p.lambda[row] * (eps * eps / pin_stiffness);
      g[row + 1] -= p.lambda[row + 1] * (eps * eps / pin_stiffness);
      g[row + 2] -= p.lambda[row + 2] * (eps * eps / turn_stiffness);
    }
  }

  std::vector<std::string> output_names() const { return {"speed"}; }
  void outputs(const MechanicalPoint<double>& p, In, Out y) const { y[0] = spin(p.t, compression)[1]; }

  // Geometry. The axes of C and P point (own y) from the housing's pin to the tub's.
  static constexpr double cylinder_arm = 0.07, piston_arm = 0.09;
  static constexpr Two tub_pin(std::size_t s) { return {0.15 * side_sign(s), -0.20}; }
  static constexpr Two housing_pin(std::size_t s) { return {0.24 * side_sign(s), -0.40}; }

  [[nodiscard]] static MechanicalState reference_position() {
    MechanicalState state{.q = Vector::Zero(19), .v = Vector::Zero(19), .lambda = Vector::Zero(6)};
    state.q[housing] = housing_start[0];
    state.q[housing + 1] = housing_start[1];
    state.q[tub] = tub_start[0];
    state.q[tub + 1] = tub_start[1];
    for (std::size_t s = 0; s < 2; ++s) {
      const double x0 = housing_start[0] + housing_pin(s)[0], y0 = housing_start[1] + housing_pin(s)[1];
      const double x1 = tub_start[0] + tub_pin(s)[0], y1 = tub_start[1] + tub_pin(s)[1];
      const double l = std::hypot(x1 - x0, y1 - y0), ex = (x1 - x0) / l, ey = (y1 - y0) / l;
      const auto place = [&](std::size_t body, double x, double y) {
        const auto i = static_cast<Eigen::Index>(body);
        state.q[i] = x;
        state.q[i + 1] = y;
        state.q[i + 2] = std::atan2(-ex, ey);  // own y along (ex, ey)
      };
      place(cylinder(s), x1 - cylinder_arm * ex, y1 - cylinder_arm * ey);
      place(piston(s), x0 + piston_arm * ex, y0 + piston_arm * ey);
    }
    return state;
  }

 private:
  template <class S>
  void turning(const MechanicalPoint<S>& p, std::span<S> f) const {
    using std::cos, std::sin;
    const auto [psi, omega, alpha] = spin(p.t, compression);
    const S c = cos(psi), s = sin(psi);
    f[tub] += unbalance * (omega * omega * c + alpha * s);
    f[tub + 1] += unbalance * (omega * omega * s - alpha * c);
    const S torque = drum_stiffness * (psi - p.q[drum]) + drum_damping * (omega - p.v[drum]);
    f[drum] += torque;
    f[tub + 2] -= torque;
  }
  template <class S>
  void foot(const MechanicalPoint<S>& p, std::span<S> f, std::size_t side) const {
    const Two at{0.25 * side_sign(side), -0.42};
    const Spot<S> a = spot(p, housing, at);
    const S fx = -foot_kx * (a.x - (housing_start[0] + at[0])) - foot_d * a.vx;
    const S fy = -foot_ky * (a.y - (housing_start[1] + at[1])) - foot_d * a.vy;
    push(f, a, fx, fy);
  }
  template <class S>
  void suspension(const MechanicalPoint<S>& p, std::span<S> f, std::size_t side) const {
    using std::sqrt;
    const double sign = side_sign(side);
    const Two on_housing{0.26 * sign, 0.36}, on_tub{0.22 * sign, 0.15};
    const double dx0 = housing_start[0] + on_housing[0] - tub_start[0] - on_tub[0];
    const double dy0 = housing_start[1] + on_housing[1] - tub_start[1] - on_tub[1];
    const double l0 = std::hypot(dx0, dy0);
    const double free_length =
        l0 - bodies[1].mass * washer_gravity / (2 * suspension_k * (dy0 / l0));  // carries W at l₀
    const Spot<S> a = spot(p, tub, on_tub), b = spot(p, housing, on_housing);
    const S dx = b.x - a.x, dy = b.y - a.y, l = sqrt(dx * dx + dy * dy), ex = dx / l, ey = dy / l;
    const S tension = suspension_k * (l - free_length) + suspension_d * ((b.vx - a.vx) * ex + (b.vy - a.vy) * ey);
    push_apart(f, a, b, S(tension * ex), S(tension * ey));
  }
  template <class S>
  void damper(const MechanicalPoint<S>& p, std::span<S> f, std::size_t side) const {
    using std::cos, std::sin, std::tanh;
    // Bushing between P and H.
    const Spot<S> a = spot(p, piston(side), {0, -piston_arm}), b = spot(p, housing, housing_pin(side));
    const S bx = -bushing_k * (a.x - b.x) - bushing_d * (a.vx - b.vx);
    const S by = -bushing_k * (a.y - b.y) - bushing_d * (a.vy - b.vy);
    push_apart(f, a, b, bx, by);
    // P in C: lateral offset e = n·d and sliding ℓ = t·d of P's centre along C's axis t, d = r_P − r_C.
    const std::size_t c = cylinder(side), k = piston(side);
    const S sine = sin(p.q[c + 2]), cosine = cos(p.q[c + 2]);
    const S tx = -sine, ty = cosine, nx = cosine, ny = sine;
    const S dx = p.q[k] - p.q[c], dy = p.q[k + 1] - p.q[c + 1];
    const S vx = p.v[k] - p.v[c], vy = p.v[k + 1] - p.v[c + 1], turn = p.v[c + 2];
    const S e = nx * dx + ny * dy, l = tx * dx + ty * dy;
    const S e_rate = nx * vx + ny * vy + turn * l, l_rate = tx * vx + ty * vy - turn * e;
    const S lateral = guide_k * e + guide_d * e_rate;
    const S axial = 60.0 * tanh(l_rate / 0.01) + 100.0 * l_rate;
    const S fx = lateral * nx + axial * tx, fy = lateral * ny + axial * ty;  // on C; −e, −ℓ for P
    f[c] += fx;
    f[c + 1] += fy;
    f[c + 2] += dx * fy - dy * fx;  // virtual work of the turning axis: the forces of P act at P's centre
    f[k] -= fx;
    f[k + 1] -= fy;
  }
};

Result<Instance> make_washing_machine(const Parameters& p, std::string_view formulation) {
  const double eps = get(p, "eps");
  if (formulation.empty()) formulation = eps == 0 ? "index-3" : "penalty";
  const auto system = make_mechanical(WashingMachine{.eps = eps, .compression = get(p, "compression")});
  auto start = static_equilibrium(*system, WashingMachine::reference_position());
  if (!start) return start.error();
  return mechanical_instance(system, *start, formulation,
                             {.t_end = get(p, "t_end"),
                              .measure = {.atol = 1e-3, .rtol = 0, .definition = "positions against 1 mm"},
                              .initial_step = 1e-4});
}

}  // namespace

Entry washing_machine() {
  return {.name = "washing-machine",
          .title = "washing machine with an unbalance run up to 10 Hz, two dampers with stiff guides",
          .source = "Schaub, Simeon, Multibody Syst. Dyn. 8 (2002) 329; replacement of the same size",
          .parameters = {{.name = "eps",
                          .default_value = 1,
                          .help = "the springs of the six constraints are 1/eps^2 times as stiff; 0: rigid",
                          .min = 0,
                          .max = 10},
                         {.name = "compression",
                          .default_value = 1,
                          .help = "of the time axis of the drum speed; 10: the fast case",
                          .min = 0.1,
                          .max = 100},
                         end_time(5)},
          .formulations = {"penalty", "eps-lambda", "eps-lambda-rate", "index-3", "index-2", "ggl", "index-1",
                           "semi-explicit", "state-space"},
          .default_formulation = "penalty",
          .t_end = 5,
          .make = make_washing_machine};
}

}  // namespace rubato::catalogue
