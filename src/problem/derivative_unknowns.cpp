#include "rubato/problem/derivative_unknowns.hpp"

#include <algorithm>

namespace rubato {

namespace {

/// (1) over one scalar. `slot[i]`: where w_i stands in the long vector, −1 for algebraic unknowns.
template <class S>
class LongRows final : public DaeEquations<S> {
 public:
  LongRows(const DaeEquations<S>* inner, const std::vector<int>* slot) : inner_(inner), slot_(slot) {}

  EvalStatus f(const Point<S>& at, std::span<S> out) const noexcept override {
    const std::size_t n = slot_->size();
    Point<S> point = at;
    const auto w = point.scratch.template take<S>(n);
    const auto bw = point.scratch.template take<S>(n);
    point.x = at.x.first(n);
    for (std::size_t i = 0; i < n; ++i) w[i] = (*slot_)[i] < 0 ? S(0.0) : at.x[(*slot_)[i]];
    const auto rows = out.first(n);
    EvalStatus status = inner_->f(point, rows);
    if (status == EvalStatus::ok) status = inner_->mass_times(point, w, bw);
    for (std::size_t i = 0; i < n; ++i) {
      const S residual = rows[i] - bw[i];
      if ((*slot_)[i] < 0) {
        out[i] = residual;
      } else {
        out[(*slot_)[i]] = residual;
        out[i] = w[i];
      }
    }
    return status;
  }

  EvalStatus mass_times(const Point<S>&, std::span<const S> w, std::span<S> out) const noexcept override {
    const std::size_t n = slot_->size();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = i < n && (*slot_)[i] >= 0 ? w[i] : S(0.0);
    return EvalStatus::ok;
  }

 private:
  const DaeEquations<S>* inner_;
  const std::vector<int>* slot_;
};

class LongDae final : public Dae {
 public:
  LongDae(std::shared_ptr<const Dae> inner, Layout layout, std::vector<int> slot)
      : Dae(std::move(layout)),
        inner_(std::move(inner)),
        slot_(std::move(slot)),
        rows_(inner_.get(), &slot_),
        dual_(inner_->dual(), &slot_),
        tracer_(inner_->tracer(), &slot_) {}

  EvalStatus f(const At& at, Out out) const noexcept override { return rows_.f(at, out); }
  EvalStatus mass_times(const At& at, In w, Out out) const noexcept override { return rows_.mass_times(at, w, out); }
  const DaeEquations<Dual8>* dual() const noexcept override { return inner_->dual() ? &dual_ : nullptr; }
  const DaeEquations<Tracer>* tracer() const noexcept override { return inner_->tracer() ? &tracer_ : nullptr; }
  bool autonomous() const noexcept override { return inner_->autonomous(); }
  std::size_t scratch_bytes() const noexcept override {
    return inner_->scratch_bytes() + 2 * Scratch::bytes_for<Dual8>(slot_.size());
  }
  int n_inputs() const noexcept override { return inner_->n_inputs(); }
  std::vector<std::string> output_names() const override { return inner_->output_names(); }
  EvalStatus outputs(const At& at, In w, Out y) const noexcept override {
    return inner_->outputs(shortened(at), w.first(slot_.size()), y);
  }
  std::vector<std::string> invariant_names() const override { return inner_->invariant_names(); }
  EvalStatus invariants(const At& at, Out values) const noexcept override {
    return inner_->invariants(shortened(at), values);
  }
  int base_size() const noexcept override { return inner_->base_size(); }
  void rebase(Out x, Out base) const noexcept override { inner_->rebase(x.first(slot_.size()), base); }
  // w is a vector in the tangent space of the old chart: it would have to be turned as well.
  bool transport(In from, In to, Out x) const noexcept override {
    return inner_->base_size() == 0 && inner_->transport(from, to, x.first(slot_.size()));
  }
  std::vector<RootInfo> roots() const override { return inner_->roots(); }
  EvalStatus root_values(const At& at, Out values) const noexcept override {
    return inner_->root_values(shortened(at), values);
  }
  double next_time_event(double t, int mode) const noexcept override { return inner_->next_time_event(t, mode); }
  EventEffect on_event(const EventContext& event, Out x) const noexcept override {
    return inner_->on_event(event, x.first(slot_.size()));
  }
  int starting_mode(const At& at) const noexcept override { return inner_->starting_mode(shortened(at)); }

 private:
  At shortened(At at) const noexcept {
    at.x = at.x.first(slot_.size());
    return at;
  }
  std::shared_ptr<const Dae> inner_;
  std::vector<int> slot_;
  LongRows<double> rows_;
  LongRows<Dual8> dual_;
  LongRows<Tracer> tracer_;
};

}  // namespace

std::shared_ptr<const Dae> with_derivative_unknowns(std::shared_ptr<const Dae> dae) {
  const Layout& old = dae->layout();
  Layout layout;
  for (const auto& block : old.blocks()) layout.add(block);
  for (int i = 0; i < old.size(); ++i) layout.set_kind(i, old.kind(i));
  std::vector<int> slot(static_cast<std::size_t>(old.size()), -1);
  std::vector<LocalUnknown> local;
  for (const auto& block : old.blocks()) {
    Block w{.name = block.name + "'",
            .unit = block.unit.empty() ? "" : block.unit + "/s",
            .kind = Kind::algebraic,
            .h_power = block.h_power + 1};
    for (int i = block.offset; i < block.offset + block.size; ++i) {
      if (old.kind(i) != Kind::differential) continue;
      slot[static_cast<std::size_t>(i)] = layout.size() + w.size++;
      w.components.push_back(old.component_name(i) + "'");
      local.push_back({.row = i, .col = slot[static_cast<std::size_t>(i)]});
    }
    if (w.size > 0) layout.add(std::move(w));
  }
  layout.eliminate(local);
  layout.set_index(std::max(1, old.index()));
  return std::make_shared<const LongDae>(std::move(dae), std::move(layout), std::move(slot));
}

Result<InitialValueProblem> with_derivative_unknowns(const InitialValueProblem& problem) {
  const auto n = problem.x.size();
  if (problem.w.size() != n)
    return Error{"with_derivative_unknowns: the start derivative w is missing; make_consistent() computes it"};
  InitialValueProblem longer = problem;
  longer.dae = with_derivative_unknowns(problem.dae);
  longer.x.conservativeResize(longer.dae->size());
  Eigen::Index next = n;
  for (Eigen::Index i = 0; i < n; ++i)
    if (problem.dae->layout().kind(static_cast<int>(i)) == Kind::differential) longer.x[next++] = problem.w[i];
  longer.w = Vector::Zero(longer.x.size());
  longer.w.head(n) = problem.w;
  return longer;
}

}  // namespace rubato
