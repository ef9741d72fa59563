#include "rubato/problem/mechanical.hpp"

#include <limits>

#include "rubato/base/text.hpp"
#include "rubato/problem/consistent.hpp"

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
bool MechanicalSystem::transport(In, In, Out) const noexcept { return base_size() == 0; }

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

std::string describe(const MechanicalSystem& system, const ConstraintDiagnosis& diagnosis) {
  if (diagnosis.dependent.empty()) return {};
  const auto& n = system.sizes();
  const auto lambda = system.names("lambda"), nu = system.names("nu");
  std::vector<std::string> rows;
  for (const int row : diagnosis.dependent) {
    const auto& names = row < n.lambda ? lambda : nu;
    const int i = row < n.lambda ? row : row - n.lambda;
    rows.push_back(i < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(i)]
                                                      : (row < n.lambda ? "lambda[" : "nu[") + std::to_string(i) + "]");
  }
  return std::to_string(rows.size()) + " of " + std::to_string(n.lambda + n.nu) +
         (rows.size() == 1 ? " constraints follows" : " constraints follow") + " from the others: " + joined(rows);
}

}  // namespace rubato
