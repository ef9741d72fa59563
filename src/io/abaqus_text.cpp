#include "io/abaqus_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace rubato::io {
namespace {

/// "*ELEMENT, TYPE=C3D8, ELSET=all" cut at commas outside quotes.
AbaqusBlock head(std::string_view text, long line) {
  AbaqusBlock block{.line = line};
  bool first = true;
  while (!text.empty()) {
    std::size_t end = 0;
    for (bool quoted = false; end < text.size() && (quoted || text[end] != ','); ++end)
      if (text[end] == '"') quoted = !quoted;
    const std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (first) {
      for (const char c : upper(part.substr(1)))  // blanks inside: one each
        if (c != ' ' || (!block.keyword.empty() && block.keyword.back() != ' ')) block.keyword += c;
      first = false;
    } else if (!part.empty()) {
      const auto equals = std::min(part.find('='), part.size());
      const auto value = part.substr(std::min(equals + 1, part.size()));
      block.parameters.emplace_back(upper(trimmed(part.substr(0, equals))), unquoted(trimmed(value)));
    }
  }
  return block;
}

}  // namespace

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c == '\t' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::string_view unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

std::optional<std::string_view> AbaqusBlock::value(std::string_view parameter) const {
  for (const auto& [name, text] : parameters)
    if (name == parameter) return text;
  return {};
}

Result<std::vector<AbaqusBlock>> abaqus_blocks(std::string_view text, std::string_view file) {
  std::vector<AbaqusBlock> blocks;
  MeshLines lines(text);
  while (auto line = lines.next()) {
    if (line->text.starts_with("**")) continue;
    if (!line->text.starts_with('*')) {
      if (blocks.empty())
        return Error{
            fmt::format("{}:{}: '{}' before the first keyword; Abaqus input begins with a keyword such as *NODE", file,
                        line->number, line->text.substr(0, 40))};
      blocks.back().data.push_back(*line);
      continue;
    }
    std::string whole(line->text);
    const long begin = line->number;
    while (whole.ends_with(',') && (line = lines.next())) whole += line->text;
    blocks.push_back(head(whole, begin));
    if (blocks.back().keyword.empty()) return Error{fmt::format("{}:{}: a star without a keyword", file, begin)};
  }
  return blocks;
}

std::optional<fem::Shape> abaqus_shape(std::string_view type) {
  struct Known {
    std::string_view name;
    fem::Shape shape;
  };
  constexpr std::array<Known, 4> solids{{{"C3D20", fem::Shape::hex20},
                                         {"C3D10", fem::Shape::tet10},
                                         {"C3D8", fem::Shape::hex8},
                                         {"C3D4", fem::Shape::tet4}}};
  constexpr std::array<Known, 4> planes{
      {{"3", fem::Shape::tri3}, {"4", fem::Shape::quad4}, {"6", fem::Shape::tri6}, {"8", fem::Shape::quad8}}};
  const auto search = [](const auto& list, std::string_view text) -> std::optional<fem::Shape> {
    for (const Known& known : list)
      if (text.starts_with(known.name) && text.find_first_not_of("RHIM", known.name.size()) == std::string_view::npos)
        return known.shape;
    return {};
  };
  for (const std::string_view family : {"CPE", "CPS", "CAX"})
    if (type.starts_with(family)) return search(planes, type.substr(family.size()));
  return search(solids, type);
}

int abaqus_face(fem::Shape shape, int face) {
  const fem::ShapeInfo& s = fem::info(shape);
  if (s.dimension < 2 || face >= static_cast<int>(fem::facets(shape).size())) return -1;
  // S1 1234, S2 5876, S3 1562, S4 2673, S5 3784, S6 4851 of a hexahedron; of the others S1 … come in our order.
  constexpr std::array<int, 6> hexahedron{4, 5, 2, 1, 3, 0};
  return s.corners == 8 ? hexahedron[static_cast<std::size_t>(face)] : face;
}

}  // namespace rubato::io
