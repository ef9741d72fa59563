// The command line: this file understands it (CLI11, seen nowhere else), the files beside it do what it says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <map>
#include <new>
#include <sstream>
#include <stdexcept>

#include "command.hpp"
#include "interrupts.hpp"
#include "one_blas_thread.hpp"
#include "print.hpp"
#include "rubato/base/text.hpp"

namespace {

using namespace rubato::app;

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& words, const std::string& examples) {
  auto* command = app.add_subcommand(name, words);
  command->footer("Examples:\n" + examples);
  return command;
}

struct CommandLine {
  CLI::App app{"Rubato: stiff and constrained mechanical systems, integrated in time.", "rubato"};
  RunArguments run;
  ListArguments list;
  CheckArguments check;
  StaticArguments equilibria;
  AnalyseArguments analyse;
  StudyArguments converge, compare;
  ReproduceArguments reproduce;
  FitArguments fit;
  TuneArguments tune;
  PlanArguments plan;
  RealtimeRunArguments realtime_run;
  RealtimeExportArguments realtime_export;
  std::map<CLI::App*, int (*)(CommandLine&)> actions;

  CommandLine() {
    app.set_version_flag("--version", "rubato " RUBATO_VERSION);
    app.require_subcommand(1);
    app.footer(
        "A first run:   rubato run examples/spring_pendulum.toml\n"
        "What there is: rubato list problems; rubato list methods\n"
        "More:          rubato COMMAND --help\n\n"
        "Data go to stdout, messages to stderr. Exit codes: 0 done, 1 numerical failure (partial results are kept),\n"
        "2 wrong usage or input, 3 results could not be written (what was saved is said, and the checkpoint of a run "
        "is\nkept), 130 interrupted (what run, static and realtime run had found after their first step is kept).");
    add_run();
    add_list();
    add_check();
    add_static();
    add_analyse();
    add_study("converge", converge, "Observed orders with fixed steps: a table and a picture",
              "  rubato converge stiff-spring-pendulum --set eps=0.1 --methods ros3p,rodas4 --steps 200,400,800\n"
              "  rubato converge pendulum --formulation index-1 --methods ros3p,rodas4p --steps 100,200,400 \\\n"
              "      --set time.end=1 -o results/orders\n",
              [](CommandLine& c) { return rubato::app::converge(c.converge); });
    add_study("compare", compare, "Work against precision with tolerances: a table and a picture",
              "  rubato compare van-der-pol --tolerances 1e-3,1e-5,1e-7\n"
              "  rubato compare robertson --methods rodas4,rodas5p --tolerances 1e-4,1e-6 -o results/work\n",
              [](CommandLine& c) { return rubato::app::compare(c.compare); });
    add_reproduce();
    add_fit();
    add_tune();
    auto* realtime = app.add_subcommand("realtime", "Steps of constant work against the clock: make a plan, run it");
    realtime->require_subcommand(1);
    realtime->footer(
        "  rubato realtime analyse robot-r3 --step 1ms -o results/robot/     a plan, a report, pictures\n"
        "  rubato realtime run results/robot/plan.toml --duration 10s         the clock\n"
        "  rubato realtime export results/robot/plan.toml -o results/robot_c  C99 for a target\n\n"
        "See docs/realtime.md.");
    add_realtime_analyse(*realtime);
    add_realtime_run(*realtime);
    add_realtime_export(*realtime);
  }

 private:
  void add_set(CLI::App* command, std::vector<std::string>& set) {
    command->add_option("--set", set, "Override a key of the run file (`rubato list keys`); without a dot: a parameter")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
  }

  void add_run() {
    auto* command =
        add_command(app, "run", "Integrate a problem; keep the solution, the counters and pictures",
                    "  rubato run examples/spring_pendulum.toml\n"
                    "  rubato run van-der-pol --method radau5    a problem of the catalogue (`rubato list problems`)\n"
                    "  rubato run model.toml -o results/fine --method rodas5p --set solver.rtol=1e-8 --set eps=1e-3\n"
                    "  rubato run model.toml --method radau --set stiffness.detect=true\n"
                    "  rubato run model.toml --resume            continue after Ctrl-C\n\n"
                    "Files of an earlier run in the same folder are replaced.");
    command->add_option("file", run.file, "Run file, see docs/run-file.md, or problem of the catalogue")
        ->required()
        ->type_name("FILE.toml|PROBLEM");
    command->add_option("-o,--output", run.folder, "Folder for the results (results/NAME of the file or problem)")
        ->type_name("DIR");
    command
        ->add_option("--method", run.method,
                     "Method, instead of the file's (`rubato list methods`), or any member of a family: gauss-4, "
                     "lobatto-iiidc-3:0.25")
        ->type_name("NAME");
    add_set(command, run.set);
    command->add_option("--tune", run.tune, "Rates of the machine, written by `rubato tune`")->type_name("FILE.toml");
    command->add_flag("--resume", run.resume, "Continue an interrupted run from its last checkpoint in DIR");
    actions[command] = [](CommandLine& c) { return rubato::app::run(c.run); };
  }

  void add_list() {
    const std::string topics = rubato::joined(list_topics());
    auto* command = add_command(app, "list", "Show what there is: " + topics,
                                "  rubato list problems\n"
                                "  rubato list methods --format json\n");
    command->add_option("topic", list.what, topics)->required()->type_name("TOPIC");
    add_format(command, list.format);
    actions[command] = [](CommandLine& c) { return rubato::app::list(c.list); };
  }

  void add_check() {
    auto* command = add_command(
        app, "check",
        "Check a run file or a problem without running it (names, start values, derivatives), or whether the "
        "files of a run are complete",
        "  rubato check examples/spring_pendulum.toml\n"
        "  rubato check pendulum --set problem.formulation=index-3\n"
        "  rubato check results/spring_pendulum       its files against manifest.json: lengths, checksums\n");
    command->add_option("what", check.what, "Run file, problem of the catalogue, or folder of results")
        ->required()
        ->type_name("FILE.toml|PROBLEM|DIR");
    add_set(command, check.set);
    actions[command] = [](CommandLine& c) { return rubato::app::check(c.check); };
  }

  void add_static() {
    auto* command = add_command(
        app, "static", "Equilibria without inertia: of a finite element model along its time, of others at the start",
        "  rubato static examples/bushing.toml -o results/static --set output.every=0.05\n"
        "  rubato static examples/quarter_car.toml\n\n"
        "Finite element models: 20 equilibria from time.start to time.end, or those of output.every, output.times.\n"
        "The folder gets static.csv, force.svg, deformed.svg and motion.pvd.");
    command->add_option("file", equilibria.file, "Model or run file")->required()->type_name("FILE.toml");
    command->add_option("-o,--output", equilibria.folder, "Folder for the results (none: no files)")->type_name("DIR");
    add_set(command, equilibria.set);
    add_format(command, equilibria.format);
    actions[command] = [](CommandLine& c) { return rubato::app::equilibria(c.equilibria); };
  }

  void add_analyse() {
    auto* command = add_command(
        app, "analyse", "Coefficients and computed properties of a method, pictures of its stability",
        "  rubato analyse radau-iia-3\n"
        "  rubato analyse lobatto-iiidc-3:0.5 -o results/iiidc\n"
        "  rubato analyse rodas4 --format json\n\n"
        "Runge-Kutta methods: FAMILY[-STAGES][:THETA] (`rubato list families`), three stages and theta = 0 where\n"
        "nothing is said; radau3, radau5, radau9, radau13 are radau-iia-2, -3, -5, -7.");
    command->add_option("method", analyse.method, "Runge-Kutta or Rosenbrock method")->required()->type_name("METHOD");
    command->add_option("-o,--output", analyse.folder, "Folder for the pictures and properties.csv")->type_name("DIR");
    add_format(command, analyse.format);
    actions[command] = [](CommandLine& c) { return rubato::app::analyse(c.analyse); };
  }

  void add_study(const std::string& name, StudyArguments& study, const std::string& words, const std::string& examples,
                 int (*action)(CommandLine&)) {
    auto* command = add_command(app, name, words, examples);
    command->add_option("problem", study.problem, "Problem of the catalogue (`rubato list problems`)")
        ->required()
        ->type_name("PROBLEM");
    command->add_option("--methods", study.methods, "Methods (all that suit the problem)")
        ->delimiter(',')
        ->type_name("A,B");
    if (name == "converge") {
      study.steps = {20, 40, 80, 160, 320};
      command->add_option("--steps", study.steps, "Numbers of equal steps over the whole interval")
          ->delimiter(',')
          ->type_name("N,N")
          ->default_str("20,40,80,160,320");
    } else {
      study.tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
      command
          ->add_option("--tolerances", study.tolerances,
                       "Values of rtol; atol is the same, or a multiple that suits the problem")
          ->delimiter(',')
          ->type_name("TOL,TOL")
          ->default_str("1e-3,1e-4,1e-5,1e-6,1e-7");
    }
    command->add_option("--formulation", study.formulation, "How constraints are written (`rubato list formulations`)")
        ->type_name("NAME");
    command
        ->add_option("--reference-tolerance", study.reference_tolerance,
                     "Of the run that serves as reference where the catalogue has none (1e-12)")
        ->type_name("TOL");
    command->add_option("-o,--output", study.folder, "Folder for the table as CSV and the picture")->type_name("DIR");
    add_set(command, study.set);
    add_format(command, study.format);
    actions[command] = action;
  }

  void add_reproduce() {
    auto* command = add_command(app, "reproduce", "A publication's tables and figures next to ours",
                                "  rubato reproduce --list\n"
                                "  rubato reproduce stiff-irk --only 5.1,5.2\n"
                                "  rubato reproduce stiff-irk -o results/reproduction\n");
    command->add_option("name", reproduce.name, "Experiment (`rubato list experiments`)")->type_name("NAME");
    command->add_flag("--list", reproduce.list, "Show the experiments and their parts");
    command->add_option("--only", reproduce.only, "Tables and figures: table-5.1, figure-5.1; 5.1 means both")
        ->delimiter(',')
        ->type_name("PART,PART");
    command->add_option("-o,--output", reproduce.folder, "Folder for NAME.md and the pictures NAME/*.svg")
        ->type_name("DIR");
    add_format(command, reproduce.format);
    actions[command] = [](CommandLine& c) { return rubato::app::reproduce(c.reproduce); };
  }

  void add_fit() {
    auto* command = add_command(
        app, "fit", "Constants of rubber-like materials from tests: a table, a material for model files, a picture",
        "  rubato fit examples/treloar.csv --law ogden:3 -o results/treloar\n"
        "  rubato fit examples/treloar.csv                      all usual laws, compared\n"
        "  rubato fit tests.toml --law polynomial:c10,c01,c20 --stable --weight uniaxial=2\n\n"
        "The data: CSV with the columns mode,stretch,stress [MPa], or TOML with [[test]]; see docs/materials.md.\n"
        "Modes: uniaxial, equibiaxial, pure-shear, simple-shear (stretch: the shear). Stresses are nominal.");
    command->add_option("data", fit.file, "Tests")->required()->type_name("FILE.csv|FILE.toml");
    command
        ->add_option(
            "--law", fit.laws,
            "neo-hooke, mooney-rivlin, yeoh, polynomial:2, polynomial:c10,c01, ogden:3; several times: compared "
            "(all)")
        ->type_name("LAW")
        ->expected(1)
        ->take_all();
    command->add_option("--residuals", fit.residuals, "relative or absolute differences of stress (relative)")
        ->type_name("KIND");
    command->add_option("--weight", fit.weights, "How much the squares of a test count (1)")
        ->type_name("MODE=NUMBER")
        ->expected(1)
        ->take_all();
    command->add_flag("--stable", fit.stable, "Only constants that are stable as far as the data go");
    command->add_option("-o,--output", fit.folder, "Folder for material.toml, fit.csv, curves.csv and fit.svg")
        ->type_name("DIR");
    add_format(command, fit.format);
    actions[command] = [](CommandLine& c) { return rubato::app::fit(c.fit); };
  }

  void add_tune() {
    auto* command =
        add_command(app, "tune", "Measure this machine; runs then choose between factors and Krylov spaces by it",
                    "  rubato tune\n"
                    "  rubato run model.toml --tune tune.toml --set krylov.use=true --set krylov.automatic=true\n\n"
                    "Takes a few seconds. The file is an input: a run repeated with it takes the same path.");
    command->add_option("-o,--output", tune.file, "File to write (tune.toml)")->type_name("FILE.toml");
    actions[command] = [](CommandLine& c) { return rubato::app::tune(c.tune); };
  }

  void add_realtime_analyse(CLI::App& realtime) {
    auto* command = add_command(
        realtime, "analyse", "Find which entries of the Jacobian a step needs; write a plan for steps of constant work",
        "  rubato realtime analyse robot-r3 --step 1ms -o results/robot/\n"
        "  rubato realtime analyse robot-r3 --formulation dae-117 --step 1ms --rho 0.5 -o plan.toml\n"
        "  rubato realtime analyse model.toml --step 500us --whole --back-end qr\n");
    command->add_option("model", plan.model, "Run file or problem of the catalogue")
        ->required()
        ->type_name("FILE.toml|PROBLEM");
    command->add_option("--step", plan.step, "Step of the clock, with its unit: 1ms, 500us, 1e-3")
        ->required()
        ->type_name("TIME");
    command
        ->add_option("--rho", plan.rho,
                     "How far eigenvalues may move, of their distance to the unit circle, 0 … 1 (0.1)")
        ->type_name("NUMBER");
    command->add_option("--rho-m", plan.rho_m, "How far they may move in any case (a hundredth of rho)")
        ->type_name("NUMBER");
    command->add_option("--growth", plan.growth, "Eigenvalues of a step may have modulus 1 + this (1e-4)")
        ->type_name("NUMBER");
    command->add_option("--samples", plan.samples, "States along an off-line run, and after each jump of an input (13)")
        ->type_name("N");
    command->add_option("--budget", plan.budget, "Spectra that the search may compute (4000)")->type_name("N");
    command->add_flag("--whole", plan.whole, "Keep the whole Jacobian");
    command->add_flag("--keep-algebraic", plan.keep_algebraic,
                      "Keep the derivatives of algebraic equations by algebraic unknowns");
    command->add_flag("--columns", plan.columns, "Keep or leave out whole columns: unknowns are implicit or explicit");
    command->add_option("--keep", plan.keep, "Entries that must stay, by names of unknowns; stars allowed")
        ->type_name("EQUATION:UNKNOWN")
        ->expected(1)
        ->take_all();
    command
        ->add_option(
            "--deviation", plan.deviation,
            "Leave out only what moves a run from the whole Jacobian by so many % of ranges (eigenvalues decide)")
        ->type_name("PERCENT");
    command->add_option("--watch", plan.watch, "Unknowns that --deviation looks at; stars allowed (all states)")
        ->delimiter(',')
        ->type_name("A,B");
    command->add_option("--back-end", plan.back_end, "qr, lu, or auto: the cheaper one that serves all samples (auto)")
        ->type_name("NAME");
    command->add_option("--time", plan.time, "Where in a step time stands in the equations: start or end (start)")
        ->type_name("NAME");
    command->add_flag("--damping", plan.damping, "Damp steps of algebraic unknowns; two more evaluations per step");
    command
        ->add_option("--step-numbers", plan.step_numbers,
                     "Extrapolation: small steps per row of the tableau, e.g. 1,2 for order 2 (1: none)")
        ->delimiter(',')
        ->type_name("N,N");
    command
        ->add_option("--drop-below", plan.drop_below,
                     "Leave out, in every step anew, entries of differential equations with step·|entry| below this, "
                     "in sizes of "
                     "unknowns (0: none)")
        ->type_name("SIGMA");
    command
        ->add_option("--projections", plan.projections,
                     "Mechanisms: so often per step positions and velocities are put onto the constraints (0)")
        ->type_name("N");
    command->add_option("--rtol", plan.rtol, "Relative tolerance of the error estimate, which warns only (1)")
        ->type_name("NUMBER");
    command->add_option("--atol", plan.atol, "Absolute tolerance of the error estimate (1)")->type_name("NUMBER");
    command->add_option("--formulation", plan.formulation, "How the equations are written (`rubato list problems`)")
        ->type_name("NAME");
    add_set(command, plan.set);
    command
        ->add_option("-o,--output", plan.file,
                     "Plan to write (plan.toml); a folder, or DIR/: plan.toml and pictures in it")
        ->type_name("FILE.toml|DIR/");
    command->add_option("--pictures", plan.pictures, "Folder for pictures")->type_name("DIR");
    add_format(command, plan.format);
    actions[command] = [](CommandLine& c) { return rubato::app::realtime_analyse(c.plan); };
  }

  void add_realtime_run(CLI::App& realtime) {
    auto* command = add_command(
        realtime, "run", "Run a plan against the clock; report step times and missed deadlines",
        "  rubato realtime run plan.toml\n"
        "  rubato realtime run plan.toml --duration 10s --lock-memory --cpu 1 --priority 80 -o results/clock\n"
        "  rubato realtime run plan.toml --steps 1000000 --free-run\n"
        "  rubato realtime run plan.toml --shared-memory robot        a controller in the loop, see examples/hil\n");
    RealtimeRunArguments& run_plan = realtime_run;
    const auto not_empty = [](const std::string& text) { return std::string(text.empty() ? "must not be empty" : ""); };
    command->add_option("plan", run_plan.plan, "Plan, written by `rubato realtime analyse`")
        ->required()
        ->type_name("PLAN.toml");
    command->add_option("--duration", run_plan.duration, "How long, with its unit (the time of the model)")
        ->type_name("TIME");
    command->add_option("--steps", run_plan.steps, "How many steps, instead of a duration")->type_name("N");
    command->add_flag("--free-run", run_plan.free_run, "One step after the other, without a clock: for measuring");
    command->add_flag("--lock-memory", run_plan.lock_memory, "No page of memory is given back while steps run");
    command->add_option("--cpu", run_plan.cpu, "The only processor to run on")->type_name("K");
    command->add_option("--priority", run_plan.priority, "Real-time scheduling (SCHED_FIFO) with this priority, 1 … 99")
        ->type_name("P");
    command
        ->add_option("--shared-memory", run_plan.shared_memory,
                     "Inputs from and channels to a controller, in shared memory of this name")
        ->check(not_empty)
        ->type_name("NAME");
    command->add_option("--udp", run_plan.udp, "Likewise by datagrams of this machine: listen at IN, send to OUT")
        ->check(not_empty)
        ->type_name("IN:OUT");
    command->add_option("--udp-from", run_plan.udp_from, "Only datagrams from this port count (any)")
        ->type_name("PORT");
    command
        ->add_option("--first-inputs", run_plan.first_inputs, "Inputs until the controller has sent some (the model's)")
        ->delimiter(',')
        ->type_name("U,U");
    command
        ->add_option(
            "--channels", run_plan.channels,
            "Unknowns and outputs to send and keep, in this order; stars allowed (output.channels, or all outputs)")
        ->delimiter(',')
        ->type_name("A,B");
    command->add_option("--every", run_plan.every, "Keep a row of every so many steps (1, more for long runs)")
        ->type_name("N");
    command->add_flag("--continue-on-failure", run_plan.continue_on_failure,
                      "A step that fails holds the state and the clock goes on");
    add_set(command, run_plan.set);
    command
        ->add_option("-o,--output", run_plan.folder,
                     "Folder for the results (results/NAME of the plan, or of the folder of a plan.toml)")
        ->type_name("DIR");
    actions[command] = [](CommandLine& c) { return rubato::app::realtime_run(c.realtime_run); };
  }

  void add_realtime_export(CLI::App& realtime) {
    auto* command = add_command(
        realtime, "export", "Write the steps of a plan as C99 that needs math.h and nothing else",
        "  rubato realtime export plan.toml -o results/robot_c\n"
        "  rubato realtime export plan.toml -o results/robot_c --name arm --factorisation tables\n\n"
        "The folder gets NAME.h, NAME.c, an example (NAME_example.c, Makefile) and README.txt; files of these\n"
        "names are replaced.");
    command->add_option("plan", realtime_export.plan, "Plan, written by `rubato realtime analyse`")
        ->required()
        ->type_name("PLAN.toml");
    command->add_option("-o,--output", realtime_export.folder, "Folder for the files")->required()->type_name("DIR");
    command->add_option("--name", realtime_export.name, "Of files and functions (that of the model)")
        ->type_name("NAME");
    command
        ->add_option("--factorisation", realtime_export.factorisation,
                     "auto, tables (loops) or straight-line (no loops: faster, longer text)")
        ->type_name("KIND");
    actions[command] = [](CommandLine& c) { return rubato::app::realtime_export(c.realtime_export); };
  }

  static void add_format(CLI::App* command, std::string& format) {
    command->add_option("--format", format, "text, csv, json or markdown (text)")->type_name("NAME");
  }
};

/// CLI11 would only say that the argument was not expected.
bool known_command(const CLI::App& group, const char* name, const std::string& what) {
  std::vector<std::string> names;
  for (const CLI::App* command : group.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  std::sort(names.begin(), names.end());
  if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  print_err("rubato: {}\n", rubato::unknown_name(what, name, names));
  return false;
}

/// "realtime analyse ": whose help tells more.
std::string named_commands(const CLI::App& app, int argc, char** argv) {
  std::string names;
  const CLI::App* group = &app;
  for (int i = 1; i < argc; ++i) {
    const auto inner = group->get_subcommands([&](const CLI::App* one) { return one->get_name() == argv[i]; });
    if (inner.empty()) break;
    group = inner.front();
    names += group->get_name() + " ";
  }
  return names;
}

int dispatch(int argc, char** argv) {
  CommandLine line;
  if (argc > 1 && argv[1][0] != '-') {
    if (!known_command(line.app, argv[1], "command")) return wrong_input;
    const CLI::App* const group = line.app.get_subcommand(argv[1]);
    const bool nested = !group->get_subcommands([](const CLI::App*) { return true; }).empty();
    if (nested && argc > 2 && argv[2][0] != '-' &&
        !known_command(*group, argv[2], fmt::format("command of {}", argv[1])))
      return wrong_input;
  }
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream words;
    const int code = line.app.exit(asked, words, words);
    print_text(words.str());
    return code;
  } catch (const CLI::ParseError& error) {
    if (argc < 2)
      tell_text(line.app.help());
    else
      print_err("rubato: {}; see `rubato {}--help`\n", error.what(), named_commands(line.app, argc, argv));
    return wrong_input;
  }
  for (const auto& [command, action] : line.actions)
    if (command->parsed()) return action(line);
  return wrong_input;
}

}  // namespace

int main(int argc, char** argv) {
  restart_with_one_blas_thread(argv);
  guard_standard_streams();
  ignore_write_signals();
  end_at_interrupts();
  try {
    return with_output(dispatch(argc, argv));
  } catch (const std::bad_alloc&) {  // libraries may throw, we do not
    std::fputs("rubato: out of memory\n", stderr);
  } catch (const std::length_error&) {  // std::vector, asked for more than there are addresses
    std::fputs("rubato: out of memory: a list would have more entries than there are addresses\n", stderr);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr,
                 "rubato: an error inside the program, not of the input; please report it with the command: %s\n",
                 trouble.what());
  }
  return numerical_failure;
}
