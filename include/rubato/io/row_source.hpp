#pragma once
/// The rows of a run, wherever they are kept: what result files and pictures are made from, in passes, without all of them in memory.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/io/result_data.hpp"

namespace rubato::io {

class RowSource {
 public:
  std::vector<std::string> names, units;  ///< per channel
  std::size_t n_rows = 0, n_steps = 0;
  std::vector<EventRecord> events;

  virtual ~RowSource() = default;
  [[nodiscard]] std::size_t channels() const noexcept { return names.size(); }

  /// Takes a time and the values of its channels (or the end of a step and its size); false: no more are wanted.
  using TakeRow = std::function<bool(double t, In values)>;
  using TakeStep = std::function<bool(double t, double h)>;
  /// All rows in their order; an Error where they cannot be read.
  [[nodiscard]] virtual Result<void> each_row(const TakeRow& take) const = 0;
  [[nodiscard]] virtual Result<void> each_step(const TakeStep& take) const = 0;
};

/// Those of a trajectory, which must outlive this.
class TrajectoryRows final : public RowSource {
 public:
  explicit TrajectoryRows(const Trajectory& trajectory);
  [[nodiscard]] Result<void> each_row(const TakeRow& take) const override;
  [[nodiscard]] Result<void> each_step(const TakeStep& take) const override;

 private:
  const Trajectory& trajectory_;
};

/// Some of the channels of another source, which must outlive this, by number.
class SelectedRows final : public RowSource {
 public:
  SelectedRows(const RowSource& all, std::vector<std::size_t> columns);
  [[nodiscard]] Result<void> each_row(const TakeRow& take) const override;
  [[nodiscard]] Result<void> each_step(const TakeStep& take) const override;

 private:
  const RowSource& all_;
  std::vector<std::size_t> columns_;
};

/// Rows by their ascending numbers, with names and units.
[[nodiscard]] Result<Trajectory> picked_rows(const RowSource& rows, std::span<const std::size_t> numbers);

}  // namespace rubato::io
