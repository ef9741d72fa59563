#pragma once
/// Our own mistakes (sizes disagree, null): checked in debug and test builds, abort with condition and place.

namespace rubato::detail {
[[noreturn]] void assertion_failed(const char* condition, const char* message, const char* file, int line) noexcept;
}

#ifndef RUBATO_ASSERTIONS
#ifdef NDEBUG
#define RUBATO_ASSERTIONS 0
#else
#define RUBATO_ASSERTIONS 1
#endif
#endif

#if RUBATO_ASSERTIONS
#define RUBATO_ASSERT(condition, message) \
  ((condition) ? static_cast<void>(0) : ::rubato::detail::assertion_failed(#condition, message, __FILE__, __LINE__))
#else
#define RUBATO_ASSERT(condition, message) static_cast<void>(0)
#endif
