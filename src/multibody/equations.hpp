#pragma once
/// The equations of a multibody model over one scalar, all by hand: positions r and charts of rotation vectors, v in space,
/// ω body-fixed (planar bodies: x, y, φ; points: x, y, z).
///   m v' = m g + F,   J ω' = −ω × Jω + Rᵀ T                                                                           (1)
/// F and T are sums of what forces and multipliers exert about the centre of mass. The cost is linear in the number of parts.
/// Flexible bodies have modal coordinates behind r and δ and equations of their own (flexible.hpp).
#include "model.hpp"

namespace rubato::multibody::detail {

template <class Base, class S>
class Equations : public Base {
 public:
  using P = MechanicalPoint<S>;
  using SIn = std::span<const S>;
  using SOut = std::span<S>;

  template <class... Args>
  explicit Equations(const Model* model, Args&&... args) : Base(std::forward<Args>(args)...), model_(model) {}

  void share(P& p) const noexcept override { p.shared = std::as_bytes(frames(p, p.scratch)); }

  EvalStatus kinematics(const P& p, SIn v, SOut q_rate) const noexcept override {
    EvalStatus status = EvalStatus::ok;
    for (const BodyModel& body : model_->bodies) {
      for (std::size_t k = 0; k < 3; ++k) q_rate[body.first + k] = v[body.first + k];
      if (body.kind != BodyKind::spatial) continue;
      const std::size_t turn = body.first + 3;
      const auto one = chart_rate(three(p.q, turn), three(v, turn), q_rate.subspan(turn, 3));
      if (one != EvalStatus::ok) status = one;
      for (std::size_t i = body.first + 6; i < body.first + body.coordinates(); ++i) q_rate[i] = v[i];
    }
    return status;
  }

  EvalStatus inertia(const P& p, SIn a, SOut out) const noexcept override {
    for (const BodyModel& body : model_->bodies) {
      const std::size_t i = body.first;
      if (body.flexible) {
        body.flexible->inertia_times(rotation_at(body, p), body.modal(p.q), body.part(a), body.part(out));
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) out[i + k] = body.mass * a[i + k];
      if (body.kind == BodyKind::planar) out[i + 2] = body.inertia[2][2] * a[i + 2];
      if (body.kind != BodyKind::spatial) continue;
      const Three<S> turn = rotate(body.inertia, three(a, i + 3));
      for (std::size_t k = 0; k < 3; ++k) out[i + 3 + k] = turn[k];
    }
    return EvalStatus::ok;
  }
  EvalStatus inertia_rate(const P& p, SOut out) const noexcept override {
    cleared(out);
    for (const BodyModel& body : model_->bodies)
      if (body.flexible)
        body.flexible->inertia_rate(rotation_at(body, p), body.modal(p.q), body.part(p.v), body.part(out));
    return EvalStatus::ok;
  }

  EvalStatus force(const P& p, SOut out) const noexcept override {
    cleared(out);
    const EvalStatus status = has_force_elements() ? add_force_elements(p, out) : EvalStatus::ok;
    add_gravity(p, out);
    add_gyration(p, out);  // (1)
    for (const BodyModel& body : model_->bodies)
      if (body.flexible) body.flexible->add_elastic(body.modal(p.q), body.modal(p.v), body.part(out));
    return status;
  }

  EvalStatus auxiliary(const P& p, SOut out) const noexcept override {
    if (out.empty()) return EvalStatus::ok;
    Scratch scratch = p.scratch;
    const ForcePoint<S> at = force_point(p, scratch);
    each_force(model_->forces, [&](const auto& element) {
      if constexpr (requires { element.n_states(); })
        element.rates(at, out.subspan(element.first_state, static_cast<std::size_t>(element.n_states())));
    });
    return EvalStatus::ok;
  }

  EvalStatus constraint(const P& p, SOut out) const noexcept override { return position_rows<0>(p, {}, out); }
  EvalStatus constraint_rate(const P& p, SOut out) const noexcept override { return position_rows<1>(p, {}, out); }
  EvalStatus constraint_acceleration(const P& p, SIn a, SOut out) const noexcept override {
    return position_rows<2>(p, a, out);
  }

  EvalStatus reaction(const P& p, SIn lambda, SIn nu, SOut out) const noexcept override {
    Scratch scratch = p.scratch;
    const Bodies<S> bodies{.frames = frames(p, scratch)};
    Wrenches<S> wrenches{scratch.template take<Wrench<S>>(slots())};
    if (!lambda.empty())
      for (const JointModel& joint : model_->joints) add_joint(joint, p.t, bodies, lambda, wrenches);
    if (!nu.empty())
      for (const GearModel& gear : model_->gears) add_gear(gear, bodies, nu, wrenches);
    for (const RollingModel& rolling : model_->rollings) add_rolling(rolling, bodies, lambda, nu, wrenches);
    cleared(out);
    add_generalised(p, bodies, wrenches, out);
    return EvalStatus::ok;
  }

  EvalStatus rolling(const P& p, SOut out) const noexcept override { return velocity_rows<1>(p, {}, out); }
  EvalStatus rolling_acceleration(const P& p, SIn a, SOut out) const noexcept override {
    return velocity_rows<2>(p, a, out);
  }

  /// Parts: gravity, gyroscopic terms, the force elements, then the elasticity of flexible bodies.
  EvalStatus part_force(int part, const P& p, SOut out) const noexcept override {
    cleared(out);
    if (part == 0) add_gravity(p, out);
    if (part == 1) add_gyration(p, out);
    if (const BodyModel* body = elastic_part(part); body != nullptr)
      body->flexible->add_elastic(body->modal(p.q), body->modal(p.v), body->part(out));
    if (part < 2) return EvalStatus::ok;
    Scratch scratch = p.scratch;
    const ForcePoint<S> at = force_point(p, scratch);
    Wrenches<S> wrenches{scratch.template take<Wrench<S>>(slots())};
    one_force(model_->forces, static_cast<std::size_t>(part - 2),
              [&](const auto& element) { element.add_force(at, wrenches); });
    add_generalised(p, at.bodies, wrenches, out);
    return EvalStatus::ok;
  }
  EvalStatus part_energy(int part, const P& p, S& out) const noexcept override {
    out = S(0.0);
    Scratch scratch = p.scratch;
    const ForcePoint<S> at = force_point(p, scratch);
    if (part == 0) out = height_energy(p, at.bodies);
    if (const BodyModel* body = elastic_part(part); body != nullptr)
      out = body->flexible->strain_energy(body->modal(p.q));
    if (part >= 2)
      one_force(model_->forces, static_cast<std::size_t>(part - 2),
                [&](const auto& element) { out = element.energy(at); });
    return EvalStatus::ok;
  }

  [[nodiscard]] std::size_t slots() const { return model_->bodies.size() + model_->stations.size() + 1; }

  [[nodiscard]] std::span<const Frame<S>> frames(const P& p, Scratch& scratch) const {
    if (!p.shared.empty()) return {reinterpret_cast<const Frame<S>*>(p.shared.data()), slots()};
    const auto out = scratch.template take<Frame<S>>(slots());
    for (std::size_t k = 0; k < 3; ++k) out[0].R[k][k] = S(1.0);
    for (std::size_t i = 0; i < model_->bodies.size(); ++i) set_frame(model_->bodies[i], p, out[i + 1]);
    each_station([&](std::size_t slot, const Station& station, const BodyModel& body) {
      out[slot] = station_frame(model_->node(station), out[station.body], body.modal(p.q));
    });
    return out;
  }
  [[nodiscard]] std::span<const Twist<S>> rates(const P& p, std::span<const Frame<S>> at, Scratch& scratch) const {
    const auto out = twists(at, p.v, scratch);
    each_station([&](std::size_t slot, const Station& station, const BodyModel& body) {
      out[slot] = station_twist(model_->node(station), at[station.body].R, body.modal(p.q), body.part(p.v));
    });
    return out;
  }
  [[nodiscard]] std::span<const Twist<S>> accelerations(const P& p, std::span<const Frame<S>> at, SIn a,
                                                        Scratch& scratch) const {
    const auto out = twists(at, a, scratch);
    each_station([&](std::size_t slot, const Station& station, const BodyModel& body) {
      out[slot] = station_acceleration(model_->node(station), at[station.body].R, body.modal(p.q), body.part(p.v),
                                       body.part(a));
    });
    return out;
  }
  /// Of bodies: v and ω in space, from velocities (or accelerations: d/dt Rω = R ω').
  [[nodiscard]] std::span<Twist<S>> twists(std::span<const Frame<S>> at, SIn v, Scratch& scratch) const {
    const auto out = scratch.template take<Twist<S>>(slots());
    for (std::size_t i = 0; i < model_->bodies.size(); ++i) {
      const BodyModel& body = model_->bodies[i];
      Twist<S>& twist = out[i + 1];
      twist.linear = three(v, body.first);
      if (body.kind == BodyKind::spatial) twist.angular = rotate(at[i + 1].R, three(v, body.first + 3));
      if (body.kind != BodyKind::planar) continue;
      twist.angular[2] = twist.linear[2];
      twist.linear[2] = S(0.0);
    }
    return out;
  }
  [[nodiscard]] ForcePoint<S> force_point(const P& p, Scratch& scratch) const {
    ForcePoint<S> at{.t = p.t, .bodies = {}, .z = p.z, .base = p.base, .mode = p.mode};
    at.bodies.frames = frames(p, scratch);
    at.bodies.rates = rates(p, at.bodies.frames, scratch);
    return at;
  }
  /// Of all weights.
  [[nodiscard]] S height_energy(const P& p, const Bodies<S>& at) const {
    S sum = S(0.0);
    for (std::size_t i = 0; i < model_->bodies.size(); ++i) {
      const BodyModel& body = model_->bodies[i];
      if (body.flexible)
        sum += body.flexible->height_energy(at.frames[i + 1], body.modal(p.q), model_->gravity);
      else
        sum -= body.mass * dot(model_->gravity, at.frames[i + 1].r);
    }
    return sum;
  }

 protected:
  void set_frame(const BodyModel& body, const P& p, Frame<S>& out) const {
    using std::cos, std::sin;
    out.r = three(p.q, body.first);
    if (body.kind == BodyKind::spatial) {
      const Rotation<S> turn = rotation_by(three(p.q, body.first + 3));
      const Rotation<double> base = rotation_of(p.base.subspan(body.base, 4));
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k)
          out.R[i][k] = base[i][0] * turn[0][k] + base[i][1] * turn[1][k] + base[i][2] * turn[2][k];
      return;
    }
    for (std::size_t k = 0; k < 3; ++k) out.R[k][k] = S(1.0);
    if (body.kind == BodyKind::point) return;
    const S c = cos(out.r[2]), s = sin(out.r[2]);
    out.R[0][0] = out.R[1][1] = c;
    out.R[0][1] = -s;
    out.R[1][0] = s;
    out.r[2] = S(body.height);
  }

  const Model* model_;

 private:
  [[nodiscard]] Rotation<S> rotation_at(const BodyModel& body, const P& p) const {
    Frame<S> frame;
    set_frame(body, p, frame);
    return frame.R;
  }
  template <class Visit>
  void each_station(Visit&& visit) const {
    for (std::size_t i = 0; i < model_->stations.size(); ++i) {
      const Station& station = model_->stations[i];
      visit(model_->bodies.size() + 1 + i, station, model_->bodies[station.body - 1]);
    }
  }
  /// The body whose elasticity has this number among the parts.
  [[nodiscard]] const BodyModel* elastic_part(int part) const {
    if (!model_->flexible || part < 2) return nullptr;
    int next = 2;
    each_force(model_->forces, [&next](const auto&) { ++next; });
    for (const BodyModel& body : model_->bodies)
      if (body.flexible && next++ == part) return &body;
    return nullptr;
  }
  static EvalStatus cleared(SOut out) noexcept {
    for (auto& x : out) x = S(0.0);
    return EvalStatus::ok;
  }

  template <int n>
  EvalStatus position_rows(const P& p, SIn a, SOut out) const {
    Scratch scratch = p.scratch;
    const Bodies<S> bodies = moving_bodies<n>(p, a, scratch);
    for (const JointModel& joint : model_->joints) joint_rows<n>(joint, p.t, bodies, out);
    for (const RollingModel& rolling : model_->rollings) out[rolling.normal] = normal_row<n>(rolling, bodies);
    return EvalStatus::ok;
  }
  template <int n>
  EvalStatus velocity_rows(const P& p, SIn a, SOut out) const {
    if (out.empty()) return EvalStatus::ok;
    Scratch scratch = p.scratch;
    const Bodies<S> bodies = moving_bodies<n>(p, a, scratch);
    for (const GearModel& gear : model_->gears) out[gear.row] = gear_row<n>(gear, bodies);
    for (const RollingModel& rolling : model_->rollings) rolling_rows<n>(rolling, bodies, out);
    return EvalStatus::ok;
  }
  template <int n>
  Bodies<S> moving_bodies(const P& p, SIn a, Scratch& scratch) const {
    Bodies<S> bodies{.frames = frames(p, scratch)};
    if constexpr (n >= 1) bodies.rates = rates(p, bodies.frames, scratch);
    if constexpr (n >= 2) bodies.accelerations = accelerations(p, bodies.frames, a, scratch);
    return bodies;
  }

  /// Without any nobody asks where the bodies are.
  [[nodiscard]] bool has_force_elements() const {
    return std::apply([](const auto&... lists) { return (!lists.empty() || ...); }, model_->forces);
  }
  EvalStatus add_force_elements(const P& p, SOut out) const {
    Scratch scratch = p.scratch;
    const ForcePoint<S> at = force_point(p, scratch);
    Wrenches<S> wrenches{scratch.template take<Wrench<S>>(slots())};
    EvalStatus status = EvalStatus::ok;
    each_force(model_->forces, [&](const auto& element) {
      element.add_force(at, wrenches);
      if constexpr (requires { element.within_reach(at); })
        if (!element.within_reach(at)) status = EvalStatus::out_of_domain;
    });
    add_generalised(p, at.bodies, wrenches, out);
    return status;
  }
  void add_gravity(const P& p, SOut out) const {
    for (const BodyModel& body : model_->bodies) {
      if (body.flexible) {
        body.flexible->add_gravity(rotation_at(body, p), body.modal(p.q), model_->gravity, body.part(out));
        continue;
      }
      const std::size_t directions = body.kind == BodyKind::planar ? 2 : 3;
      for (std::size_t k = 0; k < directions; ++k) out[body.first + k] += body.mass * model_->gravity[k];
    }
  }
  void add_gyration(const P& p, SOut out) const {
    for (const BodyModel& body : model_->bodies) {
      if (body.kind != BodyKind::spatial) continue;
      if (body.flexible) {
        body.flexible->add_gyration(rotation_at(body, p), body.modal(p.q), body.part(p.v), body.part(out));
        continue;
      }
      const Three<S> omega = three(p.v, body.first + 3);
      const Three<S> gyration = cross(omega, rotate(body.inertia, omega));
      for (std::size_t k = 0; k < 3; ++k) out[body.first + 3 + k] -= gyration[k];
    }
  }
  void add_generalised(const P& p, const Bodies<S>& bodies, const Wrenches<S>& wrenches, SOut out) const {
    each_station([&](std::size_t slot, const Station& station, const BodyModel& body) {
      add_station(model_->node(station), bodies.frames[station.body].R, body.modal(p.q), wrenches.sum[slot],
                  wrenches.sum[station.body], body.modal(out));
    });
    for (std::size_t i = 0; i < model_->bodies.size(); ++i) {
      const BodyModel& body = model_->bodies[i];
      const Wrench<S>& w = wrenches.sum[i + 1];
      for (std::size_t k = 0; k < 2; ++k) out[body.first + k] += w.force[k];
      out[body.first + 2] += body.kind == BodyKind::planar ? w.torque[2] : w.force[2];
      if (body.kind != BodyKind::spatial) continue;
      const Three<S> torque = rotate_back(bodies.frames[i + 1].R, w.torque);
      for (std::size_t k = 0; k < 3; ++k) out[body.first + 3 + k] += torque[k];
    }
  }
};

}  // namespace rubato::multibody::detail
