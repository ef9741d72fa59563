#include "rubato/io/mesh_file.hpp"

#include <fmt/format.h>

#include "rubato/io/file.hpp"

namespace rubato::io {

Result<MeshFile> read_mesh_file(const std::filesystem::path& file) {
  const auto ending = file.extension();
  if (ending != ".msh" && ending != ".inp")
    return Error{
        fmt::format("{}: ending '{}'; allowed are .msh (Gmsh) and .inp (Abaqus)", file.string(), ending.string())};
  const auto text = read_file(file);
  if (!text) return text.error();
  return ending == ".msh" ? parse_gmsh(*text, file.string()) : parse_abaqus(*text, file.string());
}

}  // namespace rubato::io
