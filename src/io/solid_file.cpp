#include "rubato/io/solid_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/model_reader.hpp"
#include "io/model_tables.hpp"
#include "io/solid_mesh.hpp"
#include "rubato/base/text.hpp"
#include "rubato/fem/locking.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

namespace {

const std::vector<std::string> solid_tables = {"include", "solid",      "mesh",     "parameters", "material",
                                               "region",  "prescribed", "traction", "force",      "rigid",
                                               "probe",   "contact",    "obstacle"};

class SolidReader final : public ModelTables {
 public:
  SolidReader(const FileText& read, std::string_view file)
      : ModelTables(read, solid_tables, {"t", "x", "X", "Y", "Z", "pi", "e"}), read_mesh_(read), file_(file) {}

  Result<SolidFile> finish() {
    check_parameters();
    for (const char* table : {"solid", "mesh"})
      if (!solid_.places.contains(table))
        values_.complain_at(file_, table, fmt::format("missing; a finite element model has a table [{}]", table));
    if (solid_.places.contains("region")) check_names();
    if (values_.mistakes.empty() && !solid_.places.contains("region"))
      values_.complain_at(file_, "region", "missing; at least one [[region]] says what the body is made of");
    if (!values_.mistakes.empty()) return Error{joined(values_.mistakes, "\n")};
    add_motions();
    add_probes();
    if (!values_.mistakes.empty()) return Error{joined(values_.mistakes, "\n")};
    for (auto& sentence : fem::notes_on_locking(solid_.model)) solid_.notes.push_back(std::move(sentence));
    solid_.parameters = parameters_;
    solid_.text = parameters_text() + entries_text_ + solid_text_;
    return std::move(solid_);
  }

 private:
  void read_tables(const TomlNode& root) override {
    if (const TomlNode* solid = root.find("solid"); solid != nullptr && once("solid", *solid)) read_solid(*solid);
    if (const TomlNode* mesh = root.find("mesh"); mesh != nullptr && once("mesh", *mesh)) read_mesh(*mesh);
    for (const auto& [name, line, column, node] : root.entries)
      if (name != "solid" && name != "mesh" && name != "include" && name != "parameters" && is_solid_table(name))
        for (const auto& entry : as_entries(node, name)) read_entry(name, entry);
  }

  /// A table that may stand in one of the files only.
  bool once(const std::string& table, const TomlNode& node) {
    if (as_table(node, table) == nullptr) return false;
    const auto [at, is_new] = solid_.places.emplace(table, values_.place_of(node));
    if (!is_new) values_.complain(node, table, fmt::format("given twice; the first is at {}", at->second));
    return is_new;
  }

  void read_solid(const TomlNode& node) {
    TomlNode table = overridden("solid", node);
    Draft draft;
    if (!values_.read(*find_section("solid", {}, solid_sections()), table, "solid", draft)) return;
    fem::SolidModel& model = solid_.model;
    model.analysis = draft.fem.analysis;
    model.thickness = draft.fem.thickness;
    model.lumped_mass = draft.fem.mass == MassKind::lumped;
    model.mass_damping = draft.fem.mass_damping;
    model.stiffness_damping = draft.fem.stiffness_damping;
    model.gravity = functions(draft.fem.gravity);
    model.threads = draft.fem.threads;
    model.rigid_stiffness = draft.fem.rigid_stiffness;
    solid_.formulation = draft.formulation;
    solid_.start_in_equilibrium = draft.fem.start == StartKind::equilibrium;
    std::erase_if(table.entries, [](const TomlEntry& e) { return e.key == "formulation"; });  // whoever writes adds it
    solid_text_ = "\n[solid]\n" + entries_text(table);
  }

  void read_mesh(const TomlNode& node) {
    TomlNode table = overridden("mesh", node);
    const bool generated = table.find("generator") != nullptr;
    const std::string type =
        generated ? type_of(solid_sections(), "mesh", table, "generator") : std::string{};  // empty: a file
    if (generated && type.empty()) return;
    Draft draft;
    draft.fem.shape = type == "cylinder" || type == "bushing" ? fem::Shape::hex8 : fem::Shape::quad9;
    if (!values_.read(*find_section("mesh", type, solid_sections()), table, "mesh", draft)) return;
    if (generated) {
      auto mesh = generated_mesh(type, draft.fem);
      if (!mesh) return values_.complain(node, "mesh", mesh.error().message);
      solid_.model.mesh = *std::move(mesh);
    } else {
      const auto file = (std::filesystem::path(values_.file).parent_path() / draft.fem.file).lexically_normal();
      TomlNode& name = std::ranges::find(table.entries, "file", &TomlEntry::key)->node;
      auto mesh = mesh_of_file(file, draft.fem.unit, read_mesh_);
      if (!mesh) return values_.complain(name, "mesh.file", mesh.error().message);
      solid_.model.mesh = std::move(mesh->mesh);
      for (auto& sentence : mesh->notes) solid_.notes.push_back(std::move(sentence));
      std::error_code ignored;  // the text is read from other folders, too
      name.text = std::filesystem::absolute(file, ignored).string();
    }
    entries_text_ += "\n[mesh]\n" + entries_text(table);
    mesh_read_ = true;
  }

  void read_entry(const std::string& table, const TomlNode& node) {
    if (!node.is_table())
      return values_.complain(node, table,
                              fmt::format("{} is {}; expected a table [[{}]]", plain(node), type_words(node), table));
    solid_.places.emplace(table, values_.place_of(node));
    const bool obstacle = table == "obstacle";
    const std::string type = table == "material" ? type_of(solid_sections(), table, node, "law")
                             : obstacle          ? type_of(solid_sections(), table, node, "shape")
                                                 : std::string{};
    if (table == "material" && type.empty()) return note_material(node);
    if (obstacle && type.empty()) return;
    Draft draft;
    const bool fine = values_.read(*find_section(table, type, solid_sections()), node, table, draft);
    if (table == "material") note_material(node);
    for (const char* key : {"group", "slave", "master"}) note_group(table, node, key);
    if (const TomlNode* material = node.find("material"); material != nullptr && material->is_text())
      materials_.push_back({values_.place_of(*material), table + ".material", material->text});
    if (!fine) return;
    keep(table, type, node, draft);
    entries_text_ += fmt::format("\n[[{}]]\n{}", table, entries_text(node));
  }

  void keep(const std::string& table, const std::string& type, const TomlNode& node, const Draft& draft) {
    const FemDraft& d = draft.fem;
    fem::SolidModel& model = solid_.model;
    if (table == "material") {
      keep_material(type, node, draft);
    } else if (table == "region") {
      solid_.places.emplace("region " + d.group, values_.place_of(node));
      model.regions.push_back({.group = d.group, .material = d.material, .pressure = d.pressure});
    } else if (table == "prescribed") {
      const bool moves = std::ranges::any_of(d.displacement, &AxisMotion::given);
      if (moves == d.fixed)
        return values_.complain(node, table,
                                moves ? "displacement and fixed; give one of them"
                                      : "displacement = {x = …, y = …} or fixed = true is missing");
      motions_.push_back({d.group, d.fixed, d.displacement});
    } else if (table == "traction") {
      model.tractions.push_back({.group = d.group, .stress = functions(d.load)});
    } else if (table == "force") {
      model.forces.push_back({.group = d.group, .force = functions(d.load)});
    } else if (table == "rigid") {
      keep_rigid(node, draft);
    } else if (table == "probe") {
      if (!is_word(draft.name, true))
        return values_.complain(*node.find("name"), "probe.name",
                                fmt::format("\"{}\"; allowed: letters, digits, _ and -, a letter first", draft.name));
      if (d.at.has_value() == !d.group.empty())
        return values_.complain(node, table, "the place: one of at = [x, y, z] and group");
      if (std::ranges::find(probes_, draft.name, &ProbeDraft::name) != probes_.end())
        return values_.complain(*node.find("name"), "probe.name",
                                fmt::format("\"{}\" is the name of another probe", draft.name));
      probes_.push_back({draft.name, d.group, d.at});
    } else {
      keep_contact(table, type, node, draft);
    }
  }

  void keep_rigid(const TomlNode& node, const Draft& draft) {
    const FemDraft& d = draft.fem;
    if (!draft.name.empty() && !is_word(draft.name, true))
      return values_.complain(*node.find("name"), "rigid.name",
                              fmt::format("\"{}\"; allowed: letters, digits, _ and -, a letter first", draft.name));
    fem::RigidRegion rigid{.name = draft.name.empty() ? d.group : draft.name,
                           .group = d.group,
                           .reference = d.at,
                           .force = functions(d.load),
                           .moment = functions(d.moment),
                           .density = d.density,
                           .mass = d.mass_added,
                           .inertia = d.inertia};
    for (std::size_t i = 0; i < 3; ++i) {
      if (d.displacement[i].given()) rigid.displacement[i].emplace(*d.displacement[i].everywhere);
      if (d.rotation[i].given()) rigid.rotation[i].emplace(*d.rotation[i].everywhere);
    }
    solid_.places.emplace("rigid " + rigid.name, values_.place_of(node));
    solid_.model.rigid.push_back(std::move(rigid));
  }

  void keep_material(const std::string& law, const TomlNode& node, const Draft& draft) {
    const FemDraft& d = draft.fem;
    fem::Material material{.name = draft.name,
                           .density = d.density,
                           .volumetric = d.volumetric,
                           .bulk = d.bulk,
                           .beta = d.beta,
                           .prony = d.prony};
    if (law == "linear-elastic") {
      material.law = fem::LinearElastic{.young = d.young, .poisson = d.poisson};
    } else if (law == "saint-venant-kirchhoff") {
      material.law = fem::SaintVenantKirchhoff{.young = d.young, .poisson = d.poisson};
    } else if (law == "neo-hooke") {
      material.law = fem::neo_hooke(d.shear);
    } else if (law == "ogden") {
      fem::Ogden ogden;
      if (d.mu.size() != d.alpha.size())
        return values_.complain(node, "material.alpha",
                                fmt::format("{} exponents for {} moduli mu; as many", d.alpha.size(), d.mu.size()));
      for (std::size_t i = 0; i < d.mu.size(); ++i) ogden.terms.push_back({.mu = d.mu[i], .alpha = d.alpha[i]});
      material.law = std::move(ogden);
    } else {
      fem::Polynomial polynomial;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; i + j < 4; ++j)
          if (const double c = d.c[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; c != 0)
            polynomial.terms.push_back({.i = i, .j = j, .c = c});
      material.law = std::move(polynomial);
    }
    if (const auto fine = fem::check(material); !fine) return values_.complain(node, "material", fine.error().message);
    solid_.model.materials.push_back(std::move(material));
  }

  void note_material(const TomlNode& node) {
    const TomlNode* name = node.find("name");
    if (name == nullptr || !name->is_text()) return;  // said already
    const auto [at, is_new] = solid_.places.emplace("material " + name->text, values_.place_of(node));
    if (!is_new)
      values_.complain(*name, "material.name",
                       fmt::format("{} is the name of another material, at {}", plain(*name), at->second));
    material_names_.push_back(name->text);
  }
  void note_group(const std::string& table, const TomlNode& node, const char* key) {
    if (const TomlNode* group = node.find(key); group != nullptr && group->is_text())
      groups_.push_back({values_.place_of(*group), fmt::format("{}.{}", table, key), group->text});
  }

  void keep_contact(const std::string& table, const std::string& shape, const TomlNode& node, const Draft& draft) {
    if (!is_word(draft.name, true))
      return values_.complain(*node.find("name"), table + ".name",
                              fmt::format("\"{}\"; allowed: letters, digits, _ and -, a letter first", draft.name));
    const auto [first, is_new] = solid_.places.emplace(fmt::format("{} {}", table, draft.name), values_.place_of(node));
    if (!is_new)
      return values_.complain(*node.find("name"), table + ".name",
                              fmt::format("\"{}\" is the name of another, at {}", draft.name, first->second));
    if (table == "contact") {
      fem::Contact contact = draft.fem.contact;
      contact.name = draft.name;
      contact.law = draft.fem.law;
      solid_.model.contacts.push_back(std::move(contact));
      return;
    }
    fem::Obstacle obstacle = draft.fem.obstacle;
    obstacle.name = draft.name;
    obstacle.slave = draft.fem.contact.slave;
    obstacle.law = draft.fem.law;
    obstacle.shape = shape == "plane"      ? fem::ObstacleShape::plane
                     : shape == "cylinder" ? fem::ObstacleShape::cylinder
                                           : fem::ObstacleShape::sphere;
    for (std::size_t i = 0; i < 3; ++i)
      if (const auto& motion = draft.fem.displacement[i].everywhere; motion != nullptr)
        obstacle.displacement[i] = *motion;
    solid_.model.obstacles.push_back(std::move(obstacle));
  }

  /// Groups and materials that nobody made.
  void check_names() {
    for (const Named& named : materials_)
      if (std::ranges::find(material_names_, named.name) == material_names_.end())
        values_.complain_at(named.place, named.path, unknown_name("material", named.name, material_names_));
    if (!mesh_read_) return;
    std::vector<std::string> known;
    for (const auto& group : solid_.model.mesh.groups) known.push_back(group.name);
    for (const Named& named : groups_)
      if (std::ranges::find(known, named.name) == known.end())
        values_.complain_at(named.place, named.path, unknown_name("group", named.name, known));
  }

  void add_motions() {
    const fem::Mesh& mesh = solid_.model.mesh;
    for (const auto& [group, fixed, displacement] : motions_) {
      fem::Prescribed prescribed{.group = group};
      for (std::size_t i = 0; i < static_cast<std::size_t>(mesh.dimension); ++i) {
        const AxisMotion& axis = displacement[i];
        if (!axis.by_place.empty()) {
          check_by_place(axis, group);
          prescribed.displacement[i].emplace(
              [text = axis.by_place, constants = values_.constants](std::span<const double> x) {
                auto function = at_place(text, constants, x);
                return function ? *std::move(function) : Function{};  // checked before
              });
        } else if (axis.everywhere != nullptr) {
          prescribed.displacement[i].emplace(*axis.everywhere);
        } else if (fixed) {
          prescribed.displacement[i].emplace(Function{});
        }
      }
      if (mesh.dimension == 2 && displacement[2].given())
        values_.complain_at(displacement[2].place, displacement[2].path, "the mesh is plane; allowed: x, y");
      solid_.model.prescribed.push_back(std::move(prescribed));
    }
  }

  /// X, Y, Z become constants: what is left is a function of time.
  static Result<Function> at_place(const std::string& text, Expression::Constants constants,
                                   std::span<const double> x) {
    for (std::size_t i = 0; i < 3; ++i) constants[std::string(1, "XYZ"[i])] = i < x.size() ? x[i] : 0;
    const std::string variables[] = {"t"};
    auto expression = Expression::parse(text, variables, constants);
    if (!expression) return expression.error();
    return Function(*std::move(expression));
  }
  void check_by_place(const AxisMotion& axis, const std::string& group) {
    const fem::Mesh& mesh = solid_.model.mesh;
    for (const int node : mesh.nodes_of(*mesh.find_group(group)))
      if (const auto function = at_place(axis.by_place, values_.constants, mesh.point(node)); !function)
        return values_.complain_at(
            axis.place, axis.path,
            fmt::format("\"{}\" at node {}: {}", axis.by_place, mesh.node_label(node), function.error().message));
  }

  void add_probes() {
    const fem::Mesh& mesh = solid_.model.mesh;
    for (const auto& [name, group, at] : probes_) {
      fem::Probe probe{.name = name};
      if (at) {
        probe.nodes = {nearest_node(*at)};
        if (const double distance = std::sqrt(squared_distance(mesh.point(probe.nodes[0]), *at)); distance > 1e-9)
          solid_.notes.push_back(fmt::format("probe \"{}\" is node {}, {:.3g} m from the place asked for", name,
                                             mesh.node_label(probe.nodes[0]), distance));
      } else {
        probe.nodes = mesh.nodes_of(*mesh.find_group(group));
      }
      solid_.model.probes.push_back(std::move(probe));
    }
    // What is moved can be plotted against what it takes.
    for (const auto& prescribed : solid_.model.prescribed) {
      const bool moves = std::ranges::any_of(prescribed.displacement, [](const auto& axis) {
        if (!axis) return false;
        if (!axis->uniform()) return true;
        const Function f = axis->at({});
        return f.expression() == nullptr || !f.expression()->is_constant();
      });
      if (moves &&
          std::ranges::find(solid_.model.probes, prescribed.group, &fem::Probe::name) == solid_.model.probes.end())
        solid_.model.probes.push_back(
            {.name = prescribed.group, .nodes = mesh.nodes_of(*mesh.find_group(prescribed.group))});
    }
  }
  static double squared_distance(std::span<const double> x, const std::array<double, 3>& place) {
    double square = 0;
    for (std::size_t i = 0; i < x.size(); ++i) square += (x[i] - place[i]) * (x[i] - place[i]);
    return square;
  }
  [[nodiscard]] int nearest_node(const std::array<double, 3>& place) const {
    const fem::Mesh& mesh = solid_.model.mesh;
    int nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int node = 0; node < mesh.n_nodes(); ++node)
      if (const double square = squared_distance(mesh.point(node), place); square < least) {
        least = square;
        nearest = node;
      }
    return nearest;
  }

  static std::array<Function, 3> functions(const std::array<FunctionPointer, 3>& given) {
    std::array<Function, 3> out;
    for (std::size_t i = 0; i < 3; ++i)
      if (given[i] != nullptr) out[i] = *given[i];
    return out;
  }

  struct Named {
    std::string place, path, name;
  };
  struct Motion {
    std::string group;
    bool fixed;
    std::array<AxisMotion, 3> displacement;
  };
  struct ProbeDraft {
    std::string name, group;
    std::optional<std::array<double, 3>> at;
  };
  const FileText& read_mesh_;
  std::string file_, entries_text_, solid_text_;
  SolidFile solid_;
  bool mesh_read_ = false;
  std::vector<Named> groups_, materials_;
  std::vector<std::string> material_names_;
  std::vector<Motion> motions_;
  std::vector<ProbeDraft> probes_;
};

}  // namespace

const std::vector<std::string>& solid_table_names() { return solid_tables; }
bool is_solid_table(std::string_view name) { return std::ranges::find(solid_tables, name) != solid_tables.end(); }
bool holds_solid(const TomlNode& root) { return root.find("solid") != nullptr || root.find("mesh") != nullptr; }
bool is_solid_override(std::string_view text) {
  return text.starts_with("parameters.") || text.starts_with("solid.") || text.starts_with("mesh.");
}

Result<SolidFile> solid_of(const TomlNode& root, std::string_view file, std::span<const std::string> overrides,
                           const FileText& read) {
  SolidReader reader(read, file);
  reader.take_overrides(overrides);
  reader.read_root(root, std::filesystem::path(file), false);
  return reader.finish();
}

Result<SolidFile> parse_solid_file(std::string_view text, std::string_view file, std::span<const std::string> overrides,
                                   const FileText& read) {
  const auto root = parse_toml(text, file);
  if (!root) return root.error();
  return solid_of(*root, file, overrides, read);
}

Result<SolidFile> read_solid_file(const std::filesystem::path& file, std::span<const std::string> overrides) {
  const auto text = read_text_file(file);
  if (!text) return text.error();
  return parse_solid_file(*text, file.string(), overrides, read_file);
}

Error SolidFile::at_part(std::string_view sentence) const {
  for (const auto& [part, place] : places) {
    const auto blank = part.find(' ');
    if (blank != std::string::npos && sentence.find(fmt::format("{} \"{}\"", part.substr(0, blank),
                                                                part.substr(blank + 1))) != std::string_view::npos)
      return Error{fmt::format("{}: {}", place, sentence)};
  }
  const auto whole =
      places.find(sentence.starts_with("the mesh") || sentence.starts_with("element") ? "mesh" : "solid");
  return Error{whole == places.end() ? std::string(sentence) : fmt::format("{}: {}", whole->second, sentence)};
}

}  // namespace rubato::io
