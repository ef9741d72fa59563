#pragma once
/// Reference problems of the literature: one file each, with equations as templates over the scalar, source, reference
/// values, invariants and the measure behind "digits".
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rubato/base/result.hpp"
#include "rubato/problem/consistent.hpp"
#include "rubato/problem/formulation.hpp"
#include "rubato/problem/initial_value_problem.hpp"

namespace rubato::catalogue {

struct Parameter {
  std::string name;
  double default_value = 0;
  std::string unit = {};
  std::string help = {};
  double min = -1e300, max = 1e300;  ///< allowed range, bounds included
  bool integer = false;              ///< a count or a choice: fractions are refused
};

/// Values by name; what is not given has its default.
using Parameters = std::map<std::string, double, std::less<>>;

/// Reference values at one time: names of components (of the layout, or of mechanical blocks "q[0]") and values.
struct Reference {
  double t = 0;
  std::vector<std::string> components = {};
  std::vector<double> values = {};
  double accuracy = 0;      ///< relative accuracy of the values themselves
  std::string origin = {};  ///< "published", "recomputed", "exact" …
};

/// digits = −log10( max_i |x_i − ref_i| / (atol + rtol |ref_i|) ) at the reference time, over the reference components.
struct Measure {
  double atol = 0;
  double rtol = 1;
  std::string definition = {};  ///< in words, for people who compare with other codes
  /// The absolute tolerance of comparisons is this times the relative one: small where solutions are.
  double atol_per_rtol = 1;
};

/// A problem with its parameters and formulation chosen: ready to run.
struct Instance {
  InitialValueProblem problem;
  std::shared_ptr<const MechanicalSystem> system = {};  ///< null for plain Daes
  std::string formulation = {};                         ///< empty where there is only one
  /// Reference values for these parameters at the end time, where known.
  std::optional<Reference> reference = {};
  Measure measure = {};
  double suggested_initial_step = 0;
};

struct Entry {
  std::string name;    ///< "stiff-spring-pendulum"
  std::string title;   ///< one line
  std::string source;  ///< author, year, DOI or test set
  std::vector<Parameter> parameters = {};
  /// Mechanical systems: names of formulation.hpp that make sense. Others: their own names of their forms, empty for only one.
  std::vector<std::string> formulations = {};
  std::string default_formulation = {};
  double t_end = 1;
  bool large = false;  ///< thousands of unknowns: whoever walks over all problems may leave it out
  /// `formulation` is empty for the default. Parameters are complete and within range when this is called.
  Result<Instance> (*make)(const Parameters& parameters, std::string_view formulation) = nullptr;
};

[[nodiscard]] std::span<const Entry> problems();
[[nodiscard]] std::vector<std::string> problem_names();
/// The error names the nearest known problem.
[[nodiscard]] Result<const Entry*> problem_by_name(std::string_view name);
/// Checks names and ranges, fills in defaults, chooses the formulation: one of the entry's, or one of them with other
/// kinetics ("ggl+a": accelerations as unknowns, a constant B).
[[nodiscard]] Result<Instance> make_problem(std::string_view name, const Parameters& parameters = {},
                                            std::string_view formulation = {});
/// Digits reached by a state of the instance's Dae at the reference time; nothing without a reference.
[[nodiscard]] std::optional<double> digits(const Instance& instance, In x);

}  // namespace rubato::catalogue
