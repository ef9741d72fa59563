// Model files become mechanisms; every mistake is named with file, line, key and what is allowed.
#include "rubato/io/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "rubato/base/function.hpp"
#include "rubato/io/run_file.hpp"
#include "rubato/multibody/modal.hpp"
#include "support/numbers.hpp"

namespace rubato::io {
namespace {

using multibody::Vector3;

/// Files in memory.
struct Folder {
  std::map<std::string, std::string> files;
  FileText reader() const {
    return [this](const std::filesystem::path& file) -> Result<std::string> {
      const auto found = files.find(file.string());
      if (found == files.end()) return Error{"no such file: " + file.string()};
      return found->second;
    };
  }
};
Result<ModelFile> read(std::string_view text, const std::vector<std::string>& overrides = {},
                       const Folder& folder = {}) {
  return parse_model_file(text, "m.toml", overrides, folder.reader());
}
ModelFile model(std::string_view text, const std::vector<std::string>& overrides = {}, const Folder& folder = {}) {
  auto result = read(text, overrides, folder);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : ModelFile{};
}
std::string mistakes(std::string_view text, const std::vector<std::string>& overrides = {}, const Folder& folder = {}) {
  const auto result = read(text, overrides, folder);
  return result ? "accepted" : result.error().message;
}
/// A body, and more of it.
std::string body(std::string_view more) {
  return "[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n" + std::string(more) + "\n";
}

constexpr std::string_view crank = R"(
[model]
gravity = [0, "-9.81 m/s^2", 0]
[parameters]
L = "200 mm"
r = "L/2"
[[body]]
name = "rod"
mass = "500 g"
shape = {type = "rod", length = "L", radius = "5 mm"}
at = ["r", 0, 0]
angular_velocity = [0, 0, "60 rpm"]
[[joint]]
name = "hinge"
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0, 0]
motion = "2*pi*t + r"
[[force]]
name = "spring"
type = "spring-damper"
a = {body = "ground", at = [0, "10 cm", 0]}
b = {body = "rod", at = ["L/2", 0, 0]}
stiffness = "3 kN/mm"
damping = "2 N s/m"
)";

TEST(ModelFile, ReadsAMechanism) {
  const ModelFile m = model(crank);
  ASSERT_EQ(m.mechanism.bodies.size(), 1U);
  const auto& rod = m.mechanism.bodies[0];
  EXPECT_EQ(m.mechanism.gravity, (Vector3{0, -9.81, 0}));
  EXPECT_EQ(rod.name, "rod");
  EXPECT_DOUBLE_EQ(rod.mass, 0.5);
  EXPECT_DOUBLE_EQ(rod.pose.position[0], 0.1);
  EXPECT_DOUBLE_EQ(rod.inertia[0], 0.5 * 0.005 * 0.005 / 2);
  EXPECT_DOUBLE_EQ(rod.inertia[2], 0.5 * (3 * 0.005 * 0.005 + 0.04) / 12);
  EXPECT_DOUBLE_EQ(rod.angular_velocity[2], 2 * pi);
  const auto& hinge = m.mechanism.joints.at(0);
  EXPECT_EQ(hinge.type, multibody::JointType::revolute);
  EXPECT_EQ(hinge.a.body, "ground");
  EXPECT_EQ(hinge.b.body, "rod");
  EXPECT_TRUE(hinge.b.in_space);
  EXPECT_EQ(hinge.drive, multibody::Drive::angle);
  EXPECT_DOUBLE_EQ((*hinge.motion)(0.5), pi + 0.1);
  const auto& spring = std::get<multibody::SpringDamper>(m.mechanism.forces.at(0));
  EXPECT_DOUBLE_EQ(spring.stiffness, 3e6);
  EXPECT_DOUBLE_EQ(spring.damping, 2);
  EXPECT_DOUBLE_EQ(spring.a.pose.position[1], 0.1);
  EXPECT_FALSE(spring.length.has_value());
  EXPECT_EQ(m.places.at("hinge").substr(0, 10), "m.toml:14:");
}

TEST(ModelFile, EffectiveTextReadsBackTheSame) {
  const ModelFile m = model(crank, {"parameters.L=0.4"});
  EXPECT_DOUBLE_EQ(m.mechanism.bodies[0].pose.position[0], 0.2);
  const ModelFile again = model(m.text);
  EXPECT_EQ(again.text, m.text);
  EXPECT_DOUBLE_EQ(again.mechanism.bodies[0].inertia[2], m.mechanism.bodies[0].inertia[2]);
}

TEST(ModelFile, EveryTypeHasItsEnumerator) {
  const std::pair<const char*, multibody::JointType> types[] = {
      {"fixed", multibody::JointType::fixed},
      {"revolute", multibody::JointType::revolute},
      {"prismatic", multibody::JointType::prismatic},
      {"cylindrical", multibody::JointType::cylindrical},
      {"spherical", multibody::JointType::spherical},
      {"universal", multibody::JointType::universal},
      {"planar", multibody::JointType::planar},
      {"distance", multibody::JointType::distance},
      {"point-on-line", multibody::JointType::point_on_line},
      {"point-on-plane", multibody::JointType::point_on_plane},
      {"parallel", multibody::JointType::parallel}};
  for (const auto& [name, type] : types) {
    const std::string frames = type == multibody::JointType::distance
                                   ? "a = {body = \"ground\", at = [1, 0, 0]}\nb = \"b\"\n"
                                   : "bodies = [\"ground\", \"b\"]\nat = [0, 0, 0]\n";
    const ModelFile m = model(body("") + "[[joint]]\nname = \"j\"\ntype = \"" + name + "\"\n" + frames);
    EXPECT_EQ(m.mechanism.joints.at(0).type, type) << name;
  }
}

Vector3 rotated(const multibody::Quaternion& q, const Vector3& v) {
  const auto [w, x, y, z] = q;
  return {(1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2],
          2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - w * x) * v[2],
          2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2]};
}
TEST(ModelFile, FramesTurnAsTheyAreTold) {
  const auto image = [](std::string_view keys, const Vector3& v) {
    return rotated(model(body(keys)).mechanism.bodies.at(0).pose.rotation, v);
  };
  const auto expect = [](const Vector3& a, const Vector3& b) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], 1e-14);
  };
  const Vector3 ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};
  expect(image("axis = [2, 0, 0]", ez), ex);
  expect(image("axis = [0, 0, -3]", ez), {0, 0, -1});
  expect(image("axis = [1, 1, 0]", ez), {std::sqrt(0.5), std::sqrt(0.5), 0});
  expect(image("axis = [1, 0, 0]\nx_axis = [5, 0, 2]", ex), ez);
  expect(image("axis = [1, 0, 0]\nx_axis = [5, 0, 2]", ey), {0, -1, 0});
  expect(image("angle = \"90 deg\"", ex), ey);
  expect(image("axis = [1, 0, 0]\nx_axis = [0, 0, 1]\nangle = \"pi/2\"", ex), {0, -1, 0});
  expect(image("euler = [\"90 deg\", 0, \"90 deg\"]", ey), ez);
  expect(image("euler = [\"90 deg\", 0, \"90 deg\"]", ex), ey);
  expect(image("rotation_vector = [0, 0, \"90 deg\"]", ex), ey);
  expect(image("quaternion = [2, 0, 0, 2]", ex), ey);
}

TEST(ModelFile, SolidsHaveTheirInertia) {
  const auto of = [](std::string_view shape) {
    return model("[[body]]\nname = \"b\"\n" + std::string(shape)).mechanism.bodies.at(0);
  };
  const auto box = of("density = 1000\nshape = {type = \"box\", size = [1, 2, 3]}");
  EXPECT_DOUBLE_EQ(box.mass, 6000);
  EXPECT_DOUBLE_EQ(box.inertia[0], 6000 * 13 / 12.0);
  const auto ball = of("mass = 5\nshape = {type = \"sphere\", radius = \"10 cm\"}");
  EXPECT_DOUBLE_EQ(ball.inertia[1], 0.02);
  const auto cylinder = of("mass = 12\nshape = {type = \"cylinder\", radius = 1, length = 2, along = \"y\"}");
  EXPECT_DOUBLE_EQ(cylinder.inertia[1], 6);
  EXPECT_DOUBLE_EQ(cylinder.inertia[0], 7);
}

TEST(ModelFile, FunctionsAreExpressionsNumbersOrTables) {
  const auto motion = [](std::string_view text) {
    return model(body("") +
                 "[[joint]]\nname = \"j\"\ntype = \"prismatic\"\nbodies = [\"ground\", \"b\"]\nat = [0, 0, 0]\nmotion "
                 "= " +
                 std::string(text))
        .mechanism.joints.at(0)
        .motion;
  };
  EXPECT_DOUBLE_EQ((*motion("\"sin(t)\""))(0.5), std::sin(0.5));
  EXPECT_DOUBLE_EQ((*motion("\"20 mm\""))(0.5), 0.02);
  EXPECT_DOUBLE_EQ((*motion("3"))(0.5), 3);
  const auto table = motion("{table = [[0, 0], [1000, 20], [2000, 0]], smooth = true, units = [\"ms\", \"mm\"]}");
  EXPECT_NEAR((*table)(1.0), 0.02, 1e-15);
}

TEST(ModelFile, IncludesAreReadFirst) {
  Folder folder;
  folder.files["parts/wheel.toml"] =
      "include = \"size.toml\"\n[[body]]\nname = \"wheel\"\nmass = \"2*R\"\ninertia = [1, 1, 1]\n";
  folder.files["parts/size.toml"] = "[parameters]\nR = 3\n";
  const std::string main = "include = [\"parts/wheel.toml\"]\n" + body("at = [\"R\", 0, 0]");
  const ModelFile m = model(main, {}, folder);
  EXPECT_EQ(m.mechanism.bodies.at(0).name, "wheel");
  EXPECT_DOUBLE_EQ(m.mechanism.bodies.at(0).mass, 6);
  EXPECT_DOUBLE_EQ(m.mechanism.bodies.at(1).pose.position[0], 3);
  EXPECT_DOUBLE_EQ(model(main, {"parameters.R=5"}, folder).mechanism.bodies.at(0).mass, 10);
  EXPECT_EQ(model(m.text).text, m.text);  // stands alone

  folder.files["parts/size.toml"] = "include = \"wheel.toml\"\n";
  EXPECT_NE(mistakes(main, {}, folder).find("parts/size.toml:1:11: include: \"wheel.toml\" includes itself"),
            std::string::npos)
      << mistakes(main, {}, folder);
  folder.files["parts/size.toml"] = "[solver]\nrtol = 1\n";
  EXPECT_NE(mistakes(main, {}, folder).find("parts/size.toml:1:2: solver: not in an included file"), std::string::npos)
      << mistakes(main, {}, folder);
  EXPECT_EQ(mistakes("include = \"none.toml\"\n" + body("")), "m.toml:1:11: include: no such file: none.toml");
}

/// Where other keys decide what a number means, its unit must fit them, whatever the order of the keys.
TEST(ModelFile, UnitsFollowFromOtherKeys) {
  const std::string place = "bodies = [\"ground\", \"b\"]\nat = [0, 0, 0]\n";
  const auto with = [](const std::string& table, const std::string& keys) {
    return body("") + "[[" + table + "]]\nname = \"x\"\n" + keys;
  };
  const auto fits = [](const std::string& text) { static_cast<void>(model(text)); };
  const auto fails = [](const std::string& text, std::string_view sentence) {
    EXPECT_NE(mistakes(text).find(sentence), std::string::npos) << mistakes(text);
  };
  const std::string stop = "type = \"end-stop\"\n" + place;
  fits(with("force", stop + "min = \"-2 cm\"\nmax = \"3 mm\"\nstiffness = \"5 kN/mm\"\ndamping = \"1 N*s/m\"\n"));
  fits(with("force", stop + "min = \"-2 deg\"\nmax = 1\nstiffness = \"5 Nm/deg\"\nangular = true\n"));
  fails(with("force", stop + "min = \"-2 deg\"\nmax = 1\nstiffness = 1\n"),
        "force.min: \"-2 deg\": the unit deg does not fit");
  fails(with("force", stop + "min = -1\nmax = 1\nstiffness = \"5 N/m\"\nangular = true\n"),
        "force.stiffness: \"5 N/m\": the unit N/m does not fit; one like N*m/rad is needed");
  const std::string contact = "type = \"contact\"\na = {body = \"b\", radius = 0.1}\nb = {shape = \"plane\"}\n";
  fits(with("force", contact + "stiffness = \"5 kN/mm\"\ndamping = \"0.2 s/m\"\n"));
  fits(with(
      "force",
      contact + "stiffness = \"5 kN/mm^2\"\nexponent = 2\ndamping = \"3 N*s/m\"\ndamping_by_penetration = false\n"));
  fits(with("force", contact + "stiffness = 1e9\nexponent = 1.5\n"));
  fails(with("force", contact + "stiffness = \"5 N/m\"\nexponent = 1.5\n"), "a plain number is needed");
  fails(with("force", contact + "stiffness = \"5 N\"\n"), "one like N/m is needed");
  fails(with("force", contact + "stiffness = 1\ndamping = \"3 N*s/m\"\n"), "one like s/m is needed");
  const std::string sleeve = "type = \"cylindrical\"\n" + place;
  fits(with("joint", sleeve + "motion = \"20 mm\"\n"));
  fits(with("joint", sleeve + "motion = \"20 deg\"\ndrive = \"angle\"\n"));
  fails(with("joint", sleeve + "motion = \"20 deg\"\n"), "joint.motion: \"20 deg\": the unit deg does not fit");
  const auto gear = [&](const char* first, const char* second, const char* ratio) {
    const auto joint = [&](const char* name, const char* type) {
      return std::string("[[joint]]\nname = \"") + name + "\"\ntype = \"" + type + "\"\n" + place;
    };
    return with("coupling", std::string("type = \"gear\"\njoints = [\"one\", \"two\"]\nratio = ") + ratio + "\n") +
           joint("one", first) + joint("two", second);
  };
  fits(gear("revolute", "revolute", "-2.5"));
  fits(gear("prismatic", "revolute", "\"20 mm/rev\""));
  fits(gear("revolute", "prismatic", "\"2 rad/m\""));
  fails(gear("revolute", "revolute", "\"20 mm/rev\""), "coupling.ratio: \"20 mm/rev\": the unit mm/rev does not fit");
  fails(gear("revolute", "prismatic", "\"20 mm/rev\""),
        "one like rad/m is needed between a revolute and a prismatic joint");
  fails(with("force", "type = \"spring-damper\"\n" + place),
        "force 'x': bodies with one place for both ends, which must lie apart");
}

TEST(ModelFile, MistakesNamePlaceKeyAndRemedy) {
  const auto expect = [](const std::string& text, std::string_view sentence) {
    const std::string found = mistakes(text);
    EXPECT_NE(found.find(sentence), std::string::npos) << found;
  };
  expect("[[body]]\nname = \"b\"\nmass = -1\ninertia = [1, 1, 1]\n",
         "m.toml:3:8: body.mass: -1 is not allowed; allowed: a number > 0 in kg");
  expect("[[body]]\nname = \"b\"\nmass = \"2 mm\"\ninertia = [1, 1, 1]\n",
         "m.toml:3:8: body.mass: \"2 mm\": the unit mm does not fit; one like kg is needed");
  expect("[[body]]\nname = \"b\"\nmass = \"2 kgg\"\ninertia = [1, 1, 1]\n", "unknown unit 'kgg'; did you mean 'kg'?");
  expect("[[body]]\nname = \"b\"\nmass = \"2*M\"\ninertia = [1, 1, 1]\n",
         "m.toml:3:8: body.mass: \"2*M\": column 3: unknown name 'M'");
  expect(body("velocty = [0, 0, 0]"), "m.toml:5:1: body.velocty: unknown key; did you mean 'velocity'?; known: name");
  expect(body("velocity = [0, 0]"), "body.velocity: [0, 0] is a list of 2; allowed: three numbers in m/s");
  expect(body("velocity = [0, 0, nan]"), "body.velocity: nan is not allowed");
  expect(body("kind = \"planer\""), "\"planer\" is not allowed; did you mean 'planar'?");
  expect(body("axis = [0, 0, 0]"), "m.toml:1:1: body 'b': axis has no length; a direction is needed");
  expect(body("axis = [0, 0, 1]\neuler = [0, 0, 0]"), "turned in several ways");
  expect(body("density = 3"), "mass and density; give one of them");
  expect(body("") + body(""), "body.name: \"b\" is the name of another part, at m.toml:2:8");
  expect("[[body]]\nname = \"ground\"\nmass = 1\ninertia = 1\n", "\"ground\" is the body that always exists");
  expect("[[body]]\nname = \"a b\"\nmass = 1\ninertia = 1\n", "allowed: letters, digits, _ and -");
  expect("[[body]]\nmass = 1\ninertia = 1\n", "body.name: missing");
  expect(body("") + "[[joint]]\nname = \"j\"\n", "m.toml:6:1: joint.type: missing; one of fixed, revolute");
  expect(body("") + "[[joint]]\nname = \"j\"\ntype = \"revolut\"\n",
         "unknown type of joint 'revolut'; did you mean 'revolute'?");
  const std::string joint = "[[joint]]\nname = \"j\"\ntype = \"revolute\"\n";
  expect(body("") + joint, "bodies = [\"…\", \"…\"] with at = […], or both a and b are needed");
  expect(body("") + joint + "bodies = [\"ground\", \"bb\"]\nat = [0, 0, 0]\n",
         "m.toml:9:21: joint.bodies: unknown body 'bb'");
  expect(body("") + joint + "a = \"b\"\nb = {body = \"b\"}\n", "joins 'b' with itself");
  expect(body("") + joint + "bodies = [\"ground\", \"b\"]\nat = [0, 0, 0]\nmotion = \"sin(tt)\"\n",
         "joint.motion: \"sin(tt)\": column 5: unknown name 'tt'; did you mean 't'?");
  expect(
      body("") + joint +
          "bodies = [\"ground\", \"b\"]\nat = [0, 0, 0]\nmotion = {table = [[0, 0], [2, 1], [1, 1]], smooth = true}\n",
      "joint.motion.table: the table goes from x = 2 to 1 at point 3; x must increase");
  expect(
      body("") + joint + "bodies = [\"ground\", \"b\"]\nat = [0, 0, 0]\nmotion = {table = [[0, 0], [2, 1], [3, 1]]}\n",
      "a table of a motion needs continuous accelerations: smooth = true");
  expect("[parameters]\nL = \"2*M\"\nM = 1\n" + body(""), "parameters.L: \"2*M\": column 3: unknown name 'M'");
  expect("[parameters]\nt = 1\n" + body(""), "t, x, pi and e have a meaning in expressions");
  expect("[parameters]\nL = \"1/0\"\n" + body(""), "parameters.L: \"1/0\": '1/0' is inf");
  expect("[model]\ngravity = 9.81\n" + body(""), "model.gravity: 9.81 is a number; allowed: three numbers in m/s^2");
  expect("body = 3\n", "m.toml:1:8: body: 3 is a whole number; expected entries [[body]]");
  expect("body = [3]\n", "expected a table [[body]]");
  expect("[[joint]]\n", "joint.type: missing");
  expect("", "m.toml: body: missing; at least one [[body]]");
  expect("[[body]\n", "m.toml:1:");
  expect(body("") +
             "[[force]]\nname = \"c\"\ntype = \"contact\"\nstiffness = 1e5\na = {body = \"b\", radius = 0.1}\nb = "
             "{shape = \"plane\"}\nfriction = {mu_s = 0.3}\n",
         "force.friction.mu_k: missing: sliding; a number ≥ 0");
  std::string deep(5000, '[');
  expect("a = " + deep, "m.toml:");
  std::string dots;
  for (int i = 0; i < 200000; ++i) dots += "a.";
  expect(dots + "a = 1", "m.toml:1:130: tables and lists more than 64 levels deep");
  std::string quoted, strange, inner = "1";
  for (int i = 0; i < 20000; ++i) quoted += R"("a.b".)", strange += R"("!".)";
  expect(quoted + "a = 1", "64 levels deep");
  expect(strange + "a = 1", "64 levels deep");
  for (int i = 0; i < 10; ++i) inner = "{a.a.a.a.a.a.a = " + inner + "}";
  expect("a = " + inner, "64 levels deep");
  EXPECT_EQ(mistakes("title = \"" + dots + "\"  # " + dots + "\n" + body("")),
            "accepted");  // texts and comments are no keys
  EXPECT_NE(mistakes(body(""), {"parameters.L=2"}).find("--set: parameters.L: the model has no parameters"),
            std::string::npos);
}

constexpr std::string_view fork =
    R"(nodes = [{name = "stem", at = [0, 0, 0], mass = 1, inertia = 1}, {at = ["10 cm", 0, 0], mass = "20 g"}]
modes = [{frequency_hz = 40, damping_ratio = 0.1, shape = [[0, 0, 0], [0, 1, 0]]},
  {stiffness = "3 N/mm", damping = "2 N*s/m", shape = [[0, 0, 0], [0, 0, 1]], rotation = [[0, 0, 0], [0, -2, 0]]}]
)";

/// Nodes and modes inside and in a file of their own are the same, and so is the text that a result keeps.
TEST(ModelFile, FlexibleBodiesHaveNodesAndModes) {
  const std::string head = "[[body]]\nname = \"b\"\ndeformation = [0.1, 0]\n";
  const Folder folder{{{"data/fork.toml", std::string(fork)}}};
  const std::string by_file = head + "flexible = {file = \"data/fork.toml\"}\n";
  for (const auto& m : {model(head + "[body.flexible]\n" + std::string(fork)), model(by_file, {}, folder),
                        model(model(by_file, {}, folder).text)}) {
    ASSERT_EQ(m.mechanism.bodies.size(), 1U);
    const auto& body = m.mechanism.bodies[0];
    ASSERT_TRUE(body.flexible);
    EXPECT_EQ(body.deformation, (std::vector{0.1, 0.0}));
    ASSERT_EQ(body.flexible->nodes.size(), 2U);
    EXPECT_EQ(body.flexible->nodes[0].name, "stem");
    EXPECT_EQ(body.flexible->nodes[0].inertia, (Vector3{1, 1, 1}));
    EXPECT_EQ(body.flexible->nodes[1].position, (Vector3{0.1, 0, 0}));
    EXPECT_EQ(body.flexible->nodes[1].mass, 0.02);
    ASSERT_EQ(body.flexible->modes.size(), 2U);
    EXPECT_EQ(body.flexible->modes[0].frequency_hz, 40);
    EXPECT_EQ(body.flexible->modes[0].damping_ratio, 0.1);
    EXPECT_EQ(body.flexible->modes[1].stiffness, 3000);
    EXPECT_EQ(body.flexible->modes[1].rotation[1], (Vector3{0, -2, 0}));
  }
  const auto ruler = model(
      "[[body]]\nname = \"b\"\nflexible = {beam = {length = 1, mass_per_length = 1, inertia_per_length = [1, 0, 0], "
      "torsion_bending = [0, 0, 1], ends = \"pinned-pinned\", modes = 2, elements = 6}}\n[[joint]]\nname = "
      "\"j\"\ntype = \"spherical\"\na = \"ground\"\nb = {body = \"b\", node = \"a\"}\n");
  ASSERT_EQ(ruler.mechanism.bodies.size(), 1U);
  EXPECT_EQ(ruler.mechanism.bodies[0].flexible->nodes.size(), 7U);
  EXPECT_NEAR(ruler.mechanism.bodies[0].flexible->modes[0].frequency_hz, pi / 2, 1e-3);
  EXPECT_EQ(ruler.mechanism.joints[0].b.node, "a");
}

TEST(ModelFile, MistakesInFlexibleBodiesAreNamed) {
  const std::string head = "[[body]]\nname = \"b\"\n";
  const auto expect = [&](const std::string& text, std::string_view sentence, const Folder& folder = {}) {
    const std::string found = mistakes(head + text, {}, folder);
    EXPECT_NE(found.find(sentence), std::string::npos) << found;
  };
  const std::string nodes = "[body.flexible]\nnodes = [{at = [0, 0, 0], mass = 1}, {at = [1, 0, 0], mass = 2}]\n";
  expect(nodes + "modes = [\n{frequency_hz = 1, shape = [[0, 0, 1]]}]\n",
         "m.toml:6:1: body.flexible.modes.shape: 1 entries for 2 nodes");
  expect(nodes + "modes = [{frequency_hz = 1, shape = [[0, 0, 1], [0, 1]]}]\n",
         "body.flexible.modes.shape: [0, 1] is a list of 2; allowed: three numbers");
  expect(nodes + "modes = [{frequency_hz = 1, shape = [[0, 0, 1], [0, 1, 0]], rotation = [[0, 0, 0]]}]\n",
         "m.toml:5:10: body.flexible.modes.rotation: 1 entries for 2 nodes");
  expect(nodes + "modes = [{stiffness = -1, shape = [[0, 0, 1], [0, 1, 0]]}]\n",
         "m.toml:5:23: body.flexible.modes.stiffness: -1 is not allowed; allowed: a number > 0");
  expect(nodes + "modes = [{shape = [[0, 0, 1], [0, 1, 0]]}]\n", "modes.frequency_hz: missing, or stiffness");
  expect(nodes + "modes = [{frequency_hz = 1, stiffness = 2, shape = [[0, 0, 1], [0, 1, 0]]}]\n",
         "modes.frequency_hz: given together with stiffness");
  expect("mass = 1\n" + nodes, "flexible together with mass");
  expect("[body.flexible]\nnodes = [{at = [0, 0, 0], mass = -1}]\n",
         "m.toml:4:34: body.flexible.nodes.mass: -1 is not allowed; allowed: a number ≥ 0 in kg");
  expect("flexible = {}\n", "m.toml:3:12: body.flexible: nodes are missing, or a file or beam that has them");
  expect("flexible = 3\n", "body.flexible: 3 is a whole number; allowed: a table of nodes and modes");
  expect("flexible = {beam = {length = 1}}\n", "body.flexible.beam.mass_per_length: missing");
  expect(
      "flexible = {beam = {length = 1, mass_per_length = 1, inertia_per_length = [1, 0, 0], torsion_bending = [0, "
      "0, 1], modes = 2.5}}\n",
      "body.flexible.beam.modes: 2.5 is not allowed; allowed: a whole number > 0");
  expect(
      "flexible = {beam = {length = 1, mass_per_length = 1, inertia_per_length = [1, 0, 0], torsion_bending = [0, "
      "0, 1], elements = 5}}\n",
      "m.toml:1:1: body 'b': beam: elements = 5 must be even");
  expect("flexible = {file = \"x.toml\"}\n", "m.toml:3:20: body.flexible.file: no such file: x.toml");
  expect("flexible = {file = \"x.toml\"}\n", "x.toml:1:18: body.flexible.nodes.mass: [0] is a list",
         {{{"x.toml", "nodes = [{mass = [0]}]\n"}}});
  expect("flexible = {file = \"x.toml\"}\n", "x.toml:1:8: body.flexible.file: a file of nodes and modes does not",
         {{{"x.toml", "file = \"y.toml\"\n"}}});
  expect("deformation = [1]\nmass = 1\ninertia = [1, 1, 1]\n", "deformation of a rigid body");
}

TEST(ModelFile, ReportsAllMistakes) {
  const std::string found =
      mistakes("[[body]]\nname = \"b\"\nmass = -1\ninertia = [0, 0]\nvelocty = 1\n[[joint]]\ntype = \"x\"\n");
  EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 3) << found;
}

TEST(ModelFile, IsARunFileToo) {
  const std::string text = std::string(crank) + "[solver]\nrtol = 1e-5\n[time]\nend = 2\n[output]\nevery = 0.1\n";
  const std::vector<std::string> overrides = {"L=0.3", "solver.rtol=1e-7"};
  const auto config = parse_run_file(text, "crank.toml", overrides);
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_NE(config->model, nullptr);
  EXPECT_EQ(config->problem, "crank");
  EXPECT_EQ(config->options.tolerances.rtol, 1e-7);
  EXPECT_EQ(config->t_end, 2);
  EXPECT_DOUBLE_EQ(config->model->parameters.at(0).second, 0.3);
  const auto again = parse_run_file(to_toml(*config), "crank.toml");
  ASSERT_TRUE(again) << again.error().message << to_toml(*config);
  EXPECT_EQ(to_toml(*again), to_toml(*config));

  const auto wrong = parse_run_file(text + "[problem]\nname = \"pendulum\"\n", "crank.toml");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("a file that describes a model has no [problem]"), std::string::npos);
}

TEST(ModelFile, PartsNamedInASentenceGetTheirPlace) {
  const ModelFile m = model(crank);
  EXPECT_EQ(m.at_part("joint 'hinge': the frames do not meet").message.substr(0, 12), "m.toml:14:8:");
  EXPECT_EQ(m.at_part("no part 'here'").message, "no part 'here'");
}

TEST(ModelFile, KeysAreListedWithWordsForEach) {
  const auto keys = model_file_keys();
  EXPECT_GT(keys.size(), 100U);
  for (const auto& key : keys) {
    EXPECT_FALSE(key.allowed.empty()) << key.table << key.name;
    EXPECT_FALSE(key.help.empty()) << key.table << key.name;
    EXPECT_FALSE(key.default_text.empty()) << key.table << "." << key.name;
  }
}

}  // namespace
}  // namespace rubato::io
