// Animations: files that other programs can read, with every point where the motion says.
#include "rubato/io/animation.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <numbers>

#include "rubato/base/function.hpp"
#include "rubato/io/file.hpp"
#include "rubato/io/run_file.hpp"
#include "rubato/io/vtu.hpp"
#include "support/mechanism_checks.hpp"
#include "support/numbers.hpp"

namespace rubato::io {
namespace {

/// Base64 up to its padding.
std::string decoded(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int n = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::uint32_t digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                                : c >= 'a' && c <= 'z' ? c - 'a' + 26
                                : c >= '0' && c <= '9' ? c - '0' + 52
                                : c == '+'             ? 62
                                                       : 63;
    bits = bits << 6 | digit;
    n += 6;
    if (n < 8) continue;
    n -= 8;
    bytes += static_cast<char>(bits >> n & 255);
  }
  return bytes;
}

/// What a reader of VTK files would find under a name.
struct Vtu {
  std::string text;
  [[nodiscard]] std::string attribute(std::string_view after, std::string_view name) const {
    const auto at = text.find(after);
    if (at == std::string::npos) return {};
    const auto from = text.find(std::string(name) + "=\"", at) + name.size() + 2;
    return text.substr(from, text.find('"', from) - from);
  }
  /// The bytes of an appended array; the length in front of them must be right.
  [[nodiscard]] std::string bytes(const std::string& name) const {
    const std::size_t offset = std::stoul(attribute("Name=\"" + name + "\"", "offset"));
    const std::size_t data = text.find('_', text.find("<AppendedData")) + 1;
    std::uint32_t size = 0;
    const std::string head = decoded(std::string_view(text).substr(data + offset, 8));
    std::memcpy(&size, head.data(), 4);
    const std::size_t digits = (4 + size + 2) / 3 * 4;
    const std::string all = decoded(std::string_view(text).substr(data + offset, digits));
    EXPECT_EQ(all.size(), 4 + size) << name;
    return all.substr(4);
  }
  template <class T>
  [[nodiscard]] std::vector<T> array(const std::string& name) const {
    const std::string raw = bytes(name);
    std::vector<T> values(raw.size() / sizeof(T));
    std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
};

TEST(Vtu, HoldsWhatItIsGiven) {
  const VtuGrid grid{.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, -0.5F, 2, 3},
                     .connectivity = {0, 1, 2, 2, 3},
                     .offsets = {3, 5},
                     .types = {7, 4},
                     .point_data = {{.name = "v", .components = 3, .values = std::vector<float>(12, 0.25F)}},
                     .cell_data = {{.name = "name", .values = std::vector<std::string>{"a & b", "ç"}},
                                   {.name = "id", .values = std::vector<std::int32_t>{-7, 1 << 20}}}};
  const Vtu file{to_vtu(grid, 0.1)};
  EXPECT_EQ(file.array<float>("Points"), grid.points);
  EXPECT_EQ(file.array<std::int32_t>("connectivity"), grid.connectivity);
  EXPECT_EQ(file.array<std::int32_t>("offsets"), grid.offsets);
  EXPECT_EQ(file.array<std::uint8_t>("types"), grid.types);
  EXPECT_EQ(file.array<float>("v"), std::vector<float>(12, 0.25F));
  EXPECT_EQ(file.array<std::int32_t>("id"), (std::vector<std::int32_t>{-7, 1 << 20}));
  EXPECT_EQ(file.bytes("name"), std::string("a & b\0ç\0", 9));
  EXPECT_EQ(file.attribute("<Piece", "NumberOfPoints"), "4");
  EXPECT_EQ(file.attribute("<Piece", "NumberOfCells"), "2");
  EXPECT_NE(file.text.find(">0.1</DataArray>"), std::string::npos) << "the time";
  EXPECT_EQ(file.text, to_vtu(grid, 0.1));
}

/// A collection names its files in the order of time.
TEST(Vtu, Collections) {
  const PvdEntry entries[] = {{0, "a/0.vtu"}, {0.1, "a&b/1.vtu"}};
  EXPECT_EQ(to_pvd(entries),
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
            "<Collection>\n<DataSet timestep=\"0\" group=\"\" part=\"0\" file=\"a/0.vtu\"/>\n"
            "<DataSet timestep=\"0.1\" group=\"\" part=\"0\" file=\"a&amp;b/1.vtu\"/>\n</Collection>\n</VTKFile>\n");
}

/// An arm whose hinge turns with ω: its tip is at r (cos ωt, sin ωt) and has speed ωr, the hinge carries m ω² r/2.
TEST(Animation, ShowsATurningArm) {
  using namespace multibody;
  const double omega = 2 * pi, r = 0.8, mass = 3;
  const std::string variables[] = {"t"};
  const Mechanism m{
      .bodies = {{.name = "arm", .mass = mass, .inertia = {0.1, 0.1, 0.1}, .pose = {.position = {r / 2, 0, 0}}}},
      .joints = {{.name = "motor",
                  .type = JointType::revolute,
                  .b = marker("arm", {-r / 2, 0, 0}),
                  .drive = Drive::angle,
                  .motion = std::make_shared<Function>(*Expression::parse("2*pi*t", variables, {}))}},
      .looks = {{.type = LookType::line, .at = marker("arm"), .to = marker("arm", {r / 2, 0, 0})}}};
  const auto system = built(m);
  const auto scene = make_scene(m);
  ASSERT_TRUE(scene);
  const auto start = consistent_state(*system, system->start());
  ASSERT_TRUE(start);
  const auto dae = formulate(system, {.level = Level::index_1});
  ASSERT_TRUE(dae);
  InitialValueProblem problem{.dae = *dae, .t_end = 0.9, .base = start->base};
  (*dae)->pack(*start, problem.x, problem.w);
  const auto folder = std::filesystem::temp_directory_path() / ("rubato-animation-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  AnimationWriter writer(**dae, std::make_unique<SceneGrid>(*scene, *system), folder, regular_times(0.25, 0, 0.9),
                         false);
  Observer* const observers[] = {&writer};
  const auto run = integrate(problem, "radau", {.tolerances = {.rtol = 1e-9, .atol = 1e-9}}, {.observers = observers});
  ASSERT_TRUE(run);
  ASSERT_TRUE(writer.finish());

  const auto pvd = read_file(folder / "motion.pvd");
  ASSERT_TRUE(pvd);
  const double times[] = {0, 0.25, 0.5, 0.75, 0.9};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string name = "motion/frame_0000" + std::to_string(i) + ".vtu";
    EXPECT_NE(pvd->find("file=\"" + name + "\""), std::string::npos);
    const auto text = read_file(folder / name);
    ASSERT_TRUE(text);
    const Vtu file{*text};
    const auto points = file.array<float>("Points"), velocity = file.array<float>("velocity"),
               load = file.array<float>("load");
    const auto offsets = file.array<std::int32_t>("offsets"), part = file.array<std::int32_t>("part"),
               corners = file.array<std::int32_t>("connectivity");
    ASSERT_EQ(points.size(), 3 * scene->n_points());
    ASSERT_EQ(velocity.size(), points.size());
    ASSERT_EQ(load.size(), offsets.size());
    ASSERT_EQ(static_cast<std::size_t>(offsets.back()), corners.size());
    EXPECT_EQ(file.attribute("<Piece", "NumberOfCells"), std::to_string(offsets.size()));
    for (const std::int32_t corner : corners) EXPECT_LT(static_cast<std::size_t>(corner), scene->n_points());
    EXPECT_TRUE(file.bytes("name").starts_with(std::string("arm\0arm\0", 8)));
    // The first piece is the line of the looks, its second point the tip. Single precision: 1e-6.
    const double phi = omega * times[i];
    EXPECT_NEAR(points[3], r * std::cos(phi), 1e-6);
    EXPECT_NEAR(points[4], r * std::sin(phi), 1e-6);
    EXPECT_NEAR(velocity[3], -omega * r * std::sin(phi), 1e-5);
    EXPECT_NEAR(velocity[4], omega * r * std::cos(phi), 1e-5);
    for (std::size_t c = 0; c < part.size(); ++c)
      EXPECT_NEAR(load[c], part[c] == 2 ? mass * omega * omega * r / 2 : 0, 1e-3)
          << "cell " << c << ", t = " << times[i];
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "motion/frame_00005.vtu"));
  remove_animation(folder);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rubato::io
