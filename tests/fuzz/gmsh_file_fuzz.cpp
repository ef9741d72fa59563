// The reader of Gmsh files against libFuzzer (`make fuzz`): any bytes give a mesh or an error, and what is written
// reads back as the same mesh.
#include <cstdint>
#include <cstdlib>

#include "rubato/io/mesh_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rubato;
  const auto file = io::parse_gmsh({reinterpret_cast<const char*>(data), size}, "fuzz.msh");
  if (!file) {
    if (file.error().message.empty()) std::abort();
    return 0;
  }
  if (const auto fine = fem::check(file->mesh); !fine && fine.error().message.empty()) std::abort();
  const auto text = io::to_gmsh(file->mesh);
  if (!text) return 0;  // names that cannot be written
  const auto again = io::parse_gmsh(*text, "fuzz.msh");
  if (!again || again->mesh.points != file->mesh.points || again->mesh.nodes != file->mesh.nodes) std::abort();
  return 0;
}
