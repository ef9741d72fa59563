#include "solid_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "interrupts.hpp"
#include "rubato/base/text.hpp"
#include "rubato/io/field_picture.hpp"
#include "rubato/io/solid_grid.hpp"
#include "rubato/io/thin_curve.hpp"

namespace rubato::app {

namespace {

double largest_movement(const fem::SolidSystem& system, double t, In q) {
  const auto u = system.displacements(t, q);
  const auto d = static_cast<std::size_t>(system.model().mesh.dimension);
  double largest = 0;
  for (std::size_t node = 0; node + d <= u.size(); node += d) {
    double square = 0;
    for (std::size_t i = 0; i < d; ++i) square += u[node + i] * u[node + i];
    largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

/// Nodes of regions with pressures, or none.
std::vector<bool> nodes_with_pressure(const fem::SolidModel& model) {
  std::vector<bool> has(static_cast<std::size_t>(model.mesh.n_nodes()));
  for (const auto& region : model.regions)
    if (region.pressure != fem::PressureSpace::none)
      for (const int node : model.mesh.nodes_of(*model.mesh.find_group(region.group)))
        has[static_cast<std::size_t>(node)] = true;
  return has;
}

std::optional<std::size_t> column_named(const io::RowSource& x, const std::string& name) {
  const auto found = std::ranges::find(x.names, name);
  if (found == x.names.end()) return {};
  return static_cast<std::size_t>(found - x.names.begin());
}

}  // namespace

LargestDisplacement::LargestDisplacement(const FormulatedDae& dae, const fem::SolidSystem& system)
    : dae_(dae), system_(system), scratch_(dae.scratch_bytes()), x_(dae.size()), w_(dae.size()) {}

void LargestDisplacement::on_restart(double t, In x, In w, In base, int mode) { look(t, x, w, base, mode); }
void LargestDisplacement::on_step(const StepView& step) {
  step.interpolate(step.t_end, view(x_), view(w_));
  look(step.t_end, step.x, view(std::as_const(w_)), step.base, step.mode);
}
void LargestDisplacement::look(double t, In x, In w, In base, int mode) {
  const At at{.t = t, .x = x, .u = {}, .base = base, .mode = mode, .scratch = scratch_.scratch()};
  if (dae_.unpack(at, w, now_) != EvalStatus::ok) return;
  const double movement = largest_movement(system_, t, view(std::as_const(now_.q)));
  if (std::exchange(loaded_, false)) {
    const auto same = [&](auto... part) { return (((now_.*part).size() == (state_.*part).size()) && ...); };
    using M = MechanicalState;
    if (!same(&M::q, &M::v, &M::z, &M::lambda, &M::nu, &M::a, &M::base)) largest_ = -1;
  }
  if (!(movement > largest_)) return;
  largest_ = movement;
  std::swap(state_, now_);
  state_.t = t;
}

void LargestDisplacement::save(ArchiveWriter& out) const {
  out.put(largest_);
  if (largest_ < 0) return;
  for (const Vector* v : {&state_.q, &state_.v, &state_.z, &state_.lambda, &state_.nu, &state_.a, &state_.base}) {
    out.put<std::uint64_t>(static_cast<std::uint64_t>(v->size()));
    out.put(view(*v));
  }
  out.put(state_.t);
  out.put(state_.mode);
}

bool LargestDisplacement::load(ArchiveReader& in) {
  in.get(largest_);
  if (!(largest_ >= 0)) return in.at_end();
  const auto most = static_cast<std::uint64_t>(dae_.size() + dae_.base_size());  // of each of them
  for (Vector* v : {&state_.q, &state_.v, &state_.z, &state_.lambda, &state_.nu, &state_.a, &state_.base}) {
    std::uint64_t n = 0;
    in.get(n, 0, most);
    v->resize(static_cast<Eigen::Index>(n));
    in.get(view(*v));
  }
  in.get(state_.t);
  in.get(state_.mode);
  loaded_ = true;
  return in.at_end();
}

void add_units(const std::vector<std::string>& names, std::vector<std::string>& units) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::string& name = names[j];
    if (name.starts_with("energy")) units[j] = "J";
    if (name.starts_with("reaction.")) units[j] = "N";
    if (name.starts_with("displacement.")) units[j] = "m";
    if (name.starts_with("rotation.")) units[j] = "rad";
    if (name.starts_with("angular_velocity.")) units[j] = "rad/s";
    if (name.starts_with("reaction_moment.")) units[j] = "N*m";
    if (!name.starts_with("contact.")) continue;
    if (name.find(".force.") != std::string::npos) units[j] = "N";
    if (name.ends_with(".gap")) units[j] = "m";
    if (name.ends_with(".pressure")) units[j] = "Pa";
  }
}

std::string deformed_picture(const fem::SolidSystem& system, const MechanicalState& state, const std::string& title) {
  const fem::SolidModel& model = system.model();
  fem::SolidFields fields = io::fields_at(system, state);
  const auto has = nodes_with_pressure(model);
  const bool mixed = std::ranges::find(has, true) != has.end();
  std::vector<double> field = mixed ? std::move(fields.pressure) : std::move(fields.von_mises);
  double largest = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (mixed) field[i] = has[i] ? -field[i] : std::numeric_limits<double>::quiet_NaN();  // compression is positive
    if (std::isfinite(field[i])) largest = std::max(largest, std::abs(field[i]));
  }
  struct {
    double size;
    const char* name;
  } const units[] = {{1e9, "GPa"}, {1e6, "MPa"}, {1e3, "kPa"}, {1, "Pa"}};
  const auto* unit = std::ranges::find_if(units, [&](const auto& u) { return largest >= u.size; });
  if (unit == std::end(units)) unit = std::end(units) - 1;
  for (double& value : field) value /= unit->size;
  const double movement = largest_movement(system, state.t, view(state.q));
  return io::to_svg(model.mesh, fields.displacement, field,
                    {.title = title,
                     .subtitle = fmt::format("t = {:.4g} s, largest displacement {:.4g} mm", state.t, 1e3 * movement),
                     .label = fmt::format("{} [{}]", mixed ? "pressure" : "von Mises stress", unit->name)});
}

Result<std::optional<io::Figure>> force_figure(const io::RowSource& x, double t_begin, double t_end,
                                               const std::string& title, const std::string& subtitle) {
  struct Curve {
    std::string group;
    char axis;
    std::size_t u, f;
    double least, most;  ///< of the displacement
    io::ThinCurve points;
  };
  std::vector<Curve> curves;
  for (const auto& name : x.names) {
    if (!name.starts_with("reaction.") || !name.ends_with(".x")) continue;
    const std::string group = name.substr(9, name.size() - 11);
    for (const char axis : {'x', 'y', 'z'}) {
      const auto u = column_named(x, fmt::format("displacement.{}.{}", group, axis));
      const auto f = column_named(x, fmt::format("reaction.{}.{}", group, axis));
      if (u && f)
        curves.push_back({group, axis, *u, *f, std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          io::ThinCurve(x.n_rows, t_begin, t_end, io::Scale::linear)});
    }
  }
  const auto read = x.each_row([&](double t, In values) {
    for (Curve& curve : curves) {
      const double u = values[curve.u];
      curve.least = std::min(curve.least, u);
      curve.most = std::max(curve.most, u);
      curve.points.add(t, u, values[curve.f]);
    }
    return true;
  });
  if (!read) return read.error();

  io::Panel panel;
  std::string axis_of_all, group_of_all;
  for (std::size_t k = 0; k < curves.size();) {
    Curve* best = nullptr;
    double widest = 0;
    const std::string& group = curves[k].group;
    for (; k < curves.size() && curves[k].group == group; ++k) {
      const double width = curves[k].most - curves[k].least;
      if (!(width > widest)) continue;
      widest = width;
      best = &curves[k];
    }
    if (best == nullptr) continue;
    io::Series series{.name = fmt::format("{}, {}", best->group, best->axis)};
    best->points.finish(series);
    for (double& value : series.x) value *= 1e3;
    panel.series.push_back(std::move(series));
    axis_of_all = best->axis;
    group_of_all = best->group;
  }
  if (panel.series.empty()) return std::optional<io::Figure>{};
  const bool single = panel.series.size() == 1;
  if (single) panel.series[0].name.clear();
  panel.y_label =
      single ? fmt::format("force on {} along {} [N]", group_of_all, axis_of_all) : "force on the group [N]";
  panel.height = 420;
  return std::optional(
      io::Figure{.title = title,
                 .subtitle = subtitle,
                 .x_label = single ? fmt::format("displacement of {} along {} [mm]", group_of_all, axis_of_all)
                                   : "displacement [mm]",
                 .panels = {panel}});
}

std::string inversion_words(const fem::SolidSystem& system, const MechanicalState& state, double h) {
  const fem::Mesh& mesh = system.model().mesh;
  std::vector<double> times = {0};
  if (h > 0)  // a run that failed in its first step may have none
    for (const double part : {1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1.0, 2.0, 4.0}) times.push_back(part * h);
  for (const double ahead : times) {
    if (stop_flag()) return {};
    const Vector q = state.q + ahead * state.v;
    const int e = system.inverted_element(state.t + ahead, view(q));
    if (e < 0) continue;
    std::vector<std::string> groups;
    for (const auto& group : mesh.groups)
      if (std::ranges::find(group.elements, e) != group.elements.end())
        groups.push_back(fmt::format("\"{}\"", group.name));
    std::vector<std::string> centre;
    const auto d = static_cast<std::size_t>(mesh.dimension);
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0;
      for (const int node : mesh.element(e)) sum += mesh.point(node)[i];
      centre.push_back(fmt::format("{:.4g}", sum / static_cast<double>(mesh.element(e).size())));
    }
    return fmt::format("as the motion goes on, element {}{} at ({}) m turns inside out", mesh.element_label(e),
                       groups.empty() ? "" : " of " + joined(groups), joined(centre));
  }
  return {};
}

}  // namespace rubato::app
