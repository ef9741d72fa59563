#pragma once
/// Small models for tests of real-time steps.
#include <cmath>

#include "rubato/problem/template_dae.hpp"
#include "rubato/realtime/plan.hpp"

namespace rubato::realtime::test_models {

/// Linear index 1 with an input and an output: x' = −2 x + y + u, 0 = y − 3 x − z, 0 = z − 0.5 y − 1.
struct Linear {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = -2.0 * at.x[0] + at.x[1] + at.u[0];
    out[1] = at.x[1] - 3.0 * at.x[0] - at.x[2];
    out[2] = at.x[2] - 0.5 * at.x[1] - 1.0;
  }
  static constexpr bool autonomous = true;
  [[nodiscard]] static int n_inputs() { return 1; }
  [[nodiscard]] static std::vector<std::string> output_names() { return {"sum"}; }
  template <class S>
  void outputs(const Point<S>& at, std::span<S> y) const {
    y[0] = at.x[0] + at.x[1] + 10.0 * at.u[0];
  }
};
inline auto linear() {
  return make_dae(Linear{}, {{.name = "x", .size = 1}, {.name = "y", .size = 2, .kind = Kind::algebraic}});
}

/// 0 = y − sin t.
struct Sine {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sin;
    out[0] = at.x[0] - sin(at.t);
  }
};
inline auto sine() { return make_dae(Sine{}, {{.name = "y", .size = 1, .kind = Kind::algebraic}}); }

/// x_i' = −x_i².
struct Decay {
  int n = 1;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    for (int i = 0; i < n; ++i) out[i] = -at.x[i] * at.x[i];
  }
  static constexpr bool autonomous = true;
};
inline auto decay(int n = 1) { return make_dae(Decay{n}, {{.name = "x", .size = n}}); }

/// Singular where its input is zero: x' = y − x, 0 = u y − 1.
struct Gate {
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = at.x[1] - at.x[0];
    out[1] = at.u[0] * at.x[1] - 1.0;
  }
  static constexpr bool autonomous = true;
  [[nodiscard]] static int n_inputs() { return 1; }
};
inline auto gate() {
  return make_dae(Gate{}, {{.name = "x", .size = 1}, {.name = "y", .size = 1, .kind = Kind::algebraic}});
}

/// A chain of nonlinear oscillators with one dense row: nothing about it is constant but q' = v.
struct Chain {
  int n = 6;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sin;
    for (int i = 0; i < n; ++i) {
      out[i] = at.x[n + i];
      const S left = i > 0 ? at.x[i - 1] : S(0.0), right = i + 1 < n ? at.x[i + 1] : S(0.0);
      const S stretch = at.x[i] * 2.0 - left - right;
      out[n + i] = -100.0 * stretch - stretch * stretch * stretch - sin(at.x[n + i]);
    }
    for (int i = 0; i < n; ++i) out[2 * n - 1] += 0.01 * at.x[i] * at.x[n + i];
  }
  static constexpr bool autonomous = true;
};
inline auto chain() { return make_dae(Chain{}, {{.name = "q", .size = 6}, {.name = "v", .size = 6}}); }

/// Orifices: s(u) = sign(u) √|u|, derivative floor |u| ≥ 1e-12.
///   0.2 p' = 0.7 s(p2 − p) − 0.5 s(p),   0 = Q(t) − s(p1 − p2),   0 = s(p1 − p2) − 0.7 s(p2 − p)
struct Hydraulic {
  static inline long evaluations = 0;  ///< over double
  template <class S>
  static S root(const S& u) {
    using std::sqrt;
    const double value = static_cast<double>(plain(u)), size = std::max(std::abs(value), 1e-12);
    if (std::abs(value) < 1e-12) return u * (1 / std::sqrt(size));
    return value > 0 ? sqrt(u) : -sqrt(-u);
  }
  template <class S>
  static double plain(const S& u) {
    if constexpr (std::is_same_v<S, double>)
      return u;
    else
      return u.value;
  }
  static double supply(double t) { return t < 0.25 ? 0.6 : t < 1 ? 0.01 : t < 1.5 ? 0.4 : -0.005; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    if constexpr (std::is_same_v<S, double>) ++evaluations;
    const S &p = at.x[0], &p1 = at.x[1], &p2 = at.x[2];
    out[0] = (0.7 * root(p2 - p) - 0.5 * root(p)) * 5.0;
    out[1] = supply(plain(at.t)) - root(p1 - p2);
    out[2] = root(p1 - p2) - 0.7 * root(p2 - p);
  }
};
inline auto hydraulic() {
  return make_dae(Hydraulic{}, {{.name = "p", .size = 1}, {.name = "y", .size = 2, .kind = Kind::algebraic}});
}
/// Consistent with p = 1 and Q = 0.6: p2 = 1 + (0.6/0.7)², p1 = p2 + 0.36.
inline Sample hydraulic_start() {
  const double p2 = 1 + 36.0 / 49;
  return {0, Vector{{1, p2 + 0.36, p2}}, Vector()};
}

/// All entries kept.
template <class Model>
Result<Plan> full_plan(const Model& dae, const Sample& start, PlanOptions options) {
  auto structure = model_structure(dae, start);
  if (!structure) return structure.error();
  Keep keep(static_cast<std::size_t>(structure->jacobian.nnz()), 1);
  return make_plan(dae, std::move(*structure), std::move(keep), {start}, options);
}

}  // namespace rubato::realtime::test_models
