#include "rubato/integrate/stiffness_detector.hpp"

#include <algorithm>
#include <cmath>

namespace rubato {

namespace {
constexpr double smallest_mu = 1e-15;  // below, Δμ is round-off and the ratio means nothing
}

StiffnessDetector::StiffnessDetector(const StiffnessOptions& options, const Layout& layout)
    : options_(options), named_(!options.candidates.empty()) {
  for (const Block& block : layout.blocks()) {
    unknowns_.insert(unknowns_.end(), static_cast<std::size_t>(block.size), block.unknown);
    equations_.insert(equations_.end(), static_cast<std::size_t>(block.size), block.equation);
  }
  std::vector<int> velocities, accelerations;
  for (int i = 0; i < layout.size(); ++i) {
    const ScaledUnknown kind = unknowns_[static_cast<std::size_t>(i)];
    if (kind == ScaledUnknown::position) coordinates_.push_back({.position = i});
    if (kind == ScaledUnknown::velocity) velocities.push_back(i);
    if (kind == ScaledUnknown::acceleration) accelerations.push_back(i);
  }
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {  // the k-th position has the k-th velocity
    Coordinate& coordinate = coordinates_[k];
    if (k < velocities.size()) coordinate.velocity = velocities[k];
    if (k < accelerations.size()) coordinate.acceleration = accelerations[k];
    if (named_)
      coordinate.candidate = std::ranges::count(options.candidates, layout.component_name(coordinate.position)) > 0;
  }
  sorted_.reserve(coordinates_.size());
}

void StiffnessDetector::exclude_determined(const SparsePattern& jacobian, In j_values, const SparsePattern& mass,
                                           In b_values, double c) {
  if (named_) return;
  const auto n = unknowns_.size();
  std::vector<int> dynamic_rows, constraint_rows(n, 0), coordinate_of(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (equations_[i] == ScaledEquation::dynamic) dynamic_rows.push_back(static_cast<int>(i));
    constraint_rows[i] = unknowns_[i] == ScaledUnknown::force && equations_[i] != ScaledEquation::plain;
  }
  const auto value = [](const SparsePattern& pattern, In values, int row, int col) {
    const int place = row < 0 || col < 0 ? -1 : pattern.index_of(row, col);
    return place < 0 ? 0.0 : values[static_cast<std::size_t>(place)];
  };
  struct Hold {
    int row;
    int coordinate;
    double weight;
  };
  std::vector<Hold> entries;
  const auto starts = jacobian.column_starts(), rows = jacobian.row_indices();
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const Coordinate& q = coordinates_[k];
    const int row = k < dynamic_rows.size() ? dynamic_rows[k] : -1;
    const double inertia =
        std::abs(value(mass, b_values, row, q.velocity)) + std::abs(value(jacobian, j_values, row, q.acceleration));
    const double s = c * c * inertia + std::abs(value(jacobian, j_values, row, q.position));
    for (const int column : {q.position, q.velocity, q.acceleration}) {
      if (column < 0) continue;
      for (int p = starts[static_cast<std::size_t>(column)]; p < starts[static_cast<std::size_t>(column) + 1]; ++p) {
        const int at = rows[static_cast<std::size_t>(p)];
        const ScaledEquation level = equations_[static_cast<std::size_t>(at)];
        const bool fits = (level == ScaledEquation::position_constraint && column == q.position) ||
                          (level == ScaledEquation::velocity_constraint && column == q.velocity) ||
                          (level == ScaledEquation::acceleration_constraint && column == q.acceleration);
        const double g = std::abs(j_values[static_cast<std::size_t>(p)]);
        if (fits && constraint_rows[static_cast<std::size_t>(at)] != 0 && g > 0)
          entries.push_back({at, static_cast<int>(k), g / std::sqrt(std::max(s, 1e-300))});
      }
    }
  }
  // Greedy: the largest weights first, each row and each coordinate once.
  std::ranges::stable_sort(entries, [](const Hold& a, const Hold& b) { return a.weight > b.weight; });
  for (auto& coordinate : coordinates_) coordinate.candidate = true;
  for (const Hold& entry : entries) {
    Coordinate& coordinate = coordinates_[static_cast<std::size_t>(entry.coordinate)];
    int& open = constraint_rows[static_cast<std::size_t>(entry.row)];
    if (open == 0 || !coordinate.candidate) continue;
    open = 0;
    coordinate.candidate = false;
  }
}

bool StiffnessDetector::observe(In mu, In nu, bool accepted) noexcept {
  if (!looking() || (options_.accepted_only && !accepted)) return false;
  for (auto& q : coordinates_) {
    const double m = std::abs(mu[static_cast<std::size_t>(q.position)]);
    const double v = std::abs(nu[static_cast<std::size_t>(q.position)]);
    if (!q.candidate || !(m >= smallest_mu) || !std::isfinite(v)) continue;
    q.zeta = std::log10(std::max(v, 1e-300) / m);  // (1)
    ++q.seen;
    const long memory = options_.continuous ? std::min(q.seen, options_.attempts) : q.seen;
    q.average += (q.zeta - q.average) / static_cast<double>(memory);
    if (q.zeta < options_.threshold) ++q.hits;
  }
  ++attempts_;
  if (options_.continuous) return follow();
  if (!decided()) return false;
  if (options_.grouping)
    decide_by_gaps();
  else
    decide();
  return true;
}

void StiffnessDetector::decide() noexcept {
  for (auto& q : coordinates_) q.stiff = q.candidate && 3 * q.hits > options_.attempts;
}

void StiffnessDetector::decide_by_gaps() noexcept {
  const auto average = [&](int k) { return coordinates_[static_cast<std::size_t>(k)].average; };
  sorted_.clear();
  for (std::size_t k = 0; k < coordinates_.size(); ++k)
    if (coordinates_[k].candidate && coordinates_[k].seen > 0) sorted_.push_back(static_cast<int>(k));
  std::ranges::sort(sorted_, [&](int a, int b) { return average(a) < average(b); });
  std::size_t n_stiff = 0;
  for (std::size_t i = 1; i < sorted_.size(); ++i) {
    const double below = average(sorted_[i - 1]), above = average(sorted_[i]);
    if (above - below > options_.group_gap && (above + below) / 2 < options_.group_threshold) n_stiff = i;
  }
  for (std::size_t i = 0; i < sorted_.size(); ++i)
    coordinates_[static_cast<std::size_t>(sorted_[i])].stiff = i < n_stiff;
}

bool StiffnessDetector::follow() noexcept {
  bool changed = false;
  for (auto& q : coordinates_) {
    const bool stiff = decided() && q.average < (q.stiff ? options_.threshold / 2 : options_.threshold);
    changed = changed || stiff != q.stiff;
    q.stiff = stiff;
  }
  return changed;
}

double StiffnessDetector::frequency(double zeta, double gamma0, double h) noexcept {
  return std::pow(10.0, -zeta / 2) / (gamma0 * h);
}

void StiffnessDetector::save(ArchiveWriter& out) const {
  for (const auto& q : coordinates_) {
    out.put(q.candidate);
    out.put(q.stiff);
    out.put(q.hits);
    out.put(q.seen);
    out.put(q.zeta);
    out.put(q.average);
  }
  out.put(attempts_);
}

void StiffnessDetector::load(ArchiveReader& in) {
  for (auto& q : coordinates_) {
    in.get(q.candidate);
    in.get(q.stiff);
    in.get(q.hits);
    in.get(q.seen);
    in.get(q.zeta);
    in.get(q.average);
  }
  in.get(attempts_);
}

}  // namespace rubato
