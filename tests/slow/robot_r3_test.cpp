// The Manutec r3 runs to its reference values in all forms, and so do the small models for real time.
#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"

namespace rubato {
namespace {

/// Digits of Radau IIA at rtol = atol = 1e-9.
double digits_of(std::string_view name, const catalogue::Parameters& parameters, std::string_view form) {
  const auto instance = catalogue::make_problem(name, parameters, form);
  EXPECT_TRUE(instance.ok()) << (instance ? "" : instance.error().message);
  if (!instance) return 0;
  IntegrateOptions options;
  options.tolerances = {.rtol = 1e-9, .atol = 1e-9};
  const auto run = integrate(instance->problem, "radau", options);
  EXPECT_TRUE(run.ok() && completed(run->status)) << name;
  return run.ok() ? catalogue::digits(*instance, view(run->x)).value_or(0) : 0;
}

// The references were computed at 1e-12; those of the specification agree with them in all eight digits printed.
TEST(RobotR3, ReachesItsReferenceValuesInAllForms) {
  for (const char* form : {"ode", "dae-117", "dae-354"})
    for (const double t_end : {0.1, 0.54, 1.0, 1.3})
      for (const double hold : {0.0, 1.0})
        EXPECT_GT(digits_of("robot-r3", {{"hold", hold}, {"t_end", t_end}}, form), 8)
            << form << " t = " << t_end << " hold " << hold;
}

TEST(RobotR336, ReachesItsReferenceValuesInAllForms) {
  for (const char* form : {"ode", "dae-69", "dae-306"})
    for (const double t_end : {0.2, 0.5, 1.0, 1.3, 1.8})
      EXPECT_GT(digits_of("robot-r3-36", {{"t_end", t_end}}, form), 8) << form << " t = " << t_end;
}

TEST(RealTimeModels, ReachTheirReferenceValues) {
  for (const char* name : {"drive-train", "hydraulic-orifices", "hydraulic-gearbox", "rc-ladder"})
    EXPECT_GT(digits_of(name, {}, ""), 7) << name;
}

}  // namespace
}  // namespace rubato
