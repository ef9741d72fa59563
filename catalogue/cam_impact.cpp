/// A cam turned by a motor strikes a flexible beam: contact between discs, in the plane.
///   beam   2.4 m along +x, clamped at R = (0, 0); 40 kg at its free end T; a disc (4 kg, r_P) hangs off its middle P
///   cam    0.4 m, turned about A by φ(t) = φ₀(1 − cos Ωt), φ₀ = π/3, Ω = 2π/3; a disc (4 kg, r_I) sits off its tip
/// q: (x, y, θ) of the beam's eight free nodes, of the cam's three, of impactor and body P; θ absolute.
/// Elements (corotational, Euler-Bernoulli): with chord (d_x, d_y) of length l and angle β, θ̄_i = θ_i − β,
///   E = EA (l − l₀)²/(2 l₀) + (2EI/l₀)(θ̄_a² + θ̄_a θ̄_b + θ̄_b²),   masses ml/2 and ml³/24 at each node         (1)
/// θ̄_a is the angle of the chord seen from node a: no angle has to be unwrapped however far the cam turns.
/// Constraints: 0 = r_A − A, θ_A − θ₀ − φ(t) at the joint; disc centre c and node r, 0 = c − r − R(θ)d, θ_c − θ, nonlinear
/// because discs sit off their nodes (by 0.05 m: the impactor outward, P downward).                                (2)
/// Contact with penetration a = r_I + r_P − |c_P − c_I|:
///   N = k a (1 + μ a')  (or k a + μ a'),   friction σ₀ζN,  ζ' = v_t − σ₀|v_t| ζ/g(v_t),                              (3)
///   g = μ_k + (μ_s − μ_k) exp(−(v_t/v_s)²);   ζ' = −ζ/τ without contact, τ = 1 µs: the bristle springs back.
/// Undeformed the gap closes at t = 0.494 s with 0.754 m/s, the time at which the publication's impact happens.
/// Data: Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29 (2007) 397, doi:10.1137/050638503, section 4.3; its model is
/// spatial and its geometry is shown, not printed: positions, radii and offsets are ours. Default interval: the first impact.
#include <array>
#include <cmath>
#include <numbers>

#include "catalogue/problems.hpp"

namespace rubato::catalogue {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double turn = pi / 3, cam_speed = 2 * pi / 3;  // φ₀, Ω
constexpr double impact_time = 0.494;
constexpr double beam_length = 2.4, cam_length = 0.4, offset = 0.05;
constexpr double stretch = 44e6, weight_per_length = 1.6;  // EA, m
constexpr double contact_stiffness = 2e9;
constexpr double sigma0 = 1e5, stribeck = 1e-3, mu_k = 0.3, mu_s = 0.3, spring_back = 1e-6;
constexpr double impactor_radius = 0.05, body_radius = 0.10, disc_mass = 4, end_mass = 40, end_inertia = 1e-2;
constexpr std::size_t beam_elements = 8, cam_elements = 2;

// Where (x, y, θ) of each begins.
constexpr std::size_t middle = 3 * (beam_elements / 2 - 1), cam = 3 * beam_elements, tip = cam + 3 * cam_elements,
                      impactor = tip + 3, body = impactor + 3, n_q = body + 3, clamp = n_q;

struct CamImpact {
  static constexpr bool constant_mass = true;
  double beam_EI = 23e3, cam_EI = 300e3, damping = 1e-3, attachment = offset;
  bool linear_damper = false, friction = false, driven = true;

  MechanicalSizes sizes() const {
    return {.q = static_cast<int>(n_q), .v = static_cast<int>(n_q), .z = friction ? 1 : 0, .lambda = 9};
  }
  std::vector<std::string> names(std::string_view block) const {
    std::vector<std::string> names;
    if (block == "z") return friction ? std::vector<std::string>{"bristle"} : names;
    if (block != "q" && block != "v") return {};
    const std::string prefix = block == "v" ? "v_" : "";
    const auto add = [&](const std::string& where) {
      for (const char* what : {"x_", "y_", "theta_"}) names.push_back(prefix + what + where);
    };
    for (std::size_t i = 1; i <= beam_elements; ++i) add("beam" + std::to_string(i));
    for (std::size_t i = 0; i <= cam_elements; ++i) add("cam" + std::to_string(i));
    add("impactor");
    add("body");
    return names;
  }

  template <class S>
  S angle(const S& t) const {  // φ
    using std::cos;
    return turn * (1.0 - cos(cam_speed * t));
  }
  /// θ of the cam at rest.
  [[nodiscard]] double start_angle() const { return driven ? -angle(impact_time) : 0; }
  [[nodiscard]] std::array<double, 2> joint() const {
    return {beam_length / 2 - cam_length - attachment, -(impactor_radius + body_radius) - attachment};
  }

  // One element from node a to node b; `clamp` stands for the clamped node.
  struct Element {
    std::size_t a, b;
    double length, EI;
  };
  template <class Visit>
  void each_element(Visit&& visit) const {
    for (std::size_t i = 0; i < beam_elements; ++i)
      visit(Element{i == 0 ? clamp : 3 * (i - 1), 3 * i, beam_length / beam_elements, beam_EI});
    for (std::size_t i = 0; i < cam_elements; ++i)
      visit(Element{cam + 3 * i, cam + 3 * (i + 1), cam_length / cam_elements, cam_EI});
  }
  template <class S>
  struct Deformation {
    S l, cosine, sine, longer, theta_a, theta_b;  ///< longer: l − l₀
  };
  template <class S>
  Deformation<S> deformation(const MechanicalPoint<S>& p, const Element& e) const {
    using std::atan2, std::cos, std::sin, std::sqrt;
    const bool clamped = e.a == clamp;
    const S dx = clamped ? p.q[e.b] : S(p.q[e.b] - p.q[e.a]);
    const S dy = clamped ? p.q[e.b + 1] : S(p.q[e.b + 1] - p.q[e.a + 1]);
    const S theta = clamped ? S(0.0) : p.q[e.a + 2];
    const S c = cos(theta), s = sin(theta), squared = dx * dx + dy * dy;
    Deformation<S> d;
    d.l = sqrt(squared);
    d.cosine = dx / d.l;
    d.sine = dy / d.l;
    d.longer = (squared - e.length * e.length) / (d.l + e.length);
    d.theta_a = -atan2(c * dy - s * dx, c * dx + s * dy);
    d.theta_b = d.theta_a + (p.q[e.b + 2] - theta);
    return d;
  }

  // Contact: n from impactor to body, tangent (−n_y, n_x).
  template <class S>
  struct Contact {
    S nx, ny, penetration, normal, slip;  ///< normal: N, 0 where the discs are apart
  };
  template <class S>
  Contact<S> contact(const MechanicalPoint<S>& p) const {
    using std::sqrt;
    const S ex = p.q[body] - p.q[impactor], ey = p.q[body + 1] - p.q[impactor + 1], distance = sqrt(ex * ex + ey * ey);
    Contact<S> c;
    c.nx = ex / distance;
    c.ny = ey / distance;
    c.penetration = impactor_radius + body_radius - distance;
    const S vx = p.v[impactor] - p.v[body], vy = p.v[impactor + 1] - p.v[body + 1];
    const S rate = c.nx * vx + c.ny * vy;  // a'
    c.slip = c.nx * vy - c.ny * vx + impactor_radius * p.v[impactor + 2] + body_radius * p.v[body + 2];
    const S a = c.penetration;
    c.normal =
        linear_damper ? S(contact_stiffness * a + damping * rate) : S(contact_stiffness * a * (1.0 + damping * rate));
    if (!(value_of(a) > 0 && value_of(c.normal) > 0)) c.normal = S(0.0);
    return c;
  }

  [[nodiscard]] static constexpr std::array<double, n_q> masses() {
    std::array<double, n_q> m{};
    const auto add = [&m](std::size_t node, double mass, double inertia) {
      m[node] += mass;
      m[node + 1] += mass;
      m[node + 2] += inertia;
    };
    const auto ends = [&](std::size_t node, double l) {
      add(node, weight_per_length * l / 2, weight_per_length * l * l * l / 24);
    };
    for (std::size_t i = 0; i < beam_elements; ++i) {
      ends(3 * i, beam_length / beam_elements);
      if (i > 0) ends(3 * (i - 1), beam_length / beam_elements);
    }
    for (std::size_t i = 0; i < cam_elements; ++i)
      for (const std::size_t node : {cam + 3 * i, cam + 3 * (i + 1)}) ends(node, cam_length / cam_elements);
    add(3 * (beam_elements - 1), end_mass, end_inertia);
    add(impactor, disc_mass, disc_mass * impactor_radius * impactor_radius / 2);
    add(body, disc_mass, disc_mass * body_radius * body_radius / 2);
    return m;
  }

  template <class S>
  void inertia(const MechanicalPoint<S>&, std::span<const S> a, std::span<S> out) const {
    constexpr auto m = masses();
    for (std::size_t i = 0; i < n_q; ++i) out[i] = m[i] * a[i];
  }

  template <class S>
  void force(const MechanicalPoint<S>& p, std::span<S> f) const {
    for (auto& x : f) x = S(0.0);
    each_element([&](const Element& e) {  // −∂E/∂q of (1)
      const Deformation<S> d = deformation(p, e);
      const S pull = (stretch / e.length) * d.longer;
      const S moment_a = (2 * e.EI / e.length) * (2.0 * d.theta_a + d.theta_b);
      const S moment_b = (2 * e.EI / e.length) * (d.theta_a + 2.0 * d.theta_b);
      const S shear = (moment_a + moment_b) / d.l;
      const S fx = pull * d.cosine + shear * d.sine, fy = pull * d.sine - shear * d.cosine;
      f[e.b] -= fx;
      f[e.b + 1] -= fy;
      f[e.b + 2] -= moment_b;
      if (e.a == clamp) return;
      f[e.a] += fx;
      f[e.a + 1] += fy;
      f[e.a + 2] -= moment_a;
    });
    const Contact<S> c = contact(p);  // (3)
    const S along = friction ? S(sigma0 * p.z[0] * c.normal) : S(0.0);
    const S fx = c.normal * c.nx - along * c.ny, fy = c.normal * c.ny + along * c.nx;
    f[body] += fx;
    f[body + 1] += fy;
    f[body + 2] -= body_radius * along;
    f[impactor] -= fx;
    f[impactor + 1] -= fy;
    f[impactor + 2] -= impactor_radius * along;
  }

  template <class S>
  void auxiliary(const MechanicalPoint<S>& p, std::span<S> e) const {
    using std::abs, std::exp;
    if (!friction) return;
    const Contact<S> c = contact(p);
    const S ratio = c.slip / stribeck, level = mu_k + (mu_s - mu_k) * exp(-(ratio * ratio));
    e[0] = value_of(c.penetration) > 0 ? S(c.slip - sigma0 * abs(c.slip) * p.z[0] / level) : S(-p.z[0] / spring_back);
  }

  // Disc centre c, the node it is fixed to, its offset there, its first row.
  struct Attachment {
    std::size_t disc, node, row;
    double dx, dy;
  };
  [[nodiscard]] std::array<Attachment, 2> attachments() const {
    return {Attachment{impactor, tip, 3, attachment, 0}, Attachment{body, middle, 6, 0, -attachment}};
  }

  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {  // (2)
    using std::cos, std::sin;
    const auto [ax, ay] = joint();
    g[0] = p.q[cam] - ax;
    g[1] = p.q[cam + 1] - ay;
    g[2] = driven ? S(p.q[cam + 2] - start_angle() - angle(p.t)) : p.q[cam + 2];
    for (const Attachment& a : attachments()) {
      const S c = cos(p.q[a.node + 2]), s = sin(p.q[a.node + 2]);
      g[a.row] = p.q[a.disc] - p.q[a.node] - (c * a.dx - s * a.dy);
      g[a.row + 1] = p.q[a.disc + 1] - p.q[a.node + 1] - (s * a.dx + c * a.dy);
      g[a.row + 2] = p.q[a.disc + 2] - p.q[a.node + 2];
    }
  }

  template <class S>
  void reaction(const MechanicalPoint<S>& p, std::span<const S> lambda, std::span<const S> /*nu*/,
                std::span<S> out) const {  // Gᵀλ
    using std::cos, std::sin;
    for (auto& x : out) x = S(0.0);
    for (std::size_t i = 0; i < 3; ++i) out[cam + i] = lambda[i];
    for (const Attachment& a : attachments()) {
      const S c = cos(p.q[a.node + 2]), s = sin(p.q[a.node + 2]);
      for (std::size_t i = 0; i < 3; ++i) {
        out[a.disc + i] += lambda[a.row + i];
        out[a.node + i] -= lambda[a.row + i];
      }
      out[a.node + 2] += lambda[a.row] * (s * a.dx + c * a.dy) - lambda[a.row + 1] * (c * a.dx - s * a.dy);
    }
  }

  /// Of the elements and the contact spring.
  template <class S>
  void part_energy(int /*part*/, const MechanicalPoint<S>& p, S& energy) const {
    energy = S(0.0);
    each_element([&](const Element& e) {  // (1)
      const Deformation<S> d = deformation(p, e);
      energy += (stretch / (2 * e.length)) * d.longer * d.longer +
                (2 * e.EI / e.length) * (d.theta_a * d.theta_a + d.theta_a * d.theta_b + d.theta_b * d.theta_b);
    });
    const S a = contact(p).penetration;
    if (value_of(a) > 0) energy += (contact_stiffness / 2) * a * a;
  }

  std::vector<std::string> output_names() const { return {"penetration", "normal_force", "friction_force"}; }
  void outputs(const MechanicalPoint<double>& p, In /*a*/, Out y) const {
    const Contact<double> c = contact(p);
    y[0] = c.penetration;
    y[1] = c.normal;
    y[2] = friction ? sigma0 * p.z[0] * c.normal : 0;
  }
};

/// Everything undeformed and at rest.
MechanicalState cam_at_rest(const CamImpact& model) {
  MechanicalState state{.q = Vector::Zero(n_q), .v = Vector::Zero(n_q), .lambda = Vector::Zero(9)};
  if (model.friction) state.z = Vector::Zero(1);
  const double angle = model.start_angle(), c = std::cos(angle), s = std::sin(angle);
  const auto put = [&](std::size_t node, double x, double y, double theta) {
    state.q[static_cast<Eigen::Index>(node)] = x;
    state.q[static_cast<Eigen::Index>(node + 1)] = y;
    state.q[static_cast<Eigen::Index>(node + 2)] = theta;
  };
  for (std::size_t i = 1; i <= beam_elements; ++i)
    put(3 * (i - 1), beam_length * static_cast<double>(i) / beam_elements, 0, 0);
  const auto [ax, ay] = model.joint();
  for (std::size_t i = 0; i <= cam_elements; ++i) {
    const double r = cam_length * static_cast<double>(i) / cam_elements;
    put(cam + 3 * i, ax + r * c, ay + r * s, angle);
  }
  const double r = cam_length + model.attachment;
  put(impactor, ax + r * c, ay + r * s, angle);
  put(body, beam_length / 2, -model.attachment, 0);
  return state;
}

Result<Instance> make_cam_impact(const Parameters& p, std::string_view formulation) {
  const bool swapped = get(p, "swapped") != 0;
  const CamImpact model{.beam_EI = swapped ? 300e3 : 23e3,
                        .cam_EI = swapped ? 23e3 : 300e3,
                        .damping = get(p, "damping"),
                        .attachment = get(p, "offset"),
                        .linear_damper = get(p, "linear_damper") != 0,
                        .friction = get(p, "friction") != 0,
                        .driven = get(p, "driven") != 0};
  return mechanical_instance(make_mechanical(model), cam_at_rest(model), formulation.empty() ? "index-3" : formulation,
                             {.t_end = get(p, "t_end"),
                              .measure = {.atol = 1, .rtol = 0, .definition = "no reference", .atol_per_rtol = 1e-2},
                              .initial_step = 1e-3});
}

}  // namespace

Entry cam_impact() {
  return {
      .name = "cam-impact",
      .title = "a cam strikes a flexible beam: penalty contact, LuGre friction",
      .source = "Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29 (2007) 397; planar, geometry ours",
      .parameters = {flag("friction", 0, "1: LuGre friction in the contact"),
                     flag("swapped", 0, "1: bending stiffnesses of beam and cam exchanged (the other plane)"),
                     flag("linear_damper", 0, "0: N = k a (1 + mu a'), 1: N = k a + mu a'"),
                     flag("driven", 1, "0: the cam is held horizontal, in touch with the beam"),
                     {.name = "damping", .default_value = 1e-3, .unit = "s/m", .help = "mu of the contact", .min = 0},
                     {.name = "offset",
                      .default_value = offset,
                      .unit = "m",
                      .help = "of the discs from their nodes; 0: all joints linear",
                      .min = 0,
                      .max = 0.2},
                     end_time(0.5)},
      .formulations = {"index-3", "index-2", "ggl"},
      .default_formulation = "index-3",
      .t_end = 0.5,
      .make = make_cam_impact};
}

}  // namespace rubato::catalogue
