#pragma once
/// Forces that act on one side only, over all scalars.
///
/// A step must see one smooth branch of them: stages beyond the place where two surfaces meet would otherwise mix both, and no
/// error estimate knows of it. So the discrete mode says which branch holds and events change it; within a mode the branch is
/// continued beyond its end. In mode 0 (static equilibria, single evaluations) the state decides.
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "motion.hpp"

namespace rubato::multibody::detail {

template <class S>
inline constexpr bool is_tracer = std::is_same_v<S, Tracer>;

/// x or zero. Patterns hold for both.
template <class S>
S where(bool acts, const S& x) {
  return acts ? x : S(0.0);
}
inline Tracer where(bool acts, const Tracer& x) { return {acts ? x.value : 0.0, x.set}; }

/// x^p for p ≥ 1, continued to x < 0 as an odd function, which grows there as well.
template <class S>
S odd_power(const S& x, double p) {
  if (p == 1) return x;
  const double size = std::abs(value_of(x)), slope = p == 1.5 ? std::sqrt(size) : std::pow(size, p - 1);
  return lifted(x, value_of(x) * slope, p * slope);
}

/// One bit of the mode. Bit 0 says that the others count.
struct Flag {
  static constexpr int first = 1, end = 31;
  int bit = 0;  ///< 0: none was left, the state decides
  [[nodiscard]] bool holds(int mode, bool now) const { return bit == 0 || mode == 0 ? now : ((mode >> bit) & 1) != 0; }
  [[nodiscard]] int set(bool holds) const { return bit != 0 && holds ? 1 << bit : 0; }
};

/// Where two surfaces touch, known by their penetration a and its rate. With a damper N = k a^p + c a' they may press no
/// longer though they still touch. Roots, besides the two places where this changes: a on the wrong side of its flag by
/// `slack`, which only a grazing contact reaches that turned back within the rounding of its event.
struct Touching {
  Flag closed = {}, pressing = {};
  bool damper = false;
  double slack = 1e-7;

  static constexpr std::size_t most_roots = 3;
  [[nodiscard]] std::size_t n_roots() const { return damper ? 3 : 2; }
  [[nodiscard]] bool closes(int mode, double a) const { return closed.holds(mode, a > 0); }
  [[nodiscard]] bool presses(int mode, double push) const { return !damper || pressing.holds(mode, push > 0); }
  [[nodiscard]] int bits(double a, double rate, double push) const {
    const bool touch = a > 0 || (a == 0 && rate >= 0);
    return closed.set(touch) | pressing.set(touch && push > 0);
  }
  void add_root_names(const std::string& name, std::vector<std::string>& names) const {
    names.push_back(name);
    names.push_back(name + ".side");
    if (damper) names.push_back(name + ".pressing");
  }
  void roots(int mode, double a, double push, std::span<double> out) const {
    out[0] = -a;
    out[1] = slack + (closes(mode, a) ? a : -a);
    if (damper) out[2] = closes(mode, a) ? push : 1;  // as continued: a step may pass N = 0 and a = 0 at once
  }
};

}  // namespace rubato::multibody::detail
