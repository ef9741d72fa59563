/// The only list of Rosenbrock methods: names, help, tests and steppers derive from it.
#include <array>
#include <string>

#include "rosenbrock/methods.hpp"
#include "rosenbrock_dense.hpp"
#include "rubato/integrate/rosenbrock_table.hpp"

namespace rubato {

std::span<const RosenbrockTable> rosenbrock_tables() {
  using namespace rosenbrock;
  static const auto tables = [] {
    std::array all{RUBATO_ROSENBROCK_METHODS};
    for (RosenbrockTable& table : all) build_dense_output(table);
    return all;
  }();
  return tables;
}

Result<const RosenbrockTable*> find_rosenbrock_table(std::string_view name) {
  const std::string_view wanted = name == "ro2" ? "ro2a" : name;
  for (const RosenbrockTable& table : rosenbrock_tables())
    if (table.name() == wanted) return &table;
  std::string message = "rosenbrock: no method is called '" + std::string(name) + "'; known are ro2";
  for (const RosenbrockTable& table : rosenbrock_tables()) message.append(", ").append(table.name());
  return Error{message};
}

}  // namespace rubato
