// Reference elements: partition of unity, nodal values, derivatives, completeness; quadrature against exact integrals.
#include "rubato/fem/shape.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace rubato::fem {
namespace {

std::array<double, 3> inside(const ShapeInfo& s) {
  std::array<double, 3> xi{};
  const double some[3] = {0.21, 0.33, 0.17};
  for (int k = 0; k < s.dimension; ++k) xi[k] = some[k];
  return xi;
}

/// ∫ x^a y^b z^c over the reference element.
double exact(const ShapeInfo& s, int a, int b, int c) {
  const bool simplex = s.dimension > 1 && s.corners == s.dimension + 1;
  if (simplex)
    return std::tgamma(a + 1) * std::tgamma(b + 1) * std::tgamma(c + 1) / std::tgamma(a + b + c + s.dimension + 1);
  double product = 1;
  const int powers[3] = {a, b, c};
  for (int k = 0; k < s.dimension; ++k) product *= powers[k] % 2 == 1 ? 0.0 : 2.0 / (powers[k] + 1);
  return product;
}

TEST(Shapes, AreOneAtTheirNodeAndZeroAtTheOthers) {
  for (const ShapeInfo& s : shape_list())
    for (int b = 0; b < s.nodes; ++b) {
      const ShapeValues v = evaluate(s.id, reference_nodes(s.id)[b]);
      for (int a = 0; a < s.nodes; ++a) EXPECT_NEAR(v.n[a], a == b ? 1 : 0, 1e-14) << s.name << ' ' << a << ' ' << b;
    }
}

TEST(Shapes, DerivativesAgreeWithDifferences) {
  for (const ShapeInfo& s : shape_list())
    for (int k = 0; k < s.dimension; ++k) {
      auto less = inside(s), more = less;
      less[k] -= 1e-6;
      more[k] += 1e-6;
      const ShapeValues at = evaluate(s.id, inside(s)), low = evaluate(s.id, less), high = evaluate(s.id, more);
      for (int a = 0; a < s.nodes; ++a) EXPECT_NEAR(at.dn[a][k], (high.n[a] - low.n[a]) / 2e-6, 1e-9) << s.name;
    }
}

/// Polynomials up to the degree are interpolated exactly; constants are the partition of unity.
TEST(Shapes, ContainTheirCompletePolynomials) {
  for (const ShapeInfo& s : shape_list()) {
    const auto polynomial = [&](const std::array<double, 3>& x) {
      const double linear = 1 + 2 * x[0] - 3 * x[1] + 0.5 * x[2];
      return s.degree == 2 ? linear * linear : s.degree == 1 ? linear : 1;
    };
    const ShapeValues v = evaluate(s.id, inside(s));
    double sum = 0;
    for (int a = 0; a < s.nodes; ++a) sum += v.n[a] * polynomial(reference_nodes(s.id)[a]);
    EXPECT_NEAR(sum, polynomial(inside(s)), 1e-13) << s.name;
  }
}

TEST(Quadrature, IsExactUpToItsDegree) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension == 0) continue;
    const bool simplex = s.dimension > 1 && s.corners == s.dimension + 1;
    for (int degree = 1; degree <= (simplex ? 6 : 9); ++degree) {
      const auto rule = quadrature(s.id, degree);
      for (int a = 0; a <= degree; ++a)
        for (int b = 0; b <= (s.dimension > 1 ? degree : 0); ++b)
          for (int c = 0; c <= (s.dimension > 2 ? degree : 0); ++c) {
            if (simplex && a + b + c > degree) continue;
            double sum = 0;
            for (const auto& q : rule)
              sum += q.weight * std::pow(q.xi[0], a) * std::pow(q.xi[1], b) * std::pow(q.xi[2], c);
            EXPECT_NEAR(sum, exact(s, a, b, c), 2e-14) << s.name << " degree " << degree << ": " << a << b << c;
          }
      for (const auto& q : rule) EXPECT_GT(q.weight, 0);
    }
  }
}

/// The outward normals of the facets, weighted by area, add up to zero, and ∫ x·n = d · volume.
TEST(Facets, PointOutwardsAndCloseTheElement) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension < 2) continue;
    std::array<double, 3> closed{};
    double flux = 0;
    for (const Facet& facet : facets(s.id)) {
      ASSERT_EQ(static_cast<int>(facet.nodes.size()), info(facet.shape).nodes);
      for (const auto& q : quadrature(facet.shape, 3)) {
        const ShapeValues v = evaluate(facet.shape, q.xi);
        std::array<double, 3> x{}, t1{}, t2{};
        for (std::size_t a = 0; a < facet.nodes.size(); ++a)
          for (int k = 0; k < 3; ++k) {
            const double node = reference_nodes(s.id)[facet.nodes[a]][k];
            x[k] += v.n[a] * node;
            t1[k] += v.dn[a][0] * node;
            t2[k] += v.dn[a][1] * node;
          }
        if (s.dimension == 2) t2 = {0, 0, 1};
        const std::array<double, 3> n{t1[1] * t2[2] - t1[2] * t2[1], t1[2] * t2[0] - t1[0] * t2[2],
                                      t1[0] * t2[1] - t1[1] * t2[0]};
        for (int k = 0; k < 3; ++k) {
          closed[k] += q.weight * n[k];
          flux += q.weight * n[k] * x[k];
        }
      }
    }
    for (const double c : closed) EXPECT_NEAR(c, 0, 1e-14) << s.name;
    EXPECT_NEAR(flux, s.dimension * exact(s, 0, 0, 0), 1e-13) << s.name;
  }
}

}  // namespace
}  // namespace rubato::fem
