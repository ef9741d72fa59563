#pragma once
/// A plan and its model as C99: the steps of RealtimeStepper on a machine that knows nothing of this library.
///
/// The model is recorded over symbols (base/symbol.hpp) and written without loops and branches: f, and the entries of Df that are kept and
/// change, with what they have in common computed once. Factorisation and solution are loops over tables, or, where that is short, part
/// of the same program: everything constant in the step matrix is eliminated beforehand then. Results differ from those of RealtimeStepper
/// by rounding only. The text includes math.h and nothing else, allocates nothing and needs no other library.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/symbol_graph.hpp"
#include "rubato/realtime/plan.hpp"

namespace rubato::realtime {

enum class Factorisation : std::uint8_t {
  automatic,     ///< without loops where that makes at most 20 000 operations
  tables,        ///< loops over tables
  straight_line  ///< without loops, however long
};

struct ExportOptions {
  std::string name = "model";  ///< of files, types and functions: a word of C
  Factorisation factorisation = Factorisation::automatic;
};

struct ExportedFile {
  std::string name, text;
};

struct Export {
  std::vector<ExportedFile> files;  ///< NAME.h, NAME.c, NAME_example.c, Makefile, README.txt
  bool straight_line = false;       ///< the solution is part of the program
  SymbolCount equations, derivatives;
  SymbolCount solution;  ///< where it is part of the program; else see Plan::operations
};

/// A word of C, and none that makes names which are there already.
[[nodiscard]] Result<void> check_export_name(std::string_view name);

/// Writing the files is up to the caller. Refuses a plan that does not fit the model, and a model that cannot be recorded.
[[nodiscard]] Result<Export> export_c(const Dae& dae, const Plan& plan, const Sample& start,
                                      const ExportOptions& options = {});

}  // namespace rubato::realtime
