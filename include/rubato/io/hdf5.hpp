#pragma once
/// Results as one self-describing HDF5 file, for h5py, MATLAB, Julia, ParaView, h5dump.
///
///   /            attributes: title, problem, formulation, method, options (a run file), rubato (version), status,
///                reason, t_start, t_end, t_reached, last_step, smallest_step, largest_step
///   /time        [rows]            attribute unit = "s"
///   /values      [rows, channels]  one column per channel, compressed when large
///   /names       [channels]        /units [channels]
///   /steps       time, size        [accepted steps]
///   /events      time, mode_before, mode_after [events];  root_event, root [fired roots]: which root in which event
///   /statistics  one attribute per counter
///
/// No time stamps anywhere: the same result gives the same bytes.
#include <filesystem>

#include "rubato/base/result.hpp"
#include "rubato/io/result_data.hpp"
#include "rubato/io/row_source.hpp"

namespace rubato::io {

[[nodiscard]] Result<void> write_hdf5(const std::filesystem::path& file, const RunResult& result);
/// With the rows of another source than the result's own trajectory, a megabyte of them in memory at a time; the same bytes.
[[nodiscard]] Result<void> write_hdf5(const std::filesystem::path& file, const RunResult& result,
                                      const RowSource& rows);
[[nodiscard]] Result<RunResult> read_hdf5(const std::filesystem::path& file);

}  // namespace rubato::io
