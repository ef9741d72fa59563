#include "experiments/tolerances/reasons.hpp"

namespace rubato::experiments::tolerances {

std::string reason_of(const Miss& miss) {
  switch (miss.excuse) {
    case Excuse::within_tolerance:
      return "within the tolerance";
    case Excuse::within_ten:
      return "within ten tolerances";
    case Excuse::chance:
      return "compared with chance";
    case Excuse::none:
      break;
  }
  return "?";
}

}  // namespace rubato::experiments::tolerances
