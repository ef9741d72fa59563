// Keys of [[joint]] and [[coupling]].
#include <algorithm>

#include "io/model_key_parts.hpp"

namespace rubato::io {

using namespace multibody;

namespace {

/// Sections of joints: the same keys, a length or a motion where it has a meaning.
ModelSection joint(std::string type, std::string help, std::vector<ModelKey> more = {}) {
  ModelSection section{
      .table = "joint", .type = std::move(type), .help = std::move(help), .keys = pair_keys(), .two_frames = true};
  section.keys = section.keys + more;
  section.keep = [](const D& d, Mechanism& m) {
    Joint joint = d.joint;
    joint.name = d.name;
    const auto types = section_types("joint");
    joint.type = static_cast<JointType>(std::find(types.begin(), types.end(), d.type) - types.begin());
    joint.a = *d.a;
    joint.b = *d.b;
    if (joint.motion == nullptr)
      joint.drive = Drive::none;
    else if (joint.drive == Drive::none)
      joint.drive = joint.type == JointType::revolute ? Drive::angle : Drive::position;
    m.joints.push_back(std::move(joint));
  };
  return section;
}
ModelSection with_ends_apart(ModelSection section) {
  section.apart = true;
  return section;
}
std::vector<ModelKey> motion_keys(std::string help, std::string unit) {
  return {{.name = "motion",
           .help = std::move(help),
           .unit = std::move(unit),
           .variable = "t",
           .variable_unit = "s",
           .smooth = true,
           .default_text = "free",
           .field = [](D& d) -> F { return &d.joint.motion; }}};
}
std::vector<ModelKey> decided(std::vector<ModelKey> keys, std::string (*unit_of)(const D&)) {
  for (auto& key : keys) key.unit_of = unit_of;
  return keys;
}
std::vector<ModelKey> drive_keys() {
  return {{.name = "drive",
           .help = "what motion prescribes",
           .choices = {named("angle", Drive::angle), named("position", Drive::position)},
           .default_text = "\"position\"",
           .field = [](D& d) -> F { return choice(d.joint.drive); }}};
}

}  // namespace

std::vector<ModelSection> joint_sections() {
  const std::vector<ModelKey> length = {{.name = "length",
                                         .help = "of the rod",
                                         .unit = "m",
                                         .min = 0,
                                         .min_excluded = true,
                                         .default_text = "as at the start",
                                         .field = [](D& d) -> F { return &d.joint.length; }}};
  return {
      // in the order of JointType
      joint("fixed", "nothing is free"),
      joint("revolute", "free: rotation about z", motion_keys("prescribed angle of b relative to a", "rad")),
      joint("prismatic", "free: translation along z", motion_keys("prescribed position along z", "m")),
      joint("cylindrical", "free: rotation about and translation along z",
            decided(motion_keys("prescribed angle or position, see drive", "any"),
                    [](const D& d) -> std::string { return d.joint.drive == Drive::angle ? "rad" : "m"; }) +
                drive_keys()),
      joint("spherical", "free: all rotations"),
      joint("universal", "free: rotations about z of a and about x of b, which stay perpendicular"),
      joint("planar", "free: translations across z, rotation about z"),
      with_ends_apart(
          joint("distance", "the origins keep their distance", length + motion_keys("prescribed distance", "m"))),
      joint("point-on-line", "the origin of b stays on z of a"),
      joint("point-on-plane", "the origin of b stays on the plane across z of a"),
      joint("parallel", "z of a and b stay parallel"),
  };
}

namespace {
void keep_coupling(const D& d, Mechanism& m) {
  Coupling coupling = d.coupling;
  coupling.name = d.name;
  coupling.type = d.type == "gear"    ? CouplingType::gear
                  : d.type == "screw" ? CouplingType::screw
                                      : CouplingType::rolling;
  if (d.a) coupling.a = *d.a;
  if (d.b) coupling.b = *d.b;
  m.couplings.push_back(std::move(coupling));
}

}  // namespace

std::vector<ModelSection> coupling_sections() {
  return {
      {.table = "coupling",
       .type = "gear",
       .help = "rate of joint 1 = ratio · rate of joint 2",
       .keys = type_keys() + std::vector<ModelKey>{{.name = "joints",
                                                    .help = "two revolute or prismatic joints",
                                                    .required = true,
                                                    .field = [](D& d) -> F { return &d.bodies; }},
                                                   {.name = "ratio",
                                                    .help = "may be negative",
                                                    .unit = "any",
                                                    .required = true,
                                                    .field = [](D& d) -> F { return &d.coupling.ratio; }}},
       .keep =
           [](const D& d, Mechanism& m) {
             keep_coupling(d, m);
             m.couplings.back().joint_1 = (*d.bodies)[0];
             m.couplings.back().joint_2 = (*d.bodies)[1];
           }},
      {.table = "coupling",
       .type = "screw",
       .help = "sliding = ratio · turning in a cylindrical joint",
       .keys = type_keys() + std::vector<ModelKey>{{.name = "joint",
                                                    .help = "a cylindrical joint",
                                                    .required = true,
                                                    .field = [](D& d) -> F { return &d.coupling.joint_1; }},
                                                   {.name = "ratio",
                                                    .help = "way per angle",
                                                    .unit = "m/rad",
                                                    .required = true,
                                                    .field = [](D& d) -> F { return &d.coupling.ratio; }}},
       .keep = keep_coupling},
      {.table = "coupling",
       .type = "rolling",
       .help = "a disc or ball about the origin of b rolls on the plane across z of a",
       .keys = pair_keys() + std::vector<ModelKey>{{.name = "radius",
                                                    .help = "of the ball or disc",
                                                    .unit = "m",
                                                    .min = 0,
                                                    .min_excluded = true,
                                                    .required = true,
                                                    .field = [](D& d) -> F { return &d.coupling.radius; }},
                                                   {.name = "disc",
                                                    .help = "a disc about z of b instead of a ball",
                                                    .default_text = "false",
                                                    .field = [](D& d) -> F { return &d.coupling.disc; }}},
       .two_frames = true,
       .keep = keep_coupling},
  };
}

}  // namespace rubato::io
