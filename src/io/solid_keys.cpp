// Keys of finite element models: [solid], [mesh], [[material]], [[region]], [[prescribed]], [[traction]], [[force]], [[rigid]], [[probe]],
// [[contact]], [[obstacle]].
#include <fmt/format.h>

#include "io/model_key_parts.hpp"

namespace rubato::io {

namespace {

ModelKey group_key(std::string help) {
  return {.name = "group", .help = std::move(help), .required = true, .field = [](D& d) -> F { return &d.fem.group; }};
}
ModelKey not_negative(std::string name, std::string help, std::string unit, F (*field)(D&)) {
  ModelKey key = positive(std::move(name), std::move(help), std::move(unit), "0", field);
  key.min_excluded = false;
  return key;
}
ModelKey count(std::string name, std::string help, std::string default_text, F (*field)(D&)) {
  ModelKey key = positive(std::move(name), std::move(help), {}, std::move(default_text), field);
  key.min = 1;
  key.min_excluded = false;
  return key;
}
ModelKey of_time(std::string name, std::string help, std::string unit, bool required, F (*field)(D&)) {
  return {.name = std::move(name),
          .help = std::move(help),
          .unit = std::move(unit),
          .required = required,
          .variable = "t",
          .variable_unit = "s",
          .plane = true,
          .default_text = "[0, 0, 0]",
          .field = field};
}
ModelKey constant(std::string name, F (*field)(D&), bool required = true) {
  return {.name = std::move(name),
          .help = "constant of the law",
          .unit = "Pa",
          .required = required,
          .default_text = "0",
          .field = field};
}

std::vector<ModelKey> solid_keys() {
  using fem::Analysis;
  return {{.name = "analysis",
           .help = "what the mesh stands for",
           .required = true,
           .choices = {named("plane-strain", Analysis::plane_strain), named("plane-stress", Analysis::plane_stress),
                       named("axisymmetric", Analysis::axisymmetric), named("space", Analysis::space)},
           .field = [](D& d) { return choice(d.fem.analysis); }},
          positive("thickness", "of plane models", "m", "1", [](D& d) -> F { return &d.fem.thickness; }),
          {.name = "mass",
           .help = "mass matrix: consistent with the shape functions, or one mass per node",
           .choices = {named("consistent", MassKind::consistent), named("lumped", MassKind::lumped)},
           .default_text = "\"consistent\"",
           .field = [](D& d) { return choice(d.fem.mass); }},
          not_negative("mass_damping", "Rayleigh damping: times the mass matrix", "1/s",
                       [](D& d) -> F { return &d.fem.mass_damping; }),
          not_negative("stiffness_damping", "Rayleigh damping: times the stiffness of the undeformed body", "s",
                       [](D& d) -> F { return &d.fem.stiffness_damping; }),
          of_time("gravity", "acceleration of free fall", "m/s^2", false, [](D& d) -> F { return &d.fem.gravity; }),
          {.name = "start",
           .help = "undeformed and at rest, or in equilibrium with the loads at the start",
           .choices = {named("rest", StartKind::rest), named("equilibrium", StartKind::equilibrium)},
           .default_text = "\"rest\"",
           .field = [](D& d) { return choice(d.fem.start); }},
          {.name = "formulation",
           .help = "how pressures are written (`rubato list formulations`)",
           .default_text = "\"eps-lambda\"; incompressible: \"index-3\"",
           .field = [](D& d) -> F { return &d.formulation; }},
          {.name = "rigid_stiffness",
           .help = "modulus of rigid regions that may turn; inf: exactly rigid, index 3",
           .unit = "Pa",
           .min = 0,
           .min_excluded = true,
           .may_be_infinite = true,
           .default_text = "1e5 shear moduli; incompressible: inf",
           .field = [](D& d) -> F { return &d.fem.rigid_stiffness; }},
          {.name = "threads",
           .help = "of assembly; 0: those of the machine. Results do not depend on it",
           .min = 0,
           .default_text = "0",
           .field = [](D& d) -> F { return &d.fem.threads; }}};
}

ModelKey shape_key(std::string default_text) {
  ModelKey key{.name = "shape",
               .help = "of the elements (`rubato list elements`)",
               .default_text = std::move(default_text),
               .field = [](D& d) { return choice(d.fem.shape); }};
  for (const auto& shape : fem::shape_list())
    if (shape.dimension > 1) key.choices.push_back(named(std::string(shape.name), shape.id));
  return key;
}
ModelKey generator_key() {
  return {.name = "generator", .help = "which body", .required = true, .field = [](D& d) -> F { return &d.type; }};
}
ModelKey layers_key() {
  return {.name = "layers", .help = "from the inside outwards", .required = true, .field = [](D& d) -> F {
            return &d.fem.layers;
          }};
}

std::vector<ModelSection> mesh_sections() {
  return {
      {.table = "mesh",
       .help = "a file of Gmsh (.msh) or Abaqus (.inp)",
       .keys = {{.name = "file",
                 .help = "mesh file, relative to this one",
                 .required = true,
                 .field = [](D& d) -> F { return &d.fem.file; }},
                {.name = "unit",
                 .help = "of the coordinates in the file, e.g. \"mm\"",
                 .default_text = "\"m\"",
                 .field = [](D& d) -> F { return &d.fem.unit; }}}},
      {.table = "mesh",
       .type = "block",
       .help = "a box; its sides are the groups left, right, bottom, top (back, front)",
       .keys = {generator_key(),
                shape_key("\"quad9\""),
                {.name = "divisions",
                 .help = "cells along x, y (and z)",
                 .min = 1,
                 .required = true,
                 .plane = true,
                 .field = [](D& d) -> F { return &d.fem.divisions; }},
                {.name = "low",
                 .help = "corner with the lowest coordinates",
                 .unit = "m",
                 .plane = true,
                 .default_text = "[0, 0, 0]",
                 .field = [](D& d) -> F { return &d.fem.block.low; }},
                {.name = "high",
                 .help = "corner with the highest",
                 .unit = "m",
                 .required = true,
                 .plane = true,
                 .field = [](D& d) -> F { return &d.fem.block.high; }},
                {.name = "group",
                 .help = "name of all cells",
                 .default_text = "\"body\"",
                 .field = [](D& d) -> F { return &d.fem.block.group; }},
                not_negative("distortion",
                             "inner corners are moved by up to this part of an edge, to test elements; up to 0.3", "",
                             [](D& d) -> F { return &d.fem.block.distortion; })}},
      {.table = "mesh",
       .type = "ring",
       .help = "rings in the plane; the groups of the layers and the lines inner, outer",
       .keys = {generator_key(), shape_key("\"quad9\""),
                positive("inner_radius", "of the first layer", "m", {},
                         [](D& d) -> F { return &d.fem.ring.inner_radius; }),
                layers_key(), count("around", "elements around", "48", [](D& d) -> F { return &d.fem.ring.around; })}},
      {.table = "mesh",
       .type = "cylinder",
       .help = "a ring drawn out along z; inner and outer are surfaces, the ends are back and front",
       .keys = {generator_key(), shape_key("\"hex8\""),
                positive("inner_radius", "of the first layer", "m", {},
                         [](D& d) -> F { return &d.fem.cylinder.inner_radius; }),
                layers_key(),
                count("around", "elements around", "24", [](D& d) -> F { return &d.fem.cylinder.around; }),
                positive("length", "along z", "m", {}, [](D& d) -> F { return &d.fem.cylinder.length; }),
                count("along", "elements along z", "8", [](D& d) -> F { return &d.fem.cylinder.along; })}},
      {.table = "mesh",
       .type = "bushing",
       .help = "a rubber bushing with two kidney-shaped voids: groups rubber, inner, outer, stop_inner, stop_outer",
       .keys = {generator_key(), shape_key("\"hex8\""),
                positive("inner_radius", "where the inner sleeve is", "m", "0.010",
                         [](D& d) -> F { return &d.fem.bushing.inner_radius; }),
                positive("outer_radius", "where the outer sleeve is", "m", "0.025",
                         [](D& d) -> F { return &d.fem.bushing.outer_radius; }),
                positive("length", "along z", "m", "0.040", [](D& d) -> F { return &d.fem.bushing.length; }),
                positive("void_inner_radius", "of the voids", "m", "0.015",
                         [](D& d) -> F { return &d.fem.bushing.void_inner_radius; }),
                positive("void_outer_radius", "of the voids", "m", "0.020",
                         [](D& d) -> F { return &d.fem.bushing.void_outer_radius; }),
                positive("void_angle", "what each void spans", "rad", "1.75",
                         [](D& d) -> F { return &d.fem.bushing.void_angle; }),
                positive("element_size", "wished length of edges", "m", "0.00122",
                         [](D& d) -> F { return &d.fem.bushing.element_size; })}},
      {.table = "mesh",
       .type = "cook",
       .help = "Cook's membrane, 48 × 60 in `unit`; groups of a block and the points corner, middle",
       .keys = {generator_key(),
                shape_key("\"quad9\""),
                count("divisions", "cells along each side", "8", [](D& d) -> F { return &d.fem.cells; }),
                {.name = "unit",
                 .help = "of its lengths",
                 .default_text = "\"m\"",
                 .field = [](D& d) -> F { return &d.fem.unit; }}}},
      {.table = "layer",
       .help = "a layer of a ring or cylinder",
       .keys = {positive("outer_radius", "where it ends", "m", {}, [](D& d) -> F { return &d.fem.layer.outer_radius; }),
                count("divisions", "elements across", "1", [](D& d) -> F { return &d.fem.layer.divisions; }),
                {.name = "group",
                 .help = "its name",
                 .required = true,
                 .field = [](D& d) -> F { return &d.fem.layer.group; }}}},
  };
}

ModelSection prony_section() {
  return {.table = "prony",
          .help = "a Prony term of a material",
          .keys = {positive("g", "part of the shear modulus that relaxes; together below 1", "", {},
                            [](D& d) -> F { return &d.fem.term.g; }),
                   positive("tau", "time in which it relaxes", "s", {}, [](D& d) -> F { return &d.fem.term.tau; })}};
}

ModelKey axes(std::string name, std::string help, std::string unit, F (*field)(D&)) {
  return {.name = std::move(name),
          .help = std::move(help),
          .unit = std::move(unit),
          .variable = "t",
          .variable_unit = "s",
          .smooth = true,
          .default_text = "free",
          .field = field};
}

ModelSection rigid_section() {
  return {
      .table = "rigid",
      .help =
          "nodes that move as one, about a reference with three displacements and three rotations (plane: two and one)",
      .keys = {
          group_key("elements (which then do not deform), or a surface, a line, points"),
          {.name = "name",
           .help = "of the channels",
           .default_text = "group",
           .field = [](D& d) -> F { return &d.name; }},
          {.name = "reference",
           .help = "the point whose displacement counts, where forces act and moments turn",
           .unit = "m",
           .plane = true,
           .default_text = "centre of the nodes",
           .field = [](D& d) -> F { return &d.fem.at; }},
          of_time("force", "along x, y (and z)", "N", false, [](D& d) -> F { return &d.fem.load; }),
          of_time("moment", "about x, y, z, fixed in direction; plane: [0, 0, …]", "N*m", false,
                  [](D& d) -> F { return &d.fem.moment; }),
          axes("displacement", "of the reference; an axis that is not named stays free", "m",
               [](D& d) -> F { return &d.fem.displacement; }),
          axes("rotation", "components of the rotation vector: all, or two as 0 to turn about the third axis; plane: z",
               "rad", [](D& d) -> F { return &d.fem.rotation; }),
          not_negative("density", "of elements that belong to no region", "kg/m^3",
                       [](D& d) -> F { return &d.fem.density; }),
          not_negative("mass", "added at the reference", "kg", [](D& d) -> F { return &d.fem.mass_added; }),
          {.name = "inertia",
           .help = "added about axes through the reference; plane: one number",
           .unit = "kg*m^2",
           .min = 0,
           .single = Single::third,
           .default_text = "[0, 0, 0]",
           .field = [](D& d) -> F { return &d.fem.inertia; }}}};
}

/// A constant c_ij by its name.
template <int i, int j>
ModelKey coefficient(bool required = true) {
  return constant(
      fmt::format("c{}{}", i, j), [](D& d) -> F { return &d.fem.c[i][j]; }, required);
}

std::vector<ModelSection> material_sections() {
  const auto section = [](std::string law, std::string help, const std::vector<ModelKey>& constants) {
    return ModelSection{
        .table = "material",
        .type = std::move(law),
        .help = std::move(help),
        .keys = std::vector<ModelKey>{{.name = "name",
                                       .help = "unique in the model",
                                       .required = true,
                                       .field = [](D& d) -> F { return &d.name; }},
                                      {.name = "law",
                                       .help = "which (`rubato list materials`)",
                                       .required = true,
                                       .field = [](D& d) -> F { return &d.type; }},
                                      positive("density", "of the undeformed body", "kg/m^3", {},
                                               [](D& d) -> F { return &d.fem.density; })} +
                constants +
                std::vector<ModelKey>{{.name = "prony",
                                       .help = "viscoelasticity: what of the shear response relaxes, and how fast",
                                       .default_text = "none",
                                       .field = [](D& d) -> F { return &d.fem.prony; }}}};
  };
  const std::vector<ModelKey> moduli = {
      positive("young", "Young's modulus", "Pa", {}, [](D& d) -> F { return &d.fem.young; }),
      {.name = "poisson", .help = "Poisson's ratio, above −1, at most 0.5", .required = true, .field = [](D& d) -> F {
         return &d.fem.poisson;
       }}};
  using fem::VolumetricLaw;
  const std::vector<ModelKey> volume = {
      {.name = "bulk",
       .help = "bulk modulus; inf: incompressible, which needs pressures",
       .unit = "Pa",
       .min = 0,
       .min_excluded = true,
       .required = true,
       .may_be_infinite = true,
       .field = [](D& d) -> F { return &d.fem.bulk; }},
      {.name = "volumetric",
       .help = "energy of a change of volume",
       .choices = {named("quadratic", VolumetricLaw::quadratic), named("simo-miehe", VolumetricLaw::simo_miehe),
                   named("ogden", VolumetricLaw::ogden)},
       .default_text = "\"quadratic\"",
       .field = [](D& d) { return choice(d.fem.volumetric); }},
      positive("beta", "of volumetric = \"ogden\"", "", "9", [](D& d) -> F { return &d.fem.beta; })};
  return {
      section("linear-elastic", "small strains and rotations", moduli),
      section("saint-venant-kirchhoff", "large rotations, small strains", moduli),
      section("neo-hooke", "one constant",
              std::vector<ModelKey>{constant("mu", [](D& d) -> F { return &d.fem.shear; })} + volume),
      section("mooney-rivlin", "two constants",
              std::vector<ModelKey>{coefficient<1, 0>(), coefficient<0, 1>()} + volume),
      section("yeoh", "three constants",
              std::vector<ModelKey>{coefficient<1, 0>(), coefficient<2, 0>(), coefficient<3, 0>()} + volume),
      section("polynomial", "up to nine constants",
              std::vector<ModelKey>{coefficient<1, 0>(false), coefficient<0, 1>(false), coefficient<2, 0>(false),
                                    coefficient<1, 1>(false), coefficient<0, 2>(false), coefficient<3, 0>(false),
                                    coefficient<2, 1>(false), coefficient<1, 2>(false), coefficient<0, 3>(false)} +
                  volume),
      section("ogden", "up to six terms",
              std::vector<ModelKey>{{.name = "mu",
                                     .help = "a modulus per term",
                                     .unit = "Pa",
                                     .required = true,
                                     .field = [](D& d) -> F { return &d.fem.mu; }},
                                    {.name = "alpha",
                                     .help = "an exponent per term",
                                     .required = true,
                                     .field = [](D& d) -> F { return &d.fem.alpha; }}} +
                  volume),
      prony_section(),
  };
}

std::vector<ModelSection> condition_sections() {
  using fem::PressureSpace;
  return {
      {.table = "region",
       .help = "elements and what they are made of",
       .keys = {group_key("of the mesh"),
                {.name = "material",
                 .help = "its name",
                 .required = true,
                 .field = [](D& d) -> F { return &d.fem.material; }},
                {.name = "pressure",
                 .help = "pressures as unknowns, for what is hard to compress",
                 .choices = {named("none", PressureSpace::none), named("continuous", PressureSpace::continuous),
                             named("discontinuous", PressureSpace::discontinuous)},
                 .default_text = "\"none\"",
                 .field = [](D& d) { return choice(d.fem.pressure); }}}},
      {.table = "prescribed",
       .help = "nodes whose displacement is known; reactions become channels",
       .keys = {group_key("of the mesh"),
                {.name = "displacement",
                 .help = "axis by axis; an axis that is not named stays free",
                 .unit = "m",
                 .variable = "t, X, Y, Z",
                 .variable_unit = "s",
                 .smooth = true,
                 .default_text = "fixed",
                 .field = [](D& d) -> F { return &d.fem.displacement; }},
                {.name = "fixed",
                 .help = "no axis moves",
                 .default_text = "displacement",
                 .field = [](D& d) -> F { return &d.fem.fixed; }}}},
      {.table = "traction",
       .help = "a force per undeformed area, fixed in direction",
       .keys = {group_key("lines of a plane mesh, surfaces in space"),
                of_time("stress", "along x, y (and z)", "Pa", true, [](D& d) -> F { return &d.fem.load; })}},
      {.table = "force",
       .help = "a force on every point of a group of points; on other groups shared by their nodes",
       .keys = {group_key("of the mesh"),
                of_time("force", "along x, y (and z)", "N", true, [](D& d) -> F { return &d.fem.load; })}},
      rigid_section(),
      {.table = "probe",
       .help = "channels displacement.NAME.x, .y, .z",
       .keys =
           {{.name = "name", .help = "of the channels", .required = true, .field = [](D& d) -> F { return &d.name; }},
            {.name = "at",
             .help = "the node nearest to this place of the undeformed body",
             .unit = "m",
             .plane = true,
             .default_text = "group",
             .field = [](D& d) -> F { return &d.fem.at; }},
            {.name = "group",
             .help = "the average over the nodes of a group",
             .default_text = "at",
             .field = [](D& d) -> F { return &d.fem.group; }}}},
  };
}

std::vector<ModelKey> contact_law_keys() {
  return {positive("stiffness", "pressure per depth", "Pa/m", "10 E/height of the softer side's elements",
                   [](D& d) -> F { return &d.fem.law.stiffness; }),
          positive("onset", "depth over which the pressure begins as a parabola", "m",
                   "0.01 of the lowest element on the slave surface", [](D& d) -> F { return &d.fem.law.onset; }),
          not_negative("friction", "Coulomb's coefficient", "", [](D& d) -> F { return &d.fem.law.friction; }),
          positive("slip_speed", "where friction reaches 71 % of its largest value; surfaces that stick creep below it",
                   "m/s", "0.001", [](D& d) -> F { return &d.fem.law.slip_speed; })};
}

std::vector<ModelSection> contact_sections() {
  const std::vector<ModelKey> name = {
      {.name = "name", .help = "of the channels", .required = true, .field = [](D& d) -> F { return &d.name; }},
      {.name = "slave",
       .help = "group of lines of a plane mesh, surfaces in space: the finer or softer side",
       .required = true,
       .field = [](D& d) -> F { return &d.fem.contact.slave; }}};
  const auto obstacle = [&](std::string shape, std::string help, const std::vector<ModelKey>& keys) {
    return ModelSection{.table = "obstacle",
                        .type = std::move(shape),
                        .help = std::move(help),
                        .keys = name +
                                std::vector<ModelKey>{{.name = "shape",
                                                       .help = "of the obstacle",
                                                       .required = true,
                                                       .field = [](D& d) -> F { return &d.type; }},
                                                      {.name = "point",
                                                       .help = "of the plane, on the axis, or the centre",
                                                       .unit = "m",
                                                       .plane = true,
                                                       .default_text = "[0, 0, 0]",
                                                       .field = [](D& d) -> F { return &d.fem.obstacle.point; }}} +
                                keys +
                                std::vector<ModelKey>{{.name = "displacement",
                                                       .help = "of the obstacle",
                                                       .unit = "m",
                                                       .variable = "t",
                                                       .variable_unit = "s",
                                                       .smooth = true,
                                                       .default_text = "0",
                                                       .field = [](D& d) -> F { return &d.fem.displacement; }}} +
                                contact_law_keys()};
  };
  const ModelKey axis{.name = "axis",
                      .help = "its direction; in the plane there is none",
                      .plane = true,
                      .default_text = "[0, 1, 0]",
                      .field = [](D& d) -> F { return &d.fem.obstacle.axis; }};
  ModelKey normal = axis;
  normal.name = "normal";
  normal.help = "from the obstacle towards the body";
  const std::vector<ModelKey> round = {
      positive("radius", "of the obstacle", "m", {}, [](D& d) -> F { return &d.fem.obstacle.radius; }),
      {.name = "hollow", .help = "the body is inside", .default_text = "false", .field = [](D& d) -> F {
         return &d.fem.obstacle.hollow;
       }}};
  return {{.table = "contact",
           .help = "surfaces that may touch; forces, gaps and pressures become channels contact.NAME.…",
           .keys = name +
                   std::vector<ModelKey>{
                       {.name = "master",
                        .help = "the group it may touch",
                        .default_text = "slave: the surface may touch itself",
                        .field = [](D& d) -> F { return &d.fem.contact.master; }},
                       positive("reach", "faces at most this far apart get places in the matrices", "m",
                                "distance of the surfaces + 2 faces", [](D& d) -> F { return &d.fem.contact.reach; })} +
                   contact_law_keys()},
          obstacle("plane", "a rigid half-space", {normal}),
          obstacle("cylinder", "a rigid cylinder, in the plane a circle", std::vector<ModelKey>{axis} + round),
          obstacle("sphere", "a rigid ball, in the plane a circle", round)};
}

}  // namespace

const std::vector<ModelSection>& solid_sections() {
  static const std::vector<ModelSection> all = [] {
    std::vector<ModelSection> sections = {{.table = "solid", .help = "the body as a whole", .keys = solid_keys()}};
    for (auto more : {mesh_sections(), material_sections(), condition_sections(), contact_sections()})
      sections.insert(sections.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return sections;
  }();
  return all;
}

}  // namespace rubato::io
