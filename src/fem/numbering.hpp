#pragma once
/// Numbers of the unknowns, patterns of the matrices, and the places of the elements' entries in them.
#include "solid_parts.hpp"

namespace rubato::fem::detail {

/// The one group of this name, of this dimension where one is given, with at least one element; `who` begins the message.
[[nodiscard]] Result<const MeshGroup*> group_of(const Mesh& mesh, std::string_view name, std::string_view who,
                                                int dimension = -1);

/// Fills coordinate, free_places, driven, functions.
[[nodiscard]] Result<void> number_displacements(SolidParts& parts);
/// Numbers the pressures of the sets: one per corner node and region, or per element.
void number_pressures(SolidParts& parts);
/// Patterns, and the places in them.
void make_patterns(SolidParts& parts);
/// Those of the memory of materials: numbers of z, r_z, e_q, e_z.
void make_memory_patterns(SolidParts& parts);

}  // namespace rubato::fem::detail
