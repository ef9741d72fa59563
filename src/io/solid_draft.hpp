#pragma once
/// What the tables of a finite element model may say, as written.
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rubato/base/function.hpp"
#include "rubato/fem/generate.hpp"
#include "rubato/fem/solid.hpp"

namespace rubato::io {

using FunctionPointer = std::shared_ptr<const Function>;

/// A displacement along an axis: a function of time, or the text of one that depends on the place X, Y, Z, too.
struct AxisMotion {
  FunctionPointer everywhere = {};
  std::string by_place = {};
  std::string place = {}, path = {};  ///< of the text, for messages
  [[nodiscard]] bool given() const noexcept { return everywhere != nullptr || !by_place.empty(); }
};

enum class MassKind : std::uint8_t { consistent, lumped };
enum class StartKind : std::uint8_t { rest, equilibrium };

struct FemDraft {
  // [solid]
  fem::Analysis analysis = fem::Analysis::space;
  MassKind mass = MassKind::consistent;
  StartKind start = StartKind::rest;
  double thickness = 1, mass_damping = 0, stiffness_damping = 0;
  std::array<FunctionPointer, 3> gravity = {};
  int threads = 0;
  double rigid_stiffness = 0;
  // [mesh]
  std::string file = {}, unit = "m";
  fem::Shape shape = fem::Shape::quad9;
  fem::Block block = {};
  std::vector<double> divisions = {};
  fem::Ring ring = {};
  fem::HollowCylinder cylinder = {};
  fem::Bushing bushing = {};
  int cells = 8;
  std::vector<fem::RingLayer> layers = {};
  fem::RingLayer layer = {};
  // [[material]]
  double density = 0, young = 0, poisson = 0, shear = 0;
  std::array<std::array<double, 4>, 4> c = {};  ///< c_ij
  std::vector<double> mu = {}, alpha = {};
  double bulk = std::numeric_limits<double>::infinity(), beta = 9;
  fem::VolumetricLaw volumetric = fem::VolumetricLaw::quadratic;
  std::vector<fem::PronyTerm> prony = {};
  fem::PronyTerm term = {};
  // [[contact]], [[obstacle]]
  fem::Contact contact = {};
  fem::ContactLaw law = {};
  fem::Obstacle obstacle = {};
  // [[rigid]]
  std::array<AxisMotion, 3> rotation = {};
  std::array<FunctionPointer, 3> moment = {};
  double mass_added = 0;
  std::array<double, 3> inertia = {};
  // [[region]], [[prescribed]], [[traction]], [[force]], [[probe]]
  std::string group = {}, material = {};
  fem::PressureSpace pressure = fem::PressureSpace::none;
  std::array<AxisMotion, 3> displacement = {};
  bool fixed = false;
  std::array<FunctionPointer, 3> load = {};
  std::optional<std::array<double, 3>> at = {};
};

}  // namespace rubato::io
