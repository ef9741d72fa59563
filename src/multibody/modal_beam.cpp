/// Modes of a straight uniform beam by finite elements: exact (cubic) stiffness of bending, linear axial and torsional
/// stiffness, masses lumped at the nodes with Simpson's weights h/3 (1, 4, 2, …, 4, 1).
/// These integrate cubics exactly: mass, centre and moments of inertia of the beam are exact, frequencies to order 4 in h.
///   K φ = ω² M φ,   solved as   M φ = μ (K + σM) φ,  ω² = 1/μ − σ,                                                     (1)
/// for M has zeros where sections have no inertia and K has rigid motions; K + σM is positive definite for σ > 0.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "rubato/base/views.hpp"
#include "rubato/multibody/modal.hpp"

namespace rubato::multibody {

namespace {

struct Found {
  double omega = 0;
  Mode mode = {};
};

struct Weights {
  std::vector<double> at;
  explicit Weights(const ModalBeam& beam) : at(static_cast<std::size_t>(beam.elements) + 1) {
    const double h = beam.length / beam.elements;
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = (i == 0 || i + 1 == at.size() ? 1 : i % 2 == 1 ? 4 : 2) * h / 3;
  }
};

/// Pairs (ω², φ) of (1) with the unknowns in `held` at rest; rigid motions left out.
template <class Use>
void eigenpairs(const Matrix& stiffness, const Vector& mass, const std::vector<Eigen::Index>& held, double sigma,
                const Use& use) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < mass.size(); ++i)
    if (std::find(held.begin(), held.end(), i) == held.end()) free.push_back(i);
  const Matrix k = stiffness(free, free);
  const Matrix m = Vector(mass(free)).asDiagonal();
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(m, k + sigma * m);
  for (Eigen::Index i = k.rows() - 1; i >= 0; --i) {
    const double mu = solver.eigenvalues()[i], square = 1 / mu - sigma;
    if (!(mu * sigma > 1e-12)) break;     // what has no mass
    if (square < 1e-6 * sigma) continue;  // rigid
    Vector shape = Vector::Zero(mass.size());
    shape(free) = solver.eigenvectors().col(i);
    use(std::sqrt(square), shape);
  }
}

/// Largest entry 1.
void scale(std::vector<Vector3>& shape, std::vector<Vector3>& rotation, const std::vector<Vector3>& by) {
  double largest = 0;
  for (const Vector3& x : by)
    for (const double c : x)
      if (std::abs(c) > std::abs(largest) * (1 + 1e-9)) largest = c;
  for (auto* values : {&shape, &rotation})
    for (Vector3& x : *values)
      for (double& c : x) c /= largest;
}

}  // namespace

Result<ModalBody> modal_beam(const ModalBeam& beam) {
  const auto positive = [](const char* key, double value) -> Result<void> {
    if (std::isfinite(value) && value > 0) return {};
    return Error{fmt::format("beam: {} = {} must be positive", key, value)};
  };
  if (auto ok = positive("length", beam.length); !ok) return ok.error();
  if (auto ok = positive("mass per length", beam.mass_per_length); !ok) return ok.error();
  if (auto ok = positive("inertia per length about x", beam.inertia_per_length[0]); !ok) return ok.error();
  for (const double x : {beam.inertia_per_length[1], beam.inertia_per_length[2], beam.axial, beam.torsion_bending[0],
                         beam.torsion_bending[1], beam.torsion_bending[2], beam.damping_ratio})
    if (!(std::isfinite(x) && x >= 0))
      return Error{fmt::format("beam: {} among inertia, stiffness and damping must be zero or positive", x)};
  if (beam.elements < 2 || beam.elements % 2 != 0 || beam.elements > 200)
    return Error{fmt::format("beam: elements = {} must be even, from 2 to 200", beam.elements)};
  if (beam.modes < 1) return Error{fmt::format("beam: modes = {} must be at least 1", beam.modes)};

  const Weights weights(beam);
  const auto n = static_cast<Eigen::Index>(weights.at.size());
  const double length = beam.length, h = length / beam.elements;
  const bool clamped_a = beam.ends == BeamEnds::clamped_free || beam.ends == BeamEnds::clamped_clamped;
  const bool held_a = beam.ends != BeamEnds::free_free;
  const bool clamped_b = beam.ends == BeamEnds::clamped_clamped;
  const bool held_b = clamped_b || beam.ends == BeamEnds::pinned_pinned;

  ModalBody out;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double w = weights.at[static_cast<std::size_t>(i)];
    ModalNode node{.position = {static_cast<double>(i) * h, 0, 0}, .mass = beam.mass_per_length * w};
    for (std::size_t k = 0; k < 3; ++k) node.inertia[k] = beam.inertia_per_length[k] * w;
    out.nodes.push_back(std::move(node));
  }
  out.nodes.front().name = "a";
  out.nodes.back().name = "b";

  std::vector<Found> found;
  const auto blank = [&] { return std::vector<Vector3>(out.nodes.size()); };

  // Along x and about x: K = c/h tridiag(−1, 2, −1). Torsion and axial motion are held at the end a, at b where it is clamped.
  for (const bool torsion : {false, true}) {
    const double c = torsion ? beam.torsion_bending[0] : beam.axial;
    const double per_length = torsion ? beam.inertia_per_length[0] : beam.mass_per_length;
    if (!(c > 0)) continue;
    Matrix k = Matrix::Zero(n, n);
    Vector m(n);
    for (Eigen::Index i = 0; i < n; ++i) m[i] = per_length * weights.at[static_cast<std::size_t>(i)];
    for (Eigen::Index i = 0; i + 1 < n; ++i) {
      k(i, i) += c / h;
      k(i + 1, i + 1) += c / h;
      k(i, i + 1) -= c / h;
      k(i + 1, i) -= c / h;
    }
    std::vector<Eigen::Index> held;
    if (held_a) held.push_back(0);
    if (clamped_b) held.push_back(n - 1);
    eigenpairs(k, m, held, c / (per_length * length * length), [&](double omega, const Vector& x) {
      Found one{.omega = omega, .mode = {.shape = blank(), .rotation = blank()}};
      auto& values = torsion ? one.mode.rotation : one.mode.shape;
      for (Eigen::Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i)][0] = x[i];
      scale(one.mode.shape, one.mode.rotation, std::vector<Vector3>(values));
      found.push_back(std::move(one));
    });
  }

  // Bending along y (about z) and along z (about y, where slopes are −θ): unknowns u, u' at each node.
  for (const std::size_t across : {std::size_t{1}, std::size_t{2}}) {
    const std::size_t about = 3 - across;
    const double ei = beam.torsion_bending[about];
    if (!(ei > 0)) continue;
    Matrix k = Matrix::Zero(2 * n, 2 * n);
    Vector m(2 * n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double w = weights.at[static_cast<std::size_t>(i)];
      m[2 * i] = beam.mass_per_length * w;
      m[2 * i + 1] = beam.inertia_per_length[about] * w;
    }
    Eigen::Matrix4d element;
    element << 12, 6 * h, -12, 6 * h, 6 * h, 4 * h * h, -6 * h, 2 * h * h, -12, -6 * h, 12, -6 * h, 6 * h, 2 * h * h,
        -6 * h, 4 * h * h;
    for (Eigen::Index i = 0; i + 1 < n; ++i) k.block<4, 4>(2 * i, 2 * i) += ei / (h * h * h) * element;
    std::vector<Eigen::Index> held;
    if (held_a) held.push_back(0);
    if (clamped_a) held.push_back(1);
    if (held_b) held.push_back(2 * n - 2);
    if (clamped_b) held.push_back(2 * n - 1);
    const double sign = about == 2 ? 1 : -1;
    eigenpairs(k, m, held, ei / (beam.mass_per_length * std::pow(length, 4)), [&](double omega, const Vector& x) {
      Found one{.omega = omega, .mode = {.shape = blank(), .rotation = blank()}};
      for (Eigen::Index i = 0; i < n; ++i) {
        one.mode.shape[static_cast<std::size_t>(i)][across] = x[2 * i];
        one.mode.rotation[static_cast<std::size_t>(i)][about] = sign * x[2 * i + 1];
      }
      scale(one.mode.shape, one.mode.rotation, std::vector<Vector3>(one.mode.shape));
      found.push_back(std::move(one));
    });
  }

  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.omega < b.omega; });
  if (found.size() < static_cast<std::size_t>(beam.modes))
    return Error{fmt::format("beam: {} modes are asked for, with {} elements and its stiffness it has {}", beam.modes,
                             beam.elements, found.size())};
  for (std::size_t i = 0; i < static_cast<std::size_t>(beam.modes); ++i) {
    Mode mode = std::move(found[i].mode);
    mode.frequency_hz = found[i].omega / (2 * std::numbers::pi);
    mode.damping_ratio = beam.damping_ratio;
    out.modes.push_back(std::move(mode));
  }
  return out;
}

}  // namespace rubato::multibody
