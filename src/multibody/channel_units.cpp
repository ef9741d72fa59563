/// Units of channels by their names: what stands behind the dots, and whose name stands before the first.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "rubato/multibody/system.hpp"

namespace rubato::multibody {

namespace {

using Rule = std::pair<std::string_view, const char*>;

/// Names that mean the same wherever they stand; ends with "." or "_" where directions or numbers follow.
constexpr std::array<Rule, 24> anywhere{
    {{"force", "N"},       {"force.", "N"},   {"normal_force", "N"},  {"friction_force", "N"}, {"shear_force.", "N"},
     {"drive_force", "N"}, {"torque", "N*m"}, {"torque.", "N*m"},     {"drive_torque", "N*m"}, {"torsion", "N*m"},
     {"bending.", "N*m"},  {"gap", "m"},      {"position", "m"},      {"length", "m"},         {"deflection.", "m"},
     {"state", "m"},       {"angle", "rad"},  {"rotation.", "rad"},   {"deflection", "rad"},   {"kinetic", "J"},
     {"potential", "J"},   {"total", "J"},    {"strain_energy", "J"}, {"normal", "N"}}};

/// Coordinates of bodies: x, vx, vx_rate, px; rx, wx, wx_rate, lx.
constexpr std::array<Rule, 8> of_bodies{{{"", "m"},
                                         {"v", "m/s"},
                                         {"p", "kg*m/s"},
                                         {"r", "rad"},
                                         {"w", "rad/s"},
                                         {"l", "kg*m^2/s"},
                                         {"v_rate", "m/s^2"},
                                         {"w_rate", "rad/s^2"}}};

bool is_axis(char c) { return c == 'x' || c == 'y' || c == 'z'; }

std::string of_coordinate(std::string_view name) {
  std::string kind(name);
  if (kind.ends_with("_rate")) kind.erase(kind.size() - 5);
  const bool rate = kind.size() < name.size();
  if (kind.empty() || kind.size() > 2 || !is_axis(kind.back())) return {};
  kind.pop_back();
  if (rate) kind += "_rate";
  const auto found = std::ranges::find(of_bodies, kind, &Rule::first);
  return found == of_bodies.end() ? "" : found->second;
}

/// Multipliers of joints: forces at origins and along axes, couples of directions ("xz") and of driven angles.
std::string of_multiplier(std::string_view name) {
  if (name == "angle") return "N*m";
  if (name == "length" || name == "position" || (name.size() == 1 && is_axis(name[0]))) return "N";
  if (name.size() == 2 && is_axis(name[0]) && is_axis(name[1])) return "N*m";
  return {};
}

template <class Parts>
const auto* find(const Parts& parts, std::string_view name) {
  const auto found = std::ranges::find_if(parts, [name](const auto& part) { return part.name == name; });
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace

std::string channel_unit(const Mechanism& mechanism, std::string_view channel) {
  const auto dot = channel.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view part = channel.substr(0, dot);
  std::string_view rest = channel.substr(dot + 1);
  if (find(mechanism.joints, part) != nullptr)
    if (const std::string unit = of_multiplier(rest); !unit.empty()) return unit;
  if (find(mechanism.bodies, part) != nullptr && rest != "strain_energy") {
    const auto node = rest.rfind('.');
    if (node == std::string_view::npos) return of_coordinate(rest);
    rest = rest.substr(node + 1);  // of a node: x, ux
    return rest.size() <= 2 && is_axis(rest.back()) ? "m" : "";
  }
  if (find(mechanism.couplings, part) != nullptr && rest.starts_with("along_")) return "N";
  for (const auto& [name, unit] : anywhere) {
    const bool open = name.ends_with('.') || name == "state";
    if (open ? rest.starts_with(name) && rest.size() <= name.size() + 2 : rest == name) return unit;
  }
  return {};
}

}  // namespace rubato::multibody
