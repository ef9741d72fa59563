#include "rubato/io/vtu.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string_view>

#include "rubato/base/text.hpp"
#include "rubato/io/svg_plot.hpp"

namespace rubato::io {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += digits[three >> 18 & 63];
    out += digits[three >> 12 & 63];
    out += i + 1 < bytes.size() ? digits[three >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? digits[three & 63] : '=';
  }
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
std::string bytes_of(const std::vector<std::string>& values) {
  std::string bytes;
  for (const auto& text : values) {
    bytes += text;
    bytes += '\0';
  }
  return bytes;
}

template <class T>
constexpr std::string_view type_name = "";
template <>
constexpr std::string_view type_name<float> = "Float32";
template <>
constexpr std::string_view type_name<std::int32_t> = "Int32";
template <>
constexpr std::string_view type_name<std::uint8_t> = "UInt8";
template <>
constexpr std::string_view type_name<std::string> = "String";

/// Headers of arrays go to `xml`, their bytes to the appended section: the number of bytes (UInt32), then the values.
class VtuWriter {
 public:
  template <class T>
  void array(std::string_view name, int components, const std::vector<T>& values) {
    const std::string bytes = bytes_of(values);
    xml += fmt::format("<DataArray type=\"{}\" Name=\"{}\"{} format=\"appended\" offset=\"{}\"/>\n", type_name<T>,
                       xml_text(name), components == 1 ? "" : fmt::format(" NumberOfComponents=\"{}\"", components),
                       appended.size());
    const auto size = static_cast<std::uint32_t>(bytes.size());
    std::string block(sizeof size, '\0');
    std::memcpy(block.data(), &size, sizeof size);
    append_base64(appended, block + bytes);
  }
  void arrays(std::string_view element, const std::vector<VtuArray>& all) {
    xml += fmt::format("<{}>\n", element);
    for (const auto& one : all)
      std::visit([&](const auto& values) { array(one.name, one.components, values); }, one.values);
    xml += fmt::format("</{}>\n", element);
  }
  std::string xml, appended;
};

}  // namespace

std::string to_vtu(const VtuGrid& grid, double t) {
  VtuWriter out;
  out.xml = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt32\">\n"
      "<UnstructuredGrid>\n"
      "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{}</DataArray>\n"
      "</FieldData>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      shortest(t), grid.points.size() / 3, grid.offsets.size());
  out.xml += "<Points>\n";
  out.array("Points", 3, grid.points);
  out.xml += "</Points>\n<Cells>\n";
  out.array("connectivity", 1, grid.connectivity);
  out.array("offsets", 1, grid.offsets);
  out.array("types", 1, grid.types);
  out.xml += "</Cells>\n";
  out.arrays("PointData", grid.point_data);
  out.arrays("CellData", grid.cell_data);
  out.xml += "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"base64\">\n_" + out.appended +
             "\n</AppendedData>\n</VTKFile>\n";
  return std::move(out.xml);
}

std::string to_pvd(std::span<const PvdEntry> entries) {
  std::string out =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const auto& [t, file] : entries)
    out += fmt::format("<DataSet timestep=\"{}\" group=\"\" part=\"0\" file=\"{}\"/>\n", shortest(t), xml_text(file));
  return out + "</Collection>\n</VTKFile>\n";
}

}  // namespace rubato::io
