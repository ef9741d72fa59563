#include "channels.hpp"

#include <algorithm>

namespace rubato::app {

namespace {
/// A star stands for any text.
bool matches(std::string_view pattern, std::string_view text) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  if (rest.find('*') == std::string_view::npos) return text.size() >= star + rest.size() && text.ends_with(rest);
  // The first place where the text up to the next star fits is as good as any later one.
  const std::string_view piece = rest.substr(0, rest.find('*'));
  const auto at = text.find(piece, star);
  return at != std::string_view::npos && matches(rest.substr(piece.size()), text.substr(at + piece.size()));
}
}  // namespace

std::vector<std::string> channel_names(const Dae& dae) {
  std::vector<std::string> names = dae.layout().component_names();
  for (const auto& more : {dae.output_names(), dae.invariant_names()})
    names.insert(names.end(), more.begin(), more.end());
  return names;
}

bool means_channel(std::string_view name, const Layout& layout, std::size_t channel, std::string_view channel_name) {
  if (matches(name, channel_name)) return true;
  const Block* block = layout.find(name);
  return block != nullptr && channel >= static_cast<std::size_t>(block->offset) &&
         channel < static_cast<std::size_t>(block->offset + block->size);
}

std::vector<std::size_t> chosen_channels(const Dae& dae, const std::vector<std::string>& names) {
  const auto all = channel_names(dae);
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < all.size(); ++j)
    if (names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return means_channel(name, dae.layout(), j, all[j]);
        }))
      chosen.push_back(j);
  return chosen;
}

std::vector<std::size_t> looked_at(const Dae& dae, const io::OutputConfig& output) {
  std::vector<std::size_t> kept;
  for (const auto* names : {&output.channels, &output.plot})
    if (!names->empty()) {
      const auto more = chosen_channels(dae, *names);
      kept.insert(kept.end(), more.begin(), more.end());
    }
  const auto unknowns = static_cast<std::size_t>(dae.size());
  const std::size_t all = unknowns + dae.output_names().size() + dae.invariant_names().size();
  for (std::size_t j = unknowns; j < all; ++j) kept.push_back(j);
  std::ranges::sort(kept);
  kept.erase(std::ranges::unique(kept).begin(), kept.end());
  return kept;
}

std::vector<std::size_t> columns_of(const std::vector<std::size_t>& recorded, std::vector<std::size_t> channels) {
  if (recorded.empty()) return channels;
  for (std::size_t& j : channels)
    j = static_cast<std::size_t>(std::ranges::lower_bound(recorded, j) - recorded.begin());
  return channels;
}

}  // namespace rubato::app
