#pragma once
/// From the table [mesh] to a mesh.
#include <string>

#include "io/solid_draft.hpp"
#include "rubato/io/mesh_file.hpp"
#include "rubato/io/model_file.hpp"

namespace rubato::io {

/// The body of a generator (block, ring, cylinder, bushing, cook), in metres.
[[nodiscard]] Result<fem::Mesh> generated_mesh(std::string_view generator, const FemDraft& draft);

/// The mesh of a file in metres, checked. Groups stay as they are.
[[nodiscard]] Result<MeshFile> mesh_of_file(const std::filesystem::path& file, std::string_view unit,
                                            const FileText& read);

}  // namespace rubato::io
