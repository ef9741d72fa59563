#include "rubato/realtime/model_structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "rubato/problem/formulation.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato::realtime {

namespace {

/// FNV-1a, 64 bits.
class Hash {
 public:
  void add(std::uint64_t number) noexcept {
    for (int byte = 0; byte < 8; ++byte, number >>= 8) value_ = (value_ ^ (number & 0xff)) * 0x100000001b3;
  }
  void add(const SparsePattern& pattern) noexcept {
    add(static_cast<std::uint64_t>(pattern.cols()));
    for (const int start : pattern.column_starts()) add(static_cast<std::uint64_t>(start));
    for (const int row : pattern.row_indices()) add(static_cast<std::uint64_t>(row));
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Rows whose multipliers are held at zero, by number.
std::vector<int> left_out_at(const Dae& dae, const Sample& sample) {
  std::vector<int> rows;
  if (const auto* mechanics = dynamic_cast<const FormulatedDae*>(&dae)) {
    const In flags = mechanics->left_out(view(sample.base));
    for (std::size_t i = 0; i < flags.size(); ++i)
      if (flags[i] != 0) rows.push_back(static_cast<int>(i));
  }
  return rows;
}

}  // namespace

At point_of(const Dae& dae, const Sample& sample, Scratch scratch) {
  At at{.t = sample.t,
        .x = view(sample.x),
        .u = view(sample.u),
        .base = view(sample.base),
        .mode = 0,
        .scratch = scratch};
  if (!dae.roots().empty()) at.mode = dae.starting_mode(at);
  return at;
}

Sample start_of(const InitialValueProblem& problem) {
  Vector u = Vector::Zero(problem.dae->n_inputs()), rate = u;
  if (problem.input) problem.input->at(problem.t_start, view(u), view(rate));
  return {problem.t_start, problem.x, u, problem.base};
}

std::uint64_t ModelStructure::hash() const noexcept {
  Hash hash;
  hash.add(jacobian);
  hash.add(mass);
  for (const double value : mass_values) hash.add(std::bit_cast<std::uint64_t>(value));
  for (const char row : algebraic) hash.add(static_cast<std::uint64_t>(row));
  hash.add(static_cast<std::uint64_t>(n_inputs));
  for (const int row : left_out) hash.add(static_cast<std::uint64_t>(row));
  return hash.value();
}

Result<ModelStructure> model_structure(const Dae& dae, const Sample& start) {
  if (const int index = dae.layout().index(); index > 1)
    return Error{fmt::format(
        "real time: the model has index {}; at most 1: write constraints as accelerations, with terms that hold them "
        "(formulation index-1:alpha=100,beta=100)",
        index)};
  if (start.base.size() != dae.base_size())
    return Error{fmt::format("real time: a start with a base of {} numbers for a model with charts of {}",
                             start.base.size(), dae.base_size())};
  if (!dae.constant_mass())
    return Error{
        "real time: the mass matrix depends on the state. Entries left out of its Jacobian would cost convergence; "
        "use a form with accelerations as unknowns"};
  ScratchMemory scratch(dae.scratch_bytes());
  const At at = point_of(dae, start, scratch.scratch());
  if (!dae.roots().empty() && at.mode == 0)
    return Error{fmt::format(
        "real time: the model has {} events that its state brings about; finding them takes an unknown time",
        dae.roots().size())};
  if (dae.dual() == nullptr || dae.tracer() == nullptr)
    return Error{"real time: the model is not written as a template over its scalar: no exact derivatives"};
  const auto made = Linearisation::create(dae, at, JacobianSource::dual);
  if (!made) return made.error();
  const Linearisation& linear = **made;
  return ModelStructure{.jacobian = linear.jacobian_pattern(),
                        .mass = linear.mass_pattern(),
                        .mass_values = {linear.mass().begin(), linear.mass().end()},
                        .algebraic = dae.layout().algebraic(),
                        .left_out = left_out_at(dae, start),
                        .n_inputs = dae.n_inputs()};
}

Result<std::vector<std::vector<double>>> sampled_jacobians(const Dae& dae, const ModelStructure& structure,
                                                           const std::vector<Sample>& samples) {
  std::vector<std::vector<double>> jacobians;
  if (samples.empty()) return jacobians;
  ScratchMemory scratch(dae.scratch_bytes());
  auto made = Linearisation::create(dae, point_of(dae, samples.front(), scratch.scratch()), JacobianSource::dual);
  if (!made) return made.error();
  Linearisation& linear = **made;
  const Vector w = Vector::Zero(dae.size());
  const std::vector<int> place = positions_in(linear.jacobian_pattern(), structure.jacobian);
  for (const Sample& sample : samples) {
    if (left_out_at(dae, sample) != structure.left_out)
      return Error{
          fmt::format("real time: at the sample of t = {:.6g} s other dependent constraint rows are left out than at "
                      "the start; real-time steps leave out the same rows all the time: remove rows that follow from "
                      "others from the model",
                      sample.t)};
    if (linear.update(point_of(dae, sample, scratch.scratch()), view(w)) != EvalStatus::ok)
      return Error{fmt::format("real time: the model refuses to evaluate at the sample of t = {:.6g} s", sample.t)};
    bool known = !linear.pattern_incomplete();
    auto& values = jacobians.emplace_back(static_cast<std::size_t>(structure.jacobian.nnz()), 0.0);
    for (std::size_t p = 0; p < place.size(); ++p) {
      known = known && (place[p] >= 0 || linear.jacobian()[p] == 0);
      if (place[p] >= 0) values[place[p]] = linear.jacobian()[p];
    }
    if (!known)
      return Error{fmt::format(
          "real time: at the sample of t = {:.6g} s the model depends on unknowns that it did not "
          "depend on at the start; its structure must be the same everywhere{}",
          sample.t, dynamic_cast<const FormulatedDae*>(&dae) != nullptr ? ": take formulation index-1" : "")};
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      return Error{fmt::format("real time: a derivative is not finite at the sample of t = {:.6g} s", sample.t)};
  }
  return jacobians;
}

std::vector<unsigned char> constant_entries(const std::vector<std::vector<double>>& jacobians) {
  if (jacobians.empty()) return {};
  std::vector<unsigned char> constant(jacobians.front().size(), 1);
  for (const auto& values : jacobians)
    for (std::size_t p = 0; p < constant.size(); ++p)
      if (values[p] != jacobians.front()[p]) constant[p] = 0;
  return constant;
}

std::vector<Sample> with_neighbours(const std::vector<Sample>& samples) {
  std::vector<Sample> all = samples;
  const auto moved = [](Vector& values, double size) {
    for (Eigen::Index i = 0; i < values.size(); ++i)
      values[i] += size * (std::abs(values[i]) + 0.1) * (1 + 0.1 * static_cast<double>(i % 7));
  };
  for (const double size : {1e-3, -1e-2})
    for (const Sample& sample : samples) {
      Sample beside = sample;
      moved(beside.x, size);
      moved(beside.u, size);
      beside.t += std::abs(size);
      all.push_back(std::move(beside));
    }
  return all;
}

}  // namespace rubato::realtime
