#include "rubato/io/row_source.hpp"

namespace rubato::io {

TrajectoryRows::TrajectoryRows(const Trajectory& trajectory) : trajectory_(trajectory) {
  names = trajectory.names;
  units = trajectory.units;
  n_rows = trajectory.rows();
  n_steps = trajectory.step_times.size();
  events = trajectory.events;
}

Result<void> TrajectoryRows::each_row(const TakeRow& take) const {
  const In values(trajectory_.values);
  for (std::size_t i = 0; i < n_rows; ++i)
    if (!take(trajectory_.times[i], values.subspan(i * channels(), channels()))) break;
  return {};
}

Result<void> TrajectoryRows::each_step(const TakeStep& take) const {
  for (std::size_t i = 0; i < n_steps; ++i)
    if (!take(trajectory_.step_times[i], trajectory_.step_sizes[i])) break;
  return {};
}

SelectedRows::SelectedRows(const RowSource& all, std::vector<std::size_t> columns)
    : all_(all), columns_(std::move(columns)) {
  for (const std::size_t j : columns_) {
    names.push_back(all.names[j]);
    units.push_back(all.units[j]);
  }
  n_rows = all.n_rows;
  n_steps = all.n_steps;
  events = all.events;
}

Result<void> SelectedRows::each_row(const TakeRow& take) const {
  std::vector<double> chosen(columns_.size());
  return all_.each_row([&](double t, In values) {
    for (std::size_t k = 0; k < columns_.size(); ++k) chosen[k] = values[columns_[k]];
    return take(t, chosen);
  });
}

Result<void> SelectedRows::each_step(const TakeStep& take) const { return all_.each_step(take); }

Result<Trajectory> picked_rows(const RowSource& rows, std::span<const std::size_t> numbers) {
  Trajectory picked;
  picked.names = rows.names;
  picked.units = rows.units;
  std::size_t number = 0, next = 0;
  const auto read = rows.each_row([&](double t, In values) {
    if (next < numbers.size() && numbers[next] == number) {
      picked.times.push_back(t);
      picked.values.insert(picked.values.end(), values.begin(), values.end());
      ++next;
    }
    ++number;
    return next < numbers.size();
  });
  if (!read) return read.error();
  if (next < numbers.size()) return Error{"there are fewer rows than were recorded"};
  return picked;
}

}  // namespace rubato::io
