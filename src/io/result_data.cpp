#include "rubato/io/result_data.hpp"

#include <algorithm>

#include "rubato/base/assert.hpp"

namespace rubato::io {

std::vector<double> Trajectory::column(std::size_t j) const {
  std::vector<double> out(rows());
  for (std::size_t i = 0; i < rows(); ++i) out[i] = values[i * channels() + j];
  return out;
}

Trajectory trajectory_of(const Recorder& recorder) {
  Trajectory out;
  out.names = recorder.names();
  out.units = recorder.units();
  out.times = recorder.times();
  out.values.reserve(recorder.rows() * out.channels());
  for (std::size_t i = 0; i < recorder.rows(); ++i) {
    const In row = recorder.row(i);
    out.values.insert(out.values.end(), row.begin(), row.end());
  }
  out.step_times = recorder.step_times();
  out.step_sizes = recorder.step_sizes();
  out.events = recorder.events();
  return out;
}

Trajectory selected(const Trajectory& trajectory, std::span<const std::size_t> channels) {
  Trajectory out = trajectory;
  out.names.clear();
  out.units.clear();
  out.values.clear();
  for (const std::size_t j : channels) {
    out.names.push_back(trajectory.names[j]);
    out.units.push_back(trajectory.units[j]);
  }
  out.values.reserve(trajectory.rows() * channels.size());
  for (std::size_t i = 0; i < trajectory.rows(); ++i)
    for (const std::size_t j : channels) out.values.push_back(trajectory.values[i * trajectory.channels() + j]);
  return out;
}

void append_after(Trajectory& kept, const Trajectory& fresh, double t) {
  RUBATO_ASSERT(kept.channels() == fresh.channels(), "pieces of one run have the same channels");
  // One row at most is that of the checkpoint itself; a restart of the method at t has another.
  const std::ptrdiff_t row = !fresh.times.empty() && fresh.times.front() <= t ? 1 : 0;
  const auto step = std::upper_bound(fresh.step_times.begin(), fresh.step_times.end(), t) - fresh.step_times.begin();
  kept.times.insert(kept.times.end(), fresh.times.begin() + row, fresh.times.end());
  kept.values.insert(kept.values.end(), fresh.values.begin() + row * static_cast<std::ptrdiff_t>(fresh.channels()),
                     fresh.values.end());
  kept.step_times.insert(kept.step_times.end(), fresh.step_times.begin() + step, fresh.step_times.end());
  kept.step_sizes.insert(kept.step_sizes.end(), fresh.step_sizes.begin() + step, fresh.step_sizes.end());
  for (const auto& event : fresh.events)
    if (event.t > t) kept.events.push_back(event);
}

}  // namespace rubato::io
