#pragma once
/// Small linear least squares with inequalities; Lawson & Hanson, Solving Least Squares Problems (1974), doi:10.1137/1.9781611971217.
#include <Eigen/Core>

namespace rubato::fem::detail {

/// min |A x − b| with x ≥ 0: their algorithm NNLS (chapter 23.3).
[[nodiscard]] Eigen::VectorXd non_negative_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

/// min |A x − b| with G x ≥ h, A of full column rank, the inequalities consistent: turned into "least distance" by the QR of A and
/// that into NNLS (chapters 23.4 and 23.5).
[[nodiscard]] Eigen::VectorXd constrained_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                                        const Eigen::MatrixXd& g, const Eigen::VectorXd& h);

}  // namespace rubato::fem::detail
