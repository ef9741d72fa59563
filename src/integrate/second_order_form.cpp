#include "second_order_form.hpp"

#include <fmt/format.h>

namespace rubato {

Result<SecondOrderForm> second_order_form(std::string_view method, const Dae& dae) {
  const auto* formulated = dynamic_cast<const FormulatedDae*>(&dae);
  SecondOrderForm form;
  // Velocities as unknowns beside positions, M v' on the left, q' = N v without further multipliers.
  const bool applies = formulated != nullptr && formulated->system().sizes().q > 0 &&
                       formulated->formulation().kinetics == Kinetics::velocity &&
                       formulated->formulation().level != Level::quasi_static &&
                       formulated->formulation().level != Level::ggl;
  if (!applies) {
    if (formulated != nullptr ? formulated->system().plain_coordinates() : dae.base_size() == 0) return form;
    return Error{
        fmt::format("method {}: with rotations it needs velocities as unknowns and no further multipliers; take the "
                    "formulation index-3 or index-2, or another method (radau)",
                    method)};
  }
  const MechanicalSystem& mechanics = formulated->system();
  if (mechanics.sizes().q != mechanics.sizes().v || !mechanics.rates_near_identity())
    return Error{fmt::format(
        "method {}: the velocities of this model are not the rates of its coordinates, as Newmark's formulas "
        "need them; take another method (radau)",
        method)};
  const Level level = formulated->formulation().level;
  form.positions = {
      .q = dae.layout().find("q")->offset, .v = dae.layout().find("v")->offset, .n = mechanics.sizes().q, .weight = 1};
  const bool rigid = mechanics.sizes().lambda > 0 && !mechanics.compliant();
  if (rigid && (level == Level::index_3 || level == Level::eps_lambda)) {
    form.constrained = &mechanics;
    form.formulated = formulated;
    form.lambda = dae.layout().find("lambda")->offset;
    form.n_lambda = mechanics.sizes().lambda;
  }
  return form;
}

}  // namespace rubato
