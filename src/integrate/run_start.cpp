// The start of a run: are the algebraic equations satisfied?
#include <fmt/format.h>

#include "rubato/base/aperiodic.hpp"
#include "rubato/base/text.hpp"
#include "run.hpp"

namespace rubato::detail {

/// Row i counts as satisfied where |f_i| ≤ |f_i(x + δ) − f_i(x)|, δ: every unknown moved by about its tolerance, 0.5 to 1.5 times in a
/// sequence without a period, so that differences of unknowns see it as well. Should changes cancel all the same, solve_start() finds that
/// nothing needs to move.
int Run::unsatisfied_row() {
  const Layout& layout = dae_.layout();
  Vector weights(dae_.size()), moved_f(dae_.size());
  if (dae_.f(here(), view(f_)) != EvalStatus::ok) return -1;
  norm_.weights(x(), infinity, view(weights));
  Vector moved = x_;
  for (int i = 0; i < dae_.size(); ++i)
    if (weights[i] > 0 && std::isfinite(weights[i])) moved[i] += (0.5 + aperiodic(i)) / weights[i];
  At there = here();
  there.x = view(std::as_const(moved));
  if (dae_.f(there, view(moved_f)) != EvalStatus::ok) return -1;
  int worst = -1;
  double largest = 1;
  for (int i = 0; i < dae_.size(); ++i) {
    if (layout.kind(i) != Kind::algebraic || f_[i] == 0) continue;
    const double ratio = std::abs(f_[i]) / std::abs(moved_f[i] - f_[i]);
    if (ratio > largest) largest = ratio, worst = i;
  }
  return worst;
}

void Run::solve_start() {
  const Layout& layout = dae_.layout();
  if (mechanics_ != nullptr || layout.index() != 1 || unsatisfied_row() < 0) return;
  const Vector x_before = x_, w_before = w_;
  const auto solved = solve_algebraic();
  if (!solved) {  // the method may still manage
    start_error_ = solved.error().message;
    return;
  }
  const Vector change = x_ - x_before;
  if (norm_(view(change), view(x_before), x(), infinity) <= 1) {
    x_ = x_before;
    w_ = w_before;
    return;
  }
  const int worst = norm_.worst(view(change), view(x_before), x(), infinity);
  start_note_ = fmt::format(
      "the start did not satisfy the algebraic equations: algebraic unknowns were solved for, {} moved most, from {} "
      "to {}",
      layout.component_name(worst), shortest(x_before[worst]), shortest(x_[worst]));
}

/// f at the start cannot be evaluated, or an equation has no finite value. An unknown is named where another value of it alone helps.
std::string Run::outside_domain() {
  const Layout& layout = dae_.layout();
  int row = -1;
  EvalStatus status = EvalStatus::ok;
  const auto inside = [&](const Vector& x) {
    At there = here();
    there.x = view(x);
    status = dae_.f(there, view(f_));
    if (status != EvalStatus::ok) return false;
    for (row = 0; row < dae_.size(); ++row)
      if (!std::isfinite(f_[row])) return false;
    row = -1;
    return true;
  };
  if (inside(x_) || status == EvalStatus::fatal) return {};
  std::string words = "; the start values lie outside the domain of the model";
  if (row >= 0) words += fmt::format(": equation {} is {}", layout.component_name(row), shortest(f_[row]));
  const int most_unknowns =
      std::min(1000, 100'000 / std::max(1, dae_.size()));  // two evaluations each, dear in large models
  Vector moved = x_;
  for (int i = 0; i < std::min(dae_.size(), most_unknowns) && !stop_requested(); ++i) {
    for (const double other : {x_[i] < 0 ? -x_[i] : 1.0, 0.5}) {
      moved[i] = other;
      if (!inside(moved)) continue;
      return words + fmt::format("; with {} = {} instead of {} they do not", layout.component_name(i), shortest(other),
                                 shortest(x_[i]));
    }
    moved[i] = x_[i];
  }
  return words;
}

std::string Run::start_words() {
  if (count_.accepted == 0 && t_ == problem_.t_start)
    if (std::string words = outside_domain(); !words.empty()) return words;
  if (count_.accepted > 0 || !dae_.layout().has_algebraic() || t_ != problem_.t_start) return {};
  if (!start_error_.empty()) return "; the start is not consistent: " + start_error_;
  const int row = unsatisfied_row();
  if (row < 0) return {};
  return fmt::format("; the start is not consistent: equation {} has residual {:.3g}",
                     dae_.layout().component_name(row), f_[row]);
}

}  // namespace rubato::detail
