#pragma once
/// Channels by name.
#include <string>
#include <string_view>
#include <vector>

#include "rubato/io/run_file.hpp"
#include "rubato/problem/dae.hpp"

namespace rubato::app {

/// All channels of a run: the unknowns, the outputs, the invariants.
[[nodiscard]] std::vector<std::string> channel_names(const Dae& dae);
/// `name` is this channel, its block ("q"), or a pattern it fits ("hinge.*").
[[nodiscard]] bool means_channel(std::string_view name, const Layout& layout, std::size_t channel,
                                 std::string_view channel_name);
/// The channels that a list of names means, in the order of the channels; an empty list means all.
[[nodiscard]] std::vector<std::size_t> chosen_channels(const Dae& dae, const std::vector<std::string>& names);

/// What is kept of a run with thousands of unknowns: outputs, invariants and the channels asked for.
[[nodiscard]] std::vector<std::size_t> looked_at(const Dae& dae, const io::OutputConfig& output);
/// Where channels stand among those recorded (empty: all are).
[[nodiscard]] std::vector<std::size_t> columns_of(const std::vector<std::size_t>& recorded,
                                                  std::vector<std::size_t> channels);

}  // namespace rubato::app
