// Gmsh's MSH files, versions 4.1 and 2.2, as text: https://gmsh.info/doc/texinfo/gmsh.html#File-formats.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "io/gmsh_shapes.hpp"
#include "io/mesh_builder.hpp"
#include "io/mesh_text.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/mesh_file.hpp"

namespace rubato::io {
namespace {

using Words = std::vector<std::string_view>;

class GmshReader {
 public:
  GmshReader(std::string_view text, std::string_view file) : file_(file), lines_(text), builder_(file, text.size()) {}

  Result<MeshFile> run() {
    auto line = lines_.next();
    if (!line || line->text != "$MeshFormat")
      return builder_.at(line ? line->number : 1, "a Gmsh file begins with $MeshFormat");
    if (auto fine = format(); !fine) return fine.error();
    while ((line = lines_.next())) {
      if (!line->text.starts_with('$') || line->text.starts_with("$End"))
        return builder_.at(line->number, fmt::format("'{}' where a section ($Nodes, $Elements, …) should begin",
                                                     line->text.substr(0, 40)));
      if (auto fine = section(*line); !fine) return fine.error();
    }
    for (const auto& [name, begin] : {std::pair{"$Nodes", nodes_begin_}, std::pair{"$Elements", elements_begin_}})
      if (begin == 0) return Error{fmt::format("{}: there is no section {}", file_, name)};
    if (auto fine = assign_groups(); !fine) return fine.error();
    auto mesh = builder_.finish();
    if (!mesh) return mesh.error();
    return MeshFile{.mesh = std::move(*mesh), .notes = std::move(notes_)};
  }

 private:
  /// Elements of an entity or group.
  struct Membership {
    int dimension;
    long entity;              ///< 4.1: the entity; 2.2: the physical group, 0: none
    std::size_t first, last;  ///< elements [first, last)
    long line;
  };

  Result<void> format() {
    const auto line = expect("the version");
    if (!line) return line.error();
    if (words_.size() != 3)
      return builder_.at(line->number, fmt::format("'{}': expected version, type and size, such as 4.1 0 8",
                                                   line->text.substr(0, 40)));
    if (words_[0] != "4.1" && words_[0] != "2.2")
      return builder_.at(line->number,
                         fmt::format("version {}; allowed are 4.1 and 2.2 (Gmsh: -format msh41 or msh22)", words_[0]));
    version4_ = words_[0] == "4.1";
    if (words_[1] != "0")
      return builder_.at(line->number, "the file is binary; save it as text (Gmsh: Mesh.Binary = 0)");
    return end("$MeshFormat");
  }

  Result<void> section(const MeshLine& begin) {
    const std::string_view name = begin.text;
    const auto once = [&](long& first) -> Result<void> {
      if (first != 0)
        return builder_.at(begin.number, fmt::format("a second section {}; the first is in line {}", name, first));
      first = begin.number;
      return {};
    };
    if (name == "$PhysicalNames") return names();
    if (name == "$Entities" && version4_) return entities();
    if (name == "$Nodes") {
      if (auto fine = once(nodes_begin_); !fine) return fine;
      return version4_ ? nodes_by_block() : nodes_by_line();
    }
    if (name == "$Elements") {
      if (auto fine = once(elements_begin_); !fine) return fine;
      return version4_ ? elements_by_block() : elements_by_line();
    }
    if (name == "$PartitionedEntities")
      return builder_.at(
          begin.number,
          "the mesh is divided into partitions; save it without (Gmsh: Mesh.PartitionSplitMeshFiles, PartitionMesh)");
    notes_.push_back(fmt::format("{}:{}: section {} is not used", file_, begin.number, name.substr(0, 40)));
    while (const auto line = lines_.next())
      if (line->text.starts_with("$End") && line->text.substr(4) == name.substr(1)) return {};
    return builder_.at(lines_.number(), fmt::format("section {} of line {} has no end", name, begin.number));
  }

  /// The next line, split into words; what: for the message at the end of the file.
  Result<MeshLine> expect(std::string_view what) {
    const auto line = lines_.next();
    if (!line) return builder_.at(lines_.number(), fmt::format("the file ends where {} should stand", what));
    if (line->text.starts_with('$'))
      return builder_.at(line->number, fmt::format("'{}' where {} should stand: the section holds less than it says",
                                                   line->text.substr(0, 40), what));
    words(line->text, words_);
    return *line;
  }
  Result<void> end(std::string_view section) {
    const auto line = lines_.next();
    if (line && line->text.starts_with("$End") && line->text.substr(4) == section.substr(1)) return {};
    return builder_.at(line ? line->number : lines_.number(),
                       fmt::format("expected $End{} here: the section holds more than it says", section.substr(1)));
  }
  Error wrong(const MeshLine& line, std::string_view expected) const {
    return builder_.at(line.number, fmt::format("'{}': expected {}", line.text.substr(0, 60), expected));
  }

  /// The k-th word of the line, empty where there are fewer.
  [[nodiscard]] std::string_view word(std::size_t k) const {
    return k < words_.size() ? words_[k] : std::string_view{};
  }
  /// It as a number that cannot be negative; −1 where it is none.
  [[nodiscard]] long count(std::size_t k) const { return std::max(integer(word(k)).value_or(-1), -1L); }
  /// Groups carry a sign for the sense of direction; facets get outward normals anyway.
  static long signed_label(std::string_view text) { return label(text.substr(text.starts_with('-') ? 1 : 0)); }

  /// A line of counts: all of them, none negative.
  Result<std::vector<long>> counts(std::size_t n, std::string_view what) {
    const auto line = expect(what);
    if (!line) return line.error();
    std::vector<long> out;
    for (const auto word : words_)
      if (const auto value = integer(word); value && *value >= 0) out.push_back(*value);
    if (out.size() != n || words_.size() != n) return wrong(*line, what);
    line_ = line->number;
    return out;
  }

  Result<void> names() {
    const auto n = counts(1, "the number of physical names");
    if (!n) return n.error();
    for (long i = 0; i < (*n)[0]; ++i) {
      const auto line = expect("a physical name");
      if (!line) return line.error();
      const auto first = line->text.find('"'), last = line->text.rfind('"');
      const long dimension = count(0), tag = label(word(1));
      if (dimension < 0 || dimension > 3 || tag == 0 || first == std::string_view::npos || last <= first + 1 ||
          last + 1 != line->text.size())
        return wrong(*line, "dimension 0 … 3, number and \"name\"");
      const std::string name(line->text.substr(first + 1, last - first - 1));
      const auto [place, made] = names_.emplace(std::pair(static_cast<int>(dimension), tag), name);
      if (!made)
        return builder_.at(line->number, fmt::format("physical group {} of dimension {} has a name already: '{}'", tag,
                                                     dimension, place->second));
      builder_.group(name, static_cast<int>(dimension));
    }
    return end("$PhysicalNames");
  }

  Result<void> entities() {
    const auto n = counts(4, "the numbers of points, curves, surfaces and volumes");
    if (!n) return n.error();
    for (int dimension = 0; dimension < 4; ++dimension)
      for (long i = 0; i < (*n)[static_cast<std::size_t>(dimension)]; ++i) {
        const auto line = expect("an entity");
        if (!line) return line.error();
        const std::size_t box = dimension == 0 ? 3 : 6;  // coordinates, or lowest and highest ones
        const auto tag = integer(word(0));
        const long groups = count(box + 1);
        if (!tag || groups < 0 || static_cast<std::size_t>(groups) > words_.size() - box - 2)
          return wrong(*line, fmt::format("number, {} coordinates, number of physical groups, these groups", box));
        std::vector<long> own;
        for (std::size_t k = 0; k < static_cast<std::size_t>(groups); ++k) {
          own.push_back(signed_label(word(box + 2 + k)));
          if (own.back() == 0) return wrong(*line, "numbers of physical groups");
        }
        if (!physical_.emplace(std::pair(dimension, *tag), std::move(own)).second)
          return builder_.at(line->number, fmt::format("entity {} of dimension {} is there already", *tag, dimension));
      }
    return end("$Entities");
  }

  Result<std::array<double, 3>> coordinates(const MeshLine& line, std::size_t first) {
    std::array<double, 3> x{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto value = real(words_[first + k]);
      if (!value) return wrong(line, "three finite coordinates");
      x[k] = *value;
    }
    return x;
  }

  Result<void> nodes_by_line() {
    const auto n = counts(1, "the number of nodes");
    if (!n) return n.error();
    for (long i = 0; i < (*n)[0]; ++i) {
      const auto line = expect("a node");
      if (!line) return line.error();
      const long tag = label(word(0));
      if (tag == 0 || words_.size() != 4) return wrong(*line, "the number of a node and three coordinates");
      const auto x = coordinates(*line, 1);
      if (!x) return x.error();
      builder_.add_node(tag, *x, line->number);
    }
    return end("$Nodes");
  }

  Result<void> nodes_by_block() {
    const auto n = counts(4, "the numbers of blocks and nodes, smallest and largest number of a node");
    if (!n) return n.error();
    const long begin = line_;
    long total = 0;
    std::vector<long> tags;
    for (long b = 0; b < (*n)[0]; ++b) {
      const auto head = expect("a block of nodes");
      if (!head) return head.error();
      std::array<long, 4> h{};
      if (!integers(h) || h[0] < 0 || h[0] > 3 || h[3] < 0 || (h[2] != 0 && h[2] != 1))
        return wrong(*head, "dimension and number of an entity, parametric (0 or 1), number of nodes");
      tags.clear();
      for (long i = 0; i < h[3]; ++i) {
        const auto line = expect("the number of a node");
        if (!line) return line.error();
        const long tag = label(word(0));
        if (tag == 0 || words_.size() != 1) return wrong(*line, "the number of a node");
        tags.push_back(tag);
      }
      for (const long tag : tags) {
        const auto line = expect("the coordinates of a node");
        if (!line) return line.error();
        const std::size_t more = h[2] == 0 ? 0 : static_cast<std::size_t>(h[0]);  // parameters on the entity
        if (words_.size() != 3 + more) return wrong(*line, fmt::format("{} coordinates", 3 + more));
        const auto x = coordinates(*line, 0);
        if (!x) return x.error();
        builder_.add_node(tag, *x, line->number);
      }
      total += h[3];
    }
    if (total != (*n)[1])
      return builder_.at(begin, fmt::format("{} nodes announced, {} in the blocks", (*n)[1], total));
    return end("$Nodes");
  }

  template <std::size_t n>
  bool integers(std::array<long, n>& out) const {
    if (words_.size() != n) return false;
    for (std::size_t k = 0; k < n; ++k) {
      const auto value = integer(words_[k]);
      if (!value) return false;
      out[k] = *value;
    }
    return true;
  }

  Result<const GmshShape*> shape(const MeshLine& line, long type) const {
    if (const GmshShape* found = gmsh_shape(type)) return found;
    std::vector<std::string> known;
    for (const GmshShape& s : gmsh_shapes()) known.push_back(fmt::format("{} ({})", s.type, fem::info(s.shape).name));
    return builder_.at(line.number, fmt::format("element type {} is not known here; known: {}", type, joined(known)));
  }

  /// words_[first …] as the nodes of an element, put into our order.
  bool connectivity(const GmshShape& s, std::size_t first, std::vector<long>& out) const {
    const auto n = static_cast<std::size_t>(fem::info(s.shape).nodes);
    if (words_.size() != first + n) return false;
    out.resize(n);
    for (std::size_t a = 0; a < n; ++a) {
      out[a] = label(words_[first + static_cast<std::size_t>(s.order[a])]);
      if (out[a] == 0) return false;
    }
    return true;
  }

  Result<void> elements_by_block() {
    const auto n = counts(4, "the numbers of blocks and elements, smallest and largest number of an element");
    if (!n) return n.error();
    const long begin = line_;
    std::size_t total = 0;
    std::vector<long> nodes;
    for (long b = 0; b < (*n)[0]; ++b) {
      const auto head = expect("a block of elements");
      if (!head) return head.error();
      std::array<long, 4> h{};
      if (!integers(h) || h[3] < 0)
        return wrong(*head, "dimension and number of an entity, element type, number of elements");
      const auto s = shape(*head, h[2]);
      if (!s) return s.error();
      const fem::ShapeInfo& info = fem::info((*s)->shape);
      if (h[0] != info.dimension)
        return builder_.at(head->number,
                           fmt::format("elements of type {} ({}) in an entity of dimension {}", h[2], info.name, h[0]));
      const std::size_t first = total;
      for (long i = 0; i < h[3]; ++i, ++total) {
        const auto line = expect("an element");
        if (!line) return line.error();
        const long tag = label(word(0));
        if (tag == 0 || !connectivity(**s, 1, nodes))
          return wrong(*line, fmt::format("the number of an element and its {} nodes ({})", info.nodes, info.name));
        builder_.add_element(tag, info.id, nodes, line->number);
      }
      members_.push_back({info.dimension, h[1], first, total, head->number});
    }
    if (total != static_cast<std::size_t>((*n)[1]))
      return builder_.at(begin, fmt::format("{} elements announced, {} in the blocks", (*n)[1], total));
    return end("$Elements");
  }

  Result<void> elements_by_line() {
    const auto n = counts(1, "the number of elements");
    if (!n) return n.error();
    std::vector<long> nodes;
    std::size_t total = 0;
    struct Known {
      std::size_t element;
      std::set<long> groups = {};
    };
    std::map<std::vector<long>, Known> known;  // by nodes, ascending, and type
    for (long i = 0; i < (*n)[0]; ++i) {
      const auto line = expect("an element");
      if (!line) return line.error();
      const long tag = label(word(0)), type = count(1), n_tags = count(2);
      constexpr std::string_view form = "number, type, number of tags, tags (the first: physical group), nodes";
      if (tag == 0 || type < 0 || n_tags < 0 || static_cast<std::size_t>(n_tags) > words_.size() - 3)
        return wrong(*line, form);
      const auto s = shape(*line, type);
      if (!s) return s.error();
      const fem::ShapeInfo& info = fem::info((*s)->shape);
      const bool grouped = n_tags > 0 && word(3) != "0";
      const long group = grouped ? signed_label(word(3)) : 0;
      if (grouped && group == 0) return wrong(*line, "the number of a physical group as first tag");
      if (!connectivity(**s, 3 + static_cast<std::size_t>(n_tags), nodes))
        return wrong(*line, fmt::format("{}: {} of them ({})", form, info.nodes, info.name));
      // An element of several groups is written once for each, under another number: one element for us.
      auto key = nodes;
      std::sort(key.begin(), key.end());
      key.push_back(type);
      auto [place, fresh] = known.try_emplace(std::move(key), Known{.element = total});
      const bool another_group = place->second.groups.insert(group).second;
      const bool own_element = fresh || !another_group;  // twice in one group: fem::check will say so
      const std::size_t element = own_element ? total++ : place->second.element;
      if (own_element) builder_.add_element(tag, info.id, nodes, line->number);
      members_.push_back({info.dimension, group, element, element + 1, line->number});
    }
    return end("$Elements");
  }

  Result<void> assign_groups() {
    if (auto fine = builder_.resolve(); !fine) return fine;
    std::vector<long> own;
    for (const Membership& member : members_) {
      own.clear();
      if (version4_) {
        const auto found = physical_.find({member.dimension, member.entity});
        if (found != physical_.end()) own = found->second;
      } else if (member.entity != 0) {
        own.push_back(member.entity);
      }
      for (const long tag : own) {
        if (auto fine = builder_.take(member.last - member.first, member.line); !fine) return fine;
        const auto name = names_.find({member.dimension, tag});
        const auto group = builder_.group(name == names_.end() ? std::to_string(tag) : name->second, member.dimension);
        for (std::size_t e = member.first; e < member.last; ++e) builder_.add_to_group(group, static_cast<int>(e));
      }
    }
    return {};
  }

  std::string file_;
  MeshLines lines_;
  MeshBuilder builder_;
  Words words_;  ///< of the line read last
  bool version4_ = true;
  long line_ = 0;  ///< of the counts read last
  long nodes_begin_ = 0, elements_begin_ = 0;
  std::map<std::pair<int, long>, std::string> names_;           ///< of physical groups, by dimension and number
  std::map<std::pair<int, long>, std::vector<long>> physical_;  ///< groups of entities
  std::vector<Membership> members_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<MeshFile> parse_gmsh(std::string_view text, std::string_view file) { return GmshReader(text, file).run(); }

}  // namespace rubato::io
