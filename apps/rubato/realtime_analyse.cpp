// rubato realtime analyse: from a model to a plan for steps of constant work, with all that can be said about it beforehand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "channels.hpp"
#include "command.hpp"
#include "output_folder.hpp"
#include "print.hpp"
#include "realtime_pictures.hpp"
#include "realtime_study.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/duration.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/plan_file.hpp"
#include "rubato/io/progress.hpp"
#include "rubato/io/table.hpp"
#include "rubato/realtime/magnitude.hpp"
#include "rubato/realtime/samples.hpp"
#include "rubato/realtime/sparsing.hpp"
#include "rubato/realtime/trial.hpp"

namespace rubato::app {

namespace {
namespace fs = std::filesystem;
using realtime::Plan;
using realtime::StaticKind;

/// What the options say, checked.
struct Request {
  double step = 0;
  std::vector<std::string> settings;
  std::optional<StaticKind> back_end;
  std::vector<double> sizes = {};  ///< of unknowns, at the samples
  realtime::StepTime time = realtime::StepTime::start;
  io::TableFormat format = io::TableFormat::text;
};

Result<Request> request_of(const PlanArguments& arguments) {
  Request request;
  const auto step = io::parse_duration(arguments.step);
  if (!step) return Error{"--step: " + step.error().message};
  request.step = *step;
  request.settings = arguments.set;
  if (!arguments.formulation.empty()) request.settings.push_back("problem.formulation=" + arguments.formulation);
  const std::vector<std::string> back_ends = {"qr", "lu", "auto"}, times = {"start", "end"};
  if (std::ranges::find(back_ends, arguments.back_end) == back_ends.end())
    return Error{"--back-end: " + unknown_name("back end", arguments.back_end, back_ends)};
  if (arguments.back_end != "auto") request.back_end = arguments.back_end == "qr" ? StaticKind::qr : StaticKind::lu;
  if (std::ranges::find(times, arguments.time) == times.end())
    return Error{"--time: " + unknown_name("end of a step", arguments.time, times)};
  request.time = arguments.time == "end" ? realtime::StepTime::end : realtime::StepTime::start;
  if (arguments.samples < 1) return Error{fmt::format("--samples: {} is not allowed; at least 1", arguments.samples)};
  if (arguments.budget < 1) return Error{fmt::format("--budget: {} is not allowed; at least 1", arguments.budget)};
  const auto outside = [](double value, double min) { return !(value >= min && std::isfinite(value)); };
  if (outside(arguments.rho_m, 0))
    return Error{fmt::format("--rho-m: {} is not allowed; a number > 0", arguments.rho_m)};
  if (outside(arguments.growth, 0))
    return Error{fmt::format("--growth: {} is not allowed; a number ≥ 0", arguments.growth)};
  if (!(arguments.deviation >= 0 && arguments.deviation <= 100))
    return Error{fmt::format("--deviation: {} is not allowed; a number > 0 and ≤ 100, in %", arguments.deviation)};
  if (!arguments.watch.empty() && arguments.deviation == 0)
    return Error{"--watch: says what --deviation looks at; give both"};
  if (arguments.whole)
    for (const auto& [given, option] : {std::pair{arguments.deviation > 0, "--deviation"},
                                        {!arguments.keep.empty(), "--keep"},
                                        {arguments.columns, "--columns"},
                                        {arguments.keep_algebraic, "--keep-algebraic"}})
      if (given)
        return Error{fmt::format("--whole and {}: give one of them; with --whole nothing is left out", option)};
  if (!(arguments.rho > 0 && arguments.rho <= 1))
    return Error{fmt::format("--rho: {} is not allowed; a number > 0 and ≤ 1", arguments.rho)};
  if (outside(arguments.drop_below, 0))
    return Error{fmt::format("--drop-below: {} is not allowed; a finite number ≥ 0", arguments.drop_below)};
  if (arguments.drop_below > 0 && !arguments.keep.empty())
    return Error{"--keep and --drop-below: give one of them; entries that must stay may be small"};
  if (outside(arguments.rtol, 0)) return Error{fmt::format("--rtol: {} is not allowed; a number ≥ 0", arguments.rtol)};
  if (outside(arguments.atol, std::numeric_limits<double>::min()))
    return Error{fmt::format("--atol: {} is not allowed; a number > 0", arguments.atol)};
  const auto format = io::table_format(arguments.format);
  if (!format) return format.error();
  request.format = *format;
  return request;
}

realtime::PlanOptions plan_options(const PlanArguments& arguments, const Request& request) {
  return {.step = request.step,
          .back_end = request.back_end,
          .time = request.time,
          .damping = arguments.damping,
          .step_numbers = arguments.step_numbers,
          .projections = arguments.projections,
          .drop_below = arguments.drop_below,
          .sizes = request.sizes};
}

/// Entries that must stay: "axis1.q:axis1.*", equations by the names of their unknowns.
Result<realtime::Keep> minimum_of(const PlanArguments& arguments, const RealtimeModel& model) {
  if (arguments.keep.empty()) return realtime::Keep{};
  const SparsePattern& pattern = model.structure.jacobian;
  const Layout& layout = model.dae().layout();
  const auto names = layout.component_names();
  realtime::Keep keep(static_cast<std::size_t>(pattern.nnz()), 0);
  const auto meant = [&](const std::string& name) {
    std::vector<char> chosen;
    for (std::size_t i = 0; i < names.size(); ++i) chosen.push_back(means_channel(name, layout, i, names[i]) ? 1 : 0);
    return chosen;
  };
  for (const auto& pair : arguments.keep) {
    const auto colon = pair.find(':');
    if (colon == std::string::npos) return Error{fmt::format("--keep: '{}' is not EQUATION:UNKNOWN", pair)};
    const std::string equation = pair.substr(0, colon), unknown = pair.substr(colon + 1);
    const std::vector<char> rows = meant(equation), cols = meant(unknown);
    for (const auto& [name, chosen] : {std::pair{&equation, &rows}, {&unknown, &cols}})
      if (std::ranges::find(*chosen, 1) == chosen->end())
        return Error{"--keep: " + unknown_name("unknown", *name, names)};
    for (int j = 0; j < pattern.cols(); ++j)
      for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
        if (cols[j] != 0 && rows[pattern.row_indices()[p]] != 0) keep[p] = 1;
  }
  return keep;
}

/// A run that judges structures where eigenvalues do not see enough.
Result<std::function<bool(const realtime::Keep&)>> judge_of(const PlanArguments& arguments, const Request& request,
                                                            const RealtimeModel& model) {
  const Layout& layout = model.dae().layout();
  const auto names = layout.component_names();
  std::vector<int> watched;
  for (const auto& name : arguments.watch) {
    const std::size_t before = watched.size();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (means_channel(name, layout, i, names[i])) watched.push_back(static_cast<int>(i));
    if (watched.size() == before) return Error{"--watch: " + unknown_name("unknown", name, names)};
  }
  constexpr double most_steps = 1e5;
  if (const double steps = (model.problem().t_end - model.problem().t_start) / request.step; steps > most_steps)
    return Error{fmt::format("--deviation: {:.3g} steps for every structure tried; at most {:g}: set time.end", steps,
                             most_steps)};
  auto trial =
      realtime::Trial::create(model.problem(), model.structure, plan_options(arguments, request), std::move(watched));
  if (!trial) return trial.error();
  const realtime::Keep all(static_cast<std::size_t>(model.structure.jacobian.nnz()), 1);
  if (const double least = arguments.drop_below > 0 ? 100 * (*trial)->deviation(all) : 0;
      !(least <= arguments.deviation))
    return Error{
        fmt::format("--deviation: what --drop-below {} drops already moves the run by {:.4g} %; at most {} % are "
                    "allowed: take a smaller --drop-below",
                    shortest(arguments.drop_below), least, shortest(arguments.deviation))};
  return deviation_at_most(std::move(*trial), 0.01 * arguments.deviation);
}

/// What becomes of the Jacobian, and how stable that is.
struct Structure {
  realtime::Keep keep;
  std::vector<realtime::StepSpectrum> whole_spectra = {}, spectra = {};
  double worst_ratio = 0;          ///< of (5.1)
  std::vector<long> dropped = {};  ///< at the samples
  long evaluations = 0;
  bool exhausted = false;
};

double largest_radius(const std::vector<realtime::StepSpectrum>& spectra) {
  double radius = 0;
  for (const auto& spectrum : spectra) radius = std::max(radius, spectrum.radius());
  return radius;
}

Result<Structure> structure_of(const PlanArguments& arguments, const Request& request, const RealtimeModel& model,
                               const std::vector<std::vector<double>>& jacobians) {
  const realtime::ModelStructure& known = model.structure;
  const realtime::StepPencil pencil(known.jacobian, known.mass, known.mass_values, request.step);
  Structure found{.keep = pencil.all()};
  auto whole = sample_spectra(pencil, found.keep, jacobians);
  if (!whole) return whole.error();
  found.whole_spectra = std::move(*whole);
  const double radius = largest_radius(found.whole_spectra);
  const bool grows = !(radius <= 1 + arguments.growth);
  if (grows && arguments.whole && arguments.projections > 0)
    note(fmt::format(
        "the largest eigenvalue of a step is {:.6g}: what grows may be the drift off the constraints, which "
        "projections remove and eigenvalues do not see; the run off line tells",
        radius));
  else if (grows)
    return Error{fmt::format(
        "--step: {} s is unstable even with the whole Jacobian: the largest eigenvalue of a step is {:.6g}, "
        "at most {:.6g} (--growth). The model itself grows there, or it needs another step",
        shortest(request.step), radius, 1 + arguments.growth)};
  if (!arguments.whole) {
    auto minimum = minimum_of(arguments, model);
    if (!minimum) return minimum.error();
    io::CountProgress progress;
    realtime::SparsingOptions options{.rho = arguments.rho,
                                      .growth = arguments.growth,
                                      .keep_algebraic = arguments.keep_algebraic || arguments.step_numbers.size() > 1,
                                      .columns = arguments.columns,
                                      .minimum = std::move(*minimum),
                                      .budget = arguments.budget};
    if (arguments.rho_m > 0) options.rho_m = arguments.rho_m;
    if (arguments.deviation > 0) {
      auto judge = judge_of(arguments, request, model);
      if (!judge) return judge.error();
      options.also = std::move(*judge);
    }
    options.progress = [&](const realtime::SparsingProgress& p) {
      progress.show(p.evaluations, p.budget, fmt::format("spectra · {} entries", p.nnz));
    };
    auto sparsing = find_sparsing(known.jacobian, jacobians, known.mass, known.mass_values, request.step, options);
    if (!sparsing) return Error{sparsing.error().message + "; --whole makes a plan that keeps all entries"};
    found.keep = std::move(sparsing->keep);
    found.evaluations = sparsing->evaluations;
    found.exhausted = sparsing->exhausted;
    for (const auto& margin : sparsing->margins) found.worst_ratio = std::max(found.worst_ratio, margin.ratio);
  }
  const auto limits = arguments.drop_below > 0
                          ? realtime::drop_limits(known, request.step, arguments.drop_below, request.sizes)
                          : std::vector<double>(found.keep.size(), 0.0);
  for (const auto& jacobian : jacobians) {
    const realtime::Keep kept = realtime::kept_above(limits, found.keep, jacobian);
    auto spectra = sample_spectra(pencil, kept, {jacobian});
    if (!spectra) return spectra.error();
    found.spectra.push_back(std::move(spectra->front()));
    long dropped = 0;
    for (std::size_t p = 0; p < kept.size(); ++p) dropped += kept[p] != found.keep[p] && jacobian[p] != 0 ? 1 : 0;
    found.dropped.push_back(dropped);
  }
  const double allowed = std::max(1 + arguments.growth, (1 + 1e-9) * radius);
  if (const double left = largest_radius(found.spectra); arguments.drop_below > 0 && !(left <= allowed))
    return Error{fmt::format(
        "--drop-below: {} drops what keeps steps of {} s stable: the largest eigenvalue of a step is {:.6g}, "
        "at most {:.6g} (--growth); take a smaller one",
        shortest(arguments.drop_below), shortest(request.step), left, allowed)};
  return found;
}

/// Both back ends, and why the plan has the one it has.
struct Planned {
  Plan plan;
  realtime::StaticFacts facts;
  int passes = 0, groups = 0, evaluations = 0;
  std::string reason;
};

Result<Planned> planned(const RealtimeModel& model, realtime::Keep keep, const std::vector<realtime::Sample>& samples,
                        const realtime::PlanOptions& options) {
  auto plan = make_plan(model.dae(), model.structure, keep, samples, options);
  if (!plan) return plan.error();
  Planned made;
  made.plan = std::move(*plan);
  const auto stepper = realtime::RealtimeStepper::create(model.dae(), made.plan, model.start);
  if (!stepper) return stepper.error();
  made.facts = (*stepper)->facts();
  made.passes = (*stepper)->passes_per_step();
  made.groups = (*stepper)->groups_per_step();
  made.evaluations = (*stepper)->evaluations_per_step();
  realtime::PlanOptions others = options;
  others.back_end = made.plan.back_end == StaticKind::qr ? StaticKind::lu : StaticKind::qr;
  const auto other = make_plan(model.dae(), model.structure, std::move(keep), samples, others);
  const auto weight = [](const Plan& p) { return p.operations.weight(); };
  const bool turning = made.plan.back_end == StaticKind::qr && other && weight(*other) < weight(made.plan);
  made.reason = options.back_end ? "as asked"
                : turning        ? "pivots chosen off line may vanish as bodies turn"
                : other          ? fmt::format("weighs {:.0f} additions, {} {:.0f}", weight(made.plan),
                                               to_string(*others.back_end), weight(*other))
                        : fmt::format("{} does not serve: {}", to_string(*others.back_end), other.error().message);
  return made;
}

std::string words(const OfflineStudy& study, Deviation::Kind kind, double Deviation::*difference) {
  const Deviation worst = study.worst(kind, difference);
  return worst.channel.empty() ? std::string() : fmt::format("{:.2f} % ({})", worst.*difference, worst.channel);
}

std::string deviations_csv(const OfflineStudy& study) {
  io::Table table{{"channel", "range", "plan from accurate [%]", "plan from whole [%]", "whole from accurate [%]"}, {}};
  for (const Deviation& d : study.deviations)
    table.rows.push_back({d.channel, d.range, d.plan_accurate, d.plan_whole, d.whole_accurate});
  return render(table, io::TableFormat::csv);
}

io::Table report_of(const RealtimeModel& model, const Structure& structure, const Planned& whole, const Planned& plan,
                    const OfflineStudy& study, std::size_t n_samples) {
  io::Table table{{"", "whole", "plan"}, {}};
  const auto row = [&](const char* what, io::Cell a, io::Cell b) {
    table.rows.push_back({what, std::move(a), std::move(b)});
  };
  const auto& algebraic = model.structure.algebraic;
  const long n_algebraic = std::ranges::count_if(algebraic, [](char c) { return c != 0; });
  const long n = model.dae().size();
  row("unknowns", n, n);
  row("of these algebraic", n_algebraic, n_algebraic);
  row("entries of the step matrix", whole.facts.matrix_entries, plan.facts.matrix_entries);
  if (const auto [least, most] = std::ranges::minmax(structure.dropped); most > 0)
    row("dropped in a step, at the samples", std::string(), fmt::format("{} … {}", least, most));
  row("largest diagonal block", static_cast<long>(whole.facts.largest_block),
      static_cast<long>(plan.facts.largest_block));
  row("back end", std::string(to_string(whole.plan.back_end)), std::string(to_string(plan.plan.back_end)));
  row("why", whole.reason, plan.reason);
  row("entries of R, or L and U", whole.facts.factor_entries, plan.facts.factor_entries);
  const auto &a = whole.plan.operations, &b = plan.plan.operations;
  row("additions a step", a.additions, b.additions);
  row("multiplications", a.multiplications, b.multiplications);
  row("divisions", a.divisions, b.divisions);
  row("square roots", a.square_roots, b.square_roots);
  row("passes over dual numbers", static_cast<long>(whole.passes), static_cast<long>(plan.passes));
  row("groups of columns", static_cast<long>(whole.groups), static_cast<long>(plan.groups));
  row("further evaluations of f", static_cast<long>(whole.evaluations), static_cast<long>(plan.evaluations));
  row("samples", static_cast<long>(n_samples), static_cast<long>(n_samples));
  row("spectral radius, worst sample", largest_radius(structure.whole_spectra), largest_radius(structure.spectra));
  row("used of the allowed movement", 0.0, structure.worst_ratio);
  row("spectra computed", std::string(), structure.evaluations);
  row("steps run off line", study.n_steps, study.n_steps);
  using Kind = Deviation::Kind;
  const auto off = [&](const char* what, Kind kind) {
    row(what, words(study, kind, &Deviation::whole_accurate), words(study, kind, &Deviation::plan_accurate));
  };
  const auto off_whole = [&](const char* what, Kind kind) {
    row(what, std::string(), words(study, kind, &Deviation::plan_whole));
  };
  off("off the accurate run: states", Kind::differential);
  off("  algebraic unknowns", Kind::algebraic);
  off("  outputs", Kind::output);
  off_whole("off the whole Jacobian: states", Kind::differential);
  off_whole("  algebraic unknowns", Kind::algebraic);
  off_whole("  outputs", Kind::output);
  if (const auto at_whole = OfflineStudy::residual(study.whole_motion),
      at_plan = OfflineStudy::residual(study.plan_motion);
      at_whole && at_plan)
    row("largest constraint residual", *at_whole, *at_plan);
  row("largest error estimate", std::string(), study.plan.largest_error);
  std::erase_if(table.rows, [](const auto& cells) {
    return std::all_of(cells.begin() + 1, cells.end(), [](const io::Cell& cell) { return cell == io::Cell(""); });
  });
  return table;
}

void write_pictures(OutputFolder& folder, const RealtimeModel& model, const Structure& structure, const Planned& whole,
                    const Planned& plan, const OfflineStudy& study) {
  const std::string& title = model.task.config.title.empty() ? model.task.config.problem : model.task.config.title;
  const SparsePattern before = step_matrix(whole.plan).pattern(), after = step_matrix(plan.plan).pattern();
  const auto factor = [](const Planned& p) { return p.plan.back_end == StaticKind::qr ? "R" : "L and U"; };
  std::vector<std::pair<std::string, io::Figure>> figures;
  figures.emplace_back("eigenvalues", eigenvalue_figure(title, structure.whole_spectra, structure.spectra));
  figures.emplace_back("step_matrix", spy_figure(title + ": step matrix", after, &before));
  figures.emplace_back("factor_whole", spy_figure(fmt::format("{}: {}, whole Jacobian", title, factor(whole)),
                                                  factor_pattern(whole.plan), nullptr));
  figures.emplace_back(
      "factor_plan", spy_figure(fmt::format("{}: {}, plan", title, factor(plan)), factor_pattern(plan.plan), nullptr));
  Deviation worst = study.worst(Deviation::Kind::differential, &Deviation::plan_accurate);
  if (const Deviation output = study.worst(Deviation::Kind::output, &Deviation::plan_accurate);
      output.plan_accurate > worst.plan_accurate)
    worst = output;
  if (!worst.channel.empty()) figures.emplace_back("deviation", deviation_figure(title, study, worst.channel));
  for (const auto& [name, figure] : figures) folder.write(name + ".svg", to_svg(figure));
  folder.write("deviations.csv", deviations_csv(study));
}

/// Where the plan goes, and the pictures.
struct Destination {
  fs::path file, pictures;  ///< no pictures: empty
};

/// Folders are made before the work: a name that cannot be one is found out at once.
Result<Destination> destination_of(const PlanArguments& arguments) {
  const fs::path given(arguments.file);
  std::error_code ignored;
  const bool folder = arguments.file.ends_with('/') || fs::is_directory(given, ignored);
  Destination to{.file = folder ? given / "plan.toml" : given,
                 .pictures = arguments.pictures.empty() && folder ? given : fs::path(arguments.pictures)};
  if (to.file.has_parent_path())
    if (const auto made = io::make_folder(to.file.parent_path()); !made) return made.error();
  return to;
}

std::string advice_of(const PlanArguments& arguments) {
  return fmt::format("take a smaller --step{}{}", arguments.drop_below > 0 ? ", a smaller --drop-below" : "",
                     arguments.whole ? "" : ", a smaller --rho, --whole");
}

struct Outcome {
  Planned whole, plan;
  OfflineStudy study;
};

Result<Outcome> plan_and_study(const PlanArguments& arguments, const Request& request, const RealtimeModel& model,
                               const Structure& structure, const std::vector<realtime::Sample>& samples) {
  realtime::PlanOptions options = plan_options(arguments, request);
  const auto accurate = accurate_motion(model, request.step);
  if (!accurate) return accurate.error();
  std::string trouble;
  while (true) {
    realtime::PlanOptions keeping = options;
    keeping.drop_below = 0;
    auto whole = planned(model, realtime::Keep(structure.keep.size(), 1), samples, keeping);
    if (!whole) return whole.error();
    auto plan = planned(model, structure.keep, samples, options);
    if (!plan) return plan.error();
    if (!trouble.empty()) whole->reason = plan->reason = trouble;
    Plan& made = plan->plan;
    made.model = arguments.model;
    made.settings = request.settings;
    made.rtol = arguments.rtol;
    made.atol = arguments.atol;
    if (!arguments.whole) {
      made.rho = arguments.rho;
      made.rho_m = arguments.rho_m > 0 ? arguments.rho_m : 0.01 * arguments.rho;
      made.worst_ratio = structure.worst_ratio;
    }
    made.spectral_radius = largest_radius(structure.spectra);
    auto study = study_off_line(model, made, whole->plan, *accurate);
    const std::string advice = advice_of(arguments);
    if (study) {
      if (const auto fine = follows(*study); !fine) return Error{fmt::format("{}; {}", fine.error().message, advice)};
      made.expected_error = study->plan.largest_error;
      return Outcome{std::move(*whole), std::move(*plan), std::move(*study)};
    }
    const bool pivots = whole->plan.back_end == StaticKind::lu || made.back_end == StaticKind::lu;
    if (options.back_end || !pivots)
      return Error{fmt::format("{}; {}{}", study.error().message, advice, pivots ? " or --back-end qr" : "")};
    trouble = "with lu " + study.error().message;  // what samples allow, the run between them need not
    options.back_end = StaticKind::qr;
  }
}

}  // namespace

int realtime_analyse(const PlanArguments& arguments) {
  auto request = request_of(arguments);
  if (!request) return complain(request.error());
  const auto model = realtime_model(arguments.model, request->settings);
  if (!model) return complain(model.error());
  for (const auto& sentence : model->task.notes) note(sentence);

  if (const double time = model->problem().t_end - model->problem().t_start; request->step > time * (1 + 1e-9))
    return complain(Error{fmt::format("--step: {} s is longer than the time of the model, {} s",
                                      shortest(request->step), shortest(time))});
  const auto destination = destination_of(arguments);
  if (!destination) return complain(destination.error()), not_written;
  OutputFolder pictures(destination->pictures);
  if (const int code = pictures.open(); code != done) return code;

  const AccurateRun accurate = accurate_run(model->task);
  note(fmt::format("sampling a run of {} with tolerance {}", accurate.method,
                   shortest(accurate.options.tolerances.rtol)));
  const auto samples = realtime::sample_run(
      model->problem(), realtime::sample_times(model->problem(), arguments.samples), accurate.method, accurate.options);
  if (!samples) return complain(Error{in_run_file_words(samples.error().message)});
  request->sizes = realtime::sizes_at(*samples);
  const auto jacobians = sampled_jacobians(model->dae(), model->structure, *samples);
  if (!jacobians) return complain(jacobians.error());
  if (arguments.step_numbers.size() > 1)
    note(
        "extrapolation keeps derivatives of algebraic equations by algebraic unknowns; the eigenvalues are those of a "
        "single "
        "step, the run off line is the tableau's");
  const auto structure = structure_of(arguments, *request, *model, *jacobians);
  if (!structure) return complain(structure.error());
  if (structure->exhausted) note("the search ended with its budget (--budget); more of it may leave out more entries");

  auto found = plan_and_study(arguments, *request, *model, *structure, *samples);
  if (!found) return complain(found.error());
  const auto& [whole, plan, study] = *found;

  const auto written = io::write_file(destination->file, io::plan_text(plan.plan));
  if (!pictures.path().empty()) write_pictures(pictures, *model, *structure, whole, plan, study);
  print_text(render(report_of(*model, *structure, whole, plan, study, samples->size()), request->format));
  if (const Deviation worst = study.worst(Deviation::Kind::differential, &Deviation::plan_whole);
      worst.plan_whole > 10 && arguments.deviation == 0)
    note(fmt::format(
        "{} goes {:.1f} % of its range off the run with the whole Jacobian, which eigenvalues do not see; {}",
        worst.channel, worst.plan_whole,
        arguments.drop_below > 0 ? "take a smaller --drop-below" : "--deviation 10 asks a run about every structure"));
  note(written ? "wrote " + destination->file.string() : written.error().message);
  if (!pictures.path().empty()) note("wrote " + pictures.written());
  if (const std::string warning = warning_of(study); !warning.empty())  // the last word
    note(fmt::format("{}; {}", warning, advice_of(arguments)));
  return pictures.outcome(written ? done : not_written);
}

}  // namespace rubato::app
