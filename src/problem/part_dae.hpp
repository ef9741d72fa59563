#pragma once
/// One additive part of a Dae as a Dae of its own, to be linearised: the same unknowns, f replaced by its part.
#include <memory>

#include "rubato/problem/dae.hpp"

namespace rubato {

/// `whole` must outlive it.
[[nodiscard]] std::unique_ptr<const Dae> part_of(const Dae& whole, int part);

}  // namespace rubato
