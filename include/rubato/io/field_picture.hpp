#pragma once
/// A deformed mesh coloured by a field, as SVG text: the plane as it is, a body in space by its outer faces, seen from
/// far away.
///
/// Why our own: what looks at meshes (ParaView, VTK) needs a display or hundreds of megabytes; a picture in a report needs
/// neither. Faces are cut along lines of equal value into 64 colours; in space nearer faces are painted over farther ones
/// (painter's algorithm), which is right for faces that are small against the distance between them. The same data give the
/// same bytes.
#include <array>
#include <span>
#include <string>

#include "rubato/fem/mesh.hpp"
#include "rubato/io/svg_plot.hpp"

namespace rubato::io {

struct FieldPicture {
  std::string title = {}, subtitle = {};
  std::string label = {};                      ///< of the field with its unit, above the colour bar
  Extent range = {};                           ///< of the colours; where low < high does not hold: of the data
  double scale = 1;                            ///< displacements are drawn this many times
  bool edges = true;                           ///< of elements, where they can be told apart
  bool outline = true;                         ///< of the body as it was, in grey
  std::array<double, 3> view = {0.7, 0.5, 1};  ///< where the eye is, from the body
  std::array<double, 3> up = {0, 1, 0};        ///< what points upwards in the picture
  double width = 760;                          ///< px
};

/// `displacement`: of all nodes, or empty. `field`: a value of every node or of every element of the mesh, or empty;
/// NaN is drawn grey.
[[nodiscard]] std::string to_svg(const fem::Mesh& mesh, std::span<const double> displacement,
                                 std::span<const double> field, const FieldPicture& picture = {});

/// The colour of a part 0 … 1 of a range, "#rrggbb": viridis, of evenly rising lightness and readable with every kind
/// of colour vision (van der Walt and Smith, 2015; CC0). NaN: grey. `shade` darkens it.
[[nodiscard]] std::string field_colour(double part, double shade = 1);

}  // namespace rubato::io
