// Keys of [model], [[body]] and of what stands inside: frames, solids, surfaces.
#include "io/model_key_parts.hpp"

namespace rubato::io {

using namespace multibody;

std::vector<ModelKey> name_keys() {
  return {
      {.name = "name", .help = "unique in the model; channels begin with it", .required = true, .field = [](D& d) -> F {
         return &d.name;
       }}};
}
std::vector<ModelKey> type_keys() {
  return name_keys() +
         std::vector<ModelKey>{
             {.name = "type", .help = "which kind", .required = true, .field = [](D& d) -> F { return &d.type; }}};
}

std::vector<ModelKey> frame_keys() {
  return {
      {.name = "at",
       .help = "the origin",
       .unit = "m",
       .default_text = "[0, 0, 0]",
       .field = [](D& d) -> F { return &d.frame.at; }},
      {.name = "axis",
       .help = "z points this way (any length)",
       .default_text = "[0, 0, 1]",
       .field = [](D& d) -> F { return &d.frame.axis; }},
      {.name = "x_axis",
       .help = "beside axis: x points this way, as far as it is across z",
       .default_text = "chosen",
       .field = [](D& d) -> F { return &d.frame.x_axis; }},
      {.name = "angle",
       .help = "turned about z, after axis",
       .unit = "rad",
       .default_text = "0",
       .field = [](D& d) -> F { return &d.frame.angle; }},
      {.name = "euler",
       .help = "turned about the x, then the y, then the z axis of the parent",
       .unit = "rad",
       .default_text = "[0, 0, 0]",
       .field = [](D& d) -> F { return &d.frame.euler; }},
      {.name = "rotation_vector",
       .help = "turned about this axis by its length",
       .unit = "rad",
       .default_text = "[0, 0, 0]",
       .field = [](D& d) -> F { return &d.frame.rotation_vector; }},
      {.name = "quaternion",
       .help = "w, x, y, z (any length)",
       .default_text = "[1, 0, 0, 0]",
       .field = [](D& d) -> F { return &d.frame.quaternion; }},
  };
}

namespace {

std::vector<ModelKey> two_frame_keys() {
  return std::vector<ModelKey>{{.name = "bodies",
                                .help = "two bodies that share the frame given here, in space at the start",
                                .default_text = "a and b",
                                .field = [](D& d) -> F { return &d.bodies; }},
                               {.name = "a",
                                .help = "frame on the first body: {body = …, at = …, axis = …}, or the body's name",
                                .default_text = "bodies",
                                .field = [](D& d) -> F { return &d.a; }},
                               {.name = "b",
                                .help = "frame on the second body",
                                .default_text = "bodies",
                                .field = [](D& d) -> F { return &d.b; }}} +
         frame_keys();
}
std::vector<ModelSection> plain_sections() {
  return {
      {.table = "model",
       .help = "the model as a whole",
       .keys = {{.name = "gravity",
                 .help = "acceleration of free fall",
                 .unit = "m/s^2",
                 .default_text = "[0, 0, 0]",
                 .field = [](D& d) -> F { return &d.gravity; }},
                {.name = "formulation",
                 .help = "how constraints are written (`rubato list formulations`)",
                 .default_text = "\"index-3\"",
                 .field = [](D& d) -> F { return &d.formulation; }}},
       .keep = [](const D& d, Mechanism& m) { m.gravity = d.gravity; }},
      {.table = "body",
       .help = "a rigid body, its frame in the centre of mass; or a flexible one",
       .keys = name_keys() +
               std::vector<ModelKey>{{.name = "kind",
                                      .help = "moves in space, in a plane z = const, or without turning",
                                      .choices = {named("spatial", BodyKind::spatial),
                                                  named("planar", BodyKind::planar), named("point", BodyKind::point)},
                                      .default_text = "\"spatial\"",
                                      .field = [](D& d) -> F { return choice(d.body.kind); }},
                                     {.name = "mass",
                                      .help = "of the body",
                                      .unit = "kg",
                                      .min = 0,
                                      .min_excluded = true,
                                      .default_text = "shape and density",
                                      .field = [](D& d) -> F { return &d.mass; }},
                                     {.name = "inertia",
                                      .help = "moments about the centre of mass, in body axes; planar: one number",
                                      .unit = "kg*m^2",
                                      .min = 0,
                                      .single = Single::third,
                                      .default_text = "from the shape",
                                      .field = [](D& d) -> F { return &d.inertia; }},
                                     {.name = "products",
                                      .help = "J_xy, J_xz, J_yz (entries of the matrix)",
                                      .unit = "kg*m^2",
                                      .default_text = "[0, 0, 0]",
                                      .field = [](D& d) -> F { return &d.body.products; }},
                                     {.name = "shape",
                                      .help = "a solid that gives the inertia: {type = \"box\", size = …}",
                                      .default_text = "none",
                                      .field = [](D& d) -> F { return &d.shape; }},
                                     {.name = "density",
                                      .help = "of the shape, instead of mass",
                                      .unit = "kg/m^3",
                                      .min = 0,
                                      .min_excluded = true,
                                      .default_text = "mass",
                                      .field = [](D& d) -> F { return &d.density; }},
                                     {.name = "velocity",
                                      .help = "of the centre of mass at the start, in space",
                                      .unit = "m/s",
                                      .default_text = "[0, 0, 0]",
                                      .field = [](D& d) -> F { return &d.body.velocity; }},
                                     {.name = "angular_velocity",
                                      .help = "at the start, in space; one number: about z",
                                      .unit = "rad/s",
                                      .single = Single::third,
                                      .default_text = "[0, 0, 0]",
                                      .field = [](D& d) -> F { return &d.body.angular_velocity; }}} +
               flexible_body_keys() + frame_keys()},
      {.table = "frame",
       .help = "a frame on a body (a, b, on), relative to the body's own",
       .keys = std::vector<ModelKey>{{.name = "body",
                                      .help = "its name",
                                      .default_text = "\"ground\"",
                                      .field = [](D& d) -> F { return &d.body_name; }},
                                     {.name = "in_space",
                                      .help = "given in space, as it is at the start",
                                      .default_text = "false",
                                      .field = [](D& d) -> F { return &d.in_space; }},
                                     node_key()} +
               frame_keys()},
      {.table = "solid",
       .help = "shape of a body, homogeneous, about its frame",
       .keys = {{.name = "type",
                 .help = "which solid",
                 .required = true,
                 .choices = {named("box", Solid::box), named("cylinder", Solid::cylinder),
                             named("sphere", Solid::sphere), named("rod", Solid::rod)},
                 .field = [](D& d) { return choice(d.solid.type); }},
                {.name = "size",
                 .help = "edges of a box",
                 .unit = "m",
                 .min = 0,
                 .min_excluded = true,
                 .default_text = "box: must be given",
                 .field = [](D& d) -> F { return &d.solid.size; }},
                {.name = "radius",
                 .help = "of cylinder and sphere; of a rod, else thin",
                 .unit = "m",
                 .min = 0,
                 .min_excluded = true,
                 .default_text = "cylinder, sphere: must be given",
                 .field = [](D& d) -> F { return &d.solid.radius; }},
                {.name = "length",
                 .help = "of cylinder and rod",
                 .unit = "m",
                 .min = 0,
                 .min_excluded = true,
                 .default_text = "cylinder, rod: must be given",
                 .field = [](D& d) -> F { return &d.solid.length; }},
                {.name = "along",
                 .help = "\"x\", \"y\" or \"z\": where the length lies",
                 .default_text = "cylinder \"z\", rod \"x\"",
                 .field = [](D& d) -> F { return &d.solid.along; }}}},
      {.table = "surface",
       .help = "a shape in contact (a, b)",
       .keys = std::vector<ModelKey>{{.name = "body",
                                      .help = "its name",
                                      .default_text = "\"ground\"",
                                      .field = [](D& d) -> F { return &d.body_name; }},
                                     {.name = "shape",
                                      .help = "about the frame; a plane: matter below z = 0",
                                      .choices = {named("sphere", Shape::sphere), named("plane", Shape::plane),
                                                  named("cylinder", Shape::cylinder)},
                                      .default_text = "\"sphere\"",
                                      .field = [](D& d) { return choice(d.surface.shape); }},
                                     {.name = "radius",
                                      .help = "of sphere and cylinder",
                                      .unit = "m",
                                      .min = 0,
                                      .default_text = "0",
                                      .field = [](D& d) -> F { return &d.surface.radius; }},
                                     {.name = "in_space",
                                      .help = "given in space, as it is at the start",
                                      .default_text = "false",
                                      .field = [](D& d) -> F { return &d.in_space; }},
                                     node_key()} +
               frame_keys()},
      {.table = "friction",
       .help = "LuGre friction of a contact",
       .keys = {{.name = "mu_s",
                 .help = "at rest",
                 .min = 0,
                 .required = true,
                 .field = [](D& d) -> F { return &d.lugre.mu_s; }},
                {.name = "mu_k",
                 .help = "sliding",
                 .min = 0,
                 .required = true,
                 .field = [](D& d) -> F { return &d.lugre.mu_k; }},
                {.name = "v_s",
                 .help = "Stribeck velocity",
                 .unit = "m/s",
                 .min = 0,
                 .min_excluded = true,
                 .default_text = "0.001",
                 .field = [](D& d) -> F { return &d.lugre.v_s; }},
                {.name = "gamma",
                 .help = "Stribeck exponent",
                 .min = 0,
                 .min_excluded = true,
                 .default_text = "2",
                 .field = [](D& d) -> F { return &d.lugre.gamma; }},
                {.name = "sigma_0",
                 .help = "stiffness of bristles",
                 .unit = "1/m",
                 .min = 0,
                 .min_excluded = true,
                 .default_text = "1e5",
                 .field = [](D& d) -> F { return &d.lugre.sigma_0; }},
                {.name = "sigma_1",
                 .help = "damping of bristles",
                 .unit = "s/m",
                 .min = 0,
                 .default_text = "0",
                 .field = [](D& d) -> F { return &d.lugre.sigma_1; }},
                {.name = "sigma_2",
                 .help = "viscous friction",
                 .unit = "s/m",
                 .min = 0,
                 .default_text = "0",
                 .field = [](D& d) -> F { return &d.lugre.sigma_2; }}}},
  };
}

}  // namespace

std::vector<ModelKey> pair_keys() { return type_keys() + two_frame_keys(); }

const std::vector<ModelSection>& model_sections() {
  static const std::vector<ModelSection> all = [] {
    std::vector<ModelSection> sections = plain_sections();
    for (auto more : {flexible_sections(), joint_sections(), coupling_sections(), force_sections(), shape_sections()})
      sections.insert(sections.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return sections;
  }();
  return all;
}

const ModelSection* find_section(std::string_view table, std::string_view type,
                                 const std::vector<ModelSection>& among) {
  for (const auto& section : among)
    if (section.table == table && section.type == type) return &section;
  return nullptr;
}

std::vector<std::string> section_types(std::string_view table, const std::vector<ModelSection>& among) {
  std::vector<std::string> types;
  for (const auto& section : among)
    if (section.table == table && !section.type.empty()) types.push_back(section.type);
  return types;
}

}  // namespace rubato::io
