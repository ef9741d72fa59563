#include "peers.hpp"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "rubato/problem/linearisation.hpp"

namespace rubato::bench {

namespace {

constexpr long max_steps = 200'000;

/// c B − J in compressed columns. IDA clears the places, too: they are written anew each time.
struct SparseStepMatrix {
  explicit SparseStepMatrix(const Linearisation& linearisation)
      : pattern(united(linearisation.mass_pattern(), linearisation.jacobian_pattern())),
        of_mass(positions_in(linearisation.mass_pattern(), pattern)),
        of_jacobian(positions_in(linearisation.jacobian_pattern(), pattern)) {}

  void fill(SUNMatrix matrix, double c, In mass, In jacobian) const noexcept {
    std::ranges::copy(pattern.column_starts(), SUNSparseMatrix_IndexPointers(matrix));
    std::ranges::copy(pattern.row_indices(), SUNSparseMatrix_IndexValues(matrix));
    double* const values = SUNSparseMatrix_Data(matrix);
    std::fill_n(values, pattern.nnz(), 0.0);
    for (std::size_t p = 0; p < mass.size(); ++p) values[of_mass[p]] += c * mass[p];
    for (std::size_t p = 0; p < jacobian.size(); ++p) values[of_jacobian[p]] -= jacobian[p];
  }

  SparsePattern pattern;
  std::vector<int> of_mass, of_jacobian;
};

/// The model as SUNDIALS calls it.
struct Model {
  explicit Model(const InitialValueProblem& p)
      : problem(p),
        dae(*p.dae),
        scratch(dae.scratch_bytes()),
        u(Vector::Zero(dae.n_inputs())),
        u_rate(u),
        zero(Vector::Zero(dae.size())),
        f(zero) {
    auto made = Linearisation::create(dae, at(p.t_start, p.x.data()), JacobianSource::automatic);
    if (made) linearisation = std::move(*made);
  }

  At at(double t, const double* x) noexcept {
    if (problem.input) problem.input->at(t, view(u), view(u_rate));
    return {.t = t,
            .x = In(x, static_cast<std::size_t>(dae.size())),
            .u = view(u),
            .base = view(problem.base),
            .mode = problem.mode,
            .scratch = scratch.scratch()};
  }
  Out out(double* values) const noexcept { return {values, static_cast<std::size_t>(dae.size())}; }
  In in(const double* values) const noexcept { return {values, static_cast<std::size_t>(dae.size())}; }

  /// matrix += factor · values; dense columns.
  static void add(SUNMatrix matrix, double factor, const SparsePattern& pattern, In values) noexcept {
    for (int j = 0; j < pattern.cols(); ++j) {
      double* column = SM_COLUMN_D(matrix, j);
      for (int p = pattern.column_starts()[j]; p < pattern.column_starts()[j + 1]; ++p)
        column[pattern.row_indices()[p]] += factor * values[p];
    }
  }

  const InitialValueProblem& problem;
  const Dae& dae;
  ScratchMemory scratch;
  Vector u, u_rate, zero, f;
  std::unique_ptr<Linearisation> linearisation;
  std::optional<SparseStepMatrix> sparse;  ///< with KLU
};

/// 0: fine, positive: try a smaller step, negative: give up.
int answer(EvalStatus status) noexcept {
  return status == EvalStatus::ok ? 0 : status == EvalStatus::out_of_domain ? 1 : -1;
}

int cvode_f(realtype t, N_Vector y, N_Vector rate, void* user) {
  Model& m = *static_cast<Model*>(user);
  return answer(m.dae.f(m.at(t, N_VGetArrayPointer(y)), m.out(N_VGetArrayPointer(rate))));
}

int cvode_jacobian(realtype t, N_Vector y, N_Vector rate, SUNMatrix matrix, void* user, N_Vector, N_Vector, N_Vector) {
  Model& m = *static_cast<Model*>(user);
  const EvalStatus status =
      m.linearisation->update(m.at(t, N_VGetArrayPointer(y)), view(m.zero), m.in(N_VGetArrayPointer(rate)));
  Model::add(matrix, 1, m.linearisation->jacobian_pattern(), m.linearisation->jacobian());
  return answer(status);
}

/// B w − f.
int ida_residual(realtype t, N_Vector x, N_Vector w, N_Vector r, void* user) {
  Model& m = *static_cast<Model*>(user);
  const At at = m.at(t, N_VGetArrayPointer(x));
  const Out residual = m.out(N_VGetArrayPointer(r));
  EvalStatus status = m.dae.mass_times(at, m.in(N_VGetArrayPointer(w)), residual);
  if (status == EvalStatus::ok) status = m.dae.f(at, view(m.f));
  map(residual) -= m.f;
  return answer(status);
}

/// c B − ∂(f − B w)/∂x.
int ida_jacobian(realtype t, realtype c, N_Vector x, N_Vector w, N_Vector, SUNMatrix matrix, void* user, N_Vector,
                 N_Vector, N_Vector) {
  Model& m = *static_cast<Model*>(user);
  const EvalStatus status = m.linearisation->update(m.at(t, N_VGetArrayPointer(x)), m.in(N_VGetArrayPointer(w)), {});
  const In mass = m.linearisation->mass(), jacobian = m.linearisation->jacobian();
  if (SUNMatGetID(matrix) == SUNMATRIX_DENSE) {
    Model::add(matrix, c, m.linearisation->mass_pattern(), mass);
    Model::add(matrix, -1, m.linearisation->jacobian_pattern(), jacobian);
  } else {
    m.sparse->fill(matrix, c, mass, jacobian);
  }
  return answer(status);
}

void be_quiet(int, const char*, const char*, char*, void*) {}

/// What every run of SUNDIALS needs besides its integrator.
class Workspace {
 public:
  /// nnz = 0: dense, else KLU.
  explicit Workspace(const Vector& start, int nnz = 0) {
    SUNContext_Create(nullptr, &context);
    const auto n = static_cast<sunindextype>(start.size());
    x = vector(start);
    matrix = nnz == 0 ? SUNDenseMatrix(n, n, context) : SUNSparseMatrix(n, n, nnz, CSC_MAT, context);
    solver = nnz == 0 ? SUNLinSol_Dense(x, matrix, context) : SUNLinSol_KLU(x, matrix, context);
  }
  ~Workspace() {
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    for (N_Vector v : vectors_) N_VDestroy(v);
    SUNContext_Free(&context);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  N_Vector vector(const Vector& values) {
    N_Vector v = N_VNew_Serial(static_cast<sunindextype>(values.size()), context);
    std::copy(values.begin(), values.end(), N_VGetArrayPointer(v));
    vectors_.push_back(v);
    return v;
  }
  [[nodiscard]] Vector values_of(N_Vector v) const {
    return Eigen::Map<const Vector>(N_VGetArrayPointer(v), static_cast<Eigen::Index>(N_VGetLength(v)));
  }

  SUNContext context = nullptr;
  N_Vector x = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;

 private:
  std::vector<N_Vector> vectors_;
};

/// x' where the problem does not give it: f divided by the row sums of B, zero in algebraic rows.
Vector start_rate(Model& m) {
  if (m.problem.w.size() > 0) return m.problem.w;
  Vector w = m.zero;
  const Vector ones = Vector::Ones(m.dae.size());
  const At at = m.at(m.problem.t_start, m.problem.x.data());
  if (m.dae.f(at, view(m.f)) != EvalStatus::ok || m.dae.mass_times(at, view(ones), view(w)) != EvalStatus::ok)
    return m.zero;
  for (Eigen::Index i = 0; i < w.size(); ++i) w[i] = w[i] == 0 ? 0 : m.f[i] / w[i];
  return w;
}

}  // namespace

bool is_plain_ode(const InitialValueProblem& problem) {
  const Dae& dae = *problem.dae;
  if (!dae.constant_mass() || dae.layout().has_algebraic()) return false;
  Model m(problem);
  if (!m.linearisation) return false;
  const SparsePattern& B = m.linearisation->mass_pattern();
  if (B.nnz() != dae.size()) return false;
  for (int i = 0; i < dae.size(); ++i)
    if (B.index_of(i, i) < 0 || m.linearisation->mass()[static_cast<std::size_t>(B.index_of(i, i))] != 1) return false;
  return true;
}

Run run_cvode(const InitialValueProblem& problem, const Accuracy& accuracy) {
  Model m(problem);
  Workspace space(problem.x);
  void* cvode = CVodeCreate(CV_BDF, space.context);
  CVodeInit(cvode, cvode_f, problem.t_start, space.x);
  CVodeSetErrHandlerFn(cvode, be_quiet, nullptr);
  CVodeSStolerances(cvode, accuracy.rtol, accuracy.atol);
  CVodeSetUserData(cvode, &m);
  CVodeSetLinearSolver(cvode, space.solver, space.matrix);
  CVodeSetJacFn(cvode, cvode_jacobian);
  CVodeSetMaxNumSteps(cvode, max_steps);
  CVodeSetStopTime(cvode, problem.t_end);
  if (accuracy.initial_step > 0) CVodeSetInitStep(cvode, accuracy.initial_step);
  double t = problem.t_start;
  const int flag = CVode(cvode, problem.t_end, space.x, &t, CV_NORMAL);
  Run run{.completed = flag >= 0, .trouble = flag >= 0 ? "" : fmt::format("CVode: {} at t = {:.3g}", flag, t)};
  run.x = space.values_of(space.x);
  long accepted = 0, not_converged = 0;
  CVodeGetNumSteps(cvode, &accepted);
  CVodeGetNumErrTestFails(cvode, &run.rejected);
  CVodeGetNumStepSolveFails(cvode, &not_converged);
  run.rejected += not_converged;
  run.steps = accepted + run.rejected;
  CVodeGetNumRhsEvals(cvode, &run.f_calls);
  CVodeGetNumJacEvals(cvode, &run.jacobians);
  CVodeGetNumLinSolvSetups(cvode, &run.factorisations);
  CVodeFree(&cvode);
  return run;
}

Run run_ida(const InitialValueProblem& problem, const Accuracy& accuracy, Algebra algebra) {
  Model m(problem);
  if (algebra == Algebra::klu) m.sparse.emplace(*m.linearisation);
  Workspace space(problem.x, m.sparse ? m.sparse->pattern.nnz() : 0);
  N_Vector w = space.vector(start_rate(m));
  Vector differential = m.zero;
  for (int i = 0; i < m.dae.size(); ++i) differential[i] = m.dae.layout().kind(i) == Kind::differential ? 1 : 0;
  void* ida = IDACreate(space.context);
  IDAInit(ida, ida_residual, problem.t_start, space.x, w);
  IDASetErrHandlerFn(ida, be_quiet, nullptr);
  Vector atol = Vector::Constant(m.dae.size(), accuracy.atol);
  for (int i = 0; i < m.dae.size(); ++i)
    if (differential[i] == 0) atol[i] *= accuracy.algebraic_factor;
  IDASVtolerances(ida, accuracy.rtol, space.vector(atol));
  IDASetUserData(ida, &m);
  IDASetLinearSolver(ida, space.solver, space.matrix);
  IDASetJacFn(ida, ida_jacobian);
  IDASetId(ida, space.vector(differential));
  IDASetSuppressAlg(ida, m.dae.layout().index() >= 2 ? SUNTRUE : SUNFALSE);
  IDASetMaxNumSteps(ida, max_steps);
  IDASetStopTime(ida, problem.t_end);
  if (accuracy.initial_step > 0) IDASetInitStep(ida, accuracy.initial_step);
  double t = problem.t_start;
  const int flag = IDASolve(ida, problem.t_end, &t, space.x, w, IDA_NORMAL);
  Run run{.completed = flag >= 0, .trouble = flag >= 0 ? "" : fmt::format("IDASolve: {} at t = {:.3g}", flag, t)};
  run.x = space.values_of(space.x);
  long accepted = 0, not_converged = 0;
  IDAGetNumSteps(ida, &accepted);
  IDAGetNumErrTestFails(ida, &run.rejected);
  IDAGetNumStepSolveFails(ida, &not_converged);
  run.rejected += not_converged;
  run.steps = accepted + run.rejected;
  IDAGetNumResEvals(ida, &run.f_calls);
  IDAGetNumJacEvals(ida, &run.jacobians);
  IDAGetNumLinSolvSetups(ida, &run.factorisations);
  IDAFree(&ida);
  return run;
}

std::string sundials_version() {
  char text[64] = "?";
  SUNDIALSGetVersion(text, sizeof text);
  return text;
}

}  // namespace rubato::bench
