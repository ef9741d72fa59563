#pragma once
/// Mesh files: Gmsh's MSH 4.1 and 2.2 (text) and a subset of Abaqus input, as a fem::Mesh; and MSH 4.1 out again.
///
/// Readers are strict: what they cannot place is an error "file:line: value, what is allowed", never skipped in
/// silence. Labels of nodes and elements are kept for later messages, node order becomes ours, facets that bound one
/// volume get outward normals. A mesh of areas only becomes plane (all z must be equal). Memory stays in proportion to
/// the length of the file, whatever its counts say. The mesh has not passed fem::check.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/fem/mesh.hpp"

namespace rubato::io {

struct MeshFile {
  fem::Mesh mesh = {};
  std::vector<std::string> notes = {};  ///< what the file holds that was not used, a sentence each
};

/// By the ending of its name: .msh or .inp.
[[nodiscard]] Result<MeshFile> read_mesh_file(const std::filesystem::path& file);

/// MSH 4.1 or 2.2 as text. Physical groups become groups; one without a name is called by its number. Elements of no
/// physical group belong to no group.
[[nodiscard]] Result<MeshFile> parse_gmsh(std::string_view text, std::string_view file);

/// Abaqus input: *NODE, *ELEMENT (C3D4, C3D10, C3D8, C3D20, and three to eight nodes of CPE, CPS, CAX, with any of the
/// letters R, H, I, M behind), *NSET and *ELSET (GENERATE too), *SURFACE of element faces; flat, or one part with one
/// instance that is not moved. Sets of nodes become groups of points, surfaces groups of facets. Keywords about
/// materials, steps and output are listed in the notes; those that would change the mesh are refused.
[[nodiscard]] Result<MeshFile> parse_abaqus(std::string_view text, std::string_view file);

/// MSH 4.1 as text; or the sentence why a name of a group cannot be written there.
[[nodiscard]] Result<std::string> to_gmsh(const fem::Mesh& mesh);

}  // namespace rubato::io
