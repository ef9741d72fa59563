#include "rubato/realtime/matching.hpp"

#include <algorithm>
#include <cmath>

#include "realtime/bipartite.hpp"
#include "rubato/base/assert.hpp"

namespace rubato::realtime {

namespace {

using Complex = std::complex<double>;
using Spectrum = std::span<const Complex>;

/// Ratios |λ_i − λ̃_j| / r_i. Of z zeros on the left and s non-zeros on the right at least z − s zeros meet zeros in every matching:
/// these pairs are made beforehand, for algebraic unknowns bring hundreds of them.
class Ratios {
 public:
  Ratios(Spectrum lambda, Spectrum moved, std::span<const double> allowed) {
    RUBATO_ASSERT(lambda.size() == moved.size() && lambda.size() == allowed.size(), "spectra of one size");
    const auto zero = [](const Complex& l) { return l == Complex(0); };
    const auto zeros = std::count_if(lambda.begin(), lambda.end(), zero);
    const auto others = static_cast<std::ptrdiff_t>(moved.size()) - std::count_if(moved.begin(), moved.end(), zero);
    auto left_out = std::max<std::ptrdiff_t>(0, zeros - others), right_out = left_out;
    for (std::size_t i = 0; i < lambda.size(); ++i)
      (zero(lambda[i]) && left_out-- > 0 ? paired_left : left).push_back(static_cast<int>(i));
    for (std::size_t j = 0; j < moved.size(); ++j)
      (zero(moved[j]) && right_out-- > 0 ? paired_right : right).push_back(static_cast<int>(j));
    value_.reserve(left.size() * right.size());
    for (const int i : left)
      for (const int j : right)
        value_.push_back(std::abs(lambda[static_cast<std::size_t>(i)] - moved[static_cast<std::size_t>(j)]) /
                         allowed[static_cast<std::size_t>(i)]);
  }

  [[nodiscard]] Matching matching(double threshold) const {
    Bipartite graph{static_cast<int>(right.size()), std::vector<std::vector<int>>(left.size())};
    for (std::size_t i = 0; i < left.size(); ++i)
      for (std::size_t j = 0; j < right.size(); ++j)
        if (value_[i * right.size() + j] <= threshold) graph.neighbours[i].push_back(static_cast<int>(j));
    return maximum_matching(graph);
  }
  [[nodiscard]] bool perfect(const Matching& m) const { return m.size == static_cast<int>(left.size()); }
  [[nodiscard]] const std::vector<double>& values() const { return value_; }
  [[nodiscard]] double value(std::size_t i, std::size_t j) const { return value_[i * right.size() + j]; }

  std::vector<int> left, right, paired_left, paired_right;

 private:
  std::vector<double> value_;
};

}  // namespace

std::vector<double> allowed_movements(Spectrum lambda, double rho, double rho_m) {
  std::vector<double> r;
  r.reserve(lambda.size());
  for (const Complex& l : lambda) r.push_back(std::max(rho * (1 - std::abs(l)), rho_m));  // (1)
  return r;
}

SpectrumMatch match_spectra(Spectrum lambda, Spectrum moved, std::span<const double> allowed) {
  const Ratios ratios(lambda, moved, allowed);
  // No threshold below the largest of everybody's smallest ratios can do.
  double bound = 0;
  for (std::size_t i = 0; i < ratios.left.size(); ++i) {
    double smallest = ratios.value(i, 0);
    for (std::size_t j = 1; j < ratios.right.size(); ++j) smallest = std::min(smallest, ratios.value(i, j));
    bound = std::max(bound, smallest);
  }
  Matching best = ratios.matching(bound);
  double ratio = bound;
  if (!ratios.perfect(best)) {
    std::vector<double> thresholds;
    for (const double v : ratios.values())
      if (v > bound) thresholds.push_back(v);
    std::sort(thresholds.begin(), thresholds.end());
    std::size_t low = 0, high = thresholds.size() - 1;  // the largest of all always does
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (ratios.perfect(ratios.matching(thresholds[middle])))
        high = middle;
      else
        low = middle + 1;
    }
    ratio = thresholds[low];
    best = ratios.matching(ratio);
  }
  SpectrumMatch match{std::vector<int>(lambda.size(), -1), ratio};
  for (std::size_t i = 0; i < ratios.left.size(); ++i)
    match.partner[static_cast<std::size_t>(ratios.left[i])] = ratios.right[static_cast<std::size_t>(best.of_left[i])];
  for (std::size_t k = 0; k < ratios.paired_left.size(); ++k)
    match.partner[static_cast<std::size_t>(ratios.paired_left[k])] = ratios.paired_right[k];
  return match;
}

bool within_allowed(Spectrum lambda, Spectrum moved, std::span<const double> allowed) {
  const Ratios ratios(lambda, moved, allowed);
  return ratios.perfect(ratios.matching(1));
}

}  // namespace rubato::realtime
