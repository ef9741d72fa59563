#pragma once
/// The material laws by name: what `rubato list materials` shows and files may name.
#include <span>
#include <string_view>

namespace rubato::fem {

struct LawInfo {
  std::string_view name;        ///< "mooney-rivlin"
  std::string_view parameters;  ///< "c10 [Pa], c01 [Pa]"
  std::string_view energy;      ///< per undeformed volume
  bool volumetric;              ///< U(J) with `bulk` is added
  std::string_view help;
};
[[nodiscard]] std::span<const LawInfo> law_list() noexcept;

}  // namespace rubato::fem
