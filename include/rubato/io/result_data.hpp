#pragma once
/// What a run leaves behind, free of the machinery that made it: written to files, read back, drawn.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/integrate/recorder.hpp"

namespace rubato::io {

/// Channels over time, the steps taken, the events met.
struct Trajectory {
  std::vector<std::string> names, units;       ///< per channel
  std::vector<double> times;                   ///< s, one per row; equal neighbours: before and after an event
  std::vector<double> values;                  ///< rows × channels, row by row
  std::vector<double> step_times, step_sizes;  ///< s, one per accepted step
  std::vector<EventRecord> events;

  [[nodiscard]] std::size_t channels() const noexcept { return names.size(); }
  [[nodiscard]] std::size_t rows() const noexcept { return times.size(); }
  [[nodiscard]] std::vector<double> column(std::size_t j) const;
};

[[nodiscard]] Trajectory trajectory_of(const Recorder& recorder);

/// Everything that result files say. Seconds are not among it: the same run writes the same bytes.
struct RunResult {
  std::string title, problem, formulation, method;
  std::string options;  ///< all options used, as a run file
  std::string version;
  std::string status, reason;
  double t_start = 0, t_end = 0;  ///< s, as asked
  double t = 0;                   ///< s, where the run ended
  double last_step = 0, smallest_step = 0, largest_step = 0;
  /// Names of the positions found stiff; nothing: they were not looked for. Not kept in HDF5.
  std::optional<std::vector<std::string>> stiff = {};
  Statistics statistics;
  Trajectory trajectory;
};

/// A deterministic counter of Statistics and its name in files.
struct Counter {
  std::string_view name;
  long Statistics::*value;
};
/// The one list of counters, in the order in which they are shown.
inline constexpr std::array counters = {Counter{"steps", &Statistics::steps},
                                        Counter{"accepted", &Statistics::accepted},
                                        Counter{"rejected", &Statistics::rejected},
                                        Counter{"failed", &Statistics::failed},
                                        Counter{"f_calls", &Statistics::f_calls},
                                        Counter{"f_calls_jacobian", &Statistics::f_calls_jacobian},
                                        Counter{"jacobians", &Statistics::jacobians},
                                        Counter{"factorisations", &Statistics::factorisations},
                                        Counter{"full_factorisations", &Statistics::full_factorisations},
                                        Counter{"solves", &Statistics::solves},
                                        Counter{"newton_iterations", &Statistics::newton_iterations},
                                        Counter{"krylov_products", &Statistics::krylov_products},
                                        Counter{"events", &Statistics::events},
                                        Counter{"root_calls", &Statistics::root_calls},
                                        Counter{"library_allocations", &Statistics::library_allocations}};

}  // namespace rubato::io
