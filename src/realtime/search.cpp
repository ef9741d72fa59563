#include "realtime/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

namespace rubato::realtime {

Keep Units::keep(const Choice& chosen) const {
  Keep kept(n_places, 0);
  for (std::size_t u = 0; u < places.size(); ++u)
    if (chosen[u] != 0)
      for (const int at : places[u]) kept[static_cast<std::size_t>(at)] = 1;
  return kept;
}

namespace {

/// The weight of one block between the largest that violated and the smallest that satisfied.
class Weight {
 public:
  explicit Weight(double w) : now(w) {}

  void update(bool satisfied) {
    double& end = satisfied ? satisfying_ : violating_;
    if (std::isnan(end) || (satisfied ? now < end : now > end)) end = now;
    // Blocks interact: what a weight did may no longer hold. The older end goes.
    if (violating_ >= satisfying_) (satisfied ? violating_ : satisfying_) = none;
    if (std::isnan(satisfying_))
      now = 2 * violating_;
    else if (std::isnan(violating_))
      now = satisfying_ / 2;
    else
      now = (satisfying_ + violating_) / 2;
  }
  void raise() {
    now *= 2;
    satisfying_ = violating_ = none;
  }

  double now;

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  double satisfying_ = none, violating_ = none;
};

std::size_t count(const Choice& choice) {
  return static_cast<std::size_t>(std::count(choice.begin(), choice.end(), static_cast<unsigned char>(1)));
}

}  // namespace

std::optional<Choice> search_weights(Acceptance& acceptance, const SampleCase& sample, const Units& units,
                                     const BlockCriteria& criteria, const Choice& base) {
  constexpr int most_rounds = 120, patience = 15, rounds_before_raising = 6;
  const auto n_blocks = static_cast<std::size_t>(criteria.changes.rows());
  std::vector<Weight> weights;
  for (const double r : criteria.allowed) weights.emplace_back(1 / r);

  std::optional<Choice> best;
  std::size_t fewest = units.places.size();
  std::map<std::string, std::vector<unsigned char>> known;  // satisfied blocks of choices tried before
  int since_better = 0, since_raised = 0;
  for (int round = 0; round < most_rounds && acceptance.left() > 0; ++round) {
    Choice test = base;
    for (std::size_t u = 0; u < test.size(); ++u) {
      double sum = 0;
      for (std::size_t k = 0; k < n_blocks; ++k)
        sum += weights[k].now * criteria.changes(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(u));
      if (!(sum < 1) || units.required[u] != 0) test[u] = 1;
    }
    auto [at, unseen] = known.try_emplace(std::string(test.begin(), test.end()));
    std::vector<unsigned char>& satisfied = at->second;
    if (unseen) {
      const auto ratios = acceptance.ratios(sample, units.keep(test));
      satisfied.assign(n_blocks, ratios ? 1 : 0);
      if (ratios)
        for (std::size_t i = 0; i < ratios->size(); ++i)
          if ((*ratios)[i] > 1) satisfied[static_cast<std::size_t>(criteria.block[i])] = 0;
    }
    const bool passes = std::find(satisfied.begin(), satisfied.end(), 0) == satisfied.end();
    ++since_better;
    if (passes && count(test) < fewest) {
      fewest = count(test);
      best = test;
      since_better = 0;
    }
    if (best && since_better >= patience) break;
    for (std::size_t k = 0; k < n_blocks; ++k) weights[k].update(satisfied[k] != 0);
    if (!best && ++since_raised >= rounds_before_raising) {
      for (Weight& w : weights) w.raise();
      since_raised = 0;
    }
  }
  return best;
}

void remove_greedily(Acceptance& acceptance, const Units& units, const std::vector<double>& importance, Choice& choice,
                     const std::function<void(const Choice&)>& removed) {
  std::vector<std::size_t> order(units.places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return importance[a] < importance[b]; });
  for (bool again = true; again && acceptance.left() > 0;) {
    again = false;
    std::vector<std::size_t> candidates;
    for (const std::size_t u : order)
      if (choice[u] != 0 && units.required[u] == 0) candidates.push_back(u);
    std::size_t at = 0, batch = std::max<std::size_t>(1, candidates.size() / 8);
    while (at < candidates.size() && acceptance.left() > 0) {
      const std::size_t end = std::min(candidates.size(), at + batch);
      Choice test = choice;
      for (std::size_t k = at; k < end; ++k) test[candidates[k]] = 0;
      if (acceptance.accepts_everywhere(units.keep(test))) {
        choice = std::move(test);
        at = end;
        batch *= 2;
        again = true;
        removed(choice);
      } else if (end - at > 1) {
        batch = (end - at) / 2;
      } else {
        ++at;  // this one is needed
        batch = 1;
      }
    }
  }
}

}  // namespace rubato::realtime
