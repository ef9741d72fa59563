// Every catalogue problem, in every formulation it offers, run by every method that claims its class; and checkpoints:
// a run resumed at any of them ends with the same bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "catalogue/catalogue.hpp"
#include "rubato/integrate/integrate.hpp"
#include "rubato/problem/derivative_unknowns.hpp"

namespace rubato {
namespace {

/// With the entry's defaults; singularly perturbed problems offer their rigid limit ε = 0 in the other formulations.
Result<catalogue::Instance> make(const catalogue::Entry& entry, const std::string& formulation) {
  auto instance = catalogue::make_problem(entry.name, {}, formulation);
  const bool has_eps =
      std::any_of(entry.parameters.begin(), entry.parameters.end(), [](const auto& p) { return p.name == "eps"; });
  if (instance || !has_eps) return instance;
  return catalogue::make_problem(entry.name, {{"eps", 0.0}}, formulation);
}

/// The instance as a Rosenbrock method can take it: B constant.
Result<catalogue::Instance> with_constant_mass(const catalogue::Entry& entry, const std::string& formulation) {
  auto instance = make(entry, formulation);
  if (!instance || instance->problem.dae->constant_mass()) return instance;
  if (instance->system) return make(entry, formulation + "+a");
  auto longer = with_derivative_unknowns(instance->problem);
  if (!longer) return longer.error();
  instance->problem = *longer;
  return instance;
}

std::vector<std::string> formulations_of(const catalogue::Entry& entry) {
  return entry.formulations.empty() ? std::vector<std::string>{""} : entry.formulations;
}

bool claims(const Method& method, const Dae& dae) {
  if (method.info.kind == "Newmark") return false;  // tests/theory/alpha_methods_test.cpp; not examined here yet
  const bool undamped = method.info.f_calls == 0 && std::abs(method.info.r_infinity) > 1 - 1e-9;  // Gauss, IIID, …
  // Of the multistep and extrapolation methods those of variable order.
  if (method.info.kind == "multistep" && method.info.name != "bdf") return false;
  if (method.info.kind == "extrapolation" && method.info.name != "extrapolated-euler") return false;
  return method.info.max_index >= dae.layout().index() && method.info.embedded_order > 0 && !undamped;
}

IntegrateOptions options_for(const catalogue::Instance& instance, double tolerance) {
  IntegrateOptions options;
  options.tolerances = {.rtol = tolerance, .atol = instance.measure.atol_per_rtol * tolerance};
  options.step.initial_step = instance.suggested_initial_step;
  if (instance.problem.dae->model_jacobian() == ModelJacobian::approximate)
    options.linear.jacobian = JacobianSource::dual;
  return options;
}

TEST(Witnesses, EveryProblemRunsWithEveryMethodThatClaimsItsClass) {
  const bool show = std::getenv("RUBATO_SHOW") != nullptr;
  for (const auto& entry : catalogue::problems())
    for (const auto& formulation : formulations_of(entry)) {
      if (entry.large) continue;
      const auto instance = with_constant_mass(entry, formulation);
      ASSERT_TRUE(instance.ok()) << entry.name << " " << formulation << ": " << instance.error().message;
      for (const auto& method : methods()) {
        if (!claims(method, *instance->problem.dae)) continue;
        // All of them on one formulation of each problem, one of each family on the others.
        const bool index_3 = instance->problem.dae->layout().index() == 3;  // too hard for ros3p on the chain
        const bool speaker =
            method.info.name == "radau" || method.info.name == "rodas4p" || (method.info.name == "ros3p" && !index_3);
        if (!speaker && formulation != entry.default_formulation) continue;
        if (method.info.name == "bdf" && entry.name == "beam") continue;  // vibrations: 20 000 steps (docs/methods.md)
        // Looser tolerances let index 3 drift off the constraints until the step collapses (docs/methods.md).
        const double tolerance = method.info.order == 2 ? 3e-4 : 1e-4;
        const auto run = integrate(instance->problem, method, options_for(*instance, tolerance));
        ASSERT_TRUE(run.ok()) << entry.name << " " << formulation << " " << method.info.name << ": "
                              << run.error().message;
        // ro2b is unstable on the stiff spring at this tolerance, and says so.
        const bool unstable = entry.name == "stiff-spring-pendulum" && method.info.name == "ro2b";
        EXPECT_TRUE(completed(run->status) || (unstable && run->status == RunStatus::unbounded))
            << entry.name << " " << formulation << " " << method.info.name << ": " << run->reason;
        if (show) {
          const auto digits = completed(run->status) ? catalogue::digits(*instance, view(run->x)) : std::nullopt;
          std::printf("%-28s %-16s %-10s index %d steps %6ld rejected %5ld digits %s\n", entry.name.c_str(),
                      formulation.c_str(), method.info.name.c_str(), instance->problem.dae->layout().index(),
                      run->statistics.steps, run->statistics.rejected, digits ? std::to_string(*digits).c_str() : "-");
        }
      }
    }
}

TEST(Witnesses, TighterTolerancesGiveMoreDigits) {
  const Method* method = method_by_name("rodas4p").value();
  for (const auto& entry : catalogue::problems()) {
    if (entry.large) continue;
    const std::string& formulation = entry.default_formulation;
    const auto instance = with_constant_mass(entry, formulation);
    ASSERT_TRUE(instance.ok());
    if (!instance->reference) continue;
    double reached[2];
    for (const int k : {0, 1}) {
      const auto run = integrate(instance->problem, *method, options_for(*instance, k == 0 ? 1e-5 : 1e-8));
      ASSERT_TRUE(run.ok() && completed(run->status)) << entry.name << " " << formulation;
      reached[k] = catalogue::digits(*instance, view(run->x)).value();
    }
    if (std::getenv("RUBATO_SHOW"))
      std::printf("%-28s %-16s digits at 1e-5: %6.2f, at 1e-8: %6.2f\n", entry.name.c_str(), formulation.c_str(),
                  reached[0], reached[1]);
    // Three digits of tolerance buy nearly one of accuracy even where the order drops to 1, up to the reference's own.
    const double best = -std::log10(instance->reference->accuracy);
    EXPECT_TRUE(reached[1] > reached[0] + 0.8 || reached[1] > best - 1.5)
        << entry.name << " " << formulation << ": " << reached[0] << " then " << reached[1] << " of " << best;
  }
}

/// Keeps every checkpoint of a run.
struct Keeper final : Observer {
  std::vector<std::vector<std::byte>> checkpoints;
  void on_checkpoint(double, std::span<const std::byte> bytes) override {
    checkpoints.emplace_back(bytes.begin(), bytes.end());
  }
};

TEST(Witnesses, ResumedRunsEndWithTheSameBytes) {
  for (const auto& entry : catalogue::problems()) {
    if (entry.large) continue;
    const auto instance = with_constant_mass(entry, entry.default_formulation);
    ASSERT_TRUE(instance.ok());
    for (const char* name : {"ros3p", "rodas4p"}) {
      const Method* method = method_by_name(name).value();
      if (!claims(*method, *instance->problem.dae)) continue;
      auto options = options_for(*instance, 1e-4);
      options.checkpoint_every = 10;
      Keeper keeper;
      Observer* observers[] = {&keeper};
      const auto whole = integrate(instance->problem, *method, options, {.observers = observers});
      ASSERT_TRUE(whole.ok() && completed(whole->status)) << entry.name;
      const std::size_t stride = std::max<std::size_t>(1, keeper.checkpoints.size() / 7);
      for (std::size_t k = 0; k < keeper.checkpoints.size(); k += stride) {
        const auto resumed = integrate(instance->problem, *method, options, {.resume = keeper.checkpoints[k]});
        ASSERT_TRUE(resumed.ok()) << entry.name << ": " << resumed.error().message;
        EXPECT_EQ(
            std::memcmp(resumed->x.data(), whole->x.data(), sizeof(double) * static_cast<std::size_t>(whole->x.size())),
            0)
            << entry.name << " " << name << " from checkpoint " << k;
        EXPECT_EQ(resumed->statistics.f_calls, whole->statistics.f_calls);
        EXPECT_EQ(resumed->statistics.accepted, whole->statistics.accepted);
      }
    }
  }
}

}  // namespace
}  // namespace rubato
