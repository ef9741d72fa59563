#pragma once
/// Force elements of a model, one list per kind. A kind is a struct with
///   template <class S> void add_force(const ForcePoint<S>&, Wrenches<S>&) const    what it does to its two bodies
///   template <class S> S energy(const ForcePoint<S>&) const                        its potential energy
///   bool conservative() const                                                      neither dissipates nor is driven
///   std::size_t n_outputs, std::vector<std::string> output_names() const           channels of its own: "force"
///   void outputs(const ForcePoint<double>&, std::span<double>) const               their values
/// and, where it applies,
///   int n_states() const, std::size_t first_state                                  its own states z
///   template <class S> void rates(const ForcePoint<S>&, std::span<S> e) const      z' (its n_states rows)
///   bool depends_on_time() const                                                   functions of time inside …
///   double next_break(double t) const, bool jumps_at(double t) const               … their kinks; whether the force jumps
///   std::size_t n_roots() const, std::vector<std::string> root_names() const       kinks that steps end on
///   void roots(const ForcePoint<double>&, std::span<double>) const                 their root functions
///   std::span<Touching> touchings(), int mode_bits(const ForcePoint<double>&) const  which branches hold (one_sided.hpp)
/// A new kind is a file like spring.hpp, an entry in ForceModels and an overload of Builder::compile (build_forces.cpp).
#include <tuple>
#include <vector>

#include "applied.hpp"
#include "beam.hpp"
#include "bushing.hpp"
#include "contact.hpp"
#include "end_stop.hpp"
#include "force_point.hpp"
#include "spring.hpp"

namespace rubato::multibody::detail {

using ForceModels =
    std::tuple<std::vector<SpringModel>, std::vector<TorsionModel>, std::vector<BushingModel>,
               std::vector<AppliedModel>, std::vector<BeamModel>, std::vector<ContactModel>, std::vector<EndStopModel>>;

/// Calls visit(element) for all elements, kind by kind.
template <class Models, class Visit>
void each_force(Models& models, Visit&& visit) {
  std::apply(
      [&visit](auto&... lists) {
        const auto all = [&visit](auto& list) {
          for (auto& element : list) visit(element);
        };
        (all(lists), ...);
      },
      models);
}

/// Calls visit(element) for the element with this number in the order of each_force.
template <class Visit>
void one_force(const ForceModels& models, std::size_t number, Visit&& visit) {
  std::apply(
      [&](const auto&... lists) {
        const auto from = [&](const auto& list) {
          if (number < list.size()) visit(list[number]);
          const bool found = number < list.size();
          number -= list.size();
          return found;
        };
        static_cast<void>((from(lists) || ...));
      },
      models);
}

}  // namespace rubato::multibody::detail
