#pragma once
/// Which unknowns an entry of `atol_of` means.
#include <string_view>

#include "rubato/problem/layout.hpp"

namespace rubato::detail {

/// "*.rx": of every part what its name has behind the first dot. Two such names never mean the same unknown.
[[nodiscard]] inline bool is_of_every_part(std::string_view name) noexcept { return name.starts_with("*."); }

[[nodiscard]] inline bool means_component(std::string_view name, std::string_view component) noexcept {
  if (!is_of_every_part(name)) return name == component;
  const auto dot = component.find('.');
  return dot != std::string_view::npos && component.substr(dot) == name.substr(1);
}

}  // namespace rubato::detail
