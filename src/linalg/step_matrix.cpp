#include "rubato/linalg/step_matrix.hpp"

#include <algorithm>
#include <vector>

#include "base/pairs.hpp"
#include "rubato/base/assert.hpp"
#include "rubato/linalg/sparse_product.hpp"
#include "scalar.hpp"

namespace rubato {
namespace {

using Complex = std::complex<double>;

/// One shift: the condensed matrix, its factor, and the scaling it was made with.
template <class T>
struct Slot {
  Slot(const SparsePattern& whole, const Condensation& condensation, BackEnd back_end)
      : values(static_cast<std::size_t>(whole.nnz())),
        rhs(static_cast<std::size_t>(whole.rows())),
        reduced(static_cast<std::size_t>(condensation.reduced_size())),
        workspace(static_cast<std::size_t>(condensation.reduced_size())),
        row_scale(static_cast<std::size_t>(whole.rows()), 1.0),
        col_scale(static_cast<std::size_t>(whole.rows()), 1.0),
        condensed(condensation),
        solver(make_linear_solver<T>(condensation.reduced_pattern(), back_end)) {}

  std::vector<T> values, rhs, reduced, workspace;
  std::vector<double> row_scale, col_scale;
  CondensedMatrix<T> condensed;
  std::unique_ptr<LinearSolver<T>> solver;
  bool scaled = false, plain = false;            // plain: neither scaled nor condensed
  FactorStatus status = FactorStatus::singular;  // nothing factorised yet
};

}  // namespace

struct StepMatrix::Body {
  Body(const SparsePattern& b, const SparsePattern& j, std::span<const PivotPosition> local,
       const StepMatrixOptions& options)
      : B(b),
        J(j),
        whole(united(b, j)),
        from_B(positions_in(b, whole)),
        from_J(positions_in(j, whole)),
        condensation(whole, options.condense ? local : std::span<const PivotPosition>{}),
        back_end(resolved(options.back_end, condensation.reduced_pattern())),
        B_values(static_cast<std::size_t>(b.nnz())),
        J_values(static_cast<std::size_t>(j.nnz())),
        row_scale(static_cast<std::size_t>(b.rows()), 1.0),
        col_scale(static_cast<std::size_t>(b.rows()), 1.0),
        B_whole(static_cast<std::size_t>(whole.nnz())),
        J_whole(static_cast<std::size_t>(whole.nnz())),
        scale_whole(static_cast<std::size_t>(whole.nnz()), 1.0),
        B_is_diagonal(B == SparsePattern::identity(b.rows())) {
    RUBATO_ASSERT(b.rows() == b.cols() && j.rows() == j.cols() && b.rows() == j.rows(), "B and J are n × n");
    RUBATO_ASSERT(options.real_shifts >= 0 && options.complex_shifts >= 0, "numbers of shifts");
    real.reserve(static_cast<std::size_t>(options.real_shifts));
    complex.reserve(static_cast<std::size_t>(options.complex_shifts));
    for (int k = 0; k < options.real_shifts; ++k) real.emplace_back(whole, condensation, back_end);
    for (int k = 0; k < options.complex_shifts; ++k) complex.emplace_back(whole, condensation, back_end);
  }

  template <class T>
  Slot<T>& slot(int k) noexcept {
    if constexpr (std::is_same_v<T, double>) {
      RUBATO_ASSERT(k >= 0 && k < static_cast<int>(real.size()), "no such real slot: raise real_shifts");
      return real[k];
    } else {
      RUBATO_ASSERT(k >= 0 && k < static_cast<int>(complex.size()), "no such complex slot: raise complex_shifts");
      return complex[k];
    }
  }

  template <class T>
  FactorStatus factor(T c, int k) noexcept {
    Slot<T>& s = slot<T>(k);
    s.scaled = scaled;
    s.plain = !scaled && !condenses();
    if (scaled) {
      s.row_scale = row_scale;
      s.col_scale = col_scale;
    }
    fill<T>(c, B_whole.data(), J_whole.data(), scale_whole.data(), s.values);
    s.status = condenses() ? s.condensed.reduce(s.values) : FactorStatus::ok;
    if (s.status == FactorStatus::ok) s.status = s.solver->factor(reduced_values(s));
    if (s.status != FactorStatus::ok) ++failures;
    return s.status;
  }

  template <class T>
  static void fill(T c, const double* __restrict B, const double* __restrict J, const double* __restrict scale,
                   std::span<T> values) noexcept {
    T* __restrict const out = values.data();
    for (std::size_t p = 0; p < values.size(); ++p) out[p] = (c * B[p] - J[p]) * scale[p];  // (1), (2)
  }

  [[nodiscard]] bool condenses() const noexcept { return condensation.n_pivots() > 0; }
  /// Without local unknowns the matrix is its own condensed form.
  template <class T>
  [[nodiscard]] std::span<const T> reduced_values(const Slot<T>& s) const noexcept {
    return condenses() ? s.condensed.reduced_values() : std::span<const T>(s.values);
  }

  template <class T>
  void solve(std::span<const T> r, std::span<T> x, int k) noexcept {
    solve(r, x, slot<T>(k));
  }

  template <class T>
  void solve_columns(std::span<T> columns, std::vector<Slot<T>>& slots) noexcept {
    const auto n = static_cast<std::size_t>(whole.rows());
    RUBATO_ASSERT(columns.size() <= n * slots.size(), "no such slot: raise the number of shifts");
    Slot<T>* s = slots.data();
    for (T* x = columns.data(); x != columns.data() + columns.size(); x += n) solve<T>({x, n}, {x, n}, *s++);
  }

  template <class T>
  void solve(std::span<const T> r, std::span<T> x, Slot<T>& s) noexcept {
    RUBATO_ASSERT(static_cast<int>(r.size()) == whole.rows() && x.size() == r.size(), "sizes disagree");
    RUBATO_ASSERT(s.status == FactorStatus::ok, "solve without a factor");
    ++solves;
    if (!s.plain) return solve_condensed(r, x, s);
    if (x.data() != r.data())
      for (std::size_t i = 0; i < r.size(); ++i) x[i] = r[i];  // of few numbers: no call
    s.solver->solve(x);
  }

  /// Scaled or condensed, or both. Not inlined: where nothing is, a solve is little more than a call.
  template <class T>
  [[gnu::noinline]] void solve_condensed(std::span<const T> r, std::span<T> x, Slot<T>& s) noexcept {
    const std::span<T> rhs = condenses() ? std::span<T>(s.rhs) : x;
    if (s.scaled)
      for (std::size_t i = 0; i < r.size(); ++i) rhs[i] = s.row_scale[i] * r[i];  // (2)
    else if (rhs.data() != r.data())
      std::copy(r.begin(), r.end(), rhs.begin());
    if (condenses()) {
      s.condensed.forward(rhs, s.reduced);
      s.solver->solve(s.reduced);
      s.condensed.backward(s.reduced, x);
    } else {
      s.solver->solve(x);
    }
    if (s.scaled)
      for (std::size_t i = 0; i < x.size(); ++i) x[i] *= s.col_scale[i];
  }

  template <class T>
  double condition(int k) noexcept {
    Slot<T>& s = slot<T>(k);
    if (s.status != FactorStatus::ok) return 0;
    const double norm = one_norm<T>(condensation.reduced_pattern(), reduced_values(s));
    return rubato::reciprocal_condition<T>(*s.solver, norm, s.reduced, s.workspace);
  }

  SparsePattern B, J, whole;
  std::vector<int> from_B, from_J;
  Condensation condensation;
  BackEnd back_end;
  std::vector<double> B_values, J_values, row_scale, col_scale;
  std::vector<double> B_whole, J_whole, scale_whole;  // on the united pattern, so that factor() is one pass
  std::vector<Slot<double>> real;
  std::vector<Slot<Complex>> complex;
  bool B_is_diagonal;   // without a missing entry: most ordinary differential equations
  bool scaled = false;  // false: both scalings are still ones
  long failures = 0, solves = 0;
};

StepMatrix::StepMatrix(const SparsePattern& B, const SparsePattern& J, std::span<const PivotPosition> local,
                       StepMatrixOptions options)
    : body_(std::make_unique<Body>(B, J, local, options)) {}
StepMatrix::~StepMatrix() = default;
StepMatrix::StepMatrix(StepMatrix&&) noexcept = default;
StepMatrix& StepMatrix::operator=(StepMatrix&&) noexcept = default;

void StepMatrix::linearise(In B_values, In J_values) noexcept {
  RUBATO_ASSERT(B_values.size() == body_->B_values.size() && J_values.size() == body_->J_values.size(),
                "values do not fit the patterns");
  std::copy(B_values.begin(), B_values.end(), body_->B_values.begin());
  std::copy(J_values.begin(), J_values.end(), body_->J_values.begin());
  B_is_identity_ = body_->B_is_diagonal && std::ranges::all_of(B_values, [](double b) { return b == 1; });
  for (std::size_t p = 0; p < B_values.size(); ++p) body_->B_whole[body_->from_B[p]] = B_values[p];
  for (std::size_t p = 0; p < J_values.size(); ++p) body_->J_whole[body_->from_J[p]] = J_values[p];
}

void StepMatrix::set_scaling(In row_scale, In col_scale) noexcept {
  RUBATO_ASSERT(static_cast<int>(row_scale.size()) == size() && static_cast<int>(col_scale.size()) == size(),
                "sizes disagree");
  body_->scaled = true;
  std::copy(row_scale.begin(), row_scale.end(), body_->row_scale.begin());
  std::copy(col_scale.begin(), col_scale.end(), body_->col_scale.begin());
  const std::span<const int> starts = body_->whole.column_starts(), rows = body_->whole.row_indices();
  for (std::size_t j = 0; j < col_scale.size(); ++j)
    for (int p = starts[j]; p < starts[j + 1]; ++p) body_->scale_whole[p] = row_scale[rows[p]] * col_scale[j];
}
void StepMatrix::rescale(int slot) noexcept {
  Slot<double>& s = body_->slot<double>(slot);
  RUBATO_ASSERT(s.scaled && body_->scaled, "a factor with a scaling");
  s.row_scale = body_->row_scale;
  s.col_scale = body_->col_scale;
}
In StepMatrix::row_scale() const noexcept { return body_->row_scale; }
In StepMatrix::col_scale() const noexcept { return body_->col_scale; }

FactorStatus StepMatrix::factor(double c, int slot) noexcept { return body_->factor<double>(c, slot); }
FactorStatus StepMatrix::factor(Complex c, int slot) noexcept { return body_->factor<Complex>(c, slot); }
void StepMatrix::solve(In r, Out x, int slot) noexcept { body_->solve<double>(r, x, slot); }
void StepMatrix::solve(ComplexIn r, ComplexOut x, int slot) noexcept { body_->solve<Complex>(r, x, slot); }
void StepMatrix::solve_slots(Out real, ComplexOut complex) noexcept {
  body_->solve_columns<double>(real, body_->real);
  body_->solve_columns<Complex>(complex, body_->complex);
}

const SparsePattern& StepMatrix::B_pattern() const noexcept { return body_->B; }
const SparsePattern& StepMatrix::J_pattern() const noexcept { return body_->J; }
In StepMatrix::B_values() const noexcept { return body_->B_values; }
In StepMatrix::J_values() const noexcept { return body_->J_values; }
void StepMatrix::multiply_B(In x, Out y) const noexcept { multiply(body_->B, body_->B_values, x, y); }
void StepMatrix::add_B_times(In f, double alpha, In x, Out y) const noexcept {
  RUBATO_ASSERT(f.size() == y.size(), "sizes disagree");
  const auto n = static_cast<std::size_t>(size());
  RUBATO_ASSERT(x.size() == y.size() && (n == 0 || y.size() % n == 0), "whole columns");
  if (B_is_identity_) {
    detail::in_pairs(static_cast<std::ptrdiff_t>(y.size()), [&]<int width>(std::ptrdiff_t i) {
      detail::piece<width>(y.data() + i) =
          detail::piece<width>(f.data() + i) + alpha * detail::piece<width>(x.data() + i);
    });
  } else if (body_->B_is_diagonal) {
    const double* const b = body_->B_values.data();
    for (std::size_t first = 0; first < y.size(); first += n)
      for (std::size_t i = 0; i < n; ++i) y[first + i] = f[first + i] + b[i] * (alpha * x[first + i]);
  } else {
    if (y.data() != f.data()) std::copy(f.begin(), f.end(), y.begin());
    for (std::size_t first = 0; first < y.size(); first += n)
      multiply_add(body_->B, body_->B_values, alpha, x.subspan(first, n), y.subspan(first, n));
  }
}
void StepMatrix::multiply_J(In x, Out y) const noexcept { multiply(body_->J, body_->J_values, x, y); }
void StepMatrix::multiply_B(ComplexIn x, ComplexOut y) const noexcept {
  multiply<double, Complex>(body_->B, body_->B_values, x, y);
}
void StepMatrix::multiply_J(ComplexIn x, ComplexOut y) const noexcept {
  multiply<double, Complex>(body_->J, body_->J_values, x, y);
}

int StepMatrix::size() const noexcept { return body_->whole.rows(); }
int StepMatrix::condensed_size() const noexcept { return body_->condensation.reduced_size(); }
const Condensation& StepMatrix::condensation() const noexcept { return body_->condensation; }
BackEnd StepMatrix::back_end() const noexcept { return body_->back_end; }

FactorStatistics StepMatrix::statistics() const noexcept {
  FactorStatistics total{.failures = body_->failures, .solves = body_->solves};
  const auto add = [&](const SolverReport& r) {
    total.full_factorisations += r.full_factorisations;
    total.refactorisations += r.refactorisations;
    total.rejected_refactorisations += r.rejected_refactorisations;
    total.library_allocations += r.library_allocations;
  };
  for (const auto& s : body_->real) add(s.solver->report());
  for (const auto& s : body_->complex) add(s.solver->report());
  return total;
}
const LinearSolver<double>& StepMatrix::solver(int slot) const noexcept { return *body_->slot<double>(slot).solver; }
const LinearSolver<Complex>& StepMatrix::complex_solver(int slot) const noexcept {
  return *body_->slot<Complex>(slot).solver;
}
SolverReport StepMatrix::solver_report(int slot) const noexcept { return solver(slot).report(); }
SolverReport StepMatrix::complex_solver_report(int slot) const noexcept { return complex_solver(slot).report(); }
double StepMatrix::reciprocal_condition(int slot) noexcept { return body_->condition<double>(slot); }
double StepMatrix::complex_reciprocal_condition(int slot) noexcept { return body_->condition<Complex>(slot); }

}  // namespace rubato
