// Meshes as grids for ParaView and as pictures: counts, places, colours, what hides what.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <sstream>

#include "rubato/fem/generate.hpp"
#include "rubato/io/field_picture.hpp"
#include "rubato/io/mesh_grid.hpp"

namespace rubato::io {
namespace {

using fem::Mesh;
using fem::Shape;

Mesh made(Result<Mesh> result) {
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? std::move(*result) : Mesh{};
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Fills of faces, in the order of painting.
std::vector<std::string> fills(const std::string& svg) {
  std::vector<std::string> out;
  const std::regex path("<path fill=\"(#[0-9a-f]{6})\"");
  for (std::sregex_iterator i(svg.begin(), svg.end(), path), end; i != end; ++i) out.push_back((*i)[1]);
  return out;
}

/// The area of all filled polygons, px².
double filled_area(const std::string& svg) {
  double area = 0;
  const std::regex path("<path fill=\"#[0-9a-f]{6}\"[^>]* d=\"([^\"]*)\"");
  for (std::sregex_iterator i(svg.begin(), svg.end(), path), end; i != end; ++i) {
    std::string text = (*i)[1];
    for (char& c : text)
      if (c == 'l') c = ' ';
    std::stringstream polygons(text);
    for (std::string polygon; std::getline(polygons, polygon, 'z');) {
      std::stringstream numbers(polygon.substr(1));
      double x = 0, y = 0, sum = 0, first_x = 0, first_y = 0, dx = 0, dy = 0;
      for (int n = 0; numbers >> dx >> dy; ++n) {
        if (n == 0) first_x = dx, first_y = dy;
        if (n > 0) sum += x * (y + dy) - (x + dx) * y;
        x += dx;
        y += dy;
      }
      area += 0.005 * std::abs(sum + x * first_y - first_x * y);
    }
  }
  return area;
}

TEST(MeshGrid, HasTheVolumesOfEveryShapeAsVtkNumbersThem) {
  const std::pair<Shape, int> types[] = {{Shape::tri3, 5},   {Shape::tri6, 22}, {Shape::quad4, 9},  {Shape::quad8, 23},
                                         {Shape::quad9, 28}, {Shape::tet4, 10}, {Shape::tet10, 24}, {Shape::hex8, 12},
                                         {Shape::hex20, 25}, {Shape::hex27, 29}};
  for (const auto& [shape, type] : types) {
    const Mesh mesh = made(fem::block({.shape = shape, .divisions = {2, 1, 1}}));
    const auto volumes = mesh.find_group("body")->elements.size();
    const VtuGrid grid = mesh_grid(mesh, {});
    EXPECT_EQ(grid.points.size(), 3U * static_cast<std::size_t>(mesh.n_nodes()));
    ASSERT_EQ(grid.types.size(), volumes);  // the sides are no cells
    EXPECT_EQ(grid.types[0], type);
    EXPECT_EQ(grid.offsets.back(), static_cast<int>(volumes) * fem::info(shape).nodes);
    EXPECT_TRUE(grid.point_data.empty());
  }
}

TEST(MeshGrid, CarriesDisplacementsFieldsAndGroups) {
  const Mesh mesh =
      made(fem::ring({.shape = Shape::quad4, .inner_radius = 1, .layers = {{2, 1, "a"}, {3, 1, "b"}}, .around = 4}));
  std::vector<double> u(mesh.points.size()), pressure(static_cast<std::size_t>(mesh.n_nodes()), 7);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 0.5 * static_cast<double>(i);
  std::vector<double> energy(static_cast<std::size_t>(mesh.n_elements()));
  for (std::size_t e = 0; e < energy.size(); ++e) energy[e] = static_cast<double>(e);
  const FieldArray nodal{"pressure", 1, pressure}, cells{"energy", 1, energy};
  const VtuGrid grid = mesh_grid(mesh, u, {&nodal, 1}, {&cells, 1});
  for (int node = 0; node < mesh.n_nodes(); ++node) {
    EXPECT_FLOAT_EQ(grid.points[static_cast<std::size_t>(3 * node + 1)],
                    static_cast<float>(mesh.point(node)[1] + u[static_cast<std::size_t>(2 * node + 1)]));
    EXPECT_EQ(grid.points[static_cast<std::size_t>(3 * node + 2)], 0);
  }
  ASSERT_EQ(grid.point_data.size(), 2U);
  EXPECT_EQ(grid.point_data[0].name, "displacement");
  EXPECT_EQ(grid.point_data[0].components, 3);  // a vector of the plane, in space
  const auto& moved = std::get<std::vector<float>>(grid.point_data[0].values);
  EXPECT_EQ(moved[3], 1.0F);
  EXPECT_EQ(moved[5], 0.0F);
  EXPECT_EQ(std::get<std::vector<float>>(grid.point_data[1].values), std::vector<float>(12, 7));
  ASSERT_EQ(grid.cell_data.size(), 2U);
  const auto& values = std::get<std::vector<float>>(grid.cell_data[0].values);
  ASSERT_EQ(values.size(), 8U);
  EXPECT_EQ(values[7], 7.0F);
  EXPECT_EQ(std::get<std::vector<std::int32_t>>(grid.cell_data[1].values),
            (std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  const std::string file = to_vtu(grid, 0.25);
  EXPECT_NE(file.find("NumberOfPoints=\"12\" NumberOfCells=\"8\""), std::string::npos);
}

/// Lightness rises evenly: that is what makes the map readable.
TEST(FieldColour, RisesInLightness) {
  double before = -1;
  for (int i = 0; i <= 20; ++i) {
    const std::string c = field_colour(i / 20.0);
    ASSERT_EQ(c.size(), 7U);
    const auto part = [&](std::size_t at) { return static_cast<double>(std::stoi(c.substr(at, 2), nullptr, 16)); };
    const double lightness = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
    EXPECT_GT(lightness, before);
    before = lightness;
  }
  EXPECT_EQ(field_colour(0), "#440154");
  EXPECT_EQ(field_colour(1), "#fde725");
  EXPECT_EQ(field_colour(-3), field_colour(0));
  EXPECT_EQ(field_colour(std::numeric_limits<double>::quiet_NaN()), "#c8c8c8");
}

TEST(FieldPicture, ColoursAPlaneFromLowToHigh) {
  for (const Shape shape : {Shape::tri3, Shape::tri6, Shape::quad4, Shape::quad8, Shape::quad9}) {
    const Mesh mesh = made(fem::block({.shape = shape, .divisions = {4, 2, 1}, .high = {2, 1, 0}}));
    std::vector<double> field;
    for (int node = 0; node < mesh.n_nodes(); ++node) field.push_back(mesh.point(node)[0]);
    const std::string svg = to_svg(mesh, {}, field, {.title = "A < B", .label = "p"});
    const auto used = fills(svg);
    EXPECT_EQ(used.size(), 64U);  // a continuous field has all colours
    EXPECT_NEAR(filled_area(svg), 624 * 312,
                1e-3 * 624 * 312);  // cut along lines of equal value without gap or overlap
    EXPECT_TRUE(std::is_sorted(used.begin(), used.end(), [](const auto& a, const auto& b) {
      return std::stoi(a.substr(3, 2), nullptr, 16) < std::stoi(b.substr(3, 2), nullptr, 16);
    }));
    EXPECT_NE(svg.find("A &lt; B"), std::string::npos);
    EXPECT_NE(svg.find("url(#colours)"), std::string::npos);
    EXPECT_NE(svg.find(">0.5</text>"), std::string::npos);
    EXPECT_EQ(svg, to_svg(mesh, {}, field, {.title = "A < B", .label = "p"}));
  }
}

TEST(FieldPicture, DrawsFieldsOfElementsNoValuesAndNoField) {
  const Mesh mesh = made(fem::block({.divisions = {2, 1, 1}}));
  std::vector<double> field(static_cast<std::size_t>(mesh.n_elements()), 1);
  field[0] = 0;
  EXPECT_EQ(fills(to_svg(mesh, {}, field)),
            (std::vector<std::string>{field_colour(0.5 / 64), field_colour(63.5 / 64)}));
  field[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fills(to_svg(mesh, {}, field))[0], "#c8c8c8");
  EXPECT_EQ(fills(to_svg(mesh, {}, field, {.range = {0, 2}}))[1], field_colour(32.5 / 64));
  const std::string plain = to_svg(mesh, {}, {});
  EXPECT_EQ(fills(plain), (std::vector<std::string>{"#cfd8dc"}));
  EXPECT_EQ(plain.find("url(#colours)"), std::string::npos);
  std::fill(field.begin(), field.end(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(fills(to_svg(mesh, {}, field)), (std::vector<std::string>{"#c8c8c8"}));
}

TEST(FieldPicture, ShowsTheOutlineOfWhatWas) {
  const Mesh mesh = made(fem::block({.divisions = {2, 2, 1}}));
  const std::vector<double> u(mesh.points.size(), 0.3);
  EXPECT_EQ(count(to_svg(mesh, {}, {}), "#8a8a8a"), 0U);
  EXPECT_EQ(count(to_svg(mesh, u, {}), "#8a8a8a"), 1U);
  EXPECT_EQ(count(to_svg(mesh, u, {}, {.outline = false}), "#8a8a8a"), 0U);
  EXPECT_EQ(count(to_svg(mesh, u, {}, {.edges = false}), "stroke-opacity"), 0U);
  EXPECT_EQ(count(to_svg(mesh, u, {}), "stroke-opacity"), 1U);
}

/// A cube shows three faces, the one towards the eye alone where it looks straight; nearer faces are painted later.
TEST(FieldPicture, ShowsTheOuterFacesOfABody) {
  for (const Shape shape : {Shape::hex8, Shape::hex20, Shape::hex27, Shape::tet4, Shape::tet10}) {
    const Mesh mesh = made(fem::block({.shape = shape, .divisions = {2, 2, 2}}));
    std::vector<double> field(static_cast<std::size_t>(mesh.n_elements()), 1);
    const std::size_t per_side = fem::info(shape).corners == 4 ? 8 : 4;
    EXPECT_EQ(fills(to_svg(mesh, {}, field, {.view = {1, 1, 1}})).size(), 3 * per_side);
    EXPECT_EQ(fills(to_svg(mesh, {}, field, {.view = {0, 0, 1}})).size(), per_side);
    EXPECT_EQ(fills(to_svg(mesh, {}, field, {.view = {0, 1, 0}})).size(), per_side);  // straight along `up`
  }
  // The field z on a cube: from above only its highest value is seen, from below only the lowest.
  const Mesh cube = made(fem::block({.shape = Shape::hex8}));
  std::vector<double> z;
  for (int node = 0; node < cube.n_nodes(); ++node) z.push_back(cube.point(node)[2]);
  for (const auto& colour : fills(to_svg(cube, {}, z, {.view = {0, 0, 1}}))) EXPECT_EQ(colour, field_colour(63.5 / 64));
  for (const auto& colour : fills(to_svg(cube, {}, z, {.view = {0, 0, -1}}))) EXPECT_EQ(colour, field_colour(0.5 / 64));
  // Two blocks, one behind the other: the nearer one comes last.
  Mesh two = made(fem::block({.shape = Shape::hex8}));
  const Mesh behind = made(fem::block({.shape = Shape::hex8, .low = {0, 0, -5}, .high = {1, 1, -4}}));
  for (int node = 0; node < behind.n_nodes(); ++node) two.add_point(behind.point(node));
  std::vector<int> nodes;
  for (const int node : behind.element(0)) nodes.push_back(node + 8);
  const int back = two.add_element(Shape::hex8, nodes);
  std::vector<double> field(static_cast<std::size_t>(two.n_elements()), 0);
  field[static_cast<std::size_t>(back)] = 1;
  const auto order = fills(to_svg(two, {}, field, {.view = {0, 0, 1}}));
  ASSERT_EQ(order.size(), 2U);
  EXPECT_EQ(order[0], field_colour(63.5 / 64));
  EXPECT_EQ(order[1], field_colour(0.5 / 64));
}

/// The bushing of 30,000 elements stays a picture of reasonable size.
TEST(FieldPicture, StaysSmall) {
  const Mesh mesh = made(fem::bushing({}));
  std::vector<double> u(mesh.points.size(), 0), field;
  for (int node = 0; node < mesh.n_nodes(); ++node) {
    const auto x = mesh.point(node);
    const double r = std::hypot(x[0], x[1]), part = (0.025 - r) / 0.015;
    u[static_cast<std::size_t>(3 * node)] = 0.003 * part;
    u[static_cast<std::size_t>(3 * node + 2)] = 0.006 * part;
    field.push_back(1e6 * part * x[0]);
  }
  const std::string svg = to_svg(mesh, u, field, {.title = "Bushing", .label = "p, Pa"});
  EXPECT_LT(svg.size(), 3000000U);
}

}  // namespace
}  // namespace rubato::io
