#pragma once
/// B(t,x) x' = f(t,x,u), outputs y = h(t,x,u): what every method integrates.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rubato/linalg/pattern.hpp"
#include "rubato/problem/event.hpp"
#include "rubato/problem/layout.hpp"
#include "rubato/problem/point.hpp"

namespace rubato {

/// The equations over one scalar type: double for values, Dual8 for derivatives, Tracer for patterns.
template <class S>
class DaeEquations {
 public:
  virtual ~DaeEquations() = default;
  /// f(t,x,u); writes every entry.
  [[nodiscard]] virtual EvalStatus f(const Point<S>& at, std::span<S> out) const noexcept = 0;
  /// B(t,x) w; linear in w.
  [[nodiscard]] virtual EvalStatus mass_times(const Point<S>& at, std::span<const S> w,
                                              std::span<S> out) const noexcept = 0;
  /// One additive part of f, for methods that treat parts differently; the parts (Dae::part_names) add up to f.
  [[nodiscard]] virtual EvalStatus part(int m, const Point<S>& at, std::span<S> out) const noexcept {
    if (m == 0) return f(at, out);
    for (auto& x : out) x = S(0.0);
    return EvalStatus::ok;
  }
};

/// What a model says of the Jacobian it supplies itself. Methods that need an exact one refuse `approximate`.
enum class ModelJacobian : std::uint8_t { none, exact, approximate };

class Dae : public DaeEquations<double> {
 public:
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] int size() const noexcept { return layout_.size(); }

  /// B depends neither on t nor on x.
  [[nodiscard]] virtual bool constant_mass() const noexcept { return true; }
  /// f depends on t other than through u.
  [[nodiscard]] virtual bool autonomous() const noexcept { return false; }

  /// The same equations over other scalars, where the model is written as a template; else null.
  [[nodiscard]] virtual const DaeEquations<Dual8>* dual() const noexcept { return nullptr; }
  [[nodiscard]] virtual const DaeEquations<Tracer>* tracer() const noexcept { return nullptr; }

  /// J = ∂(f − B w)/∂x of the model itself, on its own pattern.
  [[nodiscard]] virtual ModelJacobian model_jacobian() const noexcept { return ModelJacobian::none; }
  /// Also the pattern for coloured differences of a model that is no template. Default: dense, up to 20 000 unknowns.
  [[nodiscard]] virtual SparsePattern jacobian_pattern() const;
  [[nodiscard]] virtual EvalStatus jacobian(const At& at, In w, Out values) const noexcept;

  /// Where B may have entries; unknown: found by tracing, or by probing column by column.
  [[nodiscard]] virtual std::optional<SparsePattern> mass_pattern() const { return std::nullopt; }
  /// A constant B on that pattern; empty: found by products.
  [[nodiscard]] virtual std::vector<double> mass_values() const { return {}; }

  /// f = Σ f_m: names of the parts; empty: not split.
  [[nodiscard]] virtual std::vector<std::string> part_names() const { return {}; }

  /// Memory an evaluation may take from Point::scratch, over any scalar.
  [[nodiscard]] virtual std::size_t scratch_bytes() const noexcept { return 0; }

  // Inputs and outputs.
  [[nodiscard]] virtual int n_inputs() const noexcept { return 0; }
  [[nodiscard]] virtual std::vector<std::string> output_names() const { return {}; }
  /// Outputs may use x' = w (accelerations).
  [[nodiscard]] virtual EvalStatus outputs(const At& at, In w, Out y) const noexcept;

  // Quantities that stay constant along a solution, for checking.
  [[nodiscard]] virtual std::vector<std::string> invariant_names() const { return {}; }
  [[nodiscard]] virtual EvalStatus invariants(const At& at, Out values) const noexcept;

  // Charts: x = base ⊕ δ. Plain models keep the defaults.
  [[nodiscard]] virtual int base_size() const noexcept { return 0; }
  /// Moves the base to base ⊕ δ and sets δ of the charts to zero.
  virtual void rebase(Out x, Out base) const noexcept;
  /// Expresses x, given relative to the base `from`, relative to the base `to`: what methods that remember earlier states need
  /// besides rebase(). False: the model cannot (the default where there are charts).
  [[nodiscard]] virtual bool transport(In from, In to, Out x) const noexcept;

  // Events.
  [[nodiscard]] virtual std::vector<RootInfo> roots() const { return {}; }
  [[nodiscard]] virtual EvalStatus root_values(const At& at, Out values) const noexcept;
  /// The next time after t at which f jumps or on_event wants to be called; infinity if none.
  [[nodiscard]] virtual double next_time_event(double t, int mode) const noexcept;
  [[nodiscard]] virtual EventEffect on_event(const EventContext& event, Out x) const noexcept;
  /// The discrete state that goes with a start there: runs begin with it.
  [[nodiscard]] virtual int starting_mode(const At& at) const noexcept { return at.mode; }

 protected:
  explicit Dae(Layout layout) : layout_(std::move(layout)) {}
  Layout layout_;
};

}  // namespace rubato
