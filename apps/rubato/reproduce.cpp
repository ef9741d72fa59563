// rubato reproduce: a publication's tables and figures next to ours.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "command.hpp"
#include "experiments/experiment.hpp"
#include "interrupts.hpp"
#include "rubato/io/file.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {
using experiments::Finding;

/// Tables one after another, each under its name; in CSV a blank line between them, in JSON one object with a member each.
class Printer {
 public:
  explicit Printer(io::TableFormat format) : format_(format) {}
  void print(const Finding& finding) {
    const io::Table table = experiments::table_of(finding.section, format_);
    if (table.rows.empty()) return;
    const std::string text = io::render(table, format_);
    const std::string& name = finding.part->name;
    switch (format_) {
      case io::TableFormat::json: fmt::print("{}\"{}\": {}", first_ ? "{\n" : ",\n", name, text); break;
      case io::TableFormat::csv: fmt::print("{}{}", first_ ? "" : "\n", text); break;
      case io::TableFormat::text:
        fmt::print("{}{}: {}\n{}\n", first_ ? "" : "\n", name, finding.part->title, text);
        break;
      case io::TableFormat::markdown:
        fmt::print("{}### {}: {}\n\n{}", first_ ? "" : "\n", name, finding.part->title, text);
        break;
    }
    if (format_ == io::TableFormat::text && !finding.section.difference.empty())
      fmt::print("{}\n", finding.section.difference);
    std::fflush(stdout);
    first_ = false;
  }
  void finish() {
    if (format_ == io::TableFormat::json) fmt::print("{}", first_ ? "{}\n" : "}\n");
  }

 private:
  io::TableFormat format_;
  bool first_ = true;
};

Result<void> write_report(const experiments::Experiment& experiment, const std::vector<Finding>& findings,
                          const std::filesystem::path& folder) {
  const std::filesystem::path pictures = folder / experiment.name, page = folder / (experiment.name + ".md");
  if (auto made = io::make_folder(pictures); !made) return made;
  for (const auto& finding : findings)
    for (const auto& picture : finding.section.pictures)
      if (auto written = io::write_file(pictures / (picture.name + ".svg"), io::to_svg(picture.figure)); !written)
        return written;
  if (auto written = io::write_file(page, markdown(experiment, findings, experiment.name)); !written) return written;
  note("wrote " + page.string() + " and its pictures");
  return {};
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
    if (!to_folder) printer.print(findings.back());
    if (stop_flag()) {
      note(part->name + " was interrupted: it has what was found so far");
      break;
    }
  }
  const int outcome = stop_flag() ? interrupted : done;
  if (!to_folder) {
    printer.finish();
    return outcome;
  }
  const auto written = write_report(**experiment, findings, arguments.folder);
  return written ? outcome : complain(written.error());
}

}  // namespace rubato::app
