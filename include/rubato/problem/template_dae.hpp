#pragma once
/// A Dae from a model written once as templates over the scalar.
///
///   struct Decay {
///     template <class S>
///     void f(const rubato::Point<S>& at, std::span<S> out) const { out[0] = -k * at.x[0]; }
///     double k = 3;
///   };
///   auto dae = rubato::make_dae(Decay{}, {{.name = "x", .size = 1}});
///
/// Optional members, found by their names:
///   template <class S> void mass_times(const Point<S>&, std::span<const S> w, std::span<S> out)   B(t,x) w
///   template <class S> void outputs / invariants / root_values(const Point<S>&, std::span<S> out)
///   std::vector<std::string> output_names() / invariant_names(); std::vector<RootInfo> roots()
///   double next_time_event(double t, int mode); EventEffect on_event(const EventContext&, Out x)
///   std::vector<std::string> part_names(); template <class S> void part(int m, const Point<S>&, std::span<S> out)
///   int n_inputs(); static constexpr bool constant_mass, autonomous
///   static constexpr bool recordable      true: nothing in f and outputs branches on values, so that code can be written of them
/// Each may return void or an EvalStatus.
#include <memory>
#include <utility>

#include "rubato/problem/symbolic_equations.hpp"

namespace rubato {

namespace detail {

/// Forwards one scalar's equations to the model; Base is Dae for double, DaeEquations<S> otherwise.
template <class Base, class Model, class S>
class ModelEquations : public Base {
 public:
  template <class... Args>
  explicit ModelEquations(const Model* model, const Layout* layout, Args&&... args)
      : Base(std::forward<Args>(args)...), model_(model), rows_(layout) {}

  EvalStatus f(const Point<S>& at, std::span<S> out) const noexcept override {
    return status_of([&] { return model_->f(at, out); });
  }
  EvalStatus part(int m, const Point<S>& at, std::span<S> out) const noexcept override {
    if constexpr (requires { model_->part(m, at, out); })
      return status_of([&] { return model_->part(m, at, out); });
    else
      return Base::part(m, at, out);
  }
  EvalStatus mass_times(const Point<S>& at, std::span<const S> w, std::span<S> out) const noexcept override {
    if constexpr (requires { model_->mass_times(at, w, out); }) {
      return status_of([&] { return model_->mass_times(at, w, out); });
    } else {
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = rows_->kind(static_cast<int>(i)) == Kind::differential ? w[i] : S(0.0);
      return EvalStatus::ok;
    }
  }

 protected:
  const Model* model_;
  const Layout* rows_;
};

template <class Model>
class RecordedEquations final : public ModelEquations<SymbolicEquations, Model, Symbol> {
 public:
  using ModelEquations<SymbolicEquations, Model, Symbol>::ModelEquations;
  EvalStatus outputs(const Point<Symbol>& at, std::span<Symbol> y) const noexcept override {
    if constexpr (requires { this->model_->outputs(at, y); })
      return status_of([&] { return this->model_->outputs(at, y); });
    else
      return EvalStatus::fatal;
  }
};

/// Only models that say so are compiled over symbols.
template <class Model>
class WithoutSymbols {
 protected:
  WithoutSymbols(const Model* /*model*/, const Layout* /*layout*/) {}
};
template <class Model>
class WithSymbols : public Recordable {
 public:
  const SymbolicEquations& symbolic() const noexcept override { return equations_; }

 protected:
  WithSymbols(const Model* model, const Layout* layout) : equations_(model, layout) {}

 private:
  RecordedEquations<Model> equations_;
};
template <class Model>
struct MaybeSymbols {
  using Type = WithoutSymbols<Model>;
};
template <class Model>
requires Model::recordable struct MaybeSymbols<Model> {
  using Type = WithSymbols<Model>;
};

template <class Model>
struct ModelHolder {
  Model held;
};

}  // namespace detail

template <class Model>
class TemplateDae final : private detail::ModelHolder<Model>,
                          public detail::ModelEquations<Dae, Model, double>,
                          public detail::MaybeSymbols<Model>::Type {
  using Symbols = typename detail::MaybeSymbols<Model>::Type;
  using Real = detail::ModelEquations<Dae, Model, double>;
  using detail::ModelHolder<Model>::held;

 public:
  TemplateDae(Model model, Layout layout)
      : detail::ModelHolder<Model>{std::move(model)},
        Real(&held, &this->layout_, std::move(layout)),
        Symbols(&held, &this->layout_),
        dual_(&held, &this->layout_),
        tracer_(&held, &this->layout_) {}
  TemplateDae(const TemplateDae&) = delete;
  TemplateDae& operator=(const TemplateDae&) = delete;

  [[nodiscard]] const Model& model() const noexcept { return held; }
  const DaeEquations<Dual8>* dual() const noexcept override { return &dual_; }
  const DaeEquations<Tracer>* tracer() const noexcept override { return &tracer_; }

  bool constant_mass() const noexcept override {
    if constexpr (requires { Model::constant_mass; })
      return Model::constant_mass;
    else
      return !requires(const At& at, In w, Out out) { held.mass_times(at, w, out); };
  }
  bool autonomous() const noexcept override {
    if constexpr (requires { Model::autonomous; })
      return Model::autonomous;
    else
      return false;
  }
  int n_inputs() const noexcept override {
    if constexpr (requires { held.n_inputs(); })
      return held.n_inputs();
    else
      return 0;
  }
  std::size_t scratch_bytes() const noexcept override {
    if constexpr (requires { held.scratch_bytes(); })
      return held.scratch_bytes();
    else
      return 0;
  }
  std::vector<std::string> part_names() const override {
    if constexpr (requires { held.part_names(); })
      return held.part_names();
    else
      return {};
  }
  std::vector<std::string> output_names() const override {
    if constexpr (requires { held.output_names(); })
      return held.output_names();
    else
      return {};
  }
  EvalStatus outputs(const At& at, In w, Out y) const noexcept override {
    if constexpr (requires { held.outputs(at, y); })
      return detail::status_of([&] { return held.outputs(at, y); });
    else
      return Dae::outputs(at, w, y);
  }
  std::vector<std::string> invariant_names() const override {
    if constexpr (requires { held.invariant_names(); })
      return held.invariant_names();
    else
      return {};
  }
  EvalStatus invariants(const At& at, Out values) const noexcept override {
    if constexpr (requires { held.invariants(at, values); })
      return detail::status_of([&] { return held.invariants(at, values); });
    else
      return Dae::invariants(at, values);
  }
  std::vector<RootInfo> roots() const override {
    if constexpr (requires { held.roots(); })
      return held.roots();
    else
      return {};
  }
  EvalStatus root_values(const At& at, Out values) const noexcept override {
    if constexpr (requires { held.root_values(at, values); })
      return detail::status_of([&] { return held.root_values(at, values); });
    else
      return Dae::root_values(at, values);
  }
  double next_time_event(double t, int mode) const noexcept override {
    if constexpr (requires { held.next_time_event(t, mode); })
      return held.next_time_event(t, mode);
    else
      return Dae::next_time_event(t, mode);
  }
  EventEffect on_event(const EventContext& event, Out x) const noexcept override {
    if constexpr (requires { held.on_event(event, x); })
      return held.on_event(event, x);
    else
      return Dae::on_event(event, x);
  }

 private:
  detail::ModelEquations<DaeEquations<Dual8>, Model, Dual8> dual_;
  detail::ModelEquations<DaeEquations<Tracer>, Model, Tracer> tracer_;
};

template <class Model>
[[nodiscard]] std::shared_ptr<const TemplateDae<Model>> make_dae(Model model, Layout layout) {
  return std::make_shared<const TemplateDae<Model>>(std::move(model), std::move(layout));
}

}  // namespace rubato
