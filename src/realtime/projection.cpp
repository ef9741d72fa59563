#include "rubato/realtime/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rubato/realtime/qr_structure.hpp"

namespace rubato::realtime {

namespace {

int offset_of(const Layout& layout, std::string_view name) {
  const Block* const block = layout.find(name);
  return block != nullptr ? block->offset : 0;
}

std::size_t count(int n) { return static_cast<std::size_t>(n); }

}  // namespace

/// Unknowns of the block in the order λ, ν, a: that of the formulation.
ConstraintProjection::ConstraintProjection(const FormulatedDae& dae, const ModelStructure& structure, int n)
    : system_(dae.system()),
      sizes_(system_.sizes()),
      count_(n),
      q_(offset_of(dae.layout(), "q")),
      v_(offset_of(dae.layout(), "v")),
      z_(offset_of(dae.layout(), "z")),
      lambda_(offset_of(dae.layout(), "lambda")),
      nu_(offset_of(dae.layout(), "nu")),
      needed_(count(structure.jacobian.nnz()), 0),
      rows_(count(sizes_.lambda + sizes_.nu)),
      rate_(count(sizes_.q)) {
  const int n_rows = sizes_.lambda + sizes_.nu, n_block = n_rows + sizes_.v;
  std::vector<int> number(count(dae.size()), -1);
  for (int i = 0; i < sizes_.lambda; ++i) number[count(lambda_ + i)] = i;
  for (int i = 0; i < sizes_.nu; ++i) number[count(nu_ + i)] = sizes_.lambda + i;
  for (int i = 0, a = offset_of(dae.layout(), "a"); i < sizes_.v; ++i) number[count(a + i)] = n_rows + i;
  std::vector<Entry> entries;
  int place = 0;
  for (int col = 0; col < structure.jacobian.cols(); ++col)
    for (const int row : structure.jacobian.column(col)) {
      if (number[count(row)] >= 0 && number[count(col)] >= 0) {
        entries.push_back({number[count(row)], number[count(col)]});
        place_.push_back(place);
        needed_[count(place)] = 1;
      }
      ++place;
    }
  // The block keeps the order of the columns of Df: blocks λ, ν, a follow each other there.
  const SparsePattern pattern = SparsePattern::from_entries(n_block, n_block, std::move(entries));
  RUBATO_ASSERT(pattern.nnz() == static_cast<int>(place_.size()), "entries of a Jacobian are there once");
  values_.resize(place_.size());
  right_.assign(count(n_block), 0.0);
  solution_.assign(count(n_block), 0.0);
  if (auto made = make_static_solver(StaticKind::qr, pattern, qr_ordering(pattern))) solver_ = std::move(*made);
}

Result<std::unique_ptr<ConstraintProjection>> ConstraintProjection::create(const Dae& dae,
                                                                           const ModelStructure& structure, int n) {
  if (!(n >= 1 && n <= most))
    return Error{fmt::format("real time: {} projections per step; 0 … {} are allowed", n, most)};
  const auto* const mechanics = dynamic_cast<const FormulatedDae*>(&dae);
  if (mechanics == nullptr || mechanics->formulation().level != Level::index_1)
    return Error{
        "real time: projections are for mechanisms whose constraints are written as accelerations "
        "(formulation index-1)"};
  std::unique_ptr<ConstraintProjection> made(new ConstraintProjection(*mechanics, structure, n));
  if (made->solver_ == nullptr)
    return Error{"real time: projections: constraints and masses do not determine the accelerations"};
  return made;
}

OperationCount ConstraintProjection::operations() const noexcept {
  const OperationCount& once = solver_->facts().operations;
  const long n = 2L * count_;
  return {.additions = n * once.additions,
          .multiplications = n * once.multiplications,
          .divisions = n * once.divisions,
          .square_roots = n * once.square_roots};
}

MechanicalPoint<double> ConstraintProjection::point(const At& at, In x) const noexcept {
  MechanicalPoint<double> p;
  p.t = at.t;
  p.q = x.subspan(count(q_), count(sizes_.q));
  p.v = x.subspan(count(v_), count(sizes_.v));
  p.z = x.subspan(count(z_), count(sizes_.z));
  p.lambda = x.subspan(count(lambda_), count(sizes_.lambda));
  p.nu = x.subspan(count(nu_), count(sizes_.nu));
  p.u = at.u;
  p.base = at.base.first(count(system_.base_size()));
  p.mode = at.mode;
  p.scratch = at.scratch;
  return p;
}

/// Δ, the last part of solution_, for the residuals in rows_. A row that is left out, "multiplier = 0", yields a multiplier here, which acts
/// along the others: Δ does not depend on it.
bool ConstraintProjection::correction() noexcept {
  for (std::size_t i = 0; i < rows_.size(); ++i) right_[i] = -rows_[i];
  return solver_->solve(values_, right_, solution_) == SolveStatus::ok;
}

RealtimeStatus ConstraintProjection::project(const At& at, In jacobian_values, Out x) noexcept {
  for (std::size_t k = 0; k < place_.size(); ++k) values_[k] = jacobian_values[count(place_[k])];
  const auto n_lambda = count(sizes_.lambda);
  const Out rows = rows_;
  const In delta = In(solution_).subspan(rows_.size());
  bool evaluated = true, regular = true;
  for (int k = 0; k < count_; ++k) {  // (1)
    const auto p = point(at, x);
    evaluated = system_.constraint(p, rows.first(n_lambda)) == EvalStatus::ok && evaluated;
    std::ranges::fill(rows.subspan(n_lambda), 0.0);
    regular = correction() && regular;
    evaluated = system_.kinematics(p, delta, rate_) == EvalStatus::ok && evaluated;
    for (std::size_t i = 0; i < rate_.size(); ++i) x[count(q_) + i] += rate_[i];
  }
  for (int k = 0; k < count_; ++k) {  // (2)
    const auto p = point(at, x);
    evaluated = system_.constraint_rate(p, rows.first(n_lambda)) == EvalStatus::ok && evaluated;
    evaluated = system_.rolling(p, rows.subspan(n_lambda)) == EvalStatus::ok && evaluated;
    regular = correction() && regular;
    for (std::size_t i = 0; i < delta.size(); ++i) x[count(v_) + i] += delta[i];
  }
  if (!evaluated) return RealtimeStatus::refused;
  return regular ? RealtimeStatus::ok : RealtimeStatus::singular;
}

}  // namespace rubato::realtime
