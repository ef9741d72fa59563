// The static solvers as C text: the loops of static_qr.hpp and static_lu.hpp, number by number.
#include <fmt/format.h>

#include "realtime/c_code.hpp"
#include "rubato/realtime/static_lu.hpp"
#include "rubato/realtime/static_qr.hpp"

namespace rubato::realtime {

namespace {

/// Both solvers begin a row like this: what lies in later blocks goes to the right-hand side, the rest into v.
constexpr std::string_view begin_of_row = R"(
static int solve(TYPE *s)
{
  int block, i, j, k, p, q, regular = 1;
  for (block = N_BLOCKS - 1; block >= 0; --block) {
    const int first = block_starts[block], end = block_starts[block + 1];
    for (i = first; i < end; ++i) {
      double rhs = s->f[row_order[i]];
      for (p = outer_starts[i]; p < outer_starts[i + 1]; ++p) rhs -= s->a[outer_value[p]] * s->z[outer_position[p]];
      for (p = inner_starts[i]; p < inner_starts[i + 1]; ++p) s->v[inner_position[p]] = s->a[inner_value[p]];
)";

constexpr std::string_view qr_rows = R"(      for (q = rotation_starts[i]; q < rotation_starts[i + 1]; ++q) {
        const int diagonal = factor_starts[rotations[q]], row_end = factor_starts[rotations[q] + 1];
        double diagonal_value, square, h, c, sine, upper;
        j = rotations[q];
        diagonal_value = s->r[diagonal];
        square = diagonal_value * diagonal_value + s->v[j] * s->v[j];
        h = square > 0.0 ? copysign(sqrt(square), diagonal_value) : 1.0; /* both vanish: the identity */
        c = square > 0.0 ? diagonal_value / h : 1.0;
        sine = s->v[j] / h;
        s->r[diagonal] = square > 0.0 ? h : diagonal_value;
        s->v[j] = 0.0;
        for (p = diagonal + 1; p < row_end; ++p) {
          const double lower = s->v[factor_cols[p]];
          upper = s->r[p];
          s->r[p] = c * upper + sine * lower;
          s->v[factor_cols[p]] = c * lower - sine * upper;
        }
        upper = s->y_solve[j];
        s->y_solve[j] = c * upper + sine * rhs;
        rhs = c * rhs - sine * upper;
      }
      k = stored[i];
      s->y_solve[k] = rhs;
      for (p = factor_starts[k]; p < factor_starts[k + 1]; ++p) {
        s->r[p] = s->v[factor_cols[p]];
        s->v[factor_cols[p]] = 0.0;
      }
    }
    for (j = end - 1; j >= first; --j) {
      const double diagonal_value = s->r[factor_starts[j]];
      const int fine = fabs(diagonal_value) > SMALLEST;
      double rest = s->y_solve[j];
      for (p = factor_starts[j] + 1; p < factor_starts[j + 1]; ++p) rest -= s->r[p] * s->z[factor_cols[p]];
      regular = regular && fine;
      s->z[j] = rest / (fine ? diagonal_value : 1.0);
    }
  }
)";

constexpr std::string_view lu_rows = R"(      for (q = lower_starts[i]; q < lower_starts[i + 1]; ++q) {
        double l;
        k = lower_cols[q];
        l = s->v[k] * s->inverse[k];
        s->v[k] = 0.0;
        for (p = factor_starts[k] + 1; p < factor_starts[k + 1]; ++p) s->v[factor_cols[p]] -= l * s->r[p];
        rhs -= l * s->y_solve[k];
      }
      s->y_solve[i] = rhs;
      for (p = factor_starts[i]; p < factor_starts[i + 1]; ++p) {
        s->r[p] = s->v[factor_cols[p]];
        s->v[factor_cols[p]] = 0.0;
      }
      k = fabs(s->r[factor_starts[i]]) > SMALLEST;
      regular = regular && k;
      s->inverse[i] = 1.0 / (k ? s->r[factor_starts[i]] : 1.0);
    }
    for (j = end - 1; j >= first; --j) {
      double rest = s->y_solve[j];
      for (p = factor_starts[j] + 1; p < factor_starts[j + 1]; ++p) rest -= s->r[p] * s->z[factor_cols[p]];
      s->z[j] = rest * s->inverse[j];
    }
  }
)";

constexpr std::string_view end_of_solution = R"(  for (j = 0; j < N; ++j) s->delta[column_order[j]] = s->z[j];
  return regular;
}

)";

std::string with_type(std::string_view text, std::string_view type) {
  std::string result(text);
  for (std::size_t at = result.find("TYPE"); at != std::string::npos; at = result.find("TYPE", at))
    result.replace(at, 4, type);
  return result;
}

std::string row_tables(const OrderedRows& rows) {
  const auto parts = [](const std::vector<Gathered>& gathered, int Gathered::*part) {
    std::vector<int> numbers;
    numbers.reserve(gathered.size());
    for (const Gathered& one : gathered) numbers.push_back(one.*part);
    return numbers;
  };
  return fmt::format("enum {{ N_BLOCKS = {} }};\n#define SMALLEST {}\n", rows.ordering.n_blocks(),
                     c_number(smallest_diagonal)) +
         c_table("block_starts", rows.ordering.starts) + c_table("row_order", rows.ordering.rows) +
         c_table("column_order", rows.ordering.cols) + c_table("outer_starts", rows.outer_starts) +
         c_table("outer_value", parts(rows.outer, &Gathered::value)) +
         c_table("outer_position", parts(rows.outer, &Gathered::position)) +
         c_table("inner_starts", rows.inner_starts) + c_table("inner_value", parts(rows.inner, &Gathered::value)) +
         c_table("inner_position", parts(rows.inner, &Gathered::position));
}

}  // namespace

CSolver c_solver(const Plan& plan, std::string_view type) {
  const SparsePattern pattern = step_matrix(plan).pattern();
  CSolver made;
  std::size_t n_factor = 0;
  std::string_view rows;
  if (plan.back_end == StaticKind::qr) {
    const QrTables tables(pattern, plan.ordering);
    n_factor = tables.r_cols.size();
    rows = qr_rows;
    made.text = row_tables(tables.rows) + c_table("factor_starts", tables.r_starts) +
                c_table("factor_cols", tables.r_cols) + c_table("rotation_starts", tables.rotation_starts) +
                c_table("rotations", tables.rotations) + c_table("stored", tables.stored);
  } else {
    const LuTables tables(pattern, plan.ordering);
    n_factor = tables.u_cols.size();
    rows = lu_rows;
    made.text = row_tables(tables.rows) + c_table("factor_starts", tables.u_starts) +
                c_table("factor_cols", tables.u_cols) + c_table("lower_starts", tables.l_starts) +
                c_table("lower_cols", tables.l_cols);
  }
  made.text += with_type(begin_of_row, type) + std::string(rows) + std::string(end_of_solution);
  const int n = pattern.cols();
  made.members = fmt::format("  double r[{}], v[{}], y_solve[{}], z[{}];\n", n_factor, n, n, n);
  made.initialisation = "  for (i = 0; i < N; ++i) s->v[i] = s->z[i] = 0.0;\n";
  if (plan.back_end == StaticKind::lu) made.members += fmt::format("  double inverse[{}];\n", n);
  return made;
}

std::string c_monitor(const SparsePattern& a, std::string_view type) {
  return c_table("matrix_starts", a.column_starts()) + c_table("matrix_rows", a.row_indices()) +
         with_type(R"(
/* max_i |f - A delta|_i / ((|A| |delta| + |f|)_i + 1e-4 |A_i|_1 |delta|_max): the second term is for rows whose terms all vanish
   beside those of others */
static double backward_error(TYPE *s)
{
  double worst = 0.0, largest = 0.0;
  int i, j, p;
  for (i = 0; i < N; ++i) {
    s->residual[i] = s->f[i];
    s->magnitude[i] = fabs(s->f[i]);
    s->row_sum[i] = 0.0;
  }
  for (j = 0; j < N; ++j) {
    if (largest < fabs(s->delta[j])) largest = fabs(s->delta[j]);
    for (p = matrix_starts[j]; p < matrix_starts[j + 1]; ++p) {
      const double term = s->a[p] * s->delta[j];
      s->residual[matrix_rows[p]] -= term;
      s->magnitude[matrix_rows[p]] += fabs(term);
      s->row_sum[matrix_rows[p]] += fabs(s->a[p]);
    }
  }
  for (i = 0; i < N; ++i) {
    const double denominator = s->magnitude[i] + 1e-4 * s->row_sum[i] * largest;
    const double quotient = fabs(s->residual[i]) / (denominator > 1e-150 ? denominator : 1e-150); /* zeros are exact */
    if (worst == worst && !(quotient <= worst)) worst = quotient; /* NaN stays */
  }
  return worst;
}

)",
                   type);
}

}  // namespace rubato::realtime
