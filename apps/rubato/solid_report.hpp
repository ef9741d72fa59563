#pragma once
/// What a run of a finite element model shows besides its channels: the deformed body, forces over displacements, the element that
/// ended it.
#include <optional>
#include <string>

#include "rubato/base/archive.hpp"
#include "rubato/fem/solid.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/io/row_source.hpp"
#include "rubato/io/svg_plot.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato::app {

/// Keeps the state in which a node is farthest from where it was.
class LargestDisplacement final : public Observer {
 public:
  LargestDisplacement(const FormulatedDae& dae, const fem::SolidSystem& system);
  void on_restart(double t, In x, In w, In base, int mode) override;
  void on_step(const StepView& step) override;
  /// For checkpoints.
  void save(ArchiveWriter& out) const;
  [[nodiscard]] bool load(ArchiveReader& in);
  [[nodiscard]] const MechanicalState& state() const noexcept { return state_; }

 private:
  void look(double t, In x, In w, In base, int mode);

  const FormulatedDae& dae_;
  const fem::SolidSystem& system_;
  ScratchMemory scratch_;
  Vector x_, w_;
  MechanicalState now_, state_;
  double largest_ = -1;
  bool loaded_ = false;  ///< state_ is that of a checkpoint, not looked at yet
};

/// Units of energies, reactions and displacements.
void add_units(const std::vector<std::string>& names, std::vector<std::string>& units);

/// The body deformed, coloured by its pressure where it is an unknown, else by von Mises stress.
[[nodiscard]] std::string deformed_picture(const fem::SolidSystem& system, const MechanicalState& state,
                                           const std::string& title);

/// Reactions of moved groups over their displacements, each along the axis it moves along most; nothing where none moves.
[[nodiscard]] Result<std::optional<io::Figure>> force_figure(const io::RowSource& rows, double t_begin, double t_end,
                                                             const std::string& title, const std::string& subtitle);

/// The element that turns inside out when the motion goes on from here, a sentence; empty: none within four steps of size h, or the
/// program was interrupted. h = 0: no step was accepted.
[[nodiscard]] std::string inversion_words(const fem::SolidSystem& system, const MechanicalState& state, double h);

}  // namespace rubato::app
