#include "rubato/problem/linearisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rubato/base/aperiodic.hpp"
#include "rubato/base/assert.hpp"
#include "rubato/problem/mass_values.hpp"

namespace rubato {

namespace {

constexpr std::size_t lanes = 8;
constexpr int most_false_alarms = 3;  // of the watch over differences

/// Which unknowns each row of f − B w depends on (or, for B, which entries of w): one run of the traced model.
SparsePattern traced(const Dae& dae, const At& at, bool of_mass) {
  const int n = dae.size();
  Tracing tracing;
  const bool with_mass = of_mass || !dae.constant_mass();
  std::vector<Tracer> xs, us(at.u.begin(), at.u.end()), ws, rows(static_cast<std::size_t>(n));
  xs.reserve(static_cast<std::size_t>(n));
  if (with_mass) ws.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    xs.push_back(of_mass ? Tracer(at.x[i]) : tracing.variable(at.x[i], i));
    if (with_mass) ws.push_back(of_mass ? tracing.variable(1.0, i) : Tracer(1.0));
  }
  const Point<Tracer> point{
      .t = Tracer(at.t), .x = xs, .u = us, .base = at.base, .mode = at.mode, .scratch = at.scratch};
  std::vector<Entry> entries;
  const auto collect = [&] {
    for (int i = 0; i < n; ++i)
      for (const int j : tracing.dependencies(rows[i])) entries.push_back({i, j});
  };
  // A refusal here (the perturbed point may lie outside the domain) leaves the rows traced so far.
  if (!of_mass && dae.tracer()->f(point, rows) != EvalStatus::fatal) collect();
  if (with_mass) {
    std::ranges::fill(rows, Tracer{});
    if (dae.tracer()->mass_times(point, ws, rows) != EvalStatus::fatal) collect();
  }
  return SparsePattern::from_entries(n, n, std::move(entries));
}

/// The pattern at a point and at one beside it, so that a value that is zero by chance (of x, t, u or the base of a chart)
/// hides nothing.
SparsePattern traced_twice(const Dae& dae, const At& at, bool of_mass) {
  const auto moved = [](In values) {
    std::vector<double> beside(values.begin(), values.end());
    for (std::size_t i = 0; i < beside.size(); ++i)
      beside[i] += 1e-4 * (std::abs(beside[i]) + 1e-2) * (1 + 0.1 * static_cast<double>(i % 7));
    return beside;
  };
  const auto t = moved({&at.t, 1}), x = moved(at.x), u = moved(at.u), base = moved(at.base);
  const At beside{.t = t[0], .x = x, .u = u, .base = base, .mode = at.mode, .scratch = at.scratch};
  return united(traced(dae, at, of_mass), traced(dae, beside, of_mass));
}

SparsePattern mass_pattern_of(const Dae& dae, const At& at) {
  if (auto known = dae.mass_pattern()) return *std::move(known);
  // B w is linear in w: a product with each unit vector shows a column. Where B never changes and is small, that is cheaper than
  // to trace it, and a zero is a zero for ever.
  const int n = dae.size();
  constexpr int few = 8;
  if (dae.tracer() && !(dae.constant_mass() && n <= few)) return traced_twice(dae, at, true);
  std::vector<double> w(static_cast<std::size_t>(n)), column(static_cast<std::size_t>(n));
  std::vector<Entry> entries;
  for (int j = 0; j < n; ++j) {
    w[j] = 1;
    if (dae.mass_times(at, w, column) == EvalStatus::ok)
      for (int i = 0; i < n; ++i)
        if (column[i] != 0) entries.push_back({i, j});
    w[j] = 0;
  }
  return SparsePattern::from_entries(n, n, std::move(entries));
}

}  // namespace

Linearisation::Linearisation(const Dae& dae, JacobianSource source, JacobianRows rows, Differences differences)
    : dae_(dae), source_(source), rows_(rows), differences_(differences) {}

/// Of a pattern the rows that are formed.
SparsePattern Linearisation::formed(SparsePattern whole) const {
  if (rows_ == JacobianRows::all) return whole;
  std::vector<Entry> entries;
  for (int col = 0; rows_ == JacobianRows::algebraic && col < whole.cols(); ++col)
    for (const int row : whole.column(col))
      if (dae_.layout().kind(row) == Kind::algebraic) entries.push_back({row, col});
  return SparsePattern::from_entries(whole.rows(), whole.cols(), std::move(entries));
}

Result<std::unique_ptr<Linearisation>> Linearisation::create(const Dae& dae, const At& at, JacobianSource source,
                                                             JacobianRows rows, Differences differences) {
  RUBATO_ASSERT(rows == JacobianRows::all ||
                    (dae.constant_mass() && (source == JacobianSource::dual || source == JacobianSource::differences)),
                "products are those of f, by dual numbers or differences");
  const bool has_model = dae.model_jacobian() != ModelJacobian::none, has_dual = dae.dual() != nullptr;
  if (source == JacobianSource::model && !has_model)
    return Error{"jacobian = \"model\": this model supplies no Jacobian of its own; use \"dual\" or \"differences\""};
  if (source == JacobianSource::dual && !has_dual)
    return Error{"jacobian = \"dual\": this model is not written as a template over its scalar; use \"differences\""};
  if (source == JacobianSource::automatic)
    source = has_model ? JacobianSource::model : has_dual ? JacobianSource::dual : JacobianSource::differences;
  std::unique_ptr<Linearisation> made(new Linearisation(dae, source, rows, differences));
  const bool own_pattern = source == JacobianSource::model || !dae.tracer();
  SparsePattern jacobian = rows == JacobianRows::none ? SparsePattern::from_entries(dae.size(), dae.size(), {})
                           : own_pattern              ? dae.jacobian_pattern()
                                                      : traced_twice(dae, at, false);
  if (jacobian.rows() != dae.size())
    return Error{fmt::format("a model with {} unknowns must override jacobian_pattern(): a dense Jacobian is too large",
                             dae.size())};
  made->prepare(at, made->formed(std::move(jacobian)), mass_pattern_of(dae, at));
  if (made->update_mass(at) != EvalStatus::ok)
    return Error{"the model refuses to evaluate its mass matrix at the start"};
  return made;
}

void Linearisation::prepare(const At& at, SparsePattern jacobian, SparsePattern mass) {
  const auto n = static_cast<std::size_t>(dae_.size());
  exact_ = source_ != JacobianSource::model || dae_.model_jacobian() == ModelJacobian::exact;
  j_pattern_ = std::move(jacobian);
  b_pattern_ = std::move(mass);
  if (source_ != JacobianSource::model) j_groups_ = group_columns(j_pattern_);
  j_values_.assign(j_pattern_.nnz(), 0.0);
  b_values_ = dae_.mass_values();
  mass_known_ = dae_.constant_mass() && !b_values_.empty();
  RUBATO_ASSERT(!mass_known_ || b_values_.size() == static_cast<std::size_t>(b_pattern_.nnz()),
                "B does not fit its pattern");
  if (!mass_known_) {
    b_groups_ = group_columns(b_pattern_);
    b_values_.assign(b_pattern_.nnz(), 0.0);
  }
  for (auto* buffer : {&x_, &f_, &f0_, &bw_}) buffer->assign(n, 0.0);
  u_.assign(at.u.size(), 0.0);
  // Not needed for a full pattern.
  const bool watchable = source_ == JacobianSource::dual ? dae_.tracer() && rows_ != JacobianRows::none
                                                         : source_ == JacobianSource::differences && forms_all();
  watch_ = watchable && static_cast<std::size_t>(j_pattern_.nnz()) < n * n;
  direction_.resize(n);
  for (std::size_t j = 0; j < n; ++j) direction_[j] = 1 + aperiodic(static_cast<long>(j));
  if (source_ == JacobianSource::differences) {
    for (auto* buffer : {&increments_, &least_, &most_, &noise_}) buffer->assign(n, 0.0);
    below_.assign(n, 0.0);
    for (auto* columns : {&lost_, &bent_, &again_}) columns->reserve(n);
  }
  if (rows_ != JacobianRows::all) {
    here_x_.assign(n, 0.0);
    here_u_.assign(at.u.size(), 0.0);
  }
  if (dae_.dual()) {
    for (auto* buffer : {&x_dual_, &f_dual_}) buffer->assign(n, Dual8{});
    if (!dae_.constant_mass())
      for (auto* buffer : {&w_dual_, &bw_dual_}) buffer->assign(n, Dual8{});
    u_dual_.assign(at.u.size(), Dual8{});
    const auto starts = j_pattern_.column_starts(), rows = j_pattern_.row_indices();
    // One lane more than groups: the watch over the pattern.
    const auto groups = static_cast<std::size_t>(j_groups_.n_groups);
    watch_lane_ = groups % lanes;
    passes_.assign(groups / lanes + 1, {});
    for (std::size_t group = 0; group < j_groups_.members.size(); ++group) {
      Pass& pass = passes_[group / lanes];
      const auto lane = static_cast<int>(group % lanes);
      for (const int j : j_groups_.members[group]) {
        pass.seeds.push_back({j, lane});
        for (int p = starts[j]; p < starts[j + 1]; ++p) pass.taken.push_back({rows[p], lane, p});
      }
    }
  }
}

/// B w is linear in w, so one product per colour group gives B exactly.
EvalStatus Linearisation::update_mass(const At& at) noexcept {
  if (mass_known_) return EvalStatus::ok;
  std::fill(x_.begin(), x_.end(), 0.0);
  return mass_values(dae_, at, b_pattern_, b_groups_, x_, bw_, b_values_);
}

EvalStatus Linearisation::residual(const At& at, In w, Out out) noexcept {
  ++f_calls_;
  EvalStatus status = dae_.f(at, out);
  if (dae_.constant_mass() || status != EvalStatus::ok) return status;
  status = dae_.mass_times(at, w, bw_);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= bw_[i];
  return status;
}

EvalStatus Linearisation::update(const At& at, In w, In f0, In scale) noexcept {
  if (!dae_.constant_mass()) {
    const EvalStatus status = update_mass(at);
    if (status != EvalStatus::ok) return status;
  }
  incomplete_ = false;
  if (rows_ != JacobianRows::all) remember(at);
  switch (source_) {
    case JacobianSource::model: return dae_.jacobian(at, w, j_values_);
    case JacobianSource::dual: return by_duals(at, w);
    default: return by_differences(at, w, f0, scale);
  }
}

EvalStatus Linearisation::by_duals(const At& at, In w) noexcept {
  const bool moving = !dae_.constant_mass();
  for (std::size_t i = 0; i < x_dual_.size(); ++i) x_dual_[i].value = at.x[i];
  for (std::size_t i = 0; i < u_dual_.size(); ++i) u_dual_[i].value = at.u[i];
  if (moving)
    for (std::size_t i = 0; i < w_dual_.size(); ++i) w_dual_[i] = Dual8(w[i]);
  const Point<Dual8> point{
      .t = Dual8(at.t), .x = x_dual_, .u = u_dual_, .base = at.base, .mode = at.mode, .scratch = at.scratch};
  if (rows_ == JacobianRows::none) return EvalStatus::ok;
  for (const Pass& pass : passes_) {
    for (const Seed& seed : pass.seeds) x_dual_[seed.col].d[seed.lane] = 1;
    const bool watched = watch_ && &pass == &passes_.back();
    if (watched)
      for (std::size_t j = 0; j < x_dual_.size(); ++j) x_dual_[j].d[watch_lane_] = direction_[j];
    EvalStatus status = dae_.dual()->f(point, f_dual_);
    if (status == EvalStatus::ok && moving) status = dae_.dual()->mass_times(point, w_dual_, bw_dual_);
    for (const Seed& seed : pass.seeds) x_dual_[seed.col].d[seed.lane] = 0;
    if (status != EvalStatus::ok) {
      for (Dual8& x : x_dual_) x.d[watch_lane_] = 0;
      return status;
    }
    if (moving)
      for (std::size_t i = 0; i < f_dual_.size(); ++i) f_dual_[i] -= bw_dual_[i];
    for (const Taken& taken : pass.taken) j_values_[taken.place] = f_dual_[taken.row].d[taken.lane];
    if (watched) {
      for (Dual8& x : x_dual_) x.d[watch_lane_] = 0;
      compare_with_product();
    }
  }
  return EvalStatus::ok;
}

/// A place the pattern lacks hides: its value is added to another entry of the same row and group. The product J r with a
/// vector of uneven numbers brings it to light: f_dual_ holds the true derivative along r in the spare lane.
void Linearisation::compare_with_product() noexcept {
  const auto starts = j_pattern_.column_starts(), rows = j_pattern_.row_indices();
  std::fill(f_.begin(), f_.end(), 0.0);
  std::fill(bw_.begin(), bw_.end(), 0.0);
  for (std::size_t j = 0; j < direction_.size(); ++j)
    for (int p = starts[j]; p < starts[j + 1]; ++p) {
      const double term = j_values_[p] * direction_[j];
      f_[rows[p]] += term;
      bw_[rows[p]] += std::abs(term);
    }
  for (std::size_t i = 0; i < f_.size(); ++i) {
    if (rows_ != JacobianRows::all && dae_.layout().kind(static_cast<int>(i)) != Kind::algebraic) continue;
    const double true_value = f_dual_[i].d[watch_lane_];
    incomplete_ = incomplete_ || std::abs(true_value - f_[i]) > 1e-8 * (bw_[i] + std::abs(true_value));
  }
}

void Linearisation::remember(const At& at) noexcept {
  std::copy(at.x.begin(), at.x.end(), here_x_.begin());
  std::copy(at.u.begin(), at.u.end(), here_u_.begin());
  here_ = at;
  here_.x = here_x_;
  here_.u = here_u_;
}

EvalStatus Linearisation::product(In v, Out y) noexcept {
  RUBATO_ASSERT(rows_ != JacobianRows::all && v.size() == here_x_.size() && y.size() == v.size(), "products without J");
  if (source_ == JacobianSource::dual) {
    for (std::size_t i = 0; i < x_dual_.size(); ++i) {
      x_dual_[i].value = here_x_[i];
      x_dual_[i].d[0] = v[i];
    }
    for (std::size_t i = 0; i < u_dual_.size(); ++i) u_dual_[i].value = here_u_[i];
    const EvalStatus status = dae_.dual()->f({.t = Dual8(here_.t),
                                              .x = x_dual_,
                                              .u = u_dual_,
                                              .base = here_.base,
                                              .mode = here_.mode,
                                              .scratch = here_.scratch},
                                             f_dual_);
    for (std::size_t i = 0; i < x_dual_.size(); ++i) {
      x_dual_[i].d[0] = 0;
      y[i] = f_dual_[i].d[0];
    }
    return status;
  }
  // (f(x + δ v) − f(x))/δ: no block moves by more than √eps of its root mean square anywhere; blocks that are zero do not count.
  double longest = 0;
  for (const auto& block : dae_.layout().blocks()) {
    const auto first = static_cast<std::size_t>(block.offset), size = static_cast<std::size_t>(block.size);
    const double mean = map(In(here_x_).subspan(first, size)).norm() / std::sqrt(static_cast<double>(block.size));
    if (block.size > 0 && mean > 0)
      longest = std::max(longest, map(v.subspan(first, size)).lpNorm<Eigen::Infinity>() / mean);
  }
  if (!(longest > 0)) longest = map(v).lpNorm<Eigen::Infinity>();
  if (longest == 0) {
    std::fill(y.begin(), y.end(), 0.0);
    return EvalStatus::ok;
  }
  double delta = std::sqrt(std::numeric_limits<double>::epsilon()) / longest;
  At point = here_;
  point.x = x_;
  EvalStatus status = EvalStatus::ok;
  for (const double side : {1.0, -1.0}) {
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = here_x_[i] + side * delta * v[i];
    ++f_calls_;
    status = dae_.f(point, y);
    if (status == EvalStatus::out_of_domain && side > 0) continue;  // the other side may be inside
    delta *= side;
    break;
  }
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = (y[i] - f0_[i]) / delta;
  return status;
}

EvalStatus Linearisation::time_derivative(const At& at, In w, In u_rate, In f0, double h, Out out) noexcept {
  if (time_derivative_is_exact()) {
    for (std::size_t i = 0; i < x_dual_.size(); ++i) x_dual_[i].value = at.x[i];
    for (std::size_t i = 0; i < u_dual_.size(); ++i) {
      u_dual_[i].value = at.u[i];
      u_dual_[i].d[0] = u_rate[i];
    }
    Dual8 t(at.t);
    t.d[0] = 1;
    const Point<Dual8> point{
        .t = t, .x = x_dual_, .u = u_dual_, .base = at.base, .mode = at.mode, .scratch = at.scratch};
    EvalStatus status = dae_.dual()->f(point, f_dual_);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f_dual_[i].d[0];
    if (status == EvalStatus::ok && !dae_.constant_mass()) {
      for (std::size_t i = 0; i < w_dual_.size(); ++i) w_dual_[i] = Dual8(w[i]);
      status = dae_.dual()->mass_times(point, w_dual_, bw_dual_);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] -= bw_dual_[i].d[0];
    }
    for (Dual8& u : u_dual_) u.d[0] = 0;
    return status;
  }
  if (f0.empty() || !dae_.constant_mass()) {
    const EvalStatus status = residual(at, w, f0_);
    if (status != EvalStatus::ok) return status;
  } else {
    std::copy(f0.begin(), f0.end(), f0_.begin());
  }
  // f' = (4 (f(δ) − f(0)) − (f(2δ) − f(0)))/(2δ) + O(δ²), ahead only: what lies behind may be another branch of the model. With δ = 10⁻³ h
  // rounding errors of f cost 10⁻¹² f/h, and the remainder 10⁻⁶ of what the third derivative contributes to the step.
  constexpr double part = 1e-3, small_part = 1e-7;
  At later = at;
  const auto ahead = [&](double by) noexcept {
    later.t = at.t + by;
    for (std::size_t i = 0; i < u_.size(); ++i) u_[i] = at.u[i] + by * u_rate[i];
    later.u = u_;
    return residual(later, w, f_);
  };
  const auto representable = [&](double by) noexcept {
    const volatile double moved = at.t + std::max(by, 64 * std::numeric_limits<double>::epsilon() * std::abs(at.t));
    return moved - at.t;
  };
  double step = representable(part * h);
  EvalStatus status = ahead(2 * step);
  if (status == EvalStatus::ok) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = f_[i] - f0_[i];
    status = ahead(step);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (4 * (f_[i] - f0_[i]) - out[i]) / (2 * step);
  }
  if (status != EvalStatus::out_of_domain) return status;
  step = representable(small_part * h);
  status = ahead(step);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (f_[i] - f0_[i]) / step;
  return status;
}

EvalStatus Linearisation::input_jacobian(const At& at, In w, Matrix& out) {
  const auto n_inputs = static_cast<Eigen::Index>(at.u.size());
  out.resize(dae_.size(), n_inputs);
  if (const EvalStatus status = residual(at, w, f0_); status != EvalStatus::ok) return status;
  const bool exact = dae_.dual() && source_ != JacobianSource::differences;
  for (Eigen::Index k = 0; k < n_inputs; ++k) {
    EvalStatus status = EvalStatus::ok;
    if (exact) {
      for (std::size_t i = 0; i < x_dual_.size(); ++i) x_dual_[i] = Dual8(at.x[i]);
      for (std::size_t i = 0; i < u_dual_.size(); ++i) u_dual_[i] = Dual8(at.u[i]);
      u_dual_[static_cast<std::size_t>(k)].d[0] = 1;
      status = dae_.dual()->f(
          {.t = Dual8(at.t), .x = x_dual_, .u = u_dual_, .base = at.base, .mode = at.mode, .scratch = at.scratch},
          f_dual_);
      for (Eigen::Index i = 0; i < out.rows(); ++i) out(i, k) = f_dual_[static_cast<std::size_t>(i)].d[0];
    } else {
      std::copy(at.u.begin(), at.u.end(), u_.begin());
      const double step = std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(at.u[k]));
      u_[static_cast<std::size_t>(k)] += step;
      At moved = at;
      moved.u = u_;
      status = residual(moved, w, f_);
      for (Eigen::Index i = 0; i < out.rows(); ++i)
        out(i, k) = (f_[static_cast<std::size_t>(i)] - f0_[static_cast<std::size_t>(i)]) / step;
    }
    if (status != EvalStatus::ok) return status;
  }
  return EvalStatus::ok;
}

void Linearisation::extend(const At& at, In w) {
  const bool traces = dae_.tracer() != nullptr;
  SparsePattern j = united(j_pattern_, traces ? formed(traced_twice(dae_, at, false)) : probed(at, w));
  SparsePattern b = united(b_pattern_, mass_pattern_of(dae_, at));
  if (j == j_pattern_ && b == b_pattern_) {  // a false alarm, by cancellation inside the model or where f has a kink
    watch_ = source_ == JacobianSource::differences && ++false_alarms_ < most_false_alarms;
    return;
  }
  prepare(at, std::move(j), std::move(b));
  if (update_mass(at) != EvalStatus::ok) incomplete_ = true;
}

bool Linearisation::pattern_grows(const At& at) const {
  if (source_ == JacobianSource::model || !dae_.tracer()) return false;
  return !(united(j_pattern_, formed(traced_twice(dae_, at, false))) == j_pattern_) ||
         !(united(b_pattern_, mass_pattern_of(dae_, at)) == b_pattern_);
}

}  // namespace rubato
