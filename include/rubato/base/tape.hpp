#pragma once
/// Reverse-mode automatic differentiation: weighted sums of gradients, Jᵀw, for a few times the price of the function.
///
/// A function run over `Taped<S>` leaves on the tape, for every intermediate y = f(x₁, x₂), the edges
///   dy = f_x₁ dx₁ + f_x₂ dx₂.                                                                                     (1)
/// They are read from the last to the first: x̄ᵢ += f_xᵢ ȳ, where z̄ is the derivative of the weighted sum by z.       (2)
/// Over S = Dual8 the result carries its own derivatives.
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "rubato/base/elementary.hpp"
#include "rubato/base/scratch.hpp"

namespace rubato {

template <class S>
class Tape {
 public:
  /// Room for so many edges, of memory that outlives the tape.
  Tape(Scratch& scratch, std::size_t capacity) noexcept
      : edges_(scratch.reserve<Edge>(capacity)), capacity_(capacity) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  /// What a tape of that capacity takes, and the adjoints of all its intermediates over n variables with it.
  [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t capacity, std::size_t n) noexcept {
    return Scratch::bytes_for<Edge>(capacity) + Scratch::bytes_for<S>(capacity + n);
  }

  [[nodiscard]] int node() noexcept { return n_nodes_++; }
  void edge(int to, int from, const S& slope, bool plain) noexcept {
    if (n_edges_ < capacity_) std::construct_at(edges_ + n_edges_, slope, from, to, plain);
    ++n_edges_;
  }

  /// False: the function was longer than the tape, which is of no use then.
  [[nodiscard]] bool complete() const noexcept { return n_edges_ <= capacity_; }
  [[nodiscard]] std::size_t n_nodes() const noexcept { return static_cast<std::size_t>(n_nodes_); }

  /// (2) for all nodes: `adjoint` holds the weights of the results at first, in the end x̄ of the variables.
  void pull_back(std::span<S> adjoint) const noexcept {
    for (const Edge* e = edges_ + n_edges_; e-- != edges_;) {
      S& to = adjoint[static_cast<std::size_t>(e->from)];
      const S& from = adjoint[static_cast<std::size_t>(e->to)];
      if (e->plain)
        to += value_of(e->slope) * from;
      else
        to += e->slope * from;
    }
  }

 private:
  struct Edge {
    S slope;
    int from, to;
    bool plain;  ///< the slope is a mere number
    Edge(const S& s, int f, int t, bool p) : slope(s), from(f), to(t), plain(p) {}
  };
  Edge* edges_;
  std::size_t capacity_, n_edges_ = 0;
  int n_nodes_ = 0;
};

/// A number that writes its history on a tape; without a tape a constant.
template <class S>
struct Taped {
  using Inner = S;
  S value{};
  Tape<S>* tape = nullptr;
  int node = 0;

  Taped() = default;
  Taped(const S& constant) : value(constant) {}
  template <class A>
  requires(std::is_arithmetic_v<A> && !std::is_same_v<A, S>) Taped(A constant) : value(static_cast<double>(constant)) {}
  /// A variable, or the result of an operation whose edges follow.
  Taped(const S& v, Tape<S>& t) : value(v), tape(&t), node(t.node()) {}

  Taped& operator+=(const Taped& o) { return *this = *this + o; }
  Taped& operator-=(const Taped& o) { return *this = *this - o; }
  Taped& operator*=(const Taped& o) { return *this = *this * o; }
  Taped& operator/=(const Taped& o) { return *this = *this / o; }

  friend Taped operator+(const Taped& a, const Taped& b) {
    const S sum = a.value + b.value;
    if (!b.tape) return a.moved_to(sum);
    return a.tape ? linear(a, b, sum, 1.0) : b.moved_to(sum);
  }
  friend Taped operator-(const Taped& a, const Taped& b) {
    const S difference = a.value - b.value;
    if (!b.tape) return a.moved_to(difference);
    return a.tape ? linear(a, b, difference, -1.0) : b.scaled(difference, -1.0);
  }
  friend Taped operator+(const Taped& a, double c) { return a.moved_to(a.value + c); }
  friend Taped operator+(double c, const Taped& a) { return a.moved_to(c + a.value); }
  friend Taped operator-(const Taped& a, double c) { return a.moved_to(a.value - c); }
  friend Taped operator-(double c, const Taped& a) { return a.scaled(c - a.value, -1.0); }
  friend Taped operator-(const Taped& a) { return a.scaled(-a.value, -1.0); }
  friend Taped operator+(const Taped& a) { return a; }
  friend Taped operator*(const Taped& a, const Taped& b) { return chain(a, b, a.value * b.value, b.value, a.value); }
  friend Taped operator*(const Taped& a, double c) { return a.scaled(a.value * c, c); }
  friend Taped operator*(double c, const Taped& a) { return a.scaled(c * a.value, c); }
  friend Taped operator/(const Taped& a, const Taped& b) {
    const S inverse = 1.0 / b.value, f = a.value * inverse;
    return chain(a, b, f, inverse, -f * inverse);
  }
  friend Taped operator/(const Taped& a, double c) { return a.scaled(a.value / c, 1.0 / c); }
  friend Taped operator/(double c, const Taped& b) {
    const S inverse = 1.0 / b.value, f = c * inverse;
    return chain(b, f, -f * inverse);
  }
  friend bool operator==(const Taped& a, const Taped& b) { return a.value == b.value; }
  friend auto operator<=>(const Taped& a, const Taped& b) { return a.value <=> b.value; }

  friend Taped chain(const Taped& x, const S& f, const S& fx) {
    if (!x.tape) return Taped(f);
    Taped r(f, *x.tape);
    x.tape->edge(r.node, x.node, fx, false);
    return r;
  }
  friend Taped chain(const Taped& x, const Taped& y, const S& f, const S& fx, const S& fy) {
    if (!y.tape) return chain(x, f, fx);
    if (!x.tape) return chain(y, f, fy);
    Taped r(f, *x.tape);
    x.tape->edge(r.node, x.node, fx, false);
    x.tape->edge(r.node, y.node, fy, false);
    return r;
  }

 private:
  /// Plus a constant: another value, the same derivatives.
  [[nodiscard]] Taped moved_to(const S& v) const {
    Taped r = *this;
    r.value = v;
    return r;
  }
  [[nodiscard]] Taped scaled(const S& v, double slope) const {
    if (!tape) return Taped(v);
    Taped r(v, *tape);
    tape->edge(r.node, node, S(slope), true);
    return r;
  }
  /// v = a + slope·b
  [[nodiscard]] static Taped linear(const Taped& a, const Taped& b, const S& v, double slope) {
    Taped r(v, *a.tape);
    a.tape->edge(r.node, a.node, S(1.0), true);
    a.tape->edge(r.node, b.node, S(slope), true);
    return r;
  }
};

}  // namespace rubato
