#include "rubato/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace rubato::detail {

void assertion_failed(const char* condition, const char* message, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: rubato: %s (%s does not hold)\n", file, line, message, condition);
  std::abort();
}

}  // namespace rubato::detail
