#pragma once
/// The motion of a model as a series that ParaView plays: motion.pvd and a file per instant, motion/frame_00000.vtu …,
/// written while the run goes on.
///
/// Mechanisms: points carry their velocity. Cells carry `part` (number), `name`, `kind` (0 ground, 1 body, 2 joint, 3 force) and `load`:
/// the force in joints, springs, bushings and beams, N (of torsion springs the torque, N m); 0 elsewhere.
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "rubato/integrate/integrate.hpp"
#include "rubato/io/manifest.hpp"
#include "rubato/io/vtu.hpp"
#include "rubato/multibody/scene.hpp"
#include "rubato/problem/formulation.hpp"

namespace rubato::io {

/// What a frame shows.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// The grid at a state; `y`: the outputs of the system there.
  [[nodiscard]] virtual const VtuGrid& at(const MechanicalState& state, In y) = 0;
};

/// The grid of a scene with bodies at a state; `y`: the outputs of the system there.
class SceneGrid final : public FrameSource {
 public:
  SceneGrid(const multibody::Scene& scene, const multibody::MultibodySystem& system);
  [[nodiscard]] const VtuGrid& at(const MechanicalState& state, In y) override;

 private:
  const multibody::Scene& scene_;
  const multibody::MultibodySystem& system_;
  VtuGrid grid_;
  std::vector<std::vector<std::size_t>> load_;  ///< per part: outputs whose norm is its load
  std::vector<std::size_t> cell_part_;
  std::vector<multibody::Pose> poses_;
  std::vector<multibody::BodyVelocity> rates_;
  std::vector<multibody::Vector3> points_, velocities_;
};

/// Removes the files of an earlier animation from a folder. A `motion` that is a link goes itself, not what lies at its other end.
void remove_animation(const std::filesystem::path& folder);

class AnimationWriter final : public Observer {
 public:
  /// Frames at these times, rising; a resumed run keeps those until where it begins. What is handed over outlives this.
  AnimationWriter(const FormulatedDae& dae, std::unique_ptr<FrameSource> frames, std::filesystem::path folder,
                  std::vector<double> times, bool resumed);
  void on_restart(double t, In x, In w, In base, int mode) override;
  void on_step(const StepView& step) override;
  /// Writes the collection; or the first trouble there was, such as a frame that somebody has removed.
  [[nodiscard]] Result<void> finish();
  /// False: a frame could not be written, and those after it were not tried. A run resumed from before that makes them all.
  [[nodiscard]] bool whole() const noexcept { return trouble_.ok(); }
  /// After finish(): frames of before a resumed run began which are not there, whatever the reason.
  [[nodiscard]] std::size_t missing() const noexcept { return missing_; }
  /// After finish(): the collection and its frames.
  [[nodiscard]] const std::vector<ManifestEntry>& files() const noexcept { return files_; }

 private:
  void write(double t, In x, In w, In base, int mode);

  const FormulatedDae& dae_;
  std::unique_ptr<FrameSource> frames_;
  std::filesystem::path folder_;
  std::vector<double> times_;
  std::size_t next_ = 0, missing_ = 0;
  bool resumed_, started_ = false;
  ScratchMemory scratch_;
  MechanicalState state_;
  Vector x_, w_, y_;
  std::map<std::size_t, FileDigest> fresh_;  ///< by number: frames written by this process
  std::vector<ManifestEntry> files_;
  Result<void> trouble_;
};

}  // namespace rubato::io
