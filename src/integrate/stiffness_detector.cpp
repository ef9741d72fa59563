#include "rubato/integrate/stiffness_detector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rubato {

namespace {
// Below this part of the position Δμ is rounding, and ζ means nothing. (The source: below 1e-15, whatever the size of the position. Most modes of
// the truck's platform move by less.)
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
constexpr double patience = 20;  // of 5, 20 and 1000, 5 keeps too little of a set and 20 as much as 1000 (slider crank)
constexpr double worthwhile = 1.05;           // the step that a set must gain over a smaller one
constexpr std::size_t most_solutions = 1000;  // coordinates: one solution each
}  // namespace

StiffnessDetector::StiffnessDetector(const StiffnessOptions& options, const Layout& layout)
    : options_(options), named_(!options.candidates.empty()) {
  for (const Block& block : layout.blocks()) {
    unknowns_.insert(unknowns_.end(), static_cast<std::size_t>(block.size), block.unknown);
    equations_.insert(equations_.end(), static_cast<std::size_t>(block.size), block.equation);
  }
  for (int i = 0; i < layout.size(); ++i)
    if (equations_[static_cast<std::size_t>(i)] == ScaledEquation::dynamic) dynamic_rows_.push_back(i);
  coordinates_ = coordinates_of(layout);
  for (Coordinate& coordinate : coordinates_) {
    const std::string name = layout.component_name(coordinate.position);
    if (named_) coordinate.candidate = std::ranges::count(options.candidates, name) > 0;
    coordinate.declared = std::ranges::count(options.components, name) > 0;
    for (const auto& [position, omega] : options.frequency_of)
      if (position == name) {
        coordinate.declared = coordinate.frequency_given = true;
        coordinate.frequency = omega;
      }
    coordinate.stiff = coordinate.declared;
  }
  sorted_.reserve(coordinates_.size());
}

std::vector<StiffnessDetector::Coordinate> StiffnessDetector::coordinates_of(const Layout& layout) {
  std::vector<Coordinate> coordinates;
  std::vector<int> velocities, momenta, accelerations;
  for (const Block& block : layout.blocks())
    for (int i = block.offset; i < block.offset + block.size; ++i) {
      if (block.unknown == ScaledUnknown::position) coordinates.push_back({.position = i});
      if (block.unknown == ScaledUnknown::velocity) velocities.push_back(i);
      if (block.unknown == ScaledUnknown::acceleration) accelerations.push_back(i);
      if (block.unknown == ScaledUnknown::plain && block.equation == ScaledEquation::dynamic) momenta.push_back(i);
    }
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    if (k < velocities.size()) coordinates[k].velocity = velocities[k];
    if (k < momenta.size()) coordinates[k].momentum = momenta[k];
    if (k < accelerations.size()) coordinates[k].acceleration = accelerations[k];
  }
  return coordinates;
}

namespace {
double value(const SparsePattern& pattern, In values, int row, int col) noexcept {
  const int place = row < 0 || col < 0 ? -1 : pattern.index_of(row, col);
  return place < 0 ? 0.0 : std::abs(values[static_cast<std::size_t>(place)]);
}
}  // namespace

/// The diagonals of mass and stiffness that belong to a coordinate.
StiffnessDetector::Diagonal StiffnessDetector::diagonal(std::size_t k, const SparsePattern& jacobian, In j_values,
                                                        const SparsePattern& mass, In b_values) const noexcept {
  const Coordinate& q = coordinates_[k];
  const int row = k < dynamic_rows_.size() ? dynamic_rows_[k] : -1;
  double m = value(mass, b_values, row, q.velocity) + value(jacobian, j_values, row, q.acceleration);
  if (q.momentum >= 0 && q.velocity >= 0)  // 0 = p − M v
    m = value(jacobian, j_values, q.velocity, q.velocity);
  else if (q.momentum >= 0)  // q' = M⁻¹ p
    if (const double inverse = value(jacobian, j_values, q.position, q.momentum); inverse > 0) m = 1 / inverse;
  return {m, value(jacobian, j_values, row, q.position)};
}

void StiffnessDetector::linearised(const SparsePattern& jacobian, In j_values, const SparsePattern& mass, In b_values) {
  if (!options_.detect || options_.measure == StiffnessMeasure::estimates) return;
  sorted_.clear();
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const auto [m, stiffness] = diagonal(k, jacobian, j_values, mass, b_values);
    if (!coordinates_[k].frequency_given) coordinates_[k].frequency = m > 0 ? std::sqrt(stiffness / m) : 0;
    if (coordinates_[k].candidate && coordinates_[k].frequency > 0) sorted_.push_back(static_cast<int>(k));
  }
  std::ranges::sort(sorted_, [&](int a, int b) {
    const auto &qa = coordinates_[static_cast<std::size_t>(a)], &qb = coordinates_[static_cast<std::size_t>(b)];
    return qa.frequency != qb.frequency ? qa.frequency > qb.frequency : a < b;
  });
}

void StiffnessDetector::choose_candidates(const SparsePattern& jacobian, In j_values, const SparsePattern& mass,
                                          In b_values, double c) {
  if (named_) return;
  const auto n = unknowns_.size();
  std::vector<char> open(n);  // constraint rows that have not taken a coordinate yet
  for (std::size_t i = 0; i < n; ++i)
    open[i] = unknowns_[i] == ScaledUnknown::force && equations_[i] != ScaledEquation::plain;
  struct Hold {
    int row;
    int coordinate;
    double weight;
  };
  std::vector<Hold> entries;
  const auto starts = jacobian.column_starts(), rows = jacobian.row_indices();
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const Coordinate& q = coordinates_[k];
    const auto [m, stiffness] = diagonal(k, jacobian, j_values, mass, b_values);
    const double s = c * c * m + stiffness;
    for (const int column : {q.position, q.velocity, q.acceleration}) {
      if (column < 0) continue;
      for (int p = starts[static_cast<std::size_t>(column)]; p < starts[static_cast<std::size_t>(column) + 1]; ++p) {
        const int at = rows[static_cast<std::size_t>(p)];
        const ScaledEquation level = equations_[static_cast<std::size_t>(at)];
        const bool fits = (level == ScaledEquation::position_constraint && column == q.position) ||
                          (level == ScaledEquation::velocity_constraint && column == q.velocity) ||
                          (level == ScaledEquation::acceleration_constraint && column == q.acceleration);
        const double g = std::abs(j_values[static_cast<std::size_t>(p)]);
        if (fits && open[static_cast<std::size_t>(at)] && g > 0)
          entries.push_back({at, static_cast<int>(k), g / std::sqrt(std::max(s, 1e-300))});
      }
    }
  }
  // Greedy: the largest weights first, each row and each coordinate once.
  std::ranges::stable_sort(entries, [](const Hold& a, const Hold& b) { return a.weight > b.weight; });
  for (auto& coordinate : coordinates_) coordinate.candidate = true;
  for (const Hold& entry : entries) {
    Coordinate& coordinate = coordinates_[static_cast<std::size_t>(entry.coordinate)];
    char& row = open[static_cast<std::size_t>(entry.row)];
    if (!row || !coordinate.candidate) continue;
    row = 0;
    coordinate.candidate = false;
  }
}

bool StiffnessDetector::observe(const Observation& attempt) noexcept {
  if (!looking()) return false;
  return by_frequencies() ? observe_frequencies(attempt) : observe_estimates(attempt);
}

bool StiffnessDetector::wants_responses(double h) const noexcept {
  if (!looking() || options_.measure == StiffnessMeasure::estimates || coordinates_.size() > most_solutions)
    return false;
  return h_of_responses_ == 0 || h > 2 * h_of_responses_ || 2 * h < h_of_responses_;
}

void StiffnessDetector::take_response(std::size_t k, double response, double h, double gamma0) noexcept {
  Coordinate& q = coordinates_[k];
  const double x = gamma0 * q.frequency * h, d = 1 / (1 + x * x);
  constexpr double tells = 0.7;  // above, all of the displacement is left, slow or not
  if (d < tells && std::isfinite(response)) q.slow_part = std::clamp((response - d) / (1 - d), 0.0, 1.0);
}

double StiffnessDetector::log_response(const Coordinate& q, double gamma0, double h) const noexcept {
  const double x = gamma0 * q.frequency * h;
  return std::log10(q.slow_part + (1 - q.slow_part) / (1 + x * x));
}

bool StiffnessDetector::stiff_at(const Coordinate& q, double gamma0, double h) const noexcept {
  return log_response(q, gamma0, h) < options_.threshold;
}

bool StiffnessDetector::observe_fixed_step(double h, double gamma0) noexcept {
  if (!looking() || !by_frequencies()) return false;
  bool changed = attempts_++ == 0;
  for (Coordinate& q : coordinates_) {
    const bool stiff = q.declared || (q.candidate && stiff_at(q, gamma0, h));
    changed = changed || stiff != q.stiff;
    q.stiff = stiff;
  }
  return changed;
}

bool StiffnessDetector::observe_frequencies(const Observation& attempt) noexcept {
  const double reduction = attempt.scale * attempt.scale;
  if (!(reduction < 1)) return false;  // h ≥ T_ref: another power of h changes nothing
  double all = 0;
  for (const double r : attempt.shares) all += r * r;
  const auto n = static_cast<double>(attempt.shares.size());
  if (searching_) search(attempt, all / n);
  // What each coordinate contributes without, and with, one more power of h.
  const auto contribution = [&](const Coordinate& q) {
    double sum = 0;
    for (const int i : {q.velocity, q.momentum, options_.accelerations ? q.acceleration : -1})
      if (i >= 0) sum += attempt.shares[static_cast<std::size_t>(i)] * attempt.shares[static_cast<std::size_t>(i)];
    return q.stiff ? sum / reduction : sum;
  };
  for (const int k : sorted_) {  // all of them not stiff
    const Coordinate& q = coordinates_[static_cast<std::size_t>(k)];
    if (q.stiff) all += contribution(q) * (1 - reduction);
  }
  if (!std::isfinite(all)) return false;
  const auto next_step = [&](double squares) {
    const double e = std::sqrt(std::max(squares, 0.0) / n);
    return attempt.h * std::clamp(0.9 * std::pow(std::max(e, 1e-10), -1.0 / attempt.error_order), 0.2, 8.0);
  };
  double squares = all, step = next_step(all);
  std::size_t n_stiff = 0;
  for (std::size_t m = 0; m < sorted_.size(); ++m) {
    const Coordinate& q = coordinates_[static_cast<std::size_t>(sorted_[m])];
    squares -= contribution(q) * (1 - reduction);
    const double h = next_step(squares);
    if (h > worthwhile * step && stiff_at(q, attempt.gamma0, h)) {  // (2)
      n_stiff = m + 1;
      step = h;
    }
  }
  // With the new and the present set together. A disturbance must not end a set: one coordinate less, a smaller step, which justifies fewer
  // coordinates, and in the end all vibrations are followed that were excited meanwhile.
  double together = all;
  for (std::size_t m = 0; m < sorted_.size(); ++m) {
    const Coordinate& q = coordinates_[static_cast<std::size_t>(sorted_[m])];
    if (m < n_stiff || q.stiff) together -= contribution(q) * (1 - reduction);
  }
  const double h_together = std::max(step, next_step(together));
  const auto stays = [&](const Coordinate& q) {
    if (!q.stiff || stiff_at(q, attempt.gamma0, 2 * h_together)) return q.stiff;
    return stiff_at(q, attempt.gamma0, patience * h_together) &&
           worthwhile * next_step(together + contribution(q) * (1 - reduction)) < h_together;
  };
  bool changed = attempts_++ == 0;
  for (std::size_t m = 0; m < sorted_.size(); ++m) {
    Coordinate& q = coordinates_[static_cast<std::size_t>(sorted_[m])];
    const bool never = q.slow_part >= 1 || std::log10(q.slow_part) >= options_.threshold;
    const bool stiff = (!never && (m < n_stiff || q.held || stays(q))) || q.declared;
    changed = changed || stiff != q.stiff;
    q.stiff = stiff;
  }
  return changed;
}

/// What is stiff at the attempts before the first that meets the tolerance stays so, if more than a third of n_ζ say it.
void StiffnessDetector::search(const Observation& attempt, double mean_square) noexcept {
  searching_ = !(mean_square <= 1);
  if (!searching_) return;
  for (const int k : sorted_) {
    Coordinate& q = coordinates_[static_cast<std::size_t>(k)];
    if (stiff_at(q, attempt.gamma0, attempt.h)) ++q.hits;
    q.held = 3 * q.hits > options_.attempts;
  }
}

bool StiffnessDetector::observe_estimates(const Observation& attempt) noexcept {
  if (options_.accepted_only && !attempt.accepted) return false;
  const bool by_estimates = options_.measure == StiffnessMeasure::estimates;
  for (auto& q : coordinates_) {
    if (!q.candidate) continue;
    if (by_estimates) {
      const auto i = static_cast<std::size_t>(q.position);
      const double m = std::abs(attempt.mu[i]), v = std::abs(attempt.nu[i]);
      const double size = std::max(std::abs(attempt.x0[i]), std::abs(attempt.x1[i]));
      if (!(m > rounding * size) || !std::isfinite(v)) continue;
      q.zeta = std::log10(std::max(v, 1e-300) / m);  // (3)
    } else {
      q.zeta = log_response(q, attempt.gamma0, attempt.h);  // (1)
    }
    ++q.seen;
    const long memory = options_.continuous ? std::min(q.seen, options_.attempts) : q.seen;
    q.average += (q.zeta - q.average) / static_cast<double>(memory);
    if (!(q.zeta < options_.threshold)) continue;
    ++q.hits;
    if (q.frequency_given || !by_estimates) continue;
    const double omega = frequency(q.zeta, attempt.gamma0, attempt.h), last = q.frequency > 0 ? q.frequency : omega;
    const long count = options_.continuous ? std::min(q.hits, options_.attempts) : q.hits;
    q.frequency = last * std::pow(omega / last, 1 / static_cast<double>(count));
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
  for (auto& q : coordinates_) q.stiff = q.declared || (q.candidate && 3 * q.hits > options_.attempts);
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
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    Coordinate& q = coordinates_[static_cast<std::size_t>(sorted_[i])];
    q.stiff = q.declared || i < n_stiff;
  }
}

bool StiffnessDetector::follow() noexcept {
  bool changed = false;
  for (auto& q : coordinates_) {
    const double below = q.stiff ? options_.threshold / 2 : options_.threshold;
    const bool stiff = q.declared || (decided() && q.average < below);
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
    out.put(q.frequency);
    out.put(q.slow_part);
    out.put(q.held);
  }
  out.put(attempts_);
  out.put(searching_);
  out.put(h_of_responses_);
}

void StiffnessDetector::load(ArchiveReader& in) {
  constexpr long most_attempts = 1L << 60;  // a run lasts shorter
  for (auto& q : coordinates_) {
    in.get(q.candidate);
    in.get(q.stiff);
    in.get(q.hits, 0, most_attempts);
    in.get(q.seen, 0, most_attempts);
    in.get(q.zeta);
    in.get(q.average);
    in.get(q.frequency);
    in.get(q.slow_part);
    in.get(q.held);
  }
  in.get(attempts_, 0, most_attempts);
  in.get(searching_);
  in.get(h_of_responses_);
}

}  // namespace rubato
