// Quadrature on the reference elements: Gauss-Legendre products, and symmetric rules with positive weights on simplices.
//
// Triangles: degree 2 (3 points) and 5 (7 points) by Radon, degree 4 and 6 by Dunavant, Int. J. Numer. Meth. Eng. 21 (1985) 1129,
// doi:10.1002/nme.1620210612. Tetrahedra: the products of Gauss-Jacobi rules collapsed onto the simplex (Stroud, 1971), which have
// positive weights for every degree; degree 2 the four points of Hammer and Stroud.
#include <cmath>

#include "rubato/base/assert.hpp"
#include "rubato/fem/shape.hpp"

namespace rubato::fem {
namespace {

struct Node {
  double x, weight;
};

/// n points on [−1, 1] for the weight (1 − x)^a: zeros of the Jacobi polynomial P_n^(a,0) by Newton's method, deflated.
std::vector<Node> gauss(int n, int a = 0) {
  const auto jacobi = [a](int m, double x) {  // P_m and P_m'
    double p0 = 1, p1 = 0.5 * ((a + 2) * x + a), d0 = 0, d1 = 0.5 * (a + 2);
    if (m == 0) return std::array{p0, d0};
    for (int k = 2; k <= m; ++k) {
      const double c1 = 2.0 * k * (k + a) * (2 * k + a - 2), c2 = (2 * k + a - 1.0) * a * a,
                   c3 = (2 * k + a - 2.0) * (2 * k + a - 1.0) * (2 * k + a),
                   c4 = 2.0 * (k + a - 1) * (k - 1) * (2 * k + a);
      const double p2 = ((c2 + c3 * x) * p1 - c4 * p0) / c1, d2 = ((c2 + c3 * x) * d1 + c3 * p1 - c4 * d0) / c1;
      p0 = p1, d0 = d1, p1 = p2, d1 = d2;
    }
    return std::array{p1, d1};
  };
  std::vector<Node> nodes;
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(M_PI * (i + 0.75) / (n + 0.5));
    for (int iteration = 0; iteration < 100; ++iteration) {
      const auto [p, d] = jacobi(n, x);
      double deflation = 0;
      for (const Node& known : nodes) deflation += 1 / (x - known.x);
      const double step = p / (d - p * deflation);
      x -= step;
      if (std::abs(step) < 1e-16) break;
    }
    const auto [p, d] = jacobi(n, x);
    // w = 2^(a+1) / ((1 − x²) P_n'(x)²)
    nodes.push_back({x, std::pow(2.0, a + 1) / ((1 - x * x) * d * d)});
  }
  return nodes;
}

std::vector<QuadraturePoint> products(int dimension, int n) {
  const auto line = gauss(n);
  std::vector<QuadraturePoint> points;
  for (int k = 0; k < (dimension > 2 ? n : 1); ++k)
    for (int j = 0; j < (dimension > 1 ? n : 1); ++j)
      for (int i = 0; i < n; ++i)
        points.push_back(
            {{line[i].x, dimension > 1 ? line[j].x : 0, dimension > 2 ? line[k].x : 0},
             line[i].weight * (dimension > 1 ? line[j].weight : 1) * (dimension > 2 ? line[k].weight : 1)});
  return points;
}

/// The three points with barycentric coordinates (1 − 2b, b, b), each of that weight.
void three(std::vector<QuadraturePoint>& points, double b, double weight) {
  points.push_back({{b, b, 0}, weight / 2});
  points.push_back({{1 - 2 * b, b, 0}, weight / 2});
  points.push_back({{b, 1 - 2 * b, 0}, weight / 2});
}

std::vector<QuadraturePoint> triangle(int degree) {
  std::vector<QuadraturePoint> points;
  if (degree <= 1) return {{{1.0 / 3, 1.0 / 3, 0}, 0.5}};
  if (degree == 2) {
    three(points, 1.0 / 6, 1.0 / 3);
  } else if (degree <= 4) {
    three(points, 0.445948490915965, 0.223381589678011);
    three(points, 0.091576213509771, 0.109951743655322);
  } else if (degree == 5) {
    const double root = std::sqrt(15.0);
    points.push_back({{1.0 / 3, 1.0 / 3, 0}, 9.0 / 80});
    three(points, (6 - root) / 21, (155 - root) / 1200);
    three(points, (6 + root) / 21, (155 + root) / 1200);
  } else {
    three(points, 0.249286745170910, 0.116786275726379);
    three(points, 0.063089014491502, 0.050844906370207);
    constexpr double a = 0.053145049844817, b = 0.310352451033784, c = 1 - a - b, w = 0.082851075618374 / 2;
    for (const auto& [x, y] : {std::array{a, b}, {b, a}, {a, c}, {c, a}, {b, c}, {c, b}})
      points.push_back({{x, y, 0}, w});
  }
  return points;
}

std::vector<QuadraturePoint> tetrahedron(int degree) {
  if (degree <= 1) return {{{0.25, 0.25, 0.25}, 1.0 / 6}};
  std::vector<QuadraturePoint> points;
  if (degree == 2) {
    const double b = (5 - std::sqrt(5.0)) / 20, a = 1 - 3 * b;
    for (const auto& xi : {std::array{b, b, b}, {a, b, b}, {b, a, b}, {b, b, a}}) points.push_back({xi, 1.0 / 24});
    return points;
  }
  // ξ = ½(1+r)(1−s')(1−t'), … with s' = ½(1+s), t' = ½(1+t): the weights (1 − s), (1 − t)² go into the rules.
  const int n = degree / 2 + 1;
  const auto r = gauss(n, 0), s = gauss(n, 1), t = gauss(n, 2);
  for (const Node& kt : t)
    for (const Node& ks : s)
      for (const Node& kr : r) {
        const double c = 0.5 * (1 + kt.x), b = 0.5 * (1 + ks.x) * (1 - c), a = 0.5 * (1 + kr.x) * (1 - b - c);
        points.push_back({{a, b, c}, kr.weight * ks.weight * kt.weight / 64});
      }
  return points;
}

}  // namespace

std::vector<QuadraturePoint> quadrature(Shape shape, int degree) {
  const ShapeInfo& s = info(shape);
  if (s.dimension == 0) return {{{0, 0, 0}, 1}};
  const bool simplex = s.dimension > 1 && s.corners == s.dimension + 1;
  RUBATO_ASSERT(degree <= (simplex ? 6 : 9), "no quadrature rule of that degree");
  if (!simplex) return products(s.dimension, degree / 2 + 1);
  return s.dimension == 2 ? triangle(degree) : tetrahedron(degree);
}

}  // namespace rubato::fem
