// Abaqus input: elements of every type, sets, surfaces, parts and instances, and every refusal.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mesh_measure.hpp"
#include "rubato/fem/generate.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/mesh_file.hpp"
#include "support/replaced.hpp"

namespace rubato::io {
namespace {

using fem::Mesh;
using fem::Shape;

const std::string flat = *read_file(RUBATO_MESH_DATA "/two_blocks.inp");

void abaqus_refused(const std::string& text, std::string_view words) {
  const auto file = parse_abaqus(text, "m.inp");
  ASSERT_FALSE(file.ok()) << words;
  EXPECT_NE(file.error().message.find(words), std::string::npos) << words << " not in: " << file.error().message;
}

std::vector<long> labels(const Mesh& mesh, std::string_view group, int dimension = 0) {
  std::vector<long> out;
  for (const auto& g : mesh.groups)
    if (g.name == group && g.dimension == dimension)
      for (const int node : mesh.nodes_of(g)) out.push_back(mesh.node_label(node));
  return out;
}

TEST(AbaqusFile, ReadsNodesElementsSetsAndSurfaces) {
  const auto file = parse_abaqus(flat, "m.inp");
  ASSERT_TRUE(file.ok()) << file.error().message;
  const Mesh& mesh = file->mesh;
  ASSERT_TRUE(fem::check(mesh).ok()) << fem::check(mesh).error().message;
  EXPECT_EQ(mesh.n_nodes(), 12);
  EXPECT_NEAR(measure(mesh, "Rubber").size, 2, 1e-14);
  EXPECT_EQ(mesh.find_group("second")->elements.size(), 1U);
  EXPECT_EQ(mesh.element_label(mesh.find_group("second")->elements[0]), 102);
  EXPECT_EQ(mesh.find_group("whole")->elements.size(), 2U);
  EXPECT_EQ(labels(mesh, "ends"), (std::vector<long>{1, 4, 5, 8}));
  EXPECT_EQ(labels(mesh, "some"), (std::vector<long>{1, 3, 5, 9, 10, 11, 12}));
  EXPECT_EQ(labels(mesh, "both"), (std::vector<long>{1, 3, 4, 5, 8, 9, 10, 11, 12}));
  EXPECT_EQ(labels(mesh, "all").size(), 12U);
  EXPECT_NEAR(measure(mesh, "Top").normal[2], 2, 1e-14);
  EXPECT_NEAR(measure(mesh, "Right").normal[0], 1, 1e-14);
  EXPECT_EQ(file->notes,
            (std::vector<std::string>{
                "m.inp: of the element types C3D8H the shapes are used; the model says how they deform",
                "m.inp: keywords without use here: *BOUNDARY (2 times), *END STEP, *HYPERELASTIC, *MATERIAL, *SOLID "
                "SECTION, *STATIC, *STEP"}));
}

/// A generated block written as Abaqus would, read back: node orders of all types agree with ours.
TEST(AbaqusFile, ReadsEveryElementType) {
  const std::pair<Shape, std::vector<const char*>> types[] = {
      {Shape::tet4, {"C3D4", "C3D4H"}},           {Shape::tet10, {"C3D10", "C3D10M", "C3D10MH"}},
      {Shape::hex8, {"C3D8", "C3D8R", "C3D8IH"}}, {Shape::hex20, {"C3D20", "C3D20RH"}},
      {Shape::tri3, {"CPE3", "CPS3", "CAX3H"}},   {Shape::quad4, {"CPE4RH", "cps4i", "CAX4"}},
      {Shape::tri6, {"CPE6MH", "CPS6", "CAX6M"}}, {Shape::quad8, {"CPE8RH", "CPS8R", "CAX8H"}}};
  for (const auto& [shape, names] : types)
    for (const char* type : names) {
      const auto made = fem::block({.shape = shape, .divisions = {2, 2, 2}, .distortion = 0.2});
      std::string text = "*NODE\n";
      for (int node = 0; node < made->n_nodes(); ++node)
        text += fmt::format("{}, {}\n", node + 1, fmt::join(made->point(node).begin(), made->point(node).end(), ", "));
      text += fmt::format("*ELEMENT, TYPE={}, ELSET=body\n", type);
      for (const int e : made->find_group("body")->elements) {
        text += std::to_string(e + 1);
        for (std::size_t a = 0; a < made->element(e).size(); ++a)  // continued in the next line after the eleventh
          text += fmt::format(", {}{}", a == 10 ? "\n" : "", made->element(e)[a] + 1);
        text += "\n";
      }
      const auto file = parse_abaqus(text, "m.inp");
      ASSERT_TRUE(file.ok()) << file.error().message;
      EXPECT_EQ(file->mesh.points, made->points) << type;
      for (const int e : file->mesh.find_group("body")->elements)
        EXPECT_TRUE(std::equal(file->mesh.element(e).begin(), file->mesh.element(e).end(), made->element(e).begin()));
    }
}

/// S1 … of the manual: face S1 of a tetrahedron is 1-2-3, of a hexahedron 1-2-3-4, …
TEST(AbaqusFile, NumbersFacesAsTheManualDoes) {
  const auto face_nodes = [](Shape shape, const char* type, int face) {
    std::string text = "*NODE\n";
    const auto nodes = fem::reference_nodes(shape);
    const int d = fem::info(shape).dimension;
    for (std::size_t a = 0; a < nodes.size(); ++a)
      text += fmt::format("{}, {}\n", a + 1, fmt::join(nodes[a].begin(), nodes[a].begin() + d, ", "));
    text += fmt::format("*ELEMENT, TYPE={}\n1", type);
    for (std::size_t a = 0; a < nodes.size(); ++a) text += fmt::format(", {}{}", a == 10 ? "\n" : "", a + 1);
    text += fmt::format("\n*SURFACE, NAME=s\n1, S{}\n", face);
    const auto file = parse_abaqus(text, "m.inp");
    EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
    if (!file.ok()) return std::vector<long>{};
    auto corners = labels(file->mesh, "s", d - 1);
    corners.erase(std::remove_if(corners.begin(), corners.end(), [&](long l) { return l > fem::info(shape).corners; }),
                  corners.end());
    return corners;
  };
  using L = std::vector<long>;
  const L hexahedron[] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {1, 2, 5, 6}, {2, 3, 6, 7}, {3, 4, 7, 8}, {1, 4, 5, 8}};
  const L tetrahedron[] = {{1, 2, 3}, {1, 2, 4}, {2, 3, 4}, {1, 3, 4}};
  const L quadrilateral[] = {{1, 2}, {2, 3}, {3, 4}, {1, 4}};
  for (int face = 1; face <= 6; ++face) {
    EXPECT_EQ(face_nodes(Shape::hex8, "C3D8", face), hexahedron[face - 1]);
    EXPECT_EQ(face_nodes(Shape::hex20, "C3D20", face), hexahedron[face - 1]);
  }
  for (int face = 1; face <= 4; ++face) {
    EXPECT_EQ(face_nodes(Shape::tet4, "C3D4", face), tetrahedron[face - 1]);
    EXPECT_EQ(face_nodes(Shape::tet10, "C3D10", face), tetrahedron[face - 1]);
    EXPECT_EQ(face_nodes(Shape::quad8, "CPE8", face), quadrilateral[face - 1]);
  }
}

const std::string assembled = *read_file(RUBATO_MESH_DATA "/assembly.inp");

TEST(AbaqusFile, ReadsOnePartWithOneInstance) {
  const auto file = parse_abaqus(assembled, "m.inp");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(fem::check(file->mesh).ok());
  EXPECT_EQ(file->mesh.dimension, 2);
  EXPECT_EQ(labels(file->mesh, "Fixed side"), (std::vector<long>{1, 4}));
  EXPECT_EQ(file->mesh.find_group("RefPoint"), nullptr);
  EXPECT_NEAR(measure(file->mesh, "Load").normal[0], 1, 1e-15);
  EXPECT_NEAR(measure(file->mesh, "Load").normal[1], 1, 1e-15);
  ASSERT_EQ(file->notes.size(), 4U);
  EXPECT_EQ(file->notes[0], "m.inp:15: *NODE of the assembly itself is not used");
  EXPECT_EQ(file->notes[1], "m.inp:17: *NSET of the assembly itself is not used");
  EXPECT_EQ(file->notes[2], "m.inp:26: surface 'Touch' is not used: TYPE NODE, only ELEMENT is read");
  abaqus_refused(replaced(assembled, "*End Instance", "1., 0., 0.\n*End Instance"),
                 "m.inp:13: *INSTANCE: the instance is moved");
  abaqus_refused(replaced(assembled, "*End Instance", "*End Instance\n*Instance, name=b"), "a second instance");
  abaqus_refused(replaced(assembled, "*Assembly", "*Part, name=b\n*End Part\n*Assembly"), "a second part");
  abaqus_refused(replaced(assembled, "side\", instance=Part-1-1", "side\", instance=Other"),
                 "INSTANCE Other is not there; the file's is PART-1-1");
}

TEST(AbaqusFile, TakesNodesOfSetsOfElements) {
  const auto file = parse_abaqus(flat + "*NSET, NSET=of second, ELSET=second\n", "m.inp");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(labels(file->mesh, "of second"), (std::vector<long>{2, 3, 6, 7, 9, 10, 11, 12}));
}

TEST(AbaqusFile, RefusesWhatWouldChangeTheMesh) {
  abaqus_refused("1, 2, 3\n", "m.inp:1: '1, 2, 3' before the first keyword");
  abaqus_refused(flat + "*INCLUDE, INPUT=other.inp\n", "m.inp:48: *INCLUDE: this changes the mesh");
  abaqus_refused(flat + "*NGEN\n1, 5\n", "*NGEN: this changes the mesh");
  abaqus_refused(flat + "*NODES\n", "*NODES: no such keyword; did you mean *NODE?");
  abaqus_refused(flat + "*\n", "a star without a keyword");
  abaqus_refused(replaced(flat, "*Node, nset=all", "*Node, system=C"),
                 "m.inp:4: *NODE: parameter SYSTEM is not read; allowed: NSET");
  abaqus_refused(replaced(flat, "ELSET=Rubber\n101", "INPUT=a.txt\n101"), "*ELEMENT: parameter INPUT is not read");
}

TEST(AbaqusFile, RefusesBrokenNodesAndElements) {
  abaqus_refused(replaced(flat, " 2, 1., 0., 0.", " 2, 1."),
                 "m.inp:6: '2, 1.': expected the number of a node and two or three");
  abaqus_refused(replaced(flat, " 2, 1., 0., 0.", " 2, 1., x, 0."), "finite coordinates");
  abaqus_refused(replaced(flat, " 2, 1., 0., 0.", " 2, inf, 0., 0."), "finite coordinates");
  abaqus_refused(replaced(flat, " 2, 1., 0., 0.", " 2, 1., , 0."), "finite coordinates");
  abaqus_refused(replaced(flat, " 2, 1., 0., 0.", " 1, 1., 0., 0."), "m.inp:6: node 1 is there already, in line 5");
  abaqus_refused(replaced(flat, "102, 2, 9", "101, 2, 9"), "m.inp:19: element 101 is there already, in line 18");
  abaqus_refused(replaced(flat, "4, 5, 6, 7, 8\n", "4, 5, 6, 7\n"), "element 101 names 7 nodes; C3D8H has 8");
  abaqus_refused(replaced(flat, "4, 5, 6, 7, 8\n", "4, 5, 6, 7, 99\n"),
                 "element 101 names node 99, which is nowhere defined");
  abaqus_refused(replaced(flat, "4, 5, 6, 7, 8\n", "4, 5, 6, 7, -8\n"), "'-8' is not the number of an element or node");
  abaqus_refused(replaced(flat, "4, 5, 6, 7, 8\n", "4, 5, 6, 7, 8, 9\n"), "names 9 nodes");
  abaqus_refused(replaced(flat, "TYPE=C3D8H, ", ""), "TYPE is missing");
  for (const char* type : {"C3D8T", "S4R", "C3D6", "CPE5", "C3D27", "B31", ""})
    abaqus_refused(replaced(flat, "C3D8H", type), fmt::format("TYPE {} is not known here; allowed are C3D4", type));
  abaqus_refused("*NODE\n1, 0, 0\n", "neither areas nor volumes");
}

TEST(AbaqusFile, RefusesBrokenSetsAndSurfaces) {
  abaqus_refused(replaced(flat, "ends, some\n", "ends, other\n"),
                 "'other' is neither the number of a node nor a set of nodes defined above");
  abaqus_refused(replaced(flat, "ends, some\n", "ends, 77\n"), "node 77 is nowhere defined");
  abaqus_refused(replaced(flat, "*ELSET, ELSET=second\n102", "*ELSET, ELSET=second\n7"),
                 "element 7 is nowhere defined");
  abaqus_refused(replaced(flat, "NSET=ends\n", "NSET=\n"), "NSET=name is missing");
  abaqus_refused(replaced(flat, "*ELSET, ELSET=second\n", "*ELSET\n"), "ELSET=name is missing");
  abaqus_refused(replaced(flat, "9, 12\n", "9, 12000000000\n"), "node 13 is nowhere defined");
  abaqus_refused(replaced(flat, "9, 12\n", "12, 9\n"), "expected first, last and increment");
  abaqus_refused(replaced(flat, "1, 5, 2\n", "1, 4, 2\n"), "the last reached from the first");
  abaqus_refused(replaced(flat, "1, 5, 2\n", "1, 5, 0\n"), "expected first, last and increment");
  abaqus_refused(replaced(flat, "1, 5, 2\n", "1, 5, 2, 1\n"), "expected first, last and increment");
  abaqus_refused(replaced(flat, "whole, S2", "whole, S7"), "a face S1 … S6");
  abaqus_refused(replaced(flat, "whole, S2", "whole,"), "a face S1 … S6");
  abaqus_refused(replaced(flat, "whole, S2", "hole, S2"), "'hole' is neither the number of an element nor a set");
  abaqus_refused(replaced(flat, "*SURFACE, NAME=Top", "*SURFACE"), "NAME=name is missing");
  abaqus_refused(replaced(assembled, "_Load_S2, S2", "_Load_S2, S5"), "element 1 (quad4) has no face S5");
  abaqus_refused(replaced(flat, "NSET=some, GENERATE", "NSET=some, ODD"), "parameter ODD is not read");
}

/// Sets of sets of sets: each twice the one before would double the memory with every line.
TEST(AbaqusFile, BoundsMemoryByTheLengthOfTheFile) {
  std::string text = flat;
  for (int i = 0; i < 3000; ++i) text += fmt::format("*NSET, NSET=n{}\nall, all, all, all, all, all, all, all\n", i);
  const auto file = parse_abaqus(text, "m.inp");
  ASSERT_TRUE(file.ok()) << file.error().message;
  text = "*NODE, NSET=all\n";
  for (int i = 1; i <= 10000; ++i) text += fmt::format("{},0,0\n", i);
  text += "*ELEMENT, TYPE=CPE3\n1, 1, 2, 3\n";
  for (int i = 0; i < 2000; ++i) text += fmt::format("*NSET, NSET=n{}\nall\n", i);
  abaqus_refused(text, "entries per byte");
}

}  // namespace
}  // namespace rubato::io
