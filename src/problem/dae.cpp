#include "rubato/problem/dae.hpp"

#include <limits>

namespace rubato {

// What a model has not got is asked for by mistake only: the answers below keep such a mistake visible.
SparsePattern Dae::jacobian_pattern() const {
  return size() <= 20'000 ? SparsePattern::dense(size(), size()) : SparsePattern();
}
EvalStatus Dae::jacobian(const At&, In, Out) const noexcept { return EvalStatus::fatal; }
EvalStatus Dae::outputs(const At&, In, Out y) const noexcept { return y.empty() ? EvalStatus::ok : EvalStatus::fatal; }
EvalStatus Dae::invariants(const At&, Out values) const noexcept {
  return values.empty() ? EvalStatus::ok : EvalStatus::fatal;
}
EvalStatus Dae::root_values(const At&, Out values) const noexcept {
  return values.empty() ? EvalStatus::ok : EvalStatus::fatal;
}
void Dae::rebase(Out, Out) const noexcept {}
bool Dae::transport(In, In, Out) const noexcept { return base_size() == 0; }
double Dae::next_time_event(double, int) const noexcept { return std::numeric_limits<double>::infinity(); }
EventEffect Dae::on_event(const EventContext& event, Out) const noexcept { return {.mode = event.mode}; }

}  // namespace rubato
