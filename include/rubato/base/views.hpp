#pragma once
/// Views at every boundary: trivially copied, free of Eigen.
#include <Eigen/Core>
#include <span>

namespace rubato {

using In = std::span<const double>;  ///< read only, never owns
using Out = std::span<double>;       ///< the callee writes every entry

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

inline In view(const Vector& x) noexcept { return {x.data(), static_cast<std::size_t>(x.size())}; }
inline Out view(Vector& x) noexcept { return {x.data(), static_cast<std::size_t>(x.size())}; }

/// Eigen's sight of a view, for arithmetic inside a function.
inline Eigen::Map<const Vector> map(In x) noexcept { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
inline Eigen::Map<Vector> map(Out x) noexcept { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

}  // namespace rubato
