#include "motion_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/problem/consistent.hpp"
#include "rubato/problem/state_point.hpp"

namespace rubato::detail {

namespace {

constexpr double lost = 0.5, noted = 0.1;                           // of S_I and L in (3) to (5)
constexpr double grows = 100;                                       // of S_I in (3)
constexpr double least_length = 1e-6;                               // of ‖G_j‖, as a fraction of the largest
constexpr double tolerances_lost = 100, tolerances_noted = 1;       // of the state, in energy
constexpr double tolerances_apart = 100, tolerances_no_size = 1e5;  // of positions, in constraints

bool keeps_constraints(const FormulatedDae& dae) noexcept {
  const Level level = dae.formulation().level;
  const bool rigid = level == Level::index_3 || level == Level::index_2 || level == Level::ggl ||
                     level == Level::index_1 || level == Level::state_space;
  const MechanicalSystem& system = dae.system();
  return rigid && !system.compliant() && system.tangent_kind() == ModelJacobian::none && system.sizes().lambda > 0;
}

/// The tolerances of q and v as a disturbance with alternating signs.
void disturb(Vector& x, const Vector& weights, int first, double factor) noexcept {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (weights[first + i] > 0) x[i] += (i % 2 == 0 ? factor : -factor) / weights[first + i];
}

}  // namespace

MotionWatch::MotionWatch(const FormulatedDae* mechanics)
    : mechanics_(mechanics), memory_(mechanics == nullptr ? 0 : mechanics->system().scratch_bytes()) {
  if (mechanics_ == nullptr || mechanics_->formulation().level == Level::quasi_static) return;
  const MechanicalSystem& system = mechanics_->system();
  rigid_ = keeps_constraints(*mechanics_);
  names_ = system.invariant_names();
  invariants_.resize(names_.size());
  values_.resize(names_.size());
  at_rest_.resize(names_.size());
  g_.setZero(system.sizes().lambda);
  lengths_.assign(rigid_ ? static_cast<std::size_t>(g_.size()) : 0, 0);
  weights_.setZero(mechanics_->size());
}

bool MotionWatch::read(const At& at) {
  u_ = map(at.u);
  return mechanics_->unpack(at, {}, state_) == EvalStatus::ok;
}

bool MotionWatch::evaluate(std::vector<double>& values) {
  MechanicalPoint<double> p = point_at(state_, memory_.scratch(), view(std::as_const(u_)));
  mechanics_->system().share(p);
  return mechanics_->system().invariants(p, values) == EvalStatus::ok;
}

/// By the reaction to a unit of each multiplier.
void MotionWatch::find_lengths() {
  const MechanicalSystem& system = mechanics_->system();
  MechanicalPoint<double> p = point_at(state_, memory_.scratch(), view(std::as_const(u_)));
  system.share(p);
  Vector lambda = Vector::Zero(system.sizes().lambda), forces(system.sizes().v);
  const Vector nu = Vector::Zero(system.sizes().nu);
  for (Eigen::Index j = 0; j < lambda.size(); ++j) {
    lambda[j] = 1;
    if (system.reaction(p, view(std::as_const(lambda)), view(nu), view(forces)) == EvalStatus::ok)
      lengths_[static_cast<std::size_t>(j)] = forces.norm();
    lambda[j] = 0;
  }
  const double least = least_length * *std::ranges::max_element(lengths_);
  for (double& length : lengths_)
    if (length < least) length = 0;  // says nothing of distances
}

void MotionWatch::begin(const At& at, const ErrorNorm& norm) {
  if (!watches() || !read(at)) return;
  norm.weights(at.x, std::numeric_limits<double>::infinity(), view(weights_));
  if (rigid_) {
    if (std::ranges::count(lengths_, 0.0) == std::ssize(lengths_)) find_lengths();
    size_ = std::max(size_, state_.q.cwiseAbs().maxCoeff());
    tolerance_ = 1 / weights_.head(state_.q.size()).minCoeff();
  }
  if (invariants_.empty() || !evaluate(values_)) return;
  const auto n_q = static_cast<int>(state_.q.size());
  disturb(state_.q, weights_, 0, 1);
  const Kinetics kinetics = mechanics_->formulation().kinetics;
  const bool has_velocities = kinetics == Kinetics::velocity || kinetics == Kinetics::accelerations;
  if (has_velocities) disturb(state_.v, weights_, n_q, 1);
  const bool disturbed = evaluate(at_rest_);
  for (std::size_t i = 0; i < invariants_.size(); ++i) {
    invariants_[i].start = values_[i];
    invariants_[i].unit = disturbed ? std::abs(at_rest_[i] - values_[i]) : 0;
  }
}

std::string MotionWatch::look(const At& at, const ErrorNorm& norm) {
  if (!watches() || !read(at)) return {};
  if (rigid_) {
    norm.weights(at.x, std::numeric_limits<double>::infinity(), view(weights_));
    const double tolerance = 1 / weights_.head(state_.q.size()).minCoeff();
    MechanicalPoint<double> p = point_at(state_, memory_.scratch(), view(std::as_const(u_)));
    mechanics_->system().share(p);
    if (mechanics_->system().constraint(p, view(g_)) != EvalStatus::ok) return {};
    const In left_out = mechanics_->left_out(at.base);
    Distance now{.tolerance = tolerance, .t = at.t};
    for (std::size_t j = 0; j < lengths_.size(); ++j) {
      if (!(lengths_[j] > 0) || (!left_out.empty() && left_out[j] != 0)) continue;
      const double r = std::abs(g_[static_cast<Eigen::Index>(j)]) / lengths_[j];  // (2)
      if (r > now.largest) now.largest = r, now.row = static_cast<long>(j);
    }
    if (now.largest > drift_.largest) drift_ = now;
    const bool has_size = size_ > tolerances_apart * tolerance_;
    if (now.largest >
        (has_size ? lost * size_ + tolerances_apart * tolerance : tolerances_no_size * tolerance_))  // (5)
      return fmt::format("constraint {} no longer holds, it is off by {:.3g}",
                         constraint_name(mechanics_->system(), static_cast<int>(now.row)), now.largest);
  }
  if (invariants_.empty() || !evaluate(values_)) return {};
  state_.v.setZero();
  const bool rests = evaluate(at_rest_);
  for (std::size_t i = 0; i < invariants_.size(); ++i) {
    Invariant& invariant = invariants_[i];
    const double change = values_[i] - invariant.start;
    if (rests) invariant.scale = std::max(invariant.scale, std::abs(values_[i] - at_rest_[i]));  // (1)
    if (std::abs(change) > std::abs(invariant.worst)) invariant.worst = change, invariant.t_worst = at.t;
    if (names_[i] != "energy" || !(change > lost * invariant.scale + tolerances_lost * invariant.unit)) continue;
    if (invariant.scale_at_gain == 0) invariant.scale_at_gain = invariant.scale;
    if (invariant.scale > grows * invariant.scale_at_gain)  // (3)
      return fmt::format("the energy, which the model conserves, has grown by {:.3g} from {:.3g}", change,
                         invariant.start);
  }
  return {};
}

std::vector<std::string> MotionWatch::notes() const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < invariants_.size(); ++i) {
    const Invariant& invariant = invariants_[i];
    if (!(std::abs(invariant.worst) > noted * invariant.scale + tolerances_noted * invariant.unit)) continue;  // (4)
    const std::string share =
        invariant.scale > 0 ? fmt::format(" ({:.0f} % of its {})", 100 * std::abs(invariant.worst) / invariant.scale,
                                          names_[i] == "energy" ? "largest kinetic part" : "largest size")
                            : std::string();
    notes.push_back(
        fmt::format("{} is conserved by the model, but changes by up to {:.2g}{}, at t = {:.6g}: smaller steps or "
                    "tolerances, or a method that damps less, keep it",
                    names_[i], invariant.worst, share, invariant.t_worst));
  }
  if (drift_.row >= 0 && drift_.largest > tolerances_apart * drift_.tolerance) {  // (6)
    const Level level = mechanics_->formulation().level;
    const bool holds_positions = level == Level::index_3 || level == Level::ggl;
    notes.push_back(fmt::format("constraint {} is off by up to {:.2g} at t = {:.6g}{}",
                                constraint_name(mechanics_->system(), static_cast<int>(drift_.row)), drift_.largest,
                                drift_.t,
                                holds_positions ? "" : ": formulations ggl and index-3 keep constraints on positions"));
  }
  return notes;
}

void MotionWatch::save(ArchiveWriter& out) const {
  for (const Invariant& invariant : invariants_) out.put(invariant);
  for (const double value : {drift_.largest, drift_.tolerance, drift_.t, size_, tolerance_}) out.put(value);
  out.put(drift_.row);
  out.put(std::span<const double>(lengths_));
}

void MotionWatch::load(ArchiveReader& in) {
  for (Invariant& invariant : invariants_) in.get(invariant);
  for (double* value : {&drift_.largest, &drift_.tolerance, &drift_.t, &size_, &tolerance_}) in.get(*value);
  in.get(drift_.row, -1, std::ssize(lengths_) - 1);
  in.get(std::span<double>(lengths_));
}

}  // namespace rubato::detail
