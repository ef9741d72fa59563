#pragma once
/// Abaqus input as keywords with their data lines, and its element types.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/mesh_text.hpp"
#include "rubato/base/result.hpp"
#include "rubato/fem/shape.hpp"

namespace rubato::io {

struct AbaqusBlock {
  std::string keyword = {};                                          ///< in capitals, without the star
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< names in capitals, values without quotes
  long line = 0;
  std::vector<MeshLine> data = {};

  /// Of a parameter; empty text where it has none.
  [[nodiscard]] std::optional<std::string_view> value(std::string_view parameter) const;
};

/// Comments (**) and blank lines are left out; a keyword goes on in the next line after a comma.
[[nodiscard]] Result<std::vector<AbaqusBlock>> abaqus_blocks(std::string_view text, std::string_view file);

[[nodiscard]] std::string upper(std::string_view text);
[[nodiscard]] std::string_view unquoted(std::string_view text);

/// Of a type in capitals: CPE8RH is a quad8.
[[nodiscard]] std::optional<fem::Shape> abaqus_shape(std::string_view type);

/// Our facet of the face S1 (0) … S6 (5) of an element, −1 where it has none.
[[nodiscard]] int abaqus_face(fem::Shape shape, int face);

}  // namespace rubato::io
