#include "stage_rule.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "rubato/base/assert.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"

namespace rubato {

namespace {

/// det A ∝ δ-part + αβ-part of the corner: below these A⁻¹ is not used.
constexpr double smallest_beta = 0.5, smallest_alpha = 0.05;

StageCombination combination(const RungeKuttaTable& table, const LobattoCorner& corner, const Vector& r) {
  StageCombination result;
  const int s = table.s;
  Matrix A = table.A;
  const bool near_iiia = corner.beta < smallest_beta && corner.alpha >= smallest_alpha;
  if (near_iiia) A(0, 0) += 1;  // (2)
  if (near_iiia || (corner.beta >= smallest_beta && corner.alpha >= smallest_alpha && table.invertible())) {
    const Vector w = A.transpose().fullPivLu().solve(r);
    for (int j = 0; j < s; ++j)
      if (std::abs(w[j]) > 1e-14) result.on_z[static_cast<std::size_t>(j)] = w[j];  // (1)
    if (near_iiia) result.on_k[0] = result.on_z[0];
  } else {
    std::copy(r.begin(), r.end(), result.on_k.begin());  // (3)
  }
  return result;
}

}  // namespace

StageRule stage_rule(const RungeKuttaTable& table, double alpha0) {
  RUBATO_ASSERT(table.family >= RungeKuttaFamily::lobatto_iiia, "Lobatto methods only");
  StageRule rule;
  rule.s = table.s;
  rule.theta = table.theta;
  rule.corner = lobatto_corner(table.family, table.theta);
  for (int i = 0; i < table.s; ++i)
    for (int j = 0; j < table.s; ++j) rule.a[static_cast<std::size_t>(i * table.s + j)] = table.A(i, j);
  rule.ends_in_last_stage = table.stiffly_accurate();
  if (rule.ends_in_last_stage)
    rule.end.on_z[static_cast<std::size_t>(table.s - 1)] = 1;
  else
    rule.end = combination(table, rule.corner, table.b);
  rule.extra = combination(table, rule.corner, embedded_lobatto(table, alpha0).row);
  return rule;
}

StageRule stage_rule_of_part(const RungeKuttaTable& table, double alpha0) {
  StageRule rule = stage_rule(table, alpha0);
  const Vector row = embedded_lobatto(table, alpha0).row;
  rule.extra = {};
  std::copy(row.begin(), row.end(), rule.extra.on_k.begin());
  if (rule.ends_in_last_stage) return rule;
  rule.end = {};
  std::copy(table.b.begin(), table.b.end(), rule.end.on_k.begin());
  return rule;
}

StageRule blended_dc(const StageRule& iiic, const StageRule& iiid, double theta) noexcept {
  StageRule rule = iiic;
  rule.theta = theta;
  rule.corner.delta = 1 - theta;
  for (std::size_t k = 0; k < rule.a.size(); ++k) rule.a[k] = theta * iiid.a[k] + (1 - theta) * iiic.a[k];  // (4)
  rule.end.on_z[0] = (rule.s % 2 == 0 ? -1 : 1) * theta / (2 - theta);
  rule.ends_in_last_stage = theta == 0;
  return rule;
}

}  // namespace rubato
