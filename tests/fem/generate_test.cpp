// Generated meshes: counts, sizes against formulas, groups, orientation, closed boundaries, refusals.
#include "rubato/fem/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mesh_measure.hpp"
#include "support/numbers.hpp"

namespace rubato::fem {
namespace {

Mesh made(Result<Mesh> result) {
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? std::move(*result) : Mesh{};
}

void refused(const Result<Mesh>& result, std::string_view word) {
  ASSERT_FALSE(result.ok()) << word;
  EXPECT_NE(result.error().message.find(word), std::string::npos) << word << " not in: " << result.error().message;
}

std::size_t count(const Mesh& mesh, std::string_view group) {
  const MeshGroup* found = mesh.find_group(group);
  return found == nullptr ? 0 : found->elements.size();
}

/// The named sides are the whole boundary: as many facets as `add_boundary` finds, the same area, ∫ x·n = d · volume.
void expect_closed(Mesh mesh, std::initializer_list<std::string_view> sides, double volume) {
  Measure all;
  std::size_t facets = 0;
  for (const auto name : sides) {
    const Measure one = measure(mesh, name);
    EXPECT_GT(one.size, 0) << name;
    all.size += one.size;
    all.flux += one.flux;
    for (int k = 0; k < 3; ++k) all.normal[k] += one.normal[k];
    facets += count(mesh, name);
  }
  add_boundary(mesh, "whole boundary");
  EXPECT_EQ(facets, count(mesh, "whole boundary"));
  EXPECT_NEAR(all.size, measure(mesh, "whole boundary").size, 1e-12 * all.size);
  EXPECT_NEAR(all.flux, mesh.dimension * volume, 1e-11 * mesh.dimension * volume);
  for (const double n : all.normal) EXPECT_NEAR(n, 0, 1e-11 * all.size);
}

TEST(Block, HasTheNodesAndElementsOfItsShape) {
  const auto shape = [](Shape s) { return made(block({.shape = s, .divisions = {3, 2, 4}})); };
  EXPECT_EQ(shape(Shape::quad4).n_nodes(), 4 * 3);
  EXPECT_EQ(shape(Shape::quad9).n_nodes(), 7 * 5);
  EXPECT_EQ(shape(Shape::quad8).n_nodes(), 7 * 5 - 6);
  EXPECT_EQ(shape(Shape::tri3).n_nodes(), 4 * 3);
  EXPECT_EQ(shape(Shape::tri6).n_nodes(), 7 * 5);
  EXPECT_EQ(shape(Shape::hex8).n_nodes(), 4 * 3 * 5);
  EXPECT_EQ(shape(Shape::hex27).n_nodes(), 7 * 5 * 9);
  // hex20: corners and edges: 60 + edges 3·3·5 + 4·2·5 + 4·3·4
  EXPECT_EQ(shape(Shape::hex20).n_nodes(), 60 + 45 + 40 + 48);
  EXPECT_EQ(shape(Shape::tet4).n_nodes(), 60);
  EXPECT_EQ(shape(Shape::tet10).n_nodes(), 7 * 5 * 9);  // Kuhn's tetrahedra have an edge along every diagonal used
  EXPECT_EQ(count(shape(Shape::tri6), "body"), 12U);
  EXPECT_EQ(count(shape(Shape::hex20), "body"), 24U);
  EXPECT_EQ(count(shape(Shape::tet10), "body"), 144U);
}

TEST(Block, FillsTheBoxAndNamesItsSides) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension < 2) continue;
    for (const double distortion : {0.0, 0.2}) {
      const Mesh mesh = made(block({.shape = s.id,
                                    .divisions = {3, 2, 4},
                                    .low = {-1, 0, 2},
                                    .high = {1, 3, 4},
                                    .group = "rubber",
                                    .distortion = distortion}));
      const double volume = s.dimension == 2 ? 6 : 12;
      EXPECT_NEAR(measure(mesh, "rubber").size, volume, 1e-12) << s.name;
      if (s.dimension == 2)
        expect_closed(mesh, {"left", "right", "bottom", "top"}, volume);
      else
        expect_closed(mesh, {"left", "right", "bottom", "top", "back", "front"}, volume);
      const auto along = [&](std::string_view side, int axis, double value) {
        for (const int node : mesh.nodes_of(*mesh.find_group(side))) EXPECT_EQ(mesh.point(node)[axis], value) << side;
      };
      along("left", 0, -1), along("right", 0, 1), along("bottom", 1, 0), along("top", 1, 3);
      if (s.dimension == 3) along("back", 2, 2), along("front", 2, 4);
    }
  }
}

/// Distorted inside: no inner corner stays, the boundary does, middle nodes stay between the ends of their edges; the
/// same again.
TEST(Block, IsDistortedInsideOnlyAndAlwaysTheSame) {
  for (const Shape shape : {Shape::quad8, Shape::tri6, Shape::tet10, Shape::hex20, Shape::hex27, Shape::quad9}) {
    const Block plain{.shape = shape, .divisions = {3, 3, 3}};
    Block bent = plain;
    bent.distortion = 0.25;
    const Mesh a = made(block(plain)), b = made(block(bent));
    EXPECT_EQ(b.points, made(block(bent)).points);
    Mesh with_skin = a;
    add_boundary(with_skin, "skin");
    const auto skin = with_skin.nodes_of(*with_skin.find_group("skin"));
    const ShapeInfo& s = info(shape);
    std::set<int> corners;
    for (const int e : a.find_group("body")->elements)
      corners.insert(a.element(e).begin(), a.element(e).begin() + s.corners);
    for (int node = 0; node < a.n_nodes(); ++node) {
      double moved = 0;
      for (int k = 0; k < a.dimension; ++k) moved = std::max(moved, std::abs(a.point(node)[k] - b.point(node)[k]));
      if (std::binary_search(skin.begin(), skin.end(), node)) {
        EXPECT_LT(moved, 1e-15);
      } else if (corners.contains(node)) {
        EXPECT_GT(moved, 1e-6);
      }
    }
    for (int e = 0; e < b.n_elements(); ++e) {
      if (b.shapes[e] != shape) continue;
      for (int m = s.corners; m < s.nodes; ++m) {
        const ShapeValues v = evaluate(s.linear, reference_nodes(shape)[m]);
        for (int k = 0; k < s.dimension; ++k) {
          double straight = 0;
          for (int c = 0; c < s.corners; ++c) straight += v.n[c] * b.point(b.element(e)[c])[k];
          EXPECT_NEAR(b.point(b.element(e)[m])[k], straight, 1e-15);
        }
      }
    }
  }
}

/// A quarter of a ring: middle nodes follow the map unless edges shall be straight.
TEST(Block, FollowsItsMap) {
  const auto bend = [](const Place& x) {
    return Place{(1 + x[0]) * std::cos(pi / 2 * x[1]), (1 + x[0]) * std::sin(pi / 2 * x[1]), 0};
  };
  const double area = pi / 4 * 3;
  const Mesh curved = made(block({.shape = Shape::quad9, .divisions = {2, 8, 1}, .map = bend}));
  const Mesh straight = made(block({.shape = Shape::quad9, .divisions = {2, 8, 1}, .map = bend, .straight = true}));
  EXPECT_NEAR(measure(curved, "body").size, area, 1e-5 * area);
  const double polygon = 8 * 0.5 * std::sin(pi / 16) * 3;
  EXPECT_NEAR(measure(straight, "body").size, polygon, 1e-13);
  for (const int node : curved.nodes_of(*curved.find_group("right")))
    EXPECT_NEAR(std::hypot(curved.point(node)[0], curved.point(node)[1]), 2, 1e-15);
}

TEST(Block, RefusesWhatItCannotMake) {
  refused(block({.shape = Shape::line2}), "allowed: tri3, tri6, quad4, quad8, quad9");
  refused(block({.divisions = {0, 1, 1}}), "0 divisions along axis 1");
  refused(block({.divisions = {100000, 100000, 1}}), "more than");
  refused(block({.low = {1, 0, 0}}), "from 1 to 1 along axis 1");
  refused(block({.group = ""}), "no name");
  refused(block({.distortion = 0.5}), "distortion 0.5 is outside [0, 0.3]");
  refused(block({.map = [](const Place& x) { return Place{x[1], x[0], 0}; }}), "inside out");
}

/// T5 of the hyperelastic document: 8 layers of quad9, 48 around: 17 × 96 nodes; T10: 12 layers of quad4: 1248
/// unknowns.
TEST(Ring, MakesTheBushingsOfTheDocument) {
  const Mesh t5 = made(ring({.shape = Shape::quad9,
                             .inner_radius = 8,
                             .layers = {{10, 1, "inner_ring"}, {25, 5, "rubber"}, {27, 2, "outer_ring"}},
                             .around = 48}));
  EXPECT_EQ(t5.n_nodes(), 1632);
  EXPECT_EQ(count(t5, "inner_ring"), 48U);
  EXPECT_EQ(count(t5, "rubber"), 240U);
  EXPECT_EQ(count(t5, "outer_ring"), 96U);
  EXPECT_EQ(count(t5, "inner"), 48U);
  EXPECT_NEAR(measure(t5, "rubber").size, pi * (625 - 100), 1e-5 * 1650);
  EXPECT_NEAR(measure(t5, "inner").size, 2 * pi * 8, 1e-4);
  EXPECT_LT(measure(t5, "inner").flux, 0);  // the normal points to the axis, out of the body
  const Mesh t10 = made(ring({.shape = Shape::quad4,
                              .inner_radius = 8,
                              .layers = {{10, 2, "steel"}, {25, 8, "rubber"}, {27, 2, "steel"}},
                              .around = 48}));
  EXPECT_EQ(2 * t10.n_nodes(), 1248);
  EXPECT_EQ(count(t10, "steel"), 192U);  // layers of one name are one group
}

TEST(Ring, IsClosedInEveryShape) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension != 2) continue;
    const Mesh mesh = made(ring({.shape = s.id, .inner_radius = 1, .layers = {{2, 2, "a"}, {3, 3, "b"}}, .around = 7}));
    expect_closed(mesh, {"inner", "outer"}, measure(mesh, "a").size + measure(mesh, "b").size);
    for (const int node : mesh.nodes_of(*mesh.find_group("outer")))
      EXPECT_NEAR(std::hypot(mesh.point(node)[0], mesh.point(node)[1]), 3, 1e-14);
  }
}

TEST(Ring, RefusesWhatItCannotMake) {
  refused(ring({.layers = {}}), "no layers");
  refused(ring({.inner_radius = 0, .layers = {{1, 1, "a"}}}), "inner radius 0");
  refused(ring({.inner_radius = 1, .layers = {{2, 1, "a"}, {2, 1, "b"}}}),
          "layer 2 ('b') ends at radius 2 and begins at 2");
  refused(ring({.layers = {{2, 0, "a"}}}), "layer 1 ('a') has 0 divisions");
  refused(ring({.layers = {{2, 1, ""}}}), "layer 1 has no group name");
  refused(ring({.layers = {{2, 1, "a"}}, .around = 2}), "2 divisions around");
  refused(ring({.shape = Shape::hex8, .layers = {{2, 1, "a"}}}), "shape hex8 has dimension 3");
}

TEST(HollowCylinder, HasItsVolumeAndSides) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension != 3) continue;
    const Mesh mesh = made(hollow_cylinder(
        {.shape = s.id, .inner_radius = 1, .layers = {{2, 2, "rubber"}}, .around = 16, .length = 3, .along = 2}));
    const double volume = measure(mesh, "rubber").size, exact = pi * 3 * 3;
    EXPECT_NEAR(volume, exact, (s.degree == 2 ? 1e-3 : 0.03) * exact) << s.name;
    expect_closed(mesh, {"inner", "outer", "back", "front"}, volume);
    for (const int node : mesh.nodes_of(*mesh.find_group("back"))) EXPECT_EQ(mesh.point(node)[2], -1.5);
  }
  refused(hollow_cylinder({.layers = {{2, 1, "a"}}, .length = -1}), "length -1");
  refused(hollow_cylinder({.layers = {{2, 1, "a"}}, .along = 0}), "0 divisions along axis 3");
}

TEST(BushingWithStops, HasTheSizesPromised) {
  const Mesh large = made(bushing({}));
  EXPECT_EQ(count(large, "rubber"), 29568U);
  EXPECT_EQ(3 * large.n_nodes(), 106692);
  const Mesh small = made(bushing({.element_size = 0.003}));
  EXPECT_EQ(3 * small.n_nodes(), 9828);
}

TEST(BushingWithStops, HasTwoVoidsWithNamedWalls) {
  for (const Shape shape : {Shape::hex8, Shape::hex20, Shape::tet4, Shape::tet10}) {
    const Bushing options{.shape = shape, .element_size = 0.003};
    const Mesh mesh = made(bushing(options));
    const double volume = measure(mesh, "rubber").size;
    expect_closed(mesh, {"inner", "outer", "stop_inner", "stop_outer", "void_ends", "back", "front"}, volume);
    // A thirty-sixth of the circle is an element: voids of 10 of them.
    const double exact = pi * (625e-6 - 100e-6) * 0.04 - 2 * 10.0 / 36 * pi * (400e-6 - 225e-6) * 0.04;
    EXPECT_NEAR(volume, exact, 0.01 * exact);
    bool left = false, right = false;
    for (const auto& [name, radius] : {std::pair{"stop_inner", 0.015}, std::pair{"stop_outer", 0.020}})
      for (const int node : mesh.nodes_of(*mesh.find_group(name))) {
        const auto x = mesh.point(node);
        EXPECT_NEAR(std::hypot(x[0], x[1]), radius, 1e-12);
        EXPECT_LE(std::abs(std::atan(x[1] / x[0])), 0.5 * options.void_angle + 0.01);
        (x[0] < 0 ? left : right) = true;
      }
    EXPECT_TRUE(left && right);
    // Walls face each other: the inner one's normal points away from the axis, into the void.
    EXPECT_GT(measure(mesh, "stop_inner").flux, 0);
    EXPECT_LT(measure(mesh, "stop_outer").flux, 0);
  }
  refused(bushing({.void_angle = 4}), "each void spans 4 rad");
  refused(bushing({.element_size = 0}), "element size 0");
  refused(bushing({.void_inner_radius = 0.03}), "radii must rise");
  refused(bushing({.element_size = 1e-5}), "more than");
}

TEST(CookMembrane, IsTheTrapezoid) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension != 2) continue;
    const Mesh mesh = made(cook_membrane(s.id, 4));
    EXPECT_NEAR(measure(mesh, "body").size, 48 * (44 + 16) / 2.0, 1e-10);
    EXPECT_NEAR(measure(mesh, "right").size, 16, 1e-12);
    EXPECT_NEAR(measure(mesh, "left").size, 44, 1e-12);
    const auto corner = mesh.point(mesh.nodes_of(*mesh.find_group("corner"))[0]);
    EXPECT_NEAR(corner[1], 60, 1e-12);
    const auto middle = mesh.point(mesh.nodes_of(*mesh.find_group("middle"))[0]);
    EXPECT_NEAR(middle[0], 48, 1e-12);
    EXPECT_NEAR(middle[1], 52, 1e-12);
  }
  EXPECT_EQ(made(cook_membrane(Shape::quad4, 3)).find_group("middle"), nullptr);
  EXPECT_NE(made(cook_membrane(Shape::quad9, 3)).find_group("middle"), nullptr);
  refused(cook_membrane(Shape::hex8, 3), "dimension 3");
  refused(cook_membrane(Shape::quad4, 0), "0 divisions");
}

TEST(TruckPlatform, IsTheStripOfTheDocument) {
  const Mesh mesh = made(truck_platform());
  EXPECT_EQ(mesh.n_nodes(), 329);
  EXPECT_EQ(count(mesh, "body"), 138U);
  const auto fixed = mesh.point(mesh.nodes_of(*mesh.find_group("support_fixed"))[0]);
  const auto moved = mesh.point(mesh.nodes_of(*mesh.find_group("support_moved"))[0]);
  EXPECT_NEAR(fixed[0], 1.0434783, 1e-7);
  EXPECT_NEAR(moved[0], 4.9565217, 1e-7);
  EXPECT_EQ(fixed[1], 0);
  EXPECT_EQ(count(mesh, "load"), 7U);
  EXPECT_NEAR(measure(mesh, "load").size, 7 * 6.0 / 23, 1e-13);
}

TEST(NodeAt, NamesTheNearestWhereThereIsNone) {
  const Mesh mesh = made(block({.divisions = {2, 2, 1}}));
  EXPECT_EQ(*node_at(mesh, {0.5, 0.5, 0}), 4);
  const auto none = node_at(mesh, {0.6, 0.5, 0});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "mesh: no node at (0.6, 0.5); the nearest, 5, is at (0.5, 0.5)");
  EXPECT_FALSE(node_at(Mesh{}, {0, 0, 0}).ok());
}

}  // namespace
}  // namespace rubato::fem
