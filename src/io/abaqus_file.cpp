// A subset of Abaqus input files: nodes, elements, sets and surfaces, flat or as one part with one instance.
//
// The file is cut into keywords with their data lines first, so that sets may name what is defined behind them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/abaqus_text.hpp"
#include "io/mesh_builder.hpp"
#include "io/mesh_text.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/mesh_file.hpp"

namespace rubato::io {
namespace {

/// Sets by their name in capitals.
struct Set {
  std::string name;          ///< as it was written first
  std::vector<int> members;  ///< ascending
};
using Sets = std::map<std::string, Set, std::less<>>;

class AbaqusReader {
 public:
  AbaqusReader(std::string_view text, std::string_view file) : file_(file), text_(text), builder_(file, text.size()) {}

  Result<MeshFile> run() {
    const auto blocks = abaqus_blocks(text_, file_);
    if (!blocks) return blocks.error();
    if (auto fine = structure(*blocks); !fine) return fine.error();
    const std::vector<std::pair<std::string_view, Result<void> (AbaqusReader::*)(const AbaqusBlock&)>> passes{
        {"NODE", &AbaqusReader::nodes}, {"ELEMENT", &AbaqusReader::elements}};
    for (const auto& [keyword, read] : passes)
      for (const AbaqusBlock* block : used_)
        if (block->keyword == keyword)
          if (auto fine = (this->*read)(*block); !fine) return fine.error();
    if (auto fine = builder_.resolve(); !fine) return fine.error();
    for (const AbaqusBlock* block : used_)
      if (auto fine = sets_and_surfaces(*block); !fine) return fine.error();
    make_groups();
    note_leftovers();
    auto mesh = builder_.finish();
    if (!mesh) return mesh.error();
    return MeshFile{.mesh = std::move(*mesh), .notes = std::move(notes_)};
  }

 private:
  Error at(const AbaqusBlock& block, std::string_view sentence) const {
    return builder_.at(block.line, fmt::format("*{}: {}", block.keyword, sentence));
  }

  /// Which keywords are read, passed over or refused, and where parts and instances begin and end.
  Result<void> structure(const std::vector<AbaqusBlock>& blocks) {
    enum class Where { flat, part, assembly, instance } where = Where::flat;
    int parts = 0, instances = 0;
    for (const AbaqusBlock& block : blocks) {
      const std::string& keyword = block.keyword;
      if (keyword == "PART" && ++parts > 1) return at(block, "a second part; a file may hold one");
      if (keyword == "INSTANCE") {
        if (++instances > 1) return at(block, "a second instance; a file may hold one");
        if (!block.data.empty()) return at(block, "the instance is moved; a mesh is read where its part lies");
        instance_ = upper(block.value("NAME").value_or(""));
      }
      if (keyword == "PART") where = Where::part;
      if (keyword == "INSTANCE") where = Where::instance;
      if (keyword == "ASSEMBLY" || keyword == "END INSTANCE") where = Where::assembly;
      if (keyword == "END PART" || keyword == "END ASSEMBLY") where = Where::flat;
      if (auto fine = known(block); !fine) return fine;
      if (!reads(keyword)) continue;
      const bool loose = where == Where::assembly && keyword != "SURFACE" && !block.value("INSTANCE");
      if (loose)  // reference points and their sets: numbers there count anew
        notes_.push_back(fmt::format("{}:{}: *{} of the assembly itself is not used", file_, block.line, keyword));
      else
        used_.push_back(&block);
    }
    return {};
  }

  static bool reads(std::string_view keyword) {
    return keyword == "NODE" || keyword == "ELEMENT" || keyword == "NSET" || keyword == "ELSET" || keyword == "SURFACE";
  }

  Result<void> known(const AbaqusBlock& block) {
    static const std::vector<std::string> structure = {"PART",     "END PART",     "ASSEMBLY", "END ASSEMBLY",
                                                       "INSTANCE", "END INSTANCE", "HEADING",  "PREPRINT"};
    static const std::vector<std::string> changes = {
        "INCLUDE", "NGEN",   "NFILL",     "NCOPY",        "NMAP",   "ELGEN",
        "ELCOPY",  "SYSTEM", "PARAMETER", "IMPERFECTION", "IMPORT", "SYMMETRIC MODEL GENERATION"};
    const std::string& keyword = block.keyword;
    if (reads(keyword) || std::find(structure.begin(), structure.end(), keyword) != structure.end()) return {};
    if (std::find(changes.begin(), changes.end(), keyword) != changes.end())
      return at(block, "this changes the mesh and is not read; write all nodes and elements into one file");
    for (const std::string_view ours : {"NODE", "ELEMENT", "NSET", "ELSET", "SURFACE", "INCLUDE", "PART", "INSTANCE"})
      if (edit_distance(keyword, ours) == 1) return at(block, fmt::format("no such keyword; did you mean *{}?", ours));
    ++skipped_[keyword];
    return {};
  }

  /// Refuses parameters that would change what is read.
  Result<void> parameters(const AbaqusBlock& block, std::initializer_list<std::string_view> allowed) const {
    for (const auto& [name, value] : block.parameters)
      if (std::find(allowed.begin(), allowed.end(), name) == allowed.end())
        return at(block, fmt::format("parameter {} is not read; allowed: {}", name, fmt::join(allowed, ", ")));
    return {};
  }

  Result<void> nodes(const AbaqusBlock& block) {
    if (auto fine = parameters(block, {"NSET"}); !fine) return fine;
    const int before = builder_.n_nodes();
    for (const MeshLine& line : block.data) {
      fields(line.text, fields_);
      const long tag = fields_.empty() ? 0 : label(fields_[0]);
      std::array<double, 3> x{};
      bool fine = tag != 0 && (fields_.size() == 3 || fields_.size() == 4);
      for (std::size_t k = 1; fine && k < fields_.size(); ++k) {
        const auto value = real(fields_[k]);
        fine = value.has_value();
        if (fine) x[k - 1] = *value;
      }
      if (!fine)
        return builder_.at(line.number,
                           fmt::format("'{}': expected the number of a node and two or three finite coordinates",
                                       line.text.substr(0, 60)));
      builder_.add_node(tag, x, line.number);
    }
    if (const auto name = block.value("NSET")) append(set_of(node_sets_, *name), before, builder_.n_nodes());
    return {};
  }

  Result<void> elements(const AbaqusBlock& block) {
    if (auto fine = parameters(block, {"TYPE", "ELSET"}); !fine) return fine;
    const auto type = block.value("TYPE");
    if (!type) return at(block, "TYPE is missing");
    const auto shape = abaqus_shape(upper(*type));
    if (!shape)
      return at(
          block,
          fmt::format("TYPE {} is not known here; allowed are C3D4, C3D10, C3D8, C3D20, CPE, CPS and CAX with 3, 4, "
                      "6 or 8 nodes, each with the letters R, H, I, M",
                      *type));
    types_.insert(upper(*type));
    const auto n = static_cast<std::size_t>(fem::info(*shape).nodes);
    const int before = builder_.n_elements();
    std::vector<long> numbers;
    for (std::size_t i = 0; i < block.data.size(); ++i) {
      const MeshLine& first = block.data[i];
      numbers.clear();
      for (bool more = true; more;) {  // a comma at the end: the next line goes on
        const MeshLine& line = block.data[i];
        fields(line.text, fields_);
        for (const auto field : fields_) {
          const long number = label(field);
          if (number == 0)
            return builder_.at(line.number,
                               fmt::format("'{}' is not the number of an element or node", field.substr(0, 40)));
          numbers.push_back(number);
        }
        more = numbers.size() < n + 1 && line.text.ends_with(',') && i + 1 < block.data.size();
        if (more) ++i;
      }
      if (numbers.size() != n + 1)
        return builder_.at(first.number,
                           fmt::format("element {} names {} nodes; {} has {}", numbers.empty() ? 0 : numbers[0],
                                       numbers.empty() ? 0 : numbers.size() - 1, *type, n));
      builder_.add_element(numbers[0], *shape, std::span(numbers).subspan(1), first.number);
    }
    if (const auto name = block.value("ELSET")) append(set_of(element_sets_, *name), before, builder_.n_elements());
    return {};
  }

  static Set& set_of(Sets& sets, std::string_view name) {
    return sets.try_emplace(upper(name), Set{std::string(name), {}}).first->second;
  }
  /// What one keyword defined, in the order of the file.
  static void append(Set& set, int first, int last) {
    for (int i = first; i < last; ++i) set.members.push_back(i);
  }
  static void tidy(std::vector<int>& members) {
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
  }

  Result<void> sets_and_surfaces(const AbaqusBlock& block) {
    if (block.keyword == "NSET") return set(block, true);
    if (block.keyword == "ELSET") return set(block, false);
    if (block.keyword == "SURFACE") return surface(block);
    return {};
  }

  /// A number or the name of a set, perhaps with the instance in front, as members.
  Result<std::vector<int>> members(const MeshLine& line, std::string_view field, bool of_nodes) const {
    const std::string_view what = of_nodes ? "node" : "element";
    if (const auto dot = field.find('.');
        dot != std::string_view::npos && !instance_.empty() && upper(field.substr(0, dot)) == instance_)
      field.remove_prefix(dot + 1);
    if (const long tag = label(field); tag != 0) {
      const int found = of_nodes ? builder_.node(tag) : builder_.element(tag);
      if (found < 0) return builder_.at(line.number, fmt::format("{} {} is nowhere defined", what, tag));
      return std::vector<int>{found};
    }
    const Sets& sets = of_nodes ? node_sets_ : element_sets_;
    const auto found = sets.find(upper(unquoted(field)));
    if (found == sets.end())
      return builder_.at(line.number, fmt::format("'{}' is neither the number of {} {} nor a set of {}s defined above",
                                                  field.substr(0, 40), of_nodes ? "a" : "an", what, what));
    return found->second.members;
  }

  Result<void> set(const AbaqusBlock& block, bool of_nodes) {
    const std::string_view own = of_nodes ? "NSET" : "ELSET";
    if (auto fine = of_nodes ? parameters(block, {"NSET", "ELSET", "GENERATE", "UNSORTED", "INSTANCE", "INTERNAL"})
                             : parameters(block, {"ELSET", "GENERATE", "UNSORTED", "INSTANCE", "INTERNAL"});
        !fine)
      return fine;
    const auto name = block.value(own);
    if (!name || name->empty()) return at(block, fmt::format("{}=name is missing", own));
    if (auto fine = instance(block); !fine) return fine;
    std::vector<int> list;
    if (const auto from = of_nodes ? block.value("ELSET") : std::nullopt) {
      const auto elements = members({*from, block.line}, *from, false);
      if (!elements) return elements.error();
      if (auto fine = builder_.take(fem::max_shape_nodes * elements->size(), block.line); !fine) return fine;
      for (const int e : *elements) list.insert(list.end(), builder_.nodes_of(e).begin(), builder_.nodes_of(e).end());
      tidy(list);
    }
    for (const MeshLine& line : block.data) {
      fields(line.text, fields_);
      if (block.value("GENERATE")) {
        if (auto fine = generate(line, of_nodes, list); !fine) return fine;
        continue;
      }
      for (const auto field : fields_) {
        const auto more = members(line, field, of_nodes);
        if (!more) return more.error();
        if (auto fine = builder_.take(more->size(), line.number); !fine) return fine;
        list.insert(list.end(), more->begin(), more->end());
      }
    }
    Set& target = set_of(of_nodes ? node_sets_ : element_sets_, *name);
    if (auto fine = builder_.take(list.size(), block.line); !fine) return fine;
    target.members.insert(target.members.end(), list.begin(), list.end());
    tidy(target.members);
    return {};
  }

  /// first, last, increment: every number of them must be there.
  Result<void> generate(const MeshLine& line, bool of_nodes, std::vector<int>& list) {
    const auto number = [&](std::size_t k) { return k < fields_.size() ? label(fields_[k]) : 0; };
    const long first = number(0), last = number(1), step = fields_.size() == 2 ? 1 : number(2);
    if (fields_.size() > 3 || first == 0 || last < first || step == 0 || (last - first) % step != 0)
      return builder_.at(line.number,
                         fmt::format("'{}': expected first, last and increment, the last reached from the first",
                                     line.text.substr(0, 60)));
    const auto present = of_nodes ? builder_.nodes_between(first, last) : builder_.elements_between(first, last);
    if (auto fine = builder_.take(present.size(), line.number); !fine) return fine;
    long wanted = first;
    for (const int member : present) {
      const long own = of_nodes ? builder_.node_label(member) : builder_.element_label(member);
      if (own < wanted) continue;
      if (own > wanted) break;
      list.push_back(member);
      wanted += step;
    }
    if (wanted <= last)
      return builder_.at(line.number, fmt::format("{} {} is nowhere defined", of_nodes ? "node" : "element", wanted));
    return {};
  }

  Result<void> instance(const AbaqusBlock& block) const {
    const auto named = block.value("INSTANCE");
    if (named && upper(*named) != instance_)
      return at(block, fmt::format("INSTANCE {} is not there{}", *named,
                                   instance_.empty() ? "" : fmt::format("; the file's is {}", instance_)));
    return {};
  }

  Result<void> surface(const AbaqusBlock& block) {
    if (auto fine = parameters(block, {"NAME", "TYPE", "INTERNAL", "INSTANCE"}); !fine) return fine;
    const auto name = block.value("NAME");
    if (!name || name->empty()) return at(block, "NAME=name is missing");
    if (const auto type = block.value("TYPE"); type && upper(*type) != "ELEMENT") {
      notes_.push_back(fmt::format("{}:{}: surface '{}' is not used: TYPE {}, only ELEMENT is read", file_, block.line,
                                   *name, *type));
      return {};
    }
    for (const MeshLine& line : block.data) {
      fields(line.text, fields_);
      const std::string face = fields_.size() == 2 ? upper(fields_[1]) : "";
      if (face.size() != 2 || face[0] != 'S' || face[1] < '1' || face[1] > '6')
        return builder_.at(
            line.number,
            fmt::format("'{}': expected a set of elements or an element, and a face S1 … S6", line.text.substr(0, 60)));
      const auto list = members(line, fields_[0], false);
      if (!list) return list.error();
      if (auto fine = builder_.take(8 * list->size(), line.number); !fine) return fine;
      for (const int e : *list)
        if (auto fine = facet(line, *name, e, face[1] - '1'); !fine) return fine;
    }
    return {};
  }

  Result<void> facet(const MeshLine& line, std::string_view name, int e, int face) {
    const fem::Shape shape = builder_.shape(e);
    const int local = abaqus_face(shape, face);
    if (local < 0)
      return builder_.at(line.number, fmt::format("element {} ({}) has no face S{}", builder_.element_label(e),
                                                  fem::info(shape).name, face + 1));
    const fem::Facet& facet = fem::facets(shape)[static_cast<std::size_t>(local)];
    std::vector<int> nodes;
    for (const int a : facet.nodes) nodes.push_back(builder_.nodes_of(e)[a]);
    const int made = builder_.add_unlabelled(facet.shape, nodes);
    builder_.add_to_group(builder_.group(name, fem::info(facet.shape).dimension), made);
    return {};
  }

  void make_groups() {
    for (const auto& [key, set] : element_sets_)
      for (const int e : set.members)
        builder_.add_to_group(builder_.group(set.name, fem::info(builder_.shape(e)).dimension), e);
    std::map<int, int> points;  // one element per node, however many sets it is in
    for (const auto& [key, set] : node_sets_) {
      const auto group = builder_.group(set.name, 0);
      for (const int node : set.members) {
        const auto [place, made] = points.emplace(node, -1);
        if (made) place->second = builder_.add_unlabelled(fem::Shape::point1, std::array{node});
        builder_.add_to_group(group, place->second);
      }
    }
  }

  void note_leftovers() {
    if (!types_.empty())
      notes_.push_back(fmt::format("{}: of the element types {} the shapes are used; the model says how they deform",
                                   file_, fmt::join(types_, ", ")));
    std::vector<std::string> list;
    for (const auto& [keyword, count] : skipped_)
      list.push_back(count == 1 ? "*" + keyword : fmt::format("*{} ({} times)", keyword, count));
    if (!list.empty()) notes_.push_back(fmt::format("{}: keywords without use here: {}", file_, joined(list)));
  }

  std::string file_;
  std::string_view text_;
  MeshBuilder builder_;
  std::vector<const AbaqusBlock*> used_;
  std::vector<std::string_view> fields_;
  Sets node_sets_, element_sets_;
  std::string instance_;
  std::set<std::string> types_;
  std::map<std::string, int> skipped_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<MeshFile> parse_abaqus(std::string_view text, std::string_view file) { return AbaqusReader(text, file).run(); }

}  // namespace rubato::io
