#pragma once
/// From a Mechanism to a Model, one part at a time. Every step returns a sentence naming the part that is wrong.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model.hpp"
#include "rubato/base/result.hpp"

namespace rubato::multibody::detail {

class Builder {
 public:
  explicit Builder(const Mechanism& mechanism) : mechanism_(mechanism) {}
  Result<void> run();
  Model model = {};
  std::vector<std::string> notes = {};

 private:
  Result<void> check_names() const;
  Result<void> add_bodies();
  void measure();
  void share_mode();

  // build_flexible.cpp
  Result<void> add_flexible(const Body& body, const std::string& what, BodyModel& made);
  Result<Attachment> attach_to_node(const Marker& marker, std::size_t slot, const std::string& what);
  std::size_t station(std::size_t slot, std::size_t node);

  // build_joints.cpp
  Result<void> add_joint(const Joint& joint);
  Result<void> check_planar(const Joint& joint, const JointModel& made) const;
  [[nodiscard]] bool trivial(const JointModel& joint, const JointRow& row) const;
  [[nodiscard]] bool half_a_turn_off(const Joint& joint, const JointModel& made) const;
  Result<void> check_start(const Joint& joint, const JointModel& made);
  Result<void> add_drive(const Joint& joint, JointModel& made);

  // build_couplings.cpp
  Result<void> add_coupling(const Coupling& coupling);
  Result<void> add_gear(const Coupling& coupling, const std::string& what);
  Result<void> add_rolling(const Coupling& coupling, const std::string& what);
  [[nodiscard]] Result<std::size_t> joint_number(const std::string& name, const std::string& what) const;

  // build_forces.cpp
  Result<void> compile(const SpringDamper& spring);
  Result<void> compile(const TorsionSpring& spring);
  Result<void> compile(const Bushing& bushing);
  Result<void> compile(const AppliedForce& force);
  Result<void> compile(const Beam& beam);

  // build_contacts.cpp
  Result<void> compile(const Contact& contact);
  Result<void> compile(const EndStop& stop);

  /// `what` names the owner: "joint 'hinge', frame a".
  Result<Attachment> attach(const Marker& marker, const std::string& what);
  /// Both ends of a part; refuses two ends on one body.
  Result<void> attach(const Marker& a, const Marker& b, const std::string& what, Attachment& at_a, Attachment& at_b);
  [[nodiscard]] const BodyModel* body_of(const Attachment& at) const;
  [[nodiscard]] bool in_plane(const Attachment& at) const;  ///< of a planar body or the ground
  [[nodiscard]] Three<double> point_at_start(const Attachment& at) const;
  [[nodiscard]] Three<double> axis_at_start(const Attachment& at, std::size_t k) const;

  const Mechanism& mechanism_;
  std::map<std::string, std::size_t, std::less<>> slot_ = {};
  std::vector<Frame<double>> at_start_ = {};
  double size_ = 1;  ///< of the mechanism: what distances at the start are compared with
};

[[nodiscard]] std::string_view type_name(JointType type);
[[nodiscard]] bool along_z(const Three<double>& x);

/// Refuses a function of time that is not finite at t = 0, or one of its first n derivatives.
Result<void> check_function(const std::string& what, const Function& f, int n);

/// Unit to six digits, or a sentence; then normalised to rounding.
Result<Quaternion> checked_rotation(const Quaternion& q, const std::string& what);

/// Refuses NaN and infinity.
Result<void> check_finite(const std::string& what, const char* key, const Vector3& x);

/// Refuses NaN, infinity and what is below `least`.
Result<void> check_number(const std::string& what, double value, double least, const char* meaning);

}  // namespace rubato::multibody::detail
