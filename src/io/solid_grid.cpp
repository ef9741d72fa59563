#include "rubato/io/solid_grid.hpp"

#include "rubato/io/mesh_grid.hpp"

namespace rubato::io {

fem::SolidFields fields_at(const fem::SolidSystem& system, const MechanicalState& state) {
  return system.fields({.t = state.t,
                        .q = view(state.q),
                        .v = view(state.v),
                        .z = view(state.z),
                        .lambda = view(state.lambda),
                        .nu = {},
                        .u = {},
                        .base = {},
                        .mode = 0,
                        .scratch = {}});
}

const VtuGrid& SolidGrid::at(const MechanicalState& state, In /*y*/) {
  fem::SolidFields fields = fields_at(system_, state);
  const int d = system_.model().mesh.dimension;
  const FieldArray arrays[] = {{"velocity", d, std::move(fields.velocity)},
                               {"pressure", 1, std::move(fields.pressure)},
                               {"stress", 6, std::move(fields.stress)},
                               {"von_mises", 1, std::move(fields.von_mises)},
                               {"energy_density", 1, std::move(fields.energy_density)},
                               {"volume_ratio", 1, std::move(fields.volume_ratio)}};
  grid_ = mesh_grid(system_.model().mesh, fields.displacement, arrays);
  return grid_;
}

}  // namespace rubato::io
