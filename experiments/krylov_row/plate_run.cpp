#include "experiments/krylov_row/plate_run.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "rubato/base/scratch.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato::experiments::plate {

/// The deviator D of the plane, applied to (ε₁₁, ε₂₂, 2ε₁₂): S = −r I + D X with X symmetric, so D^{−½} S D^{½} is symmetric. S itself has
/// a multiple eigenvalue −r for which general eigenvectors are useless.
Exact::Exact(const InitialValueProblem& problem) {
  const Dae& dae = *problem.dae;
  const int n = dae.size(), n_y = dae.layout().find("q")->size, n_z = n - n_y;
  ScratchMemory memory(dae.scratch_bytes());
  const auto f_at = [&](const Vector& x) {
    Vector f(n);
    static_cast<void>(
        dae.f({.t = 0, .x = view(x), .u = {}, .base = {}, .mode = 0, .scratch = memory.scratch()}, view(f)));
    return f;
  };
  const Vector zero = Vector::Zero(n), f0 = f_at(zero);
  Matrix j(n, n);
  for (int col = 0; col < n; ++col) j.col(col) = f_at(Vector::Unit(n, col)) - f0;
  const Eigen::PartialPivLU<Matrix> g_z(Matrix(j.bottomRightCorner(n_z, n_z)));
  to_z_ = -g_z.solve(j.bottomLeftCorner(n_z, n_y));
  z_of_zero_ = -g_z.solve(f0.tail(n_z));
  const Matrix s = j.topLeftCorner(n_y, n_y) + j.topRightCorner(n_y, n_z) * to_z_;
  const Vector load = f0.head(n_y) + j.topRightCorner(n_y, n_z) * z_of_zero_;
  rest_y_ = -s.partialPivLu().solve(load);

  Matrix deviator(3, 3);
  deviator << 2. / 3, -1. / 3, 0, -1. / 3, 2. / 3, 0, 0, 0, 0.5;
  const Eigen::SelfAdjointEigenSolver<Matrix> of_deviator(deviator);
  const Matrix root = of_deviator.operatorSqrt(), inverse_root = of_deviator.operatorInverseSqrt();
  Matrix left = Matrix::Zero(n_y, n_y), right = left;
  for (int e = 0; e < n_y; e += 3) {
    left.block(e, e, 3, 3) = inverse_root;
    right.block(e, e, 3, 3) = root;
  }
  Matrix symmetric = left * s * right;
  symmetric = 0.5 * (symmetric + symmetric.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(symmetric);
  rates_ = eigen.eigenvalues();
  modes_ = right * eigen.eigenvectors();
  amplitudes_ = eigen.eigenvectors().transpose() * (left * (problem.x.head(n_y) - rest_y_));
}

Vector Exact::at(double t) const {
  const Vector y = rest_y_ + modes_ * ((t * rates_).array().exp() * amplitudes_.array()).matrix();
  Vector x(y.size() + z_of_zero_.size());
  x << y, z_of_zero_ + to_z_ * y;
  return x;
}

namespace {

class ErrorWatch final : public Observer {
 public:
  explicit ErrorWatch(const Exact& exact) : exact_(exact) {}
  void on_step(const StepView& step) override {
    const Vector reference = exact_.at(step.t_end);
    const double floor = 1e-7 * reference.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < reference.size(); ++i)
      if (std::abs(reference[i]) > floor)
        largest = std::max(largest, std::abs(step.x[static_cast<std::size_t>(i)] / reference[i] - 1));
  }
  double largest = 0;

 private:
  const Exact& exact_;
};

}  // namespace

Outcome run(double rtol, const KrylovOptions& krylov, long max_steps, const Control& control) {
  const auto instance = catalogue::make_problem("viscoelastic-plate");
  if (!instance) return {.trouble = instance.error().message};
  static const Exact exact(instance->problem);
  ErrorWatch watch(exact);
  IntegrateOptions options;
  options.tolerances = {.rtol = rtol, .atol = rtol};
  options.step = {.initial_step = 0.1 * std::pow(rtol, 0.25),
                  .max_steps = max_steps,
                  .norm = Norm::vector,
                  .h_scaling = false,
                  .controller = Controller::elementary,
                  .safety = 0.8,
                  .shrink_limit = 0.2,
                  .growth_limit = 3};
  options.linear.krylov = krylov;
  Observer* const observers[] = {&watch};
  const auto end = integrate(instance->problem, "rodas4", options, {.observers = observers, .stop = control.stop});
  if (!end) return {.trouble = end.error().message};
  return {.accepted = end->statistics.accepted,
          .solves = end->statistics.solves,
          .products = end->statistics.krylov_products,
          .error = watch.largest,
          .trouble = completed(end->status) ? std::string{} : end->reason,
          .t = end->t};
}

std::vector<double> tolerances() {
  std::vector<double> all;
  for (int j = 0; j < 5; ++j) all.push_back(std::pow(10, -(22.0 + 8 * j) / 9));
  return all;
}

}  // namespace rubato::experiments::plate
