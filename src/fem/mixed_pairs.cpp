#include "rubato/fem/mixed_pairs.hpp"

namespace rubato::fem {

std::span<const MixedPair> mixed_pairs() noexcept {
  using enum PressureSpace;
  static constexpr MixedPair list[] = {
      {Shape::tri6, continuous, true},      {Shape::quad9, continuous, true},    {Shape::tet10, continuous, true},
      {Shape::hex27, continuous, true},     {Shape::quad9, discontinuous, true}, {Shape::hex27, discontinuous, true},
      {Shape::quad4, discontinuous, false}, {Shape::hex8, discontinuous, false},
  };
  return list;
}

std::string pressure_name(const MixedPair& pair) {
  const ShapeInfo& shape = info(pair.shape);
  if (pair.pressure == PressureSpace::continuous) return std::string(info(shape.linear).name);
  return shape.degree == 1 ? "P0" : "P1";
}

}  // namespace rubato::fem
