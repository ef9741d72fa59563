#include "experiments/index3_scaling/newton_matrices.hpp"

#include <Eigen/LU>

namespace rubato::experiments::scaling {

std::span<const Variant> variants() {
  using enum Form;
  using enum ScalingMode;
  static constexpr Variant all[] = {
      {three_field, none, "3 fields, none", -3, -1, -2, -3},
      {three_field, left, "3 fields, left", -2, 0, -1, -2},
      {three_field, lambda, "3 fields, λ", -1, 0, -1, 0},
      {three_field, lambda_and_v, "3 fields, v and λ", 0, 0, 0, 0},
      {two_field, none, "2 fields, none", -4, -1, 0, -3},
      {two_field, left, "2 fields, left", -3, 0, 0, -2},
      {two_field, lambda_and_v, "2 fields, λ", 0, 0, 0, 0},
  };
  return all;
}

std::span<const double> bdf_coefficients(int k) {
  static constexpr double table[6][7] = {{1, -1},
                                         {3.0 / 2, -2, 1.0 / 2},
                                         {11.0 / 6, -3, 3.0 / 2, -1.0 / 3},
                                         {25.0 / 12, -4, 3, -4.0 / 3, 1.0 / 4},
                                         {137.0 / 60, -5, 5, -10.0 / 3, 5.0 / 4, -1.0 / 5},
                                         {49.0 / 20, -6, 15.0 / 2, -20.0 / 3, 15.0 / 4, -6.0 / 5, 1.0 / 6}};
  return {table[k - 1], static_cast<std::size_t>(k) + 1};
}

Coefficients coefficients(Form form, ScalingMode mode, double h, double sigma) {
  const bool both = mode == ScalingMode::lambda || mode == ScalingMode::lambda_and_v;
  Coefficients c{.kinematic = mode == ScalingMode::lambda_and_v ? 1 : h,
                 .stiffness = both ? h * h / sigma : h,
                 .inertia = 0,
                 .force = both ? 1 : h,
                 .constraint = mode == ScalingMode::none ? h : 1};
  if (form == Form::two_field)
    c.inertia = both ? 1 / sigma : 1 / h;
  else
    c.inertia = mode == ScalingMode::lambda_and_v ? 1 / sigma : mode == ScalingMode::lambda ? h / sigma : 1;
  return c;
}

Matrix newton_matrix(const Variant& variant, const Blocks& blocks, double alpha0, double h, double sigma) {
  const auto& [X, Y, G, given] = blocks;
  const Eigen::Index n = G.rows(), m = G.cols();
  const Matrix M = given.size() > 0 ? given : Matrix::Identity(n, n);
  const Coefficients c = coefficients(variant.form, variant.mode, h, sigma);
  if (variant.form == Form::two_field) {
    Matrix b = Matrix::Zero(n + m, n + m);
    b.topLeftCorner(n, n) = c.inertia * (alpha0 * alpha0 * M + alpha0 * h * Y + h * h * X);
    b.topRightCorner(n, m) = -c.force * G;
    b.bottomLeftCorner(m, n) = c.constraint * G.transpose();
    return b;
  }
  Matrix a = Matrix::Zero(2 * n + m, 2 * n + m);
  a.block(0, 0, n, n) = alpha0 * Matrix::Identity(n, n);
  a.block(0, n, n, n) = -c.kinematic * Matrix::Identity(n, n);
  a.block(n, 0, n, n) = c.stiffness * X;
  a.block(n, n, n, n) = c.inertia * (alpha0 * M + h * Y);
  a.block(n, 2 * n, n, m) = -c.force * G;
  a.block(2 * n, 0, m, n) = c.constraint * G.transpose();
  return a;
}

namespace {

Matrix assembled(std::initializer_list<std::initializer_list<Matrix>> rows) {
  Eigen::Index height = 0, width = 0;
  for (const auto& row : rows) height += row.begin()->rows();
  for (const auto& block : *rows.begin()) width += block.cols();
  Matrix whole(height, width);
  Eigen::Index i = 0;
  for (const auto& row : rows) {
    Eigen::Index j = 0;
    for (const auto& block : row) {
      whole.block(i, j, block.rows(), block.cols()) = block;
      j += block.cols();
    }
    i += row.begin()->rows();
  }
  return whole;
}

Matrix two_field_inverse(ScalingMode mode, const Blocks& blocks, double a0, double h) {
  const Eigen::Index n = blocks.G.rows();
  const Matrix I = Matrix::Identity(n, n);
  const double g = h / a0;  // γ
  const Matrix& G = blocks.G;
  const Matrix Ui = (I / g + blocks.Y + g * blocks.X).inverse();
  const Matrix V = (G.transpose() * Ui * G).inverse(), W = Ui * G * V * G.transpose();
  const Matrix uu = (I - W) * Ui, ul = Ui * G * V, lu = V * G.transpose() * Ui;
  switch (mode) {
    case ScalingMode::none: return assembled({{uu, ul / g}, {-lu / g, V / (g * g)}}) / a0;           // (39)
    case ScalingMode::left: return assembled({{uu, a0 * ul}, {-lu / g, (a0 / g) * V}}) / a0;         // (45)
    default: return assembled({{uu / (a0 * g), a0 * ul}, {-a0 * lu, (a0 * a0 * a0 * g) * V}}) / a0;  // (50)
  }
}

}  // namespace

Matrix printed_inverse(const Variant& variant, const Blocks& blocks, double a0, double h, bool exact_first_column) {
  if (variant.form == Form::two_field) return two_field_inverse(variant.mode, blocks, a0, h);
  const Eigen::Index n = blocks.G.rows();
  const Matrix I = Matrix::Identity(n, n);
  const double g = h / a0, a2 = a0 * a0, a3 = a2 * a0;  // g: γ
  const Matrix& G = blocks.G;
  const Matrix Ri = (I + g * blocks.Y + g * g * blocks.X).inverse();
  const Matrix S = (G.transpose() * Ri * G).inverse(), T = Ri * G * S * G.transpose();
  const Matrix first = exact_first_column ? Matrix(Ri * (I + g * blocks.Y)) : I;
  const Matrix P = (I - T) * first, TI = T * first, SG = S * G.transpose() * first;
  const Matrix PR = (I - T) * Ri, GS = Ri * G * S, SGR = S * G.transpose() * Ri;
  // (2,1): v = γ⁻¹(u − …) from the first row, exactly −γ⁻¹(I − P); to leading order −γ⁻¹T.
  const Matrix vu = exact_first_column ? Matrix(I - P) : T;
  switch (variant.mode) {
    case ScalingMode::none:  // (9)
      return assembled({{P, g * PR, GS / g}, {-vu / g, PR, GS / (g * g)}, {-SG / (g * g), -SGR / g, S / (g * g * g)}}) /
             a0;
    case ScalingMode::left:  // (17)
      return assembled(
                 {{P, g * PR, a0 * GS}, {-vu / g, PR, (a0 / g) * GS}, {-SG / (g * g), -SGR / g, (a0 / (g * g)) * S}}) /
             a0;
    case ScalingMode::lambda:  // (25)
      return assembled(
                 {{P, PR / a0, a0 * GS}, {-vu / g, PR / (a0 * g), (a0 / g) * GS}, {-a2 * SG, -a0 * SGR, a3 * S}}) /
             a0;
    case ScalingMode::lambda_and_v: break;  // (30)
  }
  return assembled({{P, PR / a0, a0 * GS}, {-a0 * vu, PR, a2 * GS}, {-a2 * SG, -a0 * SGR, a3 * S}}) / a0;
}

}  // namespace rubato::experiments::scaling
