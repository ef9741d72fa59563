#include "io/solid_mesh.hpp"

#include <fmt/format.h>

#include "io/units.hpp"

namespace rubato::io {

namespace {

Result<void> scale(fem::Mesh& mesh, std::string_view unit) {
  const auto known = parse_unit(unit);
  if (!known) return known.error();
  if (known->dimension != Dimension{1, 0, 0}) return Error{fmt::format("\"{}\" is no unit of length", unit)};
  for (double& x : mesh.points) x *= known->factor;
  return {};
}

}  // namespace

Result<fem::Mesh> generated_mesh(std::string_view generator, const FemDraft& d) {
  const int dimension = fem::info(d.shape).dimension;
  if (generator == "block") {
    fem::Block block = d.block;
    block.shape = d.shape;
    if (d.divisions.size() != static_cast<std::size_t>(dimension))
      return Error{
          fmt::format("divisions has {} numbers; {} needs {}", d.divisions.size(), fem::info(d.shape).name, dimension)};
    for (std::size_t i = 0; i < d.divisions.size(); ++i) {
      constexpr double most = 1e5;
      if (d.divisions[i] != static_cast<int>(std::min(d.divisions[i], most)))
        return Error{fmt::format("divisions: {} is not a whole number up to {}", d.divisions[i], most)};
      block.divisions[i] = static_cast<int>(d.divisions[i]);
    }
    return fem::block(block);
  }
  if (generator == "ring") {
    fem::Ring ring = d.ring;
    ring.shape = d.shape;
    ring.layers = d.layers;
    return fem::ring(ring);
  }
  if (generator == "cylinder") {
    fem::HollowCylinder cylinder = d.cylinder;
    cylinder.shape = d.shape;
    cylinder.layers = d.layers;
    return fem::hollow_cylinder(cylinder);
  }
  if (generator == "bushing") {
    fem::Bushing bushing = d.bushing;
    bushing.shape = d.shape;
    return fem::bushing(bushing);
  }
  auto mesh = fem::cook_membrane(d.shape, d.cells);
  if (!mesh) return mesh;
  if (const auto fine = scale(*mesh, d.unit); !fine) return fine.error();
  return mesh;
}

Result<MeshFile> mesh_of_file(const std::filesystem::path& file, std::string_view unit, const FileText& read) {
  const std::string ending = file.extension().string();
  if (ending != ".msh" && ending != ".inp")
    return Error{fmt::format("{} is no mesh that can be read; allowed: .msh (Gmsh), .inp (Abaqus)", file.string())};
  const auto text = read(file);
  if (!text) return text.error();
  auto mesh = ending == ".msh" ? parse_gmsh(*text, file.string()) : parse_abaqus(*text, file.string());
  if (!mesh) return mesh;
  if (const auto fine = scale(mesh->mesh, unit); !fine) return fine.error();
  if (const auto fine = fem::check(mesh->mesh); !fine)
    return Error{fmt::format("{}: {}", file.string(), fine.error().message)};
  return mesh;
}

}  // namespace rubato::io
