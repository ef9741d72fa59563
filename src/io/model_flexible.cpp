// Flexible bodies of a model file: lists of nodes and modes, from the file itself or from one of their own.
#include <fmt/format.h>

#include <cmath>

#include "io/model_geometry.hpp"
#include "io/model_values.hpp"

namespace rubato::io {

using multibody::Vector3;

bool ModelValues::store(const ModelKey& key, int* target, const TomlNode& node, Path path) {
  const auto value = number(key, node, path);
  if (!value) return false;
  if (*value != std::floor(*value) || *value > 1e6) {
    complain(node, path, fmt::format("{} is not allowed; allowed: {}", plain(node), allowed_values(key)));
    return false;
  }
  *target = static_cast<int>(*value);
  return true;
}
bool ModelValues::store(const ModelKey& key, std::vector<double>* target, const TomlNode& node, Path path) {
  if (!node.is_list()) return wrong_type(key, node, path);
  target->resize(node.items.size());
  return numbers(key, *target, node, path);
}
bool ModelValues::store(const ModelKey& key, std::vector<Vector3>* target, const TomlNode& node, Path path) {
  if (!node.is_list()) return wrong_type(key, node, path);
  bool fine = true;
  for (const auto& item : node.items) fine = numbers(key, target->emplace_back(), item, path) && fine;
  return fine;
}
bool ModelValues::store(const ModelKey& key, std::vector<multibody::ModalNode>* target, const TomlNode& node,
                        Path path) {
  if (!node.is_list()) return wrong_type(key, node, path);
  bool fine = true;
  for (const auto& item : node.items) {
    Draft draft;
    fine = sub_table("node", key, item, path, draft) && fine;
    target->push_back(std::move(draft.modal_node));
  }
  return fine;
}
bool ModelValues::store(const ModelKey& key, std::vector<multibody::Mode>* target, const TomlNode& node, Path path) {
  if (!node.is_list()) return wrong_type(key, node, path);
  bool fine = true;
  for (const auto& item : node.items) {
    Draft draft;
    fine = sub_table("mode", key, item, path, draft) && fine;
    target->push_back(std::move(draft.mode));
  }
  return fine;
}
bool ModelValues::store(const ModelKey& key, std::optional<multibody::ModalBeam>* target, const TomlNode& node,
                        Path path) {
  Draft draft;
  if (!sub_table("modal-beam", key, node, path, draft)) return false;
  *target = draft.modal_beam;
  return true;
}

bool ModelValues::store(const ModelKey& key, std::optional<FlexibleDraft>* target, const TomlNode& node, Path path) {
  Draft draft;
  if (!sub_table("flexible", key, node, path, draft)) return false;
  FlexibleDraft& made = draft.flexible;
  if (!made.file.empty() && !modal_file(node, path, made)) return false;
  if (const auto* modes = node.find("modes"))
    for (const auto& mode : modes->items) made.mode_places.push_back(place_of(mode));
  if (made.beam ? !made.nodes.empty() || !made.modes.empty() : made.nodes.empty()) {
    complain(node, path,
             made.beam ? "beam together with nodes or modes; a beam has its own"
                       : "nodes are missing, or a file or beam that has them");
    return false;
  }
  bool fine = true;
  for (std::size_t i = 0; i < made.modes.size(); ++i) {
    const auto& mode = made.modes[i];
    const auto wrong = [&](std::string_view name, std::string_view sentence) {
      complain_at(made.mode_places[i], fmt::format("{}.modes.{}", path, name), sentence);
      fine = false;
    };
    for (const auto& [name, values] : {std::pair{"shape", &mode.shape}, {"rotation", &mode.rotation}})
      if (values->size() != made.nodes.size() && !(values == &mode.rotation && values->empty()))
        wrong(name, fmt::format("{} entries for {} nodes; each node needs one, of three numbers", values->size(),
                                made.nodes.size()));
    if ((mode.stiffness > 0) == (mode.frequency_hz > 0))
      wrong("frequency_hz", mode.stiffness > 0 ? "given together with stiffness; give one of them"
                                               : "missing, or stiffness; give one of them");
    if (mode.damping > 0 && mode.damping_ratio > 0)
      wrong("damping", "given together with damping_ratio; give one of them");
  }
  if (fine) *target = std::move(made);
  return fine;
}

/// {file = "rod.toml"}: nodes and modes as the table itself would have them.
bool ModelValues::modal_file(const TomlNode& node, Path path, FlexibleDraft& draft) {
  const TomlNode& name = *node.find("file");
  const std::string here = file;
  const auto from = (std::filesystem::path(here).parent_path() / draft.file).lexically_normal();
  if (node.entries.size() > 1 || files == nullptr) {
    complain(name, path + ".file", "the file has nodes and modes; nothing may stand beside it");
    return false;
  }
  const auto text = (*files)(from);
  if (!text) {
    complain(name, path + ".file", text.error().message);
    return false;
  }
  const auto root = parse_toml(*text, from.string());
  if (!root) {
    mistakes.push_back(root.error().message);
    return false;
  }
  file = from.string();
  Draft inside;
  const bool fine = read(*find_section("flexible"), *root, path, inside);
  if (const auto* modes = root->find("modes"))
    for (const auto& mode : modes->items) inside.flexible.mode_places.push_back(place_of(mode));
  const bool nested = !inside.flexible.file.empty();
  if (nested) complain(*root->find("file"), path + ".file", "a file of nodes and modes does not name another");
  file = here;
  draft = std::move(inside.flexible);
  draft.file_text = toml_text(*root);
  return fine && !nested;
}

Result<multibody::ModalBody> modal_body_of(const FlexibleDraft& draft) {
  if (draft.beam) return modal_beam(*draft.beam);
  return multibody::ModalBody{.nodes = draft.nodes, .modes = draft.modes};
}

}  // namespace rubato::io
