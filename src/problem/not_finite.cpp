/// Who makes a number that is none.
#include <fmt/format.h>

#include <cmath>

#include "rubato/base/text.hpp"
#include "start.hpp"

namespace rubato {

std::string not_finite_part(const MechanicalSystem& system, const MechanicalPoint<double>& p) {
  const MechanicalSizes& n = system.sizes();
  const auto first_in = [](const Vector& x) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i])) return static_cast<int>(i);
    return -1;
  };
  const auto named = [&system](const char* block, int i) {
    const auto names = system.names(block);
    const auto k = static_cast<std::size_t>(i);
    return k < names.size() ? names[k] : fmt::format("{}[{}]", block, i);
  };
  const Vector at_rest = Vector::Zero(n.v);
  Vector g(n.lambda);
  const auto constraint = [&](const char* words, EvalStatus status) -> std::string {
    const int i = status == EvalStatus::ok ? first_in(g) : -1;
    return i < 0 ? std::string{} : fmt::format("{}'{}' is {}", words, named("lambda", i), shortest(g[i]));
  };
  if (n.lambda > 0) {
    if (auto found = constraint("constraint ", system.constraint(p, view(g))); !found.empty()) return found;
    if (auto found = constraint("the rate of constraint ", system.constraint_rate(p, view(g))); !found.empty())
      return found;
    const EvalStatus status = system.constraint_acceleration(p, view(at_rest), view(g));
    if (auto found = constraint("the second derivative of constraint ", status); !found.empty()) return found;
  }
  const auto parts = system.part_names();
  Vector f(n.v);
  for (std::size_t m = 0; m < parts.size(); ++m) {
    if (system.part_force(static_cast<int>(m), p, view(f)) != EvalStatus::ok) continue;
    if (const int i = first_in(f); i >= 0)
      return fmt::format("the force '{}' is {} in the equation of {}", parts[m], shortest(f[i]), named("v", i));
  }
  Vector e(n.z);
  if (n.z > 0 && system.auxiliary(p, view(e)) == EvalStatus::ok)
    if (const int i = first_in(e); i >= 0) return fmt::format("the rate of '{}' is {}", named("z", i), shortest(e[i]));
  return {};
}

}  // namespace rubato
