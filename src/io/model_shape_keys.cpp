// Keys of [[shape]].
#include "io/model_key_parts.hpp"

namespace rubato::io {

using namespace multibody;

namespace {

ModelKey length_key(std::string name, std::string help, ModelField (*field)(D&)) {
  return {.name = std::move(name),
          .help = std::move(help),
          .unit = "m",
          .min = 0,
          .min_excluded = true,
          .required = true,
          .field = field};
}
ModelKey frame_key(std::string name, std::string help, ModelField (*field)(D&)) {
  return {.name = std::move(name), .help = std::move(help), .required = true, .field = field};
}

/// A solid about a frame.
template <LookType type>
ModelSection solid(std::string name, std::string help, const std::vector<ModelKey>& sizes) {
  return {
      .table = "shape",
      .type = std::move(name),
      .help = std::move(help),
      .keys =
          std::vector<ModelKey>{
              {.name = "type", .help = "which kind", .required = true, .field = [](D& d) -> F { return &d.type; }},
              frame_key("on", "its frame: {body = …, at = …}, or the body's name", [](D& d) -> F { return &d.a; })} +
          sizes,
      .keep = [](const D& d, Mechanism& m) {
        Look look = d.look;
        look.type = type;
        look.at = *d.a;
        m.looks.push_back(std::move(look));
      }};
}

}  // namespace

std::vector<ModelSection> shape_sections() {
  const ModelKey radius = length_key("radius", "of the cylinder or sphere", [](D& d) -> F { return &d.look.radius; });
  return {
      solid<LookType::box>("box", "a box about its frame",
                           {length_key("size", "its edges", [](D& d) -> F { return &d.look.size; })}),
      solid<LookType::cylinder>("cylinder", "a cylinder about z of its frame",
                                {radius, length_key("length", "along z", [](D& d) -> F { return &d.look.length; })}),
      solid<LookType::sphere>("sphere", "a sphere about the origin of its frame", {radius}),
      {.table = "shape",
       .type = "line",
       .help = "a line between two origins, of one body or of two",
       .keys = {{.name = "type", .help = "which kind", .required = true, .field = [](D& d) -> F { return &d.type; }},
                frame_key("a", "where it begins", [](D& d) -> F { return &d.a; }),
                frame_key("b", "where it ends", [](D& d) -> F { return &d.b; })},
       .keep = [](const D& d, Mechanism& m) { m.looks.push_back({.type = LookType::line, .at = *d.a, .to = *d.b}); }},
  };
}

}  // namespace rubato::io
