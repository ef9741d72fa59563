#include "rubato/integrate/study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/assert.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato {

namespace {
/// A state with the increments of its charts moved into the base.
struct Settled {
  Settled(const Dae& dae, In x_in, In base_in) : x(map(x_in)), base(map(base_in)) {
    if (dae.base_size() > 0) dae.rebase(view(x), view(base));
  }
  Vector x, base;
};

/// The larger one; NaN is larger than everything.
double worse(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

/// Of the charts; rows left out as dependent, which stand behind, are no result.
Eigen::Index chart_size(const Dae& dae) {
  const auto* mechanics = dynamic_cast<const FormulatedDae*>(&dae);
  return mechanics != nullptr ? mechanics->system().base_size() : dae.base_size();
}

double largest_difference(const Vector& a, const Vector& b, Eigen::Index first, Eigen::Index n) {
  double largest = 0;
  for (Eigen::Index i = first; i < first + n; ++i) largest = worse(largest, std::abs(a[i] - b[i]));
  return largest;
}
}  // namespace

std::vector<BlockError> block_errors(const Dae& dae, In x, In base, In x_reference, In base_reference) {
  RUBATO_ASSERT(x.size() == x_reference.size() && base.size() == base_reference.size(), "states of the same Dae");
  const Settled state(dae, x, base), exact(dae, x_reference, base_reference);
  std::vector<BlockError> errors;
  for (const auto& block : dae.layout().blocks())
    errors.push_back({block.name, block.unit, largest_difference(state.x, exact.x, block.offset, block.size)});
  if (const Eigen::Index n = chart_size(dae); n > 0)
    errors.push_back({"base", "", largest_difference(state.base, exact.base, 0, n)});
  return errors;
}

double mixed_error(const Dae& dae, In x, In base, In x_reference, In base_reference) {
  RUBATO_ASSERT(x.size() == x_reference.size() && base.size() == base_reference.size(), "states of the same Dae");
  const Settled state(dae, x, base), exact(dae, x_reference, base_reference);
  double largest = largest_difference(state.base, exact.base, 0, chart_size(dae));
  const auto powers = dae.layout().h_powers();
  for (Eigen::Index i = 0; i < exact.x.size(); ++i) {
    if (powers[static_cast<std::size_t>(i)] != 0) continue;
    largest = worse(largest, std::abs(state.x[i] - exact.x[i]) / (1 + std::abs(exact.x[i])));
  }
  return largest;
}

std::vector<double> observed_orders(std::span<const double> h, std::span<const double> errors) {
  std::vector<double> orders(errors.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 1; i < errors.size(); ++i) {
    const double order = std::log(errors[i] / errors[i - 1]) / std::log(h[i] / h[i - 1]);
    if (std::isfinite(order)) orders[i] = order;
  }
  return orders;
}

}  // namespace rubato
