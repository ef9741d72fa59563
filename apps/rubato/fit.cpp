// rubato fit: constants of hyperelastic laws from material tests.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "command.hpp"
#include "output_folder.hpp"
#include "print.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/svg_plot.hpp"
#include "rubato/io/table.hpp"
#include "rubato/io/test_data.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {
using fem::Fit;
using fem::TestMode;
using fem::TestSet;
using io::Cell;
using io::Table;

constexpr int curve_points = 200;

std::string text(std::string_view words) { return std::string(words); }
std::string range_words(double low, double high) { return fmt::format("{:.4g} to {:.4g}", low, high); }

/// What to fit, understood.
struct Order {
  std::string source = {};  ///< the file
  std::vector<TestSet> data = {};
  std::vector<fem::LawForm> forms = {};
  fem::FitOptions options = {};
  io::TableFormat format = io::TableFormat::text;
  bool comparison = false;  ///< --law all: what cannot be fitted is left out
};

Result<void> set_weight(std::vector<TestSet>& data, const std::string& words) {
  const auto equals = words.find('=');
  const std::string mode = words.substr(0, equals);
  double weight = 0;
  const char* const end = words.data() + words.size();
  const char* const begin = equals == std::string::npos ? end : words.data() + equals + 1;
  const auto read = std::from_chars(begin, end, weight);
  if (read.ec != std::errc{} || read.ptr != end || !(weight > 0) || !std::isfinite(weight))
    return Error{fmt::format("--weight: '{}' is not allowed; MODE=NUMBER, the number > 0", words)};
  std::vector<std::string> known;
  bool found = false;
  for (auto& set : data) {
    known.push_back(text(fem::name(set.mode)));
    if (known.back() != mode) continue;
    set.weight = weight;
    found = true;
  }
  if (!found) return Error{"--weight: " + unknown_name("mode of these data", mode, known)};
  return {};
}

Result<Order> understood(const FitArguments& arguments) {
  Order order{.source = arguments.file};
  const auto format = io::table_format(arguments.format);
  if (!format) return format.error();
  order.format = *format;
  if (arguments.residuals != "relative" && arguments.residuals != "absolute") {
    const std::vector<std::string> known = {"relative", "absolute"};
    return Error{"--residuals: " + unknown_name("kind", arguments.residuals, known)};
  }
  order.options = {.residuals = arguments.residuals == "absolute" ? fem::Residuals::absolute : fem::Residuals::relative,
                   .stable = arguments.stable};
  const auto add = [&](fem::LawForm form) {
    const auto same = [&](const fem::LawForm& other) { return other.name == form.name; };
    if (std::none_of(order.forms.begin(), order.forms.end(), same)) order.forms.push_back(std::move(form));
  };
  for (const auto& name : arguments.laws.empty() ? std::vector<std::string>{"all"} : arguments.laws) {
    if (name == "all") {
      order.comparison = true;
      for (auto& form : fem::usual_law_forms()) add(std::move(form));
      continue;
    }
    auto form = fem::law_form(name);
    if (!form) return Error{"--law: " + form.error().message + "; or all"};
    add(std::move(*form));
  }
  auto data = io::read_test_data(arguments.file);
  if (!data) return data.error();
  order.data = std::move(*data);
  for (const auto& words : arguments.weights)
    if (auto fine = set_weight(order.data, words); !fine) return fine.error();
  return order;
}

/// Everything, one number per line: for programs.
Table every_number(const std::vector<Fit>& fits, const Order& order) {
  Table table{{"law", "quantity", "mode", "value", "unit"}, {}};
  for (const auto& fit : fits) {
    const auto add = [&](std::string quantity, std::string_view mode, Cell value, std::string unit) {
      table.rows.push_back({fit.form.name, std::move(quantity), text(mode), std::move(value), std::move(unit)});
    };
    for (const auto& constant : fem::constants(fit)) add(constant.name, "", constant.value, constant.unit);
    for (std::size_t k = 0; k < fit.sets.size(); ++k) {
      const auto mode = fem::name(fit.sets[k].mode);
      add("points", mode, static_cast<long>(order.data[k].points.size()), "");
      add("rms", mode, fit.sets[k].rms, "Pa");
      add("relative rms", mode, fit.sets[k].relative_rms, "");
      add("R²", mode, std::isfinite(fit.sets[k].r2) ? Cell(fit.sets[k].r2) : Cell(""), "");
    }
    for (const auto& s : fit.stability) {
      add("stable from", fem::name(s.mode), s.stable.low, "");
      add("stable to", fem::name(s.mode), s.stable.high, "");
    }
    add("stable", "", fit.stable(), "");
    add("AICc", "", std::isfinite(fit.aicc) ? Cell(fit.aicc) : Cell(""), "");
  }
  return table;
}

Table constants_table(const Fit& fit) {
  Table table{{"constant", "value", "unit"}, {}};
  for (const auto& constant : fem::constants(fit)) table.rows.push_back({constant.name, constant.value, constant.unit});
  return table;
}

Table quality_table(const Fit& fit, const Order& order) {
  Table table{{"test", "points", "stretches", "rms [Pa]", "rms [%]", "R²"}, {}};
  for (std::size_t k = 0; k < fit.sets.size(); ++k) {
    const auto& points = order.data[k].points;
    double low = points[0].stretch, high = low;
    for (const auto& point : points) {
      low = std::min(low, point.stretch);
      high = std::max(high, point.stretch);
    }
    table.rows.push_back({text(fem::name(fit.sets[k].mode)), static_cast<long>(points.size()), range_words(low, high),
                          fit.sets[k].rms, 100 * fit.sets[k].relative_rms,
                          std::isfinite(fit.sets[k].r2) ? Cell(fit.sets[k].r2) : Cell("")});
  }
  return table;
}

Table stability_table(const Fit& fit) {
  Table table{{"mode", "stable for stretches", "needed", "stable"}, {}};
  for (const auto& s : fit.stability) {
    const bool to_the_ends = s.stable.low == s.searched.low && s.stable.high == s.searched.high;
    table.rows.push_back({text(fem::name(s.mode)),
                          range_words(s.stable.low, s.stable.high) + (to_the_ends ? " (all looked at)" : ""),
                          range_words(s.needed.low, s.needed.high), s.holds()});
  }
  return table;
}

Table comparison_table(const std::vector<Fit>& fits, double lowest) {
  Table table{{"law", "constants"}, {}};
  for (const auto& set : fits[0].sets) table.columns.push_back(fmt::format("{} rms [%]", fem::name(set.mode)));
  table.columns.insert(table.columns.end(), {"stable", "AICc", "above the lowest"});
  for (const auto& fit : fits) {
    std::vector<Cell> row = {fit.form.name, static_cast<long>(fit.constants)};
    for (const auto& set : fit.sets) row.emplace_back(100 * set.relative_rms);
    const bool known = std::isfinite(fit.aicc);
    row.insert(row.end(), {fit.stable(), known ? Cell(std::round(10 * fit.aicc) / 10) : Cell(""),
                           known ? Cell(std::round(10 * (fit.aicc - lowest)) / 10 + 0.0) : Cell("")});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The stretches of a test, from the undeformed state to its last point on either side.
std::vector<double> abscissa(const TestSet& set) {
  const double rest = set.mode == TestMode::simple_shear ? 0 : 1;
  double low = rest, high = rest;
  for (const auto& point : set.points) {
    low = std::min(low, point.stretch);
    high = std::max(high, point.stretch);
  }
  std::vector<double> x;
  for (int k = 0; k <= curve_points; ++k) x.push_back(low + (high - low) * k / curve_points);
  return x;
}

Table curves(const std::vector<Fit>& fits, const Order& order) {
  Table table{{"mode", "stretch"}, {}};
  for (const auto& fit : fits) table.columns.push_back(fit.form.name + " [Pa]");
  for (const auto& set : order.data)
    for (const double x : abscissa(set)) {
      auto& row = table.rows.emplace_back(std::vector<Cell>{text(fem::name(set.mode)), x});
      for (const auto& fit : fits) row.emplace_back(fem::nominal_stress(fit.material, set.mode, x));
    }
  return table;
}

struct PlotUnit {
  double size;
  std::string name;
};
PlotUnit plot_unit(const Order& order) {
  double largest = 0;
  for (const auto& set : order.data)
    for (const auto& point : set.points) largest = std::max(largest, std::abs(point.stress));
  if (largest >= 1e5) return {1e6, "MPa"};
  return largest >= 100 ? PlotUnit{1e3, "kPa"} : PlotUnit{1, "Pa"};
}

io::Series measured(const TestSet& set, const PlotUnit& unit) {
  io::Series series{.stroke = io::Stroke::none, .markers = true};
  for (const auto& point : set.points) {
    series.x.push_back(point.stretch);
    series.y.push_back(point.stress / unit.size);
  }
  return series;
}

io::Series curve(const Fit& fit, const TestSet& set, const PlotUnit& unit) {
  io::Series series{.x = abscissa(set)};
  for (const double x : series.x) series.y.push_back(fem::nominal_stress(fit.material, set.mode, x) / unit.size);
  return series;
}

std::string x_label(const Order& order) {
  bool sheared = false, stretched = false;
  for (const auto& set : order.data) (set.mode == TestMode::simple_shear ? sheared : stretched) = true;
  return !sheared ? "stretch λ" : !stretched ? "shear γ" : "stretch λ (simple shear: γ)";
}

/// One law: all tests in one panel, below it what is left at the points.
io::Figure picture_of(const Fit& fit, const Order& order) {
  const PlotUnit unit = plot_unit(order);
  io::Figure figure{
      .title = fmt::format("{}: {}", fit.form.name, std::filesystem::path(order.source).filename().string()),
      .subtitle = "markers: measured; lines: fitted",
      .x_label = x_label(order)};
  io::Panel stresses{.y_label = fmt::format("nominal stress [{}]", unit.name), .height = 340};
  io::Panel errors{.y_label = "fit − test [%]", .height = 150};
  for (std::size_t k = 0; k < order.data.size(); ++k) {
    const TestSet& set = order.data[k];
    auto line = curve(fit, set, unit);
    auto dots = measured(set, unit);
    line.colour = dots.colour = static_cast<int>(k);
    dots.name = text(fem::name(set.mode));
    auto error = dots;
    error.name.clear();
    error.stroke = io::Stroke::solid;
    for (std::size_t i = 0; i < error.x.size(); ++i)
      error.y[i] = 100 * (fem::nominal_stress(fit.material, set.mode, error.x[i]) / unit.size / dots.y[i] - 1);
    stresses.series.push_back(std::move(line));
    stresses.series.push_back(std::move(dots));
    errors.series.push_back(std::move(error));
  }
  figure.panels = {std::move(stresses), std::move(errors)};
  return figure;
}

/// Several laws: one panel per test.
io::Figure picture_of(const std::vector<Fit>& fits, const Order& order) {
  constexpr int colours[] = {0, 1, 2, 3, 4, 5, 7};
  constexpr int black = 6;
  const PlotUnit unit = plot_unit(order);
  io::Figure figure{.title = "laws fitted to " + std::filesystem::path(order.source).filename().string(),
                    .x_label = x_label(order)};
  for (std::size_t k = 0; k < order.data.size(); ++k) {
    io::Panel panel{.y_label = fmt::format("{} [{}]", fem::name(order.data[k].mode), unit.name), .height = 230};
    for (std::size_t l = 0; l < fits.size(); ++l) {
      auto line = curve(fits[l], order.data[k], unit);
      line.colour = colours[l % std::size(colours)];
      line.stroke = l < std::size(colours) ? io::Stroke::solid : io::Stroke::dashed;
      if (k == 0) line.name = fits[l].form.name;
      panel.series.push_back(std::move(line));
    }
    auto dots = measured(order.data[k], unit);
    dots.colour = black;
    if (k == 0) dots.name = "measured";
    panel.series.push_back(std::move(dots));
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

void warn(const Fit& fit, bool constrained) {
  if (const double shear = fem::shear_modulus(fit.material); !(shear > 0))
    return note(fmt::format(
        "warning: {} has the shear modulus {:.4g} Pa at small strains: no material can be made of it; are the "
        "signs of the stresses right?",
        fit.form.name, shear));
  for (const auto& s : fit.stability) {
    if (s.holds()) continue;
    note(fmt::format(
        "warning: {} is stable in the {} mode for stretches {} only, but {} is needed: stresses would fall there "
        "while the part deforms{}",
        fit.form.name, fem::name(s.mode), range_words(s.stable.low, s.stable.high),
        range_words(s.needed.low, s.needed.high), constrained ? "" : "; try --stable or another law"));
  }
  if (!fit.converged)
    note(fmt::format("warning: the iteration for {} has not converged; these are the best constants found",
                     fit.form.name));
}

void write(const std::vector<Fit>& fits, std::size_t best, const Order& order, OutputFolder& folder) {
  const std::filesystem::path source(order.source);
  std::vector<std::string> remarks = {
      fmt::format("{} fitted to {} ({} residuals{})", fits[best].form.name, source.filename().string(),
                  order.options.residuals == fem::Residuals::relative ? "relative" : "absolute",
                  order.options.stable ? ", constrained to be stable" : "")};
  for (const auto& s : fits[best].stability)
    remarks.push_back(fmt::format("stable in the {} mode for stretches {}", fem::name(s.mode),
                                  range_words(s.stable.low, s.stable.high)));
  const std::pair<std::string, std::string> files[] = {
      {"material.toml", io::material_toml(fits[best], source.stem().string(), remarks)},
      {"fit.csv", io::render(every_number(fits, order), io::TableFormat::csv)},
      {"curves.csv", io::render(curves(fits, order), io::TableFormat::csv)},
      {"fit.svg", io::to_svg(fits.size() > 1 ? picture_of(fits, order) : picture_of(fits[0], order))}};
  for (const auto& [file, bytes] : files) folder.write(file, bytes);
}

}  // namespace

int fit(const FitArguments& arguments) {
  const auto order = understood(arguments);
  if (!order) return complain(order.error());
  OutputFolder folder(arguments.folder);
  if (const int code = folder.open(); code != done) return code;
  std::vector<Fit> fits;
  for (const auto& form : order->forms) {
    auto found = fem::fit(form, order->data, order->options);
    if (!found && !order->comparison)
      return complain(Error{fmt::format("{}: {}", order->source, found.error().message)});
    if (found)
      fits.push_back(std::move(*found));
    else
      note("left out: " + found.error().message);
  }
  if (fits.empty()) return complain(Error{order->source + ": none of the laws can be fitted to these data"});
  const std::size_t best = fem::recommended(fits);
  if (!folder.path().empty()) write(fits, best, *order, folder);

  if (order->format == io::TableFormat::csv || order->format == io::TableFormat::json) {
    print_text(io::render(every_number(fits, *order), order->format));
  } else {
    const auto print = [&](const Table& table) { print_out("{}\n", io::render(table, order->format)); };
    if (fits.size() > 1) {
      double lowest = INFINITY;
      for (const auto& each : fits) lowest = std::min(lowest, each.aicc);
      print(comparison_table(fits, lowest));
      print_out("Recommended: {}, the lowest AICc{}.\n\n", fits[best].form.name,
                fits[best].stable() ? " of the laws that are stable as far as the data go"
                                    : "; no law is stable as far as the data go");
    }
    print(constants_table(fits[best]));
    print(quality_table(fits[best], *order));
    print(stability_table(fits[best]));
  }
  warn(fits[best], order->options.stable);
  if (arguments.folder.empty()) note("add -o DIR for material.toml, fit.csv, curves.csv and the picture fit.svg");
  return folder.finish(fits[best].converged ? done : numerical_failure);
}

}  // namespace rubato::app
