// Keys of flexible bodies: nodes, modes, beams.
#include "io/model_key_parts.hpp"

namespace rubato::io {

using namespace multibody;

namespace {

ModelKey at_least_zero(std::string name, std::string help, std::string unit, std::string default_text,
                       ModelField (*field)(D&), Single single = Single::refused) {
  ModelKey key = positive(std::move(name), std::move(help), std::move(unit), std::move(default_text), field);
  key.min_excluded = false;
  key.single = single;
  return key;
}
ModelKey plain_key(std::string name, std::string help, std::string default_text, ModelField (*field)(D&)) {
  return {.name = std::move(name),
          .help = std::move(help),
          .required = default_text.empty(),
          .default_text = std::move(default_text),
          .field = field};
}

}  // namespace

ModelKey node_key() {
  return plain_key("node", "of a flexible body: the frame follows this node, at counts from it", "the nearest",
                   [](D& d) -> F { return &d.node; });
}

std::vector<ModelKey> flexible_body_keys() {
  return {
      plain_key("flexible", "nodes and modes instead of mass and inertia", "rigid", [](D& d) -> F { return &d.modal; }),
      plain_key("deformation", "of a flexible body: its modal coordinates at the start", "zeros",
                [](D& d) -> F { return &d.body.deformation; }),
      plain_key("deformation_rate", "their rates at the start", "zeros",
                [](D& d) -> F { return &d.body.deformation_rate; })};
}

std::vector<ModelSection> flexible_sections() {
  return {
      {.table = "flexible",
       .help = "nodes and modes of a flexible body",
       .keys = {plain_key("file", "a TOML file with nodes and modes, relative to this one", "none",
                          [](D& d) -> F { return &d.flexible.file; }),
                plain_key("nodes", "where its mass is, [{at = …, mass = …}, …]", "from file or beam",
                          [](D& d) -> F { return &d.flexible.nodes; }),
                plain_key("modes", "how it deforms, [{frequency_hz = …, shape = …}, …]", "from file or beam",
                          [](D& d) -> F { return &d.flexible.modes; }),
                plain_key("beam", "a straight uniform beam, whose modes are computed", "none",
                          [](D& d) -> F { return &d.flexible.beam; })}},
      {.table = "node",
       .help = "a node of a flexible body",
       .keys = {plain_key("name", "for frames and channels", "none", [](D& d) -> F { return &d.modal_node.name; }),
                {.name = "at",
                 .help = "undeformed, in the body's frame",
                 .unit = "m",
                 .required = true,
                 .field = [](D& d) -> F { return &d.modal_node.position; }},
                at_least_zero("mass", "lumped there", "kg", "0", [](D& d) -> F { return &d.modal_node.mass; }),
                at_least_zero(
                    "inertia", "about the node, along the body's axes", "kg*m^2", "[0, 0, 0]",
                    [](D& d) -> F { return &d.modal_node.inertia; }, Single::each)}},
      {.table = "mode",
       .help = "a mode of a flexible body",
       .keys = {plain_key("shape", "displacement of every node for a modal coordinate of 1", "",
                          [](D& d) -> F { return &d.mode.shape; }),
                plain_key("rotation", "small rotation of every node", "zeros",
                          [](D& d) -> F { return &d.mode.rotation; }),
                positive("frequency_hz", "cycles per second", "", "stiffness",
                         [](D& d) -> F { return &d.mode.frequency_hz; }),
                positive("stiffness", "force over modal coordinate", "any", "frequency_hz",
                         [](D& d) -> F { return &d.mode.stiffness; }),
                at_least_zero("damping_ratio", "1: critical", "", "0", [](D& d) -> F { return &d.mode.damping_ratio; }),
                at_least_zero("damping", "force over modal velocity", "any", "0",
                              [](D& d) -> F { return &d.mode.damping; })}},
      {.table = "modal-beam",
       .help = "a straight uniform beam along x, its modes computed",
       .keys = {positive("length", "from the origin along x", "m", "", [](D& d) -> F { return &d.modal_beam.length; }),
                positive("mass_per_length", "ρA", "kg/m", "", [](D& d) -> F { return &d.modal_beam.mass_per_length; }),
                {.name = "inertia_per_length",
                 .help = "of the section about x, y, z: ρI_p, ρI_y, ρI_z; positive about x",
                 .unit = "kg*m",
                 .min = 0,
                 .required = true,
                 .field = [](D& d) -> F { return &d.modal_beam.inertia_per_length; }},
                at_least_zero("axial", "EA; 0: no longitudinal modes", "N", "0",
                              [](D& d) -> F { return &d.modal_beam.axial; }),
                {.name = "torsion_bending",
                 .help = "GJ, EI_y, EI_z; 0: no such modes",
                 .unit = "N*m^2",
                 .min = 0,
                 .required = true,
                 .field = [](D& d) -> F { return &d.modal_beam.torsion_bending; }},
                {.name = "ends",
                 .help = "how the modes are held, and so where the frame stays",
                 .choices = {named("free-free", BeamEnds::free_free), named("clamped-free", BeamEnds::clamped_free),
                             named("pinned-pinned", BeamEnds::pinned_pinned),
                             named("clamped-clamped", BeamEnds::clamped_clamped)},
                 .default_text = "\"clamped-free\"",
                 .field = [](D& d) -> F { return choice(d.modal_beam.ends); }},
                positive("modes", "how many, the lowest ones", "", "4", [](D& d) -> F { return &d.modal_beam.modes; }),
                positive("elements", "between nodes, an even number", "", "20",
                         [](D& d) -> F { return &d.modal_beam.elements; }),
                at_least_zero("damping_ratio", "of every mode; 1: critical", "", "0",
                              [](D& d) -> F { return &d.modal_beam.damping_ratio; })}},
  };
}

}  // namespace rubato::io
