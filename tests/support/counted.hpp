#pragma once
/// A double that counts what is done with it: additions, multiplications, divisions, square roots of the calling thread.
#include <cmath>

#include "rubato/realtime/operation_count.hpp"

namespace rubato::test {

struct Counted {
  double value = 0;
  Counted() = default;
  explicit Counted(double v) : value(v) {}

  static realtime::OperationCount& count() {
    static thread_local realtime::OperationCount operations;
    return operations;
  }
  friend Counted operator+(Counted a, Counted b) { return ++count().additions, Counted(a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return ++count().additions, Counted(a.value - b.value); }
  friend Counted operator*(Counted a, Counted b) { return ++count().multiplications, Counted(a.value * b.value); }
  friend Counted operator/(Counted a, Counted b) { return ++count().divisions, Counted(a.value / b.value); }
  friend Counted sqrt(Counted a) { return ++count().square_roots, Counted(std::sqrt(a.value)); }
  friend Counted abs(Counted a) { return Counted(std::abs(a.value)); }
  friend Counted copysign(Counted a, Counted b) { return Counted(std::copysign(a.value, b.value)); }
  friend bool operator>(Counted a, Counted b) { return a.value > b.value; }
};

}  // namespace rubato::test
