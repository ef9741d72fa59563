/// How often functions of time make steps end.
#include <fmt/format.h>

#include "rubato/base/function.hpp"
#include "rubato/multibody/system.hpp"

namespace rubato::multibody {

namespace {

constexpr int many = 500, most = 100'000;  ///< worth a sentence; where counting ends

void add_note(const std::string& what, const std::shared_ptr<const Function>& f, double from, double to,
              std::vector<std::string>& notes) {
  if (!f) return;
  int count = 0;
  for (double t = f->next_break(from); t < to && count < most; t = f->next_break(t)) ++count;
  if (count < many) return;
  const auto* expression = f->expression();
  notes.push_back(fmt::format("{}: {} has {}{} kinks or jumps from t = {:.6g} to {:.6g} s, and a step ends at each",
                              what, expression != nullptr ? "'" + expression->text() + "'" : "its table",
                              count == most ? "more than " : "", count, from, to));
}

}  // namespace

std::vector<std::string> notes_on_kinks(const Mechanism& mechanism, double from, double to) {
  std::vector<std::string> notes;
  for (const Joint& joint : mechanism.joints)
    add_note("motion of joint '" + joint.name + "'", joint.motion, from, to, notes);
  for (const ForceElement& element : mechanism.forces)
    if (const auto* force = std::get_if<AppliedForce>(&element))
      for (std::size_t i = 0; i < 3; ++i) {
        add_note(fmt::format("force '{}', along {}", force->name, "xyz"[i]), force->force[i], from, to, notes);
        add_note(fmt::format("force '{}', torque about {}", force->name, "xyz"[i]), force->torque[i], from, to, notes);
      }
  return notes;
}

}  // namespace rubato::multibody
