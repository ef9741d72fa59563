#include "rubber_block.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <fstream>
#include <map>
#include <sstream>

#include "rubato/fem/generate.hpp"

namespace rubato::bench {

using namespace fem;

SolidModel model_of(const RubberBlock& block, int threads) {
  const int n = block.divisions;
  SolidModel model;
  model.mesh =
      *fem::block({.shape = Shape::hex8, .divisions = {n, n, n}, .high = {block.edge, block.edge, block.edge}});
  model.materials = {{.name = "rubber", .density = block.density, .law = neo_hooke(block.shear), .bulk = block.bulk}};
  model.regions = {{.group = "body", .material = "rubber"}};
  Prescribed held{.group = "left"};
  for (auto& axis : held.displacement) axis.emplace(Function{});
  model.prescribed = {std::move(held)};
  model.tractions = {{.group = "right", .stress = {Function{}, *function_of_time(block.traction), Function{}}}};
  model.threads = threads;
  return model;
}

int corner_of(const RubberBlock& block, const Mesh& mesh) {
  return *node_at(mesh, {block.edge, block.edge, block.edge});
}

namespace {

/// ∫ N over the faces of a group of rectangles: a quarter of each to each of its corners.
std::map<int, double> areas_of_nodes(const Mesh& mesh, const char* group) {
  std::map<int, double> areas;
  for (const int e : mesh.find_group(group)->elements) {
    const auto face = mesh.element(e);
    const auto at = [&](int k) { return Eigen::Map<const Eigen::Vector3d>(mesh.point(face[k]).data()); };
    const double area = (at(1) - at(0)).cross(at(3) - at(0)).norm();
    for (const int node : face) areas[node] += area / 4;
  }
  return areas;
}

}  // namespace

std::string calculix_deck(const RubberBlock& block) {
  const SolidModel model = model_of(block, 1);
  const Mesh& mesh = model.mesh;
  std::string deck = "*NODE, NSET=ALL\n";
  for (int node = 0; node < mesh.n_nodes(); ++node) {
    const auto x = mesh.point(node);
    deck += fmt::format("{}, {:.11g}, {:.11g}, {:.11g}\n", mesh.node_label(node), x[0], x[1],
                        x[2]);  // CalculiX reads 20 characters
  }
  deck += fmt::format("*ELEMENT, TYPE=C3D8, ELSET=BODY\n");
  for (const int e : mesh.find_group("body")->elements) {
    deck += fmt::format("{}", mesh.element_label(e));
    for (const int node : mesh.element(e)) deck += fmt::format(", {}", mesh.node_label(node));
    deck += fmt::format("\n");
  }
  deck += fmt::format("*NSET, NSET=HELD\n");
  for (const int node : mesh.nodes_of(*mesh.find_group("left"))) deck += fmt::format("{}\n", mesh.node_label(node));
  deck += fmt::format("*NSET, NSET=CORNER\n{}\n*BOUNDARY\nHELD, 1, 3\n", mesh.node_label(corner_of(block, mesh)));
  // CalculiX' energy is C10 (Ī₁ − 3) + (J − 1)²/D1: C10 = μ/2, D1 = 2/κ.
  deck += fmt::format("*MATERIAL, NAME=RUBBER\n*HYPERELASTIC, NEO HOOKE\n{:.11g}, {:.11g}\n*DENSITY\n{:.11g}\n",
                      block.shear / 2, 2 / block.bulk, block.density);
  deck += fmt::format("*SOLID SECTION, ELSET=BODY, MATERIAL=RUBBER\n*AMPLITUDE, NAME=LOAD\n");
  const Function& traction = model.tractions.front().stress[1];
  for (int i = 0; i <= block.steps; ++i)
    deck += fmt::format("{:.11g}, {:.11g}\n", i * block.step, traction(i * block.step));
  deck += fmt::format("*STEP, NLGEOM, INC={}\n*DYNAMIC, DIRECT, ALPHA={}\n{:.11g}, {:.11g}\n*CLOAD, AMPLITUDE=LOAD\n",
                      block.steps + 1, block.alpha, block.step, block.end());
  for (const auto& [node, area] : areas_of_nodes(mesh, "right"))
    deck += fmt::format("{}, 2, {:.11g}\n", mesh.node_label(node), area);
  deck += fmt::format("*NODE PRINT, NSET=CORNER, FREQUENCY=1\nU\n*END STEP\n");
  return deck;
}

Motion read_calculix(const std::string& job) {
  Motion motion;
  std::string line;
  std::ifstream displacements(job + ".dat");
  while (std::getline(displacements, line)) {  // node, u_x, u_y, u_z
    std::istringstream words(line);
    long node = 0;
    double x = 0, y = 0, z = 0;
    if (words >> node >> x >> y >> z) motion.y.push_back(y);
  }
  std::ifstream increments(job + ".sta");
  while (std::getline(increments, line)) {  // step, increment, attempt, iterations, …
    std::istringstream words(line);
    long step = 0, increment = 0, attempt = 0, iterations = 0;
    if (words >> step >> increment >> attempt >> iterations) motion.iterations += iterations;
  }
  return motion;
}

}  // namespace rubato::bench
