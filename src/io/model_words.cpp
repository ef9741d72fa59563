// What the keys of a model file allow, in words.
#include <fmt/format.h>

#include <cmath>

#include "io/model_keys.hpp"
#include "io/overloaded.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/model_file.hpp"
#include "rubato/io/solid_file.hpp"

namespace rubato::io {

namespace {
std::string range(const ModelKey& key, std::string noun) {
  if (std::isfinite(key.min)) noun += fmt::format(" {} {}", key.min_excluded ? ">" : "≥", shortest(key.min));
  if (key.may_be_infinite) noun += " or inf";
  if (key.unit == "any") return noun;
  return key.unit.empty() ? noun : noun + " in " + key.unit;
}
std::string three(const ModelKey& key, std::string_view nouns) {
  return fmt::format("{}{} {}", key.single == Single::refused ? "" : "a number or ",
                     key.plane ? "two or three" : "three", nouns);
}

void add_keys(std::vector<ModelKeyInfo>& all, const std::vector<ModelSection>& sections) {
  for (const auto& section : sections)
    for (const auto& key : section.keys)
      all.push_back({section.table + (section.type.empty() ? "" : ": " + section.type), key.name, allowed_values(key),
                     key.required ? "must be given" : key.default_text, key.help});
}
}  // namespace

std::string allowed_values(const ModelKey& key) {
  if (!key.choices.empty()) {
    std::vector<std::string> names;
    for (const auto& choice : key.choices) names.push_back("\"" + choice.name + "\"");
    return "one of " + joined(names);
  }
  if (key.field == nullptr) return key.name == "units" ? "two units, [\"s\", \"mm\"]" : range(key, "two numbers");
  Draft draft;
  return std::visit(
      Overloaded{[](const std::string*) { return std::string("a text"); },
                 [&](const double*) { return range(key, "a number"); },
                 [&](const std::optional<double>*) { return range(key, "a number"); },
                 [](const bool*) { return std::string("true or false"); },
                 [](const std::uint8_t*) { return std::string("a name"); },
                 [&](const multibody::Vector3*) { return range(key, three(key, "numbers")); },
                 [&](const std::optional<multibody::Vector3>*) { return range(key, three(key, "numbers")); },
                 [](const std::optional<multibody::Quaternion>*) { return std::string("four numbers"); },
                 [](const std::optional<Names2>*) { return std::string("two names, [\"a\", \"b\"]"); },
                 [&](const FunctionPointer*) {
                   return fmt::format("an expression in {} or {{table = [[{}, y], …]}}{}", key.variable, key.variable,
                                      key.unit.empty() ? "" : ", in " + key.unit);
                 },
                 [&](const std::array<FunctionPointer, 3>*) {
                   return fmt::format("{} in {}, in {}", three(key, "expressions"), key.variable, key.unit);
                 },
                 [](const std::optional<multibody::Marker>*) {
                   return std::string("a frame, {body = \"…\", at = […]}, or the name of a body");
                 },
                 [](const std::optional<multibody::Surface>*) {
                   return std::string("a shape, {body = \"…\", shape = \"…\", radius = …}");
                 },
                 [](const std::optional<multibody::LuGre>*) { return std::string("a table of friction"); },
                 [](const std::optional<SolidDraft>*) { return std::string("a solid, {type = \"…\", …}"); },
                 [&](const int*) { return range(key, "a whole number"); },
                 [&](const std::vector<double>*) {
                   return range(key, key.plane ? "a list of whole numbers" : "a list of numbers");
                 },
                 [](const std::vector<multibody::Vector3>*) {
                   return std::string("three numbers for each node, [[x, y, z], …]");
                 },
                 [](const std::vector<multibody::ModalNode>*) { return std::string("a list of tables of a node"); },
                 [](const std::vector<multibody::Mode>*) { return std::string("a list of tables of a mode"); },
                 [](const std::optional<multibody::ModalBeam>*) { return std::string("a table of a modal-beam"); },
                 [](const std::optional<FlexibleDraft>*) { return std::string("a table of nodes and modes"); },
                 [](const std::vector<fem::RingLayer>*) {
                   return std::string("a list of layers, [{outer_radius = …, divisions = …, group = \"…\"}, …]");
                 },
                 [](const std::vector<fem::PronyTerm>*) {
                   return std::string("a list of Prony terms, [{g = …, tau = \"…\"}, …]");
                 },
                 [&](const std::array<AxisMotion, 3>*) {
                   return fmt::format("{{x = …, y = …}}: numbers in {}, expressions in {} or {{table = [[t, y], …]}}",
                                      key.unit, key.variable);
                 }},
      key.field(draft));
}

std::vector<ModelKeyInfo> model_file_keys() {
  std::vector<ModelKeyInfo> all = {
      {"", "include", "a list of files", "none", "models to read first, relative to this file"},
      {"parameters", "…", "a number, or an expression of earlier parameters", "none",
       "names for expressions; --set parameters.L=2 gives another value"}};
  add_keys(all, model_sections());
  return all;
}

std::vector<ModelKeyInfo> solid_file_keys() {
  std::vector<ModelKeyInfo> all;
  add_keys(all, solid_sections());
  return all;
}

}  // namespace rubato::io
