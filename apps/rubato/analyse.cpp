// rubato analyse: coefficients and computed properties of a method, and pictures of its stability.
#include <fmt/format.h>

#include <cmath>

#include "analysed.hpp"
#include "command.hpp"
#include "output_folder.hpp"
#include "print.hpp"
#include "rubato/base/text.hpp"
#include "rubato/integrate/alpha_analysis.hpp"
#include "rubato/integrate/method.hpp"
#include "rubato/integrate/rosenbrock_analysis.hpp"
#include "rubato/integrate/runge_kutta_analysis.hpp"
#include "rubato/integrate/runge_kutta_embedded.hpp"
#include "rubato/io/table.hpp"
#include "task.hpp"

namespace rubato::app {

namespace {
using io::Cell;
using io::Table;

constexpr const char* no_folder = "add -o DIR for pictures of its stability and all digits in properties.csv";

/// A method of the list that is not one table.
std::string not_one_table(const std::string& name) {
  if (name == "lobatto-iiidc-min")
    return "lobatto-iiidc with a theta for each stiff coordinate, e.g. lobatto-iiidc-3:0.5";
  return fmt::format("lobatto-iiic for stiff coordinates, {} for the others",
                     "lobatto-" + name.substr(name.find('+') + 1));
}

Result<Analysed> find_method(const std::string& name) {
  if (const auto table = find_rosenbrock_table(name))
    return Analysed{
        std::string((*table)->name()), std::string((*table)->label.title), {}, *table, stability_function(**table)};
  std::string full = name;
  if (name.starts_with("radau") && !name.starts_with("radau-"))  // radau5, named by its order
    if (const auto listed = method_by_name(name)) full = fmt::format("radau-iia-{}", (*listed)->info.stages);
  auto table = runge_kutta_by_name(full);
  if (table)
    return Analysed{table->name(), std::string(table->info().title), *table, nullptr, stability_function(*table)};
  if (!table.error().message.starts_with("unknown")) return table.error();
  std::vector<std::string> names;
  for (const auto& listed : methods()) {
    const std::string& known = listed.info.name;
    if (known == name && listed.info.kind == "multistep")
      return Error{fmt::format(
          "method {} has no stability function: analyse is for one-step methods; `rubato list methods` says how stable "
          "it is",
          name)};
    if (known == name && listed.info.kind == "extrapolation")
      return Error{fmt::format("method {} has no table: `rubato list methods` says how stable it is", name)};
    if (known == name && is_strategy(listed.info))
      return Error{fmt::format("method {} has no table of its own: {}; analyse these", name, not_one_table(name))};
    if (name.starts_with(known + ":"))
      return Error{fmt::format("method {}: {} has no theta; blends have: lobatto-iiidc-3:0.5", name, known)};
    if (known.starts_with("radau") && !known.starts_with("radau-")) names.push_back(known);
  }
  for (const auto& info : runge_kutta_families()) names.emplace_back(info.name);
  for (const auto& rosenbrock : rosenbrock_tables()) names.emplace_back(rosenbrock.name());
  return Error{unknown_name("method", name.substr(0, name.find(':')), names) +
               "; stages and theta: lobatto-iiidc-3:0.5"};
}

/// What a reader asks, the answer, and what it means.
class Properties {
 public:
  void add(const std::string& name, Cell value, const std::string& meaning = "") {
    table.rows.push_back({name, std::move(value), meaning});
  }
  void add_order(const std::string& name, const StabilityFunction::Leading& term, const std::string& meaning) {
    if (term.order == 0)
      add(name, std::string("infinite"), meaning + " vanishes");
    else
      add(name, long{term.order}, fmt::format("{} ≈ {:.6g} χ^{}", meaning, term.constant, term.order));
  }
  Table table{{"property", "value", "meaning"}, {}};
};

/// JSON knows no infinity.
Cell number(double value) {
  if (std::isfinite(value)) return std::abs(value) < 1e-15 ? 0.0 : value;
  return std::string(std::isnan(value) ? "" : value > 0 ? "infinite" : "-infinite");
}

std::string polynomial(const std::vector<double>& p) {
  std::string text;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k] == 0) continue;
    if (!text.empty()) text += p[k] < 0 ? " - " : " + ";
    const std::string factor = fmt::format("{:.10g}", text.empty() ? p[k] : std::abs(p[k]));
    text += k == 0 ? factor : k == 1 ? factor + " z" : fmt::format("{} z^{}", factor, k);
  }
  return text;
}

std::string complex_text(std::complex<double> z) {
  return std::abs(z.imag()) < 1e-12
             ? fmt::format("{:.10g}", std::abs(z.real()) < 1e-15 ? 0.0 : z.real())
             : fmt::format("{:.10g} {} {:.10g}i", z.real(), z.imag() < 0 ? "-" : "+", std::abs(z.imag()));
}

void add_stability(const StabilityFunction& R, Properties& out) {
  out.add("A-stable", R.a_stable(), fmt::format("max |R(iχ)| = {:.10g}", R.largest_on_imaginary_axis()));
  out.add("L-stable", R.l_stable());
  out.add("R(inf)", number(R.at_infinity()));
  out.add("rho(pi)", R.spectral_radius(3.14159265358979323846), "|R(iχ)| where a step covers half a period");
  out.add("rho(10)", R.spectral_radius(10));
  out.add_order("dissipation order", R.dissipation(), "d_a");
  out.add_order("dispersion order", R.dispersion(), "d_p - 1");
  const auto pade = R.pade_degrees();
  out.add("Pade", pade ? fmt::format("({}, {})", pade->numerator, pade->denominator) : std::string("no"),
          "degrees, if R is a Padé approximation of exp z");
  out.add("numerator of R", polynomial(R.numerator()));
  out.add("denominator of R", polynomial(R.denominator()));
}

void add_embedded(const RungeKuttaTable& table, Properties& out) {
  if (table.c[0] > 0) {
    const EmbeddedRadau embedded = embedded_radau(table);
    out.add("embedded order", long{embedded.order}, "error estimate γ0 h F(x0) + Σ e_i z_i");
    out.add("embedded gamma0", embedded.gamma0);
    for (int i = 0; i < table.s; ++i) out.add(fmt::format("embedded e_{}", i + 1), embedded.e[i]);
    return;
  }
  if (table.s < 2) return;
  const EmbeddedLobatto embedded = embedded_lobatto(table);
  out.add("embedded order", long{embedded.order}, "error estimate γ0 h (F(X_0) - F(X_1))");
  out.add("embedded gamma0", embedded.gamma0);
  out.add("embedded alpha0", embedded.alpha0,
          fmt::format("leading term {:.6g} h^{} F_x x^({})", embedded.leading, table.s + 1, table.s));
  for (int i = 0; i < table.s; ++i) out.add(fmt::format("embedded r_{}", i + 1), number(embedded.row[i]));
}

void describe(const RungeKuttaTable& table, const StabilityFunction& R, Properties& out) {
  const RungeKuttaProperties p = runge_kutta_properties(table);
  out.add("stages", long{table.s});
  out.add("order", long{p.order.order}, p.order.by_trees ? "all rooted trees" : "by B, C and D");
  out.add("B, C, D", fmt::format("{}, {}, {}", p.simplifying.B, p.simplifying.C, p.simplifying.D),
          "simplifying assumptions hold up to");
  out.add("stage order", long{p.stage_order});
  out.add("stiffly accurate", p.stiffly_accurate, "x_1 is the last stage");
  out.add("A invertible", p.invertible);
  add_stability(R, out);
  out.add("B-stable", p.algebraically_stable, fmt::format("smallest eigenvalue of m: {:.3g}", p.smallest_m));
  out.add("symplectic", p.symplectic);
  out.add("symplectic order",
          p.symplectic_order.order == 0 ? Cell(std::string("infinite")) : Cell(long{p.symplectic_order.order}),
          p.symplectic_order.lower_bound ? "at least" : "the modified equation is Hamiltonian up to h^(order - 1)");
  out.add("coercivity", number(p.coercivity), "stages exist and are unique for hν below it");
  for (const auto& z : p.eigenvalues) out.add("eigenvalue of A", complex_text(z));
  add_embedded(table, out);
}

void describe(const RosenbrockTable& table, const StabilityFunction& R, Properties& out) {
  const RosenbrockProperties p = rosenbrock_properties(table);
  out.add("stages", long{table.s});
  out.add("evaluations of f", long{p.n_f_calls});
  out.add("order", long{p.main.order}, "all rooted trees up to 5");
  out.add("embedded order", table.has_embedded() ? Cell(long{p.embedded.order}) : Cell(""));
  out.add("dense order", long{p.dense_order});
  out.add("stiffly accurate", p.stiffly_accurate);
  add_stability(R, out);
  out.add("Scholz order", long{p.main.scholz_order}, "no order reduction on stiff oscillators below h^");
}

using Pictures = std::vector<std::pair<std::string, io::Figure>>;

/// properties.csv and the pictures.
void write_files(OutputFolder& folder, const Table& properties, const Pictures& pictures) {
  folder.write("properties.csv", io::render(properties, io::TableFormat::csv));
  for (const auto& [name, figure] : pictures) folder.write(name + ".svg", io::to_svg(figure));
}

/// Newmark-type methods have no table and no stability function: what their amplification matrix says.
int describe_alpha(const AnalyseArguments& arguments, const AlphaCoefficients& c, io::TableFormat format,
                   OutputFolder& folder) {
  const AlphaProperties p = alpha_properties(c);
  Properties out;
  out.add("method", arguments.method, "(1-alpha_m) a1 + alpha_m a0 = (1-alpha_f) v1' + alpha_f v0'");
  out.add("alpha_m", c.alpha_m);
  out.add("alpha_f", c.alpha_f);
  out.add("beta", c.beta);
  out.add("gamma", c.gamma);
  out.add("order", long{p.order});
  out.add("stable up to", number(p.stability_limit), "hω of an undamped vibration");
  out.add("rho(inf)", number(p.rho_infinity), "spectral radius as hω grows");
  out.add("constraint radius", number(p.constraint_radius), "errors of constraint forces decay where it is below 1");
  out.add("C", c.position_error(), "local error C h^3 v'' in positions");
  out.add("E", c.velocity_error(), "local error E h^3 dv''/dt in velocities");
  for (const double chi : {0.1, 0.5, 1.0, 3.14159265358979323846, 10.0}) {
    const NumericalVibration v = numerical_vibration(c, chi);
    out.add(fmt::format("rho({:.4g})", chi), spectral_radius(c, chi),
            v.oscillates ? fmt::format("period error {:.6g}, damping ratio {:.6g}", v.period_error, v.damping_ratio)
                         : std::string("no longer a vibration"));
  }
  if (!folder.path().empty()) write_files(folder, out.table, alpha_pictures(arguments.method, c));
  print_text(io::render(out.table, format));
  if (folder.path().empty()) note(no_folder);
  return folder.finish(done);
}

/// c | A over b, as it is printed everywhere.
Table tableau(const Analysed& method) {
  Table table;
  const int s = method.runge_kutta ? method.runge_kutta->s : method.rosenbrock->s;
  const auto entry = [&](int i, int j) {
    return method.runge_kutta ? method.runge_kutta->A(i, j) : method.rosenbrock->beta(i, j);
  };
  table.columns = {"", method.runge_kutta ? "c" : "alpha"};
  for (int j = 0; j < s; ++j) table.columns.push_back(fmt::format("{}_i{}", method.runge_kutta ? "a" : "beta", j + 1));
  for (int i = 0; i < s; ++i) {
    auto& row = table.rows.emplace_back();
    row = {fmt::format("{}", i + 1),
           number(method.runge_kutta ? method.runge_kutta->c[i] : method.rosenbrock->alpha_sum[i])};
    for (int j = 0; j < s; ++j) row.push_back(number(entry(i, j)));
  }
  auto& weights = table.rows.emplace_back();
  weights = {std::string("b"), std::string()};
  for (int j = 0; j < s; ++j)
    weights.push_back(number(method.runge_kutta ? method.runge_kutta->b[j] : method.rosenbrock->b[j]));
  return table;
}

/// For programs: the numbers of the tableau as properties, so that one table holds everything.
void add_tableau(const Table& tableau, Properties& out) {
  for (const auto& row : tableau.rows)
    for (std::size_t j = 1; j < row.size(); ++j)
      if (const auto* value = std::get_if<double>(&row[j])) {
        const std::string line = std::get<std::string>(row[0]), column = tableau.columns[j];
        const std::string name = line == "b" ? fmt::format("b_{}", j - 1)
                                 : j == 1    ? fmt::format("{}_{}", column, line)
                                             : fmt::format("{}_{}_{}", column.substr(0, column.find('_')), line, j - 1);
        out.add(name, *value);
      }
}

}  // namespace

int analyse(const AnalyseArguments& arguments) {
  const auto format = io::table_format(arguments.format);
  if (!format) return complain(format.error());
  OutputFolder folder(arguments.folder);
  if (const int code = folder.open(); code != done) return code;
  if (const auto alpha = alpha_by_name(arguments.method); alpha || !alpha.error().message.starts_with("unknown"))
    return alpha ? describe_alpha(arguments, *alpha, *format, folder) : complain(alpha.error());
  const auto method = find_method(arguments.method);
  if (!method) return complain(method.error());
  Properties properties;
  properties.add("method", method->name, method->title);
  if (method->runge_kutta)
    describe(*method->runge_kutta, method->R, properties);
  else
    describe(*method->rosenbrock, method->R, properties);

  const bool for_people = *format == io::TableFormat::text || *format == io::TableFormat::markdown;
  Properties complete = properties;
  add_tableau(tableau(*method), complete);
  if (!folder.path().empty()) write_files(folder, complete.table, stability_pictures(*method));
  if (for_people)
    print_out("{}\n{}", io::render(tableau(*method), *format), io::render(properties.table, *format));
  else
    print_text(io::render(complete.table, *format));
  if (arguments.method == "radau")
    note("radau varies its order, 3 to 13: this is where it starts; the others: radau3, radau9, radau13");
  if (folder.path().empty()) note(no_folder);
  return folder.finish(done);
}

}  // namespace rubato::app
