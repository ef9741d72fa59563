#include "rubato/io/animation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <utility>

#include "rubato/io/file.hpp"

namespace rubato::io {

using multibody::PartKind;
using multibody::Vector3;

namespace {

namespace fs = std::filesystem;

std::string frame_name(std::size_t number) { return fmt::format("motion/frame_{:05}.vtu", number); }

void flatten(std::span<const Vector3> from, std::vector<float>& to) {
  to.resize(3 * from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) to[3 * i + k] = static_cast<float>(from[i][k]);
}

using Places = std::unordered_map<std::string, std::size_t>;

/// The outputs that say what a part carries.
std::vector<std::size_t> load_channels(const std::string& part, const Places& outputs) {
  std::vector<std::size_t> found;
  for (const char* words : {".force.x", ".force.y", ".force.z", ".force", ".normal_force", ".torque"})
    if (const auto at = outputs.find(part + words); at != outputs.end()) found.push_back(at->second);
  return found;
}

}  // namespace

SceneGrid::SceneGrid(const multibody::Scene& scene, const multibody::MultibodySystem& system)
    : scene_(scene),
      system_(system),
      poses_(scene.n_frames()),
      rates_(scene.n_frames()),
      points_(scene.n_points()),
      velocities_(scene.n_points()) {
  const auto add_cell = [this](std::size_t part, VtuCell type) {
    grid_.offsets.push_back(static_cast<std::int32_t>(grid_.connectivity.size()));
    grid_.types.push_back(static_cast<std::uint8_t>(type));
    cell_part_.push_back(part);
  };
  for (const auto& piece : scene.pieces()) {
    const auto first = static_cast<std::int32_t>(piece.first), count = static_cast<std::int32_t>(piece.count);
    for (const auto& face : piece.faces) {
      for (const std::int32_t corner : face) grid_.connectivity.push_back(first + corner);
      add_cell(piece.part, VtuCell::polygon);
    }
    if (!piece.faces.empty()) continue;
    for (std::int32_t i = 0; i < count; ++i) grid_.connectivity.push_back(first + i);
    add_cell(piece.part, VtuCell::poly_line);
  }
  const auto names = system.output_names();
  Places outputs;
  for (std::size_t j = 0; j < names.size(); ++j) outputs.emplace(names[j], j);
  std::vector<std::int32_t> part;
  std::vector<std::uint8_t> kind;
  std::vector<std::string> name;
  for (const std::size_t i : cell_part_) {
    part.push_back(static_cast<std::int32_t>(i));
    kind.push_back(static_cast<std::uint8_t>(scene.parts()[i].kind));
    name.push_back(scene.parts()[i].name);
  }
  for (const auto& one : scene.parts())
    load_.push_back(one.kind == PartKind::joint || one.kind == PartKind::force ? load_channels(one.name, outputs)
                                                                               : std::vector<std::size_t>{});
  grid_.point_data = {{.name = "velocity", .components = 3, .values = std::vector<float>{}}};
  grid_.cell_data = {{.name = "part", .values = std::move(part)},
                     {.name = "kind", .values = std::move(kind)},
                     {.name = "load", .values = std::vector<float>(cell_part_.size())},
                     {.name = "name", .values = std::move(name)}};
}

const VtuGrid& SceneGrid::at(const MechanicalState& state, In y) {
  const In q = view(state.q), v = view(state.v), base = view(state.base);
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    poses_[i] = system_.pose(i, q, base);
    rates_[i] = system_.velocity(i, q, v, base);
  }
  scene_.place(poses_, points_);
  scene_.velocities(poses_, rates_, velocities_);
  flatten(points_, grid_.points);
  flatten(velocities_, std::get<std::vector<float>>(grid_.point_data[0].values));
  auto& load = std::get<std::vector<float>>(grid_.cell_data[2].values);
  for (std::size_t i = 0; i < cell_part_.size(); ++i) {
    double square = 0;
    for (const std::size_t j : load_[cell_part_[i]]) square += y[j] * y[j];
    load[i] = static_cast<float>(std::sqrt(square));
  }
  return grid_;
}

void remove_animation(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / "motion.pvd", ignored);
  if (fs::is_symlink(folder / "motion", ignored)) {
    fs::remove(folder / "motion", ignored);
    return;
  }
  std::vector<fs::path> old;
  for (fs::directory_iterator entry(folder / "motion", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("frame_") && name.ends_with(".vtu")) old.push_back(entry->path());
  }
  for (const auto& file : old) fs::remove(file, ignored);
  fs::remove(folder / "motion", ignored);  // where nothing else lies in it
}

AnimationWriter::AnimationWriter(const FormulatedDae& dae, std::unique_ptr<FrameSource> frames, fs::path folder,
                                 std::vector<double> times, bool resumed)
    : dae_(dae),
      frames_(std::move(frames)),
      folder_(std::move(folder)),
      times_(std::move(times)),
      resumed_(resumed),
      scratch_(dae.scratch_bytes()),
      x_(dae.size()),
      w_(dae.size()),
      y_(static_cast<Eigen::Index>(dae.output_names().size())) {}

void AnimationWriter::on_restart(double t, In x, In w, In base, int mode) {
  if (std::exchange(started_, true)) return;  // after an event nothing has moved
  // What a resumed run shows up to here was written before.
  while (next_ < times_.size() && (times_[next_] < t || (resumed_ && times_[next_] == t))) ++next_;
  for (; next_ < times_.size() && times_[next_] == t; ++next_) write(t, x, w, base, mode);
}

void AnimationWriter::on_step(const StepView& step) {
  for (; next_ < times_.size() && times_[next_] <= step.t_end; ++next_) {
    const double t = times_[next_];
    step.interpolate(t, view(x_), view(w_));
    write(t, t == step.t_end ? step.x : view(std::as_const(x_)), view(std::as_const(w_)), step.base, step.mode);
  }
}

void AnimationWriter::write(double t, In x, In w, In base, int mode) {
  if (!trouble_) return;
  const auto at = [&]() -> At {
    return {.t = t, .x = x, .u = {}, .base = base, .mode = mode, .scratch = scratch_.scratch()};
  };
  if (dae_.unpack(at(), w, state_) != EvalStatus::ok || dae_.outputs(at(), w, view(y_)) != EvalStatus::ok) {
    trouble_ = Error{fmt::format("animation: no state at t = {:.6g} s", t)};
    return;
  }
  const std::string frame = to_vtu(frames_->at(state_, view(std::as_const(y_))), t);
  trouble_ = write_file(folder_ / frame_name(next_), frame);
  if (trouble_) fresh_[next_] = digest(frame);
}

Result<void> AnimationWriter::finish() {
  if (!trouble_) return trouble_;
  std::vector<PvdEntry> entries;
  files_.clear();
  missing_ = 0;
  for (std::size_t i = 0; i < next_; ++i) {
    const std::string name = frame_name(i);
    std::error_code ignored;
    const auto written = fresh_.find(i);
    if (!fs::exists(folder_ / name, ignored)) {
      if (written != fresh_.end())
        return Error{fmt::format("{}: was removed while the run went on; only a run from the start makes it again",
                                 (folder_ / name).string())};
      ++missing_;
      continue;
    }
    entries.push_back({.t = times_[i], .file = name});
    if (written != fresh_.end()) {
      files_.push_back({.name = name, .content = written->second});
    } else {  // before the run was interrupted
      auto found = digest_of(folder_ / name);
      if (!found) return found.error();
      files_.push_back({.name = name, .content = *found});
    }
  }
  const std::string collection = to_pvd(entries);
  files_.push_back({.name = "motion.pvd", .content = digest(collection)});
  return write_file(folder_ / "motion.pvd", collection);
}

}  // namespace rubato::io
