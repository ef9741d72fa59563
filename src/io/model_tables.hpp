#pragma once
/// What models of every kind share: files that include others, [parameters], values from the command line, and entries whose keys
/// depend on a type.
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/model_values.hpp"
#include "rubato/io/model_file.hpp"

namespace rubato::io {

/// Letters, digits, _ (and -), a letter first.
[[nodiscard]] bool is_word(std::string_view name, bool minus_allowed);

class ModelTables {
 public:
  /// `tables`: all that belong to a model of this kind. `reserved`: names that mean something in its expressions.
  ModelTables(const FileText& read, std::vector<std::string> tables, std::vector<std::string> reserved)
      : read_(read), tables_(std::move(tables)), reserved_(std::move(reserved)) {
    values_.files = &read_;
  }
  virtual ~ModelTables() = default;
  ModelTables(const ModelTables&) = delete;
  ModelTables& operator=(const ModelTables&) = delete;

  /// "table.key=value" each.
  void take_overrides(std::span<const std::string> overrides);
  void read_root(const TomlNode& root, const std::filesystem::path& file, bool included);

 protected:
  /// All tables but `include` and [parameters].
  virtual void read_tables(const TomlNode& root) = 0;

  [[nodiscard]] std::string place(int line, int column) const;
  /// The table, with what the command line says about it.
  [[nodiscard]] TomlNode overridden(std::string_view table, const TomlNode& node) const;
  /// The table itself where it is one; else nothing, after a complaint.
  [[nodiscard]] const TomlNode* as_table(const TomlNode& node, std::string_view name);
  /// Entries [[name]]; none after a complaint.
  [[nodiscard]] std::span<const TomlNode> as_entries(const TomlNode& node, std::string_view name);
  /// The type an entry names under `key`, or nothing after a complaint.
  [[nodiscard]] std::string type_of(const std::vector<ModelSection>& sections, const std::string& table,
                                    const TomlNode& node, const std::string& key);
  /// Complains about values from the command line that no parameter took.
  void check_parameters();
  [[nodiscard]] std::string parameters_text() const;
  [[nodiscard]] static std::string entries_text(const TomlNode& table);

  ModelValues values_;
  std::vector<std::pair<std::string, double>> parameters_;
  std::map<std::string, TomlNode, std::less<>> overrides_;  ///< by table

 private:
  void read_includes(const TomlNode& node, const std::filesystem::path& from);
  void read_parameters(const TomlNode& table);

  const FileText& read_;
  std::vector<std::string> tables_, reserved_;
  std::vector<std::filesystem::path> stack_;
  std::size_t n_files_ = 1;
};

}  // namespace rubato::io
