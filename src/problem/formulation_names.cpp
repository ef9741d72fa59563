/// Names of formulations: "index-3", "ggl+a", "index-1:alpha=100,beta=100".
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "rubato/base/text.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato {

namespace {

constexpr std::array<FormulationInfo, 13> list{{
    {"penalty", "λ = g/ε² inserted into the forces: an ODE, stiff for small ε", {.level = Level::penalty}},
    {"eps-lambda",
     "0 = g(q) − ε²λ kept with λ as unknown: index 1, singularly perturbed",
     {.level = Level::eps_lambda}},
    {"eps-lambda-rate", "ε²λ' = G v: the differentiated form, an ODE in (q, v, λ)", {.level = Level::eps_lambda_rate}},
    {"index-3", "constraints at position level, 0 = g(q)", {.level = Level::index_3}},
    {"index-2", "constraints at velocity level, 0 = G v + g_t", {.level = Level::index_2}},
    {"ggl", "position and velocity level, stabilised by μ (Gear, Gupta, Leimkuhler)", {.level = Level::ggl}},
    {"index-1",
     "constraints at acceleration level, accelerations as unknowns; index-1:alpha=A,beta=B: 2A ġ + B² g added "
     "(Baumgarte)",
     {.level = Level::index_1, .kinetics = Kinetics::accelerations}},
    {"semi-explicit",
     "velocity level with accelerations as unknowns: constant B for any mass matrix",
     {.level = Level::index_2, .kinetics = Kinetics::accelerations}},
    {"index-3+a",
     "position level with accelerations as unknowns",
     {.level = Level::index_3, .kinetics = Kinetics::accelerations}},
    {"momentum",
     "p' = f + Ṁv − Gᵀλ, 0 = p − M v, velocity level",
     {.level = Level::index_2, .kinetics = Kinetics::momentum}},
    {"hamilton",
     "p' = f + Ṁv − Gᵀλ with v = M⁻¹p solved inside, velocity level",
     {.level = Level::index_2, .kinetics = Kinetics::hamilton}},
    {"quasi-static", "inertia and velocities dropped: 0 = f − Gᵀλ, 0 = g", {.level = Level::quasi_static}},
    {"state-space", "accelerations and reactions solved inside: an ODE in (q, v, z)", {.level = Level::state_space}},
}};

/// Suffixes that combine with every level: "ggl+a", "index-3+momentum".
struct Suffix {
  std::string_view text;
  Kinetics kinetics;
};
constexpr std::array<Suffix, 3> suffixes{
    {{"+a", Kinetics::accelerations}, {"+momentum", Kinetics::momentum}, {"+hamilton", Kinetics::hamilton}}};

bool same(const Formulation& a, const Formulation& b) noexcept {
  return a.level == b.level && a.kinetics == b.kinetics;
}

std::string plain_name(const Formulation& formulation) {
  for (const auto& info : list)
    if (same(info.formulation, formulation)) return std::string(info.name);
  for (const auto& info : list) {
    if (info.formulation.level != formulation.level) continue;
    for (const auto& suffix : suffixes)
      if (suffix.kinetics == formulation.kinetics) return fmt::format("{}{}", info.name, suffix.text);
  }
  return "?";
}

Result<Formulation> by_plain_name(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& info : list) {
    if (info.name == name) return info.formulation;
    for (const auto& suffix : suffixes) {
      if (info.formulation.kinetics != Kinetics::velocity) continue;
      if (name == fmt::format("{}{}", info.name, suffix.text)) {
        Formulation combined = info.formulation;
        combined.kinetics = suffix.kinetics;
        return combined;
      }
    }
    known.emplace_back(info.name);
  }
  return Error{unknown_name("formulation", name, known) + " (each with +a, +momentum or +hamilton)"};
}

/// "alpha=100,beta=100" of index-1.
Result<Formulation> with_parameters(Formulation form, std::string_view name, std::string_view parameters) {
  const auto refuse = [&](std::string_view part, std::string_view why) {
    return Error{fmt::format("formulation {}: '{}' {}", name, part, why)};
  };
  if (form.level != Level::index_1) return refuse(parameters, "is for index-1 only: alpha=…,beta=… (Baumgarte)");
  for (std::size_t begin = 0; begin <= parameters.size();) {
    const std::size_t end = std::min(parameters.find(',', begin), parameters.size());
    const std::string_view part = parameters.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    double* const to = key == "alpha" ? &form.baumgarte_alpha : key == "beta" ? &form.baumgarte_beta : nullptr;
    if (to == nullptr || equals == std::string_view::npos) return refuse(part, "is none of alpha=…, beta=…");
    const std::string_view text = part.substr(equals + 1);
    const auto [last, status] = std::from_chars(text.data(), text.data() + text.size(), *to);
    if (status != std::errc{} || last != text.data() + text.size() || !(*to >= 0) || !std::isfinite(*to))
      return refuse(part, "is not a number ≥ 0, in 1/s");
    begin = end + 1;
  }
  return form;
}

}  // namespace

std::span<const FormulationInfo> formulations() { return list; }

std::string name_of(const Formulation& formulation) {
  std::string name = plain_name(formulation);
  if (formulation.baumgarte_alpha == 0 && formulation.baumgarte_beta == 0) return name;
  return fmt::format("{}:alpha={},beta={}", name, shortest(formulation.baumgarte_alpha),
                     shortest(formulation.baumgarte_beta));
}

Result<Formulation> formulation_by_name(std::string_view name) {
  const std::size_t colon = name.find(':');
  auto form = by_plain_name(name.substr(0, colon));
  if (!form || colon == std::string_view::npos) return form;
  return with_parameters(*form, name, name.substr(colon + 1));
}

}  // namespace rubato
