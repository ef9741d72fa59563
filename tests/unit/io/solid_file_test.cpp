// Finite element models as text: what is written becomes the model; every mistake is named with file, line, key and what is allowed.
#include "rubato/io/solid_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rubato/fem/generate.hpp"
#include "rubato/io/mesh_file.hpp"
#include "rubato/io/run_file.hpp"

namespace rubato::io {
namespace {

/// Files in memory.
using Files = std::map<std::string, std::string>;
Result<SolidFile> read_solid(std::string_view text, const std::vector<std::string>& overrides = {},
                             const Files& files = {}) {
  return parse_solid_file(text, "part.toml", overrides, [&](const std::filesystem::path& file) -> Result<std::string> {
    const auto found = files.find(file.string());
    if (found == files.end()) return Error{"no such file: " + file.string()};
    return found->second;
  });
}
SolidFile solid(std::string_view text, const std::vector<std::string>& overrides = {}, const Files& files = {}) {
  auto result = read_solid(text, overrides, files);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *std::move(result) : SolidFile{};
}
std::string solid_mistakes(std::string_view text, const std::vector<std::string>& overrides = {},
                           const Files& files = {}) {
  const auto result = read_solid(text, overrides, files);
  return result ? "accepted" : result.error().message;
}
void expect_mistake(std::string_view text, std::string_view words, const Files& files = {}) {
  const std::string said = solid_mistakes(text, {}, files);
  EXPECT_NE(said.find(words), std::string::npos) << "not said: " << words << "\nbut: " << said;
}

constexpr std::string_view head = R"([solid]
analysis = "plane-strain"
thickness = "1 mm"
[mesh]
generator = "block"
divisions = [2, 1]
high = ["20 mm", "10 mm"]
)";
constexpr std::string_view rubber = R"([[material]]
name = "rubber"
law = "mooney-rivlin"
density = "1100 kg/m^3"
c10 = "0.4 MPa"
c01 = "0.1 MPa"
bulk = "2 GPa"
[[region]]
group = "body"
material = "rubber"
pressure = "continuous"
)";
std::string with(std::string_view more) { return std::string(head) + std::string(rubber) + std::string(more); }

TEST(SolidFile, HasRigidParts) {
  const SolidFile file = solid(with(R"([[rigid]]
group = "top"
name = "plate"
reference = ["10 mm", "12 mm"]
force = [0, "-2*t"]
moment = [0, 0, "3 N*m"]
displacement = {x = "1 mm"}
mass = "2 kg"
inertia = 0.01
[[rigid]]
group = "bottom"
rotation = {z = "90 deg"}
)"),
                               {"solid.rigid_stiffness=inf"});
  ASSERT_EQ(file.model.rigid.size(), 2u);
  const fem::RigidRegion& plate = file.model.rigid[0];
  EXPECT_EQ(plate.name, "plate");
  EXPECT_EQ(plate.group, "top");
  ASSERT_TRUE(plate.reference);
  EXPECT_EQ((*plate.reference)[1], 0.012);
  EXPECT_EQ(plate.force[1](2.0), -4);
  EXPECT_EQ(plate.moment[2](0.0), 3);
  ASSERT_TRUE(plate.displacement[0]);
  EXPECT_EQ((*plate.displacement[0])(0.0), 0.001);
  EXPECT_FALSE(plate.displacement[1] || plate.rotation[2]) << "an axis that is not named stays free";
  EXPECT_EQ(plate.mass, 2);
  EXPECT_EQ(plate.inertia, (std::array<double, 3>{0, 0, 0.01}));
  EXPECT_EQ(file.model.rigid[1].name, "bottom");
  EXPECT_NEAR((*file.model.rigid[1].rotation[2])(0.0), M_PI / 2, 1e-15);
  EXPECT_EQ(file.model.rigid_stiffness, INFINITY);
  EXPECT_NE(file.text.find("[[rigid]]"), std::string::npos);
}

TEST(SolidFile, BecomesTheModelThatIsWritten) {
  const SolidFile file = solid(with(R"([parameters]
top = "2 mm"
[[prescribed]]
group = "left"
fixed = true
[[prescribed]]
group = "right"
displacement = {x = "top*sin(2*pi*t)*Y/0.01"}
[[traction]]
group = "top"
stress = [0, "-1 kPa"]
[[force]]
group = "bottom"
force = [0, "5*t"]
[[probe]]
name = "middle"
at = ["10 mm", "5 mm"]
[[probe]]
name = "edge"
group = "top"
)"));
  const fem::SolidModel& model = file.model;
  EXPECT_EQ(model.analysis, fem::Analysis::plane_strain);
  EXPECT_DOUBLE_EQ(model.thickness, 1e-3);
  EXPECT_EQ(model.mesh.n_nodes(), 15);  // two quad9 side by side
  ASSERT_EQ(model.materials.size(), 1u);
  EXPECT_DOUBLE_EQ(fem::shear_modulus(model.materials[0]), 1e6);
  EXPECT_DOUBLE_EQ(model.materials[0].bulk, 2e9);
  EXPECT_EQ(model.regions.at(0).pressure, fem::PressureSpace::continuous);
  ASSERT_EQ(model.prescribed.size(), 2u);
  EXPECT_TRUE(model.prescribed[0].displacement[0] && model.prescribed[0].displacement[1]);
  EXPECT_FALSE(model.prescribed[1].displacement[1]) << "an axis that is not named stays free";
  const std::array<double, 2> place = {0.02, 0.005};
  EXPECT_NEAR(model.prescribed[1].displacement[0]->at(place)(0.25), 0.001, 1e-15) << "2 mm · sin(π/2) · Y/10 mm";
  EXPECT_DOUBLE_EQ(model.tractions.at(0).stress[1](0.0), -1e3);
  EXPECT_DOUBLE_EQ(model.forces.at(0).force[1](3.0), 15);
  ASSERT_EQ(model.probes.size(), 3u) << "two, and the group that moves";
  EXPECT_EQ(model.probes[0].nodes.size(), 1u);
  EXPECT_DOUBLE_EQ(model.mesh.point(model.probes[0].nodes[0])[0], 0.01);
  EXPECT_EQ(model.probes[1].nodes.size(), 5u);
  EXPECT_EQ(model.probes[2].name, "right");
  EXPECT_TRUE(fem::build(model).ok());
}

/// `rubber` with one line more in its material.
std::string remembering(const std::string& terms) {
  std::string text = with("");
  return text.insert(text.find("[[region]]"), "prony = " + terms + "\n");
}

TEST(SolidFile, MaterialsMayHaveAMemory) {
  const SolidFile file = solid(remembering("[{g = 0.25, tau = \"2 ms\"}, {g = 0.15, tau = 0.02}]"));
  ASSERT_EQ(file.model.materials.size(), 1u);
  const auto& terms = file.model.materials[0].prony;
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_DOUBLE_EQ(terms[0].g, 0.25);
  EXPECT_DOUBLE_EQ(terms[0].tau, 2e-3);
  EXPECT_DOUBLE_EQ(terms[1].tau, 0.02);
  expect_mistake(remembering("0.3"), "a list of Prony terms");
  expect_mistake(remembering("[{g = 0.3}]"), "tau");
  expect_mistake(remembering("[{g = -0.3, tau = 1}]"), "> 0");
  expect_mistake(remembering("[{g = 0.3, tau = \"1 mm\"}]"), "s");
  expect_mistake(remembering("[{g = 0.7, tau = 1}, {g = 0.3, tau = 2}]"), "add up to 1");
}

TEST(SolidFile, ContactsAndObstacles) {
  const SolidFile file = solid(with(R"([[contact]]
name = "sides"
slave = "left"
master = "right"
stiffness = "1 MPa/mm"
friction = 0.3
reach = "3 mm"
[[obstacle]]
name = "roller"
slave = "top"
shape = "cylinder"
point = [0, "30 mm"]
radius = "20 mm"
displacement = {y = "-0.001*t"}
)"));
  ASSERT_EQ(file.model.contacts.size(), 1u);
  const fem::Contact& contact = file.model.contacts[0];
  EXPECT_EQ(contact.name + contact.slave + contact.master, "sidesleftright");
  EXPECT_DOUBLE_EQ(contact.law.stiffness, 1e9);
  EXPECT_DOUBLE_EQ(contact.law.friction, 0.3);
  EXPECT_DOUBLE_EQ(contact.law.slip_speed, 1e-3);
  EXPECT_DOUBLE_EQ(contact.reach, 3e-3);
  ASSERT_EQ(file.model.obstacles.size(), 1u);
  const fem::Obstacle& obstacle = file.model.obstacles[0];
  EXPECT_EQ(obstacle.shape, fem::ObstacleShape::cylinder);
  EXPECT_EQ(obstacle.slave, "top");
  EXPECT_DOUBLE_EQ(obstacle.point[1], 0.03);
  EXPECT_DOUBLE_EQ(obstacle.radius, 0.02);
  EXPECT_DOUBLE_EQ(obstacle.displacement[1](2.0), -0.002);
  EXPECT_TRUE(fem::build(file.model).ok());
  EXPECT_EQ(solid(file.text).text, file.text);

  expect_mistake(with("[[contact]]\nname = \"c\"\nslave = \"lft\"\n"),
                 "contact.slave: unknown group 'lft'; did you mean 'left'?");
  expect_mistake(with("[[contact]]\nname = \"c\"\nslave = \"left\"\nmaster = \"rigt\"\n"),
                 "contact.master: unknown group 'rigt'");
  expect_mistake(with("[[contact]]\nname = \"c\"\nslave = \"left\"\nfriction = -1\n"),
                 "contact.friction: -1 is not allowed");
  expect_mistake(with("[[contact]]\nname = \"c d\"\nslave = \"left\"\n"), "contact.name: \"c d\"; allowed: letters");
  expect_mistake(with("[[obstacle]]\nname = \"o\"\nslave = \"top\"\nshape = \"cone\"\n"),
                 "obstacle.shape: unknown shape of obstacle 'cone'");
  expect_mistake(with("[[obstacle]]\nname = \"o\"\nslave = \"top\"\nshape = \"plane\"\ndisplacement = {y = \"X*t\"}\n"),
                 "obstacle.displacement.y: \"X*t\": column 1: unknown name 'X'");
}

TEST(SolidFile, EveryLawOfTheListCanBeWritten) {
  const std::map<std::string, std::string> constants = {
      {"linear-elastic", "young = \"200 GPa\"\npoisson = 0.3"},
      {"saint-venant-kirchhoff", "young = \"200 GPa\"\npoisson = 0.3"},
      {"neo-hooke", "mu = \"1 MPa\"\nbulk = \"1 GPa\""},
      {"mooney-rivlin", "c10 = 4e5\nc01 = 1e5\nbulk = 1e9\nvolumetric = \"simo-miehe\""},
      {"yeoh", "c10 = 5e5\nc20 = 0\nc30 = 0\nbulk = 1e9"},
      {"polynomial", "c10 = 4e5\nc01 = 1e5\nc11 = 10\nbulk = 1e9"},
      {"ogden", "mu = [\"0.9 MPa\", 1e5]\nalpha = [1.3, 5]\nbulk = 1e9\nvolumetric = \"ogden\"\nbeta = 9"}};
  for (const auto& [law, text] : constants) {
    const SolidFile file = solid(std::string(head) + "[[material]]\nname = \"m\"\ndensity = 1000\nlaw = \"" + law +
                                 "\"\n" + text + "\n[[region]]\ngroup = \"body\"\nmaterial = \"m\"\n");
    ASSERT_EQ(file.model.materials.size(), 1u) << law;
    const double shear = law == "linear-elastic" || law == "saint-venant-kirchhoff" ? 200e9 / 2.6 : 1e6;
    EXPECT_NEAR(fem::shear_modulus(file.model.materials[0]), shear, 1e-9 * shear) << law;
  }
}

TEST(SolidFile, EveryGeneratorMakesAMesh) {
  const std::map<std::string, std::string> meshes = {
      {"plane-strain",
       "generator = \"ring\"\ninner_radius = 1\naround = 8\nlayers = [{outer_radius = 2, group = \"g\"}]"},
      {"space",
       "generator = \"cylinder\"\ninner_radius = 1\nlength = 1\naround = 8\nalong = 2\nlayers = [{outer_radius = 2, "
       "group = \"g\"}]"},
      {"plane-stress", "generator = \"cook\"\ndivisions = 2\nunit = \"mm\""}};
  for (const auto& [analysis, text] : meshes) {
    const std::string group = analysis == "plane-stress" ? "body" : "g";
    const SolidFile file = solid("[solid]\nanalysis = \"" + analysis + "\"\n[mesh]\n" + text +
                                 "\n[[material]]\nname = \"m\"\nlaw = \"neo-hooke\"\ndensity = 1\nmu = 1\nbulk = 9\n" +
                                 "[[region]]\ngroup = \"" + group + "\"\nmaterial = \"m\"\n");
    EXPECT_GT(file.model.mesh.n_nodes(), 0) << text;
    if (analysis == "plane-stress") {
      EXPECT_NEAR(*std::max_element(file.model.mesh.points.begin(), file.model.mesh.points.end()), 0.060, 1e-15);
    }
  }
}

TEST(SolidFile, MeshesAndMaterialsComeFromOtherFiles) {
  fem::Mesh mesh = *fem::block({.divisions = {1, 1, 1}, .high = {10, 20, 0}});
  const Files files = {{"meshes/part.msh", *to_gmsh(mesh)},
                       {"rubber.toml", std::string(rubber.substr(0, rubber.find("[[region]]")))}};
  constexpr std::string_view text = R"(include = ["rubber.toml"]
[solid]
analysis = "plane-strain"
[mesh]
file = "meshes/part.msh"
unit = "mm"
[[region]]
group = "body"
material = "rubber"
)";
  const SolidFile file = solid(text, {}, files);
  EXPECT_NEAR(*std::max_element(file.model.mesh.points.begin(), file.model.mesh.points.end()), 0.020, 1e-15);
  expect_mistake(text, "part.toml:5:8: mesh.file: no such file: meshes/part.msh",
                 {{"rubber.toml", files.at("rubber.toml")}});
  std::swap(mesh.nodes[0], mesh.nodes[1]);  // crossed over
  expect_mistake(text, "part.toml:5:8: mesh.file: meshes/part.msh: ",
                 {{"meshes/part.msh", *to_gmsh(mesh)}, {"rubber.toml", files.at("rubber.toml")}});
}

// Linear elements without pressures lock where the material is nearly incompressible; pressures, quadratic shapes, plane stress or a
// compressible material help, and then nothing is said.
TEST(SolidFile, SaysWhichRegionsLock) {
  const auto notes = [](const std::string& shape, const std::string& pressure, const std::string& bulk,
                        const std::string& analysis = "plane-strain") {
    const bool volumes = shape.starts_with("tet") || shape.starts_with("hex");
    return solid("[solid]\nanalysis = \"" + (volumes ? "space" : analysis) +
                 "\"\n[mesh]\ngenerator = \"block\"\nshape = \"" + shape + "\"\ndivisions = " +
                 (volumes ? "[1, 1, 1]" : "[2, 1]") + "\nhigh = " + (volumes ? "[2, 1, 1]" : "[2, 1]") +
                 "\n[[material]]\nname = \"rubber\"\nlaw = \"neo-hooke\"\ndensity = 1\nmu = 80\nbulk = " + bulk +
                 "\n[[region]]\ngroup = \"body\"\nmaterial = \"rubber\"\n" + pressure)
        .notes;
  };
  for (const char* shape : {"tri3", "quad4", "tet4", "hex8"}) {
    const auto said = notes(shape, "", "4e5");
    ASSERT_EQ(said.size(), 1U) << shape;
    EXPECT_NE(said[0].find("region \"body\" locks"), std::string::npos) << said[0];
    EXPECT_NE(said[0].find(shape), std::string::npos) << said[0];
    EXPECT_NE(said[0].find("take elements of second order"), std::string::npos) << said[0];
    EXPECT_TRUE(notes(shape, "", "800").empty()) << shape << ": bulk/shear modulus 10 is no reason to worry";
  }
  EXPECT_NE(notes("quad4", "", "4e5")[0].find("set pressure = \"discontinuous\""), std::string::npos);
  EXPECT_EQ(notes("tri3", "", "4e5")[0].find("set pressure"), std::string::npos) << "there is none for tri3";
  EXPECT_TRUE(notes("quad4", "pressure = \"discontinuous\"\n", "4e5").empty());
  for (const char* shape : {"tri6", "quad8", "quad9", "tet10", "hex20", "hex27"})
    EXPECT_TRUE(notes(shape, "", "4e5").empty()) << shape;
  EXPECT_TRUE(notes("quad4", "", "4e5", "plane-stress").empty()) << "the thickness follows";
}

TEST(SolidFile, CommandLineReplacesValues) {
  const SolidFile file =
      solid(with("[parameters]\nn = 3\n"), {"parameters.n=4", "mesh.divisions=[3, 1]", "solid.thickness=2"});
  EXPECT_EQ(file.parameters, (std::vector<std::pair<std::string, double>>{{"n", 4}}));
  EXPECT_EQ(file.model.mesh.n_nodes(), 21);
  EXPECT_EQ(file.model.thickness, 2);
  const SolidFile again = solid(file.text);
  EXPECT_EQ(again.text, file.text) << "the text of a model is the model";
  EXPECT_EQ(again.model.mesh.n_nodes(), 21);
}

TEST(SolidFile, MistakesAreNamedWithTheirPlace) {
  expect_mistake("[solid]\nanalysis = \"plane-strian\"\n",
                 "part.toml:2:12: solid.analysis: \"plane-strian\" is not allowed; did you mean 'plane-strain'?");
  expect_mistake("[solid]\n", "solid.analysis: missing");
  expect_mistake("[solid]\nanalysis = \"space\"\n", "part.toml: mesh: missing");
  expect_mistake(head, "region: missing");
  expect_mistake("[mesh]\ngenerator = \"rings\"\n",
                 "part.toml:2:13: mesh.generator: unknown generator of mesh 'rings'; did you mean 'ring'?");
  expect_mistake("[mesh]\nfile = \"part.stl\"\n",
                 "part.toml:2:8: mesh.file: part.stl is no mesh that can be read; allowed: .msh");
  expect_mistake(with("[[region]]\ngroup = \"bdy\"\nmaterial = \"rubbr\"\n"),
                 "region.group: unknown group 'bdy'; did you mean 'body'?");
  expect_mistake(with("[[region]]\ngroup = \"body\"\nmaterial = \"rubbr\"\n"),
                 "region.material: unknown material 'rubbr'; did you mean 'rubber'?");
  expect_mistake(with("[[prescribed]]\ngroup = \"left\"\n"),
                 "displacement = {x = …, y = …} or fixed = true is missing");
  expect_mistake(with("[[prescribed]]\ngroup = \"left\"\ndisplacement = {w = 0}\n"),
                 "part.toml:21:17: prescribed.displacement.w: unknown axis 'w'");
  expect_mistake(with("[[prescribed]]\ngroup = \"left\"\ndisplacement = {x = \"foo*t\"}\n"),
                 "part.toml:21:21: prescribed.displacement.x: \"foo*t\"");
  expect_mistake(with("[[prescribed]]\ngroup = \"left\"\ndisplacement = {z = 0}\n"),
                 "the mesh is plane; allowed: x, y");
  expect_mistake(with("[[prescribed]]\ngroup = \"left\"\ndisplacement = {x = \"3 N\"}\n"),
                 "the unit N does not fit; one like m is needed");
  expect_mistake(with("[[rigid]]\nname = \"p\"\n"), "rigid.group: missing");
  expect_mistake(with("[[rigid]]\ngroup = \"tip\"\n"), "rigid.group: unknown group 'tip'; did you mean 'top'?");
  expect_mistake(with("[[rigid]]\ngroup = \"top\"\nname = \"1 a\"\n"), "rigid.name: \"1 a\"; allowed: letters");
  expect_mistake(with("[[rigid]]\ngroup = \"top\"\nrotation = {z = \"X*t\"}\n"), "rigid.rotation.z: ");
  expect_mistake(with("[[rigid]]\ngroup = \"top\"\nmoment = [0, 0, \"3 N\"]\n"), "the unit N does not fit");
  expect_mistake(with("[[probe]]\nname = \"p\"\n"), "the place: one of at = [x, y, z] and group");
  expect_mistake(with("[[material]]\nname = \"rubber\"\nlaw = \"neo-hooke\"\ndensity = 1\nmu = 1\nbulk = 1\n"),
                 "material.name: \"rubber\" is the name of another material, at part.toml:8:1");
  expect_mistake(with("[[material]]\nname = \"m\"\nlaw = \"neo-hooke\"\ndensity = 1\nmu = -1\nbulk = 1\n"),
                 "part.toml:19:1: material: ");
  expect_mistake(with("[[material]]\nname = \"m\"\nlaw = \"ogden\"\ndensity = 1\nmu = [1, 2]\nalpha = [2]\nbulk = 1\n"),
                 "material.alpha: 1 exponents for 2 moduli mu");
  expect_mistake(with("[[material]]\nname = \"m\"\nlaw = \"yeoh\"\ndensity = 1\nc01 = 1\n"),
                 "material.c01: unknown key; did you mean 'c10'?");
  expect_mistake(with("[parameters]\nX = 1\n"), "t, x, X, Y, Z, pi and e have a meaning in expressions");
  expect_mistake(
      "[solid]\nanalysis = \"plane-strain\"\n[mesh]\ngenerator = \"block\"\ndivisions = [1, 1, 1]\nhigh = [1, 1]\n",
      "divisions has 3 numbers; quad9 needs 2");
}

TEST(SolidFile, IsARunFileToo) {
  const auto config = parse_run_file(with("[solver]\nrtol = 1e-3\n[time]\nend = 2\n"), "part.toml",
                                     std::vector<std::string>{"solid.threads=1"});
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_NE(config->solid, nullptr);
  EXPECT_EQ(config->model, nullptr);
  EXPECT_EQ(config->solid->model.threads, 1);
  EXPECT_EQ(std::count(config->output.formats.begin(), config->output.formats.end(), "vtu"), 1);
  const auto again = parse_run_file(to_toml(*config), "options.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_toml(*again), to_toml(*config));
  const auto wrong = parse_run_file(with("[[regoin]]\n"), "part.toml");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("did you mean 'region'?"), std::string::npos) << wrong.error().message;
}

}  // namespace
}  // namespace rubato::io
