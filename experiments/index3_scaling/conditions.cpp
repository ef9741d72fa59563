// Tables 1, 3 and 4: bounds and condition numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/index3_scaling/dense_analysis.hpp"
#include "experiments/index3_scaling/index3_scaling.hpp"
#include "experiments/index3_scaling/pendulum.hpp"
#include "experiments/index3_scaling/random_systems.hpp"

namespace rubato::experiments::scaling {

namespace {

std::string power(double exponent) { return fmt::format("{:.2f}", exponent == 0 ? 0.0 : exponent); }

io::Series condition_curve(const Variant& variant, const std::vector<double>& steps,
                           const std::vector<double>& values) {
  return {.name = variant.name, .x = steps, .y = values, .markers = true};
}

Picture condition_picture(const char* name, const char* caption, std::vector<io::Series> series) {
  io::Panel panel{
      .y_label = "condition number", .y_scale = io::Scale::logarithmic, .series = std::move(series), .height = 300};
  return {name,
          caption,
          {.title = "Pendulum, BDF2: condition of Newton's matrix",
           .subtitle = "2-norm, last step, t = 0.001",
           .x_label = "step size h",
           .x_scale = io::Scale::logarithmic,
           .panels = {panel}}};
}

}  // namespace

Section table_1(const Control& /*control*/) {
  Section section{
      .setting =
          "Random X, Y, G (4 coordinates, 2 constraints), BDF2, h = 10⁻⁴ … 10⁻⁸: exponents of h, fitted, of the row "
          "sums "
          "of the inverse in the rows of u, v and λ (scaled where the unknowns are) and of the condition number; in "
          "brackets the published orders. *printed inverse*: largest relative deviation of the published block formula "
          "from the inverse at h = 10⁻⁴, and with its first column completed.",
      .values = {{"variant", "u", "v", "lambda", "condition", "condition (inf)", "printed inverse", "completed"}, {}},
      .difference =
          "All orders as published. The first columns of (9), (17), (25) and (30) are leading terms, right up to h²; "
          "all "
          "others hold to rounding, and so do they with I replaced by R⁻¹(I + γY)."};
  const std::vector<double> steps = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  const Blocks blocks = random_blocks(4, 2, 1);
  const double a0 = bdf_coefficients(2)[0];
  for (const Variant& variant : variants()) {
    const bool three = variant.form == Form::three_field;
    std::vector<double> u, v, lambda, two, inf;
    for (const double h : steps) {
      const Matrix a = newton_matrix(variant, blocks, a0, h), inverse = printed_inverse(variant, blocks, a0, h, true);
      u.push_back(row_sum(inverse, 0, 4));
      if (three) v.push_back(row_sum(inverse, 4, 4));
      lambda.push_back(row_sum(inverse, three ? 8 : 4, 2));
      two.push_back(condition_2(a));
      inf.push_back(condition_inf(a, inverse));
    }
    const auto both = [&](const std::vector<double>& y, int published) {
      return fmt::format("{} ({})", power(std::round(fit_power(steps, y).exponent * 100) / 100), published);
    };
    section.values.rows.push_back({variant.name, both(u, variant.u_power), three ? both(v, variant.v_power) : "",
                                   both(lambda, variant.lambda_power), both(two, variant.condition_power),
                                   power(std::round(fit_power(steps, inf).exponent * 100) / 100),
                                   fmt::format("{:.0e}", inverse_deviation(variant, blocks, a0, 1e-4, false)),
                                   fmt::format("{:.0e}", inverse_deviation(variant, blocks, a0, 1e-4, true))});
  }
  return section;
}

Section table_3(const Control& control) {
  Section section{
      .setting =
          "Pendulum of length, mass and gravity 1, started horizontally at rest, BDF2 until t = 0.001; condition "
          "number of "
          "the last Newton matrix, 2-norm, from singular values by one-sided Jacobi rotations.",
      .values = {{"variant", "", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"}, {}},
      .difference =
          "The prototype's fits are met within 0.1 %: a₀³h⁻³ and a₀⁴h⁻⁴ without scaling, constants with all of it."};
  const double factors[] = {3.375, 4.875, 3.25, 7.768, 5.0625, 5.0625, 6.918};
  const std::vector<double> steps = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  std::vector<io::Series> curves;
  for (std::size_t i = 0; i < variants().size(); ++i) {
    const Variant& variant = variants()[i];
    std::vector<io::Cell> ours = {variant.name, "Rubato"}, theirs = {variant.name, "prototype"};
    std::vector<double> values;
    for (const double h : steps) {
      if (control.stopped()) return section;
      values.push_back(run_pendulum({.variant = variant, .h = h}).condition);
      ours.emplace_back(std::stod(fmt::format("{:.3g}", values.back())));
      theirs.emplace_back(std::stod(fmt::format("{:.3g}", factors[i] * std::pow(h, variant.condition_power))));
    }
    section.values.rows.push_back(ours);
    section.values.rows.push_back(theirs);
    curves.push_back(condition_curve(variant, steps, values));
  }
  section.pictures = {
      condition_picture("figure-4", "Rows alone save one power of h, multipliers another.",
                        {curves[0], curves[1], curves[2]}),
      condition_picture("figure-6", "With velocities scaled as well the condition does not depend on h.",
                        {curves[0], curves[1], curves[3]}),
      condition_picture("figure-8", "Velocities eliminated: h⁻⁴ without scaling, 6.9 with it.",
                        {curves[4], curves[5], curves[6]})};
  return section;
}

Section table_4(const Control& /*control*/) {
  Section section{
      .setting =
          "A random stiff system, 12 coordinates, 4 constraints, stiffness about 1.1·10⁶, mass about 5, two fields, "
          "BDF2; "
          "2-norm condition without scaling, with s = 1/h² and with s = k_ave + m_ave/h² (averages of the diagonals). "
          "*prototype*: another random system of the same size.",
      .values = {{"h", "none", "1/h²", "k_ave + m_ave/h²", "none, prototype", "1/h², prototype", "both, prototype"},
                 {}},
      .difference =
          "The mass matters for small steps, the stiffness for large ones, where s = 1/h² is worse than no scaling at "
          "all; with both the condition stays below 50 over nine decades."};
  struct Row {
    double h;
    const char *none, *simple, *both;
  };
  const Row rows[] = {{1e-8, "4.8e33", "41", "4.6"},
                      {1e-4, "3.8e17", "41", "4.6"},
                      {1e-2, "4.7e11", "4.7e3", "15.5"},
                      {1, "3.8e11", "3.8e11", "20.6"},
                      {10, "3.8e11", "3.8e15", "20.6"}};
  for (const Row& row : rows) {
    const StiffConditions found = stiff_conditions(row.h);
    section.values.rows.push_back({row.h, fmt::format("{:.1e}", found.none), fmt::format("{:.3g}", found.simple),
                                   fmt::format("{:.3g}", found.both), row.none, row.simple, row.both});
  }
  return section;
}

}  // namespace rubato::experiments::scaling
