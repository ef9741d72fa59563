#pragma once
/// The equations of a model over symbols: run once, they are recorded, and code can be written from them.
#include "rubato/base/symbol.hpp"
#include "rubato/problem/dae.hpp"

namespace rubato {

class SymbolicEquations : public DaeEquations<Symbol> {
 public:
  /// As Dae::outputs; fatal: the model's outputs are not written over symbols.
  [[nodiscard]] virtual EvalStatus outputs(const Point<Symbol>& at, std::span<Symbol> y) const noexcept = 0;
};

/// What a Dae also is if its equations can be recorded.
class Recordable {
 public:
  virtual ~Recordable() = default;
  [[nodiscard]] virtual const SymbolicEquations& symbolic() const noexcept = 0;
};

/// Null: the model is no template over its scalar, or branches on values.
[[nodiscard]] inline const SymbolicEquations* symbolic_equations(const Dae& dae) noexcept {
  const auto* recordable = dynamic_cast<const Recordable*>(&dae);
  return recordable == nullptr ? nullptr : &recordable->symbolic();
}

}  // namespace rubato
