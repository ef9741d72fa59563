#include "experiments/hyperelastic/bushing_run.hpp"

#include <cmath>

namespace rubato::experiments::bushing {

Setup setup(double bulk_mpa, std::string method, double tolerance) {
  Setup s{.problem = "bushing",
          .parameters = {{"bulk", 1e6 * bulk_mpa}},
          .formulation = "eps-lambda",
          .method = std::move(method)};
  if (tolerance > 0) {  // relative, and absolute in mm, mm/s and MPa
    s.options.tolerances = {.rtol = tolerance, .atol = 1e-3 * tolerance, .atol_of = {{"lambda", 1e6 * tolerance}}};
    s.options.step.initial_step = 1e-3;
  } else {
    s.options.step.fixed_step = published_step;
    // Newton's corrections down to 10⁻⁶ of a displacement of 1 mm.
    s.options.tolerances = {.rtol = 1e-6, .atol = 1e-9, .atol_of = {{"lambda", 1.0}}};
  }
  return s;
}

std::vector<double> sample_times() {
  std::vector<double> times;
  for (int k = 1; k <= 666; ++k) times.push_back(published_step * k);
  return times;
}

History history(const Outcome& outcome) {
  const auto& layout = outcome.instance.problem.dae->layout();
  const auto block = [&](const char* name, double unit) {
    const auto* b = layout.find(name);
    if (b == nullptr) return Matrix();
    Matrix x(b->size, static_cast<Eigen::Index>(outcome.times.size()));
    for (int i = 0; i < b->size; ++i)
      x.row(i) = unit * map(In(outcome.columns[static_cast<std::size_t>(b->offset + i)])).transpose();
    return x;
  };
  return {block("q", 1e3), block("v", 1e3), block("lambda", 1e-6)};
}

double spectral_norm(const Matrix& x) {
  if (x.size() == 0) return 0;
  const Matrix gram = x.transpose() * x;
  Vector y = Vector::Ones(gram.cols());
  double value = 0;
  for (int k = 0; k < 1000; ++k) {
    y.normalize();
    y = gram * y;
    const double next = y.norm();
    if (std::abs(next - value) <= 1e-12 * next) return std::sqrt(next);
    value = next;
  }
  return std::sqrt(value);
}

}  // namespace rubato::experiments::bushing
