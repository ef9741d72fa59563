#pragma once
/// One linear system of a Rosenbrock method at the start of a problem: A x = f, A = B/(hγ) − J, γ = ¼ (RODAS).
#include <memory>

#include "catalogue/catalogue.hpp"
#include "rubato/linalg/krylov_matrix.hpp"
#include "rubato/problem/linearisation.hpp"

namespace rubato::experiments {

class FirstStage {
 public:
  /// `problem` must outlive it.
  explicit FirstStage(const InitialValueProblem& problem);

  struct Outcome {
    KrylovMatrix::Outcome iteration = {};
    Vector x = {};
    double residual = 0;  ///< ‖f − A x‖₂/‖f‖₂, computed anew
  };
  [[nodiscard]] Outcome solve(double h, const KrylovMatrixOptions& options, double tolerance) const;
  /// The same with another right-hand side.
  [[nodiscard]] Outcome solve(double h, const KrylovMatrixOptions& options, double tolerance,
                              const Vector& right) const;

 private:
  std::unique_ptr<Linearisation> linear_;
  std::vector<char> algebraic_;
  Vector f_;
};

}  // namespace rubato::experiments
