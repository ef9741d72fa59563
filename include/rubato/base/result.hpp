#pragma once
/// `Result<T>`: a value, or a sentence that says what was wrong with the user's input.
#include <string>
#include <utility>
#include <variant>

#include "rubato/base/assert.hpp"

namespace rubato {

/// One sentence: the place, the value, what is allowed, what it means.
struct Error {
  std::string message;
};

/// Our small std::expected (C++23): holds either a T or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  [[nodiscard]] const T& value() const& noexcept {
    RUBATO_ASSERT(ok(), "value() of a Result that holds an error");
    return *std::get_if<0>(&content_);
  }
  [[nodiscard]] T& value() & noexcept {
    RUBATO_ASSERT(ok(), "value() of a Result that holds an error");
    return *std::get_if<0>(&content_);
  }
  [[nodiscard]] T&& value() && noexcept { return std::move(value()); }
  [[nodiscard]] const T& operator*() const& noexcept { return value(); }
  [[nodiscard]] T& operator*() & noexcept { return value(); }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(value()); }
  [[nodiscard]] const T* operator->() const noexcept { return &value(); }
  [[nodiscard]] T* operator->() noexcept { return &value(); }

  [[nodiscard]] const Error& error() const noexcept {
    RUBATO_ASSERT(!ok(), "error() of a Result that holds a value");
    return *std::get_if<1>(&content_);
  }

 private:
  std::variant<T, Error> content_;
};

/// A check that yields nothing but may fail.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  [[nodiscard]] const Error& error() const noexcept {
    RUBATO_ASSERT(!ok_, "error() of a Result without an error");
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace rubato
