#include "rubato/fem/fit.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "fit_rows.hpp"
#include "least_squares.hpp"
#include "rubato/base/text.hpp"

namespace rubato::fem {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array<TestMode, 3> stretched_modes = {TestMode::uniaxial, TestMode::equibiaxial, TestMode::pure_shear};
constexpr double least_relative_stress = 0.01;  // of a set's largest: the resolution of a load cell

std::string term_name(const std::array<int, 2>& power) { return fmt::format("c{}{}", power[0], power[1]); }

Material material_of(const LawForm& form, const VectorXd& c) {
  Polynomial law;
  for (std::size_t k = 0; k < form.powers.size(); ++k)
    law.terms.push_back({.i = form.powers[k][0], .j = form.powers[k][1], .c = c[static_cast<Eigen::Index>(k)]});
  return {.law = std::move(law), .bulk = INFINITY};
}

Material unit_material(const LawForm& form, std::size_t k) {
  return {.law = Polynomial{.terms = {{.i = form.powers[k][0], .j = form.powers[k][1], .c = 1}}}, .bulk = INFINITY};
}

Result<void> check_data(const LawForm& form, std::span<const TestSet> data) {
  std::size_t points = 0;
  bool deformed = false;
  for (const auto& set : data) {
    points += set.points.size();
    if (!(set.weight > 0) || !std::isfinite(set.weight))
      return Error{fmt::format("the weight of the {} test is {}; it must be positive", name(set.mode), set.weight)};
    const double rest = set.mode == TestMode::simple_shear ? 0 : 1;
    for (const auto& point : set.points) {
      const double low = rest == 1 ? least_stretch : -most_stretch;
      if (!(point.stretch >= low && point.stretch <= most_stretch) || !std::isfinite(point.stress))
        return Error{
            fmt::format("{} test: stretch {}, stress {} Pa: stretches from {} to {} are possible, finite stresses",
                        name(set.mode), point.stretch, point.stress, low, most_stretch)};
      deformed = deformed || point.stretch != rest;
    }
  }
  const std::size_t sought = form.powers.empty() ? 2 * static_cast<std::size_t>(form.ogden_terms) : form.powers.size();
  if (points < sought)
    return Error{fmt::format("{} has {} constants, but the data have {} points only", form.name, sought, points)};
  if (!deformed) return Error{"the data hold no deformed state"};
  const double largest = detail::largest_stress(data);
  if (!(largest > 1e-30 && largest < 1e30))
    return Error{fmt::format("the largest stress in the data is {} Pa: nothing can be fitted", largest)};
  return {};
}

/// The smallest eigenvalue of the incremental stiffness on a fine grid of the needed ranges must stay above `margin`. As it is
/// vᵀ H(c) v for its eigenvector v and H is linear in c, every violation is a linear inequality; they are collected until none is
/// left (cutting planes: the set of stable constants is convex).
VectorXd stable_constants(const LawForm& form, const MatrixXd& a, const VectorXd& b, VectorXd c,
                          std::span<const TestSet> data) {
  constexpr int steps = 200, most_rounds = 60;
  const Eigen::Index n = a.cols();
  // Neo-Hooke's modulus gives the size of what is small.
  const double first = std::abs(a.col(0).dot(b) / a.col(0).squaredNorm());
  const double margin = 1e-4 * first;
  MatrixXd g(0, n);
  for (int round = 0; round < most_rounds; ++round) {
    const Eigen::Index known = g.rows();
    const Material material = material_of(form, c);
    for (const TestMode mode : stretched_modes) {
      const StretchRange range = needed_range(mode, data);
      double worst = 0.5 * margin;
      double where = 0;
      Eigen::Vector2d direction;
      for (int k = 0; k <= steps; ++k) {
        const double stretch = range.low * std::pow(range.high / range.low, static_cast<double>(k) / steps);
        const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(MatrixXd(incremental_stiffness(material, mode, stretch)));
        if (eigen.eigenvalues()[0] >= worst) continue;
        worst = eigen.eigenvalues()[0];
        where = stretch;
        direction = eigen.eigenvectors().col(0);
      }
      if (where == 0) continue;
      g.conservativeResize(g.rows() + 1, n);
      for (std::size_t k = 0; k < form.powers.size(); ++k)
        g(g.rows() - 1, static_cast<Eigen::Index>(k)) =
            direction.dot(incremental_stiffness(unit_material(form, k), mode, where) * direction);
    }
    if (g.rows() == known) break;
    // Rows and columns of one size, for the sake of NNLS.
    const VectorXd size = a.colwise().norm().transpose();
    MatrixXd scaled = g * size.cwiseInverse().asDiagonal();
    VectorXd bound = VectorXd::Constant(g.rows(), margin);
    for (Eigen::Index k = 0; k < g.rows(); ++k) {
      const double row = scaled.row(k).norm();
      scaled.row(k) /= row;
      bound[k] /= row;
    }
    c = detail::constrained_least_squares(a * size.cwiseInverse().asDiagonal(), b, scaled, bound).cwiseQuotient(size);
  }
  return c;
}

Result<Material> fit_polynomial(const LawForm& form, const detail::FitRows& rows, std::span<const TestSet> data,
                                bool stable) {
  const Eigen::Index n = static_cast<Eigen::Index>(form.powers.size());
  MatrixXd a(rows.measured.size(), n);
  for (Eigen::Index k = 0; k < n; ++k) a.col(k) = rows.predicted(unit_material(form, static_cast<std::size_t>(k)));
  const VectorXd size = a.colwise().norm().transpose();
  Eigen::ColPivHouseholderQR<MatrixXd> qr(a.rows(), n);
  qr.setThreshold(1e-11);
  qr.compute(MatrixXd(a * size.cwiseInverse().asDiagonal()));
  if (qr.rank() < n) {
    std::vector<std::string> dependent;
    for (Eigen::Index k = qr.rank(); k < n; ++k)
      dependent.push_back(term_name(form.powers[static_cast<std::size_t>(qr.colsPermutation().indices()[k])]));
    return Error{
        fmt::format("{}: these tests cannot tell {} from the other constants; add tests of another mode, or leave "
                    "out constants",
                    form.name, joined(dependent))};
  }
  VectorXd c = qr.solve(rows.measured).cwiseQuotient(size);
  if (stable) c = stable_constants(form, a, rows.measured, c, data);
  return material_of(form, c);
}

SetQuality quality(const Material& material, const TestSet& set) {
  SetQuality q{.mode = set.mode};
  double sum = 0, mean = 0, spread = 0, relative = 0;
  const double n = static_cast<double>(set.points.size());
  for (const auto& point : set.points) mean += point.stress / n;
  for (const auto& point : set.points) {
    const double error = nominal_stress(material, set.mode, point.stretch) - point.stress;
    const double s = detail::point_scale(set, point, Residuals::relative, 0);
    sum += error * error;
    relative += error * error / (s * s);
    spread += (point.stress - mean) * (point.stress - mean);
  }
  q.rms = std::sqrt(sum / n);
  q.relative_rms = std::sqrt(relative / n);
  q.r2 = spread > 0 ? 1 - sum / spread : NAN;
  return q;
}

/// n ln(Σr²/n) + 2k + 2k(k + 1)/(n − k − 1); k counts the constants and the variance. Weights enter relative to their mean.
double information_criterion(std::span<const TestSet> data, double cost, int constants) {
  double n = 0, weights = 0;
  for (const auto& set : data) {
    n += static_cast<double>(set.points.size());
    weights += set.weight * static_cast<double>(set.points.size());
  }
  const double k = constants + 1;
  if (!(n - k - 1 > 0)) return INFINITY;
  // Residuals below rounding are all the same.
  const double mean_square = std::max(cost / weights, 1e-28);
  return n * std::log(mean_square) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

/// The largest principal stretch of simple shear: λ − 1/λ = γ.
double principal_stretch(double gamma) { return 0.5 * gamma + std::sqrt(1 + 0.25 * gamma * gamma); }

double first_invariant(TestMode mode, double stretch) {
  double sum = 0;
  for (const double f : deformation(mode, stretch)) sum += f * f;
  return sum;
}

}  // namespace

namespace detail {

double largest_stress(std::span<const TestSet> data) {
  double largest = 0;
  for (const auto& set : data)
    for (const auto& point : set.points) largest = std::max(largest, std::abs(point.stress));
  return largest;
}

double point_scale(const TestSet& set, const TestPoint& point, Residuals residuals, double largest) {
  if (residuals == Residuals::absolute) return largest;
  const double of_set = largest_stress({&set, 1});
  const double scale = std::max(std::abs(point.stress), least_relative_stress * of_set);
  return scale > 0 ? scale : 1;
}

FitRows::FitRows(std::span<const TestSet> data, Residuals residuals) {
  const double largest = largest_stress(data);
  std::vector<double> target;
  for (const auto& set : data)
    for (const auto& point : set.points) {
      const double factor = std::sqrt(set.weight) / point_scale(set, point, residuals, largest);
      rows.push_back({set.mode, point.stretch, factor});
      target.push_back(factor * point.stress);
    }
  measured = Eigen::Map<const VectorXd>(target.data(), static_cast<Eigen::Index>(target.size()));
}

VectorXd FitRows::predicted(const Material& material) const {
  VectorXd out(measured.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    out[static_cast<Eigen::Index>(k)] = rows[k].factor * nominal_stress(material, rows[k].mode, rows[k].stretch);
  return out;
}

}  // namespace detail

bool Fit::stable() const noexcept {
  return std::all_of(stability.begin(), stability.end(), [](const Stability& s) { return s.holds(); });
}

StretchRange needed_range(TestMode mode, std::span<const TestSet> data) {
  StretchRange range;
  bool tested = false;
  double invariant = 3;
  for (const auto& set : data)
    for (const auto& point : set.points) {
      invariant = std::max(invariant, first_invariant(set.mode, point.stretch));
      const bool sheared = set.mode == TestMode::simple_shear;
      if ((sheared ? TestMode::pure_shear : set.mode) != mode) continue;
      tested = true;
      const double stretch = sheared ? principal_stretch(point.stretch) : point.stretch;
      range.low = std::min(range.low, stretch);
      range.high = std::max(range.high, stretch);
    }
  if (tested) return range;
  double high = 2;
  while (first_invariant(mode, high) < invariant) high *= 2;
  double low = 1;
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = 0.5 * (low + high);
    (first_invariant(mode, middle) < invariant ? low : high) = middle;
  }
  return {1, low};
}

Result<LawForm> law_form(std::string_view text) {
  const std::string whole(text), family = whole.substr(0, whole.find(':')),
                                 detail = family.size() < whole.size() ? whole.substr(family.size() + 1) : "";
  const bool digit = detail.size() == 1 && detail[0] >= '1' && detail[0] <= '9';
  LawForm form{.name = whole};
  if (family == "ogden") {
    if (!digit || detail[0] > '4')
      return Error{fmt::format("law '{}': the number of terms is missing or not allowed; ogden:1 to ogden:4", text)};
    form.ogden_terms = detail[0] - '0';
    return form;
  }
  if (family == "polynomial") {
    if (digit && detail[0] <= '3') {
      for (int degree = 1; degree <= detail[0] - '0'; ++degree)
        for (int j = 0; j <= degree; ++j) form.powers.push_back({degree - j, j});
      return form;
    }
    for (std::size_t at = 0; at <= detail.size(); at += 4) {
      const std::string word = detail.substr(at, detail.find(',', at) - at);
      const bool fine = word.size() == 3 && word[0] == 'c' && word[1] >= '0' && word[1] <= '3' && word[2] >= '0' &&
                        word[2] <= '3' && word[1] + word[2] - 2 * '0' >= 1 && word[1] + word[2] - 2 * '0' <= 3;
      const std::array<int, 2> power = {fine ? word[1] - '0' : 0, fine ? word[2] - '0' : 0};
      if (!fine || std::count(form.powers.begin(), form.powers.end(), power) > 0)
        return Error{
            fmt::format("law '{}': a degree from 1 to 3 or different constants cIJ, 1 <= I + J <= 3, must follow: "
                        "polynomial:2, polynomial:c10,c01,c11",
                        text)};
      form.powers.push_back(power);
    }
    if (std::none_of(form.powers.begin(), form.powers.end(), [](const auto& p) { return p[0] + p[1] == 1; }))
      return Error{
          fmt::format("law '{}': without c10 and c01 it has no stiffness at small strains; add one of them", text)};
    return form;
  }
  static const std::vector<std::string> known = {"neo-hooke", "mooney-rivlin", "yeoh", "polynomial:2", "ogden:3"};
  if (whole == "neo-hooke") form.powers = {{1, 0}};
  if (whole == "mooney-rivlin") form.powers = {{1, 0}, {0, 1}};
  if (whole == "yeoh") form.powers = {{1, 0}, {2, 0}, {3, 0}};
  if (form.powers.empty()) return Error{unknown_name("law", text, known)};
  return form;
}

std::vector<LawForm> usual_law_forms() {
  std::vector<LawForm> list;
  for (const auto* name : {"neo-hooke", "mooney-rivlin", "yeoh", "polynomial:2", "polynomial:3", "ogden:1", "ogden:2",
                           "ogden:3", "ogden:4"})
    list.push_back(*law_form(name));
  return list;
}

Result<Fit> fit(const LawForm& form, std::span<const TestSet> data, const FitOptions& options) {
  if (auto fine = check_data(form, data); !fine) return fine.error();
  const detail::FitRows rows(data, options.residuals);
  Fit out{.form = form};
  if (form.powers.empty()) {
    detail::OgdenFit ogden = detail::fit_ogden(rows, form.ogden_terms, options.stable);
    if (ogden.terms.empty())
      return Error{fmt::format("{}: no positive constants come near these data; are tension and compression exchanged?",
                               form.name)};
    out.converged = ogden.converged;
    out.constants = 2 * static_cast<int>(ogden.terms.size());
    out.material = {.law = Ogden{.terms = std::move(ogden.terms)}, .bulk = INFINITY};
  } else {
    auto material = fit_polynomial(form, rows, data, options.stable);
    if (!material) return material.error();
    out.material = std::move(*material);
    out.constants = static_cast<int>(form.powers.size());
  }
  out.cost = (rows.predicted(out.material) - rows.measured).squaredNorm();
  out.aicc = information_criterion(data, out.cost, out.constants);
  for (const auto& set : data) out.sets.push_back(quality(out.material, set));
  for (std::size_t k = 0; k < stretched_modes.size(); ++k) {
    Stability& s = out.stability[k];
    s.mode = stretched_modes[k];
    s.needed = needed_range(s.mode, data);
    s.searched = {std::min(0.1, s.needed.low), std::max(10.0, s.needed.high)};
    s.stable = stable_range(out.material, s.mode, s.searched);
  }
  return out;
}

std::size_t recommended(std::span<const Fit> fits) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < fits.size(); ++k) {
    const bool better = fits[k].stable() == fits[best].stable() ? fits[k].aicc < fits[best].aicc : fits[k].stable();
    if (better) best = k;
  }
  return best;
}

std::vector<NamedConstant> constants(const Fit& fit) {
  std::vector<NamedConstant> list;
  if (const auto* ogden = std::get_if<Ogden>(&fit.material.law)) {
    for (std::size_t k = 0; k < ogden->terms.size(); ++k) {
      list.push_back({fmt::format("mu_{}", k + 1), "Pa", ogden->terms[k].mu});
      list.push_back({fmt::format("alpha_{}", k + 1), "", ogden->terms[k].alpha});
    }
  } else if (fit.form.name == "neo-hooke") {
    list.push_back({"mu", "Pa", shear_modulus(fit.material)});
  } else if (const auto* polynomial = std::get_if<Polynomial>(&fit.material.law)) {
    for (const auto& term : polynomial->terms) list.push_back({term_name({term.i, term.j}), "Pa", term.c});
  }
  return list;
}

}  // namespace rubato::fem
