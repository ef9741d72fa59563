// rubato reproduce: a publication's tables and figures next to ours.
#include <fmt/format.h>

#include "command.hpp"
#include "experiments/experiment.hpp"
#include "interrupts.hpp"
#include "output_folder.hpp"
#include "print.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {
using experiments::Finding;

/// Tables one after another, each under its name; in CSV a blank line between them, in JSON one object with a member each.
class Printer {
 public:
  explicit Printer(io::TableFormat format) : format_(format) {}
  /// False: nobody gets to see it.
  bool print(const Finding& finding) {
    const io::Table table = experiments::table_of(finding.section, format_);
    if (table.rows.empty()) return true;
    const std::string text = io::render(table, format_);
    const std::string& name = finding.part->name;
    switch (format_) {
      case io::TableFormat::json: print_out("{}\"{}\": {}", first_ ? "{\n" : ",\n", name, text); break;
      case io::TableFormat::csv: print_out("{}{}", first_ ? "" : "\n", text); break;
      case io::TableFormat::text:
        print_out("{}{}: {}\n{}\n", first_ ? "" : "\n", name, finding.part->title, text);
        break;
      case io::TableFormat::markdown:
        print_out("{}### {}: {}\n\n{}", first_ ? "" : "\n", name, finding.part->title, text);
        break;
    }
    if (format_ == io::TableFormat::text && !finding.section.difference.empty())
      print_out("{}\n", finding.section.difference);
    first_ = false;
    return print_text("");
  }
  void finish() {
    if (format_ == io::TableFormat::json) print_text(first_ ? "{}\n" : "}\n");
  }

 private:
  io::TableFormat format_;
  bool first_ = true;
};

void write_report(const experiments::Experiment& experiment, const std::vector<Finding>& findings,
                  OutputFolder& folder) {
  for (const auto& finding : findings)
    for (const auto& picture : finding.section.pictures)
      folder.write(fmt::format("{}/{}.svg", experiment.name, picture.name), io::to_svg(picture.figure));
  if (const std::string page = experiment.name + ".md";
      folder.write(page, markdown(experiment, findings, experiment.name)))
    note("wrote " + (folder.path() / page).string() + " and its pictures");
}
}  // namespace

int reproduce(const ReproduceArguments& arguments) {
  if (arguments.list || arguments.name.empty()) return list({.what = "experiments", .format = arguments.format});
  const auto format = io::table_format(arguments.format);
  if (!format) return complain(format.error());
  const auto experiment = experiments::experiment_by_name(arguments.name);
  if (!experiment) return complain(Error{"reproduce: " + experiment.error().message});
  const auto parts = experiments::chosen_parts(**experiment, arguments.only);
  if (!parts) return complain(Error{"--only: " + parts.error().message});
  OutputFolder folder(arguments.folder);
  if (const int code = folder.open(); code != done) return code;
  const bool to_folder = !arguments.folder.empty();
  catch_interrupts();
  Printer printer(*format);
  std::vector<Finding> findings;
  for (const auto* part : *parts) {
    if (part->pictures_only && !to_folder) {
      if (!arguments.only.empty()) note(part->name + " is a picture: add -o DIR");
      continue;
    }
    note(fmt::format("{}: {}", part->name, part->title));
    findings.push_back({part, part->make({.stop = &stop_flag()})});
    if (!to_folder && !printer.print(findings.back())) break;
    if (stop_flag()) {
      note(part->name + " was interrupted: it has what was found so far");
      break;
    }
  }
  const int outcome = stop_flag() ? interrupted : done;
  if (to_folder)
    write_report(**experiment, findings, folder);
  else
    printer.finish();
  return folder.outcome(outcome);
}

}  // namespace rubato::app
