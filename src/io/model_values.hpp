#pragma once
/// Values of a model file: numbers with units, expressions, vectors, frames, functions, written to drafts. Collects mistakes.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/model_keys.hpp"
#include "io/toml_tree.hpp"
#include "rubato/base/expression.hpp"
#include "rubato/io/model_file.hpp"

namespace rubato::io {

/// "2", "2*L", "20 mm": a number in SI units. `unit` "any": every unit will do.
[[nodiscard]] Result<double> quantity(std::string_view text, std::string_view unit,
                                      const Expression::Constants& constants);

/// "20 mm", "3 1/s": a number with a unit, not an expression.
[[nodiscard]] bool is_quantity(std::string_view text);

class ModelValues {
 public:
  static constexpr std::size_t most_mistakes = 50;

  std::string file;                      ///< being read
  const FileText* files = nullptr;       ///< reads those that it names
  Expression::Constants constants = {};  ///< parameters so far
  std::vector<std::string> mistakes = {};

  /// A name that must exist once everything is read.
  struct Reference {
    std::string place, path, name;
    bool to_joint = false;
  };
  std::vector<Reference> references = {};

  /// "file:line:column", or "--set" for values from the command line.
  [[nodiscard]] std::string place_of(const TomlNode& node) const;
  void complain(const TomlNode& node, std::string_view path, std::string_view sentence);
  void complain_at(std::string_view place, std::string_view path, std::string_view sentence);

  /// All keys of a table; false: something was wrong. `path`: "joint", for messages.
  bool read(const ModelSection& section, const TomlNode& table, const std::string& path, Draft& draft);
  /// A finite number in the key's unit and range.
  std::optional<double> number(const ModelKey& key, const TomlNode& node, const std::string& path);

 private:
  using Path = const std::string&;
  bool store(const ModelKey& key, std::string* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, double* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<double>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, bool* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::uint8_t* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, multibody::Vector3* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<multibody::Vector3>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<multibody::Quaternion>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<Names2>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, FunctionPointer* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::array<FunctionPointer, 3>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<multibody::Marker>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<multibody::Surface>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<multibody::LuGre>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<SolidDraft>* target, const TomlNode& node, Path path);
  // model_flexible.cpp
  bool store(const ModelKey& key, int* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::vector<double>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::vector<multibody::Vector3>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::vector<multibody::ModalNode>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::vector<multibody::Mode>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<multibody::ModalBeam>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::optional<FlexibleDraft>* target, const TomlNode& node, Path path);
  bool modal_file(const TomlNode& node, Path path, FlexibleDraft& draft);
  // solid_values.cpp
  bool store(const ModelKey& key, std::vector<fem::RingLayer>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::vector<fem::PronyTerm>* target, const TomlNode& node, Path path);
  bool store(const ModelKey& key, std::array<AxisMotion, 3>* target, const TomlNode& node, Path path);
  bool store_motion(const ModelKey& key, AxisMotion& target, const TomlNode& node, Path path);
  bool tables(std::string_view section, const ModelKey& key, const TomlNode& node, Path path,
              const std::function<void(const Draft&)>& keep);

  bool wrong_type(const ModelKey& key, const TomlNode& node, Path path);
  bool numbers(const ModelKey& key, std::span<double> target, const TomlNode& node, Path path);
  bool table_function(const ModelKey& key, FunctionPointer* target, const TomlNode& node, Path path);
  bool sub_table(std::string_view section, const ModelKey& key, const TomlNode& node, Path path, Draft& draft);
};

}  // namespace rubato::io
