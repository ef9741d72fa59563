// The reader of Abaqus input against libFuzzer (`make fuzz`): any bytes give a mesh or an error; a mesh that was read
// can be checked and bounded.
#include <cstdint>
#include <cstdlib>

#include "rubato/io/mesh_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rubato;
  auto file = io::parse_abaqus({reinterpret_cast<const char*>(data), size}, "fuzz.inp");
  if (!file) {
    if (file.error().message.empty()) std::abort();
    return 0;
  }
  if (const auto fine = fem::check(file->mesh); !fine && fine.error().message.empty()) std::abort();
  fem::add_boundary(file->mesh, "boundary");
  return 0;
}
