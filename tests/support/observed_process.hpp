#pragma once
/// Work watched from outside, in a process of its own: what no counter inside sees. Linux only.
#include <functional>
#include <optional>
#include <vector>

namespace rubato::test {

/// How many instructions the processor takes for each of these calls, by stepping through them one at a time (some 25 µs each): all that
/// is done, whatever the compiler made of it, and a constant for the mark between calls. `between` runs before each but the first, uncounted. Nothing where
/// tracing is not permitted, and under the address sanitizer, whose instructions they would be.
[[nodiscard]] std::optional<std::vector<long>> instructions(int times, const std::function<void()>& between,
                                                            const std::function<void()>& work);

/// Whether the work makes no system call, and returns true. Nothing where system calls cannot be forbidden.
[[nodiscard]] std::optional<bool> runs_without_system_calls(const std::function<bool()>& work);

}  // namespace rubato::test
