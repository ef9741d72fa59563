#pragma once
/// A function of one variable, as models take it: an expression or a table. Values and derivatives on every scalar.
#include <array>
#include <span>
#include <variant>

#include "rubato/base/curve.hpp"
#include "rubato/base/expression.hpp"

namespace rubato {

class Function {
 public:
  /// The constant 0.
  Function() = default;
  /// Of one variable at most.
  Function(Expression expression) : content_(std::move(expression)) {}
  Function(Curve curve) : content_(std::move(curve)) {}

  template <class S>
  [[nodiscard]] S operator()(const S& x) const noexcept {
    if (const auto* expression = std::get_if<Expression>(&content_))
      return expression->evaluate(std::span<const S>(&x, 1));
    return (*std::get_if<Curve>(&content_))(x);
  }

  /// The next x after the one given where the function has a kink that an integrator should step on; infinity: none known.
  [[nodiscard]] double next_break(double x) const noexcept {
    if (const auto* expression = std::get_if<Expression>(&content_)) return expression->next_break(x);
    return std::get_if<Curve>(&content_)->next_break(x);
  }

  [[nodiscard]] const Expression* expression() const noexcept { return std::get_if<Expression>(&content_); }
  [[nodiscard]] const Curve* curve() const noexcept { return std::get_if<Curve>(&content_); }

 private:
  std::variant<Expression, Curve> content_;
};

/// An expression in t.
[[nodiscard]] Result<Function> function_of_time(std::string_view expression);

/// f, f', f'', f''' at x.
[[nodiscard]] std::array<double, 4> derivatives(const Function& f, double x) noexcept;

}  // namespace rubato
