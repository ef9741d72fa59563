/// Where the points of a scene are. A zigzag between x_a and x_b runs along d = x_b − x_a, its teeth across d and across the
/// first direction of a; a beam is drawn as the cubic
///   x(s) = h₀₀ x_a + h₁₀ L t_a + h₀₁ x_b + h₁₁ L t_b,
///   h₀₀ = 1 − h₀₁,  h₁₀ = s(1−s)²,  h₀₁ = s²(3−2s),  h₁₁ = −s²(1−s)                                                   (1)
/// with the tangents t of its nodes; velocities follow with x', t' = ω × t instead.
#include "rubato/multibody/scene.hpp"

#include <cmath>

#include "frame.hpp"

namespace rubato::multibody {

using namespace detail;

namespace {

/// Of the i-th of n points of a zigzag: the way along, and the deflection across in widths.
std::array<double, 2> zigzag(std::size_t i, std::size_t n) {
  if (i == 0 || i + 1 == n) return {i == 0 ? 0.0 : 1.0, 0.0};
  constexpr double straight = 0.15;  // at either end
  const double s = straight + (1 - 2 * straight) * static_cast<double>(i - 1) / static_cast<double>(n - 3);
  const bool flat = i == 1 || i + 2 == n;
  return {s, flat ? 0.0 : i % 2 == 0 ? 1.0 : -1.0};
}

/// Slot 0 is the ground.
std::vector<Frame<double>> frames_of(std::span<const Pose> bodies) {
  std::vector<Frame<double>> frames{{.r = {}, .R = rotation_of(no_rotation)}};
  for (const Pose& pose : bodies) frames.push_back({.r = pose.position, .R = rotation_of(pose.rotation)});
  return frames;
}

Three<double> unit_across(const Three<double>& d, const Three<double>& direction) {
  Three<double> u = cross(direction, d);
  const double length = std::sqrt(dot(u, u));
  if (!(length > 0)) return {};
  return times(1 / length, u);
}

}  // namespace

template <class At, class Along>
void Scene::follow(const At& at, const Along& along, bool rates, std::span<Vector3> out) const {
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    const Rule& rule = rules_[k];
    const auto points = out.subspan(pieces_[k].first, pieces_[k].count);
    if (rule.curve == Curve::fixed) {
      for (std::size_t i = 0; i < points.size(); ++i) points[i] = at(rule.anchors[i]);
      continue;
    }
    const Vector3 a = at(rule.anchors[0]), b = at(rule.anchors[1]), t_a = along(rule.anchors[0]),
                  t_b = along(rule.anchors[1]);
    const Vector3 across = rates ? Vector3{} : unit_across(minus(b, a), t_a);
    const auto n = static_cast<double>(points.size() - 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (rule.curve == Curve::zigzag) {
        const auto [s, u] = zigzag(i, points.size());
        points[i] = plus(plus(times(1 - s, a), times(s, b)), times(u * rule.scale, across));
      } else {
        const double s = static_cast<double>(i) / n, h = s * s * (3 - 2 * s);
        points[i] = plus(times(1 - h, a), times(h, b));  // (1)
        add(points[i], plus(times(rule.scale * s * (1 - s) * (1 - s), t_a), times(-rule.scale * s * s * (1 - s), t_b)));
      }
    }
  }
}

void Scene::place(std::span<const Pose> bodies, std::span<Vector3> points) const {
  const auto frames = frames_of(bodies);
  follow([&](const Anchor& m) { return plus(frames[m.slot].r, rotate(frames[m.slot].R, m.at)); },
         [&](const Anchor& m) { return rotate(frames[m.slot].R, m.along); }, false, points);
}

void Scene::velocities(std::span<const Pose> bodies, std::span<const BodyVelocity> rates,
                       std::span<Vector3> out) const {
  const auto frames = frames_of(bodies);
  const auto turning = [&](std::size_t slot, const Vector3& x) {
    return slot == 0 ? Vector3{} : cross(rates[slot - 1].angular, rotate(frames[slot].R, x));
  };
  follow(
      [&](const Anchor& m) { return m.slot == 0 ? Vector3{} : plus(rates[m.slot - 1].linear, turning(m.slot, m.at)); },
      [&](const Anchor& m) { return turning(m.slot, m.along); }, true, out);
}

}  // namespace rubato::multibody
