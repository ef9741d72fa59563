#pragma once
/// Unstructured grids and their series over time as VTK's XML files, which ParaView animates.
///
/// Why our own: the VTK libraries write the same but bring several hundred megabytes, and what is needed is little. Arrays
/// are appended as base64, so that files are compact and still plain XML; the same data give the same bytes.
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace rubato::io {

/// Values of points or cells; texts have one component.
struct VtuArray {
  std::string name = {};
  int components = 1;
  std::variant<std::vector<float>, std::vector<std::int32_t>, std::vector<std::uint8_t>, std::vector<std::string>>
      values = {};
};

/// VTK's cell types: lines and polygons of bodies, and the shapes of finite elements.
enum class VtuCell : std::uint8_t {
  point1 = 1,
  line2 = 3,
  poly_line = 4,
  tri3 = 5,
  polygon = 7,
  quad4 = 9,
  tet4 = 10,
  hex8 = 12,
  line3 = 21,
  tri6 = 22,
  quad8 = 23,
  tet10 = 24,
  hex20 = 25,
  quad9 = 28,
  hex27 = 29
};

struct VtuGrid {
  std::vector<float> points = {};               ///< x, y, z of each
  std::vector<std::int32_t> connectivity = {};  ///< points of all cells, cell by cell
  std::vector<std::int32_t> offsets = {};       ///< where each cell ends in it
  std::vector<std::uint8_t> types = {};         ///< VtuCell of each
  std::vector<VtuArray> point_data = {}, cell_data = {};
};

/// One file of a series; t goes into its field TimeValue.
[[nodiscard]] std::string to_vtu(const VtuGrid& grid, double t);

struct PvdEntry {
  double t = 0;
  std::string file = {};  ///< relative to the collection
};
/// The collection: which file shows which time.
[[nodiscard]] std::string to_pvd(std::span<const PvdEntry> entries);

}  // namespace rubato::io
