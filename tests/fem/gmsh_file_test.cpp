// Gmsh's own files in both versions, round trips through ours, and every refusal.
#include <gtest/gtest.h>

#include "mesh_measure.hpp"
#include "rubato/fem/generate.hpp"
#include "rubato/io/mesh_file.hpp"
#include "support/replaced.hpp"

namespace rubato::io {
namespace {

using fem::Mesh;
using fem::Shape;

Mesh read(const std::string& name) {
  auto file = read_mesh_file(std::string(RUBATO_MESH_DATA) + "/" + name);
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
  if (!file.ok()) return {};
  const auto fine = fem::check(file->mesh);
  EXPECT_TRUE(fine.ok()) << name << ": " << (fine.ok() ? "" : fine.error().message);
  EXPECT_TRUE(file->notes.empty()) << file->notes[0];
  return std::move(file->mesh);
}

/// Middle nodes lie where the numbering says: between the corners of their edge, face or volume.
void expect_middle_nodes(const Mesh& mesh, double tolerance) {
  for (int e = 0; e < mesh.n_elements(); ++e) {
    const fem::ShapeInfo& s = fem::info(mesh.shapes[e]);
    for (int m = s.corners; m < s.nodes; ++m) {
      const auto v = fem::evaluate(s.linear, fem::reference_nodes(s.id)[m]);
      for (int k = 0; k < mesh.dimension; ++k) {
        double between = 0;
        for (int c = 0; c < s.corners; ++c) between += v.n[c] * mesh.point(mesh.element(e)[c])[k];
        EXPECT_NEAR(mesh.point(mesh.element(e)[m])[k], between, tolerance) << s.name << " node " << m;
      }
    }
  }
}

TEST(GmshFile, ReadsBoxesOfEveryShape) {
  const std::pair<const char*, Shape> files[] = {
      {"tet4_41", Shape::tet4},   {"tet10_41", Shape::tet10}, {"tet10_22", Shape::tet10}, {"hex8_22", Shape::hex8},
      {"hex20_41", Shape::hex20}, {"hex27_41", Shape::hex27}, {"hex27_22", Shape::hex27}};
  for (const auto& [name, shape] : files) {
    SCOPED_TRACE(name);
    const Mesh mesh = read(std::string(name) + ".msh");
    ASSERT_EQ(mesh.dimension, 3);
    const auto* rubber = mesh.find_group("rubber");
    ASSERT_NE(rubber, nullptr);
    EXPECT_EQ(mesh.shapes[rubber->elements[0]], shape);
    EXPECT_NEAR(measure(mesh, "rubber").size, 6, 1e-9);
    EXPECT_EQ(mesh.find_group("everything")->elements, rubber->elements);  // two groups, one element each time
    expect_middle_nodes(mesh, 1e-9);
    const auto lower = measure(mesh, "lower end"), upper = measure(mesh, "upper end");
    EXPECT_NEAR(lower.normal[2], -2, 1e-9);  // outwards, whatever the surface's own sense
    EXPECT_NEAR(upper.normal[2], 2, 1e-9);
    EXPECT_NEAR(measure(mesh, "9").normal[1], -3, 1e-9);  // without a name: called by its number
    EXPECT_EQ(mesh.find_group("edge")->dimension, 1);
    EXPECT_EQ(mesh.find_group("tip")->dimension, 0);
    EXPECT_EQ(mesh.nodes_of(*mesh.find_group("tip")), (std::vector<int>{0}));
  }
}

TEST(GmshFile, ReadsPlanesOfEveryShape) {
  const std::pair<const char*, Shape> files[] = {{"tri3_22", Shape::tri3},
                                                 {"tri6_41", Shape::tri6},
                                                 {"quad4_41", Shape::quad4},
                                                 {"quad8_22", Shape::quad8},
                                                 {"quad9_41", Shape::quad9}};
  constexpr double pi = 3.14159265358979323846;
  for (const auto& [name, shape] : files) {
    SCOPED_TRACE(name);
    const Mesh mesh = read(std::string(name) + ".msh");
    ASSERT_EQ(mesh.dimension, 2);
    const auto* rubber = mesh.find_group("rubber");
    ASSERT_NE(rubber, nullptr);
    EXPECT_EQ(mesh.shapes[rubber->elements[0]], shape);
    // A quarter of a ring in three parts: the polygon, or close to the arc.
    const bool curved = fem::info(shape).degree == 2;
    EXPECT_NEAR(measure(mesh, "rubber").size, curved ? 0.75 * pi : 3 * 0.5 * std::sin(pi / 6) * 3,
                curved ? 0.003 : 1e-8);
    expect_middle_nodes(mesh, 0.08);  // of edges that bend by 2 (1 − cos 15°) at most
    EXPECT_GT(measure(mesh, "outer").flux, 0);
    EXPECT_LT(measure(mesh, "inner").flux, 0);
  }
}

/// What is written reads back as the same mesh, to the last bit.
TEST(GmshFile, ReadsBackWhatItWrote) {
  for (const fem::ShapeInfo& s : fem::shape_list()) {
    if (s.dimension < 2) continue;
    auto made = fem::block({.shape = s.id, .divisions = {3, 2, 2}, .distortion = 0.2});
    ASSERT_TRUE(made.ok());
    Mesh& mesh = *made;
    const int point = mesh.add_element(Shape::point1, std::array{2});
    mesh.group("a point", 0).elements = {point};
    mesh.group("half", s.dimension).elements = {0, 2, 4};
    for (int node = 0; node < mesh.n_nodes(); ++node) mesh.node_labels.push_back(1000 - node);
    for (int e = 0; e < mesh.n_elements(); ++e) mesh.element_labels.push_back(7 * e + 3);
    const auto text = to_gmsh(mesh);
    ASSERT_TRUE(text.ok());
    const auto back = parse_gmsh(*text, "back.msh");
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->mesh.points, mesh.points) << s.name;
    EXPECT_EQ(back->mesh.shapes, mesh.shapes);
    EXPECT_EQ(back->mesh.nodes, mesh.nodes);
    EXPECT_EQ(back->mesh.node_labels, mesh.node_labels);
    EXPECT_EQ(back->mesh.element_labels, mesh.element_labels);
    ASSERT_EQ(back->mesh.groups.size(), mesh.groups.size());
    for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
      EXPECT_EQ(back->mesh.groups[g].name, mesh.groups[g].name);
      EXPECT_EQ(back->mesh.groups[g].dimension, mesh.groups[g].dimension);
      EXPECT_EQ(back->mesh.groups[g].elements, mesh.groups[g].elements);
    }
  }
}

TEST(GmshFile, RefusesToWriteNamesWithQuotes) {
  auto mesh = fem::block({});
  mesh->groups[0].name = "a \"b\"";
  const auto text = to_gmsh(*mesh);
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("without quotes"), std::string::npos);
}

const std::string good_41 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
2 1 "body"
$EndPhysicalNames
$Entities
0 0 1 0
5 0 0 0 1 1 0 1 1 0
$EndEntities
$Nodes
1 4 1 4
2 5 0 4
1
2
3
4
0 0 0
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
1 1 1 1
2 5 3 1
1 1 2 3 4
$EndElements
)";
const std::string good_22 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
1
1 3 2 8 1 1 2 3 4
$EndElements
)";

void refused(const std::string& text, std::string_view words) {
  const auto file = parse_gmsh(text, "m.msh");
  ASSERT_FALSE(file.ok()) << words;
  EXPECT_NE(file.error().message.find(words), std::string::npos) << words << " not in: " << file.error().message;
}

TEST(GmshFile, TakesWhatIsHarmless) {
  ASSERT_TRUE(parse_gmsh(good_41, "m.msh").ok()) << parse_gmsh(good_41, "m.msh").error().message;
  const auto old = parse_gmsh(good_22, "m.msh");
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_EQ(old->mesh.groups.at(0).name, "8");
  const auto more =
      parse_gmsh(replaced(good_41, "$PhysicalNames", "$NodeData\n1\n\"p\"\n$EndNodeData\n$PhysicalNames"), "m.msh");
  ASSERT_TRUE(more.ok()) << more.error().message;
  EXPECT_EQ(more->notes, (std::vector<std::string>{"m.msh:4: section $NodeData is not used"}));
  std::string windows;
  for (const char c : good_41) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_TRUE(parse_gmsh(windows, "m.msh").ok());
}

TEST(GmshFile, RefusesOtherFormats) {
  refused("", "m.msh:1: a Gmsh file begins with $MeshFormat");
  refused("solid ascii", "begins with $MeshFormat");
  refused(replaced(good_41, "4.1 0 8", "4.1 1 8"), "m.msh:2: the file is binary; save it as text");
  refused(replaced(good_41, "4.1 0 8", "4 0 8"), "version 4; allowed are 4.1 and 2.2");
  refused(replaced(good_41, "4.1 0 8", "4.1"), "expected version, type and size");
  refused(replaced(good_41, "$EndMeshFormat", "$Nodes"), "expected $EndMeshFormat");
  refused(replaced(good_41, "$PhysicalNames", "$PartitionedEntities"), "partitions");
  refused(replaced(good_41, "$PhysicalNames", "PhysicalNames"), "where a section");
  refused("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n", "m.msh: there is no section $Nodes");
  refused("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Odd\n1\n", "section $Odd of line 4 has no end");
  refused(good_22 + good_22.substr(good_22.find("$Nodes")),
          "m.msh:15: a second section $Nodes; the first is in line 4");
}

TEST(GmshFile, RefusesBrokenNamesAndEntities) {
  refused(replaced(good_41, "2 1 \"body\"", "4 1 \"body\""), "m.msh:6: '4 1 \"body\"': expected dimension 0 … 3");
  refused(replaced(good_41, "2 1 \"body\"", "2 1 body"), "number and \"name\"");
  refused(replaced(good_41, "1\n2 1 \"body\"", "2\n2 1 \"body\"\n2 1 \"b\""), "has a name already: 'body'");
  refused(replaced(good_41, "1\n2 1 \"body\"", "9\n2 1 \"body\""), "the section holds less than it says");
  refused(replaced(good_41, "0 0 1 0\n", "0 0 -1 0\n"), "the numbers of points, curves, surfaces and volumes");
  refused(replaced(good_41, "0 0 0 1 1 0 1 1 0", "0 0 0 1 1 0 5 1 0"), "number of physical groups");
  refused(replaced(good_41, "0 0 0 1 1 0 1 1 0", "0 0 0 1 1 0 1 x 0"), "numbers of physical groups");
  refused(replaced(good_41, "0 0 1 0\n", "0 0 2 0\n5 0 0 0 1 1 0 0 0\n"), "entity 5 of dimension 2 is there already");
}

TEST(GmshFile, RefusesBrokenNodes) {
  refused(replaced(good_41, "1 4 1 4\n", "1 5 1 4\n"), "m.msh:13: 5 nodes announced, 4 in the blocks");
  refused(replaced(good_41, "2 5 0 4", "2 5 0 999999999999"), "m.msh:19: '0 0 0': expected the number of a node");
  refused(replaced(good_41, "2 5 0 4", "2 5 2 4"), "parametric (0 or 1)");
  refused(replaced(good_41, "\n1 1 0\n", "\n1 nan 0\n"), "m.msh:21: '1 nan 0': expected three finite coordinates");
  refused(replaced(good_41, "\n1 1 0\n", "\n1 1e999 0\n"), "three finite coordinates");
  refused(replaced(good_41, "\n1 1 0\n", "\n1 1\n"), "expected 3 coordinates");
  refused(replaced(good_41, "3\n4\n0", "3\n3\n0"), "node 3 is there already, in line 21");
  refused(replaced(good_41, "3\n4\n0", "3\n-4\n0"), "'-4': expected the number of a node");
  refused(replaced(good_41, "0 1 0\n$End", "0 1 0.5\n$End"), "without volumes a mesh is plane");
  refused(replaced(good_22, "3 1 1 0\n", "3 1 1\n"),
          "m.msh:8: '3 1 1': expected the number of a node and three coordinates");
  refused(replaced(good_22, "4\n1 0 0 0", "5\n1 0 0 0"), "'$EndNodes' where a node should stand");
  refused(replaced(good_22, "4\n1 0 0 0", "3\n1 0 0 0"),
          "expected $EndNodes here: the section holds more than it says");
}

TEST(GmshFile, RefusesBrokenElements) {
  refused(replaced(good_41, "1 1 2 3 4\n", "1 1 2 3\n"), "expected the number of an element and its 4 nodes (quad4)");
  refused(replaced(good_41, "1 1 2 3 4\n", "1 1 2 3 9\n"),
          "m.msh:27: element 1 names node 9, which is nowhere defined");
  refused(replaced(good_41, "2 5 3 1", "2 5 6 1"), "m.msh:26: element type 6 is not known here; known: 15 (point1)");
  refused(replaced(good_41, "2 5 3 1", "3 5 3 1"), "elements of type 3 (quad4) in an entity of dimension 3");
  refused(replaced(good_41, "2 5 3 1", "2 5 3"), "element type, number of elements");
  refused(replaced(good_41, "1 1 1 1\n2", "1 2 1 1\n2"), "2 elements announced, 1 in the blocks");
  refused(replaced(good_41, "1 1 1 1\n2 5 3 1\n1 1 2 3 4", "1 2 1 1\n2 5 3 2\n1 1 2 3 4\n1 1 2 3 4"),
          "element 1 is there already");
  refused(replaced(good_41, "2 5 3 1\n1 1 2 3 4", "1 5 1 1\n1 1 2"), "neither areas nor volumes");
  refused(replaced(good_22, "1 3 2 8 1 1 2 3 4", "1 3 9 8 1 1 2 3 4"), "number of tags");
  refused(replaced(good_22, "1 3 2 8 1 1 2 3 4", "1 3 2 x 1 1 2 3 4"), "physical group as first tag");
  refused(replaced(good_22, "1 3 2 8 1 1 2 3 4", "1 3 2 8 1 1 2 3"), "4 of them (quad4)");
  refused(good_22.substr(0, good_22.find("1 3 2 8")), "the file ends where an element should stand");
}

/// Without physical groups Gmsh saves everything; elements in no group stay.
TEST(GmshFile, KeepsElementsOfNoGroup) {
  const auto file = parse_gmsh(replaced(good_22, "1 3 2 8 1", "1 3 2 0 1"), "m.msh");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->mesh.n_elements(), 1);
  EXPECT_TRUE(file->mesh.groups.empty());
}

/// The same element twice in one group stays twice, so that fem::check can name both.
TEST(GmshFile, LeavesDuplicatesToTheCheck) {
  const auto file =
      parse_gmsh(replaced(good_22, "1\n1 3 2 8 1 1 2 3 4", "2\n1 3 2 8 1 1 2 3 4\n2 3 2 8 1 1 2 3 4"), "m.msh");
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_FALSE(fem::check(file->mesh).ok());
  EXPECT_NE(fem::check(file->mesh).error().message.find("element 1 (quad4, group '8') and element 2"),
            std::string::npos);
}

/// A short file that names a long block in many groups does not get memory for all of them.
TEST(GmshFile, BoundsMemoryByTheLengthOfTheFile) {
  std::string entity = "5 0 0 0 1 1 0 3000";
  for (int tag = 1; tag <= 3000; ++tag) entity += " " + std::to_string(tag);
  std::string elements = "1 3000 1 3000\n2 5 3 3000\n";
  for (int e = 1; e <= 3000; ++e) elements += std::to_string(e) + " 1 2 3 4\n";
  refused(replaced(replaced(good_41, "5 0 0 0 1 1 0 1 1 0", entity + " 0"), "1 1 1 1\n2 5 3 1\n1 1 2 3 4\n", elements),
          "entries per byte");
}

TEST(MeshFile, KnowsItsEndings) {
  const auto other = read_mesh_file("part.step");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "part.step: ending '.step'; allowed are .msh (Gmsh) and .inp (Abaqus)");
  const auto missing = read_mesh_file("not there.msh");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace rubato::io
