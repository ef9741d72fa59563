/// Where an expression of one variable has kinks and jumps, as far as its text tells.
///
/// The code runs over what is known of each value: a constant, a·x + b, or c + A sin(a·x + b). Comparisons, abs, sign, min, max,
/// if and step have their kinks where such a value changes its sign; what is of no such form is passed over.
#include <cmath>
#include <limits>
#include <numbers>

#include "rubato/base/expression.hpp"

namespace rubato {

namespace {

using Op = ExpressionOp;
constexpr double never = std::numeric_limits<double>::infinity();

/// offset + slope·x + amplitude·sin(frequency·x + phase), only one of slope and amplitude present.
struct KnownForm {
  bool known = true;
  double offset = 0, slope = 0, amplitude = 0, frequency = 0, phase = 0;
  [[nodiscard]] bool constant() const { return known && slope == 0 && amplitude == 0; }
  [[nodiscard]] bool linear() const { return known && amplitude == 0; }
};
constexpr KnownForm unknown{.known = false};

KnownForm scaled(KnownForm a, double factor) {
  a.offset *= factor;
  a.slope *= factor;
  a.amplitude *= factor;
  return a;
}

KnownForm sum(const KnownForm& a, const KnownForm& b, double factor) {
  KnownForm c = scaled(b, factor);
  if (!a.known || !b.known) return unknown;
  if (a.linear() && c.linear()) return {.offset = a.offset + c.offset, .slope = a.slope + c.slope};
  if (!a.constant() && !c.constant()) return unknown;
  KnownForm wave = a.constant() ? c : a;
  wave.offset = a.offset + c.offset;
  return wave;
}

KnownForm wave(const KnownForm& a, double phase) {
  if (!a.linear()) return unknown;
  if (a.constant()) return {.offset = std::sin(a.offset + phase)};
  return {.amplitude = 1, .frequency = a.slope, .phase = a.offset + phase};
}

/// The first of zero + n·distance after `after`.
double next_of_row(double zero, double distance, double after) {
  const double n = std::floor((after - zero) / distance);
  for (const double k : {n - 1, n, n + 1, n + 2})
    if (zero + k * distance > after) return zero + k * distance;
  return never;  // too close to each other for the digits there are
}

/// The first zero of g after x, a little later than its value: a jump there shall have happened for certain.
double next_zero(const KnownForm& g, double x) {
  if (!g.known || g.constant()) return never;
  const auto late = [](double zero) { return zero + std::numeric_limits<double>::epsilon() * std::abs(zero); };
  const double before = x - 4 * std::numeric_limits<double>::epsilon() * std::abs(x);
  if (g.linear()) {
    const double zero = late(-g.offset / g.slope);
    return zero > x ? zero : never;
  }
  const double sine = -g.offset / g.amplitude;
  if (!(std::abs(sine) <= 1)) return never;
  const double turn = 2 * std::numbers::pi / std::abs(g.frequency);
  double next = never;
  for (const double angle : {std::asin(sine), std::numbers::pi - std::asin(sine)}) {
    const double zero = (angle - g.phase) / g.frequency;
    double candidate = late(next_of_row(zero, turn, before));
    if (!(candidate > x)) candidate = late(next_of_row(zero, turn, candidate));
    if (candidate > x) next = std::min(next, candidate);
  }
  return next;
}

}  // namespace

double Expression::next_break(double x) const noexcept {
  std::array<KnownForm, max_stack> stack;
  int top = -1;
  double next = never;
  const auto kink_at = [&](const KnownForm& g) { next = std::min(next, next_zero(g, x)); };
  for (const Instruction& i : code_) {
    KnownForm& first = stack[static_cast<std::size_t>(std::max(top, 0))];
    switch (i.op) {
      case Op::constant: stack[static_cast<std::size_t>(++top)] = {.offset = i.value}; continue;
      case Op::variable:
        stack[static_cast<std::size_t>(++top)] = i.index == 0 ? KnownForm{.slope = 1} : unknown;
        continue;
      case Op::choose: {
        top -= 2;
        KnownForm& condition = stack[static_cast<std::size_t>(top)];
        kink_at(condition);
        condition = unknown;
        continue;
      }
      case Op::step: {
        top -= 4;
        const auto at = static_cast<std::size_t>(top);
        for (const std::size_t end : {at + 1, at + 3}) kink_at(sum(stack[at], stack[end], -1));
        stack[at] = unknown;
        continue;
      }
      case Op::negate: first = first.known ? scaled(first, -1) : unknown; continue;
      case Op::sin: first = wave(first, 0); continue;
      case Op::cos: first = wave(first, std::numbers::pi / 2); continue;
      case Op::abs:
      case Op::sign:
        kink_at(first);
        first = unknown;
        continue;
      default: break;
    }
    if (i.op < Op::add) {  // other functions of one value
      first = unknown;
      continue;
    }
    --top;
    KnownForm& a = stack[static_cast<std::size_t>(top)];
    const KnownForm b = stack[static_cast<std::size_t>(top + 1)];
    switch (i.op) {
      case Op::add: a = sum(a, b, 1); break;
      case Op::subtract: a = sum(a, b, -1); break;
      case Op::multiply:
        a = a.constant() && b.known ? scaled(b, a.offset) : b.constant() && a.known ? scaled(a, b.offset) : unknown;
        break;
      case Op::divide: a = b.constant() && a.known ? scaled(a, 1 / b.offset) : unknown; break;
      case Op::power:
      case Op::atan2: a = unknown; break;
      case Op::both:
      case Op::either:
        kink_at(a);
        kink_at(b);
        a = unknown;
        break;
      default:  // comparisons, min, max
        kink_at(sum(a, b, -1));
        a = unknown;
    }
  }
  return next;
}

}  // namespace rubato
