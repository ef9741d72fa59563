#include "rubato/base/function.hpp"

namespace rubato {

Result<Function> function_of_time(std::string_view expression) {
  const std::string variable = "t";
  auto parsed = Expression::parse(expression, std::span(&variable, 1));
  if (!parsed) return parsed.error();
  return Function(*std::move(parsed));
}

std::array<double, 4> derivatives(const Function& f, double x) noexcept {
  using One = Dual<double, 1>;
  using Two = Dual<One, 1>;
  using Three = Dual<Two, 1>;
  Three at{Two{One{x}}};
  at.d[0] = Two{One{1.0}};
  at.value.d[0] = One{1.0};
  at.value.value.d[0] = 1.0;
  const Three y = f(at);
  return {y.value.value.value, y.value.value.d[0], y.value.d[0].d[0], y.d[0].d[0].d[0]};
}

}  // namespace rubato
