#pragma once
/// A problem of the catalogue that the test expects to be there.
#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"

namespace rubato::catalogue {

inline Instance built(std::string_view name, const Parameters& parameters = {}, std::string_view formulation = {}) {
  auto instance = make_problem(name, parameters, formulation);
  EXPECT_TRUE(instance.ok()) << (instance ? "" : instance.error().message);
  return *std::move(instance);
}

}  // namespace rubato::catalogue
