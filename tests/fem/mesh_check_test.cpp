// Every kind of bad mesh is refused with a sentence that names the element or node; the boundary closes the volume.
#include <gtest/gtest.h>

#include <limits>

#include "mesh_measure.hpp"
#include "rubato/fem/generate.hpp"

namespace rubato::fem {
namespace {

Mesh good(Shape shape = Shape::quad4) {
  auto made = block({.shape = shape, .divisions = {2, 2, 2}, .high = {2, 2, 2}});
  EXPECT_TRUE(made.ok());
  return *made;
}

/// The message holds all the words.
void refused(const Mesh& mesh, std::initializer_list<std::string_view> words) {
  const auto result = check(mesh);
  ASSERT_FALSE(result.ok()) << "expected: " << *words.begin();
  for (const std::string_view word : words)
    EXPECT_NE(result.error().message.find(word), std::string::npos) << word << " not in: " << result.error().message;
}

TEST(MeshCheck, PassesGoodMeshes) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension >= 2) {
      EXPECT_TRUE(check(good(s.id)).ok()) << s.name;
    }
  }
}

TEST(MeshCheck, RefusesElementsInsideOut) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension < 2) continue;
    Mesh mesh = good(s.id);
    for (int node = 0; node < mesh.n_nodes(); ++node)
      mesh.points[static_cast<std::size_t>(node * mesh.dimension)] *= -1;  // mirrored
    refused(mesh, {"element 1 (" + std::string(s.name) + ", group 'body') at (-", "inside out"});
  }
}

TEST(MeshCheck, RefusesFoldedAndFlatElements) {
  Mesh folded = good();  // the middle node moved beyond a corner
  folded.points[8] = 2.5;
  folded.points[9] = 2.5;
  refused(folded, {"element 2 (quad4, group 'body')", "folded"});
  Mesh bent = good(Shape::quad8);  // a middle node of an edge moved beyond the quarter point
  for (int node = 0; node < bent.n_nodes(); ++node)
    if (bent.point(node)[0] == 0.5 && bent.point(node)[1] == 0) bent.points[static_cast<std::size_t>(2 * node)] = 0.95;
  refused(bent, {"element 1 (quad8", "folded"});
  Mesh flat = good(Shape::hex8);
  for (int node = 0; node < flat.n_nodes(); ++node) flat.points[static_cast<std::size_t>(3 * node + 2)] = 0;
  refused(flat, {"element 1 (hex8", "no volume"});
}

TEST(MeshCheck, RefusesNodesOutsideElements) {
  Mesh mesh = good();
  mesh.add_point(std::array{7.5, 8.0});
  mesh.node_labels = {11, 12, 13, 14, 15, 16, 17, 18, 19, 42};
  refused(mesh, {"node 42 at (7.5, 8) belongs to no element of dimension 2"});
  mesh.add_point(std::array{9.0, 9.0});
  mesh.node_labels.push_back(43);
  refused(mesh, {"node 42", "(and 1 more)"});
}

TEST(MeshCheck, RefusesDuplicates) {
  Mesh twice = good();
  const std::vector<int> first(twice.element(0).begin(), twice.element(0).end());
  twice.add_element(Shape::quad4, std::array{first[1], first[2], first[3], first[0]});
  refused(twice, {"element 1 (quad4, group 'body') and element 13 (quad4) at (0.5, 0.5) have the same nodes"});
  Mesh loaded = good();  // one facet twice in a group; the same facet in two groups is right
  const int edge = loaded.find_group("top")->elements[0];
  loaded.group("load", 1).elements = {edge};
  EXPECT_TRUE(check(loaded).ok());
  loaded.group("load", 1).elements = {edge, edge};
  refused(loaded, {"group 'top'", "same nodes"});
  Mesh collapsed = good();
  collapsed.nodes[1] = collapsed.nodes[0];
  refused(collapsed, {"element 1 (quad4) names node 1 at (0, 0) twice"});
}

TEST(MeshCheck, RefusesBrokenTables) {
  Mesh nan = good();
  nan.points[3] = std::numeric_limits<double>::quiet_NaN();
  refused(nan, {"node 2 lies at (1, nan)", "finite"});
  Mesh far = good();
  far.nodes[2] = 99;
  refused(far, {"element 1 (quad4) names node number 100; there are 9"});
  Mesh wrong_start = good();
  wrong_start.starts[1] = 3;
  refused(wrong_start, {"element 1 (quad4) has 3 nodes, its shape has 4"});
  Mesh short_starts = good();
  short_starts.starts.pop_back();
  refused(short_starts, {"one start more"});
  Mesh line;
  line.dimension = 1;
  refused(line, {"dimension 1"});
  Mesh odd = good();
  odd.points.pop_back();
  refused(odd, {"17 coordinates"});
  Mesh unlabelled = good();
  unlabelled.node_labels = {1, 2};
  refused(unlabelled, {"2 labels for 9 nodes"});
  unlabelled = good();
  unlabelled.element_labels = {1, 2};
  refused(unlabelled, {"2 labels for 12 elements"});
}

TEST(MeshCheck, RefusesWrongDimensionsAndGroups) {
  Mesh solid = good();
  solid.add_element(Shape::tet4, std::array{0, 1, 2, 3});
  refused(solid, {"element 13 (tet4) has dimension 3, the mesh 2"});
  Mesh empty = good(Shape::quad4);
  empty.dimension = 3;  // the same surface in space: nothing to deform
  empty.points.assign(27, 0);
  refused(empty, {"none of the 12 elements has dimension 3"});
  Mesh group = good();
  group.groups[0].elements.push_back(77);
  refused(group, {"group 'body' names element number 78; there are 12"});
  group = good();
  group.groups[0].elements.push_back(5);
  refused(group, {"group 'body' has dimension 2, its element 6 (line2) 1"});
}

TEST(Boundary, ClosesTheVolumeWithOutwardNormals) {
  for (const ShapeInfo& s : shape_list()) {
    if (s.dimension < 2) continue;
    Mesh mesh = good(s.id);
    mesh.element_labels.assign(static_cast<std::size_t>(mesh.n_elements()), 5);
    add_boundary(mesh, "skin");
    ASSERT_TRUE(check(mesh).ok()) << check(mesh).error().message;
    const Measure skin = measure(mesh, "skin"), body = measure(mesh, "body");
    EXPECT_NEAR(skin.size, s.dimension == 2 ? 8 : 24, 1e-12) << s.name;
    EXPECT_NEAR(skin.flux, s.dimension * body.size, 1e-12) << s.name;
    for (const double n : skin.normal) EXPECT_NEAR(n, 0, 1e-12) << s.name;
  }
}

}  // namespace
}  // namespace rubato::fem
