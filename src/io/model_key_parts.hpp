#pragma once
/// What the tables of keys are put together from.
#include <string>
#include <utility>
#include <vector>

#include "io/model_keys.hpp"

namespace rubato::io {

using D = Draft;
using F = ModelField;

template <class Enum>
ModelField choice(Enum& value) noexcept {
  static_assert(sizeof(Enum) == 1);
  return reinterpret_cast<std::uint8_t*>(&value);  // unsigned char may alias anything
}
template <class Enum>
ModelChoice named(std::string name, Enum value) {
  return {std::move(name), static_cast<std::uint8_t>(value)};
}
inline std::vector<ModelKey> operator+(std::vector<ModelKey> a, const std::vector<ModelKey>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A number above zero; required where `default_text` is empty.
[[nodiscard]] inline ModelKey positive(std::string name, std::string help, std::string unit, std::string default_text,
                                       F (*field)(D&)) {
  return {.name = std::move(name),
          .help = std::move(help),
          .unit = std::move(unit),
          .min = 0,
          .min_excluded = true,
          .required = default_text.empty(),
          .default_text = std::move(default_text),
          .field = field};
}

[[nodiscard]] std::vector<ModelKey> name_keys();
[[nodiscard]] std::vector<ModelKey> type_keys();   ///< name and type
[[nodiscard]] std::vector<ModelKey> frame_keys();  ///< at, axis, …
[[nodiscard]] std::vector<ModelKey> pair_keys();   ///< of an element between two frames

[[nodiscard]] std::vector<ModelSection> joint_sections();
[[nodiscard]] std::vector<ModelSection> coupling_sections();
[[nodiscard]] std::vector<ModelSection> force_sections();
[[nodiscard]] std::vector<ModelSection> shape_sections();
[[nodiscard]] std::vector<ModelSection> flexible_sections();
[[nodiscard]] std::vector<ModelKey> flexible_body_keys();  ///< of [[body]]
[[nodiscard]] ModelKey node_key();                         ///< of a frame on a flexible body

}  // namespace rubato::io
