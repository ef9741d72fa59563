/// Exported C99 does what the library does: compiled with every C compiler here, loaded, and compared step by step.
#include "rubato/realtime/export.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <regex>

#include "catalogue/catalogue.hpp"
#include "rubato/problem/template_dae.hpp"
#include "rubato/realtime/runner.hpp"
#include "rubato/realtime/static_qr.hpp"
#include "stepper_models.hpp"

namespace rubato::realtime {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone in the end.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "rubato-export-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Output and errors of a command; ok: it returned 0.
struct Said {
  bool ok;
  std::string text;
};
Said run(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  return {pclose(pipe) == 0, text};
}

std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char* name : {"gcc", "clang"})
    if (run(std::string("command -v ") + name).ok) found.emplace_back(name);
  return found;
}

constexpr const char* strict = " -std=c99 -O1 -Wall -Wextra -Werror -pedantic -Wmissing-prototypes";

/// Names that do not depend on that of the model.
constexpr const char* harness = R"(
#include "model.h"
int begin(void);
int step(const double *u);
const double *state(void);
const double *outputs(void);
const double *report(void);
static model_t s;
static double numbers[5];
int begin(void) { model_init(&s); return 0; }
int step(const double *u) { return model_step(&s, u); }
const double *state(void) { return s.x; }
const double *outputs(void) { model_outputs(&s); return s.y; }
const double *report(void)
{
  numbers[0] = s.error;
  numbers[1] = s.algebraic_residual;
  numbers[2] = s.backward_error;
  numbers[3] = s.damping;
  numbers[4] = model_time(&s);
  return numbers;
}
)";

class Loaded {
 public:
  Loaded(const Export& exported, const std::string& compiler) {
    for (const auto& file : exported.files) folder_.write(file.name, file.text);
    folder_.write("harness.c", harness);
    const std::string place = folder_.path().string();
    const Said compiled = run(compiler + strict + " -shared -fPIC -o " + place + "/model.so " + place + "/model.c " +
                              place + "/harness.c -lm");
    EXPECT_TRUE(compiled.ok) << compiled.text;
    library_ = dlopen((place + "/model.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
    if (library_ == nullptr) return;
    find("begin", begin);
    find("step", step);
    find("state", state);
    find("outputs", outputs);
    find("report", report);
    begin();
  }
  ~Loaded() {
    if (library_ != nullptr) dlclose(library_);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  [[nodiscard]] bool ok() const { return library_ != nullptr; }
  [[nodiscard]] const fs::path& folder() const { return folder_.path(); }

  int (*begin)() = nullptr;
  int (*step)(const double*) = nullptr;
  const double* (*state)() = nullptr;
  const double* (*outputs)() = nullptr;
  const double* (*report)() = nullptr;

 private:
  template <class F>
  void find(const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library_, name));
    EXPECT_NE(function, nullptr) << name;
  }
  Folder folder_;
  void* library_ = nullptr;
};

struct ExportCase {
  std::string name, problem, formulation;
  double step = 1e-3;
  bool damping = false;
  int n_steps = 1000;
  StepTime time = StepTime::start;
  friend std::ostream& operator<<(std::ostream& out, const ExportCase& c) { return out << c.name; }
};

struct Model {
  catalogue::Instance instance;
  ModelStructure structure;
  explicit Model(const ExportCase& c) {
    auto made = catalogue::make_problem(c.problem, {}, c.formulation);
    EXPECT_TRUE(made.ok()) << made.error().message;
    instance = std::move(*made);
    auto found = model_structure(dae(), start());
    EXPECT_TRUE(found.ok()) << found.error().message;
    structure = std::move(*found);
  }
  [[nodiscard]] const Dae& dae() const { return *instance.problem.dae; }
  [[nodiscard]] Sample start() const { return start_of(instance.problem); }
  [[nodiscard]] Keep all() const { return Keep(static_cast<std::size_t>(structure.jacobian.nnz()), 1); }
};

/// Of numbers relative to their sizes, or to 1; infinite where one is none.
double difference(double a, double b) {
  const double away = std::abs(a - b) / std::max(1.0, std::abs(a));
  return std::isnan(away) ? std::numeric_limits<double>::infinity() : away;
}
double largest_difference(In a, In b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, difference(a[i], b[i]));
  return worst;
}

/// What may differ, relative to sizes of numbers.
struct Tolerances {
  double state = 0, residual = 0, outputs = 0;
};

/// What rounding makes of a run: the largest differences between two of the library whose formulas are the same and whose roundings are
/// not, QR and LU.
Tolerances rounding_of(const Model& model, const Plan& qr, const Plan& lu, int n_steps) {
  const auto first = RealtimeStepper::create(model.dae(), qr, model.start()),
             second = RealtimeStepper::create(model.dae(), lu, model.start());
  EXPECT_TRUE(first.ok() && second.ok());
  SignalLink link(model.instance.problem.input.get(), qr.step);
  std::vector<double> u(static_cast<std::size_t>(model.dae().n_inputs())),
      y(static_cast<std::size_t>((*first)->n_outputs())), other_y(y.size());
  Tolerances worst;
  for (int n = 0; n < n_steps; ++n) {
    link.read(n, (*first)->time(), u);
    const StepReport one = (*first)->step(u), other = (*second)->step(u);
    EXPECT_EQ(one.status, RealtimeStatus::ok);
    EXPECT_EQ(other.status, RealtimeStatus::ok);
    EXPECT_EQ((*first)->outputs(y), EvalStatus::ok);
    EXPECT_EQ((*second)->outputs(other_y), EvalStatus::ok);
    worst.state = std::max(worst.state, largest_difference((*first)->state(), (*second)->state()));
    worst.residual = std::max(worst.residual, difference(one.algebraic_residual, other.algebraic_residual));
    worst.outputs = std::max(worst.outputs, largest_difference(y, other_y));
  }
  return worst;
}

/// Steps of the library and of the exported code side by side; differences relative to the size of a number, or to 1.
void compare(const Model& model, const Plan& plan, int n_steps, const Tolerances& within, Factorisation factorisation,
             const std::string& compiler) {
  const auto exported = export_c(model.dae(), plan, model.start(), {.factorisation = factorisation});
  ASSERT_TRUE(exported.ok()) << exported.error().message;
  EXPECT_EQ(exported->straight_line, factorisation == Factorisation::straight_line);
  const Loaded code(*exported, compiler);
  ASSERT_TRUE(code.ok());
  const auto stepper = RealtimeStepper::create(model.dae(), plan, model.start());
  ASSERT_TRUE(stepper.ok()) << stepper.error().message;
  const In state = (*stepper)->state();
  SignalLink link(model.instance.problem.input.get(), plan.step);
  std::vector<double> u(static_cast<std::size_t>(model.dae().n_inputs())),
      y(static_cast<std::size_t>((*stepper)->n_outputs()));
  for (int n = 0; n < n_steps; ++n) {
    SCOPED_TRACE(std::string(to_string(plan.back_end)) + ' ' + compiler + " step " + std::to_string(n));
    link.read(n, (*stepper)->time(), u);
    const StepReport report = (*stepper)->step(u);
    ASSERT_EQ(code.step(u.data()), static_cast<int>(report.status));
    ASSERT_LE(largest_difference(state, In(code.state(), state.size())), within.state);
    const double* numbers = code.report();
    ASSERT_NEAR(numbers[0], report.error, 10 * within.state * std::max(1.0, report.error));
    ASSERT_LE(difference(report.algebraic_residual, numbers[1]), within.residual);
    ASSERT_EQ(plan.back_end == StaticKind::qr ? numbers[2] : 0, 0);  // only LU is watched
    ASSERT_EQ(numbers[3], report.damping);
    ASSERT_EQ(numbers[4], (*stepper)->time());
    ASSERT_EQ((*stepper)->outputs(y), EvalStatus::ok);
    ASSERT_LE(largest_difference(y, In(code.outputs(), y.size())), within.outputs);
  }
}

class ExportTest : public testing::TestWithParam<ExportCase> {};

/// Both back ends, with loops and without, everything kept; gcc, and clang where it is there.
TEST_P(ExportTest, StepsAsTheLibraryDoes) {
  const ExportCase& c = GetParam();
  const Model model(c);
  const auto plan_with = [&](StaticKind kind) {
    return make_plan(model.dae(), model.structure, model.all(), {model.start()},
                     {.step = c.step, .back_end = kind, .time = c.time, .damping = c.damping});
  };
  const auto qr = plan_with(StaticKind::qr), lu = plan_with(StaticKind::lu);
  ASSERT_TRUE(qr.ok() && lu.ok());
  const Tolerances rounding = rounding_of(model, *qr, *lu, c.n_steps);
  EXPECT_LT(rounding.state, 1e-8);
  EXPECT_LT(rounding.residual, 1e-5);  // of differences of large numbers, as outputs are
  EXPECT_LT(rounding.outputs, 1e-5);
  const Tolerances tolerance{.state = 10 * rounding.state + 1e-14,
                             .residual = 10 * rounding.residual + 1e-11,
                             .outputs = 10 * rounding.outputs + 1e-11};
  for (const Plan* plan : {&*qr, &*lu}) {
    compare(model, *plan, c.n_steps, tolerance, Factorisation::tables, "gcc");
    if (plan->operations.weight() < 20'000)
      compare(model, *plan, c.n_steps, tolerance, Factorisation::straight_line, "gcc");
    if (compilers().size() > 1) compare(model, *plan, c.n_steps, tolerance, Factorisation::tables, "clang");
  }
}

/// Entries that are left out are left out of the code, too: a tenth of those that change and do not stand on the diagonal.
TEST_P(ExportTest, LeavesOutWhatThePlanLeavesOut) {
  const ExportCase& c = GetParam();
  const Model model(c);
  const auto whole =
      make_plan(model.dae(), model.structure, model.all(), {model.start()}, {.step = c.step, .damping = c.damping});
  ASSERT_TRUE(whole.ok());
  Keep keep = model.all();
  std::mt19937 random(3);
  const SparsePattern& pattern = model.structure.jacobian;
  int left_out = 0;
  for (int col = 0, p = 0; col < pattern.cols(); ++col)
    for (const int row : pattern.column(col)) {
      if (whole->constant[p] == 0 && row != col && model.structure.algebraic[row] == 0 && random() % 10 == 0) {
        keep[p] = 0;
        ++left_out;
      }
      ++p;
    }
  const auto plan =
      make_plan(model.dae(), model.structure, keep, {model.start()}, {.step = c.step, .damping = c.damping});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  compare(model, *plan, 100, {.state = 1e-10, .residual = 1e-7, .outputs = 1e-7}, Factorisation::tables, "gcc");
  if (left_out == 0) return;
  const auto full = export_c(model.dae(), *whole, model.start()), less = export_c(model.dae(), *plan, model.start());
  EXPECT_LT(less->derivatives.all(), full->derivatives.all());
}

/// Van der Pol's oscillator up to its first jump, which makes anything of rounding.
INSTANTIATE_TEST_SUITE_P(
    Models, ExportTest,
    testing::Values(ExportCase{"robot_ode", "robot-r3", "ode"}, ExportCase{"robot_117", "robot-r3", "dae-117"},
                    ExportCase{"robot_354", "robot-r3", "dae-354"}, ExportCase{"robot_36", "robot-r3-36", "ode"},
                    ExportCase{"robot_36_torn", "robot-r3-36", "dae-69"}, ExportCase{"drive_train", "drive-train", ""},
                    ExportCase{"orifices", "hydraulic-orifices", "", 1e-2, true, 200},
                    ExportCase{"van_der_pol", "van-der-pol", "", 1e-3, false, 700},
                    ExportCase{"robertson", "robertson-dae", "", 1e-2},
                    ExportCase{"robot_117_end", "robot-r3", "dae-117", 1e-3, false, 200, StepTime::end},
                    ExportCase{"ladder", "rc-ladder", "", 1e-5, false, 200, StepTime::end},
                    ExportCase{"gearbox", "hydraulic-gearbox", "", 1e-3, false, 200}),
    [](const auto& c) { return c.param.name; });

/// No header but math.h, no symbol from outside but those of libm, all text the same when it is written again.
TEST(Export, NeedsMathAndNothingElse) {
  const ExportCase c{"robot", "robot-r3", "dae-117"};
  const Model model(c);
  const auto plan = make_plan(model.dae(), model.structure, model.all(), {model.start()}, {.step = c.step});
  ASSERT_TRUE(plan.ok());
  for (const auto factorisation : {Factorisation::tables, Factorisation::straight_line}) {
    const auto exported = export_c(model.dae(), *plan, model.start(), {.name = "arm", .factorisation = factorisation});
    ASSERT_TRUE(exported.ok()) << exported.error().message;
    const auto again = export_c(model.dae(), *plan, model.start(), {.name = "arm", .factorisation = factorisation});
    for (std::size_t i = 0; i < exported->files.size(); ++i) EXPECT_EQ(exported->files[i].text, again->files[i].text);
    const Folder folder;
    const std::regex include("#include *[<\"]([^>\"]*)[>\"]");
    for (const auto& file : exported->files) {
      folder.write(file.name, file.text);
      if (file.name == "arm_example.c") continue;
      for (std::sregex_iterator it(file.text.begin(), file.text.end(), include), end; it != end; ++it)
        EXPECT_TRUE((*it)[1] == "math.h" || (*it)[1] == "arm.h") << file.name << ": " << (*it)[1];
    }
    const std::string place = folder.path().string();
    for (const auto& compiler : compilers()) {
      const Said compiled =
          run("cd " + place + " && " + compiler + strict + " -ffreestanding -c arm.c && nm -u arm.o && nm arm.o");
      ASSERT_TRUE(compiled.ok) << compiled.text;
      const std::regex undefined(" U ([a-zA-Z_0-9]+)");
      for (std::sregex_iterator it(compiled.text.begin(), compiled.text.end(), undefined), end; it != end; ++it) {
        const std::string name = (*it)[1];
        EXPECT_TRUE(name == "sin" || name == "cos" || name == "tanh" || name == "sqrt" || name == "exp" ||
                    name == "copysign" || name == "fabs" || name == "sincos" || name == "_GLOBAL_OFFSET_TABLE_")
            << name;
      }
      // No variables of its own, so that several of its kind run side by side; names are constants with addresses in them.
      EXPECT_FALSE(std::regex_search(compiled.text, std::regex(" [bBC] "))) << compiled.text;
      const std::regex data(" [dD] ([a-zA-Z_0-9]+)");
      for (std::sregex_iterator it(compiled.text.begin(), compiled.text.end(), data), end; it != end; ++it)
        EXPECT_TRUE((*it)[1] == "arm_state_names" || (*it)[1] == "arm_output_names") << (*it)[1];
    }
    const Said example = run("make -C " + place + " && " + place + "/arm_example | wc -l");
    EXPECT_TRUE(example.ok);
    EXPECT_NE(example.text.find("\n11\n"), std::string::npos) << example.text;  // names, and every hundredth of 1000
  }
}

/// x' = −|x|, with abs of the scalar or by looking at it.
struct Careless {
  static constexpr bool recordable = true, autonomous = true;
  bool looks = false;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::abs;
    out[0] = looks ? (at.x[0] < 0.0 ? at.x[0] : S(-at.x[0])) : S(-abs(at.x[0]));
  }
};

/// A model that branches is refused with the reason, one that does not say that it is recordable as well; a name must suit C.
TEST(Export, RefusesWhatItCannotWrite) {
  const Sample start{0, Vector{{1.0}}, Vector()};
  const Layout layout{{.name = "x", .size = 1}};
  const auto branches = make_dae(Careless{true}, layout), smooth = make_dae(Careless{false}, layout);
  const auto plan = test_models::full_plan(*smooth, start, {.step = 0.1});
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(export_c(*smooth, *plan, start).ok());
  const auto refused = export_c(*branches, *plan, start);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("branches on values"), std::string::npos) << refused.error().message;
  const auto linear = test_models::linear();
  const Sample other{0, Vector{{0.0, 0.0, 0.0}}, Vector{{0.0}}};
  const auto plain = test_models::full_plan(*linear, other, {.step = 0.1});
  ASSERT_TRUE(plain.ok());
  const auto not_recordable = export_c(*linear, *plain, other);
  ASSERT_FALSE(not_recordable.ok());
  EXPECT_NE(not_recordable.error().message.find("recordable"), std::string::npos);
  for (const char* name : {"3d", "_math", "n", "N", "evaluate", "size", "float", "double"}) {
    const auto unnamed = export_c(*smooth, *plan, start, {.name = name});
    ASSERT_FALSE(unnamed.ok()) << name;
    EXPECT_NE(unnamed.error().message.find('\'' + std::string(name) + '\''), std::string::npos);
  }
  Plan extrapolated = *plan;
  extrapolated.step_numbers = {1, 2};
  const auto tableau = export_c(*smooth, extrapolated, start);
  ASSERT_FALSE(tableau.ok());
  EXPECT_NE(tableau.error().message.find("extrapolates"), std::string::npos);
  Plan dropping = *plan;
  dropping.drop_below = 0.1;
  dropping.sizes.assign(plan->structure.algebraic.size(), 1.0);
  const auto dropped = export_c(*smooth, dropping, start);
  ASSERT_FALSE(dropped.ok());
  EXPECT_NE(dropped.error().message.find("drops entries"), std::string::npos) << dropped.error().message;
  const auto misfit = export_c(*linear, *plan, other);
  ASSERT_FALSE(misfit.ok());
  EXPECT_NE(misfit.error().message.find("does not fit"), std::string::npos);
}

/// x' = √x: from 0 the derivative is infinite, the step not finite. Both say so, hold the state and go on.
struct ExportRoot {
  static constexpr bool recordable = true, autonomous = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sqrt;
    out[0] = sqrt(at.x[0]) - 2.0;
  }
};
TEST(Export, HoldsTheStateAfterAFailedStep) {
  const Sample start{0, Vector{{0.01}}, Vector()};
  const auto dae = make_dae(ExportRoot{}, {{.name = "x", .size = 1}});
  for (const auto factorisation : {Factorisation::tables, Factorisation::straight_line})
    for (const StaticKind kind : {StaticKind::qr, StaticKind::lu}) {
      const auto plan = test_models::full_plan(*dae, start, {.step = 0.1, .back_end = kind});
      ASSERT_TRUE(plan.ok());
      const auto exported = export_c(*dae, *plan, start, {.factorisation = factorisation});
      ASSERT_TRUE(exported.ok()) << exported.error().message;
      const Loaded code(*exported, "gcc");
      const auto stepper = RealtimeStepper::create(*dae, *plan, start);
      int failed = 0;
      for (int n = 0; n < 6; ++n) {
        const StepReport report = (*stepper)->step({});
        EXPECT_EQ(code.step(nullptr), static_cast<int>(report.status)) << n;
        failed += report.status != RealtimeStatus::ok ? 1 : 0;
        EXPECT_NEAR(code.state()[0], (*stepper)->state()[0], 1e-14);
      }
      EXPECT_GT(failed, 0);
    }
}

/// x' = √(x − u) − 2: where u reaches x the derivative is infinite, and 1/∞ = 0 would pass for a step of its own. Where the step matrix
/// is at hand (all but QR without loops) the code says so as the library does.
struct Edge {
  static constexpr bool recordable = true, autonomous = true;
  [[nodiscard]] static int n_inputs() { return 1; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    using std::sqrt;
    out[0] = sqrt(at.x[0] - at.u[0]) - 2.0;
  }
};
TEST(Export, SeesInfiniteDerivatives) {
  const Sample start{0, Vector{{1.0}}, Vector{{0.0}}};
  const auto dae = make_dae(Edge{}, {{.name = "x", .size = 1}});
  for (const auto& [kind, factorisation] :
       {std::pair(StaticKind::qr, Factorisation::tables), std::pair(StaticKind::lu, Factorisation::tables),
        std::pair(StaticKind::lu, Factorisation::straight_line)}) {
    const auto plan = test_models::full_plan(*dae, start, {.step = 0.1, .back_end = kind});
    ASSERT_TRUE(plan.ok());
    const auto exported = export_c(*dae, *plan, start, {.factorisation = factorisation});
    ASSERT_TRUE(exported.ok()) << exported.error().message;
    const Loaded code(*exported, "gcc");
    ASSERT_TRUE(code.ok());
    const auto stepper = RealtimeStepper::create(*dae, *plan, start);
    const std::array edge{1.0};
    EXPECT_EQ((*stepper)->step(edge).status, RealtimeStatus::not_finite);
    EXPECT_EQ(code.step(edge.data()), static_cast<int>(RealtimeStatus::not_finite)) << to_string(kind);
    EXPECT_EQ(code.state()[0], 1);
  }
}

/// x' = u − x: of 1e300 the step would be a number, and a state from which none leads back. It is refused like infinity.
struct Follower {
  static constexpr bool recordable = true, autonomous = true;
  [[nodiscard]] static int n_inputs() { return 1; }
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = at.u[0] - at.x[0];
  }
};
TEST(Export, RefusesNumbersWithoutAWayBack) {
  const Sample start{0, Vector{{1.0}}, Vector{{0.0}}};
  const auto dae = make_dae(Follower{}, {{.name = "x", .size = 1}});
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto factorisation : {Factorisation::tables, Factorisation::straight_line}) {
    const auto plan = test_models::full_plan(*dae, start, {.step = 0.1});
    ASSERT_TRUE(plan.ok());
    const auto exported = export_c(*dae, *plan, start, {.factorisation = factorisation});
    ASSERT_TRUE(exported.ok()) << exported.error().message;
    const Loaded code(*exported, "gcc");
    const auto stepper = RealtimeStepper::create(*dae, *plan, start);
    for (const double u : {1e300, -1e300, infinity, std::nan(""), 0.5}) {
      const auto expected = u == 0.5 ? RealtimeStatus::ok : RealtimeStatus::not_finite;
      EXPECT_EQ((*stepper)->step({&u, 1}).status, expected) << u;
      EXPECT_EQ(code.step(&u), static_cast<int>(expected)) << u;
      EXPECT_EQ(code.state()[0] == 1, expected != RealtimeStatus::ok) << u;
      EXPECT_NEAR(code.state()[0], (*stepper)->state()[0], 1e-15) << u;
    }
  }
}

/// x' = 1/(x + ∞) − x, with an output whose name has a trigraph in it: constants that are no numbers have names in C.
struct Endless {
  static constexpr bool recordable = true, autonomous = true;
  template <class S>
  void f(const Point<S>& at, std::span<S> out) const {
    out[0] = 1.0 / (at.x[0] + std::numeric_limits<double>::infinity()) - at.x[0];
  }
  [[nodiscard]] static std::vector<std::string> output_names() {
    return {R"(what?)"
            R"(?(\)"};
  }
  template <class S>
  void outputs(const Point<S>& at, std::span<S> y) const {
    y[0] = at.x[0];
  }
};
TEST(Export, WritesInfinitiesAndQuestionMarks) {
  const Sample start{0, Vector{{1.0}}, Vector()};
  const auto dae = make_dae(Endless{}, {{.name = "x", .size = 1}});
  const auto plan = test_models::full_plan(*dae, start, {.step = 0.1});
  ASSERT_TRUE(plan.ok());
  const auto exported = export_c(*dae, *plan, start, {.factorisation = Factorisation::tables});
  ASSERT_TRUE(exported.ok()) << exported.error().message;
  const std::string& text = exported->files[1].text;
  EXPECT_NE(text.find("INFINITY"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("what\?\?(\\")"), std::string::npos) << text;
  const Loaded code(*exported, "gcc");  // warnings are errors, that of trigraphs is one
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code.step(nullptr), 0);
  EXPECT_NEAR(code.state()[0], 1 - 0.1 / 1.1, 1e-15);
}

/// The example does not stand in the place of what it shows.
TEST(Export, MayBeCalledMain) {
  const Sample start{0, Vector{{1.0}}, Vector()};
  const auto dae = make_dae(Careless{}, {{.name = "x", .size = 1}});
  const auto plan = test_models::full_plan(*dae, start, {.step = 0.1});
  const auto exported = export_c(*dae, *plan, start, {.name = "main"});
  ASSERT_TRUE(exported.ok()) << exported.error().message;
  const Folder folder;
  for (const auto& file : exported->files) folder.write(file.name, file.text);
  const Said made = run("make -C " + folder.path().string() + " && " + folder.path().string() + "/main_example");
  EXPECT_TRUE(made.ok) << made.text;
}

}  // namespace
}  // namespace rubato::realtime
