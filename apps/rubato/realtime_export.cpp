// rubato realtime export: a plan and its model as C99, for a target that knows nothing of this program.
#include <fmt/format.h>

#include <filesystem>

#include "command.hpp"
#include "output_folder.hpp"
#include "print.hpp"
#include "realtime_model.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/plan_file.hpp"
#include "rubato/realtime/export.hpp"

namespace rubato::app {

namespace {

Result<realtime::Factorisation> factorisation_of(const std::string& name) {
  if (name == "auto") return realtime::Factorisation::automatic;
  if (name == "tables") return realtime::Factorisation::tables;
  if (name == "straight-line") return realtime::Factorisation::straight_line;
  return Error{unknown_name("factorisation", name, std::vector<std::string>{"auto", "tables", "straight-line"})};
}

/// A word of C from the name of the model: robot-r3 → robot_r3; one that C has already gets a suffix.
std::string name_of(const std::string& model) {
  std::string name = std::filesystem::path(model).stem().string();
  for (char& c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  if (name.empty() || name[0] == '_' || (name[0] >= '0' && name[0] <= '9')) name = "model_" + name;
  return realtime::check_export_name(name).ok() || name.size() > 30 ? name : name + "_model";
}

Result<realtime::Export> exported(const RealtimeExportArguments& arguments) {
  const auto factorisation = factorisation_of(arguments.factorisation);
  if (!factorisation) return factorisation.error();
  const auto plan = io::read_plan_file(arguments.plan);
  if (!plan) return plan.error();
  const auto model = realtime_model(*plan, arguments.plan, {});
  if (!model) return model.error();
  return realtime::export_c(
      model->dae(), *plan, model->start,
      {.name = arguments.name.empty() ? name_of(plan->model) : arguments.name, .factorisation = *factorisation});
}

}  // namespace

int realtime_export(const RealtimeExportArguments& arguments) {
  const auto made = exported(arguments);
  if (!made) return complain(made.error());
  OutputFolder folder(arguments.folder);
  if (const int code = folder.open(); code != done) return code;
  for (const auto& file : made->files) folder.write(file.name, file.text);
  print_out("equations    {:6} operations\nderivatives  {:6} operations\n", made->equations.all(),
            made->derivatives.all());
  if (made->straight_line)
    print_out("solution     {:6} operations, without loops\n", made->solution.all());
  else
    print_out("solution            loops over tables\n");
  return folder.finish(done);
}

}  // namespace rubato::app
