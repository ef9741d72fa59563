#include "rubato/io/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/model_geometry.hpp"
#include "io/model_reader.hpp"
#include "io/model_values.hpp"
#include "io/toml_text.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

using namespace multibody;

namespace {

constexpr std::size_t most_elements = 200'000, most_files = 64, deepest_include = 16;
const std::vector<std::string> element_tables = {"body", "joint", "coupling", "force", "shape"};
const std::vector<std::string> model_tables = {"include", "model",    "parameters", "body",
                                               "joint",   "coupling", "force",      "shape"};

bool is_word(std::string_view name, bool minus_allowed) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto more = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || (minus_allowed && c == '-'); };
  return !name.empty() && name.size() <= 100 && letter(name[0]) && std::all_of(name.begin(), name.end(), more);
}

class Assembler {
 public:
  explicit Assembler(const FileText& read) : read_(read) { values_.files = &read_; }

  void take_overrides(std::span<const std::string> overrides) {
    for (const auto& text : overrides) {
      const auto equals = text.find('='), dot = text.find('.');
      const std::string table = text.substr(0, std::min(dot, equals));
      const std::string key = dot < equals ? text.substr(dot + 1, equals - dot - 1) : std::string{};
      if (equals == std::string::npos || key.empty()) {
        values_.mistakes.push_back(fmt::format("--set {}: expected key=value, e.g. --set parameters.L=2", text));
        continue;
      }
      TomlNode& into = table == "model" ? model_overrides_ : parameter_overrides_;
      into.entries.push_back({.key = key, .node = toml_value(text.substr(equals + 1))});
    }
  }

  void read_root(const TomlNode& root, const std::filesystem::path& file, bool included) {
    values_.file = file.string();
    if (included)
      for (const auto& [name, line, column, node] : root.entries)
        if (!is_model_table(name))
          values_.complain_at(place(line, column), name,
                              fmt::format("not in an included file; known there: {}", joined(model_tables)));
    if (const TomlNode* includes = root.find("include")) {
      read_includes(*includes, file);
      values_.file = file.string();
    }
    if (const TomlNode* parameters = root.find("parameters")) read_parameters(*parameters);
    if (const TomlNode* model = root.find("model")) read_model(*model);
    for (const auto& [name, line, column, node] : root.entries)
      if (std::find(element_tables.begin(), element_tables.end(), name) != element_tables.end()) {
        if (!node.is_list()) {
          values_.complain(node, name,
                           fmt::format("{} is {}; expected entries [[{}]]", plain(node), type_words(node), name));
          continue;
        }
        for (const auto& entry : node.items) read_element(name, entry);
      }
  }

  Result<ModelFile> finish() {
    read_model(model_overrides_);
    std::vector<std::string> names;
    for (const auto& [name, value] : model_.parameters) names.push_back(name);
    for (const auto& [key, line, column, node] : parameter_overrides_.entries)
      if (std::find(names.begin(), names.end(), key) == names.end())
        values_.complain_at("--set", "parameters." + key,
                            names.empty() ? "the model has no parameters" : unknown_name("parameter", key, names));
    std::vector<std::string> bodies = {"ground"}, joints;
    for (const auto& body : body_names_) bodies.push_back(body);
    for (const auto& joint : joint_names_) joints.push_back(joint);
    std::sort(bodies.begin() + 1, bodies.end());
    std::sort(joints.begin(), joints.end());
    for (const auto& reference : values_.references) {
      const auto& known = reference.to_joint ? joints : bodies;
      if (!std::binary_search(known.begin() + (reference.to_joint ? 0 : 1), known.end(), reference.name) &&
          (reference.to_joint || reference.name != "ground"))
        values_.complain_at(reference.place, reference.path,
                            shortened(unknown_name(reference.to_joint ? "joint" : "body", reference.name, known)));
    }
    check_ratios();
    if (!values_.mistakes.empty()) return Error{joined(values_.mistakes, "\n")};
    if (model_.mechanism.bodies.empty()) return Error{fmt::format("{}: body: missing; at least one [[body]]", file_)};
    std::string text;
    if (!model_.parameters.empty()) text += "\n[parameters]\n";
    for (const auto& [name, value] : model_.parameters) text += fmt::format("{} = {}\n", name, toml_text(value));
    text += elements_text_;
    text += fmt::format("\n[model]\ngravity = [{}, {}, {}]\n", toml_text(model_.mechanism.gravity[0]),
                        toml_text(model_.mechanism.gravity[1]), toml_text(model_.mechanism.gravity[2]));
    model_.text = std::move(text);
    model_.formulation = draft_.formulation;
    return std::move(model_);
  }

  void set_file(std::string_view file) { file_ = file; }

 private:
  [[nodiscard]] std::string place(int line, int column) const {
    return fmt::format("{}:{}:{}", values_.file, line, column);
  }
  static std::string shortened(std::string sentence) {
    constexpr std::size_t longest = 400;
    return sentence.size() > longest ? sentence.substr(0, longest) + " …" : sentence;
  }

  void read_includes(const TomlNode& node, const std::filesystem::path& from) {
    const std::vector<TomlNode> single(node.is_text() ? 1 : 0, node);
    if (!node.is_list() && !node.is_text())
      return values_.complain(node, "include",
                              fmt::format("{} is {}; allowed: a list of files", plain(node), type_words(node)));
    const auto start = from.lexically_normal();
    stack_.push_back(start);
    for (const auto& item : node.is_text() ? single : node.items) {
      if (!item.is_text()) {
        values_.complain(item, "include", fmt::format("{} is {}; allowed: a file", plain(item), type_words(item)));
        continue;
      }
      const auto file = (from.parent_path() / item.text).lexically_normal();
      if (std::find(stack_.begin(), stack_.end(), file) != stack_.end()) {
        values_.complain(item, "include", fmt::format("{} includes itself", plain(item)));
      } else if (stack_.size() > deepest_include || ++n_files_ > most_files) {
        values_.complain(item, "include",
                         fmt::format("more than {} files, or {} inside each other", most_files, deepest_include));
      } else if (const auto text = read_(file); !text) {
        values_.complain(item, "include", text.error().message);
      } else if (const auto root = parse_toml(*text, file.string()); !root) {
        values_.mistakes.push_back(root.error().message);
      } else {
        read_root(*root, file, true);
        values_.file = from.string();
      }
    }
    stack_.pop_back();
  }

  void read_parameters(const TomlNode& table) {
    if (!table.is_table())
      return values_.complain(
          table, "parameters",
          fmt::format("{} is {}; a table is expected: [parameters]", plain(table), type_words(table)));
    for (const auto& [name, line, column, node] : table.entries) {
      const std::string path = "parameters." + name;
      if (!is_word(name, false)) {
        values_.complain_at(place(line, column), path, "not a name; allowed: letters, digits and _");
        continue;
      }
      if (name == "t" || name == "x" || name == "pi" || name == "e") {
        values_.complain_at(place(line, column), path,
                            "t, x, pi and e have a meaning in expressions; another name is needed");
        continue;
      }
      if (values_.constants.contains(name)) {
        values_.complain_at(place(line, column), path, "given twice");
        continue;
      }
      const TomlNode* chosen = &node;
      for (const auto& given : parameter_overrides_.entries)
        if (given.key == name) chosen = &given.node;
      const ModelKey any{
          .name = name, .help = {}, .unit = "any", .field = [](Draft& d) -> ModelField { return &d.mass; }};
      const double value = values_.number(any, *chosen, path).value_or(1);  // a guess, to find further mistakes
      values_.constants[name] = value;
      model_.parameters.emplace_back(name, value);
    }
  }

  void read_model(const TomlNode& table) {
    if (!table.is_table())
      return values_.complain(table, "model",
                              fmt::format("{} is {}; a table is expected: [model]", plain(table), type_words(table)));
    const ModelSection& section = *find_section("model");
    if (values_.read(section, table, "model", draft_)) section.keep(draft_, model_.mechanism);
  }

  void read_element(const std::string& table, const TomlNode& node) {
    if (!node.is_table())
      return values_.complain(node, table,
                              fmt::format("{} is {}; expected a table [[{}]]", plain(node), type_words(node), table));
    if (++n_elements_ > most_elements) {
      if (n_elements_ == most_elements + 1)
        values_.complain(node, table, fmt::format("more than {} bodies, joints, forces and shapes", most_elements));
      return;
    }
    Draft draft;
    const std::string type = table == "body" ? std::string{} : type_of(table, node);
    if (type.empty() && table != "body") return register_name(table, node);
    const ModelSection& section = *find_section(table, type);
    const bool fine = values_.read(section, node, table, draft);
    register_name(table, node);
    if (!fine) return;
    const auto complete = table == "body"      ? complete_body(draft)
                          : section.two_frames ? complete_frames(draft, section.apart)
                                               : Result<void>{};
    if (!complete) return values_.complain(node, fmt::format("{} '{}'", table, draft.name), complete.error().message);
    if (section.keep != nullptr) section.keep(draft, model_.mechanism);
    if (const TomlNode* ratio = node.find("ratio"); ratio != nullptr && ratio->is_text() && type == "gear")
      ratios_.push_back({*ratio, values_.place_of(*ratio), model_.mechanism.couplings.size() - 1});
    elements_text_ += fmt::format("\n[[{}]]\n", table);
    for (const auto& [key, line, column, value] : node.entries) {
      const bool from_file = key == "flexible" && draft.modal && !draft.modal->file_text.empty();
      elements_text_ += fmt::format("{} = {}\n", toml_key(key), from_file ? draft.modal->file_text : toml_text(value));
    }
  }

  /// The type named, or nothing after a complaint.
  std::string type_of(const std::string& table, const TomlNode& node) {
    const auto known = section_types(table);
    const TomlNode* type = node.find("type");
    if (type == nullptr) {
      values_.complain(node, table + ".type", fmt::format("missing; one of {}", joined(known)));
    } else if (!type->is_text()) {
      values_.complain(*type, table + ".type",
                       fmt::format("{} is {}; one of {}", plain(*type), type_words(*type), joined(known)));
    } else if (find_section(table, type->text) == nullptr) {
      values_.complain(*type, table + ".type", unknown_name("type of " + table, type->text, known));
    } else {
      return type->text;
    }
    return {};
  }

  void register_name(const std::string& table, const TomlNode& node) {
    const TomlNode* name = node.find("name");
    if (name == nullptr || !name->is_text()) return;  // said already
    const std::string path = table + ".name";
    if (!is_word(name->text, true))
      return values_.complain(*name, path,
                              fmt::format("{}; allowed: letters, digits, _ and -, a letter first", plain(*name)));
    if (name->text == "ground") return values_.complain(*name, path, "\"ground\" is the body that always exists");
    const auto [at, is_new] = model_.places.emplace(name->text, values_.place_of(*name));
    if (!is_new)
      return values_.complain(*name, path,
                              fmt::format("{} is the name of another part, at {}", plain(*name), at->second));
    if (table == "body") body_names_.push_back(name->text);
    if (table == "joint") joint_names_.push_back(name->text);
  }

  Result<void> complete_body(Draft& d) {
    Body& body = d.body;
    body.name = d.name;
    const auto pose = pose_of(d.frame);
    if (!pose) return pose.error();
    body.pose = *pose;
    if (d.modal) {
      if (d.mass || d.density || d.inertia || d.shape)
        return Error{"flexible together with mass, density, inertia or shape; nodes have mass and inertia"};
      auto data = modal_body_of(*d.modal);
      if (!data) return data.error();
      body.flexible = std::make_shared<const ModalBody>(std::move(*data));
      model_.mechanism.bodies.push_back(body);
      return {};
    }
    if (!body.deformation.empty() || !body.deformation_rate.empty())
      return Error{"deformation of a rigid body; a flexible one has it (key flexible)"};
    if (d.mass.has_value() == d.density.has_value())
      return Error{d.mass ? "mass and density; give one of them" : "mass is missing (or shape and density)"};
    if (d.density && !d.shape) return Error{"density needs a shape"};
    if (d.shape && d.inertia) return Error{"shape and inertia; give one of them"};
    if (d.shape) {
      const auto solid = inertia_of(*d.shape, d.mass, d.density);
      if (!solid) return solid.error();
      body.mass = solid->mass;
      if (body.kind != BodyKind::point) body.inertia = solid->inertia;
      if (body.kind == BodyKind::spatial && std::count(body.inertia.begin(), body.inertia.end(), 0.0) > 0)
        return Error{"a thin rod has no inertia about itself; give shape.radius"};
      model_.mechanism.looks.push_back(look_of(*d.shape, d.name));
    } else {
      body.mass = *d.mass;
      if (d.inertia) body.inertia = *d.inertia;
      if (!d.inertia && body.kind != BodyKind::point)
        return Error{"inertia is missing (or shape); for kind = \"point\" none is needed"};
    }
    model_.mechanism.bodies.push_back(body);
    return {};
  }

  /// What a ratio may mean is known with the joints it connects.
  void check_ratios() {
    const auto& m = model_.mechanism;
    for (const auto& [node, place, number] : ratios_) {
      const auto slides = [&](const std::string& name) {
        const auto joint = std::ranges::find(m.joints, name, &multibody::Joint::name);
        return joint != m.joints.end() && joint->type == multibody::JointType::prismatic;
      };
      const bool first = slides(m.couplings[number].joint_1), second = slides(m.couplings[number].joint_2);
      const auto fits = quantity(node.text, first == second ? "" : first ? "m/rad" : "rad/m", values_.constants);
      if (!fits)
        values_.complain_at(place, "coupling.ratio",
                            fmt::format("{}: {} between {} and {} joint", plain(node), fits.error().message,
                                        first ? "a prismatic" : "a revolute", second ? "a prismatic" : "a revolute"));
    }
  }

  static Result<void> complete_frames(Draft& d, bool apart) {
    const FrameDraft& f = d.frame;
    const bool shared = f.at || f.axis || f.x_axis || f.angle || f.euler || f.rotation_vector || f.quaternion;
    if (d.bodies) {
      if (d.a || d.b) return Error{"bodies together with a or b; give the frame once (bodies, at) or twice (a, b)"};
      if (apart)
        return Error{"bodies with one place for both ends, which must lie apart; give a = {body = …, at = …} and b"};
      if (!f.at) return Error{"at is missing: where the frame is in space at the start"};
      const auto pose = pose_of(f);
      if (!pose) return pose.error();
      d.a = Marker{.body = (*d.bodies)[0], .pose = *pose, .in_space = true};
      d.b = Marker{.body = (*d.bodies)[1], .pose = *pose, .in_space = true};
    } else if (!d.a || !d.b) {
      return Error{"bodies = [\"…\", \"…\"] with at = […], or both a and b are needed"};
    } else if (shared) {
      return Error{"at, axis … belong to bodies; within a and b they stand inside"};
    }
    if (d.a->body == d.b->body) return Error{fmt::format("joins '{}' with itself", d.a->body)};
    return {};
  }

  const FileText& read_;
  ModelValues values_;
  ModelFile model_;
  Draft draft_;  // of [model]
  std::string file_, elements_text_;
  TomlNode parameter_overrides_, model_overrides_;
  struct Ratio {
    TomlNode node;
    std::string place;
    std::size_t coupling;
  };
  std::vector<Ratio> ratios_;  ///< of gears, with a unit or as an expression
  std::vector<std::filesystem::path> stack_;
  std::vector<std::string> body_names_, joint_names_;
  std::size_t n_files_ = 1, n_elements_ = 0;
};

}  // namespace

bool is_model_table(std::string_view name) {
  return std::find(model_tables.begin(), model_tables.end(), name) != model_tables.end();
}
bool holds_model(const TomlNode& root) {
  return std::any_of(root.entries.begin(), root.entries.end(), [&](const TomlEntry& e) {
    return is_model_table(e.key) && ((e.key != "model" && e.key != "parameters") || root.find("problem") == nullptr);
  });
}
bool is_model_override(std::string_view text) { return text.starts_with("parameters.") || text.starts_with("model."); }

Result<ModelFile> model_of(const TomlNode& root, std::string_view file, std::span<const std::string> overrides,
                           const FileText& read) {
  Assembler assembler(read);
  assembler.set_file(file);
  assembler.take_overrides(overrides);
  assembler.read_root(root, std::filesystem::path(file), false);
  return assembler.finish();
}

Result<ModelFile> parse_model_file(std::string_view text, std::string_view file, std::span<const std::string> overrides,
                                   const FileText& read) {
  const auto root = parse_toml(text, file);
  if (!root) return root.error();
  return model_of(*root, file, overrides, read);
}

Result<ModelFile> read_model_file(const std::filesystem::path& file, std::span<const std::string> overrides) {
  const auto text = read_file(file);
  if (!text) return text.error();
  return parse_model_file(*text, file.string(), overrides, read_file);
}

Error ModelFile::at_part(std::string_view sentence) const {
  for (std::size_t from = sentence.find('\''); from != std::string_view::npos; from = sentence.find('\'', from + 1)) {
    const auto end = sentence.find('\'', from + 1);
    if (end == std::string_view::npos) break;
    std::string_view name = sentence.substr(from + 1, end - from - 1);
    name = name.substr(0, name.find('.'));  // a row of a joint: 'hinge.x'
    if (const auto found = places.find(name); found != places.end())
      return Error{fmt::format("{}: {}", found->second, sentence)};
  }
  return Error{std::string(sentence)};
}

}  // namespace rubato::io
