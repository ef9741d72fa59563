// Keys of [[force]].
#include <fmt/format.h>

#include <cmath>

#include "io/model_key_parts.hpp"

namespace rubato::io {

using namespace multibody;

namespace {

ModelKey at_least_zero(std::string name, std::string help, std::string unit, ModelField (*field)(D&),
                       std::string (*unit_of)(const D&) = nullptr) {
  return {.name = std::move(name),
          .help = std::move(help),
          .unit = std::move(unit),
          .min = 0,
          .default_text = "0",
          .field = field,
          .unit_of = unit_of};
}
ModelKey vector_of(std::string name, std::string help, std::string unit, ModelField (*field)(D&)) {
  ModelKey key = at_least_zero(std::move(name), std::move(help), std::move(unit), field);
  key.single = Single::each;
  key.default_text = "[0, 0, 0]";
  return key;
}

/// N/m^p; units have whole powers, so that a broken one leaves a plain number.
std::string contact_stiffness_unit(const D& d) {
  const double p = d.contact.exponent;
  if (p == 1) return "N/m";
  return p == std::floor(p) && p <= 9 ? fmt::format("N/m^{:.0f}", p) : std::string{};
}

/// A force element with its name and frames.
template <auto member>
void keep_force(const D& d, Mechanism& m) {
  auto force = d.*member;
  force.name = d.name;
  if constexpr (requires { force.a.pose; }) {
    force.a = *d.a;
    force.b = *d.b;
  }
  m.forces.emplace_back(std::move(force));
}

}  // namespace

std::vector<ModelSection> force_sections() {
  const auto functions_of_time = [](std::string name, std::string help, std::string unit, ModelField (*field)(D&)) {
    return ModelKey{.name = std::move(name),
                    .help = std::move(help),
                    .unit = std::move(unit),
                    .variable = "t",
                    .variable_unit = "s",
                    .default_text = "[0, 0, 0]",
                    .field = field};
  };
  return {
      {.table = "force",
       .type = "spring-damper",
       .help = "k (l − l₀) + d l' + curve(l − l₀) between two origins",
       .keys =
           pair_keys() +
           std::vector<ModelKey>{at_least_zero("stiffness", "k", "N/m", [](D& d) -> F { return &d.spring.stiffness; }),
                                 at_least_zero("damping", "d", "N*s/m", [](D& d) -> F { return &d.spring.damping; }),
                                 {.name = "length",
                                  .help = "l₀",
                                  .unit = "m",
                                  .min = 0,
                                  .default_text = "as at the start",
                                  .field = [](D& d) -> F { return &d.spring.length; }},
                                 {.name = "curve",
                                  .help = "more force over x = l − l₀",
                                  .unit = "N",
                                  .variable = "x",
                                  .variable_unit = "m",
                                  .default_text = "none",
                                  .field = [](D& d) -> F { return &d.spring.curve; }}},
       .two_frames = true,
       .apart = true,
       .keep = keep_force<&D::spring>},
      {.table = "force",
       .type = "torsion-spring",
       .help = "k (φ − φ₀) + d φ' about z of a, counting turns",
       .keys = pair_keys() +
               std::vector<ModelKey>{
                   at_least_zero("stiffness", "k", "N*m/rad", [](D& d) -> F { return &d.torsion.stiffness; }),
                   at_least_zero("damping", "d", "N*m*s/rad", [](D& d) -> F { return &d.torsion.damping; }),
                   {.name = "free_angle",
                    .help = "φ₀",
                    .unit = "rad",
                    .default_text = "0",
                    .field = [](D& d) -> F { return &d.torsion.angle; }}},
       .two_frames = true,
       .keep = keep_force<&D::torsion>},
      {.table = "force",
       .type = "bushing",
       .help = "six springs and dampers in the axes of a",
       .keys = pair_keys() +
               std::vector<ModelKey>{
                   vector_of("stiffness", "along x, y, z", "N/m", [](D& d) -> F { return &d.bushing.stiffness; }),
                   vector_of("damping", "along x, y, z", "N*s/m", [](D& d) -> F { return &d.bushing.damping; }),
                   vector_of("torsional_stiffness", "about x, y, z", "N*m/rad",
                             [](D& d) -> F { return &d.bushing.torsional_stiffness; }),
                   vector_of("torsional_damping", "about x, y, z", "N*m*s/rad",
                             [](D& d) -> F { return &d.bushing.torsional_damping; })},
       .two_frames = true,
       .keep = keep_force<&D::bushing>},
      {.table = "force",
       .type = "applied",
       .help = "force and torque as functions of time",
       .keys = type_keys() +
               std::vector<ModelKey>{
                   {.name = "on",
                    .help = "where: {body = …, at = …}, or the body's name",
                    .required = true,
                    .field = [](D& d) -> F { return &d.a; }},
                   functions_of_time("force", "three components", "N", [](D& d) -> F { return &d.applied.force; }),
                   functions_of_time("torque", "three components", "N*m", [](D& d) -> F { return &d.applied.torque; }),
                   {.name = "in_body_axes",
                    .help = "components turn with the body",
                    .default_text = "false",
                    .field = [](D& d) -> F { return &d.applied.in_body_axes; }}},
       .keep =
           [](const D& d, Mechanism& m) {
             AppliedForce force = d.applied;
             force.name = d.name;
             force.at = *d.a;
             m.forces.emplace_back(std::move(force));
           }},
      {.table = "force",
       .type = "contact",
       .help = "two shapes that push each other away, with friction",
       .keys =
           type_keys() +
           std::vector<ModelKey>{
               {.name = "a",
                .help = "first shape: {body = …, at = …, shape = …, radius = …}",
                .required = true,
                .field = [](D& d) -> F { return &d.surface_a; }},
               {.name = "b", .help = "second shape", .required = true, .field = [](D& d) -> F { return &d.surface_b; }},
               {.name = "stiffness",
                .help = "k of N = k a^p (1 + c a')",
                .unit = "any",
                .min = 0,
                .min_excluded = true,
                .required = true,
                .field = [](D& d) -> F { return &d.contact.stiffness; },
                .unit_of = contact_stiffness_unit},
               {.name = "exponent",
                .help = "p: 1 penalty, 3/2 Hertz",
                .min = 1,
                .default_text = "1",
                .field = [](D& d) -> F { return &d.contact.exponent; }},
               {.name = "damping",
                .help = "c",
                .unit = "any",
                .min = 0,
                .default_text = "0",
                .field = [](D& d) -> F { return &d.contact.damping; },
                .unit_of = [](const D& d) -> std::string {
                  return d.contact.damping_by_penetration ? "s/m" : "N*s/m";
                }},
               {.name = "damping_by_penetration",
                .help = "false: N = k a^p + c a', never pulling",
                .default_text = "true",
                .field = [](D& d) -> F { return &d.contact.damping_by_penetration; }},
               {.name = "friction",
                .help = "LuGre: {mu_s = …, mu_k = …, …}",
                .default_text = "none",
                .field = [](D& d) -> F { return &d.contact.friction; }}},
       .keep =
           [](const D& d, Mechanism& m) {
             Contact force = d.contact;
             force.name = d.name;
             force.a = *d.surface_a;
             force.b = *d.surface_b;
             m.forces.emplace_back(std::move(force));
           }},
      {.table = "force",
       .type = "end-stop",
       .help = "one-sided springs outside [min, max], along or about z of a",
       .keys = pair_keys() +
               std::vector<ModelKey>{
                   {.name = "angular",
                    .help = "angles instead of lengths",
                    .default_text = "false",
                    .field = [](D& d) -> F { return &d.stop.angular; }},
                   {.name = "min",
                    .help = "below it pushes back",
                    .unit = "any",
                    .required = true,
                    .field = [](D& d) -> F { return &d.stop.min; },
                    .unit_of = [](const D& d) -> std::string { return d.stop.angular ? "rad" : "m"; }},
                   {.name = "max",
                    .help = "above it pushes back",
                    .unit = "any",
                    .required = true,
                    .field = [](D& d) -> F { return &d.stop.max; },
                    .unit_of = [](const D& d) -> std::string { return d.stop.angular ? "rad" : "m"; }},
                   at_least_zero(
                       "stiffness", "beyond the ends", "any", [](D& d) -> F { return &d.stop.stiffness; },
                       [](const D& d) -> std::string { return d.stop.angular ? "N*m/rad" : "N/m"; }),
                   at_least_zero(
                       "damping", "beyond the ends", "any", [](D& d) -> F { return &d.stop.damping; },
                       [](const D& d) -> std::string { return d.stop.angular ? "N*m*s/rad" : "N*s/m"; })},
       .two_frames = true,
       .keep = keep_force<&D::stop>},
      {.table = "force",
       .type = "beam",
       .help = "geometrically exact beam between two spatial bodies, x along it",
       .keys = pair_keys() + std::vector<ModelKey>{{.name = "axial_shear",
                                                    .help = "EA, GA_y, GA_z; GA = 0: rigid in shear",
                                                    .unit = "N",
                                                    .min = 0,
                                                    .required = true,
                                                    .field = [](D& d) -> F { return &d.beam.axial_shear; }},
                                                   {.name = "torsion_bending",
                                                    .help = "GJ, EI_y, EI_z",
                                                    .unit = "N*m^2",
                                                    .min = 0,
                                                    .required = true,
                                                    .field = [](D& d) -> F { return &d.beam.torsion_bending; }},
                                                   at_least_zero("damping", "stress = C (strain + damping · rate)", "s",
                                                                 [](D& d) -> F { return &d.beam.damping; })},
       .two_frames = true,
       .apart = true,
       .keep = keep_force<&D::beam>},
  };
}

}  // namespace rubato::io
