#pragma once
/// How an evaluation and a step can end. Numerical failure is a value, never an exception.
#include <cstdint>
#include <string_view>

namespace rubato {

/// A model may say no: `out_of_domain` (an inverted element, a negative pressure: try a smaller step) or `fatal`.
enum class EvalStatus : std::uint8_t { ok, out_of_domain, fatal };

enum class StepStatus : std::uint8_t {
  ok,
  out_of_domain,
  fatal,
  newton_diverged,
  singular_matrix,
  krylov_failed,  ///< the iteration for a linear system did not converge
  not_finite,
  out_of_memory
};

constexpr std::string_view to_string(EvalStatus status) noexcept {
  switch (status) {
    case EvalStatus::ok: return "ok";
    case EvalStatus::out_of_domain: return "out of domain";
    case EvalStatus::fatal: return "fatal";
  }
  return "?";
}

constexpr std::string_view to_string(StepStatus status) noexcept {
  switch (status) {
    case StepStatus::ok: return "ok";
    case StepStatus::out_of_domain: return "model out of its domain";
    case StepStatus::fatal: return "model refused to evaluate";
    case StepStatus::newton_diverged: return "Newton iteration did not converge";
    case StepStatus::singular_matrix: return "step matrix is singular";
    case StepStatus::krylov_failed: return "the Krylov iteration did not converge within its largest dimension";
    case StepStatus::not_finite: return "non-finite values";
    case StepStatus::out_of_memory: return "out of memory";
  }
  return "?";
}

constexpr StepStatus step_status(EvalStatus status) noexcept {
  return status == EvalStatus::ok              ? StepStatus::ok
         : status == EvalStatus::out_of_domain ? StepStatus::out_of_domain
                                               : StepStatus::fatal;
}

}  // namespace rubato
