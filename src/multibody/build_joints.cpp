/// Joints of a mechanism: which rows each type has, which of them bodies in the plane need, and whether frames meet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "builder.hpp"
#include "rubato/base/function.hpp"

namespace rubato::multibody::detail {

namespace {

using Kind = JointRow::Kind;

std::vector<JointRow> rows_of(JointType type) {
  constexpr JointRow meet[] = {{Kind::space, 0}, {Kind::space, 1}, {Kind::space, 2}};
  constexpr JointRow across[] = {{Kind::along, 0}, {Kind::along, 1}};
  constexpr JointRow parallel[] = {{Kind::dot, 0, 2}, {Kind::dot, 1, 2}};
  std::vector<JointRow> rows;
  const auto with = [&rows](std::span<const JointRow> more) { rows.insert(rows.end(), more.begin(), more.end()); };
  switch (type) {
    case JointType::fixed:
      with(meet);
      with(parallel);
      rows.push_back({Kind::dot, 0, 1});
      break;
    case JointType::revolute:
      with(meet);
      with(parallel);
      break;
    case JointType::prismatic:
      with(across);
      with(parallel);
      rows.push_back({Kind::dot, 0, 1});
      break;
    case JointType::cylindrical:
      with(across);
      with(parallel);
      break;
    case JointType::spherical: with(meet); break;
    case JointType::universal:
      with(meet);
      rows.push_back({Kind::dot, 2, 0});
      break;
    case JointType::planar:
      rows.push_back({Kind::along, 2});
      with(parallel);
      break;
    case JointType::distance: rows.push_back({Kind::distance}); break;
    case JointType::point_on_line: with(across); break;
    case JointType::point_on_plane: rows.push_back({Kind::along, 2}); break;
    case JointType::parallel: with(parallel); break;
  }
  return rows;
}

std::string row_name(const JointRow& row) {
  constexpr std::string_view axes = "xyz";
  switch (row.kind) {
    case Kind::space: return std::string(1, axes[row.i]);
    case Kind::along: return row.driven ? "position" : std::string(1, axes[row.i]);
    case Kind::dot: return {axes[row.i], axes[row.k]};
    case Kind::distance: return "length";
    case Kind::angle: return "angle";
  }
  return {};
}

}  // namespace

std::string_view type_name(JointType type) {
  switch (type) {
    case JointType::fixed: return "fixed";
    case JointType::revolute: return "revolute";
    case JointType::prismatic: return "prismatic";
    case JointType::cylindrical: return "cylindrical";
    case JointType::spherical: return "spherical";
    case JointType::universal: return "universal";
    case JointType::planar: return "planar";
    case JointType::distance: return "distance";
    case JointType::point_on_line: return "point-on-line";
    case JointType::point_on_plane: return "point-on-plane";
    case JointType::parallel: return "parallel";
  }
  return "?";
}

bool along_z(const Three<double>& x) { return std::hypot(x[0], x[1]) < 1e-9; }

/// Bodies in the plane cannot leave it: d_z and the directions of z are constant there.
bool Builder::trivial(const JointModel& joint, const JointRow& row) const {
  if (!in_plane(joint.a) || !in_plane(joint.b)) return false;
  switch (row.kind) {
    case Kind::space: return row.i == 2;
    case Kind::along: return along_z(joint.a.axis[row.i]);
    case Kind::dot: return along_z(joint.a.axis[row.i]) || along_z(joint.b.axis[row.k]);
    default: return false;
  }
}

Result<void> Builder::check_planar(const Joint& joint, const JointModel& made) const {
  const bool both = in_plane(made.a) && in_plane(made.b);
  if (both && joint.type == JointType::revolute && !(along_z(made.a.axis[2]) && along_z(made.b.axis[2])))
    return Error{fmt::format("joint '{}': planar bodies turn about z, its axis points elsewhere; use spatial bodies",
                             joint.name)};
  for (const Attachment* at : {&made.a, &made.b}) {
    const BodyModel* body = body_of(*at);
    if (body == nullptr || body->kind != BodyKind::point) continue;
    for (const JointRow& row : made.rows)
      if (row.kind == Kind::dot || row.kind == Kind::angle)
        return Error{
            fmt::format("joint '{}': {} holds directions, but '{}' is a point and has none; points take "
                        "spherical, distance, point-on-line and point-on-plane",
                        joint.name, type_name(joint.type), body->name)};
  }
  return {};
}

Result<void> Builder::add_joint(const Joint& joint) {
  const std::string what = "joint '" + joint.name + "'";
  JointModel made{.first = model.row_names.size()};
  if (auto ok = attach(joint.a, joint.b, what, made.a, made.b); !ok) return ok;
  made.rows = rows_of(joint.type);
  if (joint.type == JointType::distance) {
    const Three<double> d = minus(point_at_start(made.b), point_at_start(made.a));
    made.length = joint.length.value_or(std::sqrt(dot(d, d)));
    if (!(made.length > 0) || !std::isfinite(made.length))
      return Error{
          fmt::format("{}: length = {} must be positive (where origins meet, use spherical)", what, made.length)};
  } else if (joint.length) {
    return Error{fmt::format("{}: length = {} belongs to joints of type distance, this one is {}", what, *joint.length,
                             type_name(joint.type))};
  }
  if (auto ok = check_planar(joint, made); !ok) return ok;
  std::erase_if(made.rows, [&](const JointRow& row) { return trivial(made, row); });
  if (made.rows.empty())
    return Error{fmt::format("{}: {} binds nothing that planar bodies could do", what, type_name(joint.type))};
  if (auto ok = add_drive(joint, made); !ok) return ok;
  for (const JointRow& row : made.rows) {
    if (row.kind == Kind::angle) made.needs_a[0] = made.needs_a[1] = made.needs_b[0] = true;
    if (row.kind == Kind::along || row.kind == Kind::dot) made.needs_a[row.i] = true;
    if (row.kind == Kind::dot) made.needs_b[row.k] = true;
    model.row_names.push_back(joint.name + "." + row_name(row));
  }
  if (auto ok = check_start(joint, made); !ok) return ok;
  model.joint_names.push_back(joint.name);
  model.joints.push_back(std::move(made));
  return {};
}

/// One row more, or the length of a distance made a function.
Result<void> Builder::add_drive(const Joint& joint, JointModel& made) {
  const std::string what = fmt::format("joint '{}' ({})", joint.name, type_name(joint.type));
  if (joint.drive == Drive::none) {
    if (joint.motion) return Error{what + ": it has a motion, but its drive is none: angle or position?"};
    return {};
  }
  if (!joint.motion) return Error{what + ": it is driven, but its motion, a function of time, is missing"};
  const bool slides = joint.type == JointType::prismatic || joint.type == JointType::cylindrical;
  const bool turns = joint.type == JointType::revolute || joint.type == JointType::cylindrical;
  const bool distance = joint.type == JointType::distance;
  if (joint.drive == Drive::angle ? !turns : !slides && !distance)
    return Error{
        fmt::format("{}: drive {} moves joints of type {}", what, joint.drive == Drive::angle ? "angle" : "position",
                    joint.drive == Drive::angle ? "revolute or cylindrical" : "prismatic, cylindrical or distance")};
  if (auto ok = check_function(what + ": motion", *joint.motion, 2); !ok) return ok;
  made.motion = joint.motion;
  model.autonomous = model.conservative = false;
  if (distance) {
    if (joint.length) return Error{what + ": it has a length and a motion of its length; which one?"};
    made.rows[0].driven = true;
  } else if (joint.drive == Drive::angle) {
    made.rows.push_back({.kind = Kind::angle, .driven = true});
  } else {
    made.rows.push_back({.kind = Kind::along, .i = 2, .driven = true});
  }
  return {};
}

/// Rows of directions vanish half a turn away as well: where frames are to coincide, or an angle is prescribed, that is not meant.
bool Builder::half_a_turn_off(const Joint& joint, const JointModel& made) const {
  const auto along = [&](std::size_t i, std::size_t k) {
    return dot(axis_at_start(made.a, i), axis_at_start(made.b, k));
  };
  if (joint.type == JointType::fixed || joint.type == JointType::prismatic) return along(0, 0) < 0 || along(2, 2) < 0;
  if (joint.drive != Drive::angle) return false;
  const double phi = (*made.motion)(0.0);
  return std::cos(phi) * along(0, 0) + std::sin(phi) * along(1, 0) < 0;
}

/// Gaps up to a millionth of the mechanism's size are rounding of the input; up to a tenth they are closed by the
/// projection of the start values, with a note; beyond that the input is taken to be wrong.
Result<void> Builder::check_start(const Joint& joint, const JointModel& made) {
  JointModel alone = made;
  alone.first = 0;
  std::vector<double> g(made.rows.size());
  joint_rows<0>(alone, 0.0, Bodies<double>{.frames = at_start_}, std::span<double>(g));
  double gap = 0, angle = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const bool turns = made.rows[i].kind == Kind::dot || made.rows[i].kind == Kind::angle;
    double& worst = turns ? angle : gap;
    worst = std::hypot(worst, g[i]);
  }
  angle = std::asin(std::min(angle, 1.0));
  if (half_a_turn_off(joint, made)) angle = std::numbers::pi - angle;
  if (joint.type == JointType::distance) {
    const Three<double> d = minus(point_at_start(made.b), point_at_start(made.a));
    const double length = made.motion ? (*made.motion)(0.0) : made.length, now = std::sqrt(dot(d, d));
    gap = std::abs(now - length);
    if (gap <= 1e-6 * size_) return {};
    const std::string words = fmt::format(
        "joint '{}' (distance between '{}' and '{}'): at the start its origins are {:.6g} m apart, its length "
        "is {:.6g} m",
        joint.name, joint.a.body, joint.b.body, now, length);
    if (gap > 0.1 * size_) return Error{words};
    notes.push_back(words + "; start values are projected");
    return {};
  }
  const bool apart = gap > 1e-6 * size_, turned = angle > 1e-6;
  if (!apart && !turned) return {};
  std::string words =
      fmt::format("joint '{}' ({} between '{}' and '{}'): its frames do not meet at the start, they are ", joint.name,
                  type_name(joint.type), joint.a.body, joint.b.body);
  if (apart) words += fmt::format("{:.3g} m apart", gap);
  if (apart && turned) words += " and ";
  if (turned) words += fmt::format("turned by {:.3g} rad", angle);
  if (gap > 0.1 * size_ || angle > 0.1) return Error{words + fmt::format("; the mechanism measures {:.3g} m", size_)};
  notes.push_back(words + "; start values are projected");
  return {};
}

}  // namespace rubato::multibody::detail
