#pragma once
/// The points of all tests as rows of a least squares problem, scaled and weighted.
#include <Eigen/Core>
#include <span>
#include <vector>

#include "rubato/fem/fit.hpp"

namespace rubato::fem::detail {

/// s of each point of a set; `largest` is the largest stress of all sets.
[[nodiscard]] double point_scale(const TestSet& set, const TestPoint& point, Residuals residuals, double largest);
[[nodiscard]] double largest_stress(std::span<const TestSet> data);

struct FitRows {
  FitRows(std::span<const TestSet> data, Residuals residuals);

  /// What the law predicts, scaled. Linear in the constants c_ij and μ_i.
  [[nodiscard]] Eigen::VectorXd predicted(const Material& material) const;

  struct Row {
    TestMode mode;
    double stretch, factor;  ///< factor √w/s
  };
  std::vector<Row> rows = {};
  Eigen::VectorXd measured = {};  ///< scaled
};

struct OgdenFit {
  std::vector<Ogden::Term> terms = {};
  bool converged = false;
};
/// Terms sorted by falling α.
[[nodiscard]] OgdenFit fit_ogden(const FitRows& rows, int terms, bool non_negative);

}  // namespace rubato::fem::detail
