#pragma once
/// One function object made of several, for std::visit: Overloaded{[](int) {…}, [](double) {…}}.

namespace rubato::io {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace rubato::io
