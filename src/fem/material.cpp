#include "rubato/fem/material.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/ogden.hpp"
#include "law_data.hpp"

namespace rubato::fem {

Polynomial neo_hooke(double shear) { return {.terms = {{.i = 1, .j = 0, .c = 0.5 * shear}}}; }
Polynomial mooney_rivlin(double c10, double c01) {
  return {.terms = {{.i = 1, .j = 0, .c = c10}, {.i = 0, .j = 1, .c = c01}}};
}
Polynomial yeoh(double c10, double c20, double c30) {
  return {.terms = {{.i = 1, .j = 0, .c = c10}, {.i = 2, .j = 0, .c = c20}, {.i = 3, .j = 0, .c = c30}}};
}

namespace {

double lame(double young, double poisson) { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
double shear(double young, double poisson) { return young / (2 * (1 + poisson)); }

Result<void> check_moduli(const std::string& where, double young, double poisson, bool half_allowed) {
  if (!(young > 0) || !std::isfinite(young))
    return Error{fmt::format("{}: young = {} Pa must be positive", where, young)};
  if (!(poisson > -1) || !(half_allowed ? poisson <= 0.5 : poisson < 0.5))
    return Error{fmt::format("{}: poisson = {} must lie between -1 and 0.5", where, poisson)};
  return {};
}

Result<void> check_prony(const std::string& where, const std::vector<PronyTerm>& terms) {
  if (terms.size() > static_cast<std::size_t>(detail::max_prony))
    return Error{fmt::format("{}: {} Prony terms; {} at most are possible", where, terms.size(), detail::max_prony)};
  double sum = 0;
  for (const PronyTerm& term : terms) {
    if (!(term.g > 0) || !std::isfinite(term.g) || !(term.tau > 0) || !std::isfinite(term.tau))
      return Error{
          fmt::format("{}: Prony term with g = {}, tau = {} s: both must be positive", where, term.g, term.tau)};
    sum += term.g;
  }
  if (!(sum < 1))
    return Error{fmt::format("{}: the g of its Prony terms add up to {}; below 1 something of its stiffness remains",
                             where, sum)};
  return {};
}

}  // namespace

double shear_modulus(const Material& material) noexcept {
  if (const auto* law = std::get_if<LinearElastic>(&material.law)) return shear(law->young, law->poisson);
  if (const auto* law = std::get_if<SaintVenantKirchhoff>(&material.law)) return shear(law->young, law->poisson);
  double sum = 0;
  if (const auto* law = std::get_if<Polynomial>(&material.law))
    for (const auto& term : law->terms) sum += term.i + term.j == 1 ? 2 * term.c : 0;
  if (const auto* law = std::get_if<Ogden>(&material.law))
    for (const auto& term : law->terms) sum += term.mu;
  return sum;
}

double bulk_modulus(const Material& material) noexcept {
  const auto of = [](double young, double poisson) { return young / (3 * (1 - 2 * poisson)); };
  if (const auto* law = std::get_if<LinearElastic>(&material.law)) return of(law->young, law->poisson);
  if (const auto* law = std::get_if<SaintVenantKirchhoff>(&material.law)) return of(law->young, law->poisson);
  return material.bulk;
}

Result<void> check(const Material& material) {
  const std::string where = fmt::format("material \"{}\"", material.name);
  if (!(material.density >= 0) || !std::isfinite(material.density))
    return Error{fmt::format("{}: density = {} kg/m³ must not be negative", where, material.density)};
  if (auto ok = check_prony(where, material.prony); !ok) return ok;
  if (const auto* law = std::get_if<LinearElastic>(&material.law))
    return check_moduli(where, law->young, law->poisson, true);
  if (const auto* law = std::get_if<SaintVenantKirchhoff>(&material.law))
    return check_moduli(where, law->young, law->poisson, false);
  if (const auto* law = std::get_if<Polynomial>(&material.law)) {
    for (const auto& term : law->terms) {
      if (term.i < 0 || term.j < 0 || term.i + term.j < 1 || term.i + term.j > 3)
        return Error{fmt::format("{}: c{}{} does not exist; 1 <= i + j <= 3", where, term.i, term.j)};
      if (!std::isfinite(term.c)) return Error{fmt::format("{}: c{}{} = {}", where, term.i, term.j, term.c)};
    }
  } else if (const auto* ogden = std::get_if<Ogden>(&material.law)) {
    if (ogden->terms.empty() || ogden->terms.size() > static_cast<std::size_t>(detail::max_terms))
      return Error{
          fmt::format("{}: {} Ogden terms; 1 to {} are possible", where, ogden->terms.size(), detail::max_terms)};
    for (const auto& term : ogden->terms)
      if (term.alpha == 0 || !std::isfinite(term.alpha) || !std::isfinite(term.mu))
        return Error{
            fmt::format("{}: Ogden term with mu = {}, alpha = {}: alpha must not be zero", where, term.mu, term.alpha)};
  }
  if (!(shear_modulus(material) > 0))
    return Error{
        fmt::format("{}: its shear modulus at small strains is {} Pa; it must be positive (2(c10 + c01), or the sum of "
                    "Ogden's mu)",
                    where, shear_modulus(material))};
  if (!(material.bulk > 0))
    return Error{fmt::format("{}: bulk = {} Pa must be positive (inf: incompressible)", where, material.bulk)};
  if (material.volumetric == VolumetricLaw::ogden && !(material.beta > 0 && std::isfinite(material.beta)))
    return Error{fmt::format("{}: beta = {} must be positive", where, material.beta)};
  return {};
}

namespace detail {

LawData law_data(const Material& material, bool mixed) noexcept {
  LawData m;
  m.mixed = mixed;
  m.memory_scale = 2 * shear_modulus(material);
  for (const PronyTerm& term : material.prony) {
    m.prony_g[m.n_prony] = term.g;
    m.prony_tau[m.n_prony++] = term.tau;
  }
  const auto moduli = [&](double young, double poisson) {
    m.shear = shear(young, poisson);
    m.lame = mixed && poisson == 0.5 ? INFINITY : lame(young, poisson);
    m.bulk = m.lame;
    m.compliance = 1 / m.lame;
  };
  if (const auto* law = std::get_if<LinearElastic>(&material.law)) {
    m.family = Family::linear;
    moduli(law->young, law->poisson);
    return m;
  }
  if (const auto* law = std::get_if<SaintVenantKirchhoff>(&material.law)) {
    m.family = Family::saint_venant;
    moduli(law->young, law->poisson);
    return m;
  }
  if (const auto* law = std::get_if<Polynomial>(&material.law)) {
    m.family = Family::polynomial;
    for (const auto& term : law->terms) {
      m.c[term.i][term.j] += term.c;
      if (term.i + term.j > m.degree) m.degree = term.i + term.j;
    }
  } else if (const auto* ogden = std::get_if<Ogden>(&material.law)) {
    m.family = Family::ogden;
    for (const auto& term : ogden->terms) {
      m.mu[m.n_ogden] = term.mu;
      m.alpha[m.n_ogden++] = term.alpha;
    }
  }
  m.volume = static_cast<Volume>(material.volumetric);
  m.bulk = material.bulk;
  m.compliance = 1 / material.bulk;
  m.beta = material.beta;
  return m;
}

double volumetric_energy(const LawData& law, double pressure) noexcept {
  double growth = 0, d = 0, u = 0, first = 0, second = 0;
  if (!(law.compliance > 0) || !RUBATO_KERNEL_SET::inverse_volumetric(law, pressure, growth, d)) return 0;
  RUBATO_KERNEL_SET::volumetric(law, 1.0 + growth, u, first, second);
  return u;
}

}  // namespace detail

namespace {
/// Everything but what is null.
void respond(const Material& material, const Tensor& f, double* energy, double* stress, double (*tangent)[9]) noexcept {
  namespace kernels = detail::RUBATO_KERNEL_SET;
  const detail::LawData law = detail::law_data(material, std::isinf(bulk_modulus(material)));
  double h[9];
  kernels::cofactor(f.data(), h);
  const double j = f[0] * h[0] + f[1] * h[1] + f[2] * h[2];
  kernels::respond<kernels::SpaceSet>(law, f.data(), h, j, energy, stress, tangent);
}
}  // namespace

PointResponse evaluate(const Material& material, const Tensor& f) noexcept {
  double a[9][9];
  PointResponse out;
  respond(material, f, &out.energy, out.stress.data(), a);
  for (std::size_t c = 0; c < 9; ++c)
    for (std::size_t d = 0; d < 9; ++d) out.tangent[c][d] = a[c][d];
  return out;
}

double thickness_stretch(const Material& material, const Tensor& f) noexcept {
  namespace kernels = detail::RUBATO_KERNEL_SET;
  Tensor at = f;
  double h[9], j, w, p[4], a[4][4];
  const bool found = kernels::respond_in_plane_stress(detail::law_data(material, false), at.data(), h, j, &w, p, a);
  return found ? at[8] : 1;
}

Tensor evaluate_stress(const Material& material, const Tensor& f) noexcept {
  Tensor stress;
  respond(material, f, nullptr, stress.data(), nullptr);
  return stress;
}

}  // namespace rubato::fem
