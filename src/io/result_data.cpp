#include "rubato/io/result_data.hpp"

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

}  // namespace rubato::io
