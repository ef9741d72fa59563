#include "experiments/index3_scaling/random_systems.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cstdint>

#include "experiments/index3_scaling/dense_analysis.hpp"

namespace rubato::experiments::scaling {

namespace {

/// A linear congruential generator (Knuth's MMIX constants): distributions of the standard library differ from one to the next.
class Random {
 public:
  explicit Random(unsigned seed) : state_(seed) {}
  double operator()() {  // in (−1, 1)
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) / 4503599627370496.0 - 1;
  }
  Matrix matrix(int rows, int cols) {
    Matrix m(rows, cols);
    for (int j = 0; j < cols; ++j)
      for (int i = 0; i < rows; ++i) m(i, j) = (*this)();
    return m;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

Blocks random_blocks(int n, int m, unsigned seed) {
  Random random(seed);
  Blocks blocks{.X = random.matrix(n, n), .Y = random.matrix(n, n), .G = 0.5 * random.matrix(n, m), .M = {}};
  blocks.G.topRows(m) += Matrix::Identity(m, m);
  return blocks;
}

Blocks stiff_blocks() {
  constexpr int n = 12, m = 4;
  Random random(7);
  const auto about = [&](double mean) {  // symmetric, diagonally dominant enough to be positive definite
    const Matrix r = random.matrix(n, n);
    return Matrix(mean * (Matrix::Identity(n, n) + 0.08 * (r + r.transpose())));
  };
  Blocks blocks{.X = about(1.1e6), .Y = Matrix::Zero(n, n), .G = 0.3 * random.matrix(n, m), .M = about(5)};
  blocks.G.topRows(m) += Matrix::Identity(m, m);
  return blocks;
}

StiffConditions stiff_conditions(double h) {
  static const Blocks blocks = stiff_blocks();
  const double a0 = bdf_coefficients(2)[0];
  const double k_ave = blocks.X.trace() / 12, m_ave = blocks.M.trace() / 12;
  const Variant &plain = variants()[4], &scaled = variants()[6];
  return {.none = condition_2(newton_matrix(plain, blocks, a0, h)),
          .simple = condition_2(newton_matrix(scaled, blocks, a0, h, 1)),
          .both = condition_2(newton_matrix(scaled, blocks, a0, h, m_ave + k_ave * h * h))};  // σ = s h²
}

double inverse_deviation(const Variant& variant, const Blocks& blocks, double alpha0, double h,
                         bool exact_first_column) {
  // The reference: the inverse of the fully scaled matrix, which is well conditioned, with the scaling put back.
  const bool three = variant.form == Form::three_field;
  const Eigen::Index n = blocks.G.rows(), m = blocks.G.cols(), size = (three ? 2 : 1) * n + m;
  const Variant& full = variants()[three ? 3 : 6];
  Matrix reference = newton_matrix(full, blocks, alpha0, h).inverse();
  const Coefficients c = coefficients(variant.form, variant.mode, h), f = coefficients(full.form, full.mode, h);
  const auto block_of = [&](Eigen::Index i) { return i >= size - m ? 2 : three && i >= n ? 1 : 0; };
  // D_L of the variant over that of the full scaling, row by row; D_R, column by column of the matrix.
  const bool scaled = variant.mode == ScalingMode::lambda || variant.mode == ScalingMode::lambda_and_v;
  const double dynamic_row = scaled ? 1 : 1 / h, constraint_row = c.constraint / f.constraint;
  const double v_col = variant.mode == ScalingMode::lambda_and_v ? 1 : h, lambda_col = scaled ? 1 : h * h;
  const double rows[] = {three ? 1 : dynamic_row, dynamic_row, constraint_row}, cols[] = {1, v_col, lambda_col};
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j) reference(i, j) /= cols[block_of(i)] * rows[block_of(j)];
  const Matrix printed = printed_inverse(variant, blocks, alpha0, h, exact_first_column);
  double worst = 0;
  for (int bi = 0; bi < 3; ++bi)
    for (int bj = 0; bj < 3; ++bj) {
      double largest = 0, deviation = 0;
      for (Eigen::Index i = 0; i < size; ++i)
        for (Eigen::Index j = 0; j < size; ++j)
          if (block_of(i) == bi && block_of(j) == bj) {
            largest = std::max(largest, std::abs(reference(i, j)));
            deviation = std::max(deviation, std::abs(reference(i, j) - printed(i, j)));
          }
      if (largest > 0) worst = std::max(worst, deviation / largest);
    }
  return worst;
}

}  // namespace rubato::experiments::scaling
