// Gᵀλ and its derivatives are the same whether the constraint fits on the tape or has to be differentiated by columns.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "models.hpp"

namespace rubato {
namespace {

/// The pendulum's constraint as the mean of `terms` equal ones: long, with the same derivatives.
struct LongPendulum : models::Pendulum {
  int terms = 1;
  template <class S>
  void constraint(const MechanicalPoint<S>& p, std::span<S> g) const {
    g[0] = S(0.0);
    for (int i = 0; i < terms; ++i) g[0] += (p.q[0] * p.q[0] + p.q[1] * p.q[1] - 1.0) / terms;
  }
};

TEST(Reaction, IsTheSameOnAndBeyondTheTape) {
  for (const int terms : {1, 4, 1024}) {
    LongPendulum model;
    model.terms = terms;
    const auto system = make_mechanical(model);
    ScratchMemory memory(system->scratch_bytes());
    std::array<Dual8, 2> q{0.6, -0.8}, v{0.0, 0.0};
    std::array<Dual8, 1> lambda{3.0};
    for (std::size_t i = 0; i < 2; ++i) q[i].d[i] = 1;
    lambda[0].d[2] = 1;
    std::array<Dual8, 2> out;
    MechanicalPoint<Dual8> p;
    p.q = q;
    p.v = v;
    p.lambda = lambda;
    p.scratch = memory.scratch();
    ASSERT_EQ(system->dual()->reaction(p, lambda, {}, out), EvalStatus::ok);
    const double rounding = 8 * terms * std::numeric_limits<double>::epsilon();  // of a sum of so many terms
    for (std::size_t i = 0; i < 2; ++i) {                                        // Gᵀλ = 2 λ q
      EXPECT_NEAR(out[i].value, 6 * q[i].value, rounding);
      for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(out[i].d[k], i == k ? 6 : 0, rounding);
      EXPECT_NEAR(out[i].d[2], 2 * q[i].value, rounding);
    }
  }
}

}  // namespace
}  // namespace rubato
