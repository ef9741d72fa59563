#include "rubato/io/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/model_geometry.hpp"
#include "io/model_reader.hpp"
#include "io/model_tables.hpp"
#include "io/toml_text.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/file.hpp"

namespace rubato::io {

using namespace multibody;

namespace {

constexpr std::size_t most_elements = 200'000;
const std::vector<std::string> element_tables = {"body", "joint", "coupling", "force", "shape"};
const std::vector<std::string> model_tables = {"include", "model",    "parameters", "body",
                                               "joint",   "coupling", "force",      "shape"};

class Assembler final : public ModelTables {
 public:
  explicit Assembler(const FileText& read) : ModelTables(read, model_tables, {"t", "x", "pi", "e"}) {}

  Result<ModelFile> finish() {
    if (const auto found = overrides_.find("model"); found != overrides_.end()) read_model(found->second);
    check_parameters();
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
    std::string text = parameters_text() + elements_text_;
    text += fmt::format("\n[model]\ngravity = [{}, {}, {}]\n", toml_text(model_.mechanism.gravity[0]),
                        toml_text(model_.mechanism.gravity[1]), toml_text(model_.mechanism.gravity[2]));
    model_.text = std::move(text);
    model_.parameters = parameters_;
    model_.formulation = draft_.formulation;
    return std::move(model_);
  }

  void set_file(std::string_view file) { file_ = file; }

 private:
  static std::string shortened(std::string sentence) {
    constexpr std::size_t longest = 400;
    return sentence.size() > longest ? sentence.substr(0, longest) + " …" : sentence;
  }

  void read_tables(const TomlNode& root) override {
    if (const TomlNode* model = root.find("model")) read_model(*model);
    for (const auto& [name, line, column, node] : root.entries)
      if (std::find(element_tables.begin(), element_tables.end(), name) != element_tables.end())
        for (const auto& entry : as_entries(node, name)) read_element(name, entry);
  }

  void read_model(const TomlNode& table) {
    if (as_table(table, "model") == nullptr) return;
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
    const std::string type = table == "body" ? std::string{} : type_of(model_sections(), table, node, "type");
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
    TomlNode kept = node;
    for (auto& [key, line, column, value] : kept.entries)
      if (key == "flexible" && draft.modal && !draft.modal->file_text.empty())
        value = toml_value(draft.modal->file_text);
    elements_text_ += fmt::format("\n[[{}]]\n{}", table, entries_text(kept));
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

  ModelFile model_;
  Draft draft_;  // of [model]
  std::string file_, elements_text_;
  struct Ratio {
    TomlNode node;
    std::string place;
    std::size_t coupling;
  };
  std::vector<Ratio> ratios_;  ///< of gears, with a unit or as an expression
  std::vector<std::string> body_names_, joint_names_;
  std::size_t n_elements_ = 0;
};

}  // namespace

const std::vector<std::string>& model_table_names() { return model_tables; }
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
  const auto text = read_text_file(file);
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
