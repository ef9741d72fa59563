#pragma once
/// What to try next after a run that ended before its time: one place for all messages.
#include <string>
#include <string_view>

#include "rubato/integrate/integrate.hpp"

namespace rubato::detail {

/// What is known of such a run.
struct Trouble {
  RunStatus status = RunStatus::finished;
  const MethodInfo* method = nullptr;
  const IntegrateOptions* options = nullptr;
  const Dae* dae = nullptr;
  bool at_start = false;     ///< no step was accepted
  std::string dominating{};  ///< the unknown that was largest, if known
};

/// "; try A, B or C", the likeliest first, at most three; empty where nothing general helps. Options are named as in the library.
[[nodiscard]] std::string next_to_try(const Trouble& trouble);

}  // namespace rubato::detail
