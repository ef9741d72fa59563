#pragma once
/// What the files of the catalogue share: one function per problem, and the path every one of them takes to an Instance.
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "rubato/problem/template_dae.hpp"
#include "rubato/problem/template_mechanical.hpp"

namespace rubato::catalogue {

// One per problem; the list in catalogue.cpp names them all.
Entry andrews();
Entry beam();
Entry bushing();
Entry cam_impact();
Entry chain();
Entry double_pendulum();
Entry drive_train();
Entry elastic_double_pendulum();
Entry heavy_top();
Entry hydraulic_gearbox();
Entry hydraulic_orifices();
Entry linear_dae();
Entry lugre_oscillator();
Entry magnitude_counterexample();
Entry mass_spring_lattice();
Entry orifice();
Entry oscillator();
Entry overconstrained_loop();
Entry pendulum();
Entry prothero_robinson();
Entry prothero_robinson_2();
Entry quasi_linear();
Entry rc_ladder();
Entry reaction_diffusion();
Entry robertson();
Entry robertson_dae();
Entry robot_r3();
Entry robot_r3_36();
Entry rolling_disc();
Entry slider_crank();
Entry slider_crank_15();
Entry stiff_spring_pendulum();
Entry stiff_spring_pendulum_source();
Entry tabulated_force();
Entry truck_platform();
Entry van_der_pol();
Entry viscoelastic_plate();
Entry washing_machine();

/// The end of the interval, a parameter of every problem: references depend on it.
[[nodiscard]] inline Parameter end_time(double default_value, double max = 1e300) {
  return {.name = "t_end",
          .default_value = default_value,
          .unit = "s",
          .help = "end of the interval",
          .min = 0,
          .max = max};
}
/// A choice written as a number.
[[nodiscard]] inline Parameter flag(std::string name, double default_value, std::string help, double max = 1) {
  return {.name = std::move(name),
          .default_value = default_value,
          .help = std::move(help),
          .min = 0,
          .max = max,
          .integer = true};
}
/// A complete set of parameters has every name.
[[nodiscard]] inline double get(const Parameters& parameters, std::string_view name) {
  const auto it = parameters.find(name);
  RUBATO_ASSERT(it != parameters.end(), "a problem asks for a parameter it does not declare");
  return it->second;
}
/// Equal up to the digits somebody would type.
[[nodiscard]] inline bool same(double a, double b) {
  const double difference = a < b ? b - a : a - b;
  const double size = (a < 0 ? -a : a) + (b < 0 ? -b : b);
  return difference <= 1e-9 * size;
}

/// Names of a point mass in the plane with one constraint, as the sources write them.
[[nodiscard]] std::vector<std::string> point_names(std::string_view block);

/// What an entry says of the task besides equations and start.
struct Task {
  double t_end = 1;
  std::optional<Reference> reference = {};
  Measure measure = {};
  double initial_step = 0;
  std::shared_ptr<const InputSignal> input = {};
};

/// Start guess → consistent state → formulation → unknowns: every mechanical problem is built here. Constraint rows found
/// dependent at the start are dropped.
[[nodiscard]] Result<Instance> mechanical_instance(std::shared_ptr<const MechanicalSystem> system,
                                                   const MechanicalState& guess, std::string_view formulation,
                                                   Task task);

/// A plain Dae with its start values; `w` may be empty.
[[nodiscard]] Instance dae_instance(std::shared_ptr<const Dae> dae, Vector x, Task task);

[[nodiscard]] inline Vector vector(std::initializer_list<double> values) {
  Vector x(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double value : values) x[i++] = value;
  return x;
}

}  // namespace rubato::catalogue
