#pragma once
/// Several signals side by side as the inputs of one model.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "rubato/problem/signal.hpp"

namespace rubato {

class StackedSignal final : public InputSignal {
 public:
  explicit StackedSignal(std::vector<std::shared_ptr<const InputSignal>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) size_ += part->size();
  }
  int size() const noexcept override { return size_; }
  void at(double t, Out u, Out rate) const noexcept override {
    std::size_t first = 0;
    for (const auto& part : parts_) {
      const auto n = static_cast<std::size_t>(part->size());
      part->at(t, u.subspan(first, n), rate.subspan(first, n));
      first += n;
    }
  }
  double next_break(double t) const noexcept override {
    double next = InputSignal::next_break(t);
    for (const auto& part : parts_) next = std::min(next, part->next_break(t));
    return next;
  }

 private:
  std::vector<std::shared_ptr<const InputSignal>> parts_;
  int size_ = 0;
};

}  // namespace rubato
