#include "rubato/realtime/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "realtime/c_code.hpp"
#include "rubato/base/text.hpp"

namespace rubato::realtime {

namespace {

constexpr double largest_straight_line = 20'000;

/// `@` stands for the name, `$` for the name in capitals.
std::string named(std::string_view text, const std::string& name) {
  std::string capitals = name, result;
  std::transform(name.begin(), name.end(), capitals.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const char c : text) {
    if (c == '@')
      result += name;
    else if (c == '$')
      result += capitals;
    else
      result += c;
  }
  return result;
}

bool is_word(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto others = [&](char c) { return letter(c) || c == '_' || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 40 && letter(name.front()) && std::all_of(name.begin(), name.end(), others);
}

/// Names whose types, functions or constants are there already: NAME_t of headers of C and POSIX, N_INPUTS and evaluate_outputs of the text
/// itself; and headers that NAME.h would stand before.
constexpr std::array taken{"n",      "N",      "evaluate", "math",   "stdio",   "size",      "ssize",      "off",
                           "float",  "double", "fpos",     "int8",   "int16",   "int32",     "int64",      "uint8",
                           "uint16", "uint32", "uint64",   "intptr", "uintptr", "intmax",    "uintmax",    "ptrdiff",
                           "wchar",  "wint",   "mbstate",  "time",   "clock",   "clockid",   "timer",      "suseconds",
                           "div",    "ldiv",   "lldiv",    "fenv",   "fexcept", "max_align", "sig_atomic", "pid",
                           "uid",    "gid",    "id",       "mode",   "dev",     "ino",       "nlink",      "blksize",
                           "blkcnt", "key",    "locale",   "sigset", "socklen"};

std::string in_words(const SymbolCount& count) {
  return fmt::format("{} operations ({} additions, {} multiplications, {} divisions, {} functions)", count.all(),
                     count.additions, count.multiplications, count.divisions, count.functions);
}

/// C knows no arrays of nothing.
int at_least_one(std::size_t n) { return std::max(1, static_cast<int>(n)); }

class Exporter {
 public:
  Exporter(const Dae& dae, const Plan& plan, const Sample& start, const ExportOptions& options, StepProgram program)
      : dae_(dae),
        plan_(plan),
        start_(start),
        name_(options.name),
        program_(std::move(program)),
        states_(dae.layout().component_names()),
        outputs_(dae.output_names()),
        n_algebraic_(program_.residual.results.size()),
        watched_(plan.back_end == StaticKind::lu) {
    const CContext now{name_ + "_t", "x", dae.size(), dae.n_inputs()},
        later{now.type, "trial", now.n_unknowns, now.n_inputs};
    step_ = c_program(program_.step, "evaluate", now);
    if (n_algebraic_ > 0) residual_ = c_program(program_.residual, "algebraic_equations", later);
    if (!outputs_.empty()) y_ = c_program(program_.outputs, "evaluate_outputs", now);
    if (!program_.solves) solver_ = c_solver(plan, now.type);
  }

  [[nodiscard]] Export made() const {
    return {.files = {{name_ + ".h", header()},
                      {name_ + ".c", source()},
                      {name_ + "_example.c", example()},
                      {"Makefile", makefile()},
                      {"README.txt", readme()}},
            .straight_line = program_.solves,
            .equations = program_.equations,
            .derivatives = program_.derivatives,
            .solution = program_.solution};
  }

 private:
  [[nodiscard]] bool needs_matrix() const { return !program_.solves || watched_; }
  [[nodiscard]] std::size_t n_outputs() const { return outputs_.empty() ? states_.size() : outputs_.size(); }

  [[nodiscard]] std::string header() const {
    std::string text = named(R"(/* A real-time step, written by rubato: see README.txt. */
#ifndef $_H
#define $_H
#ifdef __cplusplus
extern "C" {
#endif

)",
                             name_);
    text += named(fmt::format("enum {{ $_STATES = {}, $_INPUTS = {}, $_OUTPUTS = {} }};\n", states_.size(),
                              dae_.n_inputs(), n_outputs()),
                  name_);
    text += named(R"(
/* What a step returns. After anything but $_OK the state is that before the step: it is held, and time goes on. */
enum { $_OK, $_REFUSED, $_SINGULAR, $_NOT_FINITE, $_RESIDUAL_TOO_LARGE };

extern const char *const @_state_names[$_STATES];
extern const char *const @_output_names[$_OUTPUTS];

typedef struct {
  long n_steps;
  double x[$_STATES];        /* the state reached */
  double y[$_OUTPUTS];       /* outputs, after @_outputs */
  double error;              /* of the last step: largest change of a state against its tolerance */
  double algebraic_residual; /* size of the algebraic equations at the new state */
  double backward_error;     /* of the linear system, LU only */
  double damping;            /* of algebraic unknowns, 1: none */

  /* from here on: for the step alone */
  int regular;
  double t, lambda;
)",
                  name_);
    text += fmt::format("  double u[{}], trial[{}], delta[{}];\n",
                        at_least_one(static_cast<std::size_t>(dae_.n_inputs())), states_.size(), states_.size());
    if (needs_matrix())
      text += fmt::format("  double f[{}], a[{}];\n", states_.size(), at_least_one(program_.constant.size()));
    if (watched_) text += fmt::format("  double residual[{0}], magnitude[{0}], row_sum[{0}];\n", states_.size());
    if (n_algebraic_ > 0) text += fmt::format("  double g[{}];\n", n_algebraic_);
    text += solver_.members;
    if (const int shared = std::max({step_.n_shared, residual_.n_shared, y_.n_shared}); shared > 0)
      text += fmt::format("  double w[{}];\n", shared);
    text += named(R"(} @_t;

/* The start: t = 0 of the plan's run. */
void @_init(@_t *s);
/* One step with these inputs, held over it. Always the same operations; nothing is allocated, nothing is waited for. */
int @_step(@_t *s, const double *u);
/* s->y at the state reached, with the inputs of the last step. */
void @_outputs(@_t *s);
double @_time(const @_t *s);

#ifdef __cplusplus
}
#endif
#endif
)",
                  name_);
    return text;
  }

  [[nodiscard]] std::string source() const {
    std::string text = named(
        "/* A real-time step, written by rubato: see README.txt. */\n#include <math.h>\n\n#include \"@.h\"\n\n", name_);
    text += fmt::format("enum {{ N = {}, N_INPUTS = {} }};\n#define TAU {}\n#define T_START {}\n", states_.size(),
                        dae_.n_inputs(), c_number(plan_.step), c_number(start_.t));
    text += fmt::format("#define RTOL {}\n#define ATOL {}\n", c_number(plan_.rtol), c_number(plan_.atol));
    if (watched_) text += fmt::format("#define LARGEST_BACKWARD_ERROR {}\n", c_number(plan_.largest_backward_error));
    if (n_algebraic_ > 0 && plan_.damping)
      text += fmt::format("#define SMALLEST_DAMPING {}\n", c_number(plan_.smallest_damping));
    text += "\n" + c_names(name_ + "_state_names", states_) +
            c_names(name_ + "_output_names", outputs_.empty() ? states_ : outputs_) + "\n";
    text += c_table("start", std::span<const double>(start_.x.data(), states_.size()));
    if (needs_matrix()) text += c_table("constant_matrix", program_.constant);
    text += "\n" + step_.text + residual_.text + y_.text + solver_.text;
    if (watched_) text += c_monitor(step_matrix(plan_).pattern(), name_ + "_t");
    if (n_algebraic_ > 0) text += algebraic_norm();
    return text + initialisation() + step() + outputs();
  }

  [[nodiscard]] std::string algebraic_norm() const {
    std::vector<int> algebraic;
    for (std::size_t i = 0; i < plan_.structure.algebraic.size(); ++i)
      if (plan_.structure.algebraic[i] != 0) algebraic.push_back(static_cast<int>(i));
    return fmt::format("enum {{ N_ALGEBRAIC = {} }};\n", n_algebraic_) + c_table("algebraic", algebraic) +
           named(R"(
/* of the state after the step with algebraic unknowns moved by this part of their way */
static double algebraic_norm(@_t *s, double damping)
{
  double square = 0.0;
  int i;
  for (i = 0; i < N; ++i) s->trial[i] = s->x[i] + s->delta[i];
  for (i = 0; i < N_ALGEBRAIC; ++i) s->trial[algebraic[i]] = s->x[algebraic[i]] + damping * s->delta[algebraic[i]];
  algebraic_equations(s);
  for (i = 0; i < N_ALGEBRAIC; ++i) square += s->g[i] * s->g[i];
  return isfinite(square) ? sqrt(square) : HUGE_VAL;
}

)",
                 name_);
  }

  [[nodiscard]] std::string initialisation() const {
    std::string text = named(R"(void @_init(@_t *s)
{
  int i;
  s->n_steps = 0;
  s->error = s->algebraic_residual = s->backward_error = 0.0;
  s->damping = s->lambda = 1.0;
  s->regular = 1;
  s->t = T_START;
  for (i = 0; i < N; ++i) {
    s->x[i] = s->trial[i] = start[i];
    s->delta[i] = 0.0;
  }
  for (i = 0; i < $_OUTPUTS; ++i) s->y[i] = 0.0;
)",
                             name_);
    if (dae_.n_inputs() > 0) text += "  for (i = 0; i < N_INPUTS; ++i) s->u[i] = 0.0;\n";
    if (needs_matrix())
      text += fmt::format("  for (i = 0; i < {}; ++i) s->a[i] = constant_matrix[i];\n", program_.constant.size());
    return text + solver_.initialisation + "}\n\n";
  }

  [[nodiscard]] std::string step() const {
    std::string text = named(R"(int @_step(@_t *s, const double *u)
{
  double finite = 0.0;
  int i, status = $_OK;
)",
                             name_);
    text += dae_.n_inputs() > 0 ? "  for (i = 0; i < N_INPUTS; ++i) s->u[i] = u[i];\n" : "  (void)u;\n";
    text +=
        fmt::format("  s->t = T_START + (double)(s->n_steps{}) * TAU;\n", plan_.time == StepTime::end ? " + 1" : "");
    text += program_.solves ? "  s->regular = 1;\n  evaluate(s);\n" : "  evaluate(s);\n  s->regular = solve(s);\n";
    if (watched_) text += "  s->backward_error = backward_error(s);\n";
    text +=
        needs_matrix()
            ? fmt::format("  for (i = 0; i < {}; ++i) finite += 0.0 * s->a[i]; /* 1/inf would pass for a solution */\n",
                          program_.constant.size())
            : "  /* the step matrix is nowhere as a whole: an infinite derivative shows where it makes the step not "
              "finite */\n";
    text += R"(  s->error = 0.0;
  for (i = 0; i < N; ++i) {
    const double relative = RTOL * fabs(s->x[i]), size = relative > ATOL ? relative : ATOL;
    const double error = fabs(s->delta[i]) / size;
    if (s->error < error) s->error = error;
    finite += 0.0 * (s->delta[i] * s->delta[i]); /* finite only if all are, with their squares: 1e300 has no way back */
  }
)";
    if (n_algebraic_ > 0) text += "  s->t = T_START + (double)(s->n_steps + 1) * TAU;\n";
    if (n_algebraic_ > 0 && !plan_.damping) text += "  s->algebraic_residual = algebraic_norm(s, 1.0);\n";
    if (n_algebraic_ > 0 && plan_.damping)
      text += R"(  { /* the longest, the same and a shorter way: the smallest residual */
    const double same = s->lambda, twice = 2.0 * same < 1.0 ? 2.0 * same : 1.0;
    const double half = same / 2.0 > SMALLEST_DAMPING ? same / 2.0 : SMALLEST_DAMPING;
    const double long_norm = algebraic_norm(s, twice), same_norm = algebraic_norm(s, same);
    const double short_norm = algebraic_norm(s, half);
    s->damping = twice;
    s->algebraic_residual = long_norm;
    if (same_norm < s->algebraic_residual) {
      s->algebraic_residual = same_norm;
      s->damping = same;
    }
    if (short_norm < s->algebraic_residual) {
      s->algebraic_residual = short_norm;
      s->damping = half;
    }
    if (!isfinite(s->algebraic_residual)) s->damping = half; /* where the next step begins to try */
  }
)";
    text += named(program_.solves ? "  if (!s->regular)\n    status = $_SINGULAR;\n"
                                  : "  if (!s->regular)\n    status = isfinite(finite) ? $_SINGULAR : $_NOT_FINITE;\n",
                  name_);
    text += named("  else if (!isfinite(finite))\n    status = $_NOT_FINITE;\n", name_);
    if (watched_)
      text += named("  else if (!(s->backward_error <= LARGEST_BACKWARD_ERROR))\n    status = $_RESIDUAL_TOO_LARGE;\n",
                    name_);
    if (n_algebraic_ > 0)  // the next step could not begin there
      text += named("  else if (!isfinite(s->algebraic_residual))\n    status = $_REFUSED;\n", name_);
    text += named("  if (status == $_OK) {\n", name_);
    if (n_algebraic_ > 0 && plan_.damping)
      text +=
          "    for (i = 0; i < N_ALGEBRAIC; ++i) s->delta[algebraic[i]] *= s->damping;\n"
          "    s->lambda = s->damping;\n";
    text += "    for (i = 0; i < N; ++i) s->x[i] += s->delta[i];\n  }";
    if (n_algebraic_ > 0 && plan_.damping)
      text += named(" else if (status == $_REFUSED) {\n    s->lambda = s->damping;\n  }", name_);
    return text + "\n  ++s->n_steps;\n  return status;\n}\n\n";
  }

  [[nodiscard]] std::string outputs() const {
    std::string text =
        named("double @_time(const @_t *s)\n{\n  return T_START + (double)s->n_steps * TAU;\n}\n\n", name_);
    text += named("void @_outputs(@_t *s)\n{\n", name_);
    if (outputs_.empty())
      text += "  int i;\n  for (i = 0; i < N; ++i) s->y[i] = s->x[i];\n";
    else
      text += named("  s->t = @_time(s);\n  evaluate_outputs(s);\n", name_);
    return text + "}\n";
  }

  /// Inputs stay as they are at the start.
  [[nodiscard]] std::string example() const {
    std::string text = named(
        R"(/* One thousand steps, every hundredth on stdout: time, then outputs. Inputs stay as they are at the start. */
#include <stdio.h>

#include "@.h"

int main(void)
{
  static @_t s;
)",
        name_);
    text += c_table("inputs", std::span<const double>(start_.u.data(), static_cast<std::size_t>(start_.u.size())));
    return text + named(R"(  int n, i;
  @_init(&s);
  printf("t");
  for (i = 0; i < $_OUTPUTS; ++i) printf(",%s", @_output_names[i]);
  printf("\n");
  for (n = 1; n <= 1000; ++n) {
    const int status = @_step(&s, inputs);
    if (status != $_OK) fprintf(stderr, "step %d: status %d\n", n, status);
    if (n % 100 != 0) continue;
    @_outputs(&s);
    printf("%.17g", @_time(&s));
    for (i = 0; i < $_OUTPUTS; ++i) printf(",%.17g", s.y[i]);
    printf("\n");
  }
  return 0;
}
)",
                        name_);
  }

  [[nodiscard]] std::string makefile() const {
    return fmt::format(
        "CC ?= cc\nCFLAGS ?= -std=c99 -O2 -Wall -Wextra\n\n{0}_example: {0}_example.c {0}.c {0}.h\n"
        "\t$(CC) $(CFLAGS) -o $@ {0}_example.c {0}.c -lm\n",
        name_);
  }

  [[nodiscard]] std::string readme() const {
    std::string text =
        named(R"(@.h, @.c: a real-time step in C99. Needs math.h and nothing else; no allocation, no static variables.

  @_t s;                        the state and all memory of a step; several may be used side by side
  @_init(&s);                   the start
  status = @_step(&s, u);       one step with these inputs; s.x is the new state
  @_outputs(&s);                s.y

@_example.c is an example: make && ./@_example

Compile without -ffast-math and what it implies: steps that fail are recognised by numbers that are not finite. Denormal numbers are
left to the caller (the runner of rubato flushes them to zero): where they are slow, set the mode of the processor before the first step.
s.n_steps is a long and counts to LONG_MAX: with 32 bits and steps of 1 ms, 24 days.

)",
              name_);
    text += fmt::format("model            {}\n", plan_.model.empty() ? "-" : plan_.model);
    for (const auto& setting : plan_.settings) text += fmt::format("                 {}\n", setting);
    text += fmt::format("step             {} s\n", shortest(plan_.step));
    text += fmt::format("states           {}, {} of them algebraic\ninputs           {}\noutputs          {}\n",
                        states_.size(), n_algebraic_, dae_.n_inputs(), n_outputs());
    text += fmt::format("step matrix      {} entries, {} change from step to step\n", program_.constant.size(),
                        n_changing());
    text += fmt::format("solver           {}, {}\n", to_string(plan_.back_end),
                        program_.solves ? "without loops, part of the program" : "loops over tables");
    text += fmt::format("equations        {}\nderivatives      {}\n", in_words(program_.equations),
                        in_words(program_.derivatives));
    text += program_.solves ? fmt::format("solution         {}\n", in_words(program_.solution))
                            : fmt::format(
                                  "solution         {} additions, {} multiplications, {} divisions, {} square "
                                  "roots\n",
                                  plan_.operations.additions, plan_.operations.multiplications,
                                  plan_.operations.divisions, plan_.operations.square_roots);
    return text;
  }
  [[nodiscard]] std::size_t n_changing() const {
    std::size_t n = 0;
    for (std::size_t p = 0; p < plan_.keep.size(); ++p) n += plan_.keep[p] != 0 && plan_.constant[p] == 0 ? 1 : 0;
    return n;
  }

  const Dae& dae_;
  const Plan& plan_;
  const Sample& start_;
  std::string name_;
  StepProgram program_;
  std::vector<std::string> states_, outputs_;
  std::size_t n_algebraic_;
  bool watched_;
  CProgram step_, residual_, y_;
  CSolver solver_;
};

}  // namespace

Result<void> check_export_name(std::string_view name) {
  if (!is_word(name))
    return Error{fmt::format("export: '{}' is no name for C: letters, digits and _, at most 40, a letter first", name)};
  if (std::find(taken.begin(), taken.end(), name) != taken.end())
    return Error{
        fmt::format("export: '{0}' would give names that headers of C or the text itself have already; "
                    "take another, '{0}_model' for example",
                    name)};
  return {};
}

Result<Export> export_c(const Dae& dae, const Plan& plan, const Sample& start, const ExportOptions& options) {
  if (const auto fine = check_export_name(options.name); !fine) return fine.error();
  const double largest = options.factorisation == Factorisation::automatic ? largest_straight_line
                         : options.factorisation == Factorisation::straight_line
                             ? std::numeric_limits<double>::infinity()
                             : -1;
  auto program = record_step(dae, plan, start, largest);
  if (!program) return program.error();
  return Exporter(dae, plan, start, options, std::move(*program)).made();
}

}  // namespace rubato::realtime
