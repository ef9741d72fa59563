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

std::string constraint_name(const MechanicalSystem& system, int row) {
  const int n_g = system.sizes().lambda, i = row < n_g ? row : row - n_g;
  const std::string block = row < n_g ? "lambda" : "nu";
  const auto names = system.names(block);
  return i < static_cast<int>(names.size()) ? names[static_cast<std::size_t>(i)]
                                            : block + "[" + std::to_string(i) + "]";
}

std::string describe(const MechanicalSystem& system, const ConstraintDiagnosis& diagnosis) {
  const auto listed = [&system](const std::vector<int>& rows) {
    std::vector<std::string> names;
    for (const int row : rows) names.push_back(constraint_name(system, row));
    return joined(names);
  };
  std::string words;
  if (const auto n = diagnosis.dependent.size(); n > 0)
    words = std::to_string(n) + " of " + std::to_string(system.sizes().lambda + system.sizes().nu) +
            (n == 1 ? " constraints follows" : " constraints follow") +
            " from the others in this position: " + listed(diagnosis.dependent);
  if (!diagnosis.singular.empty())
    words += (words.empty() ? "" : "; ") + std::string("a singular position: at this instant only, ") +
             listed(diagnosis.singular) + (diagnosis.singular.size() == 1 ? " depends" : " depend") + " on the others";
  return words;
}

}  // namespace rubato
