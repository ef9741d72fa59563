#pragma once
/// x' = f(t, x) put together from functions, for tests of the driver.
#include <functional>
#include <memory>

#include "rubato/problem/dae.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato::testing {

struct Functions {
  std::function<EvalStatus(const At&, Out)> f;
  std::vector<RootInfo> roots = {};
  std::function<void(const At&, Out)> root_values = {};
  std::function<double(double)> next_time_event = {};
  std::function<EventEffect(const EventContext&, Out)> on_event = {};
  std::vector<std::string> outputs = {}, invariants = {};
  std::function<EvalStatus(const At&, In, Out)> output_values = {}, invariant_values = {};
  int n_inputs = 0;
  bool chart = false;  ///< x[0] is an increment over base[0]
};

class FunctionDae final : public Dae {
 public:
  FunctionDae(Layout layout, Functions functions) : Dae(std::move(layout)), is(std::move(functions)) {}
  EvalStatus f(const At& at, Out out) const noexcept override { return is.f(at, out); }
  EvalStatus mass_times(const At&, In w, Out out) const noexcept override {
    map(out) = map(w);
    return EvalStatus::ok;
  }
  int n_inputs() const noexcept override { return is.n_inputs; }
  std::vector<RootInfo> roots() const override { return is.roots; }
  EvalStatus root_values(const At& at, Out values) const noexcept override {
    is.root_values(at, values);
    return EvalStatus::ok;
  }
  double next_time_event(double t, int mode) const noexcept override {
    return is.next_time_event ? is.next_time_event(t) : Dae::next_time_event(t, mode);
  }
  EventEffect on_event(const EventContext& event, Out x) const noexcept override {
    return is.on_event ? is.on_event(event, x) : Dae::on_event(event, x);
  }
  std::vector<std::string> output_names() const override { return is.outputs; }
  EvalStatus outputs(const At& at, In w, Out y) const noexcept override { return is.output_values(at, w, y); }
  std::vector<std::string> invariant_names() const override { return is.invariants; }
  EvalStatus invariants(const At& at, Out y) const noexcept override { return is.invariant_values(at, {}, y); }
  int base_size() const noexcept override { return is.chart ? 1 : 0; }
  void rebase(Out x, Out base) const noexcept override {
    if (!is.chart) return;
    base[0] += x[0];
    x[0] = 0;
  }

 private:
  Functions is;
};

inline InitialValueProblem make_problem(Functions functions, std::initializer_list<double> x, double t_end) {
  InitialValueProblem problem;
  problem.x = map(In(x.begin(), x.size()));
  const int n = static_cast<int>(x.size());
  if (functions.chart) problem.base = Vector::Zero(1);
  problem.dae = std::make_shared<FunctionDae>(Layout{{.name = "x", .size = n}}, std::move(functions));
  problem.t_end = t_end;
  return problem;
}

/// x' = −x.
inline EvalStatus decay(const At& at, Out out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = -at.x[i];
  return EvalStatus::ok;
}

/// x' = 0: nothing moves but the time.
inline EvalStatus rest(const At&, Out out) {
  for (double& x : out) x = 0;
  return EvalStatus::ok;
}

/// A ball above the floor x[0] = 0 with gravity 10, which keeps `restitution` of its speed at each impact.
inline InitialValueProblem bouncing_ball(double restitution, double t_end) {
  return make_problem({.f =
                           [](const At& at, Out out) {
                             out[0] = at.x[1];
                             out[1] = -10;
                             return EvalStatus::ok;
                           },
                       .roots = {{.name = "floor", .crossing = Crossing::any}},
                       .root_values = [](const At& at, Out g) { g[0] = at.x[0]; },
                       .on_event =
                           [restitution](const EventContext& event, Out x) {
                             x[1] *= -restitution;
                             return EventEffect{.mode = event.mode + 1, .state_changed = true};
                           }},
                      {5, 0}, t_end);
}

}  // namespace rubato::testing
