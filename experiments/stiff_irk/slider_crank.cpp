// Tables 5.6 and 5.7, figures 5.6 and 5.7: the slider crank with a flexible rod. The source's coordinates q₆, q₇
// (longitudinal) are q3, q4 of the catalogue.
#include "experiments/runs.hpp"
#include "experiments/stiff_irk/stiff_irk.hpp"

namespace rubato::experiments::stiff {

namespace {
using Powers = std::vector<std::pair<std::string, double>>;
enum Start { smooth, perturbed };

const Powers q7{{"v_q4", 1}}, q6_q7{{"v_q3", 1}, {"v_q4", 1}},
    with_accelerations{{"v_q3", 1}, {"v_q4", 1}, {"a_q3", 2}, {"a_q4", 2}};

IntegrateOptions crank_options(double rtol, double atol) {
  IntegrateOptions options = radau5_mode(rtol, 0.1);
  options.tolerances.atol = atol;
  return options;
}

Setup setup(Start start, IntegrateOptions options) {
  return {.problem = "slider-crank-15",
          .parameters = {{"start", static_cast<double>(start)}},
          .formulation = "ggl+a",
          .options = std::move(options)};
}

/// The source's way to find stiff coordinates, among the elastic ones.
IntegrateOptions by_estimates(const IntegrateOptions& options, long attempts, bool grouping) {
  return detecting(options, {.measure = StiffnessMeasure::estimates,
                             .attempts = attempts,
                             .grouping = grouping,
                             .candidates = {"q1", "q2", "q3", "q4"},
                             .accelerations = false});
}

class Rows {
 public:
  Rows(Start start, const Control& control) : start_(start), control_(control) {}
  void add(const std::string& name, std::optional<Counters> published, const std::string& rerun,
           IntegrateOptions options) {
    rows.push_back(compared(name, published, rerun, setup(start_, std::move(options)), control_, {"q3", "q4"}));
  }
  std::vector<Comparison> rows;

 private:
  Start start_;
  const Control& control_;
};
}  // namespace

Section table_5_6(const Control& control) {
  const Counters none{420, 338, 79}, one{233, 194, 38}, both{126, 105, 20};
  Rows rows(smooth, control);
  for (const bool loose : {true, false}) {
    const IntegrateOptions options = loose ? crank_options(1e-2, 1e-5) : crank_options(1e-3, 1e-3);
    rows.add(loose ? "rtol 10⁻², atol 10⁻⁵: unscaled" : "rtol = atol = 10⁻³: unscaled", none, loose ? "367" : "128",
             options);
    rows.add("v₇ scaled", one, loose ? "410" : "124", scaled(options, q7));
    rows.add("v₆, v₇ scaled", both, loose ? "209" : "127", scaled(options, q6_q7));
    rows.add("v₆, v₇, a₆, a₇ scaled", both, "", scaled(options, with_accelerations));
    rows.add("found by estimates", both, "", by_estimates(options, 7, false));
    rows.add("found by estimates, grouped", both, "", by_estimates(options, 7, true));
    rows.add("found by frequencies", both, "", detecting(options, {}));
  }
  return {.setting =
              "`slider-crank-15`, semi-explicit form with 27 unknowns (`ggl+a`), RADAU5 mode, first step 0.1, "
              "0 ≤ t ≤ 0.1. Tolerances are not printed: two guesses. The source's q₆, q₇ are named q3, q4 here.",
          .runs = std::move(rows.rows),
          .difference =
              "Tolerances are not printed, and our smooth start is that of the periodic motion, smoother than the "
              "source's decoupled analysis: there is less to scale away. Public RADAU5 on our set-up shows the "
              "same."};
}

Section table_5_7(const Control& control) {
  const Counters none{6336, 4996, 1337}, both{157, 130, 25}, more{147, -1, -1};
  Rows rows(perturbed, control);
  for (const bool loose : {true, false}) {
    const IntegrateOptions options = loose ? crank_options(1e-3, 1e-3) : crank_options(1e-4, 1e-4);
    rows.add(loose ? "tolerance 10⁻³: unscaled" : "tolerance 10⁻⁴: unscaled", none, loose ? "1669" : "2841", options);
    rows.add("v₇ scaled", std::nullopt, loose ? "667" : "2098", scaled(options, q7));
    rows.add("v₆, v₇ scaled", both, loose ? "211" : "1766", scaled(options, q6_q7));
    rows.add("v₆, v₇, a₆, a₇ scaled", more, "", scaled(options, with_accelerations));
    rows.add("found by estimates", both, "", by_estimates(options, 3, false));
    rows.add("found by frequencies", both, "", detecting(options, {}));
  }
  return {.setting =
              "The same crank from an undeformed rod, which sets its vibrations free; estimates are looked at in "
              "three attempts only.",
          .runs = std::move(rows.rows),
          .difference =
              "Tolerance and perturbation are not printed, hence another unscaled count; the gain is of the same kind, "
              "a factor "
              "of 8 at 10⁻³. The source's measure finds nothing here: Newton's iteration fails in the large first "
              "attempts it "
              "relies on. Frequencies do not need them."};
}

}  // namespace rubato::experiments::stiff
