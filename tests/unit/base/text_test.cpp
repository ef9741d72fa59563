// Names that were nearly right are recognised; others are not guessed.
#include "rubato/base/text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rubato {
namespace {

const std::vector<std::string> methods{"ros3p", "ros3pl", "rodas4", "rodas4p"};

TEST(NearestName, FindsTheLikelySlipOfThePen) {
  EXPECT_EQ(nearest_name("ros3q", methods), "ros3p");
  EXPECT_EQ(nearest_name("RODAS4", methods), "rodas4");
  EXPECT_EQ(nearest_name("orsa4", methods), "");
  EXPECT_EQ(nearest_name("rodsa4p", methods), "rodas4p");
  EXPECT_EQ(nearest_name("radau5", methods), "");
}

TEST(UnknownName, NamesTheValueTheNearestAndAllKnown) {
  const std::string text = unknown_name("method", "ros3q", methods);
  EXPECT_NE(text.find("'ros3q'"), std::string::npos);
  EXPECT_NE(text.find("did you mean 'ros3p'"), std::string::npos);
  EXPECT_NE(text.find("rodas4p"), std::string::npos);
}

TEST(Shortest, ReadsBackAsTheSameDouble) {
  for (const double x : {0.1, 1.0 / 3.0, 6.02214076e23, -5e-324})
    EXPECT_EQ(std::strtod(shortest(x).c_str(), nullptr), x);
}

}  // namespace
}  // namespace rubato
