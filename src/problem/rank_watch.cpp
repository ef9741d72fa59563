#include "rank_watch.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "rubato/base/aperiodic.hpp"
#include "rubato/base/text.hpp"
#include "rubato/problem/state_point.hpp"
#include "start.hpp"

namespace rubato {

bool RankWatch::applies(const FormulatedDae& dae) noexcept {
  const MechanicalSystem& system = dae.system();
  const Level level = dae.formulation().level;
  const bool rigid = level == Level::index_3 || level == Level::index_2 || level == Level::ggl ||
                     level == Level::index_1 || level == Level::state_space;
  return rigid && !system.compliant() && system.tangent_kind() == ModelJacobian::none &&
         system.sizes().lambda + system.sizes().nu > 1;
}

RankWatch::RankWatch(const FormulatedDae& dae) : system_(dae.system()), memory_(system_.scratch_bytes()) {}

void RankWatch::forget() {
  for (Vector* kept : {&u_, &scale_, &norms_, &lengths_}) kept->resize(0);
  pattern_ = {};
}

/// At the state and beside it: what is zero by chance in one position is not in the other.
void RankWatch::find_structure(const MechanicalState& state) {
  const MechanicalSizes& s = system_.sizes();
  const int m = s.lambda + s.nu;
  SparsePattern found = SparsePattern::dense(s.v, m);
  if (const auto* equations = system_.tracer()) {
    MechanicalState beside = state;
    for (int i = 0; i < beside.q.size(); ++i) beside.q[i] += 0.1 + 0.03 * std::sin(1.3 * i);
    EvalStatus status = EvalStatus::ok;
    const auto traced_at = [&](const MechanicalState& at) {
      detail::Start start(system_, at, {}, "rank_watch");
      std::vector<Tracer> memory;
      const auto p = start.lifted(memory);
      return detail::traced(
          s.v, view(Vector(Vector::Ones(m))), [&](std::span<const Tracer> multipliers, std::span<Tracer> forces) {
            const auto n_g = static_cast<std::size_t>(s.lambda);
            status = std::max(status, equations->reaction(p, multipliers.first(n_g), multipliers.subspan(n_g), forces));
          });
    };
    const SparsePattern both = united(traced_at(state), traced_at(beside));
    if (status == EvalStatus::ok) found = both;
  }
  pattern_ = pattern_.cols() == m ? united(pattern_, found) : found;
  groups_ = group_columns(pattern_);
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < m; ++j)
    for (const int i : pattern_.column(j)) entries.emplace_back(i, j, 1.0);
  transposed_.resize(s.v, m);
  transposed_.setFromTriplets(entries.begin(), entries.end());
  // A scale for the coordinates, kept: how large σ is says little, how it changes does.
  if (scale_.size() == 0) {
    detail::Start start(system_, state, {}, "rank_watch");
    scale_ = start.hard_rows().second;
  }
}

bool RankWatch::evaluate(const MechanicalState& state, In inputs) {
  if (scale_.size() == 0) find_structure(state);
  const MechanicalSizes& s = system_.sizes();
  MechanicalPoint<double> p = point_at(state, memory_.scratch(), inputs);
  system_.share(p);
  Vector multipliers = Vector::Zero(transposed_.cols()), forces(s.v);
  const In all = view(std::as_const(multipliers));
  const auto n_g = static_cast<std::size_t>(s.lambda);
  for (const auto& members : groups_.members) {
    for (const int j : members) multipliers[j] = 1;
    if (system_.reaction(p, all.first(n_g), all.subspan(n_g), view(forces)) != EvalStatus::ok) return false;
    for (const int j : members) {
      multipliers[j] = 0;
      for (Sparse::InnerIterator it(transposed_, j); it; ++it) it.valueRef() = forces[it.row()] * scale_[it.row()];
    }
  }
  norms_.resize(transposed_.cols());
  lengths_.setZero(transposed_.cols());
  for (int j = 0; j < transposed_.cols(); ++j) {
    norms_[j] = transposed_.col(j).norm();
    for (Sparse::InnerIterator it(transposed_, j); it; ++it) lengths_[j] += std::pow(it.value() / scale_[it.row()], 2);
    lengths_[j] = std::sqrt(lengths_[j]);
  }
  return norms_.allFinite();
}

/// The eigenvector of the smallest eigenvalue of AᵀA, A by columns of norm one.
Vector RankWatch::inverse_iteration(const Sparse& a) const {
  constexpr double shift = 1e-15;  // σ below 3e-8 counts as zero
  constexpr int dense_up_to = 64;
  const bool warm = u_.size() > 0;
  const auto m = a.cols();
  Vector u(m);
  for (int i = 0; i < m; ++i) u[i] = std::sin(1.7 * i + 0.4);
  u.normalize();
  if (warm) u = u_ + 0.1 * u;  // else a vector of one invariant subspace (motions out of a plane) would stay in it
  const auto iterated = [&](const auto& factor) {
    for (int k = 0; k < (warm ? 5 : 8); ++k) {
      u = factor.solve(u).eval();
      u.normalize();
    }
  };
  const Sparse normal = a.transpose() * a;
  Sparse one(m, m);
  one.setIdentity();
  if (m <= dense_up_to)
    iterated(Eigen::LLT<Matrix>(Matrix(normal) + shift * Matrix::Identity(m, m)));
  else
    iterated(Eigen::SimplicialLDLT<Sparse>(Sparse(normal + shift * one)));
  return u;
}

RankWatch::Margin RankWatch::look(const MechanicalState& state, In inputs, In left_out) {
  Margin margin;
  if (!evaluate(state, inputs)) return margin;
  const auto m = transposed_.cols();
  Vector inverse = norms_.unaryExpr([](double norm) { return norm > 0 ? 1 / norm : 1.0; });
  for (int j = 0; j < m && !left_out.empty(); ++j)
    if (left_out[static_cast<std::size_t>(j)] != 0) inverse[j] = 0;
  Sparse a = transposed_ * inverse.asDiagonal();
  // Rows left out: a unit diagonal of their own keeps them out of the smallest eigenvalue.
  if (!left_out.empty()) {
    a.conservativeResize(a.rows() + m, m);
    for (int j = 0; j < m; ++j)
      if (inverse[j] == 0) a.coeffRef(transposed_.rows() + j, j) = 1;
  }
  u_ = inverse_iteration(a);
  if (!u_.allFinite()) {
    u_.resize(0);
    return margin;
  }
  const Vector multipliers = inverse.cwiseProduct(u_);
  const In all = view(multipliers);
  const auto n_g = static_cast<std::size_t>(system_.sizes().lambda);
  Vector s(system_.sizes().v);
  if (system_.reaction(point_at(state, memory_.scratch(), inputs), all.first(n_g), all.subspan(n_g), view(s)) !=
      EvalStatus::ok)
    return margin;
  s = s.cwiseProduct(scale_);
  if (!((s - transposed_ * multipliers).norm() <= 1e-10)) {  // entries that the pattern lacks
    find_structure(state);
    u_.resize(0);
    return margin;
  }
  margin.sigma = s.norm();

  // s' by a difference along the motion, short beside any change of the positions.
  MechanicalState ahead = state;
  Vector rate(state.q.size()), forces(system_.sizes().v);
  if (system_.kinematics(point_at(state, memory_.scratch(), inputs), view(state.v), view(rate)) != EvalStatus::ok)
    return margin;
  const double fastest = rate.size() > 0 ? rate.cwiseAbs().maxCoeff() : 0;
  margin.known = std::isfinite(fastest);
  if (!(fastest > 0) || !margin.known) return margin;
  const double delta = 1e-6 / fastest;
  ahead.q += delta * rate;
  ahead.t += delta;
  if (system_.reaction(point_at(ahead, memory_.scratch(), inputs), all.first(n_g), all.subspan(n_g), view(forces)) !=
      EvalStatus::ok)
    return margin;
  const Vector change = (forces.cwiseProduct(scale_) - s) / delta;
  margin.pace = change.norm();
  margin.turn = turn_of_rows(ahead, inputs, inverse) / delta;
  if (margin.sigma > 0) margin.rate = s.dot(change) / margin.sigma;  // (1)
  return margin;
}

/// |(A(ahead) − A)ᵀ u| with every row's share in u alike, signs in a sequence without a period: the root mean square of the change of a row.
double RankWatch::turn_of_rows(const MechanicalState& ahead, In inputs, const Vector& inverse) const {
  Vector u = inverse, forces(system_.sizes().v);
  for (int j = 0; j < u.size(); ++j) u[j] *= aperiodic(j) < 0.5 ? 1 : -1;
  u /= std::sqrt(static_cast<double>(u.size()));
  const In all = view(std::as_const(u));
  const auto n_g = static_cast<std::size_t>(system_.sizes().lambda);
  ScratchMemory memory(system_.scratch_bytes());
  if (system_.reaction(point_at(ahead, memory.scratch(), inputs), all.first(n_g), all.subspan(n_g), view(forces)) !=
      EvalStatus::ok)
    return 0;
  return (forces.cwiseProduct(scale_) - transposed_ * u).norm();
}

double RankWatch::speed(In v, bool momenta) const noexcept {
  if (scale_.size() != std::ssize(v)) return std::numeric_limits<double>::infinity();
  return momenta ? map(v).cwiseProduct(scale_).norm() : map(v).cwiseQuotient(scale_).norm();
}

int RankWatch::dependent_rows(const MechanicalState& state, In inputs, double tolerance) {
  if (!evaluate(state, inputs)) return 0;
  const auto rank = detail::rank_of_rows(transposed_.transpose(), Vector::Ones(transposed_.rows()), tolerance);
  return static_cast<int>(rank.dependent.size());
}

std::string RankWatch::names() const {
  std::vector<int> order;
  for (int j = 0; j < u_.size(); ++j)
    if (std::abs(u_[j]) > 0.1 * u_.cwiseAbs().maxCoeff()) order.push_back(j);
  std::ranges::stable_sort(order, [&](int i, int j) { return std::abs(u_[i]) > std::abs(u_[j]); });
  std::vector<std::string> words;
  for (const int j : order) {
    if (words.size() == 6) {
      words.emplace_back("…");
      break;
    }
    words.push_back(constraint_name(system_, j));
  }
  return joined(words);
}

RankWatch::Residuals RankWatch::residuals(const MechanicalState& state, In inputs, In left_out) {
  Residuals r;
  if (norms_.size() == 0 && !evaluate(state, inputs)) return r;
  const MechanicalSizes& s = system_.sizes();
  MechanicalPoint<double> p = point_at(state, memory_.scratch(), inputs);
  system_.share(p);
  Vector g(s.lambda);
  if (system_.constraint(p, view(g)) != EvalStatus::ok) return r;
  for (int j = 0; j < g.size(); ++j) {
    double& largest = left_out[static_cast<std::size_t>(j)] != 0 ? r.left_out : r.kept;
    if (lengths_[j] > 0) largest = std::max(largest, std::abs(g[j]) / lengths_[j]);
  }
  r.known = true;
  return r;
}

}  // namespace rubato
