#include "rubato/problem/mechanical.hpp"

#include <limits>

namespace rubato {

EvalStatus MechanicalSystem::tangents(const MechanicalPoint<double>&, In, const ResidualTangents&) const noexcept {
  return EvalStatus::fatal;
}

EvalStatus MechanicalSystem::weighted_part_force(int part, const MechanicalPoint<double>& p, In weights,
                                                 Out out) const noexcept {
  if (weights.size() != 1) return EvalStatus::fatal;
  const EvalStatus status = part_force(part, p, out);
  for (double& x : out) x *= weights[0];
  return status;
}

std::vector<std::string> MechanicalSystem::names(std::string_view) const { return {}; }
std::string MechanicalSystem::unit(std::string_view) const { return {}; }
void MechanicalSystem::rebase(Out, Out) const noexcept {}

EvalStatus MechanicalSystem::outputs(const MechanicalPoint<double>&, In, Out y) const noexcept {
  return y.empty() ? EvalStatus::ok : EvalStatus::fatal;
}
EvalStatus MechanicalSystem::invariants(const MechanicalPoint<double>&, Out values) const noexcept {
  return values.empty() ? EvalStatus::ok : EvalStatus::fatal;
}
EvalStatus MechanicalSystem::root_values(const MechanicalPoint<double>&, Out values) const noexcept {
  return values.empty() ? EvalStatus::ok : EvalStatus::fatal;
}
double MechanicalSystem::next_time_event(double, int) const noexcept { return std::numeric_limits<double>::infinity(); }
EventEffect MechanicalSystem::on_event(const EventContext& event, Out, Out, Out) const noexcept {
  return {.mode = event.mode};
}

}  // namespace rubato
