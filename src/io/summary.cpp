#include "rubato/io/summary.hpp"

#include <fmt/format.h>

#include "rubato/base/text.hpp"

namespace rubato::io {

std::string summary_text(const RunResult& r, double wall_seconds) {
  const Statistics& s = r.statistics;
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    out += fmt::format("  {:<12} {}\n", name, value);
  };
  line("ended", r.status == "finished" ? fmt::format("finished at t = {:.10g} s", r.t) : r.reason);
  line("steps", fmt::format("{} accepted, {} rejected{}", s.accepted, s.rejected,
                            s.failed > 0 ? fmt::format(", {} failed", s.failed) : std::string{}));
  if (s.accepted > 0) line("step sizes", fmt::format("{:.3g} … {:.3g} s", r.smallest_step, r.largest_step));
  line("f calls", fmt::format("{}{}", s.f_calls,
                              s.f_calls_jacobian > 0 ? fmt::format(" (and {} for Jacobians)", s.f_calls_jacobian)
                                                     : std::string{}));
  line("Jacobians", fmt::format("{}, {} factorisations, {} solves{}", s.jacobians, s.factorisations, s.solves,
                                s.newton_iterations > 0 ? fmt::format(", {} Newton iterations", s.newton_iterations)
                                                        : std::string{}));
  if (s.krylov_products > 0)
    line("Krylov", fmt::format("{} products, {:.1f} per linear system", s.krylov_products,
                               static_cast<double>(s.krylov_products) / static_cast<double>(s.solves)));
  if (r.stiff) line("found stiff", r.stiff->empty() ? "nothing" : joined(*r.stiff));
  if (s.events > 0) line("events", fmt::format("{}", s.events));
  line("time", fmt::format("{:.3g} s", wall_seconds));
  return out;
}

}  // namespace rubato::io
