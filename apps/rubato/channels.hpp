#pragma once
/// Channels by name.
#include <string>
#include <string_view>
#include <vector>

#include "rubato/problem/dae.hpp"

namespace rubato::app {

/// All channels of a run: the unknowns, the outputs, the invariants.
[[nodiscard]] std::vector<std::string> channel_names(const Dae& dae);
/// `name` is this channel, its block ("q"), or a pattern it fits ("hinge.*").
[[nodiscard]] bool means_channel(std::string_view name, const Layout& layout, std::size_t channel,
                                 std::string_view channel_name);
/// The channels that a list of names means, in the order of the channels; an empty list means all.
[[nodiscard]] std::vector<std::size_t> chosen_channels(const Dae& dae, const std::vector<std::string>& names);

}  // namespace rubato::app
