#include "contacts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rubato::fem::detail {

Result<Contacts> Contacts::make(const SolidModel& model) {
  Contacts out;
  std::vector<std::string> names;
  const auto add = [&](auto made, const std::string& kind, const std::string& name) -> Result<void> {
    if (!made) return made.error();
    if (name.empty()) return Error{fmt::format("{} \"\": it needs a name", kind)};
    if (std::ranges::find(names, name) != names.end())
      return Error{fmt::format("{} \"{}\": another contact or obstacle has this name", kind, name)};
    names.push_back(name);
    out.list_.emplace_back(*std::move(made));
    return {};
  };
  for (const Contact& contact : model.contacts)
    if (auto ok = add(ContactPair::make(model, contact), "contact", contact.name); !ok) return ok.error();
  for (const Obstacle& obstacle : model.obstacles)
    if (auto ok = add(ContactObstacle::make(model, obstacle), "obstacle", obstacle.name); !ok) return ok.error();
  return out;
}

bool Contacts::has_friction() const noexcept {
  return std::ranges::any_of(
      list_, [](const auto& c) { return std::visit([](const auto& contact) { return contact.has_friction(); }, c); });
}

bool Contacts::conservative() const noexcept {
  return !has_friction() && !moves() &&
         std::ranges::all_of(list_, [](const auto& c) { return std::holds_alternative<ContactObstacle>(c); });
}

bool Contacts::moves() const noexcept {
  return std::ranges::any_of(list_, [](const auto& c) {
    const auto* obstacle = std::get_if<ContactObstacle>(&c);
    return obstacle != nullptr && obstacle->moves();
  });
}

void Contacts::couple(std::vector<std::vector<int>>& beside) const {
  for (const auto& c : list_) std::visit([&](const auto& contact) { contact.couple(beside); }, c);
}

std::size_t Contacts::scratch_bytes() const noexcept {
  std::size_t most = 0;
  for (const auto& c : list_)
    if (const auto* pair = std::get_if<ContactPair>(&c)) most = std::max(most, pair->scratch_bytes());
  return most;
}

EvalStatus Contacts::subtract_force(const ContactState& state, Scratch scratch, Out force) const noexcept {
  EvalStatus status = EvalStatus::ok;
  for (const auto& c : list_)
    status = std::max(
        status, std::visit([&](const auto& contact) { return contact.subtract_force(state, scratch, force); }, c));
  return status;
}

EvalStatus Contacts::subtract_tangents(const ContactState& state, const NodePlaces& places, Scratch scratch, Out k,
                                       Out d) const noexcept {
  EvalStatus status = EvalStatus::ok;
  for (const auto& c : list_)
    status = std::max(
        status,
        std::visit([&](const auto& contact) { return contact.subtract_tangents(state, places, scratch, k, d); }, c));
  return status;
}

EvalStatus Contacts::add_energy(const ContactState& state, Scratch scratch, double& sum) const noexcept {
  EvalStatus status = EvalStatus::ok;
  for (const auto& c : list_)
    status = std::max(status, std::visit([&](const auto& contact) { return contact.energy(state, scratch, sum); }, c));
  return status;
}

std::vector<std::string> Contacts::output_names(int dimension) const {
  std::vector<std::string> names;
  if (empty()) return names;
  names.emplace_back("energy.contact");
  for (const auto& c : list_) {
    const std::string& name = std::visit([](const auto& contact) -> const std::string& { return contact.name(); }, c);
    for (int i = 0; i < dimension; ++i) names.push_back(fmt::format("contact.{}.force.{}", name, "xyz"[i]));
    for (const char* what : {"gap", "pressure"}) names.push_back(fmt::format("contact.{}.{}", name, what));
    if (std::holds_alternative<ContactPair>(c)) names.push_back(fmt::format("contact.{}.beyond", name));
  }
  return names;
}

EvalStatus Contacts::outputs(const ContactState& state, int dimension, Scratch scratch, Out y) const noexcept {
  EvalStatus status = EvalStatus::ok;
  if (empty()) return status;
  std::size_t next = 1;
  y[0] = 0;
  for (const auto& c : list_) {
    ContactSummary summary;
    status = std::max(status,
                      std::visit([&](const auto& contact) { return contact.summarise(state, scratch, summary); }, c));
    y[0] += summary.energy;
    for (int i = 0; i < dimension; ++i) y[next++] = summary.force[at(i)];
    y[next++] = summary.gap;
    y[next++] = summary.pressure;
    if (std::holds_alternative<ContactPair>(c)) y[next++] = summary.beyond;
  }
  return status;
}

std::vector<std::string> Contacts::root_names() const {
  std::vector<std::string> names;
  for (const auto& c : list_)
    if (const auto* pair = std::get_if<ContactPair>(&c))
      for (int i = 0; i < pair->n_watched(); ++i) names.push_back(fmt::format("contact.{} closes", pair->name()));
  return names;
}

void Contacts::root_values(const ContactState& state, Scratch scratch, Out values) const noexcept {
  std::size_t next = 0;
  for (const auto& c : list_)
    if (const auto* pair = std::get_if<ContactPair>(&c); pair != nullptr && pair->n_watched() > 0) {
      pair->signed_gaps(state, scratch, values.subspan(next, at(pair->n_watched())));
      next += at(pair->n_watched());
    }
}

}  // namespace rubato::fem::detail
